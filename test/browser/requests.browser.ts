import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { ids, synchronizationPath } from '../mock.ts'
import { fitsWidth } from './fitting.ts'
import { walk } from './keyboard.ts'
import { useStage } from './stage.ts'
import { holdsInEveryView } from './views.ts'

const stage = useStage(['--journal', '5000'])

const sendings = synchronizationPath(ids.ready, '/sendings')
/** A private space of space demo, as its user finds it. */
const fresh = async (name: string) => {
  await stage.control('PUT', `/spaces/${encodeURIComponent(name)}`)
  return pageOf(name)
}
const pageOf = (space: string, rest = '') => `/_mock/spaces/${encodeURIComponent(space)}${rest}`
const send = (space: string, transactionId: string) => stage.as(space).post(sendings, { transactionId })
const rows = (page: Page) => page.locator('#requests tbody tr')
const row = (page: Page, transactionId: string) => rows(page).filter({ hasText: transactionId })
/** Until the page hears what happens; what happens earlier is on it anyway. */
const isLive = (page: Page) => page.locator('#live-state', { hasText: 'live' }).waitFor()

describe('the requests of a space', () => {
  test('an empty space says how to make a first request, and the request then appears without a reload', async () => {
    const page = await stage.open(await fresh('demo+appears'))
    await page.getByText('No requests yet').waitFor()
    expect(await page.locator('#requests pre').textContent()).toMatch(/^curl .*demo\+appears.*\/sendings/)
    await isLive(page)
    await holdsInEveryView(page, 'requests, none')
    await page.evaluate(() => Object.assign(window, { isTheSame: true }))

    await send('demo+appears', 'seen-at-once')

    await row(page, 'seen-at-once').getByText('CREATED').waitFor()
    expect(await row(page, 'seen-at-once').innerText()).toMatch(/createSending[\s\S]*201/)
    expect(await rows(page).count()).toBe(1)
    expect(await page.getByText('No requests yet').count()).toBe(0)
    expect(await page.locator('#glance').innerText()).toMatch(/1\s*request[\s\S]*1\s*sent/)
    expect(await page.evaluate(() => 'isTheSame' in window)).toBe(true)
  })

  test('a lost answer stands there as what was told, and as what is true', async () => {
    const page = await stage.open(await fresh('demo+lost'))
    await isLive(page)
    await stage.control('POST', '/spaces/demo%2Blost/faults', {
      on: 'createSending',
      phase: 'after',
      answer: { fault: 'close' },
    })
    await send('demo+lost', 'lost-answer').catch(() => 'no answer, as it was to be')
    const lost = row(page, 'lost-answer')
    await lost.getByText('sent').waitFor()
    await lost.getByRole('link', { name: 'createSending' }).click()
    await page.getByRole('heading', { name: 'Explained' }).waitFor()
    expect(await page.locator('.explained').innerText()).toContain('What truly happened')
    await holdsInEveryView(page, 'request, answer lost')
  })

  test('each opens with its explanation, its answer laid out, and links that can be followed', async () => {
    const made = await send('demo+opens', 'to-be-opened')
    const page = await stage.open(pageOf('demo+opens'))
    await row(page, 'to-be-opened').getByRole('link', { name: 'createSending' }).click()
    await page.getByRole('heading', { name: 'createSending', level: 1 }).waitFor()
    await page.getByRole('heading', { name: 'Explained' }).waitFor()
    const self = page.locator('pre.json').getByRole('link', { name: made._links.self.href, exact: true })
    const reference = (await self.first().getAttribute('href'))!
    expect(await page.getByRole('button', { name: 'Copy as curl' }).getAttribute('data-copy')).toContain(
      'to-be-opened',
    )
    await holdsInEveryView(page, 'request')

    // A browser cannot open what asks for a password: the reference asks for it with everything filled in.
    await page.goto(reference)
    await page.getByRole('button', { name: 'Send' }).click()
    await page.locator('[data-body]', { hasText: `"id": "${made.id}"` }).waitFor()
    expect(await page.getByLabel('User', { exact: true }).inputValue()).toBe('demo+opens')
  })

  test('a filter narrows them as somebody types, stands in the address, and holds for what comes later', async () => {
    await send('demo+filter', 'apple-1')
    await send('demo+filter', 'pear-1')
    const page = await stage.open(pageOf('demo+filter'))
    await isLive(page)
    const field = page.getByLabel('Transaction ID')
    await field.pressSequentially('apple*')
    await expect.poll(() => rows(page).count()).toBe(1)
    expect(await row(page, 'apple-1').count()).toBe(1)
    expect(new URL(page.url()).searchParams.get('transactionId')).toBe('apple*')

    await send('demo+filter', 'pear-2')
    await send('demo+filter', 'apple-2')
    await row(page, 'apple-2').waitFor()
    expect(await rows(page).count()).toBe(2)
    expect(await field.inputValue()).toBe('apple*')
    expect(await field.evaluate(it => it === document.activeElement)).toBe(true)
    await holdsInEveryView(page, 'requests, filtered')

    await page.reload()
    expect(await rows(page).count()).toBe(2)
    await field.fill('plum')
    await page.getByText('No request is like that').waitFor()
    await page.getByRole('link', { name: 'Show all' }).click()
    await expect.poll(() => rows(page).count()).toBe(4)
  })

  test('Escape on a request opened from a filtered list leads back to the filter and to the row', async () => {
    await send('demo+return', 'fig-1')
    await send('demo+return', 'kiwi-1')
    const page = await stage.open(pageOf('demo+return', '/requests?transactionId=fig*'))
    await isLive(page)
    await page.keyboard.press('?')
    await page.getByText('/ search or filter').waitFor()
    await page.keyboard.press('j')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Explained' }).waitFor()
    await isLive(page)
    await page.keyboard.press('Escape')
    await page.getByRole('heading', { name: 'Requests', level: 1 }).waitFor()
    expect(new URL(page.url()).searchParams.get('transactionId')).toBe('fig*')
    await page.locator('tbody a:focus', { hasText: 'createSending' }).waitFor()
  })

  test('going back leads to before the filter, not through its letters', async () => {
    await send('demo+history', 'plum-1')
    const page = await stage.open(pageOf('demo+history', '/verdict'))
    await page.getByRole('link', { name: 'Requests', exact: true }).click()
    await isLive(page)
    const before = await page.evaluate(() => history.length)
    const field = page.getByLabel('Transaction ID')
    for (const text of ['p', 'pl', 'plum*']) {
      await field.fill(text)
      await expect.poll(() => new URL(page.url()).searchParams.get('transactionId')).toBe(text)
    }
    expect(await page.evaluate(() => history.length)).toBe(before)
    await page.goBack()
    await page.getByRole('heading', { name: 'Verdict', level: 1 }).waitFor()
  })

  test('a filter that gets no answer, or a refusal, says so until it gets one', async () => {
    await send('demo+silence', 'plum-1')
    const page = await stage.open(pageOf('demo+silence'), {
      expects: [/ERR_FAILED/, /htmx:error/, /status of 400/],
    })
    await isLive(page)
    const said = page.locator('#told')
    await page.route('**/requests?*', route => route.abort())
    await page.getByLabel('Transaction ID').fill('plum*')
    await said.getByText('The list is not filtered: the mock did not answer').waitFor()
    await page.unroute('**/requests?*')
    // The next answer of whatever kind takes the note away, and the list is filtered after all.
    await send('demo+silence', 'pear-1')
    await expect.poll(() => said.textContent()).toBe('')
    expect(new URL(page.url()).searchParams.get('transactionId')).toBe('plum*')
    await expect.poll(() => page.locator('#requests tbody tr').count()).toBe(1)
    await page.getByLabel('Status').fill('9')
    await said.getByText(/The list is not filtered: .*status/).waitFor()
  })

  test('what somebody has focused, selected and scrolled to stays while more requests come', async () => {
    for (let n = 1; n <= 40; n++) await send('demo+steady', `earlier-${n}`)
    const page = await stage.open(pageOf('demo+steady'))
    await isLive(page)
    const link = row(page, 'earlier-20').getByRole('link')
    await link.focus()
    await page.evaluate(() => {
      const [cell] = [...document.querySelectorAll('td')].filter(it => it.innerText === 'earlier-20')
      getSelection()!.selectAllChildren(cell!)
    })
    await send('demo+steady', 'one-more')
    await row(page, 'one-more').waitFor()
    expect(await page.evaluate(() => getSelection()!.toString())).toBe('earlier-20')
    expect(await link.evaluate(it => it === document.activeElement)).toBe(true)
  })

  test('thousands of them neither fill the page nor hold it up while they come', async () => {
    const page = await stage.open(await fresh('demo+thousands'))
    await isLive(page)
    let asked = 0
    page.on('request', request => {
      if (request.url() === page.url() && request.resourceType() === 'fetch') asked++
    })
    await page.evaluate(() => {
      const kept = { longest: 0 }
      Object.assign(window, { kept })
      new PerformanceObserver(list => {
        for (const { duration } of list.getEntries()) kept.longest = Math.max(kept.longest, duration)
      }).observe({ type: 'longtask' })
    })
    const began = performance.now()
    // So many at a time that none of those that come together is on another page than the others: their order is open.
    for (let n = 0; n < 2_000; n += 25)
      await Promise.all(
        Array.from({ length: 25 }, (_, at) => stage.as('demo+thousands').get(`${sendings}/${n + at}`)),
      )
    const last = `${sendings}/1999`
    await rows(page).locator(`[title="${last}"]`).waitFor()
    const took = performance.now() - began
    await expect.poll(() => page.locator('#requests nav').innerText()).toContain('50 of 2000')
    expect(await rows(page).count()).toBe(50)
    expect(await page.locator('*').count()).toBeLessThan(2_500)
    // At most four times a second, and once when the stream began.
    expect(asked).toBeLessThanOrEqual(Math.ceil(took / 250) + 2)
    // What one notices as lag begins far below; a machine that does much else at the same time needs room.
    expect(
      await page.evaluate(() => (window as unknown as { kept: { longest: number } }).kept.longest),
    ).toBeLessThan(1_000)

    await page.getByRole('link', { name: 'Older' }).click()
    await rows(page).locator(`[title="${sendings}/1949"]`).waitFor()
    expect(await rows(page).count()).toBe(50)
    await page.getByRole('link', { name: 'Newest' }).click()
    await rows(page).locator(`[title="${last}"]`).waitFor()
  })

  test('somebody with a keyboard skips to the content, walks through it and opens a request', async () => {
    await send('demo+keys', 'by-keyboard')
    const page = await stage.open(pageOf('demo+keys'))
    await isLive(page)
    const stops = await walk(page)
    expect(stops[0]).toMatchObject({ name: 'Skip to the content' })
    expect(stops.filter(({ isSeen }) => !isSeen)).toEqual([])
    expect(stops.filter(({ name }) => name === '')).toEqual([])
    expect(stops.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['Requests', 'Sendings', 'Transaction ID', 'Filter', 'createSending']),
    )

    await page.reload()
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('main')
    const link = row(page, 'by-keyboard').getByRole('link')
    for (let n = 0; n < stops.length && !(await link.evaluate(it => it === document.activeElement)); n++)
      await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'createSending', level: 1 }).waitFor()
  })
})

test('a screen shows twenty-five requests, each in one line, and marks those that broke a rule', async () => {
  const ids = Array.from({ length: 30 }, () => crypto.randomUUID())
  for (const transactionId of ids)
    await stage.as('demo+dense').post(sendings, { transactionId, subject: transactionId })
  await stage.as('demo+dense').post(sendings, { transactionId: 'not well formed' })
  for (const width of [1280, 1440]) {
    const page = await stage.open('/_mock/spaces/demo%2Bdense', { width })
    const rows = page.locator('#requests tbody tr')
    await expect.poll(() => rows.count()).toBe(31)
    const bottoms = await rows.evaluateAll(all => all.map(it => it.getBoundingClientRect().bottom))
    expect(bottoms.filter(bottom => bottom <= 900).length).toBeGreaterThanOrEqual(25)
    await rows.nth(0).getByText('R20').waitFor()
    expect(await rows.nth(1).innerText()).toContain(ids.at(-1)!.replace(/^(.{4}).*(.{4})$/, '$1…$2'))
    expect(await rows.nth(1).innerText()).not.toContain(ids.at(-1))
    await holdsInEveryView(page, `requests, dense ${width}`)
  }
})

test('at 1366 px thirty requests are on the screen from r100 on, with IDs and reasons on one line', async () => {
  const space = 'demo+hundreds'
  for (let n = 0; n < 120; n++) await send(space, `newsletter-2026-11-24-${n}`)
  await stage.as(space).post(sendings, { transactionId: 'dated', scheduleDate: 'tomorrow' })
  const page = await stage.open(pageOf(space), { width: 1366 })
  await page.setViewportSize({ width: 1366, height: 1000 })
  await expect.poll(() => rows(page).count()).toBe(50)
  expect(await rows(page).first().locator('.count').innerText()).toBe('r120-121')
  const bottoms = await rows(page).evaluateAll(all => all.map(it => it.getBoundingClientRect().bottom))
  expect(bottoms.filter(bottom => bottom <= 1000).length).toBeGreaterThanOrEqual(30)
  const lines = (selector: string) =>
    page.locator(selector).evaluateAll(all =>
      all.map(it => {
        const range = document.createRange()
        range.selectNodeContents(it)
        return new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size
      }),
    )
  expect(new Set(await lines('#requests tbody .count'))).toEqual(new Set([1]))
  expect(await lines('#requests .told-cell .chip')).not.toContain(2)
  const reason = page.locator('#requests .reason')
  expect(await reason.innerText()).toMatch(/, got "tomorrow"$/)
  expect(await reason.evaluate(it => it.scrollHeight - it.clientHeight)).toBeLessThanOrEqual(1)
  expect(await lines('#requests .reason')).toEqual([1])
  expect(await reason.getAttribute('title')).toBe(await reason.innerText())
  await page.setViewportSize({ width: 390, height: 844 })
  expect(new Set(await lines('#requests tbody .count'))).toEqual(new Set([1]))
})

test('at 1366 px a transaction ID and the name of an operation are whole beside refusals, findings and scenarios', async () => {
  const space = 'demo+beside'
  const scenarios = [{ 'x-mock-scenario': 'reset-after' }, { 'x-mock-scenario': 'failed-once' }, undefined]
  for (let n = 0; n < 12; n++)
    await stage
      .as(space)
      .post(sendings, { transactionId: `Mailing-2026-${1000 + n}` }, scenarios[n % 3])
      .catch(() => {})
  await stage.as(space).post(sendings, { transactionId: 'dated', scheduleDate: 'tomorrow' })
  await stage.as(space).get(sendings.replace('/sendings', ''))
  const page = await stage.open(pageOf(space), { width: 1366 })
  await expect.poll(() => rows(page).count()).toBe(14)
  const name = await row(page, 'getMailingSynchronization').locator('a').first().boundingBox()
  const cell = await row(page, 'getMailingSynchronization').locator('td.what').boundingBox()
  // Room for an ellipsis in place of what follows.
  expect(cell!.x + cell!.width - name!.x - name!.width).toBeGreaterThan(20)
  const cut = await page
    .locator('#requests .id-start')
    .evaluateAll(all =>
      all.filter(it => it.scrollWidth > it.clientWidth).map(it => it.parentElement!.textContent),
    )
  expect(cut).toEqual([])
  expect(await page.locator('#requests .id-start').count()).toBe(12)
})

test('at 1366 px the names of two clients are whole beside findings and scenarios', async () => {
  const space = 'demo+two-clients'
  const clients = ['shop-newsletter-sync/2.3', 'shop-batch/1.0']
  for (let n = 0; n < 6; n++)
    await stage
      .as(space)
      .post(
        sendings,
        { transactionId: `Mailing-2026-${1000 + n}` },
        { 'user-agent': clients[n % 2]!, ...(n < 3 && { 'x-mock-scenario': 'reset-after' }) },
      )
      .catch(() => {})
  const page = await stage.open(pageOf(space), { width: 1366 })
  await expect.poll(() => rows(page).count()).toBe(6)
  const cut = await page
    .locator('#requests :is(td.client, .id-start)')
    .evaluateAll(all => all.filter(it => it.scrollWidth > it.clientWidth).map(it => it.textContent))
  expect(cut).toEqual([])
  await holdsInEveryView(page, 'requests, two clients')
})

test.each([390, 1366])(
  'a path of any length that the service does not know has one line, %i px wide',
  async width => {
    const space = `demo+long-path-${width}`
    for (const path of ['short', `long/${'and-longer/'.repeat(40)}`]) await stage.as(space).get(`/${path}`)
    const page = await stage.open(pageOf(space), { width })
    await expect.poll(() => rows(page).count()).toBe(2)
    const heights = await page
      .locator('#requests td.what')
      .evaluateAll(cells => cells.map(it => Math.round(it.getBoundingClientRect().height)))
    expect(heights[0]).toBe(heights[1])
  },
)

test('at 1280 px the name of an operation is whole, an ID is cut in its middle, its button is whole, and no heading covers another', async () => {
  const id = 'newsletter-2026-11-24-group-5'
  for (const transactionId of [id, `${id}-second`, 'mock:close-after:third'])
    await stage
      .as('demo+cut')
      .post(sendings, { transactionId })
      .catch(() => {})
  await stage.as('demo+cut').get(sendings.replace('/sendings', ''))
  const page = await stage.open(pageOf('demo+cut'), { width: 1280 })
  await row(page, '-second').waitFor()
  // An ellipsis in place of what follows the name would cover its end.
  const name = await row(page, 'getMailingSynchronization').locator('a').first().boundingBox()
  const cell = await row(page, 'getMailingSynchronization').locator('td.what').boundingBox()
  expect(cell!.x + cell!.width - name!.x - name!.width).toBeGreaterThan(14)
  const wide = await page
    .locator('#requests th, #requests .transaction')
    .evaluateAll(cells => cells.filter(it => it.scrollWidth > it.clientWidth).map(it => it.textContent))
  expect(wide).toEqual([])
  const ends = await page.locator('.id-start').evaluateAll(all =>
    all.map(it => {
      const end = document.createRange()
      end.selectNode(it.nextSibling!)
      return end.getBoundingClientRect().right <= it.closest('td')!.getBoundingClientRect().right
    }),
  )
  expect(ends).toEqual([true, true, true])
})

test.each([
  ['sendings', '.lane-step'],
  ['platform', '.platform-cause a'],
])('j and k go through the rows of %s', async (tab, link) => {
  for (const transactionId of ['first', 'second'])
    await stage.as(`demo+keys-${tab}`).post(sendings, { transactionId })
  const page = await stage.open(`/_mock/spaces/demo%2Bkeys-${tab}/${tab}`)
  const at = () => page.locator(link).evaluateAll(all => all.indexOf(document.activeElement as HTMLElement))
  await page.locator(link).nth(1).waitFor()
  for (const [key, expected] of [
    ['j', 0],
    ['j', 1],
    ['k', 0],
  ] as const) {
    await page.keyboard.press(key)
    expect(await at(), key).toBe(expected)
  }
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { level: 1, name: 'createSending' }).waitFor()
})

test('keys lead to the filter, through the rows, and back to the list', async () => {
  for (const transactionId of ['first', 'second', 'third'])
    await stage.as('demo+keys').post(sendings, { transactionId })
  const page = await stage.open('/_mock/spaces/demo%2Bkeys')
  const focused = () =>
    page.evaluate(() => {
      const held = document.activeElement!
      return held.closest('tr')?.rowIndex ?? held.getAttribute('name')
    })
  await page.locator('#requests tbody tr').nth(2).waitFor()
  for (const [key, expected] of [
    ['/', 'transactionId'],
    ['Escape', null],
    ['j', 1],
    ['j', 2],
    ['k', 1],
  ] as const) {
    await page.keyboard.press(key)
    expect(await focused(), key).toBe(expected)
  }
  await page.keyboard.press('Enter')
  for (const [key, transactionId] of [
    [undefined, 'third'],
    ['j', 'second'],
    ['j', 'first'],
    ['k', 'second'],
  ] as const) {
    if (key) await page.keyboard.press(key)
    await page.getByText(`createSending with transactionId "${transactionId}"`).first().waitFor()
  }
  await page.keyboard.press('Escape')
  await page.getByRole('heading', { level: 1, name: 'Requests' }).waitFor()
})

test('many requests with long IDs and every kind of chip fit each width, and no chip is cut', async () => {
  const scenarios = ['indeterminate-sent', 'unavailable-retry-after-seconds', 'reset-after', 'failed-once']
  for (let at = 0; at < 60; at++)
    await stage
      .as('demo+wide')
      .post(
        sendings,
        { transactionId: `of-a-mailing-with-a-long-name-${at >> 1}` },
        { 'x-mock-scenario': scenarios[(at >> 1) % scenarios.length]! },
      )
      .catch(() => {})
  const page = await stage.open(pageOf('demo+wide', '/requests?limit=60'))
  await expect.poll(() => rows(page).count()).toBe(60)
  for (const address of [
    undefined,
    await rows(page).first().getByRole('link').first().getAttribute('href'),
  ]) {
    if (address) await page.goto(address)
    await page.locator('.requests tbody tr').first().waitFor()
    for (const width of [360, 900, 1140, 1180, 1200, 1240, 1280, 1300, 1366, 1440]) {
      await page.setViewportSize({ width, height: 900 })
      // As in a space that is used for days, on a slow machine; the page's own update may take it back.
      await page.locator('.requests tbody tr').evaluateAll(all => {
        for (const [at, it] of all.entries()) {
          it.querySelector('.count')!.textContent = `r${29_000 + at}-${49_000 + at}`
          it.querySelector('.took')!.textContent = `${900 + at} ms`
        }
      })
      await fitsWidth(page)
      const cut = await page
        .locator('.requests :is(.chip, .fit)')
        .evaluateAll(all => all.filter(it => it.scrollWidth > it.clientWidth + 1).map(it => it.textContent))
      expect(cut, `${width} px`).toEqual([])
    }
  }
})

test('at 1280 px what is true is whole, and a telephone shows the time of the clock and a low filter', async () => {
  for (const id of ['mock:error-500-after:run-1', 'run-2', 'mock:indeterminate-sent:run-3'])
    await stage.as('demo+whole').post(sendings, { transactionId: id })
  const page = await stage.open(pageOf('demo+whole'), { width: 1280 })
  await row(page, 'run-2').getByText('sent twice?').waitFor()
  const cut = await page
    .locator('#requests :is(.judged, .told-cell, .truth-cell)')
    .evaluateAll(cells => cells.filter(it => it.scrollWidth > it.clientWidth).map(it => it.textContent))
  expect(cut).toEqual([])

  const narrow = await stage.open(pageOf('demo+whole'), { width: 360 })
  const clock = narrow.locator('#space-clock')
  expect(await clock.innerText()).toMatch(/^\d\d:\d\d:\d\d$/)
  expect(await clock.evaluate(it => it.scrollWidth <= it.clientWidth)).toBe(true)
  expect((await narrow.locator('form.filter').boundingBox())!.height).toBeLessThan(130)
})
