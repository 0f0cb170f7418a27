export interface PaceOptions {
  /** Requests a second at most. */
  readonly perSecond: number
  /** Milliseconds from any beginning. */
  readonly now: () => number
  readonly wait: (milliseconds: number, signal: AbortSignal) => Promise<void>
}

/** When the next request may go out: evenly spread, and none while the service has asked for patience. */
export class Pace {
  readonly #options: PaceOptions
  #next = 0
  #heldUntil = 0

  constructor(options: PaceOptions) {
    this.#options = options
  }

  /** Waits for a turn of one's own. @throws the reason with which the signal aborts */
  async turn(signal: AbortSignal): Promise<void> {
    const { now, wait, perSecond } = this.#options
    let at: number
    do {
      signal.throwIfAborted()
      at = Math.max(now(), this.#next, this.#heldUntil)
      this.#next = at + 1000 / perSecond
      const left = at - now()
      if (left > 0) await wait(left, signal)
      // Another request may have been asked for patience meanwhile.
    } while (this.#heldUntil > at)
  }

  /** Nothing goes out for so long. */
  hold(milliseconds: number): void {
    this.#heldUntil = Math.max(this.#heldUntil, this.#options.now() + milliseconds)
  }
}
