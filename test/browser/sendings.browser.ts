import { Agent, request } from 'node:http'
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { basic, halType, ids, synchronizationPath } from '../mock.ts'
import { accessible } from './accessible.ts'
import { everyPayload, hostile } from './hostile.ts'
import { hostileFixture } from './hostile-space.ts'
import { walk } from './keyboard.ts'
import { useStage } from './stage.ts'
import { holdsInEveryView } from './views.ts'

const stage = useStage()

const path = synchronizationPath(ids.ready, '/sendings')
const pageOf = (space: string, rest = '/sendings') => `/_mock/spaces/${encodeURIComponent(space)}${rest}`
const send = (space: string, transactionId: string, headers = {}) =>
  stage
    .as(space)
    .post(path, { transactionId }, headers)
    .catch(() => 'no answer, as it was to be')
/** The same over a connection of the caller's choice. @throws never: a client that gives up has seen enough */
const over = (agent: Agent, space: string, transactionId: string, signal?: AbortSignal) =>
  new Promise<void>(resolve => {
    const headers = { authorization: basic(space), 'content-type': halType }
    request(new URL(path, stage.url), { agent, method: 'POST', headers, signal }, it =>
      it.resume().on('end', resolve),
    )
      .on('error', () => resolve())
      .end(JSON.stringify({ transactionId }))
  })
const lanes = (page: Page) => page.locator('.lane')
const lane = (page: Page, transactionId: string) => lanes(page).filter({ hasText: transactionId })
/** Until the page hears what happens; what happens earlier is on it anyway. */
const isLive = (page: Page) => page.locator('#live-state', { hasText: 'live' }).waitFor()

/** A space in which a client met with all kinds of trouble. */
async function troubled(space: string): Promise<void> {
  for (const id of ['calm-1', 'calm-2']) await send(space, id)
  for (const id of ['mock:reset-after:a', 'mock:reset-after:a']) await send(space, id)
  for (const id of ['mock:error-500-after:run-1', 'run-2']) await send(space, id)
  for (const id of ['mock:failed-once:f', 'mock:failed-once:g']) await send(space, id)
  for (const id of ['mock:indeterminate-sent:i', 'mock:indeterminate-sent:i']) await send(space, id)
  await send(space, 'mock:pending-then-created:p')
  await stage.control('POST', `/spaces/${encodeURIComponent(space)}/clock`, { advance: '4m50s' })
  await send(space, 'mock:pending-then-created:p')
  await stage.as(space).post(path, { transactionId: 'later', scheduleDate: '2035-01-01T08:00:00Z' })
  for (let n = 0; n < 30; n++) await send(space, 'mock:pending-for-ever:hot')
  await Promise.all(
    ['mock:slow-but-fine:s1', 'mock:slow-but-fine:s2', 'mock:slow-but-fine:s3'].map(id => send(space, id)),
  )
}

describe('the sendings of a space', () => {
  test('an empty space says how to make a first one, which then appears without a reload', async () => {
    await stage.control('PUT', '/spaces/demo%2Blanes')
    const page = await stage.open(pageOf('demo+lanes'))
    await page.getByText('No sendings yet').waitFor()
    await isLive(page)
    await holdsInEveryView(page, 'sendings, none')
    const search = page.locator('form.filter')
    expect(await search.isVisible()).toBe(false)
    await page.evaluate(() => Object.assign(window, { isTheSame: true }))

    await send('demo+lanes', 'seen-at-once')

    const row = page.getByRole('row', { name: /seen-at-once .*r0-1 201 CREATED sent/ })
    await row.waitFor()
    expect(await page.evaluate(() => 'isTheSame' in window)).toBe(true)
    await search.waitFor()
    await row.getByRole('link', { name: 'r0-1' }).click()
    await page.getByRole('heading', { name: 'createSending', level: 1 }).waitFor()
  })

  test('PENDING becomes CREATED before the eyes of whoever moves the clock', async () => {
    const space = 'demo+pending'
    const made = await stage.as(space).post(path, { transactionId: 'mock:pending-for-a-while:p' })
    const page = await stage.open(pageOf(space), { width: 1600 })
    await isLive(page)
    await lane(page, 'pending-for-a-while').getByRole('row', { name: '200 PENDING' }).waitFor()
    expect(await page.locator('.lane-outcome').innerText()).toMatch(/^not sent yet, due /)

    await stage.control('POST', '/spaces/demo%2Bpending/clock', { advance: '10m' })

    await page.locator('.lane-outcome', { hasText: /^sent$/ }).waitFor()
    await page.locator('.timeline').getByText('sent').waitFor()
    await stage.as(space).get(made._links.self.href)
    await page.getByRole('row', { name: /read the sending .*200 CREATED/ }).waitFor()
  })

  test('with all kinds of trouble holds in every view, as a table where there is room and stacked where there is none', async () => {
    await troubled('demo+trouble')
    const page = await stage.open(pageOf('demo+trouble'))
    await lane(page, 'calm-1').waitFor()
    await holdsInEveryView(page, 'sendings')
    const row = page.locator('.timeline tbody tr').first()
    const tops = async () =>
      new Set(
        await row
          .locator('td:not(:empty)')
          .evaluateAll(cells => cells.map(it => Math.round(it.getBoundingClientRect().top))),
      ).size
    for (const [width, isStacked] of [
      [1600, false],
      [900, true],
      [360, true],
    ] as const) {
      await page.setViewportSize({ width, height: 900 })
      expect((await tops()) > 1).toBe(isStacked)
      expect(await page.locator('.timeline .track-bar').first().isVisible()).toBe(true)
    }
  })

  test('no word in a lane is cut off, or stands over another', async () => {
    await troubled('demo+words')
    const page = await stage.open(pageOf('demo+words'), { width: 1600 })
    await lane(page, 'calm-1').waitFor()
    for (const width of [1600, 900, 360]) {
      await page.setViewportSize({ width, height: 900 })
      const { cut, over, count } = await page.evaluate(() => {
        const texts = [...document.querySelectorAll('.timeline :is(.chip, .lane-note, time)')].map(it => ({
          words: it.textContent,
          box: it.getBoundingClientRect(),
          cell: it.closest('td')!.getBoundingClientRect(),
        }))
        return {
          cut: texts.filter(({ box, cell }) => box.right > cell.right + 0.5).map(({ words }) => words),
          over: texts.flatMap(({ words, box }, at) =>
            texts
              .slice(at + 1)
              .filter(
                ({ box: other }) =>
                  box.left < other.right - 1 &&
                  other.left < box.right - 1 &&
                  box.top < other.bottom - 1 &&
                  other.top < box.bottom - 1,
              )
              .map(other => `${words} / ${other.words}`),
          ),
          count: texts.length,
        }
      })
      expect(count).toBeGreaterThan(40)
      expect({ width, cut, over }).toEqual({ width, cut: [], over: [] })
    }
  })

  test('at 900 px what was told and what is true stand on one line, each below that of the attempt before', async () => {
    await troubled('demo+beside')
    const page = await stage.open(pageOf('demo+beside'), { width: 900 })
    await lane(page, 'calm-1').waitFor()
    const places = await page.locator('.timeline tr.is-attempt').evaluateAll(rows =>
      rows.map(row => {
        const [told, truth] = ['.step-told', '.step-true'].map(it =>
          row.querySelector(it)!.getBoundingClientRect(),
        )
        return {
          isOnOneLine: told!.top === truth!.top,
          left: [told!.left, truth!.left].join(),
        }
      }),
    )
    expect(places.length).toBeGreaterThan(10)
    expect(places.filter(({ isOnOneLine }) => !isOnOneLine)).toEqual([])
    expect(new Set(places.map(({ left }) => left)).size).toBe(1)
  })

  test('a finding stands at its attempts, and leads to what it says and to its rule', async () => {
    for (const id of ['mock:error-500-after:run-1', 'run-2']) await send('demo+pinned', id)
    const page = await stage.open(pageOf('demo+pinned'), { width: 1600 })
    const pins = page.locator('.lane-pin', { hasText: 'R02 suspected' })
    expect(await pins.count()).toBe(2)
    await pins.first().click()
    await page.locator('.lane-findings li:target', { hasText: 'r0-1 with transactionId' }).waitFor()
    await page
      .getByRole('link', { name: 'New transactionId after an error or a timeout?', exact: true })
      .click()
    await page.locator('article:target h3', { hasText: 'R02' }).waitFor()
  })

  test('whoever is at an attempt stays there while others come', async () => {
    await send('demo+focus', 'first')
    const page = await stage.open(pageOf('demo+focus'))
    await isLive(page)
    const first = lane(page, 'first').getByRole('link', { name: 'r0-1' })
    await first.focus()
    await send('demo+focus', 'second')
    await lane(page, 'second').waitFor()
    expect(await first.evaluate(it => it === document.activeElement)).toBe(true)
  })

  test('a lane that parts in two is drawn as if the page were new', async () => {
    const space = 'demo+parts'
    // Nobody can say whether a client waited for a slow answer, so what it asks for next may be the same mailing. Once it
    // uses that connection again, it did wait, and they are two.
    await stage.control('PUT', '/spaces/demo%2Bparts/scenario', {
      rules: [{ on: 'createSending', steps: [{ delay: '400ms' }] }],
    })
    const connection = new Agent({ keepAlive: true, maxSockets: 1 })
    await over(connection, space, 'slow')
    await over(new Agent(), space, 'mock:indeterminate-sent:ind')
    const page = await stage.open(pageOf(space), { width: 1600 })
    await isLive(page)
    expect(await lanes(page).count()).toBe(1)
    const last = page.locator('a.lane-step').last()
    const href = await last.getAttribute('href')
    const lane1 = await lanes(page).first().getAttribute('id')
    await last.focus()

    const client = new AbortController()
    const hanging = over(connection, space, 'mock:hang-after:hang1', client.signal)
    await lane(page, 'hang1').waitFor()
    client.abort()
    await hanging
    await page.locator('.track-bar.aborted').waitFor({ state: 'attached' })
    expect(await lanes(page).count()).toBe(2)
    // Whoever was at an attempt that came to another lane is there still.
    expect(await page.locator(`#${lane1} a.lane-step[href="${href}"]`).count()).toBe(0)
    expect(await page.evaluate(() => document.activeElement?.getAttribute('href'))).toBe(href)

    const drawn = () =>
      page.locator('.track').evaluateAll(charts =>
        charts.map(chart => ({
          isSvg: chart instanceof SVGSVGElement,
          bars: [...chart.querySelectorAll('.track-bar')].map(it => it.getBoundingClientRect().width > 0),
        })),
      )
    const live = await drawn()
    await page.reload()
    expect(live).toEqual(await drawn())
    expect(live.flatMap(({ bars }) => bars)).toEqual([true, true])
  })

  test('an attempt is called what is to be read of it, whatever it met with', async () => {
    const space = 'demo+called'
    await stage.control('PUT', '/spaces/demo%2Bcalled')
    await stage.control('PUT', '/spaces/demo%2Bcalled/scenario', { name: 'pending-for-a-while' })
    for (const id of ['first', 'first', 'second']) await send(space, id)
    const page = await stage.open(pageOf(space), { width: 1600 })
    await lane(page, 'first')
      .getByRole('row', { name: /r\d+-1 ID A .*200 PENDING as told/ })
      .waitFor()
    await lane(page, 'first')
      .getByRole('row', { name: /r\d+-3 ID B / })
      .waitFor()
    await accessible(page)
  })

  test('what went out before the record is told in every view', async () => {
    const space = 'demo+before'
    await send(space, 'forgotten')
    await stage.control('DELETE', '/spaces/demo%2Bbefore/requests')
    await send(space, 'forgotten')
    const page = await stage.open(pageOf(space))
    await page.locator('.lane-outcome', { hasText: /sent before this record/ }).waitFor()
    await holdsInEveryView(page, 'sendings before the record')
  })

  test('the sendings of a space is gone through by keyboard, and each stop is seen', async () => {
    await send('demo+keys', 'plain')
    for (const id of ['mock:error-500-after:run-1', 'run-2']) await send('demo+keys', id)
    const page = await stage.open(pageOf('demo+keys'))
    const stops = await walk(page)
    expect(stops.filter(({ isSeen }) => !isSeen)).toEqual([])
    const names = stops.map(({ name }) => name)
    expect(new Set(names.filter(name => /^r\d+-\d+$/.test(name))).size).toBe(3)
    expect(names.filter(name => name === 'R02 suspected')).toHaveLength(2)
  })

  test('hundreds of undisturbed ones are looked through page by page, thirty on a screen', async () => {
    const space = 'demo+hundreds'
    for (let n = 0; n < 130; n++)
      await stage.as(space).post(path, { transactionId: `number-${n}`, subject: `Number ${n}` })
    const page = await stage.open(pageOf(space))
    expect(await lanes(page).count()).toBe(50)
    await page.getByRole('link', { name: 'Older' }).click()
    await page.getByText('Page 2 of 3').waitFor()
    await lane(page, 'number-79').waitFor()
    await page.setViewportSize({ width: 1366, height: 1000 })
    const bottoms = await lanes(page).evaluateAll(all => all.map(it => it.getBoundingClientRect().bottom))
    expect(bottoms.filter(bottom => bottom <= 1000).length).toBeGreaterThanOrEqual(30)
    // A box in the cell would be cut without an ellipsis.
    const [name, id] = await Promise.all(
      ['.mailing-cell', '.leads'].map(it => page.locator(`.calm-lanes tbody ${it}`).first().boundingBox()),
    )
    expect(name!.width).toBeGreaterThanOrEqual(id!.width)
    expect(
      await page
        .locator('.calm-lanes .mailing-cell a')
        .first()
        .evaluate(it => getComputedStyle(it).display),
    ).toBe('inline')
    await holdsInEveryView(page, 'sendings, undisturbed')
  })

  test('whatever a client sent is shown as text', async () => {
    const space = 'demo+hostile'
    await stage.control('PUT', '/spaces/demo%2Bhostile', { fixture: await hostileFixture() })
    // With a subject of its own, each is a mailing of its own.
    for (const { name, text } of hostile)
      await stage.as(space).post(path, { transactionId: text('transactionId'), subject: name })
    await stage.as(space).post(path, { transactionId: everyPayload('transactionId'), subject: 'all' })
    await stage.as(space).post(path, { subject: everyPayload('subject') })
    const page = await stage.open(pageOf(space))
    await page.getByText('All 20').waitFor()
    const words = await page.locator('main').textContent()
    for (const { name, text } of hostile) {
      const id = text('transactionId')
      // A long one is cut in its middle.
      const parts = id.length > 80 ? [id.slice(0, 56), id.slice(-24)] : [id]
      for (const part of parts) expect(words, name).toContain(part)
    }
    await holdsInEveryView(page, 'hostile sendings')
  })
})
