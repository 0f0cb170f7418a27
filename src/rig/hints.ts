import { operationIds, operations, pathsOf } from '../service/operations.ts'
import type { Answer } from '../service/response.ts'
import type { Tables } from '../store/content.ts'
import { unlessRemoved } from '../store/removal.ts'
import type { List } from '../store/rows.ts'
import type { ReadableSpace } from '../store/space-data.ts'
import { findNearest } from '../store/validation-messages.ts'
import type { RequestFacts } from './request-facts.ts'
import type { SpaceView } from './space-view.ts'
import { capitalize } from './words.ts'

/** What exists in the place of something that was not found. */
export interface Nearby {
  readonly noun: string
  readonly nouns: string
  /** Some of their names, as written in a URL; empty if there are none. */
  readonly names: readonly string[]
  /** The name that was sent in another form, such as in capitals; undefined if there is none. */
  readonly meant: string | undefined
}

const maxNames = 3
/** Rows that are compared with a name. */
const maxCompared = 2_000

/**
 * What exists in the caller's own space where the request looked for something. Undefined if everything named in its URL
 * exists, or if the service does not have this URL.
 */
export function findNearby(facts: RequestFacts, { data: { tables } }: ReadableSpace): Nearby | undefined {
  const { operation } = facts
  const { syncId, id, customer, listId } = operation?.params ?? {}
  if (syncId !== undefined) {
    const synchronization = unlessRemoved(tables.synchronizations.get(syncId))
    if (!synchronization) return nearby('mailing synchronization', syncId, '', tables.synchronizations.rows())
    const of = ' of this synchronization'
    const profile = operation?.id === 'getPreview' ? facts.query('testProfileId') : undefined
    const { testProfiles } = tables.lists.get(synchronization.listId)!
    if (profile !== undefined && !testProfiles.some(({ id }) => id === Number(profile)))
      return nearby('test profile', profile, of, testProfiles.values())
    if (operation?.id === 'getMailingUpload') {
      if (id === 'latest' || tables.mailingUploads.get(id!)?.synchronizationId === syncId) return undefined
      const uploads = ofGroup(tables.mailingUploads, tables.uploadsOfSynchronization, syncId)
      return nearby('mailing-upload', id!, of, uploads)
    }
    if (id === undefined || tables.sendings.get(id)?.synchronizationId === syncId) return undefined
    return nearby('sending', id, of, ofGroup(tables.sendings, tables.sendingsOfSynchronization, syncId))
  }
  if (customer !== undefined) {
    if (!unlessRemoved(tables.customers.get(customer)))
      return nearby('customer', customer, '', tables.customers.rows(), it => it.name)
    if (listId === undefined || unlessRemoved(tables.lists.get(Number(listId)))?.customer === customer)
      return undefined
    return nearby('list', listId, ' of this customer', listsOfCustomer(tables, customer))
  }
  if (operation?.id !== 'getMailing' || unlessRemoved(tables.mailings.get(id!))) return undefined
  return nearby('mailing', id!, '', tables.mailings.rows())
}

/** @param sought the name as it was sent @param whose follows the plural of the noun */
function nearby<Row extends object>(
  noun: string,
  sought: string,
  whose: string,
  rows: Iterator<Row, unknown>,
  nameOf = (row: Row) => String((row as { id?: string | number }).id),
): Nearby {
  const names: string[] = []
  const sent = plainForm(sought)
  let meant: string | undefined
  for (let nth = 0; nth < maxCompared && meant === undefined; nth++) {
    const { value: row, done } = rows.next() as IteratorResult<Row>
    if (done) break
    if ('removedAt' in row) continue
    const name = nameOf(row)
    if (names.length < maxNames) names.push(encodeURIComponent(name))
    if (sent !== '' && plainForm(name) === sent) meant = encodeURIComponent(name)
  }
  return { noun, nouns: `${noun}s${whose}`, names, meant }
}

/** A name without letter case, and without what stands around and between its letters and digits, as in `{…}` or `urn:uuid:…`. */
const plainForm = (name: string): string =>
  name
    .toLowerCase()
    .replace(/^urn:uuid:/, '')
    .replaceAll(/[^\p{L}\p{N}]/gu, '')

function* listsOfCustomer({ lists }: Tables, customer: string): Generator<List> {
  for (const list of lists.rows()) if (list.customer === customer) yield list
}

function* ofGroup<Row>(
  rows: { at(position: number): Row },
  index: { count(key: string): number; nth(key: string, n: number): number | undefined },
  key: string,
): Generator<Row> {
  for (let n = 0; n < index.count(key); n++) yield rows.at(index.nth(key, n)!)
}

/**
 * The path of the service that was most likely meant by an unknown path.
 * @param path without a query
 * @param segment the platform segment of integration paths
 */
export const nearestPath = (path: string, segment: string): string | undefined =>
  nearestOf(
    // Another segment, as that of a real deployment, need not be similar.
    path.replace(/^\/integrations\/[^/]+/, () => `/integrations/${segment}`),
    operationIds.flatMap(id => pathsOf(operations[id], segment)),
  )

/** The path that was most likely meant; slashes too many do not count. @param patterns with `:id` or `{id}` for any text */
export function nearestOf(path: string, patterns: readonly string[]): string | undefined {
  const plain = path.replaceAll(/\/(?=\/|$)/g, '')
  const segments = plain.split('/')
  const paths = patterns
    .map(pattern => pattern.split('/'))
    .filter(parts => parts.length === segments.length)
    .map(parts => parts.map((part, at) => (/^[:{]/.test(part) ? segments[at]! : part)))
    // Each part has to be near: long parts that are equal say nothing about the others.
    .filter(parts => parts.every((part, at) => part === segments[at] || findNearest(segments[at]!, [part])))
    .map(parts => parts.join('/'))
  if (paths.includes(plain)) return plain
  const equalParts = (path: string) => path.split('/').filter((part, at) => part === segments[at]).length
  // A long path is too slow to compare as a whole.
  return findNearest(plain, paths) ?? paths.toSorted((a, b) => equalParts(b) - equalParts(a))[0]
}

const maxHintLength = 300

/**
 * Explains a refusal to a developer: what was expected, and what exists nearby. Names only things of the caller's own
 * space.
 */
export function hintSentence(
  { status, problem }: Answer,
  facts: RequestFacts,
  { space, reader }: SpaceView,
): string {
  const isUnknown = problem ? problem.name === 'not-found' : status === 404
  const near = isUnknown ? findNearby(facts, space) : undefined
  const sentence = problem?.detail ?? `Status ${status}`
  if (isUnknown && !facts.operation) return headerText(`${sentence}. ${pathHint(facts, reader.segment)}`)
  if (!near || near.names.length === 0) return headerText(sentence)
  if (near.meant !== undefined) return headerText(`${sentence}. Did you mean ${near.meant}?`)
  return headerText(`${sentence}. ${capitalize(near.nouns)} there are: ${near.names.join(', ')}`)
}

export const sendingMembers: readonly string[] = Object.keys(operations.createSending.body?.members ?? {})

/**
 * What comes with a success: what was ignored because it was probably misspelt (the header that chooses a scenario, a parameter of
 * a read, or a member of a creation that has no transaction ID), that without a transaction ID each repeat sends the mailing again,
 * or that a date is accepted which other deployments refuse.
 */
export function successHint(facts: RequestFacts, headers: object): string | undefined {
  const { method, target } = facts
  for (const name in headers)
    if (name.startsWith('x-mock-') && name !== 'x-mock-scenario')
      return ignoredHint('The header', [name], ['X-Mock-Scenario'])
  if (method === 'GET') {
    const at = target.indexOf('?')
    if (at < 0) return undefined
    const { id } = facts.operation ?? {}
    const parameters = Object.keys((id && operations[id].query?.shape) ?? {})
    return ignoredHint('The parameter', new URLSearchParams(target.slice(at)).keys(), parameters)
  }
  const json = facts.operation?.id === 'createSending' ? facts.json : undefined
  if (!json) return undefined
  const ignored =
    'transactionId' in json ? undefined : ignoredHint("The body's member", Object.keys(json), sendingMembers)
  if (ignored !== undefined) return ignored
  if ((json.transactionId ?? null) === null)
    return 'No transactionId: if this request is repeated, the mailing is sent again (section 4.1/3)'
  if (!lacksMilliseconds(json.scheduleDate)) return undefined
  return headerText(
    'scheduleDate has no milliseconds: it is accepted here, but public documentation requires three digits, as in 2030-05-17T09:30:00.000Z (dial date-time-in)',
  )
}

/**
 * What the first request is told to a private space that made room for others before.
 * @param isKept whether its rows were on disk @param rest what the answer says besides
 */
export const madeRoomHint = (isKept: boolean, rest: string | undefined): string =>
  headerText(`${madeRoomSentence(isKept)}.${rest === undefined ? '' : ` ${rest}`}`)

export const madeRoomSentence = (isKept: boolean): string =>
  `This private space made room for others (--space-limit, --space-idle); it ${isKept ? 'has kept its data, and its requests before this are not on record' : 'begins anew, and what was in it is gone'}`

/** Whether a date-time in a request is one that deployments may refuse, which public documentation says. */
export const lacksMilliseconds = (date: unknown): boolean =>
  typeof date === 'string' && !/\.\d{3}(?:Z|[+-]\d\d:\d\d)$/i.test(date)

function ignoredHint(
  what: string,
  names: Iterable<string>,
  validNames: readonly string[],
): string | undefined {
  for (const name of names) {
    const guess = validNames.includes(name) ? undefined : findNearest(name, validNames)
    if (guess) return headerText(`${what} "${name}" is ignored; did you mean "${guess}"?`)
  }
  return undefined
}

export const pathsThereAre = (segment: string): string =>
  `begin with /mailings or /integrations/${segment}/; GET /_mock/operations lists them`

function pathHint({ path }: RequestFacts, segment: string): string {
  const near = nearestMockPath(path) ?? nearestPath(path, segment)
  return near === undefined ? `Paths ${pathsThereAre(segment)}` : `Did you mean ${near}?`
}

/** A path below `/_mock` whose first part was probably misspelt. */
function nearestMockPath(path: string): string | undefined {
  const [, first = ''] = path.split(/[/?]/)
  return findNearest(first, ['_mock']) && path.replace(first, '_mock')
}

/** The documented users that a request without valid credentials could have named, for the 401; or the path of a control call. */
export function credentialsHint(
  sentence: string,
  users: readonly { readonly name: string; readonly password: string }[],
  path: string,
): string {
  const guess = nearestMockPath(path)
  if (guess !== undefined) return headerText(`${sentence}. Did you mean ${guess}?`)
  const documented = users.slice(0, maxNames).map(({ name, password }) => `${name} (password ${password})`)
  return headerText(
    documented.length === 0 ? sentence : `${sentence}. Users there are: ${documented.join(', ')}`,
  )
}

/** The text reduced to what a header may contain: printable ASCII of limited length. */
export function headerText(text: string): string {
  const ascii = text.replaceAll('…', '...').replaceAll(/[^\x20-\x7e]/g, '?')
  return ascii.length > maxHintLength ? `${ascii.slice(0, maxHintLength - 3)}...` : ascii
}
