import type { Attempt, Evidence } from './evidence.ts'

/** Time that passed between two moments of a case, in milliseconds of the space's clock. */
export interface Span {
  /** As the clock shows it. */
  readonly whole: number
  /** Without the stretches in which somebody moved the clock by hand: no client can be blamed for those. */
  readonly own: number
}

/** The time since a request, measured along those that follow it. */
export class Stretch {
  readonly #first: Attempt
  #last: Attempt
  /** Milliseconds by which somebody moved the clock. */
  #moved = 0

  constructor(first: Attempt) {
    this.#first = first
    this.#last = first
  }

  /** @param attempt each that is on record, in the order of arrival; the first one may be given again */
  to(attempt: Attempt): Span {
    if (attempt.epoch !== this.#last.epoch) this.#moved += attempt.arrived.clock - this.#last.arrived.clock
    this.#last = attempt
    const whole = attempt.arrived.clock - this.#first.arrived.clock
    return { whole, own: whole - this.#moved }
  }
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
