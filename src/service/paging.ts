import { createHmac } from 'node:crypto'
import type { Space } from '../store/space.ts'
import type { Table } from '../store/table.ts'
import type { ServiceContext } from './call.ts'
import type { DialValues } from './dials.ts'
import { problems } from './problem.ts'

/** Where a row stands in the collection's order, so that the next page goes on behind it. */
export type Mark = readonly (string | number)[]

/** A collection in its order, from behind a mark. */
export type Walk<Row> = (after: Mark | undefined) => Iterable<readonly [Mark, Row]>

/** Everything that a page needs to know about its request; a cursor holds it all. */
export interface Position<Query> {
  readonly query: Query
  readonly after?: Mark
}

/**
 * What a page of this collection was asked for: by the query, or by a cursor, which alone counts then.
 * @param collection name and owner of the collection, so that a cursor of another one is refused
 * @throws Problem 410 for a cursor that is not of this collection and space, or has expired
 */
export function position<Query extends { cursor?: string | undefined }>(
  c: ServiceContext,
  collection: string,
  query: Query,
): Position<Query> {
  if (query.cursor === undefined) return { query }
  return unseal<Position<Query>>(c, collection, query.cursor, 'cursor')
}

/** One page: the rows that match, at most `size`, and the cursor for the next page exactly when there is one. */
export function page<Row, Query extends { pageSize: number }>(
  c: ServiceContext,
  collection: string,
  at: Position<Query>,
  walk: Walk<Row>,
  matches: (row: Row) => boolean = () => true,
): { rows: Row[]; next: string | undefined } {
  const rows: Row[] = []
  let last: Mark | undefined
  for (const [mark, row] of walk(at.after)) {
    if (!matches(row)) continue
    if (rows.length === at.query.pageSize)
      return { rows, next: seal(c.env.space, collection, { query: at.query, after: last! }, 'cursor') }
    rows.push(row)
    last = mark
  }
  return { rows, next: undefined }
}

/** What was asked for, as it came in: still encoded. */
export function pathAndQuery({ req: { url } }: ServiceContext): string {
  return url.slice(url.indexOf('/', 8))
}

/** Links of a page: itself, and the next one exactly when there is one. */
export function pageLinks(c: ServiceContext, next: string | undefined) {
  const { links } = c.env
  const path = pathAndQuery(c)
  const [bare] = path.split('?')
  return { self: links.at(path), next: next === undefined ? null : links.at(`${bare}?cursor=${next}`) }
}

/** In the order in which rows came in, or against it where the dial says so: `count` rows, the n-th found by `at`. */
export function chronological<Row>(c: ServiceContext, count: number, at: (n: number) => Row): Walk<Row> {
  if (c.env.dials['collection-order'] === 'newest-first')
    return function* (after) {
      for (let n = after ? Number(after[0]) - 1 : count - 1; n >= 0; n--) yield [[n], at(n)]
    }
  return function* (after) {
    for (let n = after ? Number(after[0]) + 1 : 0; n < count; n++) yield [[n], at(n)]
  }
}

/** In the order of a value, equal ones as they came in. Rows may change between pages: the walk goes on by value. */
export function ordered<Key, Row extends object>(
  table: Table<Key, Row>,
  name: string,
  orderValue: (row: Row) => string,
  direction: 1 | -1,
  other = 0,
): Walk<Row> {
  const compare = (a: string, b: string) => (a < b ? -direction : a > b ? direction : 0)
  return function* (after) {
    const positions = table.order(
      `${name} ${direction}`,
      (a, b) => compare(orderValue(a), orderValue(b)),
      other,
    )
    const isBehind = (at: number) => {
      const position = positions[at]!
      const [value, origin] = after as [string, number]
      return (compare(orderValue(table.at(position)), value) || position - origin) > 0
    }
    let start = 0
    if (after) {
      let end = positions.length
      while (start < end) {
        const middle = (start + end) >> 1
        if (isBehind(middle)) end = middle
        else start = middle + 1
      }
    }
    for (let at = start; at < positions.length; at++) {
      const position = positions[at]!
      const row = table.at(position)
      yield [[orderValue(row), position], row]
    }
  }
}

type Sealed = 'cursor' | 'syncToken'

/** Makes a value opaque and unforgeable, good for this collection of this space, for a while. */
export function seal(space: Space, collection: string, value: object, kind: Sealed): string {
  const text = Buffer.from(JSON.stringify([space.clock.now(), value])).toString('base64url')
  return `${text}.${signature(space, collection, text, kind)}`
}

/** @throws Problem 410 when it is not of this kind, collection and space, or has expired */
export function unseal<Value>(
  { env: { space, dials } }: ServiceContext,
  collection: string,
  sealed: string,
  kind: Sealed,
): Value {
  const [text = '', signed] = sealed.split('.')
  if (signed !== signature(space, collection, text, kind)) throw problems.gone(kind)
  const [at, value] = JSON.parse(Buffer.from(text, 'base64url').toString()) as [number, Value]
  const life =
    kind === 'cursor' ? cursorLives[dials['cursor-expiry']] : tokenLives[dials['sync-token-expiry']]
  if (space.clock.now() - at > life) throw problems.gone(kind)
  return value
}

const minute = 60_000
const day = 24 * 60 * minute
/** How long a cursor can be used, in milliseconds of the space's clock (assumed: it is "short-lived"). */
const cursorLives: Record<DialValues['cursor-expiry'], number> = {
  '10m': 10 * minute,
  '1m': minute,
  '24h': day,
}
/** How long a sync token can be used (assumed). */
const tokenLives: Record<DialValues['sync-token-expiry'], number> = { '30d': 30 * day, '24h': day }

const signature = (space: Space, collection: string, text: string, kind: Sealed) =>
  createHmac('sha256', space.chance.secret(`${kind} ${space.data.origin}`))
    .update(`${collection} ${text}`)
    .digest('base64url')
    .slice(0, 22)
