import { getOrMake } from '../store/maps.ts'
import { type DialValues, defaultDials } from './dials.ts'

/** The names that each deployment chooses. */
export interface ServiceNames {
  /** Prefix of the link relations: `svc` in `svc:sendings`. */
  readonly relationPrefix: string
  /** Middle segment of integration paths: `mailing-platform`. */
  readonly platformSegment: string
}

/** An address in a HAL document: as text, or a template with variables (RFC 6570). */
export type Link = string | { readonly href: string; readonly templated: true }

interface CachedRendering {
  readonly parts: readonly unknown[]
  readonly bytes: Buffer
}

/** Maximum size in bytes of all cached collections. */
const maxCachedCollectionBytes = 1 << 20

/** Bytes of a cached rendering besides its text, roughly. */
const renderingBytes = 200

/** All addresses in the service's answers, for one space as seen from one base URL. Spec section 2 (links) and 4 (paths). */
export class Links {
  readonly base: string
  readonly names: ServiceNames
  /** The dials that the cached renderings depend on: other dials need other Links. */
  readonly dials: DialValues
  readonly #integration: string
  readonly #pages: string
  /** Where the relations are documented: the one entry of `curies` (spec section 2, common rules). */
  readonly curies: readonly object[]
  /** `curies` as a member of `_links`, as JSON text. */
  readonly curiesText: string
  readonly #relations = new Map<string, string>()
  readonly #renderings = new Map<unknown, WeakMap<object, CachedRendering>>()
  readonly #collections = new Map<string, CachedRendering>()
  #collectionBytes = 0
  readonly #noteCached: (bytes: number) => void

  /**
   * @param base scheme, host and an optional path prefix, without a slash at the end
   * @param space its name is part of the addresses that a person opens: a browser sends no credentials there
   * @param noteCached called with the bytes that the caches grow by
   */
  constructor(
    base: string,
    names: ServiceNames,
    space: string,
    dials: DialValues = defaultDials,
    noteCached: (bytes: number) => void = () => {},
  ) {
    this.#noteCached = noteCached
    this.base = base
    this.names = names
    this.dials = dials
    this.#integration = `${base}/integrations/${names.platformSegment}`
    this.#pages = `${base}/_mock/spaces/${encodeURIComponent(space)}`
    this.curies = [{ href: `${base}/_mock/relations/{rel}`, name: names.relationPrefix, templated: true }]
    this.curiesText = `"curies":${JSON.stringify(this.curies)}`
  }

  /** A relation of this service with its prefix. */
  rel(name: string): string {
    // Cached: JSON.stringify and property access are slower with a newly made string.
    return getOrMake(this.#relations, name, () => `${this.names.relationPrefix}:${name}`)
  }

  /** The absolute form of a path of this service. */
  at(pathAndQuery: string): string {
    return this.base + pathAndQuery
  }

  problem(name: string): string {
    return `${this.base}/_mock/problems/${name}`
  }

  mailing = (id: string) => `${this.base}/mailings/${id}`
  mailingEditor = (mailingId: string) => `${this.#pages}/mailings/${mailingId}`
  mailingPreviewPage = (mailingId: string, version: 'draft' | 'approved') =>
    `${this.#pages}/mailings/${mailingId}/${version}`
  report = (sendingId: string) => `${this.#pages}/sendings/${sendingId}/report`

  synchronizations = () => `${this.#integration}/mailing-synchronizations`
  synchronization = (id: string) => `${this.synchronizations()}/${id}`
  sendings = (synchronizationId: string) => `${this.synchronization(synchronizationId)}/sendings`
  sending = (synchronizationId: string, id: string) => `${this.sendings(synchronizationId)}/${id}`
  statistics = (synchronizationId: string, id: string) => `${this.sending(synchronizationId, id)}/statistics`
  mailingUpload = (synchronizationId: string, id: string) =>
    `${this.synchronization(synchronizationId)}/mailing-uploads/${id}`
  preview = (synchronizationId: string): Link => ({
    href: `${this.synchronization(synchronizationId)}/preview{?testProfileId,kind}`,
    templated: true,
  })

  customers = () => `${this.#integration}/accessible-customers`
  customer = (name: string) => `${this.customers()}/${encodeURIComponent(name)}`
  list = (customer: string, id: number) => `${this.customer(customer)}/lists/${id}`
  accessibleLists = (customer: string) => `${this.customer(customer)}/configuration/accessible-lists`

  /**
   * What `render` makes of these parts (an object or JSON text) as bytes. Cached as long as all parts are the
   * same: rows are never changed in place.
   * @param parts what the bytes depend on; the first is the row with which they are cached
   */
  renderCached<Parts extends readonly [object, ...unknown[]]>(
    render: (links: Links, ...parts: Parts) => object | string,
    ...parts: Parts
  ): Buffer {
    const rows = getOrMake(this.#renderings, render, () => new WeakMap<object, CachedRendering>())
    const known = rows.get(parts[0])
    if (known?.parts.every((part, at) => part === parts[at])) return known.bytes
    const made = render(this, ...parts)
    const bytes = Buffer.from(typeof made === 'string' ? made : JSON.stringify(made))
    rows.set(parts[0], { parts, bytes })
    this.#noteCached(renderingBytes + bytes.length)
    return bytes
  }

  /**
   * The cached collection for this address, if all parts are still the same.
   * @param pathAndQuery as the request has it
   * @param parts what else the collection depends on, such as the revision of its table
   */
  getCachedCollection(pathAndQuery: string, parts: readonly unknown[]): Buffer | undefined {
    const known = this.#collections.get(pathAndQuery)
    return known?.parts.every((part, at) => part === parts[at]) ? known.bytes : undefined
  }

  /** Caches a collection for `getCachedCollection`. Not for one with a cursor or a token, which expires. */
  cacheCollection(pathAndQuery: string, parts: readonly unknown[], bytes: Buffer): void {
    const weight = weightOf(pathAndQuery, bytes)
    if (weight > maxCachedCollectionBytes) return
    const before = this.#collections.get(pathAndQuery)
    this.#noteCached(weight)
    this.#collectionBytes += weight - (before ? weightOf(pathAndQuery, before.bytes) : 0)
    if (this.#collectionBytes > maxCachedCollectionBytes) {
      this.#collections.clear()
      this.#collectionBytes = weight
    }
    this.#collections.set(pathAndQuery, { parts, bytes })
  }
}

/** Addresses count as well, so that a client that invents queries cannot fill the memory. */
const weightOf = (pathAndQuery: string, { length }: Buffer) => pathAndQuery.length + length
