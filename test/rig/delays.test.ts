import { describe, expect, it } from 'vitest'
import { sampleDelay, seededChance } from '../../src/rig/chance.ts'
import type { Delay } from '../../src/rig/scenarios/scenario.ts'
import { basic, halType, ids, synchronizationPath } from '../mock.ts'
import { eventually } from '../process.ts'
import { onCreate, staged } from './stage.ts'

const chance = seededChance(1, 'demo')
/** A thousand requests' delays, the shortest first. */
const draws = (delay: Delay, count = 4_000) =>
  Array.from({ length: count }, (_, n) => sampleDelay(delay, purpose => chance.fraction(n, purpose))).sort(
    (a, b) => a - b,
  )

describe('a delay', () => {
  it('a delay is what it says when it says one', () => {
    expect(new Set(draws(1_234))).toEqual(new Set([1_234]))
  })

  it('between two bounds takes all of the range, evenly', () => {
    const all = draws({ min: 100, max: 300 })
    expect(all[0]).toBeGreaterThanOrEqual(100)
    expect(all.at(-1)).toBeLessThanOrEqual(300)
    for (const quarter of [1, 2, 3])
      expect(Math.abs(all[quarter * 1_000]! - (100 + quarter * 50))).toBeLessThan(8)
  })

  it('with a median and a 99th percentile has them', () => {
    const all = draws({ median: 200, p99: 2_000 })
    expect(all[2_000]! / 200).toBeGreaterThan(0.9)
    expect(all[2_000]! / 200).toBeLessThan(1.1)
    expect(all[3_960]! / 2_000).toBeGreaterThan(0.75)
    expect(all[3_960]! / 2_000).toBeLessThan(1.35)
  })

  it.each([
    ['a range of one', { min: 5, max: 5 }, 5],
    ['a distribution without any spread', { median: 5, p99: 5 }, 5],
    ['no time at all', 0, 0],
  ])('a delay may be %s', (_, delay, expected) => {
    expect(new Set(draws(delay, 100))).toEqual(new Set([expected]))
  })

  it.each([0, 0.5, 1 - 2 ** -52])('a delay is a number whatever is drawn: %d', fraction => {
    const delay = sampleDelay({ median: 10, p99: 60_000 }, () => fraction)
    expect(Number.isSafeInteger(delay) && delay >= 0).toBe(true)
  })

  it('a delay is the same for the same seed, space and request', async () => {
    const run = async (seed: number) => {
      const { mock, act } = await staged([onCreate([{ delay: { min: '1s', max: '1h' } }])], { seed })
      mock.rig().clock.freeze()
      for (let n = 0; n < 5; n++) void act.post({ transactionId: `T${n}` })
      await eventually('all to wait', () => mock.rig().clock.due.length === 5 || undefined)
      const { due } = mock.rig().clock
      mock.rig().end()
      return due
    }
    const first = await run(1)
    expect(new Set(first).size).toBe(5)
    expect(await run(1)).toEqual(first)
    expect(await run(2)).not.toEqual(first)
  })

  it('a delay lets the work be done at once, and only the answer wait', async () => {
    const { mock, act, ledger } = await staged([onCreate([{ delay: '1h' }])])
    mock.rig().clock.freeze()
    let isAnswered = false
    const waiting = act.post({ transactionId: 'T' }).then(() => {
      isAnswered = true
    })
    await eventually('it to wait', () => mock.rig().clock.due.length === 1 || undefined)
    expect([ledger().sendings.length, isAnswered]).toEqual([1, false])
    await mock.rig().moveClock(it => it + 3_600_000)
    await waiting
  })

  it('a delay ends when the client leaves, and leaves no wait behind', async () => {
    const { mock, listen } = await staged([onCreate([{ delay: '1h' }])])
    const { url } = await listen()
    const leaving = new AbortController()
    const asked = fetch(`${url}${synchronizationPath(ids.ready, '/sendings')}`, {
      method: 'POST',
      headers: { authorization: basic('demo'), 'content-type': halType },
      body: '{"transactionId":"T"}',
      signal: leaving.signal,
    })
    await eventually('it to wait', () => mock.rig().clock.due.length === 1 || undefined)
    leaving.abort()
    await expect(asked).rejects.toThrow()
    await eventually('nobody to wait', () => mock.rig().clock.due.length === 0 || undefined)
    const entry = mock.rig().journal.entries().at(-1)!
    await eventually('the entry to close', () => entry.ended)
    expect([entry.delivered, entry.bytesSent, mock.rig().use.idleMilliseconds > 0]).toEqual([
      'aborted',
      0,
      true,
    ])
  })
})
