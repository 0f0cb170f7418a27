import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { barSpan, createScale, distance } from '../../src/judge/timeline-grid.tsx'
import { offsetText } from '../../src/pages/components/times.tsx'
import {
  type AttemptStep,
  groupEpisodes,
  type HiddenStep,
  type Lane,
  type Step,
} from '../../src/pages/timeline/lanes.ts'
import { attemptNotes } from '../../src/pages/timeline/step-words.ts'
import { durationWords } from '../../src/rig/words.ts'

/** A step from one time to another, on clocks that run alike unless told. */
const step = (begin: number, end: number | undefined, clock = begin): HiddenStep => ({
  what: 'hidden',
  id: `${begin}`,
  count: 1,
  begins: { real: begin, clock },
  ends: end === undefined ? undefined : { real: end, clock: clock + end - begin },
})
const lane = (...steps: Step[]) => ({ steps }) as unknown as Lane
const row = ({ begins, ends }: Step) => ({ begins, ends, gap: '' })
/** Start and end of each step, in percent. */
const spansOf = (...steps: Step[]) => {
  const scale = createScale(steps.map(row))
  return steps.map(it => {
    const { from, length } = barSpan(row(it), scale)
    return { from, until: from + length }
  })
}

it.each([
  ['client', []],
  ['transport', ['perhaps resent by transport']],
  ['rig', ['second delivery']],
])('an attempt by %s is noted as %j', (by, notes) => {
  const attempt = { by, disturbance: null, told: null }
  expect(attemptNotes({ attempt, begins: { real: 0, clock: 0 } } as unknown as AttemptStep)).toEqual(notes)
})

describe('the scale of a timeline', () => {
  it('never places a step left of an earlier one, and none outside of the track', () => {
    const spans = fc.array(fc.tuple(fc.nat(1_000_000), fc.nat(60_000)), { minLength: 1, maxLength: 40 })
    fc.assert(
      fc.property(spans, many => {
        const steps = many.sort((one, other) => one[0] - other[0]).map(([at, took]) => step(at, at + took))
        const places = spansOf(...steps)
        for (const [at, { from, until }] of places.entries()) {
          expect(from).toBeGreaterThanOrEqual(0)
          expect(until).toBeGreaterThan(from)
          expect(until).toBeLessThanOrEqual(100.000_001)
          if (at > 0) expect(from).toBeGreaterThanOrEqual(places[at - 1]!.from)
        }
      }),
    )
  })

  it('the scale of a timeline shows what happens within 20 ms, and a quarter of an hour on the same screen', () => {
    expect(distance(1)).toBeGreaterThanOrEqual(5)
    expect(distance(20)).toBeGreaterThan(distance(10) + 5)
    expect(distance(900_000)).toBeGreaterThan(distance(60_000) + 50)
    expect(distance(900_000)).toBeLessThan(400)
    for (let length = 1; length < 1e9; length *= 1.5)
      expect(distance(length * 1.5)).toBeGreaterThan(distance(length))
  })

  it('the scale of a timeline goes by the clock that passed faster', () => {
    const first = step(0, 1)
    const end = step(10_000, 10_001, 310_000)
    const [, atOnce] = spansOf(first, step(2, 3), end)
    const [, moved] = spansOf(first, step(2, 3, 300_000), end)
    expect(moved!.from).toBeGreaterThan(atOnce!.from + 20)
  })

  it('the scale of a timeline lets what is under way go on to the end', () => {
    const [open, during, after] = spansOf(step(0, undefined), step(50, 60), step(70, 80))
    expect(open!.until).toBe(100)
    expect(during!.from).toBeGreaterThan(open!.from)
    expect(during!.until).toBeLessThan(after!.from)
  })

  it('the scale of a timeline has one step, or steps at the same moment, at its beginning', () => {
    expect(spansOf(step(5, 5), step(5, 5)).map(({ from }) => from)).toEqual([0, 0])
  })
})

describe('episodes', () => {
  it('episodes hold what was under way at the same time, the latest first', () => {
    const [a, b, c, d] = [
      lane(step(0, 10)),
      lane(step(5, 20)),
      lane(step(20, 30)),
      lane(step(90_000, 90_001), step(90_010, undefined)),
    ]
    const episodes = groupEpisodes([d, c, b, a])
    expect(episodes.map(({ lanes }) => lanes)).toEqual([[d], [c], [a, b]])
    expect(episodes.map(({ before }) => before)).toEqual([89_970, 0, undefined])
  })

  it('join whatever comes while a request is open', () => {
    const open = lane(step(0, undefined))
    const later = lane(step(1_000_000, 1_000_001))
    expect(groupEpisodes([later, open])).toHaveLength(1)
  })
})

it('undisturbed lanes stand together, above the episode during which they began, and break none', () => {
  const calm = (...steps: Step[]) => ({ ...lane(...steps), isCalm: true })
  const [story, one, two, later] = [
    lane(step(0, 100)),
    calm(step(10, 20)),
    calm(step(30, 40)),
    lane(step(50, 60)),
  ]
  const last = calm(step(9_000, 9_001))
  const episodes = groupEpisodes([last, later, two, one, story])
  expect(episodes.map(({ lanes }) => lanes)).toEqual([
    [last, two, one],
    [story, later],
  ])
  expect(episodes.map(({ isCalm }) => isCalm)).toEqual([true, false])
})

describe('a length in words', () => {
  it.each([
    [0, '0 ms'],
    [12.4, '12 ms'],
    [999, '999 ms'],
    [1_000, '1 s'],
    [1_249, '1.2 s'],
    [59_949, '59.9 s'],
    [59_999, '1 min'],
    [290_000, '4 min 50 s'],
    [3_599_700, '1 h'],
    [7_500_000, '2 h 5 min'],
    [86_400_000, '1 d'],
    [255_946_000_000, '2962 d 8 h'],
  ])('a length in words: %d ms', (length, words) => {
    expect(durationWords(length)).toBe(words)
  })

  it('a length in words goes back where the clock was set back', () => {
    expect([offsetText(0), offsetText(5_000), offsetText(-60_000)]).toEqual(['+0 ms', '+5 s', '−1 min'])
  })
})
