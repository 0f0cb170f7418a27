import type { Clock } from '../store/spaces.ts'

/** Time as the machine has it. */
export const realClock: Clock = { now: () => Date.now() }

/** Time that stands still until it is moved by hand. */
export class ManualClock implements Clock {
  #now: number

  /** @param start milliseconds since 1970, or an ISO 8601 date-time */
  constructor(start: number | string) {
    this.#now = typeof start === 'number' ? start : Date.parse(start)
  }

  now(): number {
    return this.#now
  }

  /** @param milliseconds how far to go ahead */
  advance(milliseconds: number): void {
    this.#now += milliseconds
  }
}
