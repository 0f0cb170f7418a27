import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { StorageError } from '../../../src/store/disk.ts'
import type { SpaceData } from '../../../src/store/space-data.ts'
import { ids, startMock, synchronizationPath } from '../../mock.ts'
import { sentences, startTester, type Tester } from './tester.ts'

let tester: Tester
beforeEach(async () => {
  tester = await startTester()
})
afterEach(() => tester.close())

const clock = '/spaces/demo/clock'
const sendings = synchronizationPath(ids.ready, '/sendings')

describe("a space's clock", () => {
  it("a space's clock shows its time, and what waits for a time", async () => {
    expect((await tester.get(clock)).json).toMatchObject({
      now: '2026-11-01T10:00:00.000Z',
      frozen: false,
      rate: 1,
      epoch: 0,
      due: [],
    })
  })

  it.each([
    { advance: '5m' },
    { set: '2026-01-01T00:00:00Z' },
    { freeze: true },
    { set: '2026-01-01T00:00:00Z', freeze: true },
    { resume: true },
    { rate: 60 },
  ])("a space's clock has another epoch after %j, and the same one while nobody turns it", async turn => {
    const before = (await tester.get(clock)).json.epoch
    await tester.as('demo').get('/mailings')
    expect((await tester.get(clock)).json.epoch).toBe(before)
    const { epoch } = (await tester.post(clock, turn)).json
    expect(epoch).toBeGreaterThan(before)
    expect((await tester.get(clock)).json.epoch).toBe(epoch)
  })

  it.each([
    [{ advance: '5m' }, '2026-11-01T10:05:00.000Z'],
    [{ advance: 'PT1H30M' }, '2026-11-01T11:30:00.000Z'],
    [{ advance: '36500d' }, '2126-10-08T10:00:00.000Z'],
    [{ advance: '0s' }, '2026-11-01T10:00:00.000Z'],
    [{ set: '2030-01-01T00:00:00+01:00' }, '2029-12-31T23:00:00.000Z'],
    [{ set: '1969-07-20T20:17:40Z' }, '1969-07-20T20:17:40.000Z'],
    [{ set: '9999-12-31T23:59:59Z' }, '9999-12-31T23:59:59.000Z'],
    [{ set: '0001-01-01T00:00:00Z' }, '0001-01-01T00:00:00.000Z'],
    [{ set: '2026-03-29T01:00:00Z', freeze: true }, '2026-03-29T01:00:00.000Z'],
  ])("a space's clock goes by %j to %s", async (body, expected) => {
    const { status, json } = await tester.post(clock, body)
    expect([status, json.now]).toEqual([200, expected])
    expect((await tester.get(clock)).json.now).toBe(expected)
  })

  it("a space's clock stands still when it is frozen, also beside set, and goes on when it is resumed", async () => {
    expect((await tester.post(clock, { set: '2030-01-01T00:00:00Z', freeze: true })).json.frozen).toBe(true)
    tester.clock.advance(60_000)
    expect((await tester.get(clock)).json.now).toBe('2030-01-01T00:00:00.000Z')
    expect((await tester.post(clock, { resume: true })).json.frozen).toBe(false)
    tester.clock.advance(60_000)
    expect((await tester.get(clock)).json.now).toBe('2030-01-01T00:01:00.000Z')
  })

  it("a space's clock goes at the rate that it is given", async () => {
    expect((await tester.post(clock, { rate: 60 })).json.rate).toBe(60)
    tester.clock.advance(1_000)
    expect((await tester.get(clock)).json.now).toBe('2026-11-01T10:01:00.000Z')
  })

  const oneTurn =
    'expected exactly one of advance, set, freeze, resume, rate (freeze may accompany advance or set)'
  const dateTime = 'expected a date-time with its zone, from year 0001 to 9999, such as 2026-03-01T09:30:00Z'
  const rate = 'expected a number from 0.001 to 1000000'
  it.each([
    ['nothing', {}, `${oneTurn}, got nothing`],
    ['two turns', { advance: '5m', rate: 2 }, `${oneTurn}, got advance, rate`],
    ['freeze and resume', { freeze: true, resume: true }, `${oneTurn}, got freeze, resume`],
    [
      'a number of milliseconds',
      { advance: 300_000 },
      'advance: expected a duration with its unit, since a number alone may be seconds or milliseconds, such as 500ms, 30s, 5m, 1h30m, 2d or PT5M, got 300000',
    ],
    ['a date without zone', { set: '2030-01-01T00:00:00' }, `set: ${dateTime}, got "2030-01-01T00:00:00"`],
    [
      'a date that does not exist',
      { set: '2030-02-30T00:00:00Z' },
      `set: ${dateTime}, got "2030-02-30T00:00:00Z"`,
    ],
    ['no date', { set: 'x' }, `set: ${dateTime}, got "x"`],
    ['a leap second', { set: '2016-12-31T23:59:60Z' }, `set: ${dateTime}, got "2016-12-31T23:59:60Z"`],
    ['the year 0', { set: '0000-12-31T23:59:59Z' }, `set: ${dateTime}`],
    ['null', { set: null }, `set: ${dateTime}, got null`],
    ['no rate at all', { rate: 0 }, `rate: ${rate}, got 0`],
    ['a rate beyond reason', { rate: 1e9 }, `rate: ${rate}, got 1000000000`],
    ['a rate that is no number', { rate: 'fast' }, `rate: ${rate}, got "fast"`],
    ['false', { freeze: false }, 'freeze: expected true, got false'],
    [
      'a word that it does not know',
      { advnce: '5m' },
      'unknown key "advnce"; did you mean "advance"? Possible: advance, set, freeze, resume, rate',
    ],
  ])("a space's clock is not moved by %s", async (_, body, expected) => {
    const answer = await tester.post(clock, body)
    expect(answer.status).toBe(400)
    expect(sentences(answer)).toEqual([expected])
    expect((await tester.get(clock)).json.epoch).toBe(0)
  })

  it("a space's clock is not moved beyond the year 9999", async () => {
    await tester.post(clock, { set: '9999-12-31T00:00:00Z', freeze: true })
    expect(sentences(await tester.post(clock, { advance: '2d' }))).toEqual([
      'advance: it would lead beyond 9999-12-31T23:59:59.999Z; it is 9999-12-31T00:00:00.000Z',
    ])
  })

  it.each<[string, (data: SpaceData, failure: StorageError) => void]>([
    [
      'be recorded',
      (data, failure) =>
        vi.spyOn(data, 'save').mockImplementation(() => {
          throw failure
        }),
    ],
    [
      'be made durable',
      (data, failure) => vi.spyOn(data, 'durable', 'get').mockImplementation(() => Promise.reject(failure)),
    ],
  ])("a space's clock is where it was after a call that could not %s", async (_, fail) => {
    const mock = await startMock({ report: () => {} })
    fail(mock.space().data, new StorageError('the disk is full'))
    for (const turn of [{ advance: '5m' }, { set: '2026-01-01T00:00:00Z' }, { freeze: true }, { rate: 60 }]) {
      const headers = { 'content-type': 'application/json' }
      const init = { method: 'POST', headers, body: JSON.stringify(turn) }
      const { status } = await mock.fetch(new Request(`http://localhost/_mock${clock}`, init))
      const { rate } = mock.rig().clock
      expect([status, mock.rig().clock.now(), rate]).toEqual([500, mock.clock.now(), 1])
    }
  })

  it("a space's clock is left as it was by a call that is refused", async () => {
    const { json: before } = await tester.post(clock, { set: '9999-12-31T00:00:00Z' })
    expect((await tester.post(clock, { advance: '2d', freeze: true })).status).toBe(400)
    const { frozen, epoch } = (await tester.get(clock)).json
    expect({ frozen, epoch }).toEqual({ frozen: false, epoch: before.epoch })
  })

  it("a space's clock has done everything that fell due, in order, when the call answers", async () => {
    await tester.put('/spaces/demo/scenario', {
      rules: [
        {
          on: 'createSending',
          when: { transactionId: 'late' },
          steps: [{ delay: '10m', deliver: 'late' }],
        },
        { on: 'createSending', when: { transactionId: 'slow' }, steps: [{ delay: '2m' }] },
        {
          on: 'createSending',
          when: { transactionId: 'pending' },
          steps: [{ state: 'PENDING', for: '5m' }, { state: 'CREATED' }],
        },
      ],
    })
    const send = (transactionId: string) => tester.as('demo').post(sendings, { transactionId })
    const ended: string[] = []
    const late = send('late').then(() => ended.push('late'))
    const slow = send('slow').then(() => ended.push('slow'))
    await send('pending')
    while ((await tester.get(clock)).json.due.length < 2) await new Promise(setImmediate)
    const { json } = await tester.post(clock, { advance: '15m' })
    expect([json.now, json.due]).toEqual(['2026-11-01T10:15:00.000Z', []])
    const { platformSendings } = (await tester.get('/spaces/demo/snapshot')).json
    expect(platformSendings.slice(-3).map((it: { startsAt: string }) => it.startsAt)).toEqual([
      '2026-11-01T10:00:00.000Z',
      '2026-11-01T10:05:00.000Z',
      '2026-11-01T10:10:00.000Z',
    ])
    await Promise.all([late, slow])
    expect(ended).toEqual(['slow', 'late'])
  })

  it('of a private space is its own, and a look at one that is not there yet makes none', async () => {
    expect((await tester.get('/spaces/demo+a/clock')).status).toBe(404)
    expect((await tester.post('/spaces/demo+a/clock', { advance: '1h' })).status).toBe(200)
    expect((await tester.get('/spaces/demo+a/clock')).json.now).toBe('2026-11-01T11:00:00.000Z')
    expect((await tester.get(clock)).json.now).toBe('2026-11-01T10:00:00.000Z')
  })
})
