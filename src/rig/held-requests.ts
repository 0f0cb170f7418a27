import { getOrMake } from '../store/maps.ts'
import { atOnce, inTurns, nextTurn } from '../store/turns.ts'

interface HeldRequest {
  readonly work: () => Promise<unknown>
  readonly resolve: (value: never) => void
  readonly reject: (error: unknown) => void
}

/** Requests that are held under a name until a control call releases them. */
export class HeldRequests {
  readonly #byName = new Map<string, HeldRequest[]>()
  readonly #onHeld: () => void
  #hasEnded = false

  /** @param onHeld called when a request is held */
  constructor(onHeld: () => void) {
    this.#onHeld = onHeld
  }

  /** Does the work once the name is released. Resolves with undefined if the space ends first. */
  runWhenReleased<T>(name: string, work: () => Promise<T>): Promise<T | undefined> {
    if (this.#hasEnded) return Promise.resolve(undefined)
    return new Promise((resolve, reject) => {
      getOrMake(this.#byName, name, () => []).push({ work, resolve, reject })
      this.#onHeld()
    })
  }

  /**
   * Releases requests one after another, in the order of their arrival; their work is done when this resolves.
   * @param count maximum number; all held requests by default
   * @returns how many were released
   */
  async release(name: string, count = Number.POSITIVE_INFINITY): Promise<number> {
    const all = this.#byName.get(name)
    if (!all) return 0
    const first = all.splice(0, count)
    if (all.length === 0) this.#byName.delete(name)
    for (const [at, { work, resolve, reject }] of first.entries()) {
      if (at % atOnce === atOnce - 1) await nextTurn()
      // The space may have ended in between.
      if (this.#hasEnded) resolve(undefined as never)
      else await work().then(resolve as (value: unknown) => void, reject)
    }
    return first.length
  }

  /** How many requests are held, by name. */
  counts(): ReadonlyMap<string, number> {
    return new Map([...this.#byName].map(([name, { length }]) => [name, length]))
  }

  /** Releases all requests without doing their work; thousands are answered in several turns of the event loop. */
  end(): void {
    this.#hasEnded = true
    void inTurns([...this.#byName.values()].flat(), ({ resolve }) => resolve(undefined as never))
    this.#byName.clear()
  }
}
