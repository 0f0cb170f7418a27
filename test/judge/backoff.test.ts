import { describe, expect, it, test } from 'vitest'
import { classifyBackoff, findTightRetries } from '../../src/judge/rules/pauses.ts'
import { seededChance } from '../../src/rig/chance.ts'
import { repetitions } from '../repetitions.ts'
import { families } from './model-client.ts'

const trials = repetitions(400, 1_000)
const length = 30

/** Share of series of pauses in which tight retries are found, so many pauses each. */
function tightShare(name: keyof typeof families, base: number, cap: number): number {
  const chance = seededChance(1, name)
  let drawn = 0
  const draw = () => chance.fraction(`${base} ${cap} ${drawn++}`)
  let found = 0
  for (let trial = 0; trial < trials; trial++) {
    const pauses: number[] = []
    for (let nth = 0; nth < length; nth++)
      pauses.push(families[name]({ base, cap, nth, last: pauses.at(-1) ?? base, draw }))
    if (findTightRetries(pauses.map(pause => ({ pause, time: pause }))) >= 0) found++
  }
  return found / trials
}

describe('pauses that are drawn are not found to be constant', () => {
  const ways = Object.keys(families) as (keyof typeof families)[]
  test.each(ways.flatMap(name => [6, 20, 600].map(cap => [name, cap] as const)))(
    '%s, up to %d times the first',
    (name, cap) => {
      const chance = seededChance(2, name)
      let drawn = 0
      const draw = () => chance.fraction(`${cap} ${drawn++}`)
      const accused: number[][] = []
      for (let trial = 0; trial < repetitions(1_500, 5_000); trial++) {
        const pauses: number[] = []
        for (let nth = 0; nth < (trial < repetitions(150, 500) ? 60 : 12); nth++) {
          pauses.push(
            families[name]({ base: 1_000, cap: 1_000 * cap, nth, last: pauses.at(-1) ?? 1_000, draw }),
          )
          if (classifyBackoff(pauses) === 'constant') accused.push([...pauses])
        }
      }
      expect(accused).toEqual([])
    },
  )
})

describe('pauses that vary about a length are found to be constant', () => {
  it.each([
    [4, 0.009],
    [5, 0.03],
    [6, 0.08],
    [8, 0.15],
    [10, 0.2],
  ])('from %d on, within %d either way', (count, share) => {
    const chance = seededChance(3, 'a poller')
    for (let trial = 0; trial < 200; trial++) {
      const pauses = Array.from(
        { length: count },
        (_, nth) => 5_000 * (1 - share + 2 * share * chance.fraction(`${trial} ${nth}`)),
      )
      expect(classifyBackoff(pauses)).toBe('constant')
      expect(classifyBackoff(pauses.slice(0, 3))).toBe('unknown')
    }
  })
})

describe('many pauses convict as surely as few, or more surely', () => {
  const chance = seededChance(4, 'a busy machine')
  /** Milliseconds; one of so many is far longer, as on a busy machine. */
  const poller = (pause: number, share: number, count: number, oneOf: number) =>
    Array.from({ length: count }, (_, nth) => {
      const drawn = pause * (1 - share + 2 * share * chance.fraction(`${pause} ${share} ${count} ${nth}`))
      return nth % oneOf === oneOf - 1 ? 5 * drawn : drawn
    })

  it.each([117, 500])(
    'pauses of 2 s at speed 25 are constant, %d of them, some of which are longer',
    count => {
      expect(classifyBackoff(poller(80, 0.1, count, 15))).toBe('constant')
      expect(classifyBackoff(poller(80, 0.2, count, 15))).toBe('constant')
    },
  )

  it.each([4, 5, 12, 117, 500])('%d equal pauses are constant', count => {
    expect(classifyBackoff(poller(80, 0, count, Number.POSITIVE_INFINITY))).toBe('constant')
  })

  it.each([6, 12, 117, 500])('%d pauses that vary without growing are not', count => {
    expect(classifyBackoff(poller(80, 0.9, count, Number.POSITIVE_INFINITY))).not.toBe('constant')
  })

  it.each([4, 5, 12, 117, 500])('%d pauses that grow up to a limit are not', count => {
    expect(classifyBackoff(Array.from({ length: count }, (_, nth) => Math.min(160, 80 * 2 ** nth)))).toBe(
      'grows',
    )
  })
})

describe('pauses that grow are no tight retries', () => {
  test.each(Object.keys(families) as (keyof typeof families)[])('%s, from a second on', name => {
    expect(tightShare(name, 1_000, 60_000)).toBe(0)
  })

  test.each(Object.keys(families) as (keyof typeof families)[])(
    '%s, from a twentieth of a second on',
    name => {
      expect(tightShare(name, 50, 5_000)).toBeLessThan(0.01)
    },
  )
})

describe('tight retries are', () => {
  const steps = (pauses: readonly number[]) => pauses.map(pause => ({ pause, time: pause + 5 }))
  const alternating = (short: number, long: number, count: number) =>
    Array.from({ length: count }, (_, nth) => (nth % 2 === 0 ? short : long))

  it.each([
    ['ten requests with pauses that are short by turns', alternating(5, 120, 9), 0],
    ['the same that begins later', [3_000, ...alternating(5, 120, 9)], 1],
    ['not nine', alternating(5, 120, 8), -1],
    ['not what takes more than three seconds', alternating(5, 900, 9), -1],
    ['not pauses that are all alike, which are another matter', Array(20).fill(150), -1],
  ])('tight retries are: %s', (_, pauses, at) => {
    expect(findTightRetries(steps(pauses))).toBe(at)
  })
})

it('pauses may be more than a call can have arguments', () => {
  expect(classifyBackoff(Array.from({ length: 200_000 }, () => 5_000))).toBe('constant')
})
