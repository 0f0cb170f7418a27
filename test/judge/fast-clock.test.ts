import { describe, expect, it } from 'vitest'
import { judge } from '../../src/judge/verdict.ts'
import { onCreate } from '../rig/stage.ts'
import { accusedIn, over, trial, unknown } from './stage.ts'

/** What is said of a client on a clock of this speed that makes these pauses, in milliseconds of real time. */
async function accusedAt(rate: number, pauses: readonly number[]): Promise<string[]> {
  const client = await trial([onCreate([{ phase: 'before' }])])
  await client.post({ transactionId: 'one' })
  for (const pause of pauses) {
    client.wait(pause * rate)
    await client.post({ transactionId: 'one' })
  }
  const connections = [1, ...pauses.map(() => 1)]
  const evidence = over(await client.evidence(), { took: 1, connections, pause: pauses, rate })
  return accusedIn(judge(evidence, unknown))
}

/** Drawn pauses about a length, the same each time; one of many is five times as long. */
const about = (length: number, count: number) =>
  Array.from({ length: count }, (_, nth) => length * (1 + ((nth * 7) % 5) / 50) * (nth % 15 === 14 ? 5 : 1))

describe('on a fast clock', () => {
  it.each([25, 60])('R15 finds loops of 5 to 13 ms at speed %d', async rate => {
    for (const length of [5.2, 9, 12]) {
      expect(await accusedAt(rate, about(length, 7))).toEqual(['R15 guilty'])
      expect(await accusedAt(rate, about(length, 14))).toEqual(['R15 guilty'])
    }
  })

  it.each([12, 117])(
    'R16 convicts a client that always pauses 2 s at speed 25, after %d pauses',
    async count => {
      expect(await accusedAt(25, about(80, count))).toEqual(['R16 guilty'])
    },
  )

  const growing = (rate: number, first: number, limit: number, turnaround: number, count: number) =>
    Array.from({ length: count }, (_, nth) => turnaround + Math.min(limit, first * 2 ** nth) / rate)

  it.each([25, 60, 200, 1000])(
    'pauses that grow are not accused at speed %d, however slow the machine',
    async rate => {
      for (const [first, limit] of [
        [1_000, 30_000],
        [1_000, 5_000],
        [500, 4_000],
      ] as const)
        for (const turnaround of [1, 5, 15])
          expect(await accusedAt(rate, growing(rate, first, limit, turnaround, 12))).toEqual([])
    },
  )
})
