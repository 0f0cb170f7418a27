import type { Attempt, Evidence } from './evidence.ts'

/** Time that passed between two moments of a case, in milliseconds of the space's clock. */
export interface Span {
  /** As the clock shows it. */
  readonly whole: number
  /** Without the stretches in which somebody moved the clock by hand: no client can be blamed for those. */
  readonly own: number
}

/**
 * From one request to another.
 * @param path the requests in between that are on record, both ends included
 */
export function spanOf(path: readonly Attempt[]): Span {
  const first = path[0]!
  const last = path.at(-1)!
  let moved = 0
  for (let at = 1; at < path.length; at++) {
    const [before, after] = [path[at - 1]!, path[at]!]
    if (before.epoch !== after.epoch) moved += after.arrived.clock - before.arrived.clock
  }
  const whole = last.arrived.clock - first.arrived.clock
  return { whole, own: whole - moved }
}

/** Milliseconds by which a window may be overrun before anybody says so: what a request takes on its way, or 1 %. */
export const toleranceFor = (window: number, { rate }: Evidence): number =>
  Math.max(2_000 * Math.max(1, rate), window / 100)

/** `5 s`, `4 min 50 s`: a duration for people. */
export function inWords(milliseconds: number): string {
  if (milliseconds < 1_000) return `${Math.round(milliseconds)} ms`
  const seconds = milliseconds / 1_000
  if (seconds < 60) return `${Math.round(seconds * 10) / 10} s`
  const whole = Math.round(seconds)
  const rest = whole % 60
  return rest === 0 ? `${Math.floor(whole / 60)} min` : `${Math.floor(whole / 60)} min ${rest} s`
}
