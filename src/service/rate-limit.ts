import type { Space } from '../store/spaces.ts'
import { problems } from './problem.ts'

const window = 60_000

/** What a client is told of its limit, on every answer (house style; nothing holds unless it is turned on). */
export type RateLimitHeaders = Readonly<
  Record<'X-RateLimit-Limit' | 'X-RateLimit-Remaining' | 'X-RateLimit-Reset', string>
>

/** So many requests a minute for each space, counted from the first request of a minute on the space's clock. */
export class RateLimit {
  readonly #limit: number
  readonly #windows = new WeakMap<Space, { ends: number; left: number }>()

  /** @param limit requests a minute */
  constructor(limit: number) {
    this.#limit = limit
  }

  /** Counts a request. @throws Problem 429, which carries the headers as well */
  take(space: Space): RateLimitHeaders {
    const now = space.clock.now()
    let current = this.#windows.get(space)
    if (!current || now >= current.ends || now < current.ends - window) {
      current = { ends: now + window, left: this.#limit }
      this.#windows.set(space, current)
    }
    const headers = (left: number) => ({
      'X-RateLimit-Limit': String(this.#limit),
      'X-RateLimit-Remaining': String(left),
      'X-RateLimit-Reset': String(Math.ceil((current.ends - now) / 1000)),
    })
    if (current.left === 0) throw problems.tooManyRequests(this.#limit, headers(0))
    return headers(--current.left)
  }
}
