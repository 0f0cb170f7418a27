import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { ids } from '../mock.ts'
import { accessible } from './accessible.ts'
import { fitsWidth } from './fitting.ts'
import { walk } from './keyboard.ts'
import { useStage } from './stage.ts'
import { holdsInEveryView } from './views.ts'

const stage = useStage()

const send = (page: Page) => page.getByRole('button', { name: 'Send', exact: true }).click()
const outcome = (page: Page, words: string | RegExp) => page.getByRole('status').getByText(words).waitFor()
/** What the answer's body says. */
const told = async (page: Page) => JSON.parse((await page.locator('[data-body]').textContent())!)

test('a sending is created from the reference, and what happened is one step away', async () => {
  const page = await stage.open('/_mock/docs/createSending')
  await page.getByLabel('User').fill('demo+tried')
  await page.getByLabel('Body', { exact: true }).fill('{"transactionId": "tried-here"}')
  await send(page)
  await outcome(page, '201 Created')
  expect(await told(page)).toMatchObject({ state: 'CREATED', transactionId: 'tried-here' })
  expect(await page.locator('[data-headers]').textContent()).toMatch(/^location: http/m)

  await send(page)
  await outcome(page, /^200 OK · CREATED · \d+ ms/)
  await holdsInEveryView(page, 'docs, createSending tried')

  await page.getByRole('link', { name: 'What happened' }).click()
  await page.getByRole('heading', { name: 'Request', exact: true }).waitFor()
  expect(page.url()).toContain('/_mock/spaces/demo%2Btried/requests/')
  await page.getByText('tried-here').first().waitFor()
})

test('an example is chosen, a scenario is sent along, and a refusal is shown as it came', async () => {
  const page = await stage.open('/_mock/docs/createSending', { expects: [/status of 500/, /status of 401/] })
  await page.getByLabel('Example').selectOption('Scheduled')
  expect(await page.getByLabel('Body', { exact: true }).inputValue()).toContain('scheduleDate')
  await page.getByLabel('User').fill('demo+refused')
  await page.getByLabel('Scenario for this request').fill('error-500-before')
  await send(page)
  await outcome(page, '500')
  expect((await told(page)).title).toBeTruthy()
  await page.getByLabel('Password').fill('wrong')
  await page.getByLabel('Scenario for this request').fill('')
  await send(page)
  await outcome(page, '401 Unauthorized')
})

test('a scenario with letters of any language is sent as the curl line sends it', async () => {
  const page = await stage.open('/_mock/docs/createSending', { expects: [/status of 400/] })
  await page.getByLabel('Scenario for this request').fill('Störung ☃')
  await send(page)
  await outcome(page, 'there is no scenario')
})

test('a response that never comes can be stopped, and one that breaks is told in words', async () => {
  const page = await stage.open('/_mock/docs/createSending', { expects: [/ERR_CONNECTION_RESET|ERR_EMPTY/] })
  await page.getByLabel('User').fill('demo+hanging')
  await page.getByLabel('Scenario for this request').fill('hang-after')
  await send(page)
  await page.getByRole('button', { name: 'Stop' }).click()
  await outcome(page, 'Stopped: no response had come.')
  await page.getByLabel('Body', { exact: true }).fill('{"transactionId": "broken"}')
  await page.getByLabel('Scenario for this request').fill('reset-after')
  await send(page)
  await outcome(page, /No response came that a browser can show/)
})

test('a control call moves the clock, with the content type it needs', async () => {
  await stage.control('PUT', '/spaces/demo%2Bmoved', { clock: { now: '2026-11-01T10:00:00Z', frozen: true } })
  const page = await stage.open('/_mock/docs/turnClock')
  await page.getByLabel('space in the path').fill('demo+moved')
  await send(page)
  await outcome(page, '200 OK')
  expect((await told(page)).now).toBe('2026-11-01T10:05:00.000Z')
  expect((await stage.control('GET', '/spaces/demo%2Bmoved/clock')).now).toBe('2026-11-01T10:05:00.000Z')
  await holdsInEveryView(page, 'docs, turnClock tried')
})

test('events are shown as they come, until they are stopped', async () => {
  const page = await stage.open('/_mock/docs/listenToEvents')
  await stage.control('PUT', '/spaces/demo%2Bheard')
  await page.getByLabel('space in the path').fill('demo+heard')
  await send(page)
  await outcome(page, '200 OK')
  await stage.control('POST', '/spaces/demo%2Bheard/clock', { advance: '5m' })
  await page.locator('[data-body]').getByText('event: clock').waitFor()
  await page.getByRole('button', { name: 'Stop' }).click()
  await outcome(page, /stopped/)
  expect(await page.getByRole('button', { name: 'Stop' }).count()).toBe(0)
})

test('the line for a shell follows what is filled in', async () => {
  const page = await stage.open('/_mock/docs/listSendings')
  const line = page.locator('.docs-try .snippet code')
  await page.getByLabel('pageSize').fill('2')
  await page.getByLabel('includeAllStates').selectOption('true')
  await page.getByLabel('User').fill("it's me")
  await expect
    .poll(() => line.textContent())
    .toBe(
      `curl -u 'it'\\''s me:demo' '${stage.url}/integrations/mailing-platform/mailing-synchronizations/${ids.failedTwice}/sendings?includeAllStates=true&pageSize=2'`,
    )
  expect(await page.locator('.docs-try [data-copy]').getAttribute('data-copy')).toBe(await line.textContent())
})

test('an operation is found by words and by keyboard alone, or by its name behind a hash', async () => {
  const page = await stage.open('/_mock/docs')
  await page.keyboard.press('/')
  await page.keyboard.type('sending creat')
  await page.getByText(/^\d+ of \d+$/).waitFor()
  await expect
    .poll(() => page.getByRole('navigation', { name: 'Operations' }).getByRole('link').count())
    .toBeLessThan(6)
  await accessible(page)
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Create a sending', exact: true }).waitFor()
  await page.goto('/_mock/docs#turnClock')
  await page.waitForURL('**/_mock/docs/turnClock')
  await page.goto('/_mock/docs')
  await page.getByLabel(/Find an operation/).fill('nothing like this')
  await page.getByText('No operation has these words.').waitFor()
  const found = page
    .getByRole('navigation', { name: 'Operations' })
    .getByRole('link', { name: /POST createSending / })
  for (const word of ['indeterminate', 'FAILED', 'transaction', 'scheduledate']) {
    await page.getByLabel(/Find an operation/).fill('nothing like this')
    await found.waitFor({ state: 'hidden' })
    await page.getByLabel(/Find an operation/).fill(word)
    await found.waitFor()
  }
  await page.getByLabel(/Find an operation/).fill('permittedLists')
  await page.getByRole('link', { name: /PUT putAccessibleLists / }).waitFor()
})

test('a document has its contents beside it, and one search finds sections of all documents', async () => {
  const page = await stage.open('/_mock/docs/scenarios.md', { width: 1440 })
  const contents = page.getByRole('navigation', { name: 'On this page' })
  expect(await contents.getByRole('link').count()).toBeGreaterThan(4)
  await page.keyboard.press('/')
  await page.keyboard.type('r02 transactionid TIMEOUT')
  await page.waitForURL('**find=r02**')
  await holdsInEveryView(page, 'documentation, found')
  await page.locator('#found').getByRole('link', { name: 'R02 New transactionId' }).click()
  await page.waitForURL('**/_mock/docs/conduct.md#r02')
  await page.getByLabel('Search all documents').fill('zebra crossing')
  await page.getByText(/^No section has all these words/).waitFor()
})

test('it is reached from any page, and walked through by keyboard with the focus seen', async () => {
  const page = await stage.open('/_mock')
  await page.getByRole('navigation', { name: 'Mock' }).getByRole('link', { name: 'API reference' }).click()
  await page.getByRole('heading', { name: 'API reference' }).waitFor()
  await holdsInEveryView(page, 'docs')
  const stops = await walk(page)
  expect(stops.filter(({ isSeen }) => !isSeen)).toEqual([])
  await page.goto('/_mock/docs/createSending')
  await page.getByRole('button', { name: 'Send', exact: true }).waitFor()
  const inside = await walk(page)
  expect(inside.filter(({ isSeen }) => !isSeen)).toEqual([])
  expect(inside.map(({ name }) => name)).toEqual(expect.arrayContaining(['User', 'Password', 'Send']))
})

test.each(['createSending', 'putScenario', 'listMailingSynchronizations'])(
  'everything that can be opened on the page of %s is accessible and fits',
  async id => {
    const page = await stage.open(`/_mock/docs/${id}`, { width: 360 })
    await page.evaluate(() => {
      for (const it of document.querySelectorAll('details')) it.open = true
    })
    await fitsWidth(page)
    await accessible(page)
  },
)
