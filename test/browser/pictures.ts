import { join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'

const root = fileURLToPath(new URL('../..', import.meta.url))

/**
 * Keeps a picture of the whole page for people to look at, in the directory that the environment variable SCREENSHOTS
 * names; without it, none. Its name says in which scheme and width it was taken.
 * @throws an error when that directory lies in the repository, where pictures have no place
 */
export async function picture(page: Page, name: string): Promise<void> {
  const { SCREENSHOTS: folder } = process.env
  if (!folder || page.isClosed()) return
  if (!relative(root, resolve(folder)).startsWith('..'))
    throw new Error(`SCREENSHOTS is "${folder}", which lies in the repository: name a directory elsewhere`)
  const isDark = await page.evaluate(() => matchMedia('(prefers-color-scheme: dark)').matches)
  const words = [name, page.viewportSize()?.width, isDark ? 'dark' : 'light']
  const file = words.join(' ').replaceAll(/[^\w]+/g, '-')
  await page.screenshot({ path: join(folder, `${file.slice(0, 120)}.png`), fullPage: true })
}
