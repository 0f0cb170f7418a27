import type { DialValues } from '../../service/dials.ts'
import { type OperationId, partsOfSending } from '../../service/operations.ts'
import { getOrMake } from '../../store/maps.ts'
import { CannotVerify } from './cannot-verify.ts'
import { type Exchange, isSuccess } from './exchange.ts'
import { need, type Some } from './outcome.ts'
import { pathTo, type Variables } from './paths.ts'
import type { Probe } from './probe.ts'
import { kindShownBy, type ResourceKind, relationShownBy, resourceKinds } from './resource-kinds.ts'
import type { Target } from './target.ts'
import { embeddedEntries, hrefOf, isId, isObject, isTrue, memberAt, textAt } from './unknown-json.ts'

export interface ObservedResource {
  /** Read from the parsed answer each time, which is not kept. */
  readonly value: unknown
  readonly from: Exchange
  /** Whether it was in a collection. */
  readonly isItem: boolean
  /** ID of the synchronization in the path of the request. */
  readonly synchronization: string | undefined
}

type AddressableResource = ObservedResource & { readonly synchronization: string }

export const idOf = ({ value }: ObservedResource): string => String(memberAt(value, 'id'))

/** All resources that were seen, for checks that compare all of them with a clause. */
class ObservedResources {
  readonly #all = new Map<ResourceKind, ObservedResource[]>(resourceKinds.map(kind => [kind, []]))
  /** Answers with a resource or a collection. */
  readonly documents: Exchange[] = []

  of(kind: ResourceKind): readonly ObservedResource[] {
    return this.#all.get(kind)!
  }

  /** As `of`. @throws CannotCheck if there are none */
  some(kind: ResourceKind): Some<ObservedResource> {
    return need.some(this.of(kind), `there is no ${kind} here`)
  }

  /** Those with an ID that belong to a known synchronization, so that their path is known. */
  addressable(kind: ResourceKind): AddressableResource[] {
    return this.of(kind).filter(
      (it): it is AddressableResource =>
        it.synchronization !== undefined && textAt(it.value, 'id') !== undefined,
    )
  }

  /** IDs of what requests made, in that order. @param synchronization the one in which it was made, or any */
  createdIds(kind: ResourceKind, synchronization?: string): string[] {
    const created = this.of(kind)
      .filter(it => it.from.method === 'POST' && textAt(it.value, 'id') !== undefined)
      .filter(it => synchronization === undefined || it.synchronization === synchronization)
      .toSorted((one, other) => one.from.number - other.from.number)
    return [...new Set(created.map(idOf))]
  }

  /** Beyond some thousand of a kind, more of them show nothing else. */
  add(kind: ResourceKind, observed: ObservedResource): void {
    const all = this.#all.get(kind)!
    if (all.length < maxOfKind || !observed.isItem) all.push(observed)
  }
}

/** Maximum number of entries of collections that are compared for each kind of resource. */
const maxOfKind = 5_000
/** More entries than a page of the service can have. */
const maxEntries = 10_000

/** Pages of a collection that are read to find one entry. */
export const maxPages = 20

/** A page of a collection: its entries, under whatever relation. */
export interface Listing {
  readonly exchange: Exchange
  readonly items: readonly unknown[]
  readonly next: string | undefined
}

/** An ID of the right form that does not exist. */
export const unknownId = '00000000-0000-4000-8000-00000000dead'

/** Reads each address once: through links if there are any, by the document's paths otherwise. */
export class TargetReader {
  readonly target: Target
  readonly prefix: string
  readonly segment: string
  readonly observed = new ObservedResources()
  readonly #results = new Map<string, Promise<unknown>>()
  readonly #probe: Probe

  constructor(target: Target, prefix: string, segment: string, probe: Probe) {
    this.target = target
    this.prefix = prefix
    this.segment = segment
    this.#probe = probe
  }

  /** The result of `make`, which is called once for a name. */
  once<Value>(name: string, make: () => Promise<Value>): Promise<Value> {
    return getOrMake(this.#results, name, make) as Promise<Value>
  }

  readonly path = (id: OperationId, variables?: Variables): string => pathTo(id, this.segment, variables)
  readonly synchronizationsPath = (): string => this.path('listMailingSynchronizations')
  readonly synchronizationPath = (id: string, rest = ''): string =>
    this.path('getMailingSynchronization', { syncId: id }) + rest
  readonly customersPath = (): string => this.path('listAccessibleCustomers')
  readonly customerPath = (name: string, rest = ''): string =>
    this.path('getAccessibleCustomer', { customer: name }) + rest
  readonly configurationPath = (name: string): string => this.path('getAccessibleLists', { customer: name })

  /** Reads an address once for all checks. */
  get(address: string): Promise<Exchange> {
    return this.once(`GET ${this.target.resolve(address)}`, () => this.target.get(address))
  }

  /** Reads a resource. A success is recorded for all checks of its kind. */
  readAt(kind: ResourceKind, address: string, synchronization?: string): Promise<Exchange> {
    return this.once(`see ${this.target.resolve(address)}`, async () => {
      const exchange = await this.get(address)
      if (isSuccess(exchange)) this.noteResource(kind, exchange, synchronization)
      return exchange
    })
  }

  noteResource(kind: ResourceKind, from: Exchange, synchronization?: string): void {
    this.observed.documents.push(from)
    this.observed.add(kind, {
      get value() {
        return from.json
      },
      from,
      isItem: false,
      synchronization,
    })
  }

  /** Reads the collection that an operation shows. */
  listAt(id: OperationId, address: string, synchronization?: string): Promise<Listing> {
    return this.once(`list ${this.target.resolve(address)}`, async () =>
      this.#listing(id, await this.get(address), synchronization),
    )
  }

  #listing(id: OperationId, exchange: Exchange, synchronization?: string): Listing {
    const listing = {
      exchange,
      get items() {
        return isSuccess(exchange) ? entriesOf(exchange.json, relationShownBy(id)) : []
      },
      next: hrefOf(exchange.json, 'next'),
    }
    if (isSuccess(exchange)) this.observed.documents.push(exchange)
    const { length } = listing.items
    if (length > maxEntries)
      throw new CannotVerify(
        `the answer to ${new URL(exchange.url).pathname} has ${length} entries; no page of the service has more than ${maxEntries}`,
      )
    for (let at = 0; at < length; at++)
      this.observed.add(kindShownBy(id), {
        get value() {
          return listing.items[at]
        },
        from: exchange,
        isItem: true,
        synchronization,
      })
    return listing
  }

  read = (id: OperationId, variables: Variables, query = ''): Promise<Exchange> =>
    this.readAt(kindShownBy(id), this.path(id, variables) + query, variables.syncId)

  list = (id: OperationId, variables: Variables = {}, query = ''): Promise<Listing> =>
    this.listAt(id, this.path(id, variables) + query, variables.syncId)

  #probed = (id: OperationId, exchange: Exchange): Promise<Listing> =>
    this.once(id, async () => this.#listing(id, exchange))

  mailings = () => this.#probed('listMailings', this.#probe.mailings)
  synchronizations = () => this.#probed('listMailingSynchronizations', this.#probe.synchronizations)
  customers = () => this.#probed('listAccessibleCustomers', this.#probe.customers)

  synchronization = (syncId: string) => this.read('getMailingSynchronization', { syncId })
  lists = (customer: string, query = '') => this.list('listCustomerLists', { customer }, query)
  configuration = (customer: string) => this.read('getAccessibleLists', { customer })

  /** Through the synchronization's own link, unless that is broken. */
  sendings = async (id: string, query = ''): Promise<Listing> => {
    const { json } = await this.synchronization(id)
    const path = this.path('listSendings', { syncId: id })
    const link = hrefOf(json, 'sendings') ?? path
    const isUsual = this.target.resolve(link) === this.target.resolve(path)
    const address = isUsual || isSuccess(await this.get(link)) ? link : path
    return this.listAt('listSendings', address + query, id)
  }

  preview = (syncId: string, query = '') => this.read('getPreview', { syncId }, query)
  profiles = (syncId: string) => this.list('listTestProfiles', { syncId })
  groups = (syncId: string) => this.list('listTestMailGroups', { syncId })
  sending = (syncId: string, id: string) => this.read('getSending', { syncId, id })
  statistics = (syncId: string, id: string) => this.read('getSendingStatistics', { syncId, id })
  upload = (syncId: string, id: string) => this.read('getMailingUpload', { syncId, id })

  /** IDs of the synchronizations that are examined in detail. @throws CannotCheck without any */
  async chosenSynchronizations(): Promise<Some<string>> {
    const { items } = await this.synchronizations()
    const ids = await this.once('chosen', async () => chooseSynchronizations(items))
    return need.some(ids, 'there is no mailing synchronization')
  }

  /** The entry with an ID, on the page that was read or a further one, and the page on which it is. */
  async findEntry(
    listing: Listing,
    relation: string,
    id: unknown,
  ): Promise<{ readonly entry: unknown; readonly from: Exchange } | undefined> {
    let [from, pages] = [listing.exchange, 1]
    for (;;) {
      const entry = isSuccess(from) ? entryOf(from.json, relation, id) : undefined
      if (entry !== undefined) return { entry, from }
      const next = hrefOf(from.json, 'next')
      if (next === undefined || ++pages > maxPages) return undefined
      from = await this.get(next)
    }
  }

  customerNames = async (): Promise<readonly string[]> => {
    const { items } = await this.customers()
    return items.flatMap(it => textAt(it, 'name') ?? []).slice(0, maxCustomers)
  }
}

/** Entries under their relation, or else under any relation with a prefix. */
export function entriesOf(json: unknown, relation: string): readonly unknown[] {
  const found = embeddedEntries(json, relation)
  if (found) return found
  const all = memberAt(json, '_embedded')
  const ofService = isObject(all) ? Object.entries(all).filter(([name]) => name.includes(':')) : []
  return ofService.map(([, entries]) => entries).find(Array.isArray) ?? []
}

/** The entry with an ID; undefined also without an ID. */
export const entryOf = (json: unknown, relation: string, id: unknown): unknown =>
  id === undefined ? undefined : entriesOf(json, relation).find(it => memberAt(it, 'id') === id)

type Order = DialValues['collection-order'] | 'another'

/** The order of what has a number or a place in time. What ascends is the oldest first. */
export function orderOf(values: readonly number[]): Order {
  const isSeries = (sign: number) =>
    values.every((value, at) => at === 0 || sign * (value - values[at - 1]!) >= 0)
  if (isSeries(1)) return 'oldest-first'
  return isSeries(-1) ? 'newest-first' : 'another'
}

/** The order of entries by their creation date; undefined if no two have different dates. */
export function orderOfCreation(items: readonly unknown[]): Order | undefined {
  const dates = items.map(it => Date.parse(String(memberAt(it, 'creationDate')))).filter(Number.isFinite)
  return new Set(dates).size < 2 ? undefined : orderOf(dates)
}

/** IDs of lists that can be used in requests, also if they are strings. */
export const listIdsOf = (items: readonly unknown[]): number[] =>
  items.map(it => Number(memberAt(it, 'id'))).filter(it => Number.isSafeInteger(it) && it > 0)

const maxCustomers = 6
const maxPerKind = 2

/** A few synchronizations of each kind, to save requests: the oldest, which change least; those with sendings first. */
function chooseSynchronizations(all: readonly unknown[]): string[] {
  const age = (it: unknown) => Date.parse(String(memberAt(it, 'creationDate'))) || 0
  const items = all.toSorted((one, other) => age(one) - age(other))
  const wanted: readonly [number, (it: unknown) => boolean][] = [
    [8, it => typeof memberAt(it, 'sendingsModificationDate') === 'string'],
    [maxPerKind, it => typeof memberAt(it, 'mailingUploadsModificationDate') === 'string'],
    [maxPerKind, it => isTrue(it, 'mailingHasDraft') && isTrue(it, 'mailingIsApproved')],
    [maxPerKind, it => isTrue(it, 'mailingHasDraft') && !isTrue(it, 'mailingIsApproved')],
    [maxPerKind, it => !isTrue(it, 'mailingHasDraft') && isTrue(it, 'mailingIsApproved')],
    [1, () => true],
  ]
  const chosen = wanted.flatMap(([most, isWanted]) => items.filter(isWanted).slice(0, most))
  const ids = chosen.map(it => memberAt(it, 'id')).filter(isId)
  return [...new Set(ids.map(String))]
}

/** Reads what is there, through its links, so that every check of a field has resources to look at. */
export async function readEverything(reader: TargetReader): Promise<void> {
  await readMailings(reader)
  await reader.synchronizations()
  const ids = await reader.chosenSynchronizations().catch(() => [])
  for (const [at, id] of ids.entries()) await readSynchronization(reader, id, at < maxPerKind)
  await readCustomers(reader)
}

async function readMailings(reader: TargetReader): Promise<void> {
  const { items } = await reader.mailings()
  const kindOf = (it: unknown) => `${memberAt(it, 'isApproved')} ${memberAt(it, 'hasDraft')}`
  const ofEachKind = items.filter((it, at) => items.findIndex(other => kindOf(other) === kindOf(it)) === at)
  for (const item of ofEachKind.slice(0, 4)) {
    await reader.readAt('mailing', hrefOf(item, 'self') ?? `/mailings/${memberAt(item, 'id')}`)
  }
}

/** @param isAnyway whether its sendings are read even if its dates say that there are none */
async function readSynchronization(reader: TargetReader, id: string, isAnyway: boolean): Promise<void> {
  const { json } = await reader.synchronization(id)
  if (isAnyway || memberAt(json, 'sendingsModificationDate')) await readSendings(reader, id)
  if (memberAt(json, 'mailingUploadsModificationDate')) {
    const latest = await reader.upload(id, 'latest')
    const upload = textAt(latest.json, 'id')
    if (upload !== undefined) await reader.upload(id, upload)
  }
  await reader.preview(id)
  await reader.profiles(id)
  await reader.groups(id)
}

async function readSendings(reader: TargetReader, id: string): Promise<void> {
  await reader.sendings(id)
  const { items } = await reader.sendings(id, '?includeAllStates=true')
  for (const sending of items.slice(0, 3).flatMap(it => textAt(it, 'id') ?? [])) {
    await reader.sending(id, sending)
    for (const part of partsOfSending) await reader.read(part, { syncId: id, id: sending })
  }
}

async function readCustomers(reader: TargetReader): Promise<void> {
  for (const name of await reader.customerNames()) {
    await reader.read('getAccessibleCustomer', { customer: name })
    const [first] = (await reader.lists(name)).items
    const [id, self] = [memberAt(first, 'id'), hrefOf(first, 'self')]
    if (isId(id) || self !== undefined)
      await reader.readAt('list', self ?? reader.customerPath(name, `/lists/${id}`))
    await reader.configuration(name)
  }
}
