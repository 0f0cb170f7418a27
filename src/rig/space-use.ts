import { realTime } from './clock.ts'

/** Milliseconds in which the first request is expected after a space has been opened. */
const openingGrace = 1_000

/** Whether a space is in use, by whom, and since when it is not. */
export class SpaceUse {
  /** Number of requests whose client is still there. */
  #inside = 0
  /** Undefined until the first request is over. */
  #lastUsed: number | undefined
  /** As `realTime`; of a space that is played again, what was recorded. */
  madeAt = realTime()

  /** Whether anybody but users without the right to write has used it. */
  hasOwner = false

  /** A request has arrived. @param mayWrite whether its user has the right to write */
  enter(mayWrite: boolean): void {
    this.#inside++
    if (mayWrite) this.hasOwner = true
  }

  /** The client of a request has its answer, or has left. @param at as `realTime` */
  leave(at: number): void {
    this.#inside--
    this.#lastUsed = at
  }

  /** The space was used by something else than a request. */
  touch(): void {
    this.#lastUsed = realTime()
    this.hasOwner = true
  }

  /** Milliseconds since the space was last used; 0 while a client waits for an answer, or is expected. */
  get idleMilliseconds(): number {
    return this.idleAt(realTime())
  }

  /** @param now as `realTime`: spaces that are compared need the same */
  idleAt(now: number): number {
    if (this.#inside > 0) return 0
    if (this.#lastUsed !== undefined) return now - this.#lastUsed
    return Math.max(0, now - this.madeAt - openingGrace)
  }
}
