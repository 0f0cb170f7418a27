import type { Probe } from './entry.ts'
import { type Exchange, isSuccess } from './exchange.ts'
import { embedded, hrefOf, isObject, member, text } from './hal.ts'
import { lacking } from './outcome.ts'
import { type Kind, Sightings } from './sightings.ts'
import type { Target } from './target.ts'

/** A page of a collection: its entries, whatever relation they stand under. */
export interface Listing {
  readonly exchange: Exchange
  readonly items: readonly unknown[]
  readonly next: string | undefined
}

/** A synchronization that was looked at closely. */
export interface Synchronization {
  readonly id: string
  readonly value: unknown
  readonly exchange: Exchange
}

export interface WorldOptions {
  readonly target: Target
  readonly prefix: string
  readonly segment: string
  readonly probe: Probe
}

/** An ID of the form that IDs have, and of nothing. */
export const unknownId = '00000000-0000-4000-8000-00000000dead'

/**
 * What a black box shows of itself: reached through links where there are links, by the document's paths otherwise. Each
 * thing is asked once and remembered.
 */
export class World {
  readonly target: Target
  readonly prefix: string
  readonly segment: string
  readonly sightings = new Sightings()
  readonly #kept = new Map<string, Promise<unknown>>()
  readonly #probe: Probe

  constructor({ target, prefix, segment, probe }: WorldOptions) {
    this.target = target
    this.prefix = prefix
    this.segment = segment
    this.#probe = probe
  }

  /** What `make` gives, made once. */
  once<Value>(name: string, make: () => Promise<Value>): Promise<Value> {
    let kept = this.#kept.get(name) as Promise<Value> | undefined
    if (!kept) {
      kept = make()
      this.#kept.set(name, kept)
    }
    return kept
  }

  // Paths of section 4.
  readonly integration = (path: string): string => `/integrations/${this.segment}${path}`
  readonly synchronizationsPath = (): string => this.integration('/mailing-synchronizations')
  readonly synchronizationPath = (id: string, rest = ''): string =>
    `${this.synchronizationsPath()}/${encodeURIComponent(id)}${rest}`
  readonly customersPath = (): string => this.integration('/accessible-customers')
  readonly customerPath = (name: string, rest = ''): string =>
    `${this.customersPath()}/${encodeURIComponent(name)}${rest}`
  readonly configurationPath = (name: string): string =>
    this.customerPath(name, '/configuration/accessible-lists')

  /** Asks for an address once, however many checks want to see it. */
  get(address: string): Promise<Exchange> {
    return this.once(`GET ${this.target.resolve(address)}`, () => this.target.get(address))
  }

  /** A resource by its address; what is answered with success is looked at by all checks of its kind. */
  async see(kind: Kind, address: string, synchronization?: string): Promise<Exchange> {
    return this.once(`see ${this.target.resolve(address)}`, async () => {
      const exchange = await this.get(address)
      if (isSuccess(exchange)) this.note(kind, exchange, synchronization)
      return exchange
    })
  }

  note(kind: Kind, exchange: Exchange, synchronization?: string): void {
    this.sightings.documents.push(exchange)
    this.sightings.add(kind, {
      value: exchange.json,
      from: exchange,
      isItem: false,
      ...(synchronization !== undefined && { synchronization }),
    })
  }

  /** A collection by its address, with its entries as sightings. */
  list(kind: Kind, relation: string, address: string, synchronization?: string): Promise<Listing> {
    return this.once(`list ${this.target.resolve(address)}`, async () =>
      this.#listing(kind, relation, await this.get(address), synchronization),
    )
  }

  #listing(kind: Kind, relation: string, exchange: Exchange, synchronization?: string): Listing {
    const items = isSuccess(exchange) ? entriesOf(exchange.json, relation) : []
    if (isSuccess(exchange)) this.sightings.documents.push(exchange)
    for (const value of items)
      this.sightings.add(kind, {
        value,
        from: exchange,
        isItem: true,
        ...(synchronization !== undefined && { synchronization }),
      })
    return { exchange, items, next: hrefOf(exchange.json, 'next') }
  }

  mailings = (): Promise<Listing> =>
    this.once('mailings', async () => this.#listing('mailing item', 'mailings', this.#probe.mailings))

  synchronizations = (): Promise<Listing> =>
    this.once('synchronizations', async () =>
      this.#listing('synchronization', 'mailing-synchronizations', this.#probe.synchronizations),
    )

  customers = (): Promise<Listing> =>
    this.once('customers', async () =>
      this.#listing('customer', 'accessible-customers', this.#probe.customers),
    )

  synchronization = async (id: string): Promise<Synchronization> => {
    const exchange = await this.see('synchronization', this.synchronizationPath(id), id)
    return { id, value: exchange.json, exchange }
  }

  lists = (customer: string, query = ''): Promise<Listing> =>
    this.list('list', 'lists', this.customerPath(customer, `/lists${query}`))

  configuration = (customer: string): Promise<Exchange> =>
    this.see('configuration', this.configurationPath(customer))

  /** Through the synchronization's own link, unless that leads nowhere. */
  sendings = async (id: string, query = ''): Promise<Listing> => {
    const { value } = await this.synchronization(id)
    const path = this.synchronizationPath(id, '/sendings')
    const link = hrefOf(value, 'sendings') ?? path
    const isUsual = this.target.resolve(link) === this.target.resolve(path)
    const address = isUsual || isSuccess(await this.get(link)) ? link : path
    return this.list('sending', 'sendings', address + query, id)
  }

  preview = (id: string, query = ''): Promise<Exchange> =>
    this.see('preview', this.synchronizationPath(id, `/preview${query}`), id)

  profiles = (id: string): Promise<Listing> =>
    this.list('test profile', 'test-profiles', this.synchronizationPath(id, '/test-profiles'), id)

  groups = (id: string): Promise<Listing> =>
    this.list('test-mail group', 'test-mail-groups', this.synchronizationPath(id, '/test-mail-groups'), id)

  sending = (synchronization: string, id: string): Promise<Exchange> =>
    this.see('sending', this.synchronizationPath(synchronization, `/sendings/${id}`), synchronization)

  statistics = (synchronization: string, id: string): Promise<Exchange> =>
    this.see(
      'statistics',
      this.synchronizationPath(synchronization, `/sendings/${id}/statistics`),
      synchronization,
    )

  upload = (synchronization: string, id: string): Promise<Exchange> =>
    this.see(
      'mailing-upload',
      this.synchronizationPath(synchronization, `/mailing-uploads/${id}`),
      synchronization,
    )

  /** IDs of the synchronizations that were looked at closely. @throws Lacking where there is none */
  async chosen(): Promise<readonly string[]> {
    const ids = await this.once('chosen', async () => choose((await this.synchronizations()).items))
    return ids.length > 0 ? ids : lacking('there is no mailing synchronization')
  }

  customerNames = async (): Promise<readonly string[]> => {
    const { items } = await this.customers()
    const names = items.map(it => text(it, 'name')).filter(it => it !== undefined)
    return names.slice(0, mostCustomers)
  }
}

/** Entries by their relation, or else what stands embedded under any relation of the service. */
export function entriesOf(json: unknown, relation: string): readonly unknown[] {
  const found = embedded(json, relation)
  if (found) return found
  const all = member(json, '_embedded')
  const ofService = isObject(all) ? Object.entries(all).filter(([name]) => name.includes(':')) : []
  return ofService.map(([, entries]) => entries).find(Array.isArray) ?? []
}

/** IDs of lists that can be sent, also where they come as texts. */
export const listIdsOf = (items: readonly unknown[]): number[] =>
  items.map(it => Number(member(it, 'id'))).filter(it => Number.isSafeInteger(it) && it > 0)

const mostCustomers = 6
const eachKind = 2

/**
 * Some synchronizations of each kind that there is, those with sendings first: a black box is asked no more than it takes.
 * The oldest of each kind, since they change least.
 */
function choose(all: readonly unknown[]): string[] {
  const age = (it: unknown) => Date.parse(String(member(it, 'creationDate'))) || 0
  const items = all.toSorted((one, other) => age(one) - age(other))
  const isTrue = (it: unknown, name: string) => String(member(it, name)) === 'true'
  const wanted: readonly [number, (it: unknown) => boolean][] = [
    [8, it => typeof member(it, 'sendingsModificationDate') === 'string'],
    [eachKind, it => typeof member(it, 'mailingUploadsModificationDate') === 'string'],
    [eachKind, it => isTrue(it, 'mailingHasDraft') && isTrue(it, 'mailingIsApproved')],
    [eachKind, it => isTrue(it, 'mailingHasDraft') && !isTrue(it, 'mailingIsApproved')],
    [eachKind, it => !isTrue(it, 'mailingHasDraft') && isTrue(it, 'mailingIsApproved')],
    [1, () => true],
  ]
  const chosen = wanted.flatMap(([most, isWanted]) => items.filter(isWanted).slice(0, most))
  const ids = chosen
    .map(it => member(it, 'id'))
    .filter(it => typeof it === 'string' || typeof it === 'number')
  return [...new Set(ids.map(String))]
}
