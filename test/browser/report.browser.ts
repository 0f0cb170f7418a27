import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { ids, synchronizationPath } from '../mock.ts'
import { useStage } from './stage.ts'
import { holdsInEveryView } from './views.ts'

const stage = useStage()

/** Sends in a private space whose clock stands still, and opens the report. */
async function openReport(story: string, body: object = {}): Promise<Page> {
  const { id } = await send(story, body)
  return stage.open(`/_mock/spaces/demo%2B${story}/sendings/${id}/report`)
}
async function send(story: string, body: object = {}) {
  await stage.control('PUT', `/spaces/demo%2B${story}`, {
    clock: { now: '2026-11-01T10:00:00Z', frozen: true },
  })
  return stage
    .as(`demo+${story}`)
    .post(synchronizationPath(ids.ready, '/sendings'), { transactionId: 'x', ...body })
}

/** How many points the first line of the chart has. */
const drawn = async (page: Page) =>
  (await page.locator('.chart .line-opened').getAttribute('points'))!.split(' ').length

const rate = (page: Page, name: string) =>
  page.locator('.rates > div', { hasText: name }).locator('.rate').textContent()

test('advancing the clock changes figures, funnel and chart without a reload', async () => {
  const page = await openReport('advancing')
  await expect.poll(() => rate(page, 'Opening rate')).toBe('0.0 %')
  const before = await drawn(page)
  await page.evaluate(() => document.body.setAttribute('data-marked', 'yes'))
  await page.getByRole('button', { name: '6 hours: move the clock ahead' }).click()
  await page.getByText('The clock was moved by 6 hours.').waitFor()
  await expect.poll(async () => Number.parseFloat((await rate(page, 'Opening rate'))!)).toBeGreaterThan(5)
  await expect.poll(() => drawn(page)).toBeGreaterThan(before + 5)
  await page.getByText('By 2026-11-01 16:00:00').waitFor()

  // Somebody else moves it: a test, say.
  await stage.control('POST', '/spaces/demo%2Badvancing/clock', { advance: '2d' })
  // The chart ends when nearly all that react have done so.
  await page.getByText('By 2026-11-02 10:00:00').waitFor()
  expect(await page.evaluate(() => document.body.dataset.marked)).toBe('yes')
})

test('figures grow by themselves while the clock runs', async () => {
  const page = await openReport('running')
  await stage.control('POST', '/spaces/demo%2Brunning/clock', { rate: 3_600 })
  await stage.control('POST', '/spaces/demo%2Brunning/clock', { resume: true })
  const opened = async () => Number.parseFloat((await rate(page, 'Opening rate'))!)
  await expect.poll(opened).toBeGreaterThan(0)
  const seen = await opened()
  await expect.poll(opened).toBeGreaterThan(seen)
})

test.each([360, 900])('labels of the time axis do not touch each other, %i px wide', async width => {
  const { id } = await send(`axis-${width}`)
  await stage.control('POST', `/spaces/demo%2Baxis-${width}/clock`, { advance: '6d' })
  const page = await stage.open(`/_mock/spaces/demo%2Baxis-${width}/sendings/${id}/report`, { width })
  const labels = await page
    .locator('.chart text[y="212"]')
    .evaluateAll(all => all.map(it => it.getBoundingClientRect().toJSON() as DOMRect))
  expect(labels).toHaveLength(3)
  for (const [at, { left }] of labels.slice(1).entries()) expect(left - labels[at]!.right).toBeGreaterThan(6)
})

test('the table says what the chart shows, and stays open', async () => {
  const page = await openReport('table')
  await stage.control('POST', '/spaces/demo%2Btable/clock', { advance: '5h' })
  await page.getByText('As a table').click()
  await page.getByRole('row', { name: /^2026-11-01 15:00:00/ }).waitFor()
  await stage.control('POST', '/spaces/demo%2Btable/clock', { advance: '30m' })
  await page.getByRole('row', { name: /^2026-11-01 15:30:00/ }).waitFor()
})

test('a scheduled sending starts when the clock is moved to its start', async () => {
  const page = await openReport('scheduled', { scheduleDate: '2026-11-05T08:00:00Z' })
  await page.getByText('It has not started yet').waitFor()
  expect(await page.getByText('All figures').count()).toBe(0)
  await page.getByRole('button', { name: 'Move the clock to its start' }).click()
  await page.getByText('Opening rate').first().waitFor()
  await page.getByText('By 2026-11-05 08:00:00').waitFor()
})

test('the chart follows the scheme', async () => {
  const page = await openReport('scheme')
  await stage.control('POST', '/spaces/demo%2Bscheme/clock', { advance: '5h' })
  const colour = () => page.locator('.chart .line-opened').evaluate(it => getComputedStyle(it).stroke)
  const light = await colour()
  await page.emulateMedia({ colorScheme: 'dark' })
  await expect.poll(colour).not.toBe(light)
})

test.each([
  ['before it starts', { scheduleDate: '2026-11-05T08:00:00Z' }, undefined],
  ['half a day after its start', {}, '12h'],
])('holds in every view, %s', async (when, body, advance) => {
  const story = `views-${advance ?? 'none'}`
  const page = await openReport(story, body)
  if (advance) {
    await stage.control('POST', `/spaces/demo%2B${story}/clock`, { advance })
    await page.getByText('By 2026-11-01 22:00:00').waitFor()
    await page.getByText('As a table').click()
  }
  await holdsInEveryView(page, `report ${when}`)
})
