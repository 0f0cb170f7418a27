import type { Page } from 'playwright-core'
import { beforeEach, expect, test } from 'vitest'
import { ids, synchronizationPath } from '../mock.ts'
import { fitsWidth } from './fitting.ts'
import { walk } from './keyboard.ts'
import { useStage } from './stage.ts'
import { holdsInEveryView } from './views.ts'

const stage = useStage()

const sendings = synchronizationPath(ids.ready, '/sendings')
const row = (page: Page, space: string) =>
  page.locator('#spaces tbody tr').filter({ has: page.getByRole('link', { name: space, exact: true }) })
const isLive = (page: Page) => page.locator('#live-state', { hasText: 'live' }).waitFor()

/** No private spaces, and nothing asked yet. */
beforeEach(() => stage.control('POST', '/reset'))

test('it says how to begin, and shows a space as soon as somebody works in it', async () => {
  const page = await stage.open('/')
  expect(page.url()).toBe(`${stage.url}/_mock`)
  await page.getByText('No requests yet').waitFor()
  expect(await page.locator('#spaces pre').textContent()).toMatch(/^curl .*-u demo:demo .*\/sendings/)
  await isLive(page)
  await holdsInEveryView(page, 'dashboard, nobody')
  await page.evaluate(() => Object.assign(window, { isTheSame: true }))

  await stage.as('demo+newcomer').post(sendings, { transactionId: 'first' })

  await row(page, 'demo+newcomer').getByText('201').waitFor()
  expect((await row(page, 'demo+newcomer').innerText()).replaceAll(/\s+/g, ' ')).toMatch(
    / innocent 1 1 201 CREATED createSending /,
  )
  await expect.poll(() => page.getByText('No requests yet').count()).toBe(0)
  expect(await page.evaluate(() => 'isTheSame' in window)).toBe(true)

  await row(page, 'demo+newcomer').getByRole('link').click()
  await page.getByRole('link', { name: 'createSending' }).waitFor()
})

test('what is turned in a space stands in its row at once', async () => {
  await stage.control('PUT', '/spaces/demo%2Bturned')
  const page = await stage.open('/_mock')
  await isLive(page)
  const turned = row(page, 'demo+turned')
  await stage.control('PUT', '/spaces/demo%2Bturned/scenario', { name: 'failed-once' })
  await turned.getByText('failed-once').waitFor()
  await stage.control('POST', '/spaces/demo%2Bturned/clock', { set: '2031-05-06T07:08:09Z', freeze: true })
  await turned.getByText('frozen').waitFor()
  await turned.getByTitle('At 2031-05-06 07:08:09').waitFor()
  await stage.control('DELETE', '/spaces/demo%2Bturned')
  await expect.poll(() => turned.count()).toBe(0)
})

test('somebody removes all private spaces, after a second thought', async () => {
  await stage.as('demo+unwanted').post(sendings, { transactionId: 'a' })
  const page = await stage.open('/_mock')
  await isLive(page)
  const button = page.getByRole('button', { name: 'Remove all private spaces' })
  expect(await button.isVisible()).toBe(false)
  await page.getByText('Remove private spaces…').click()
  await holdsInEveryView(page, 'dashboard, removal')
  await button.click()
  await page.getByText('All private spaces are removed.').waitFor()
  await expect.poll(() => row(page, 'demo+unwanted').count()).toBe(0)
})

test('the link of a verdict opens the requests with wrong credentials', async () => {
  await fetch(stage.url + sendings, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa('demo:guess')}` },
  })
  const page = await stage.open('/_mock/spaces/demo/verdict')
  await page.getByRole('link', { name: 'Requests with wrong credentials' }).click()
  await page.locator('#turned-away').getByText(`POST ${sendings}`).first().waitFor()
})

test('hundreds of spaces are shown in part, and found by name', async () => {
  for (let n = 1; n <= 120; n++) await stage.control('PUT', `/spaces/demo%2Bmany-${n}`)
  await stage.as('demo+many-77').post(sendings, { transactionId: 'here' })
  const page = await stage.open('/_mock')
  await row(page, 'demo+many-77').waitFor()
  const rows = page.locator('#spaces tbody tr')
  expect(await rows.count()).toBe(100)
  await page.getByText(/The 100 used last of 1\d\d/).waitFor()
  await page.getByLabel('Name', { exact: true }).pressSequentially('many-11')
  await expect.poll(() => rows.count()).toBe(11)
  expect(new URL(page.url()).searchParams.get('name')).toBe('many-11')
  await page.getByLabel('Name', { exact: true }).fill('no such space')
  await page.getByText('No open space has this in its name').waitFor()
})

test('a path of any length, and trouble of every kind, fit into a row', async () => {
  await stage
    .as('demo+long')
    .post(sendings, { transactionId: 'mock:reset-after:x' })
    .catch(() => undefined)
  await stage.as('demo+long').post(sendings, { transactionId: 'another' })
  await stage.as('demo+long').get(`/integrations/mailing-platform/${'%3Cimg%20src%3Dx'.repeat(8)}`)
  const page = await stage.open('/_mock')
  await row(page, 'demo+long').getByText('404').waitFor()
  await row(page, 'demo+long').getByText('suspected').waitFor()
  for (const width of [360, 700, 900, 1160, 1300, 1440]) {
    await page.setViewportSize({ width, height: 900 })
    await fitsWidth(page)
  }
})

test('it holds in every view, for a keyboard, and without scripts', async () => {
  await stage.as('demo+views').post(sendings, { transactionId: 'views' })
  await stage.control('PUT', '/spaces/demo%2Bviews/scenario', { name: 'failed-once' })
  await stage.control('POST', '/spaces/demo%2Bviews/clock', { rate: 60 })
  const page = await stage.open('/_mock')
  await isLive(page)
  await holdsInEveryView(page, 'dashboard')
  const stops = await walk(page)
  expect(stops[0]).toMatchObject({ name: 'Skip to the content' })
  expect(stops.filter(({ isSeen, name }) => !isSeen || name === '')).toEqual([])
  expect(stops.map(({ name }) => name)).toEqual(expect.arrayContaining(['demo', 'demo+views']))

  const plain = await stage.open('/_mock', { scripts: false })
  await row(plain, 'demo+views').getByText('failed-once').waitFor()
  await plain.getByLabel('Order').selectOption('by name')
  await plain.getByRole('button', { name: 'Find' }).click()
  await plain.waitForURL(/order=name/)
})

test("a test's name breaks between its words, and the scenario beside it is whole", async () => {
  const words = 'CheckoutServiceIntegrationTest.sendsTheNewsletterOnceEvenIfTheConnectionBreaks'
  await stage.as(`demo+${words}`).post(sendings, { transactionId: 'one' })
  await stage.control('PUT', `/spaces/demo%2B${words}/scenario`, {
    name: 'unavailable-retry-after-two-minutes',
  })
  for (const width of [1280, 1440]) {
    const page = await stage.open(`/_mock?name=${words.toLowerCase()}`, { width })
    const link = page.locator('#spaces td.what a')
    await link.waitFor()
    const lines = await link.evaluate(it => {
      const lines: string[] = []
      let bottom = 0
      for (const node of it.childNodes) {
        if (node.nodeType !== Node.TEXT_NODE) continue
        const range = document.createRange()
        range.selectNode(node)
        const boxes = [...range.getClientRects()]
        if (boxes.length !== 1) return ['a word is broken']
        if (boxes[0]!.bottom > bottom + 4) lines.push('')
        bottom = boxes[0]!.bottom
        lines.push(lines.pop() + String(node.textContent))
      }
      return lines
    })
    expect(lines.join('')).toBe(`demo+${words}`)
    expect(lines.length).toBeLessThanOrEqual(3)
    const chip = page.locator('#spaces .by .chip')
    expect(await chip.evaluate(it => it.scrollWidth <= it.clientWidth + 1)).toBe(true)
  }
})

test('harm stands first, is counted and can be chosen, and long names stay whole', async () => {
  const long = `demo+newsletter-${'long-'.repeat(7)}name`
  await stage.as('demo+harmless').post(sendings, { transactionId: 'one' })
  await stage.as(long).post(sendings, { transactionId: 'mock:indeterminate-sent:one' })
  for (const id of ['mock:error-500-after:run-1', 'run-2'])
    await stage.as('demo+harmed').post(sendings, { transactionId: id })
  await stage.as('demo+harmless').post(sendings, { transactionId: 'one' })
  await stage.control('PUT', '/spaces/demo%2Bharmless/scenario', {
    name: 'unavailable-retry-after-two-minutes',
  })
  const page = await stage.open('/_mock', { width: 1280 })
  const names = () => page.locator('#spaces td.what a').allTextContents()
  await row(page, 'demo+harmed').getByText('sent twice').waitFor()
  expect((await names())[0]).toBe('demo+harmed')
  expect(await row(page, long).innerText()).toContain('INDETERMINATE_FAILURE')
  await holdsInEveryView(page, 'dashboard, harm')
  for (const width of [1280, 1440]) {
    await page.setViewportSize({ width, height: 900 })
    for (const part of [
      row(page, long).getByRole('link', { name: long }),
      row(page, long).getByText('INDETERMINATE_FAILURE'),
    ])
      expect(await part.evaluate(it => it.scrollWidth <= it.clientWidth + 1 || it.clientWidth === 0)).toBe(
        true,
      )
  }
  await page.getByRole('link', { name: 'Space', exact: true }).click()
  await expect.poll(names).toEqual(['demo', 'demo+harmed', 'demo+harmless', long])
  expect(await page.getByLabel('Order').inputValue()).toBe('name')
  await page.getByText('1 of 4 spaces where something').getByRole('link').click()
  await expect.poll(names).toEqual(['demo+harmed'])
  await page.getByLabel('Show').selectOption('all')
  await page.getByLabel('Order').selectOption('by name')
  await expect.poll(names).toEqual(['demo', 'demo+harmed', 'demo+harmless', long])
})
