import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { ids } from '../../src/contract/examples/fixture-ids.ts'
import { operations } from '../../src/service/operations.ts'
import { launch, useStage } from './stage.ts'

/** What the service serves stands at the origin of the control API. Whatever a fault or a scenario makes of it, a browser runs none of it. */

const stage = useStage()

const markup = '<img src=x onerror="hit(1)"><script>hit(2);document.title="ran"</script>'
const answers = {
  'HTML of a scenario': { status: 200, headers: { 'content-type': 'text/html' }, body: { text: markup } },
  'the fault wrong-content-type': { fault: 'wrong-content-type' },
  'the fault html-200': { fault: 'html-200' },
  'the fault garbage': { fault: 'garbage' },
  'the fault malformed-json': { fault: 'malformed-json' },
}

/** Gives every answer of a space this form. */
const serve = (space: string, answer: object) =>
  stage.control('PUT', `/spaces/${encodeURIComponent(space)}/scenario`, {
    description: 'served',
    rules: [{ on: '*', steps: [{ phase: 'before', answer }] }],
  })

/** An address of the service as a page elsewhere would have it opened: with public credentials. */
function addressOf(user: string, path: string): string {
  const url = new URL(path, stage.url)
  url.searchParams.set('pageSize', markup)
  url.username = encodeURIComponent(user)
  url.password = 'demo'
  return url.href
}

const id = ids.mailing.ready
const paths = Object.values(operations)
  .filter(({ method }) => method === 'GET')
  .map(({ path }) => path.replace(':platform', 'mailing-platform').replaceAll(/:\w+/g, id))

/** Opens the addresses one after the other, and counts the scripts that ran. */
async function scriptsRun(
  addresses: readonly string[],
  arrange: (page: Page) => Promise<unknown> = async () => {},
): Promise<number> {
  await using browser = await launch()
  const page = await browser.newPage()
  let count = 0
  await page.exposeFunction('hit', () => void count++)
  await arrange(page)
  // What is not HTTP, or a file to keep, opens no page.
  for (const address of addresses) await page.goto(address, { waitUntil: 'load' }).catch(() => undefined)
  return count
}

test.each(Object.keys(answers))('%s runs nothing in a browser, at any address', async name => {
  const user = `demo+${Object.keys(answers).indexOf(name)}`
  await serve(user, answers[name as keyof typeof answers])
  expect(paths.length).toBeGreaterThan(10)
  expect(await scriptsRun(paths.map(path => addressOf(user, path)))).toBe(0)
})

test('the same page runs without the header that holds it back', async () => {
  await serve('demo+bare', answers['HTML of a scenario'])
  const withoutPolicy = (page: Page) =>
    page.route('**/mailings?**', async route => {
      const response = await route.fetch()
      const { 'content-security-policy': _, ...headers } = response.headers()
      await route.fulfill({ response, headers })
    })
  expect(await scriptsRun([addressOf('demo+bare', '/mailings')], withoutPolicy)).toBe(2)
})
