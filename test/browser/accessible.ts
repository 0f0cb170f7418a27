import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { AxeResults } from 'axe-core'
import type { Page } from 'playwright-core'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

declare global {
  interface Window {
    axe: { run(context: Document, options: object): Promise<AxeResults> }
  }
}

/** The rules of axe that look at colours: most of its work. */
const colourRules = ['color-contrast', 'link-in-text-block']

/**
 * Holds the page, as it looks now, against all rules that axe has switched on: WCAG A and AA, and good practice. What is
 * inside frames is a mailing's own affair.
 * @param aspects whether its rules of colours, and whether all others
 * @throws an error that lists each rule that is broken, with the elements that break it and what would help
 */
export async function accessible(
  page: Page,
  { structure = true, colours = true }: { structure?: boolean; colours?: boolean } = {},
): Promise<void> {
  if (!structure && !colours) return
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe)
  // Only rules about videos and locked orientation read what axe would load beforehand, and our pages have neither.
  const options = {
    iframes: false,
    resultTypes: ['violations'],
    preload: false,
    ...(!structure && { runOnly: colourRules }),
    ...(structure && {
      rules: {
        // WCAG 2.5.3, which axe has switched off: whoever speaks to a browser says what is to be read.
        'label-content-name-mismatch': { enabled: true },
        ...(!colours && Object.fromEntries(colourRules.map(id => [id, { enabled: false }]))),
      },
    }),
  }
  const { violations } = await page.evaluate(options => window.axe.run(document, options), options)
  if (violations.length === 0) return
  const sentences = violations.flatMap(({ id, help, nodes }) => [
    `${id}: ${help}`,
    ...nodes.map(({ target, html, failureSummary }) =>
      [`  ${target.join(' ')}: ${html}`, ...(failureSummary ?? '').split('\n').slice(1)].join('\n  '),
    ),
  ])
  throw new Error(`not accessible: ${page.url()}\n${sentences.join('\n')}`)
}
