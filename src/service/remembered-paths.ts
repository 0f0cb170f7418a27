/** So many paths are remembered of each method, if they are not longer than this: a client that makes up paths cannot fill the memory. */
const most = 1_000
const longest = 300

/** What was found for a method and path. Clients ask few resources and often. */
export class RememberedPaths<Found extends object> {
  readonly #methods: ReadonlyMap<string, Map<string, Found>>

  /** @param methods of which anything is remembered */
  constructor(...methods: readonly string[]) {
    this.#methods = new Map(methods.map(method => [method, new Map()]))
  }

  /** @param find is asked for what is not known, and what it finds is remembered */
  get(method: string, path: string, find: () => Found): Found {
    const known = path.length > longest ? undefined : this.#methods.get(method)
    const before = known?.get(path)
    if (before) return before
    const found = find()
    if (known) {
      if (known.size >= most) known.clear()
      known.set(path, found)
    }
    return found
  }
}
