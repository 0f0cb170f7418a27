import { operationIds, operations } from '../service/operations.ts'
import { pathsOf } from '../service/recognise.ts'
import { nearest } from '../store/nearest.ts'
import type { List, MailingUpload, Sending } from '../store/rows.ts'
import type { Space } from '../store/space.ts'
import type { RequestFacts } from './request-facts.ts'

export { nearest }

/** What would have been found in the place of something that was not. */
export interface Nearby {
  readonly noun: string
  readonly nouns: string
  /** A few of them, as they stand in an address; empty where there are none. */
  readonly names: readonly string[]
}

const most = 3

/**
 * Things of the caller's own space that stand where the request looked for something. Undefined where all that its
 * address names is there, or where it is no address of the service.
 */
export function nearby({ operation }: RequestFacts, { data: { tables } }: Space): Nearby | undefined {
  const { syncId, id, customer, listId } = operation?.params ?? {}
  if (syncId !== undefined) {
    if (!tables.synchronizations.get(syncId)) return synchronizations(tables)
    if (operation?.id === 'getMailingUpload' && id !== 'latest') return uploadsOf(tables, syncId, id!)
    return id === undefined || operation?.id === 'getMailingUpload'
      ? undefined
      : sendingsOf(tables, syncId, id)
  }
  if (customer !== undefined) {
    if (!tables.customers.get(customer)) {
      const names = [...first(tables.customers.rows())].map(({ name }) => encodeURIComponent(name))
      return { noun: 'customer', nouns: 'customers', names }
    }
    return listId === undefined ? undefined : listsOf(tables, customer, listId)
  }
  if (operation?.id !== 'getMailing' || tables.mailings.get(id!)) return undefined
  return { noun: 'mailing', nouns: 'mailings', names: [...first(tables.mailings.rows())].map(it => it.id) }
}

/**
 * The path of the service that was most likely meant by one that it does not have.
 * @param path without a query
 * @param segment the platform segment of integration paths
 */
export function nearestPath(path: string, segment: string): string | undefined {
  const seen = path.split('/')
  const paths = new Set<string>()
  for (const id of operationIds)
    for (const pattern of pathsOf(operations[id], segment)) {
      const parts = pattern.split('/')
      // What stands for an ID cannot be mistaken.
      if (parts.length === seen.length)
        paths.add(parts.map((part, at) => (part.startsWith(':') ? seen[at] : part)).join('/'))
    }
  return nearest(path, [...paths])
}

type Tables = Space['data']['tables']

const synchronizations = (tables: Tables): Nearby => ({
  noun: 'mailing synchronization',
  nouns: 'mailing synchronizations',
  names: [...first(tables.synchronizations.rows())].map(({ id }) => id),
})

function sendingsOf({ sendings, sendingsOfSynchronization }: Tables, syncId: string, id: string) {
  if (sendings.get(id)?.synchronizationId === syncId) return undefined
  const names = idsOf<Sending>(sendings, sendingsOfSynchronization, syncId)
  return { noun: 'sending', nouns: 'sendings of this synchronization', names }
}

function uploadsOf({ mailingUploads, uploadsOfSynchronization }: Tables, syncId: string, id: string) {
  if (mailingUploads.get(id)?.synchronizationId === syncId) return undefined
  const names = idsOf<MailingUpload>(mailingUploads, uploadsOfSynchronization, syncId)
  return { noun: 'mailing-upload', nouns: 'mailing-uploads of this synchronization', names }
}

function listsOf({ lists, listsOfCustomer }: Tables, customer: string, id: string) {
  if (lists.get(Number(id))?.customer === customer) return undefined
  const names = idsOf<List>(lists, listsOfCustomer, customer)
  return { noun: 'list', nouns: 'lists of this customer', names }
}

function idsOf<Row extends { readonly id: string | number }>(
  rows: { at(position: number): Row },
  index: { count(key: string): number; nth(key: string, n: number): number | undefined },
  key: string,
): string[] {
  const count = Math.min(most, index.count(key))
  return Array.from({ length: count }, (_, n) => String(rows.at(index.nth(key, n)!).id))
}

function* first<Row>(rows: Iterable<Row>): Generator<Row> {
  let taken = 0
  for (const row of rows) {
    if (taken++ >= most) return
    yield row
  }
}
