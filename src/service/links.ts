import { getOrMake } from '../store/maps.ts'

/** The names that each deployment chooses. */
export interface ServiceNames {
  /** Prefix of the link relations: `svc` in `svc:sendings`. */
  readonly relationPrefix: string
  /** Middle segment of integration paths: `mailing-platform`. */
  readonly platformSegment: string
}

/** Those of a deployment that chooses none. */
export const defaultNames: ServiceNames = { relationPrefix: 'svc', platformSegment: 'mailing-platform' }

/** An address in a HAL document: as text, or a template with variables (RFC 6570). */
export type Link = string | { readonly href: string; readonly templated: true }

/** All addresses in the service's answers, for one space as seen from one base URL. Spec section 2 (links) and 4 (paths). */
export class Links {
  readonly base: string
  readonly names: ServiceNames
  readonly #integration: string
  readonly #pages: string
  /** Where the relations are documented: the one entry of `curies` (spec section 2, common rules). */
  readonly curies: readonly object[]
  /** `curies` as a member of `_links`, as JSON text. */
  readonly curiesText: string
  readonly #relations = new Map<string, string>()

  /**
   * @param base scheme, host and an optional path prefix, without a slash at the end
   * @param space its name is part of the addresses that a person opens: a browser sends no credentials there
   * @param pagesBase what the addresses of editor, previews and report begin with, as `base`
   */
  constructor(base: string, names: ServiceNames, space: string, pagesBase = base) {
    this.base = base
    this.names = names
    this.#integration = `${base}/integrations/${names.platformSegment}`
    this.#pages = `${pagesBase}/_mock/spaces/${encodeURIComponent(space)}`
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
}
