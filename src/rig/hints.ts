import { operationIds, operations } from '../service/operations.ts'
import type { Answer } from '../service/response.ts'
import { pathsOf } from '../service/router.ts'
import type { List, MailingUpload, Sending } from '../store/rows.ts'
import type { Space } from '../store/space-data.ts'
import { findNearest } from '../store/validation-messages.ts'
import type { RequestFacts } from './request-facts.ts'
import type { SpaceRig } from './space-rig.ts'
import { capitalize } from './words.ts'

/** What exists in the place of something that was not found. */
export interface Nearby {
  readonly noun: string
  readonly nouns: string
  /** Some of their names, as written in a URL; empty if there are none. */
  readonly names: readonly string[]
}

const maxNames = 3

/**
 * What exists in the caller's own space where the request looked for something. Undefined if everything named in its URL
 * exists, or if the service does not have this URL.
 */
export function findNearby({ operation }: RequestFacts, { data: { tables } }: Space): Nearby | undefined {
  const { syncId, id, customer, listId } = operation?.params ?? {}
  if (syncId !== undefined) {
    if (!tables.synchronizations.get(syncId)) return nearbySynchronizations(tables)
    if (operation?.id === 'getMailingUpload' && id !== 'latest') return nearbyUploads(tables, syncId, id!)
    return id === undefined || operation?.id === 'getMailingUpload'
      ? undefined
      : nearbySendings(tables, syncId, id)
  }
  if (customer !== undefined) {
    if (!tables.customers.get(customer)) {
      const names = [...take(tables.customers.rows())].map(({ name }) => encodeURIComponent(name))
      return { noun: 'customer', nouns: 'customers', names }
    }
    return listId === undefined ? undefined : nearbyLists(tables, customer, listId)
  }
  if (operation?.id !== 'getMailing' || tables.mailings.get(id!)) return undefined
  return { noun: 'mailing', nouns: 'mailings', names: [...take(tables.mailings.rows())].map(it => it.id) }
}

/**
 * The path of the service that was most likely meant by an unknown path.
 * @param path without a query
 * @param segment the platform segment of integration paths
 */
export function nearestPath(path: string, segment: string): string | undefined {
  const seen = path.split('/')
  const paths = new Set<string>()
  for (const id of operationIds)
    for (const pattern of pathsOf(operations[id], segment)) {
      const parts = pattern.split('/')
      // Any text may be an ID, so IDs are taken as given.
      if (parts.length === seen.length)
        paths.add(parts.map((part, at) => (part.startsWith(':') ? seen[at] : part)).join('/'))
    }
  return findNearest(path, [...paths])
}

type Tables = Space['data']['tables']

const nearbySynchronizations = (tables: Tables): Nearby => ({
  noun: 'mailing synchronization',
  nouns: 'mailing synchronizations',
  names: [...take(tables.synchronizations.rows())].map(({ id }) => id),
})

function nearbySendings({ sendings, sendingsOfSynchronization }: Tables, syncId: string, id: string) {
  if (sendings.get(id)?.synchronizationId === syncId) return undefined
  const names = nearbyIds<Sending>(sendings, sendingsOfSynchronization, syncId)
  return { noun: 'sending', nouns: 'sendings of this synchronization', names }
}

function nearbyUploads({ mailingUploads, uploadsOfSynchronization }: Tables, syncId: string, id: string) {
  if (mailingUploads.get(id)?.synchronizationId === syncId) return undefined
  const names = nearbyIds<MailingUpload>(mailingUploads, uploadsOfSynchronization, syncId)
  return { noun: 'mailing-upload', nouns: 'mailing-uploads of this synchronization', names }
}

function nearbyLists({ lists, listsOfCustomer }: Tables, customer: string, id: string) {
  if (lists.get(Number(id))?.customer === customer) return undefined
  const names = nearbyIds<List>(lists, listsOfCustomer, customer)
  return { noun: 'list', nouns: 'lists of this customer', names }
}

function nearbyIds<Row extends { readonly id: string | number }>(
  rows: { at(position: number): Row },
  index: { count(key: string): number; nth(key: string, n: number): number | undefined },
  key: string,
): string[] {
  const count = Math.min(maxNames, index.count(key))
  return Array.from({ length: count }, (_, n) => String(rows.at(index.nth(key, n)!).id))
}

function* take<Row>(rows: Iterable<Row>): Generator<Row> {
  let taken = 0
  for (const row of rows) {
    if (taken++ >= maxNames) return
    yield row
  }
}

const maxHintLength = 300

/**
 * Explains a refusal to a developer: what was expected, and what exists nearby. Names only things of the caller's own
 * space.
 */
export function hintSentence(
  { status, problem }: Answer,
  facts: RequestFacts,
  { space, reader }: SpaceRig,
): string {
  const isUnknown = problem ? problem.name === 'not-found' : status === 404
  const near = isUnknown ? findNearby(facts, space) : undefined
  const sentence = problem?.detail ?? `Status ${status}`
  if (isUnknown && !facts.operation) return headerText(`${sentence}. ${pathHint(facts, reader.segment)}`)
  if (!near || near.names.length === 0) return headerText(sentence)
  return headerText(`${sentence}. ${capitalize(near.nouns)} there are: ${near.names.join(', ')}`)
}

function pathHint({ path }: RequestFacts, segment: string): string {
  const near = nearestPath(path, segment)
  return near === undefined
    ? `Paths begin with /mailings or /integrations/${segment}/; GET /_mock/operations lists them`
    : `Did you mean ${near}?`
}

/** The documented users that a request without valid credentials could have named, for the 401. */
export function credentialsHint(
  sentence: string,
  users: readonly { readonly name: string; readonly password: string }[],
): string {
  const known = users.slice(0, maxNames).map(({ name, password }) => `${name} (password ${password})`)
  return headerText(known.length === 0 ? sentence : `${sentence}. Users there are: ${known.join(', ')}`)
}

/** The text reduced to what a header may contain: printable ASCII of limited length. */
function headerText(text: string): string {
  const ascii = text.replaceAll('…', '...').replaceAll(/[^\x20-\x7e]/g, '?')
  return ascii.length > maxHintLength ? `${ascii.slice(0, maxHintLength - 3)}...` : ascii
}
