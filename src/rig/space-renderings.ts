import { Links, type ServiceNames } from '../service/links.ts'
import type { PreparedDials } from '../service/prepared-dials.ts'
import { RenderCache } from '../service/render-cache.ts'
import { getOrMake } from '../store/maps.ts'
import type { MemoryShare } from '../store/memory-budget.ts'

/** Maximum number of base URLs, and of sets of dials, for which renderings are kept. */
const maxBases = 16

/** Bytes of the links for a base URL, without what is rendered with them; roughly. */
const linksBytes = 2_000

/** What was rendered of a space, by dials and base URL. It depends on the rows and the dials, so it lives as long as they do. */
export class SpaceRenderings {
  readonly #names: ServiceNames
  readonly #pagesUrl: string | undefined
  readonly #space: string
  readonly #memory: MemoryShare
  readonly #byDials = new Map<PreparedDials, Map<string, RenderCache>>()

  /** @param space its name @param pagesUrl base of the links to pages, if it is one of its own */
  constructor(names: ServiceNames, space: string, pagesUrl: string | undefined, memory: MemoryShare) {
    this.#names = names
    this.#pagesUrl = pagesUrl
    this.#space = space
    this.#memory = memory
  }

  for(base: string, dials: PreparedDials): RenderCache {
    const byBase = getOrMake(this.#byDials, dials, () => {
      if (this.#byDials.size >= maxBases) this.clear()
      return new Map<string, RenderCache>()
    })
    return getOrMake(byBase, base, () => {
      if (byBase.size >= maxBases) byBase.clear()
      this.#memory.add(linksBytes)
      const links = new Links(base, this.#names, this.#space, this.#pagesUrl)
      return new RenderCache(links, dials.values, bytes => this.#memory.add(bytes))
    })
  }

  clear(): void {
    this.#byDials.clear()
    this.#memory.set(0)
  }
}
