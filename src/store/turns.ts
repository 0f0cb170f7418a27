import { setImmediate } from 'node:timers'

/** How many small things are done in one turn of the event loop when many of them end together. */
export const atOnce = 25

/** Resolves in another turn of the event loop, so that other requests come in between. */
export const nextTurn = (): Promise<void> => new Promise(resolve => setImmediate(resolve))

/** Does something with each, a few in a turn of the event loop; the first ones at once. */
export async function inTurns<Item>(items: readonly Item[], act: (item: Item) => void): Promise<void> {
  for (const [at, item] of items.entries()) {
    if (at > 0 && at % atOnce === 0) await nextTurn()
    act(item)
  }
}

/** Long work in parts: turns of the event loop in which so many parts are done, whoever asks for it. */
export class Turns {
  readonly #partsInTurn: number
  #last: Promise<void> = Promise.resolve()
  #parts = 0

  constructor(partsInTurn = 1) {
    this.#partsInTurn = partsInTurn
  }

  /** Resolves in a turn that few others get, or nobody. */
  next(): Promise<void> {
    if (this.#parts++ % this.#partsInTurn === 0) this.#last = this.#last.then(nextTurn)
    return this.#last
  }
}
