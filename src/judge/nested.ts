type Key = string | undefined

/** Values under several texts each. One text made of them all would have to be put together and read every time. */
export class Nested<Value> {
  value: Value | undefined = undefined
  /** Most have none. */
  #further: Map<Key, Nested<Value>> | undefined

  /** What stands under these texts, to be read or set. */
  at(...keys: readonly Key[]): Nested<Value> {
    let place: Nested<Value> = this
    for (const key of keys) place = place.#next(key)
    return place
  }

  #next(key: Key): Nested<Value> {
    this.#further ??= new Map()
    const known = this.#further.get(key)
    if (known) return known
    const fresh = new Nested<Value>()
    this.#further.set(key, fresh)
    return fresh
  }
}
