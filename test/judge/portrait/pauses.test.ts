import { describe, expect, it } from 'vitest'
import type { Decision } from '../../../src/judge/portrait/decisions.ts'
import { learnPauses, pauseWords } from '../../../src/judge/portrait/pauses.ts'
import { features } from './features.ts'

const paused = (attempts: number, pause: number, retryAfter = 0): Decision => ({
  ...{ situation: '5xx', action: 'same ID', history: '', moves: [], run: 0, pause },
  features: { ...features, attempts, times: attempts, requests: attempts, retryAfter },
})
/** 1 s, then twice as long each time. */
const growing = Array.from({ length: 6 }, (_, at) => paused(at + 1, 2 ** at))
const heeds = (more: readonly Decision[]) => learnPauses([...growing, ...more])!.heedsRetryAfter

describe('whether a client waits as Retry-After says', () => {
  it('is shown by pauses that it does not make otherwise', () => {
    expect(heeds([paused(1, 120, 120)])).toBe('always')
    expect(heeds([paused(1, 1, 120)])).toBe('never')
    expect(heeds([paused(1, 120, 120), paused(2, 2, 120)])).toBe('sometimes')
  })

  it('is not shown by a pause that it makes anyway, and that is as long as asked', () => {
    expect(heeds([paused(6, 32, 10)])).toBeNull()
    expect(heeds([paused(6, 32, 10), paused(1, 1, 10)])).toBe('never')
  })

  it('is said of no pause of its own with the same word as of others', () => {
    const alone = learnPauses([paused(1, 120, 120), paused(2, 2, 120)])!
    expect([alone.count, pauseWords(alone)]).toEqual([0, 'sometimes as Retry-After says'])
  })
})

describe('pauses that no counter explains', () => {
  const wordsOf = (...them: Parameters<typeof learnPauses>) => pauseWords(learnPauses(...them)!)
  /** Of a client whose own count begins again now and then. */
  const resetting = [
    paused(1, 1),
    paused(2, 1),
    paused(2, 1.5),
    paused(3, 1),
    paused(3, 1.5),
    paused(3, 2.25),
  ]
  /** Half of each is drawn. */
  const drawn = [0.83, 1.32, 1.91, 3.9, 5.27, 15.1, 16.7, 27.3].map((it, at) => paused(at + 1, it))

  it('are the lengths that they have, where these are exact', () => {
    expect(wordsOf(resetting)).toBe('1 s, 1.5 s or 2.25 s')
    const instant = [paused(1, 0), paused(2, 5), paused(2, 0)]
    expect(wordsOf(instant)).toBe('no pause or 5 s')
  })

  it('grow by a count of its own, where there are many', () => {
    const later = [3.375, 5.062, 7.594, 10].flatMap((it, at) => [paused(at + 4, 1), paused(at + 4, it)])
    expect(wordsOf([...resetting, ...later])).toBe('1 s, then × 1.5, at most 10 s, by a count of its own')
    const others = [1, 2, 3, 4, 5, 6].map(it => paused(2, it))
    expect(wordsOf(others)).toBe('1 s to 6 s, by a count of its own')
  })

  it('are exact although one is cut short at a limit', () => {
    const later = [paused(4, 3.375), paused(5, 1), paused(5, 0.417)]
    expect(wordsOf([...resetting, ...later])).toBe('1 s, 1.5 s, 2.25 s or 3.38 s')
  })

  it('are drawn, where they differ by no rule', () => {
    expect(wordsOf([...drawn, paused(2, 1.77), paused(3, 3.1)])).toMatch(/, up to \d+ % less$/)
    const few = [paused(1, 1.13), paused(1, 1.87), paused(2, 1.41)]
    expect(wordsOf(few)).toBe('1 s to 2 s')
  })

  it('are those of the client elsewhere, if they are exact there, also where few are seen', () => {
    const usual = learnPauses(resetting)
    expect(wordsOf([paused(1, 1), paused(2, 1.5), paused(3, 1.5)], usual)).toBe('1 s or 1.5 s')
  })

  it('an exact pause of one situation comes before drawn ones of the others', () => {
    const usual = learnPauses(drawn)
    const constant = [3, 4, 5].map(attempts => paused(attempts, 5))
    expect(wordsOf(constant, usual)).toBe('5 s')
    expect(wordsOf([paused(1, 0.83)], usual)).toMatch(/ % less$/)
  })
})
