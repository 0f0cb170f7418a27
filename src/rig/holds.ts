interface Held {
  readonly work: () => Promise<unknown>
  readonly resolve: (value: never) => void
  readonly reject: (error: unknown) => void
}

/** Requests that were stopped by name until a control call lets them go on. */
export class Holds {
  readonly #held = new Map<string, Held[]>()
  #hasEnded = false
  /** Hears when another request is held. */
  onHeld = () => {}

  /** Does the work once the name is released. Undefined when the space ended before that. */
  until<T>(name: string, work: () => Promise<T>): Promise<T | undefined> {
    if (this.#hasEnded) return Promise.resolve(undefined)
    return new Promise((resolve, reject) => {
      const held = this.#held.get(name) ?? []
      held.push({ work, resolve, reject })
      this.#held.set(name, held)
      this.onHeld()
    })
  }

  /**
   * Lets requests go on, those that came first first, one after another; their work is done when this resolves.
   * @param count how many at most; all that are held when it is not given
   * @returns how many there were
   */
  async release(name: string, count = Number.POSITIVE_INFINITY): Promise<number> {
    const held = this.#held.get(name)
    if (!held) return 0
    const released = held.splice(0, count)
    if (held.length === 0) this.#held.delete(name)
    for (const { work, resolve, reject } of released)
      await work().then(resolve as (value: unknown) => void, reject)
    return released.length
  }

  /** How many requests are held, by name. */
  counts(): ReadonlyMap<string, number> {
    return new Map([...this.#held].map(([name, { length }]) => [name, length]))
  }

  /** Lets go of everybody without doing their work. */
  end(): void {
    this.#hasEnded = true
    for (const held of this.#held.values()) for (const { resolve } of held) resolve(undefined as never)
    this.#held.clear()
  }
}
