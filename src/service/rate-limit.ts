import type { Space } from '../store/space.ts'
import type { DialValues } from './dials.ts'
import { problems } from './problem.ts'

const window = 60_000

/** What a client is told of its limit, on every answer (house style; nothing holds unless it is turned on). */
export type RateLimitHeaders = Readonly<
  Record<'X-RateLimit-Limit' | 'X-RateLimit-Remaining' | 'X-RateLimit-Reset', string>
>

/** So many requests a minute for each space, counted from the first request of a minute on the space's clock. */
export class RateLimit {
  readonly #setting: number
  readonly #windows = new WeakMap<Space, { ends: number; left: number; limit: number }>()

  /** @param setting requests a minute, whatever the dial says; 0 leaves it to the dial */
  constructor(setting: number) {
    this.#setting = setting
  }

  /**
   * Counts a request.
   * @returns undefined when there is no limit
   * @throws Problem 429, which carries the headers as well
   */
  take(space: Space, dials: DialValues): RateLimitHeaders | undefined {
    const limit = this.#setting || limits[dials['rate-limit']]
    if (limit === 0) return undefined
    const now = space.clock.now()
    let current = this.#windows.get(space)
    if (!current || now >= current.ends || now < current.ends - window || current.limit !== limit) {
      current = { ends: now + window, left: limit, limit }
      this.#windows.set(space, current)
    }
    const { ends } = current
    const headers = (left: number) => ({
      'X-RateLimit-Limit': String(limit),
      'X-RateLimit-Remaining': String(left),
      'X-RateLimit-Reset': String(Math.ceil((ends - now) / 1000)),
    })
    if (current.left === 0) throw problems.tooManyRequests(limit, headers(0))
    return headers(--current.left)
  }
}

const limits: Record<DialValues['rate-limit'], number> = { off: 0, '600': 600, '60': 60 }
