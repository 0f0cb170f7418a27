import { afterEach, describe, expect, it } from 'vitest'
import { buildSeries } from '../../src/pages/response-series.ts'
import { statisticsOf } from '../../src/service/sendings/statistics.ts'
import { ids, type Json, now, startMock, synchronizationPath } from '../mock.ts'
import { startTester, type Tester } from '../rig/control/tester.ts'
import { from, look, wordsOf } from './person.ts'

const started: Tester[] = []
afterEach(async () => {
  for (const tester of started.splice(0)) await tester.close()
})
async function start(...options: Parameters<typeof startTester>): Promise<Tester> {
  const tester = await startTester(...options)
  started.push(tester)
  return tester
}

const hour = 3_600_000
const thousands = (value: number) => value.toLocaleString('en')

/** Sends, and gives the sending with the path of its report. */
async function send(tester: Tester, body: object = {}, headers: Record<string, string> = {}) {
  const { json } = await tester.as('demo').post(synchronizationPath(ids.ready, '/sendings'), body, headers)
  return { json, report: `/spaces/demo/sendings/${json.id}/report` }
}
const figuresOf = async (tester: Tester, id: string): Promise<Json> =>
  (await tester.as('demo').get(synchronizationPath(ids.ready, `/sendings/${id}/statistics`))).json

describe('the report of a sending', () => {
  it.each(['5m', '3h', '2d'])(
    'the report of a sending shows every figure of the statistics resource, %s after its start',
    async advance => {
      const tester = await start()
      const { json, report } = await send(tester)
      await tester.post('/spaces/demo/clock', { advance })
      const { sendingStatistics: sent, responseStatistics: response } = await figuresOf(tester, json.id)
      const words = wordsOf(from(await look(tester, report), 'figures'))
      const percent = (rate: number) =>
        rate > 0 && rate < 0.0005 ? '< 0.1 %' : `${(rate * 100).toFixed(1)} %`
      for (const row of [
        `Recipients ${thousands(sent.recipientsCount)}`,
        `Delivered ${thousands(sent.deliveredMailsCount)}`,
        `Bounced ${thousands(sent.bounceCount)}`,
        `Not sent ${thousands(sent.notSentMailsCount)}`,
        `Errors ${thousands(sent.sentErrorCount)}`,
        `Mails per hour ${thousands(sent.mailsPerHour)}`,
        `Average mail size ${thousands(sent.averageMailSize)} bytes`,
        `Started ${now.slice(0, 19).replace('T', ' ')}`,
        `Finished ${sent.endDate === null ? '–' : sent.endDate.slice(0, 19).replace('T', ' ')}`,
        `Opened by ${thousands(response.openingRecipients)}`,
        `Opening rate ${percent(response.openingRate)}`,
        `Clicked by ${thousands(response.clickingRecipients)}`,
        `Click rate ${percent(response.uniqueClickRate)}`,
        `Click-to-open rate ${percent(response.ctor)}`,
        `All clicks ${thousands(response.totalClicks)}`,
        `Unsubscribed by a click ${thousands(response.unsubscribeClicks)}`,
        `Unsubscribed by list header ${thousands(response.listUnsubscribeClicks)}`,
        `Unsubscribe rate ${percent(response.unsubscribeRate)}`,
      ])
        expect(words).toContain(row)
    },
  )

  it('the report of a sending tells what was sent to whom: as the platform has it, also after another version was approved', async () => {
    const tester = await start()
    const { report } = await send(tester, {
      name: 'Own name',
      subject: 'Own subject',
      transactionId: 'own-id',
    })
    const mailing = `/spaces/demo/mailings/${ids.mailing.ready}`
    await tester.post(`${mailing}/draft`, { name: 'Second', subject: 'Second' })
    await tester.post(`${mailing}/approve`)
    const page = await look(tester, report)
    const words = wordsOf(from(page, 'report-head'))
    for (const expected of [
      'Own name',
      'Subject Own subject',
      'List Fernhill Cycles newsletter',
      'own-id',
      'CREATED',
    ])
      expect(words).toContain(expected)
    expect(words).toContain('Mailing Second (version 1)')
    expect(page.text).toContain(`href="/_mock${mailing}"`)
  })

  it('the report of a sending has a funnel from the recipients to those who clicked, each a part of the one before', async () => {
    const tester = await start()
    const { json, report } = await send(tester)
    await tester.post('/spaces/demo/clock', { advance: '1d' })
    const { sendingStatistics: sent, responseStatistics: response } = await figuresOf(tester, json.id)
    const page = await look(tester, report)
    const [, funnel] = /<ol class="plain funnel">(.*?)<\/ol>/s.exec(page.text)!
    const stages = [
      sent.recipientsCount,
      sent.deliveredMailsCount,
      response.openingRecipients,
      response.clickingRecipients,
    ]
    expect([...funnel!.matchAll(/<strong>(.*?)<\/strong>/g)].map(([, figure]) => figure)).toEqual(
      stages.map(thousands),
    )
    const bars = [...funnel!.matchAll(/<progress value="(\d+)" max="(\d+)"/g)].map(([, ...it]) =>
      it.map(Number),
    )
    expect(bars).toEqual(stages.map(stage => [stage, stages[0]]))
    expect(wordsOf(funnel!)).toContain(`${((stages[3] / stages[2]) * 100).toFixed(1)} % of those who opened`)
  })

  it('the report of a sending says when a scheduled one starts, and can go there', async () => {
    const tester = await start()
    const { report } = await send(tester, { scheduleDate: '2026-11-02T08:00:00Z' })
    const page = await look(tester, report)
    const words = wordsOf(from(page, 'report'))
    expect(words).toMatch(/It has not started yet .* 2026-11-02 08:00:00 in 22 h/)
    const body = /data-body="([^"]*)"[^>]*>\s*Move the clock to its start/.exec(page.text)![1]!
    await tester.post('/spaces/demo/clock', JSON.parse(body.replaceAll('&quot;', '"')))
    await tester.post('/spaces/demo/clock', { advance: '5m' })
    const after = wordsOf(from(await look(tester, report), 'report'))
    expect(after).toContain('Opening rate')
    expect(after).not.toContain('It has not started yet')
  })

  it.each(['FAILED', 'PENDING', 'INDETERMINATE_FAILURE'] as const)(
    'the report of a sending has no figures: %s',
    async state => {
      const tester = await start()
      const truth = state === 'INDETERMINATE_FAILURE' ? { truth: 'not-sent' } : {}
      await tester.put('/spaces/demo/scenario', {
        rules: [{ on: 'createSending', steps: [{ state, ...truth }] }],
      })
      const { report } = await send(tester, { transactionId: 'x' })
      const words = wordsOf((await look(tester, report)).text)
      expect(words).toContain(`State ${state}`)
      expect(words).toContain(state === 'FAILED' ? 'Nothing was sent' : 'No figures are told')
      expect(words.includes('final')).toBe(state !== 'PENDING')
      expect(words).not.toMatch(/All figures|Openings and clicks|figures yet/)
    },
  )

  it('the report of a sending does not say 0.0 % of what is not zero', async () => {
    const tester = await start()
    const { json, report } = await send(tester)
    let clicked = 0
    for (let second = 0; clicked === 0; second++) {
      expect(second).toBeLessThan(3_600)
      await tester.post('/spaces/demo/clock', { advance: '1s' })
      clicked = (await figuresOf(tester, json.id)).responseStatistics.clickingRecipients
    }
    const words = wordsOf((await look(tester, report)).text)
    expect(words).toContain('Click rate < 0.1 % ')
  })

  it('the report of a sending shows PENDING become CREATED, and its figures, as the clock goes on', async () => {
    const tester = await start()
    await tester.put('/spaces/demo/scenario', {
      rules: [{ on: 'createSending', steps: [{ state: 'PENDING', for: '30s' }, { state: 'CREATED' }] }],
    })
    const { report } = await send(tester, { transactionId: 'x' })
    expect(wordsOf((await look(tester, report)).text)).toContain('State PENDING')
    tester.clock.advance(2 * hour)
    const words = wordsOf((await look(tester, report)).text)
    expect(words).toContain('State CREATED')
    expect(words).toMatch(/By 2026-11-01 12:00:00 on the space's clock: opened by \d/)
  })

  it('the report of a sending is not there for an unknown sending, in words', async () => {
    const page = await look(await start(), '/spaces/demo/sendings/nothing/report')
    expect(page.status).toBe(404)
    expect(wordsOf(page.text)).toContain('There is no sending "nothing" in space "demo"')
  })

  it('the report of a sending moves the clock by control calls, and only where these are answered', async () => {
    const tester = await start()
    const { text } = await look(tester, (await send(tester)).report)
    const bodies = [...text.matchAll(/data-href="\/_mock\/spaces\/demo\/clock" data-body="([^"]*)"/g)]
    expect(bodies.map(([, body]) => JSON.parse(body!.replaceAll('&quot;', '"')).advance)).toEqual([
      '5m',
      '1h',
      '6h',
      '1d',
    ])
    const mock = await startMock({ part: 'service' })
    const { json } = await mock.as('demo').post(synchronizationPath(ids.ready, '/sendings'))
    const alone = await look(
      { fetch: (at, init) => mock.fetch(new Request(`http://localhost${at}`, init)) },
      `/spaces/demo/sendings/${json.id}/report`,
    )
    expect(alone.status).toBe(200)
    expect(alone.text).not.toContain('data-call')
  })
})

describe('openings and clicks over time', () => {
  /** The table as numbers: time, opened, clicked, all clicks. */
  const rows = (text: string): number[][] =>
    [...text.matchAll(/<tr><th scope="row"><time datetime="([^"]+)">(.*?)<\/tr>/gs)].map(([, at, cells]) => [
      Date.parse(at!),
      ...[...cells!.matchAll(/<td class="number">([\d,]+)</g)].map(([, value]) =>
        Number(value!.replaceAll(',', '')),
      ),
    ])

  it('openings and clicks over time end with the figures of now, begin with the start, and never shrink', async () => {
    const tester = await start()
    const { json, report } = await send(tester)
    await tester.post('/spaces/demo/clock', { advance: '5h' })
    const { responseStatistics: response } = await figuresOf(tester, json.id)
    const seen = rows((await look(tester, report)).text)
    expect(seen[0]).toEqual([Date.parse(now), 0, 0, 0])
    expect(seen.at(-1)).toEqual([
      Date.parse(now) + 5 * hour,
      response.openingRecipients,
      response.clickingRecipients,
      response.totalClicks,
    ])
    expect(seen.length).toBeGreaterThan(15)
    for (const [at, row] of seen.entries())
      for (const [column, value] of row.entries())
        expect(value).toBeGreaterThanOrEqual(seen[at - 1]?.[column] ?? 0)
  })

  it('openings and clicks over time are what the statistics resource said at each of these times', async () => {
    const tester = await start()
    const { json, report } = await send(tester)
    await tester.post('/spaces/demo/clock', { advance: '3h' })
    const seen = rows((await look(tester, report)).text)
    for (const [at, opened, , clicks] of [seen[3]!, seen[10]!]) {
      await tester.post('/spaces/demo/clock', { set: new Date(at!).toISOString() })
      const { responseStatistics: response } = await figuresOf(tester, json.id)
      expect([opened, clicks]).toEqual([response.openingRecipients, response.totalClicks])
    }
  })

  it.each([
    [0, 1],
    [20 / 60, 1],
    [1, 1],
    [2, 3],
    [20, 24],
    [40, 48],
  ])('after %d hours the axis is %d hours long', async (elapsed, length) => {
    const mock = await startMock()
    const { json } = await mock.as('demo').post(synchronizationPath(ids.ready, '/sendings'))
    const sending = mock.space().data.tables.sendings.get(json.id)!
    const { starts, ends, points } = buildSeries(mock.space(), sending, Date.parse(now) + elapsed * hour)!
    expect((ends - starts) / hour).toBe(length)
    expect(points.at(-1)!.at).toBe(starts + elapsed * hour)
  })

  it('openings and clicks over time have an axis that ends when nobody reacts any more, however late it is', async () => {
    const mock = await startMock()
    const { json } = await mock.as('demo').post(synchronizationPath(ids.ready, '/sendings'))
    const sending = mock.space().data.tables.sendings.get(json.id)!
    const year = 8_760 * hour
    const { starts, ends, points } = buildSeries(mock.space(), sending, Date.parse(now) + year)!
    expect(ends - starts).toBeLessThanOrEqual(72 * hour)
    const last = statisticsOf(mock.space(), sending, Date.parse(now) + year).responseStatistics
    expect([points.at(-1)!.opened, points.at(-1)!.clicks]).toEqual([last.openingRecipients, last.totalClicks])
    expect(points.at(-1)!.at).toBe(ends)
  })
})
