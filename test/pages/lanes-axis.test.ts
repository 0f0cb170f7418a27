import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { HiddenStep, Lane, Step } from '../../src/pages/sendings/lanes.ts'
import { axisOf, distance } from '../../src/pages/sendings/lanes-axis.ts'
import { episodesOf } from '../../src/pages/sendings/lanes-episodes.ts'
import { lengthText, offsetText } from '../../src/pages/sendings/lanes-lengths.ts'

/** A step from one time to another, on clocks that run alike unless told. */
const step = (begin: number, end: number | undefined, clock = begin): HiddenStep => ({
  what: 'hidden',
  id: `${begin}`,
  count: 1,
  begins: { real: begin, clock },
  ends: end === undefined ? undefined : { real: end, clock: clock + end - begin },
})
const lane = (...steps: Step[]) => ({ steps }) as unknown as Lane
const room = { above: 80, below: 50 }
const laidOut = (...lanes: Lane[]) => axisOf(lanes, () => room)

describe('the axis of lanes', () => {
  it('never places a step left of an earlier one, nor words over others of their lane', () => {
    const spans = fc.array(fc.tuple(fc.nat(1_000_000), fc.nat(60_000)), { minLength: 1, maxLength: 12 })
    fc.assert(
      fc.property(fc.array(spans, { minLength: 1, maxLength: 5 }), many => {
        const lanes = many.map(ofLane =>
          lane(...ofLane.sort((one, other) => one[0] - other[0]).map(([at, took]) => step(at, at + took))),
        )
        const { places, width } = laidOut(...lanes)
        const all = lanes
          .flatMap(({ steps }) => steps)
          .sort((one, other) => one.begins.real - other.begins.real)
        for (const [at, later] of all.entries()) {
          const { x, until } = places.get(later)!
          expect(until).toBeGreaterThan(x)
          expect(x + room.above).toBeLessThanOrEqual(width)
          const before = all[at - 1]
          if (before && before.begins.real < later.begins.real)
            expect(x).toBeGreaterThanOrEqual(places.get(before)!.x)
        }
        for (const { steps } of lanes)
          for (const [at, later] of steps.entries())
            if (at > 0)
              expect(places.get(later)!.x - places.get(steps[at - 1]!)!.x).toBeGreaterThan(room.above)
      }),
    )
  })

  it('shows what happens within 20 ms, and a quarter of an hour on the same screen', () => {
    expect(distance(1)).toBeGreaterThanOrEqual(5)
    expect(distance(20)).toBeGreaterThan(distance(10) + 5)
    expect(distance(900_000)).toBeGreaterThan(distance(60_000) + 50)
    expect(distance(900_000)).toBeLessThan(400)
    for (let length = 1; length < 1e9; length *= 1.5)
      expect(distance(length * 1.5)).toBeGreaterThan(distance(length))
  })

  it('tells time where there is room for it, and the same time once', () => {
    const ofRunning = laidOut(lane(...[0, 1, 2, 3_000, 3_001].map(at => step(at, at + 1))))
    const xs = ofRunning.ticks.map(({ x }) => x)
    for (const [at, x] of xs.entries()) if (at > 0) expect(x - xs[at - 1]!).toBeGreaterThan(80)
    expect(ofRunning.ticks.length).toBeGreaterThan(2)
    const ofFrozen = laidOut(lane(...[0, 1_000, 2_000].map(at => step(at, at + 1, 7))))
    expect(ofFrozen.ticks).toHaveLength(1)
  })

  it('goes by the clock that passed faster', () => {
    const first = step(0, 1)
    const atOnce = step(2, 3)
    const moved = step(2, 3, 300_000)
    const gap = (later: Step) => laidOut(lane(first, later)).places.get(later)!.x
    expect(gap(moved)).toBeGreaterThan(gap(atOnce) + 50)
  })

  it('lets what is under way go on to the end, and puts what overlaps below one another', () => {
    const open = step(0, undefined)
    const during = step(50, 60)
    const after = step(70, 80)
    const { places, width } = laidOut(lane(open, during, after))
    expect(places.get(open)!.until).toBeGreaterThan(places.get(after)!.until)
    expect(places.get(open)!.until).toBeLessThanOrEqual(width)
    expect([open, during, after].map(it => places.get(it)!.track)).toEqual([0, 1, 1])
  })
})

describe('episodes', () => {
  it('hold what was under way at the same time, the latest first', () => {
    const [a, b, c, d] = [
      lane(step(0, 10)),
      lane(step(5, 20)),
      lane(step(20, 30)),
      lane(step(90_000, 90_001), step(90_010, undefined)),
    ]
    const episodes = episodesOf([d, c, b, a])
    expect(episodes.map(({ lanes }) => lanes)).toEqual([[d], [c], [a, b]])
    expect(episodes.map(({ before }) => before)).toEqual([89_970, 0, undefined])
  })

  it('join whatever comes while a request is open', () => {
    const open = lane(step(0, undefined))
    const later = lane(step(1_000_000, 1_000_001))
    expect(episodesOf([later, open])).toHaveLength(1)
  })
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
  ])('%d ms', (length, words) => {
    expect(lengthText(length)).toBe(words)
  })

  it('goes back where the clock was set back', () => {
    expect([offsetText(0), offsetText(5_000), offsetText(-60_000)]).toEqual(['+0 ms', '+5 s', '−1 min'])
  })
})
