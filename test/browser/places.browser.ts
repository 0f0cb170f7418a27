import type { Locator } from 'playwright-core'
import { expect, test } from 'vitest'
import { ids, synchronizationPath } from '../mock.ts'
import { useStage } from './stage.ts'

/** Things stand where one looks for them, and stay there. */

const stage = useStage()

const narrow = { width: 360 }
const boxOf = async (it: Locator) => (await it.boundingBox())!
const begin = (story: string) => stage.control('PUT', `/spaces/demo%2B${story}`)

test('the head of a page takes less than 130 px on a telephone with all tabs, and one line more for a scenario, whose name is whole', async () => {
  await begin('tabs')
  const page = await stage.open('/_mock/spaces/demo%2Btabs', narrow)
  for (const name of ['Requests', 'Clock', 'Connect', 'Settings']) {
    await page.getByRole('link', { name, exact: true }).click()
    await page.getByRole('heading', { level: 1, name }).waitFor()
    await page.locator('#live-state[data-state=live]').waitFor()
    expect((await boxOf(page.locator('main'))).y).toBeLessThan(130)
    for (const tab of await page.locator('.tabs a').all()) {
      const { x, width } = await boxOf(tab)
      expect(x).toBeGreaterThanOrEqual(0)
      expect(x + width).toBeLessThanOrEqual(360)
    }
  }
  await stage.control('PUT', '/spaces/demo%2Btabs/scenario', { name: 'unavailable-retry-after-two-minutes' })
  const chip = page.locator('.space-scenario .chip')
  await chip.waitFor()
  expect(await chip.evaluate(it => it.scrollWidth - it.clientWidth)).toBe(0)
  expect((await boxOf(page.locator('main'))).y).toBeLessThan(155)
})

test('the verdict below a heading keeps its distance from what follows', async () => {
  await stage.as('demo+distance').get('/synchronizations')
  // No verdict, however short, has room beside this heading.
  const page = await stage.open('/_mock/spaces/demo%2Bdistance/clock', { width: 160 })
  const heading = await boxOf(page.locator('h1'))
  const verdict = await boxOf(page.locator('#glance'))
  const card = await boxOf(page.locator('.card').first())
  expect(verdict.y).toBeGreaterThan(heading.y + heading.height)
  expect(card.y - verdict.y - verdict.height).toBeGreaterThanOrEqual(8)
})

test('what is told of a button moves nothing', async () => {
  await begin('told')
  const page = await stage.open('/_mock/spaces/demo%2Btold/clock', narrow)
  const card = page.locator('.card', { hasText: 'Change' })
  const before = await boxOf(card)
  await page.getByRole('button', { name: '1 day: move the clock ahead' }).click()
  await page.getByText('The clock was moved by 1 day.').waitFor()
  // The letters in the head may differ by a part of a pixel.
  const after = await boxOf(card)
  for (const side of ['x', 'y', 'width', 'height'] as const)
    expect(Math.abs(after[side] - before[side]), side).toBeLessThan(1)
})

test('the head is as high before the page is connected as after it', async () => {
  await begin('connected')
  const headOf = async (scripts: boolean) => {
    const page = await stage.open('/_mock/spaces/demo%2Bconnected/clock', { ...narrow, scripts })
    if (scripts) await page.getByText('live', { exact: true }).waitFor()
    return boxOf(page.locator('header.top'))
  }
  expect(await headOf(true)).toEqual(await headOf(false))
})

test('fields and buttons of a form are equally high', async () => {
  await begin('heights')
  const page = await stage.open('/_mock/spaces/demo%2Bheights/clock')
  const heights = await Promise.all(
    (await page.locator('.clock-forms :is(input, button)').all()).map(async it => (await boxOf(it)).height),
  )
  expect(heights.length).toBe(6)
  expect(new Set(heights).size).toBe(1)
})

test.each([360, 900])('a filter and its button are in one line, %i px wide', async width => {
  await begin('filter')
  const page = await stage.open('/_mock/spaces/demo%2Bfilter', { width })
  const field = await boxOf(page.getByLabel('Scenario'))
  const button = await boxOf(page.getByRole('button', { name: 'Filter' }))
  expect(Math.abs(field.y - button.y)).toBeLessThan(2)
})

test('tables of mailings and sendings are read without going sideways', async () => {
  await begin('tables')
  const page = await stage.open('/_mock/spaces/demo%2Btables/mailings', narrow)
  const sideways = () =>
    page.locator('section.scroll').evaluateAll(all => all.map(it => it.scrollWidth - it.clientWidth))
  expect(await sideways()).toEqual([0])
  await page.getByRole('link', { name: 'Winter service week' }).click()
  await page.getByRole('heading', { level: 1, name: 'Winter service week' }).waitFor()
  expect(await sideways()).toEqual([0])
})

test('the path of an operation leaves room for what stands beside it', async () => {
  const page = await stage.open('/_mock/docs/createSending', narrow)
  const { height } = await boxOf(page.getByRole('link', { name: 'Try it' }))
  expect(height).toBeLessThan(30)
})

test('an empty transaction ID can be seen', async () => {
  const body = { transactionId: '' }
  const refused = await stage.as('demo+blank').post(synchronizationPath(ids.ready, '/sendings'), body)
  expect(refused.status).toBe(400)
  const page = await stage.open('/_mock/spaces/demo%2Bblank')
  const shown = () => page.locator('main code:empty').evaluate(it => getComputedStyle(it, '::before').content)
  expect(await shown()).toBe('"empty"')
  await page.getByRole('link', { name: 'Sendings' }).click()
  await page.locator('.lane-name').waitFor()
  expect(await shown()).toBe('"empty"')
})

test('without scripts nothing is offered that would do nothing', async () => {
  await begin('plain')
  const page = await stage.open('/_mock/spaces/demo%2Bplain/data', { scripts: false })
  await page.getByText('Your browser runs no scripts here').waitFor()
  await page.getByText('Reset…').click()
  expect(await page.locator('[data-call]').count()).toBeGreaterThan(0)
  expect(await page.locator('[data-call]:visible').count()).toBe(0)
  await page.getByRole('link', { name: 'Connect' }).click()
  await page.getByRole('heading', { name: 'Connect a client' }).waitFor()
  expect(await page.locator('[data-copy]').count()).toBeGreaterThan(0)
  expect(await page.locator('[data-copy]:visible').count()).toBe(0)
  expect(await page.getByRole('button', { name: 'Open this copy' }).count()).toBe(0)
  await page.getByRole('link', { name: 'Scenario', exact: true }).click()
  await page.getByRole('heading', { name: 'Write one' }).waitFor()
  expect(await page.getByRole('button', { name: /Edit|Activate|Start afresh/ }).count()).toBe(0)
})

test('a click before the scripts of a page are there is not lost', async () => {
  await begin('early')
  const page = await stage.open('/_mock/spaces/demo%2Bearly')
  let clicked: Promise<void> | undefined
  // They come a second later, or once a click was lost.
  await page.route('**/browser/calls.js', async route => {
    await Promise.race([clicked, new Promise(done => setTimeout(done, 1_000))])
    await route.continue()
  })
  await page.goto('/_mock/spaces/demo%2Bearly/clock', { waitUntil: 'commit' })
  clicked = page.getByRole('button', { name: '1 day: move the clock ahead' }).click()
  await clicked
  await page.getByText('The clock was moved by 1 day.').waitFor()
})
