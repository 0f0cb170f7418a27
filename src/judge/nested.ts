type Key = string | undefined

/** Values under several texts each. One text made of them all would have to be put together and read every time. */
export class Nested<Value> {
  value: Value | undefined = undefined
  /** Most have none. */
  #further: Map<Key, Nested<Value>> | undefined

  /** What stands under these texts, to be read or set. */
  at(...keys: readonly Key[]): Nested<Value> {
    let place: Nested<Value> = this
    for (const key of keys) {
      place.#further ??= new Map()
      let next = place.#further.get(key)
      if (!next) {
        next = new Nested()
        place.#further.set(key, next)
      }
      place = next
    }
    return place
  }
}
