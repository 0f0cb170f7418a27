import { mapParallel } from '../../store/parallel.ts'
import { type Exchange, isSuccess } from '../verify/exchange.ts'
import { type OperationId, pathBelow, pathTo, type Variables } from '../verify/paths.ts'
import { probe, refuseNonService, relationPrefixOf } from '../verify/probe.ts'
import { relationShownBy } from '../verify/resource-kinds.ts'
import { entriesOf, orderOfCreation } from '../verify/target-reader.ts'
import { hrefOf, isTrue, memberAt, textAt } from '../verify/unknown-json.ts'
import { CannotPull, type PullSource } from './pull-source.ts'

const maxPages = 5_000
/** Maximum number of consecutive pages without new entries. */
const maxIdlePages = 3

/** What a fixture could not take over unchanged: each note once, with its count. */
export class Notes {
  readonly #counts = new Map<string, number>()
  /** Whether all that had to be copied was: mailings, synchronizations, customers, lists and sendings. */
  isComplete = true

  /** For an entry that had to be copied and is not in the fixture. */
  addLoss(sentence: string): void {
    this.isComplete = false
    this.add(sentence)
  }

  add(sentence: string): void {
    this.#counts.set(sentence, (this.#counts.get(sentence) ?? 0) + 1)
  }

  lines(): string[] {
    return [...this.#counts].map(([sentence, count]) =>
      count === 1 ? sentence : `${sentence} (${count} times)`,
    )
  }
}

const entryKey = (entry: unknown): string =>
  String(memberAt(entry, 'id') ?? memberAt(entry, 'name') ?? JSON.stringify(entry))

export interface CrawlProgress {
  /** The kind of resource that is read now, such as `previews`. */
  readonly now: string
  readonly done: number
  /** Undefined while it is unknown. */
  readonly all: number | undefined
  /** Answers of the service itself so far. */
  readonly answered: number
}

interface CrawlOptions {
  readonly source: PullSource
  readonly platformSegment: string
  readonly notes: Notes
  readonly onProgress?: ((progress: CrawlProgress) => void) | undefined
}

const maxConcurrent = 3

/**
 * Reads everything that a fixture can contain: the three collections where everything starts, then along the
 * links. Resources without a link are read at the document's paths (4.7 to 4.9, 4.15, 4.16).
 * @throws CannotPull or CannotVerify if something essential cannot be read
 */
export const crawl = (options: CrawlOptions) => new Crawl(options).findings()

/** Everything that was read from a service, unchanged. */
export type Findings = Awaited<ReturnType<typeof crawl>>

class Crawl {
  readonly #options: CrawlOptions

  constructor(options: CrawlOptions) {
    this.#options = options
  }

  async findings() {
    const { source, platformSegment } = this.#options
    const probed = await probe(source, platformSegment)
    source.trust()
    const mailings = await this.#readCollection('listMailings')
    const synchronizations = await this.#readCollection('listMailingSynchronizations')
    const customers = await this.#readCustomers()
    const requests = await this.#mapConcurrently(
      'sendings and uploads of synchronizations',
      synchronizations,
      it => this.#readRequests(it),
    )
    const found = synchronizations.map((value, at) => ({ value, ...requests[at]! }))
    const isNewestFirst =
      [synchronizations, ...found.map(it => it.sendings.map(({ value }) => value))]
        .map(orderOfCreation)
        .find(it => it !== undefined) === 'newest-first'
    // A fixture has its rows in the order in which they were made.
    const byCreation = <Entry>(entries: readonly Entry[]) => (isNewestFirst ? entries.toReversed() : entries)
    const recipients = await this.#readRecipients(synchronizations, byCreation)
    return {
      prefix: relationPrefixOf(Object.values(probed)) ?? 'svc',
      isNewestFirst,
      mailings,
      customers: byCreation(customers).map(it => ({ ...it, lists: byCreation(it.lists) })),
      synchronizations: byCreation(found).map(it => ({ ...it, sendings: byCreation(it.sendings) })),
      /** By ID of the mailing. */
      versions: await this.#readVersions(synchronizations),
      recipients,
    }
  }

  async #readCustomers() {
    const found = await this.#readCollection('listAccessibleCustomers')
    return this.#mapConcurrently('lists', found, async value => {
      const customer = textAt(value, 'name') ?? ''
      const address = selfOf(value) ?? this.#path('getAccessibleCustomer', { customer })
      return {
        value,
        lists: await this.#readEntries(
          `${address}${pathBelow('getAccessibleCustomer', 'listCustomerLists')}?showAllLists=true`,
          'listCustomerLists',
        ),
        configuration: await this.#readOptional(
          address + pathBelow('getAccessibleCustomer', 'getAccessibleLists'),
          'the accessible-lists configuration of a customer',
        ),
      }
    })
  }

  /** Sendings and latest upload of a synchronization. A date that is null means that there are none (2.2). */
  async #readRequests(synchronization: unknown) {
    const address = this.#addressOf(synchronization)
    const hasSendings = memberAt(synchronization, 'sendingsModificationDate') !== null
    const hasUploads = memberAt(synchronization, 'mailingUploadsModificationDate') !== null
    const sendingsAt = hrefOf(synchronization, 'sendings') ?? address + pathBelow(parent, 'listSendings')
    const sendings = hasSendings
      ? await this.#readEntries(withQuery(sendingsAt, 'includeAllStates=true'), 'listSendings')
      : []
    const found: { readonly value: unknown; readonly statistics: unknown }[] = []
    for (const value of sendings) {
      const statisticsAt =
        hrefOf(value, 'statistics') ??
        (selfOf(value) ?? sendingsAt + pathBelow('listSendings', 'getSending', idIn(value))) +
          pathBelow('getSending', 'getSendingStatistics')
      const isSent = textAt(value, 'state') === 'CREATED' || memberAt(value, 'target.sendingId') != null
      found.push({
        value,
        statistics: isSent
          ? await this.#readOptional(statisticsAt, 'the statistics of a sending')
          : undefined,
      })
    }
    const uploadAt =
      hrefOf(synchronization, 'mailing-uploads') ??
      address + pathBelow(parent, 'getMailingUpload', { id: 'latest' })
    return {
      sendings: found,
      upload: hasUploads
        ? await this.#readOptional(uploadAt, 'the latest mailing-upload of a synchronization')
        : undefined,
    }
  }

  /** The content of each mailing, read once, through its first synchronization. */
  #readVersions(synchronizations: readonly unknown[]) {
    const mailingOf = (it: unknown) => textAt(it, 'mailingId')
    return this.#readOnce('previews', synchronizations, mailingOf, async synchronization => {
      const address =
        hrefOf(synchronization, 'preview')?.replace(/\{.*$/, '') ??
        this.#addressOf(synchronization) + pathBelow(parent, 'getPreview')
      return {
        draft: isTrue(synchronization, 'mailingHasDraft')
          ? await this.#readPreview(address, 'draft')
          : undefined,
        approved: isTrue(synchronization, 'mailingIsApproved')
          ? await this.#readPreview(address, 'lastApproved')
          : undefined,
        approvedName: textAt(synchronization, 'approvedMailingName'),
      }
    })
  }

  /** The document does not define the kinds. A service without them shows the latest version. */
  async #readPreview(address: string, kind: 'draft' | 'lastApproved'): Promise<unknown> {
    const exchange = await this.#options.source.ask(withQuery(address, `kind=${kind}`))
    if (exchange.status !== 400) return this.#bodyOf(exchange, `the ${kind} preview of a mailing`)
    this.#options.notes.add(`the service knows no preview of kind ${kind}; the latest version stands for it`)
    return this.#readOptional(address, 'the preview of a mailing')
  }

  /** Test recipients of each list, read once, through its first synchronization. */
  async #readRecipients(
    synchronizations: readonly unknown[],
    byCreation: (entries: readonly unknown[]) => readonly unknown[],
  ) {
    const found = await this.#readOnce(
      'test recipients',
      synchronizations,
      listKeyOf,
      async synchronization => {
        const address = this.#addressOf(synchronization)
        return {
          synchronization,
          profiles: byCreation(await this.#readOptionalEntries(address, 'listTestProfiles')),
          groups: byCreation(await this.#readOptionalEntries(address, 'listTestMailGroups')),
        }
      },
    )
    return [...found.values()]
  }

  /** What belongs to each key, read once, through its first synchronization. Those without a key are left out. */
  async #readOnce<Out>(
    now: string,
    synchronizations: readonly unknown[],
    keyOf: (synchronization: unknown) => string | undefined,
    look: (synchronization: unknown) => Promise<Out>,
  ): Promise<Map<string, Out>> {
    const firsts = new Map<string, unknown>()
    for (const it of synchronizations) {
      const key = keyOf(it)
      if (key !== undefined && !firsts.has(key)) firsts.set(key, it)
    }
    const found = await this.#mapConcurrently(now, [...firsts.values()], look)
    return new Map([...firsts.keys()].map((key, at) => [key, found[at]!]))
  }

  #addressOf = (synchronization: unknown): string =>
    selfOf(synchronization) ?? this.#path(parent, { syncId: idIn(synchronization).id })

  #path = (id: OperationId, variables?: Variables): string =>
    pathTo(id, this.#options.platformSegment, variables)

  /** A collection with progress reports of its own. */
  async #readCollection(id: OperationId): Promise<unknown[]> {
    const relation = relationShownBy(id)
    const report = (count: number) => this.#reportProgress(relation, count, undefined)
    report(0)
    const entries = await this.#readEntries(this.#path(id), id, report)
    this.#reportProgress(relation, entries.length, entries.length)
    return entries
  }

  /**
   * All entries of a collection, page by page along its `next` links. Stops at a circle of links.
   * @param onEntries called with the number of entries so far
   * @throws CannotPull if a page cannot be read
   */
  async #readEntries(
    address: string,
    id: OperationId,
    onEntries?: (count: number) => void,
  ): Promise<unknown[]> {
    // Cursors are valid for minutes only. If they expire while the service asks to wait, the collection is read again from
    // its beginning.
    for (const isFresh of [false, true]) {
      const entries = await this.#readPages(address, relationShownBy(id), onEntries, isFresh)
      if (entries) return entries
    }
    throw new CannotPull(`the pages of ${address} expire faster than they can be read; try a higher --rate`)
  }

  /** @returns undefined if a page has expired */
  async #readPages(
    address: string,
    relation: string,
    onEntries: ((count: number) => void) | undefined,
    isFresh: boolean,
  ): Promise<unknown[] | undefined> {
    const { source, notes } = this.#options
    const entries = new Map<string, unknown>()
    const seen = new Set<string>()
    let idle = 0
    for (let next: string | undefined = address; next !== undefined; ) {
      if (seen.has(next)) {
        notes.addLoss(`the pages of ${relation} lead in a circle; all that the circle has is here`)
        break
      }
      if (seen.size >= maxPages) throw new CannotPull(`${address} has more than ${maxPages} pages`)
      seen.add(next)
      const exchange: Exchange = await source.ask(next, isFresh)
      if (exchange.status === 410 && next !== address) return undefined
      if (!isSuccess(exchange)) this.#refuse(exchange)
      const before = entries.size
      for (const entry of entriesOf(exchange.json, relation)) entries.set(entryKey(entry), entry)
      onEntries?.(entries.size)
      next = hrefOf(exchange.json, 'next')
      idle = entries.size > before ? 0 : idle + 1
      if (idle >= maxIdlePages && next !== undefined) {
        notes.addLoss(`the pages of ${relation} bring nothing new and do not end; what came before is here`)
        break
      }
    }
    return [...entries.values()]
  }

  /** A collection below a synchronization that may be missing or forbidden; empty then. */
  async #readOptionalEntries(synchronizationAt: string, id: OperationId): Promise<unknown[]> {
    const address = synchronizationAt + pathBelow(parent, id)
    const first = await this.#options.source.ask(address)
    if (isSuccess(first)) return this.#readEntries(address, id)
    this.#bodyOf(first, `the ${relationShownBy(id)} of a list`)
    return []
  }

  /** A resource that may be missing or forbidden; undefined then. */
  #readOptional = async (address: string, what: string): Promise<unknown> =>
    this.#bodyOf(await this.#options.source.ask(address), what)

  #bodyOf(exchange: Exchange, what: string): unknown {
    if (isSuccess(exchange)) return exchange.json
    if (exchange.status === 403) this.#options.notes.add(`this user may not read ${what}, so it is not here`)
    else if (exchange.status !== 404) this.#refuse(exchange)
    return undefined
  }

  #refuse(exchange: Exchange): never {
    const { pathname } = new URL(exchange.url)
    if (exchange.status === 403)
      throw new CannotPull(`the service answers 403 to ${pathname}; take a user with the right to read`)
    refuseNonService(exchange, this.#options.source.base)
    throw new CannotPull(
      `the service answers ${exchange.status} to ${pathname}, so the copy would not be whole`,
    )
  }

  /** Maps all items, a few at a time. The results have the order of the items. */
  async #mapConcurrently<In, Out>(
    now: string,
    items: readonly In[],
    look: (item: In) => Promise<Out>,
  ): Promise<Out[]> {
    let done = 0
    this.#reportProgress(now, 0, items.length)
    const results: Out[] = []
    await mapParallel(items, { maxParallel: maxConcurrent }, async (item, at) => {
      results[at] = await look(item)
      this.#reportProgress(now, ++done, items.length)
    })
    return results
  }

  #reportProgress(now: string, done: number, all: number | undefined): void {
    this.#options.onProgress?.({ now, done, all, answered: this.#options.source.answered })
  }
}

const parent = 'getMailingSynchronization'
const idIn = (value: unknown) => ({ id: String(memberAt(value, 'id')) })

/** The address of a resource, to which a path can be appended. */
const selfOf = (value: unknown): string | undefined => hrefOf(value, 'self')?.replace(/\/*(?:[?#{].*)?$/, '')

function withQuery(address: string, query: string): string {
  const bare = address.replace(/\{.*$/, '')
  return `${bare}${bare.includes('?') ? '&' : '?'}${query}`
}

/** Customer and ID of a list as one key. */
const listKeyOf = (synchronization: unknown): string =>
  JSON.stringify([
    textAt(synchronization, 'target.customer') ?? '',
    Number(memberAt(synchronization, 'target.listId')),
  ])
