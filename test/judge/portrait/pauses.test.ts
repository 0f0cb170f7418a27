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
