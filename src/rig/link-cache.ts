import type { DialValues } from '../service/dials.ts'
import { Links, type ServiceNames } from '../service/links.ts'
import { getOrMake } from '../store/maps.ts'
import type { MemoryShare } from '../store/memory-budget.ts'

/** Maximum number of base URLs, and of sets of dials, whose links are kept. */
const maxBases = 16

/** Bytes of the links for a base URL, without what they cache; roughly. */
const linksBytes = 2_000

/** The links of a space by base URL and dials. Links cache the bytes of answers, so they live as long as the dials. */
export class LinkCache {
  readonly #names: ServiceNames
  readonly #space: string
  readonly #memory: MemoryShare
  readonly #byDials = new Map<DialValues, Map<string, Links>>()

  /** @param space its name */
  constructor(names: ServiceNames, space: string, memory: MemoryShare) {
    this.#names = names
    this.#space = space
    this.#memory = memory
  }

  get(base: string, dials: DialValues): Links {
    const byBase = getOrMake(this.#byDials, dials, () => {
      if (this.#byDials.size >= maxBases) this.clear()
      return new Map<string, Links>()
    })
    return getOrMake(byBase, base, () => {
      if (byBase.size >= maxBases) byBase.clear()
      this.#memory.add(linksBytes)
      return new Links(base, this.#names, this.#space, dials, bytes => this.#memory.add(bytes))
    })
  }

  clear(): void {
    this.#byDials.clear()
    this.#memory.set(0)
  }
}
