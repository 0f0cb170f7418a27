import { type Check, type ClauseEntry, outside, reading } from './check.ts'
import { type Exchange, isSuccess } from './exchange.ts'
import {
  compareEach,
  differs,
  holds,
  must,
  need,
  type Outcome,
  observe,
  sameAs,
  untestable,
} from './outcome.ts'
import type { OperationId } from './paths.ts'
import type { ResourceKind } from './resource-kinds.ts'
import {
  entriesOf,
  idOf,
  type Listing,
  maxPages,
  orderOf,
  orderOfCreation,
  type TargetReader,
  unknownId,
} from './target-reader.ts'
import {
  describeValue,
  embeddedEntries,
  hrefOf,
  isObject,
  linksOf,
  memberAt,
  withoutPrefix,
} from './unknown-json.ts'

/** Beyond the document: pages of collections. */
export const paginationChecks: readonly ClauseEntry[] = [
  reading('S pagination', 'customers, lists, profiles and groups with pageSize=1', async reader => {
    const customers = (await reader.customerNames()).slice(0, 2)
    const [syncId] = await reader.chosenSynchronizations().catch(() => [])
    const below: OperationId[] = syncId === undefined ? [] : ['listTestProfiles', 'listTestMailGroups']
    const wholes: [path: string, whole: Listing][] = [[reader.customersPath(), await reader.customers()]]
    for (const customer of customers)
      wholes.push([reader.path('listCustomerLists', { customer }), await reader.lists(customer)])
    for (const id of below)
      wholes.push([reader.path(id, { syncId: syncId! }), await reader.list(id, { syncId: syncId! })])
    return compareEach(wholes, 'none of them has two entries', async ([path, { items }]) => {
      const answer = await reader.get(`${path}?pageSize=1`)
      const compared = mustBePage(answer, entriesOf(answer.json, '').length)
      return items.length > 1 ? compared : undefined
    })
  }),
  reading('S pagination next', 'next links of pages of mailings, to their end', async reader => {
    const whole = await reader.target.get('/mailings')
    const [items, next] = [entriesOf(whole.json, 'mailings'), hrefOf(whole.json, 'next')]
    if (items.length < 2) return untestable('there are fewer than two mailings')
    const size = Math.max(1, Math.ceil(items.length / 4))
    const seen: unknown[] = []
    let page = await reader.get(`/mailings?pageSize=${size}`)
    for (let pages = 0; pages < 6; pages++) {
      const entries = entriesOf(page.json, 'mailings')
      seen.push(...entries.map(it => memberAt(it, 'id')))
      const further = hrefOf(page.json, 'next')
      const isWhole = seen.length >= items.length
      if (further === undefined)
        return must.be(isWhole, `${items.length} mailings in all`, `no next link after ${seen.length}`, page)
      if (isWhole && next === undefined) return differs('no next link on the last page', further, page)
      if (entries.length === 0) return differs('no next link to an empty page', further, page)
      page = await reader.get(further)
      must.succeed(page, 'a next link that resolves')
    }
    return holds
  }),
  reading('S pagination links', 'links and members of collections', reader => {
    const nothing = 'there is no collection here'
    return compareEach(reader.observed.documents, nothing, document => {
      const relations = Object.keys(linksOf(document.json)).map(withoutPrefix)
      const link = relations.find(it => ['first', 'last', 'prev', 'previous'].includes(it))
      if (link !== undefined) return differs('no such link', link, document)
      if (memberAt(document.json, '_embedded') === undefined) return undefined
      const total = totalNames.find(name => memberAt(document.json, name) !== undefined)
      return must.be(total === undefined, 'no totals', total ?? '', document)
    })
  }),
  reading('S cursor', 'the query of next links', async reader => {
    const page = await reader.get('/mailings?pageSize=1&isApproved=true')
    const next = hrefOf(page.json, 'next')
    if (next === undefined) return untestable('there are fewer than two approved mailings')
    const { searchParams } = new URL(reader.target.resolve(next))
    const names = [...searchParams.keys()]
    if (names.length !== 1 || names[0] !== 'cursor') return differs('cursor alone', names.join(', '), page)
    const further = await reader.get(next)
    const entries = entriesOf(further.json, 'mailings')
    const isRight = entries.length === 1 && String(memberAt(entries[0], 'isApproved')) === 'true'
    const seen = `${further.status}, ${entries.length} entries`
    return must.be(isRight, 'one approved mailing, as the first page', seen, page, further)
  }),
  outside('S cursor expiry', 'it would take waiting longer than anybody waits for a verification'),
  reading('S foreign cursor', 'the cursor of another collection', async reader => {
    const page = await reader.get('/mailings?pageSize=1')
    const next = hrefOf(page.json, 'next')
    const cursor = next === undefined ? null : new URL(reader.target.resolve(next)).searchParams.get('cursor')
    if (cursor === null) return untestable('there are fewer than two mailings')
    const answer = await reader.get(`${reader.customersPath()}?cursor=${encodeURIComponent(cursor)}`)
    return judgeStaleCursor(reader, answer)
  }),
  reading(
    'S default order',
    'synchronizations that verify made, in their order; without writes, the dates of all',
    async (reader, testData) => {
      const { exchange, items } = await reader.synchronizations()
      const made = reader.observed.createdIds('synchronization')
      if (!testData || made.length < 2) return observeOrderOfDates(items, [exchange], 'synchronizations')
      const pages = [await reader.target.get(reader.synchronizationsPath())]
      for (let next: string | undefined; pages.length < maxPages; ) {
        next = hrefOf(pages.at(-1)!.json, 'next')
        if (next === undefined) break
        pages.push(await reader.target.get(next))
      }
      const listed = pages.flatMap(it => entriesOf(it.json, 'mailing-synchronizations'))
      return observeOrder(made, listed, [pages.at(-1)!], 'synchronizations')
    },
  ),
  reading('S page size', 'pageSize of customers below, at and beyond the limit', async reader => {
    const statusOf = async (size: number) => reader.get(`${reader.customersPath()}?pageSize=${size}`)
    const none = await statusOf(0)
    if (isSuccess(none)) return differs('400 for pageSize 0', `${none.status}`, none)
    const sizes = [100, 101, 1000, 1001, 10_000, 10_001]
    const answers: Exchange[] = []
    for (const size of sizes) answers.push(await statusOf(size))
    const taken = sizes.filter((_, at) => isSuccess(answers[at]!))
    const values: Record<string, string> = { 100: '100', 1000: '1000', 10000: '10000', 10001: 'capped' }
    const most = taken.at(-1)
    const value = values[String(most)]
    const seen = most === undefined ? 'none of them' : value === 'capped' ? 'any' : `up to ${most}`
    const isSeries = taken.length === sizes.filter(size => size <= (most ?? 0)).length
    if (value === undefined || !isSeries) return differs('up to 1000', taken.join(', ') || 'none', ...answers)
    return observe('page-size-limit', value, 'up to 1000', seen, ...answers)
  }),
]

const totalNames = ['total', 'totalCount', 'totalElements', 'totalPages', 'count', 'page', 'size']

/** Checks that a stale cursor is refused in the same way as the made-up cursor of `S 410`. */
export async function judgeStaleCursor(reader: TargetReader, answer: Exchange): Promise<Outcome> {
  const usual = await reader.get('/mailings?cursor=made-up')
  return answer.status === usual.status ? sameAs('S 410') : differs('410', `${answer.status}`, answer)
}

const oldestFirst = 'the oldest first'

/**
 * Checks that what was made is listed in the order in which it was made, or in the reverse order.
 * @param made IDs, the oldest first
 */
export function observeOrder(
  made: readonly string[],
  listed: readonly unknown[],
  evidence: readonly Exchange[],
  what: string,
): Outcome {
  const ids = listed.map(it => String(memberAt(it, 'id')))
  const places = made.map(id => ids.indexOf(id)).filter(place => place >= 0)
  if (places.length < 2) return untestable(`two ${what} that were made are not on one page`)
  const order = orderOf(places)
  if (order === 'another')
    return differs('the order in which they were made', `another: ${places.length} ${what}`, ...evidence)
  return observe('collection-order', order, oldestFirst, `the ${order.replace('-', ' ')}`, ...evidence)
}

/** As `observeOrder`, by dates of creation. Another order than theirs is no difference: that of insertion need not follow them. */
export function observeOrderOfDates(
  items: readonly unknown[],
  evidence: readonly Exchange[],
  what: string,
): Outcome {
  const order = orderOfCreation(items)
  if (order === undefined) return untestable(`there are not two ${what} of different dates`)
  if (order === 'another')
    return untestable('their order is not that of creationDate, which the order of insertion need not follow')
  return observe('collection-order', order, oldestFirst, `the ${order.replace('-', ' ')}`, ...evidence)
}

/** @throws CannotCheck unless an answer is a collection with its entries under a relation, and a self link */
export function mustBeCollection(exchange: Exchange, relation: string): Outcome {
  const { json } = exchange
  const all = memberAt(json, '_embedded')
  // `S empty collection` checks how an empty collection is written.
  const isEmpty = (all === undefined || isObject(all)) && entriesOf(json, relation).length === 0
  const isThere = isEmpty || embeddedEntries(json, relation) !== undefined
  const seen = describeValue(isObject(all) ? Object.keys(all) : all)
  must.be(isThere, `an array embedded as ${relation}`, seen, exchange)
  return must.be(hrefOf(json, 'self') !== undefined, 'a self link', 'none', exchange)
}

/** @param length how many entries it has @throws CannotCheck unless an answer is a page for `pageSize=1` */
export const mustBePage = (answer: Exchange, length: number, isRight = length <= 1): Outcome =>
  must.be(isSuccess(answer) && isRight, 'a page of 1', `${answer.status}, ${length} entries`, answer)

/**
 * Checks that an operation that reads is refused for an ID or a name that is not there.
 * @param kind of the resource below it that is asked for, which is there; what another place answers is S foreign IDs
 */
export const unknownCheck = (clause: string, looksAt: string, id: OperationId, kind?: ResourceKind): Check =>
  reading(clause, looksAt, async reader => {
    const below = kind && need.some(reader.observed.addressable(kind), `there is no ${kind} here`)[0]
    const names = { syncId: unknownId, customer: unknownId, ...(below && { id: idOf(below) }) }
    return must.beRefused(await reader.get(reader.path(id, names)))
  })

/**
 * Checks that a path names a resource by its ID: another ID gives another resource, and an unknown ID gives none.
 * @param addressed IDs of resources that exist, and their paths
 * @param name the member with the ID
 */
export const byIdCheck = (
  clause: string,
  what: string,
  addressed: (reader: TargetReader) => Promise<{ ids: readonly string[]; path: (id: string) => string }>,
  name = 'id',
): Check =>
  reading(clause, `the ${what} that a path names`, async reader => {
    const { ids, path } = await addressed(reader)
    const nothing = `no ${what} could be read, and an unknown one is refused`
    const compared = await compareEach(ids.slice(0, 2), nothing, async id => {
      const exchange = await reader.get(path(id))
      const there = memberAt(exchange.json, name)
      // An ID in another form is reported by its own clause.
      if (!isSuccess(exchange) || (typeof there !== 'string' && there !== undefined)) return undefined
      return must.be(there === id, `${what} ${id}`, describeValue(there), exchange)
    })
    must.beRefused(await reader.get(path(unknownId)), `a 4xx for an unknown ${what}`)
    return compared
  })
