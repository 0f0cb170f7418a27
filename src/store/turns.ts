import { setImmediate } from 'node:timers'

/** How many small things are done in one turn of the event loop when many of them end together. */
export const atOnce = 25

/** Resolves in another turn of the event loop, so that other requests come in between. */
export const nextTurn = (): Promise<void> => new Promise(resolve => setImmediate(resolve))

/** Long work in parts: a turn of the event loop for each part, whoever asks for it. */
export class Turns {
  #last: Promise<void> = Promise.resolve()

  /** Resolves in a turn that nobody else gets. */
  next(): Promise<void> {
    this.#last = this.#last.then(nextTurn)
    return this.#last
  }
}
