import { writeFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { expect, onTestFinished, test } from 'vitest'
import { ids, synchronizationPath } from '../mock.ts'
import { start, temporaryDirectory } from '../process.ts'
import { useStage } from './stage.ts'
import { holdsInEveryView } from './views.ts'

const stage = useStage()

/** Opens the capsule of a space with four requests, each of which sent something. */
async function openCapsule(story: string, how: { scripts?: boolean } = {}): Promise<Page> {
  const directory = temporaryDirectory()
  onTestFinished(() => directory[Symbol.dispose]())
  for (const transactionId of ['one', 'two', 'three', 'four'])
    await stage.as(`demo+${story}`).post(synchronizationPath(ids.ready, '/sendings'), { transactionId })
  const response = await fetch(`${stage.url}/_mock/spaces/demo%2B${story}/capsule`)
  const file = directory.at('night.capsule.json')
  writeFileSync(file, await response.text())
  const opened = await start(['open', file])
  onTestFinished(async () => void (await opened.stop()))
  return stage.open(opened.url, how)
}

const sent = (page: Page) => page.locator('main').innerText()
const slider = (page: Page) => page.getByRole('slider', { name: 'After request' })

test('the slider of a capsule is moved with the keyboard, says where it is, and keeps the focus', async () => {
  const page = await openCapsule('keys')
  await page.getByText('read only, at its end').waitFor()
  const end = await sent(page)
  await slider(page).focus()
  await page.keyboard.press('ArrowLeft')
  await page.keyboard.press('ArrowLeft')
  expect(await slider(page).getAttribute('aria-valuetext')).toMatch(/^r\d+-2$/)
  expect(await page.locator('.opened-head output').textContent()).toMatch(/^r\d+-2$/)
  await page.keyboard.press('Enter')
  await page.waitForURL(/\/at\/r\d+-2\//)
  expect(await sent(page)).not.toBe(end)
  await expect.poll(() => slider(page).evaluate(it => it === document.activeElement)).toBe(true)
  await page.keyboard.press('Home')
  await page.keyboard.press('Enter')
  await page.waitForURL(/\/at\/r\d+-1\//)
  await holdsInEveryView(page, 'capsule')
})

test('the slider of a capsule leads to where it is let go with a pointer', async () => {
  const page = await openCapsule('pointer')
  const { x, y, width, height } = (await slider(page).boundingBox())!
  await page.mouse.move(x + width - 4, y + height / 2)
  await page.mouse.down()
  await page.mouse.move(x + 2, y + height / 2, { steps: 4 })
  await page.mouse.up()
  await page.waitForURL(/\/at\/r\d+-1\//)
})

test('the moment of a capsule is chosen without scripts, too', async () => {
  const page = await openCapsule('plain', { scripts: false })
  await slider(page).fill('3')
  await page.getByRole('button', { name: 'Show' }).click()
  await page.waitForURL(/\/at\/r\d+-3\//)
  await page.getByRole('link', { name: 'Before' }).click()
  await page.waitForURL(/\/at\/r\d+-2\//)
})
