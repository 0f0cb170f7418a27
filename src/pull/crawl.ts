import { prefixOf, probe, refuseStranger } from '../verify/entry.ts'
import { type Exchange, isSuccess } from '../verify/exchange.ts'
import { hrefOf, member, text } from '../verify/hal.ts'
import { CannotPull } from './cannot-pull.ts'
import { entriesAt, type Reading } from './collection.ts'
import type { CustomerFound, Findings, SendingFound, Versions } from './findings.ts'
import type { Notes } from './notes.ts'
import type { Source } from './source.ts'

/** How far a crawl has come. */
export interface CrawlProgress {
  /** What is read now, such as `previews`. */
  readonly now: string
  readonly done: number
  /** Undefined while nobody knows. */
  readonly all: number | undefined
  /** Answers so far, of the service itself. */
  readonly answered: number
}

export interface CrawlOptions {
  readonly source: Source
  readonly platformSegment: string
  readonly notes: Notes
  readonly onProgress?: ((progress: CrawlProgress) => void) | undefined
}

/** So many requests are under way at once. */
const atOnce = 3

/**
 * Reads everything that a fixture can hold: the three collections with which everything begins, and from there on along
 * the links. Where a resource has no link to it, its address is the document's (4.7 to 4.9, 4.15, 4.16).
 * @throws CannotPull or CannotVerify where something cannot be had without which the copy would not be whole
 */
export const crawl = (options: CrawlOptions): Promise<Findings> => new Crawl(options).findings()

class Crawl {
  readonly #options: CrawlOptions
  readonly #integration: string

  constructor(options: CrawlOptions) {
    this.#options = options
    this.#integration = `/integrations/${options.platformSegment}`
  }

  async findings(): Promise<Findings> {
    const { source, platformSegment } = this.#options
    const probed = await probe(source, platformSegment)
    source.trust()
    const mailings = await this.#all('/mailings', 'mailings')
    const synchronizations = await this.#all(
      `${this.#integration}/mailing-synchronizations`,
      'mailing-synchronizations',
    )
    const customers = await this.#customers()
    const requests = await this.#each('requests', synchronizations, it => this.#requests(it))
    return {
      prefix: prefixOf([probed.mailings, probed.synchronizations, probed.customers]) ?? 'svc',
      mailings,
      customers,
      synchronizations: synchronizations.map((value, at) => ({ value, ...requests[at]! })),
      versions: await this.#versions(synchronizations),
      recipients: await this.#recipients(synchronizations),
    }
  }

  async #customers(): Promise<CustomerFound[]> {
    const found = await this.#all(`${this.#integration}/accessible-customers`, 'accessible-customers')
    return this.#each('lists', found, async value => {
      const name = text(value, 'name') ?? ''
      const address = selfOf(value) ?? `${this.#integration}/accessible-customers/${encodeURIComponent(name)}`
      return {
        value,
        lists: await this.#entries(`${address}/lists?showAllLists=true`, 'lists'),
        configuration: await this.#optional(
          `${address}/configuration/accessible-lists`,
          'the accessible-lists configuration of a customer',
        ),
      }
    })
  }

  /** What was made through a synchronization. A date that is null says that there is nothing (2.2). */
  async #requests(synchronization: unknown): Promise<{ sendings: SendingFound[]; upload: unknown }> {
    const address = this.#addressOf(synchronization)
    const hasSendings = member(synchronization, 'sendingsModificationDate') !== null
    const hasUploads = member(synchronization, 'mailingUploadsModificationDate') !== null
    const sendingsAt = hrefOf(synchronization, 'sendings') ?? `${address}/sendings`
    const sendings = hasSendings
      ? await this.#entries(withQuery(sendingsAt, 'includeAllStates=true'), 'sendings')
      : []
    const found: SendingFound[] = []
    for (const value of sendings) {
      const statisticsAt =
        hrefOf(value, 'statistics') ?? `${selfOf(value) ?? `${sendingsAt}/${member(value, 'id')}`}/statistics`
      const isSent = text(value, 'state') === 'CREATED' || member(value, 'target.sendingId') != null
      found.push({
        value,
        statistics: isSent ? await this.#optional(statisticsAt, 'the statistics of a sending') : undefined,
      })
    }
    const uploadAt = hrefOf(synchronization, 'mailing-uploads') ?? `${address}/mailing-uploads/latest`
    return {
      sendings: found,
      upload: hasUploads
        ? await this.#optional(uploadAt, 'the latest mailing-upload of a synchronization')
        : undefined,
    }
  }

  /** The content of each mailing, once, through the first of its synchronizations. */
  async #versions(synchronizations: readonly unknown[]): Promise<ReadonlyMap<string, Versions>> {
    const firsts = [...firstBy(synchronizations, it => text(it, 'mailingId'))]
    const versions = await this.#each('previews', firsts, async ([, synchronization]) => {
      const address =
        hrefOf(synchronization, 'preview')?.replace(/\{.*$/, '') ??
        `${this.#addressOf(synchronization)}/preview`
      return {
        draft: isTrue(synchronization, 'mailingHasDraft') ? await this.#preview(address, 'draft') : undefined,
        approved: isTrue(synchronization, 'mailingIsApproved')
          ? await this.#preview(address, 'lastApproved')
          : undefined,
        approvedName: text(synchronization, 'approvedMailingName'),
      }
    })
    return new Map(firsts.map(([mailingId], at) => [mailingId, versions[at]!]))
  }

  /** The kinds are not in the document; who does not know them shows the latest version. */
  async #preview(address: string, kind: 'draft' | 'lastApproved'): Promise<unknown> {
    const exchange = await this.#options.source.ask(withQuery(address, `kind=${kind}`))
    if (exchange.status !== 400) return this.#unless(exchange, `the ${kind} preview of a mailing`)
    this.#options.notes.add(`the service knows no preview of kind ${kind}; the latest version stands for it`)
    return this.#optional(address, 'the preview of a mailing')
  }

  /** Who tests the mailings of each list, once, through the first of its synchronizations. */
  async #recipients(synchronizations: readonly unknown[]): Promise<Findings['recipients']> {
    const firsts = [...firstBy(synchronizations, listKeyOf)]
    const found = await this.#each('test recipients', firsts, async ([, synchronization]) => {
      const address = this.#addressOf(synchronization)
      return {
        profiles: await this.#optionalEntries(`${address}/test-profiles`, 'test-profiles'),
        groups: await this.#optionalEntries(`${address}/test-mail-groups`, 'test-mail-groups'),
      }
    })
    return new Map(firsts.map(([list], at) => [list, found[at]!]))
  }

  #addressOf = (synchronization: unknown): string =>
    selfOf(synchronization) ??
    `${this.#integration}/mailing-synchronizations/${encodeURIComponent(String(member(synchronization, 'id')))}`

  /** A collection that stands for itself. */
  async #all(address: string, relation: string): Promise<unknown[]> {
    this.#tell(relation, 0, undefined)
    const entries = await entriesAt(address, relation, {
      ...this.#reading,
      onEntries: count => this.#tell(relation, count, undefined),
    })
    this.#tell(relation, entries.length, entries.length)
    return entries
  }

  #entries = (address: string, relation: string): Promise<unknown[]> =>
    entriesAt(address, relation, this.#reading)

  async #optionalEntries(address: string, relation: string): Promise<unknown[]> {
    const first = await this.#options.source.ask(address)
    if (!isSuccess(first)) {
      this.#unless(first, `the ${relation} of a list`)
      return []
    }
    return this.#entries(address, relation)
  }

  /** A resource that need not be there, or not for this user; undefined then. */
  #optional = async (address: string, what: string): Promise<unknown> =>
    this.#unless(await this.#options.source.ask(address), what)

  #unless(exchange: Exchange, what: string): unknown {
    if (isSuccess(exchange)) return exchange.json
    if (exchange.status === 403) this.#options.notes.add(`this user may not read ${what}, so it is not here`)
    else if (exchange.status !== 404) this.#refuse(exchange)
    return undefined
  }

  get #reading(): Reading {
    const { source, notes } = this.#options
    return { source, notes, refuse: this.#refuse }
  }

  readonly #refuse = (exchange: Exchange): never => {
    const { pathname } = new URL(exchange.url)
    if (exchange.status === 403)
      throw new CannotPull(`the service answers 403 to ${pathname}; take a user with the right to read`)
    refuseStranger(exchange, this.#options.source.base)
    throw new CannotPull(
      `the service answers ${exchange.status} to ${pathname}, so the copy would not be whole`,
    )
  }

  /** Looks at each, few at a time; what comes out stands in the order of what went in. */
  async #each<In, Out>(now: string, items: readonly In[], look: (item: In) => Promise<Out>): Promise<Out[]> {
    const found: Out[] = []
    let started = 0
    let done = 0
    let isBroken = false
    this.#tell(now, 0, items.length)
    const worker = async () => {
      while (started < items.length && !isBroken) {
        const at = started++
        try {
          found[at] = await look(items[at]!)
        } catch (error) {
          isBroken = true
          throw error
        }
        this.#tell(now, ++done, items.length)
      }
    }
    const workers = await Promise.allSettled(Array.from({ length: atOnce }, worker))
    for (const it of workers) if (it.status === 'rejected') throw it.reason
    return found
  }

  #tell(now: string, done: number, all: number | undefined): void {
    this.#options.onProgress?.({ now, done, all, answered: this.#options.source.answered })
  }
}

/** The address of a resource, to put something behind it. */
const selfOf = (value: unknown): string | undefined => hrefOf(value, 'self')?.replace(/\/*(?:[?#{].*)?$/, '')

function withQuery(address: string, query: string): string {
  const bare = address.replace(/\{.*$/, '')
  return `${bare}${bare.includes('?') ? '&' : '?'}${query}`
}

const isTrue = (value: unknown, name: string): boolean => String(member(value, name)) === 'true'

/** A list by its customer and ID, as one text. */
export const listKeyOf = (synchronization: unknown): string =>
  JSON.stringify([
    text(synchronization, 'target.customer') ?? '',
    Number(member(synchronization, 'target.listId')),
  ])

/** The first of each key; without a key none. */
function firstBy(
  values: readonly unknown[],
  keyOf: (value: unknown) => string | undefined,
): Map<string, unknown> {
  const first = new Map<string, unknown>()
  for (const value of values) {
    const key = keyOf(value)
    if (key !== undefined && !first.has(key)) first.set(key, value)
  }
  return first
}
