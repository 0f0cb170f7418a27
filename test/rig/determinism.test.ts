import { afterEach, describe, expect, it } from 'vitest'
import { operationIds } from '../../src/service/operations.ts'
import { undisturbed } from '../pull/pulling.ts'
import { repetitions } from '../repetitions.ts'
import { mockFor, Traffic } from './traffic.ts'

/** Enough that a run meets every operation and most scenarios. */
const usualMoves = repetitions(800, 1_250)
const user = 'demo+a'
const zone = process.env.TZ

interface Run {
  /** Of the mock. */
  readonly seed?: number
  /** Of what the user does. */
  readonly traffic?: number
  readonly moves?: number
  /** How many others use the same mock. */
  readonly neighbours?: number
}

async function run({ seed = 1, traffic = 7, neighbours = 0, moves = usualMoves }: Run = {}) {
  const mock = await mockFor(user, { seed, fixture: undisturbed })
  const mine = new Traffic(mock, user, traffic)
  const others = await Promise.all(
    Array.from({ length: neighbours }, async (_, n) => {
      const other = `demo+neighbour${n}`
      await mock.as(other).get('/mailings')
      mock.rig(other).clock.freeze()
      return new Traffic(mock, other, n)
    }),
  )
  await Promise.all([mine, ...others].map(it => it.playExamples()))
  for (let move = 0; move < moves; move++) {
    // At the same time, not in turns.
    const there = others.map(other => other.move())
    await mine.move()
    await Promise.all(there)
  }
  await Promise.all([mine, ...others].map(it => it.finish()))
  return mine
}

/** The run that others are held against: it is made once. */
let usual: ReturnType<typeof run> | undefined
const usualRun = () => {
  usual ??= run()
  return usual
}

/** The first place where two runs differ, so that a failure can be read. */
function difference(one: readonly unknown[], other: readonly unknown[]): unknown {
  const at = one.findIndex((it, index) => it !== other[index])
  if (at < 0 && one.length === other.length) return undefined
  return { at, one: one[at], other: other[at] }
}

afterEach(() => {
  if (zone === undefined) delete process.env.TZ
  else process.env.TZ = zone
})

describe('the same seed and the same requests', () => {
  it('the same seed and the same requests give the same bytes, the same ledger and the same journal', async () => {
    const [one, other] = [await usualRun(), await run()]
    expect(difference(one.trace(), other.trace())).toBeUndefined()
    const statuses = new Set(one.answers.map(it => it!.slice(0, 3)))
    // A run that meets little proves little.
    const usualStatuses = ['200', '201', '400', '404', '409', '500', '502', '503', 'Typ']
    expect(
      usualStatuses.filter(status => !statuses.has(status)),
      'the traffic no longer meets these answers, since a further draw in test/rig/traffic.ts shifts all draws after it: draw no number for what is new, or change the default of `traffic` in `run` here',
    ).toEqual([])
    const struck = new Set(one.answers.flatMap(it => it!.match(/"x-mock-scenario","([^"]+)"/)?.[1] ?? []))
    expect(struck.size).toBeGreaterThan(repetitions(8, 12))
    expect([...one.operations].toSorted()).toEqual(operationIds.toSorted())
  })

  it('the same seed and the same requests give the same whatever others do in the same mock at the same time', async () => {
    const [alone, among] = [await usualRun(), await run({ neighbours: 2 })]
    expect(difference(alone.trace(), among.trace())).toBeUndefined()
  })

  it('the same seed and the same requests give the same in another time zone', async () => {
    const here = await usualRun()
    process.env.TZ = 'Asia/Kathmandu'
    expect(new Date(0).getTimezoneOffset()).toBe(-330)
    const there = await run()
    expect(difference(here.trace(), there.trace())).toBeUndefined()
  })

  it('the same seed and the same requests are needed both: another seed, or other requests, give something else', async () => {
    const moves = 150
    const [one, again] = [await run({ moves }), await run({ moves })]
    expect(difference(one.trace(), again.trace())).toBeUndefined()
    const [seeded, asked] = [await run({ moves, seed: 2 }), await run({ moves, traffic: 8 })]
    expect(difference(one.trace(), seeded.trace())).toBeDefined()
    expect(difference(one.trace(), asked.trace())).toBeDefined()
  })
})
