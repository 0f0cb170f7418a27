import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ids, type Json, now, startMock, synchronizationPath, type TestMock } from '../mock.ts'

const minute = 60_000
const day = 24 * 60 * minute

async function sendTo(mock: TestMock, id: string, body: object = {}) {
  const { json } = await mock.as('demo').post(synchronizationPath(id, '/sendings'), body)
  const path = synchronizationPath(id, `/sendings/${json.id}/statistics`)
  return async () => (await mock.as('demo').get(path)).json
}

const parts = ({ sendingStatistics: s }: Json) =>
  s.deliveredMailsCount + s.bounceCount + s.notSentMailsCount + s.sentErrorCount

function expectConsistent({ responseStatistics: r, sendingStatistics: s }: Json): void {
  const quotient = (part: number, whole: number) => (whole === 0 ? 0 : part / whole)
  expect(r.ctor).toBe(quotient(r.clickingRecipients, r.openingRecipients))
  expect(r.openingRate).toBe(quotient(r.openingRecipients, s.recipientsCount))
  expect(r.uniqueClickRate).toBe(quotient(r.clickingRecipients, s.recipientsCount))
  expect(r.unsubscribeRate).toBe(quotient(r.unsubscribeClicks + r.listUnsubscribeClicks, s.recipientsCount))
  expect(r.openingRecipients).toBeLessThanOrEqual(s.deliveredMailsCount)
  expect(r.clickingRecipients).toBeLessThanOrEqual(r.openingRecipients)
  expect(r.totalClicks).toBeGreaterThanOrEqual(r.clickingRecipients)
  expect(r.unsubscribeClicks + r.listUnsubscribeClicks).toBeLessThanOrEqual(r.openingRecipients)
  const handled = parts({ sendingStatistics: s })
  if (s.endDate === null) expect(handled).toBeLessThanOrEqual(s.recipientsCount)
  else expect(handled).toBe(s.recipientsCount)
}

describe('statistics of a sending', () => {
  it('4.4: they name the synchronization and link to themselves', async () => {
    const mock = await startMock()
    const statistics = await (await sendTo(mock, ids.ready))()
    expect(statistics.synchronizationId).toBe(ids.ready)
    expect(statistics._links.self.href).toMatch(/\/statistics$/)
  })

  it('S statistics rates, S unsubscribe rate: figures agree with each other and never shrink, at any moments', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 1, max: 3 * day }), { minLength: 1, maxLength: 12 }),
        async waits => {
          const mock = await startMock()
          const read = await sendTo(mock, ids.ready)
          let before = await read()
          for (const wait of waits) {
            mock.clock.advance(wait)
            const after = await read()
            expectConsistent(after)
            for (const [group, figure] of [
              ['responseStatistics', 'openingRecipients'],
              ['responseStatistics', 'clickingRecipients'],
              ['responseStatistics', 'totalClicks'],
              ['responseStatistics', 'unsubscribeClicks'],
              ['sendingStatistics', 'deliveredMailsCount'],
              ['sendingStatistics', 'bounceCount'],
            ] as const)
              expect(after[group][figure]).toBeGreaterThanOrEqual(before[group][figure])
            before = after
          }
        },
      ),
      { numRuns: 30 },
    )
  })

  it('2.5 sendingStatistics.startDate, 2.5 sendingStatistics.endDate: while it is being sent there is no end, afterwards start and end enclose it', async () => {
    const mock = await startMock()
    const read = await sendTo(mock, ids.ready)
    mock.clock.advance(minute)
    const during = (await read()).sendingStatistics
    expect(during).toMatchObject({ startDate: now, endDate: null, recipientsCount: 12480 })
    expect(during.deliveredMailsCount).toBeGreaterThan(0)
    expect(during.deliveredMailsCount).toBeLessThan(12480)
    mock.clock.advance(day)
    const after = (await read()).sendingStatistics
    expect(Date.parse(after.endDate)).toBeGreaterThan(Date.parse(now))
    expect(Date.parse(after.endDate)).toBeLessThan(Date.parse(now) + day)
    const hours = (Date.parse(after.endDate) - Date.parse(now)) / (60 * minute)
    expect(after.mailsPerHour / (12480 / hours)).toBeCloseTo(1, 3)
  })

  it('S statistics rates: while it is being sent, delivered mails and bounces come in proportion to the time', async () => {
    const mock = await startMock()
    const read = await sendTo(mock, ids.ready)
    mock.clock.advance(minute)
    const { mailsPerHour } = (await read()).sendingStatistics
    const lasts = (12480 / mailsPerHour) * 60 * minute
    mock.clock.advance(lasts / 2 - minute)
    const half = (await read()).sendingStatistics
    mock.clock.advance(day)
    const whole = (await read()).sendingStatistics
    for (const figure of ['deliveredMailsCount', 'bounceCount'])
      expect(half[figure] / whole[figure], figure).toBeCloseTo(0.5, 1)
  })

  it('responses come in over days: opens, clicks and unsubscriptions grow after the sending has ended', async () => {
    const mock = await startMock()
    const read = await sendTo(mock, ids.uploadedTwice)
    const seen: number[] = []
    for (let n = 0; n < 5; n++) {
      mock.clock.advance(2 * 60 * minute)
      seen.push((await read()).responseStatistics.openingRecipients)
    }
    expect(seen[0]).toBeGreaterThan(0)
    for (const [at, figure] of seen.entries()) if (at > 0) expect(figure).toBeGreaterThan(seen[at - 1]!)
    mock.clock.advance(30 * day)
    const { responseStatistics } = await read()
    expect(responseStatistics.openingRate).toBeGreaterThan(0.15)
    expect(responseStatistics.openingRate).toBeLessThan(0.5)
    expect(responseStatistics.ctor).toBeGreaterThan(0.04)
    expect(responseStatistics.ctor).toBeLessThan(0.23)
    expect(responseStatistics.unsubscribeRate).toBeLessThan(0.02)
  })

  it('all figures are zero before a scheduled sending starts, and for one that never went out', async () => {
    const mock = await startMock()
    const read = await sendTo(mock, ids.ready, { scheduleDate: '2026-11-02T10:00:00Z' })
    const figures = Object.values({
      ...(await read()).sendingStatistics,
      ...(await read()).responseStatistics,
    })
    expect(new Set(figures)).toEqual(new Set([0, null]))
    const { json } = await mock
      .as('demo')
      .get(synchronizationPath(ids.pending, '/sendings?includeAllStates=true'))
    const never = (await mock.as('demo').get(json._embedded['svc:sendings'][0]._links['svc:statistics'].href))
      .json
    expect(never.sendingStatistics).toMatchObject({ recipientsCount: 0, startDate: null, endDate: null })
  })

  it('a list without recipients gives zeros and no quotient that is not a number', async () => {
    const mock = await startMock()
    const read = await sendTo(mock, ids.emptyList)
    mock.clock.advance(day)
    const { responseStatistics, sendingStatistics } = await read()
    expect(Object.values(responseStatistics)).toEqual(Object.values(responseStatistics).map(() => 0))
    expect(sendingStatistics.endDate).not.toBeNull()
  })

  it('they follow from the seed: the same again with the same seed, others with another', async () => {
    const read = async (seed: number) => {
      const mock = await startMock({ seed })
      const statistics = await sendTo(mock, ids.ready)
      mock.clock.advance(day)
      const { _links, ...figures } = await statistics()
      return figures
    }
    expect(await read(1)).toEqual(await read(1))
    expect(await read(2)).not.toEqual(await read(1))
  })
})
