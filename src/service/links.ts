import { type DialValues, defaultDials } from './dials.ts'

/** The names that a deployment has of its own. */
export interface Names {
  /** Prefix of the link relations: `svc` in `svc:sendings`. */
  readonly relationPrefix: string
  /** Middle segment of integration paths: `mailing-platform`. */
  readonly platformSegment: string
}

/** An address in a HAL document: as text, or a template with variables (RFC 6570). */
export type Link = string | { readonly href: string; readonly templated: true }

interface Kept {
  readonly parts: readonly unknown[]
  readonly bytes: Buffer
}

/** Bytes of whole collections that are kept at most; what is longer is joined anew each time. */
const keptOfCollections = 1 << 20

/**
 * All addresses that the service hands out, absolute, for one space as seen from one base URL. Spec section 2
 * (links of each resource) and 4 (paths).
 */
export class Links {
  readonly base: string
  readonly names: Names
  /** What the renderings follow that are kept here: turned dials need Links of their own. */
  readonly dials: DialValues
  readonly #integration: string
  readonly #pages: string
  readonly #curies: readonly object[]
  /** `curies` as a member of `_links`, as JSON text. */
  readonly curiesText: string
  readonly #relations = new Map<string, string>()
  readonly #kept = new Map<unknown, WeakMap<object, Kept>>()
  readonly #collections = new Map<string, Kept>()
  #collectionBytes = 0

  /**
   * @param base scheme, host and perhaps a path prefix, without a slash at the end
   * @param space its name stands in addresses that a person opens, since a browser sends no credentials there
   */
  constructor(base: string, names: Names, space: string, dials: DialValues = defaultDials) {
    this.base = base
    this.names = names
    this.dials = dials
    this.#integration = `${base}/integrations/${names.platformSegment}`
    this.#pages = `${base}/_mock/spaces/${encodeURIComponent(space)}`
    this.#curies = [{ href: `${base}/_mock/relations/{rel}`, name: names.relationPrefix, templated: true }]
    this.curiesText = `"curies":${JSON.stringify(this.#curies)}`
  }

  /** A relation of this service with its prefix. */
  rel(name: string): string {
    // Kept, since a string made anew must be looked up among all names before it can be that of a member.
    let relation = this.#relations.get(name)
    if (relation === undefined) {
      relation = `${this.names.relationPrefix}:${name}`
      this.#relations.set(name, relation)
    }
    return relation
  }

  /** Where the relations are documented, as the one entry of `curies` (spec section 2, common rules). */
  curies(): readonly object[] {
    return this.#curies
  }

  /** The absolute form of a path of this service. */
  at(pathAndQuery: string): string {
    return this.base + pathAndQuery
  }

  problem(name: string): string {
    return `${this.base}/_mock/problems/${name}`
  }

  mailings = () => `${this.base}/mailings`
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
   * What `render` made of these parts, an object or JSON text, kept as bytes as long as all of them are the same. Rows are never changed in
   * place, so the same row means the same answer.
   * @param parts what the bytes follow from; the first is the row that they are kept with
   */
  kept<Parts extends readonly [object, ...unknown[]]>(
    render: (links: Links, ...parts: Parts) => object | string,
    ...parts: Parts
  ): Buffer {
    let rows = this.#kept.get(render)
    if (!rows) {
      rows = new WeakMap()
      this.#kept.set(render, rows)
    }
    const known = rows.get(parts[0])
    if (known?.parts.every((part, at) => part === parts[at])) return known.bytes
    const made = render(this, ...parts)
    const bytes = Buffer.from(typeof made === 'string' ? made : JSON.stringify(made))
    rows.set(parts[0], { parts, bytes })
    return bytes
  }

  /**
   * A whole collection as it was answered at this address before, as long as all parts are the same.
   * @param pathAndQuery as the request has it
   * @param parts what the collection follows from besides, such as the revision of its table
   */
  keptCollection(pathAndQuery: string, parts: readonly unknown[]): Buffer | undefined {
    const known = this.#collections.get(pathAndQuery)
    return known?.parts.every((part, at) => part === parts[at]) ? known.bytes : undefined
  }

  /** Keeps a collection for `keptCollection`. Not for one with a cursor or a token, which expires. */
  keepCollection(pathAndQuery: string, parts: readonly unknown[], bytes: Buffer): void {
    const weight = weightOf(pathAndQuery, bytes)
    if (weight > keptOfCollections) return
    const before = this.#collections.get(pathAndQuery)
    this.#collectionBytes += weight - (before ? weightOf(pathAndQuery, before.bytes) : 0)
    if (this.#collectionBytes > keptOfCollections) {
      this.#collections.clear()
      this.#collectionBytes = weight
    }
    this.#collections.set(pathAndQuery, { parts, bytes })
  }
}

/** Addresses count as well: a client that makes up queries cannot fill the memory. */
const weightOf = (pathAndQuery: string, { length }: Buffer) => pathAndQuery.length + length
