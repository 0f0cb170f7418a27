import { createHmac } from 'node:crypto'
import { z } from 'zod'
import type { Space } from '../store/space-data.ts'
import type { Table } from '../store/table.ts'
import type { Citations, Claim } from './claim.ts'
import { type DialValues, millisecondsOf } from './dials.ts'
import type { Operation, ServiceContext } from './operation.ts'
import { problems } from './problem.ts'
import { integerText } from './request-input.ts'
import type { Collection } from './resource.ts'
import { type Answer, halAnswer } from './response.ts'

const pageSizeUpTo = (limit: number, otherwise: number) => {
  const expected = `expected 1 to ${limit}`
  return integerText.pipe(z.int().min(1, expected).max(limit, expected)).default(otherwise)
}

/** Spec 8: default 1000. The maximum is house style, and a dial. */
const pageSizes = {
  '1000': pageSizeUpTo(1000, 1000),
  '10000': pageSizeUpTo(10_000, 1000),
  '100': pageSizeUpTo(100, 100),
  capped: integerText
    .pipe(z.int().min(1, 'expected at least 1'))
    .transform(size => Math.min(size, 1000))
    .meta({ wire: { type: 'integer', minimum: 1 } })
    .default(1000),
} satisfies Record<DialValues['page-size-limit'], z.ZodType>

/** The query of a collection without filters. */
export const pageQuery = z.object({ pageSize: pageSizes['1000'], cursor: z.string().optional() })

/** What is said of the parameters of a collection. @param ofSize said of its page size in particular */
export const pageParameters = (ofSize?: Claim): Record<'pageSize' | 'cursor', Citations> => ({
  pageSize: ofSize ? [ofSize, 'S page size'] : ['S page size'],
  cursor: ['S cursor', 'S cursor expiry'],
})

export const isPaged = ({ query }: Operation): boolean => query !== undefined && 'cursor' in query.shape

/** The query schema of an operation with the page size that the dial sets. */
export function queryByDial(operation: Operation, limit: DialValues['page-size-limit']) {
  const { query, isPageSizeGranted } = operation
  if (!isPaged(operation) || limit === '1000' || (limit === '100' && isPageSizeGranted)) return query
  return query!.safeExtend({ pageSize: pageSizes[limit] })
}

/** The position of a row in the collection's order. The next page starts behind it. */
export type PageMark = readonly (string | number)[]

/** Walks through a collection in its order, from behind a mark. */
export type Walk<Row, Query = unknown> = (
  after: PageMark | undefined,
  query: Query,
) => Iterable<readonly [PageMark, Row]>

/**
 * The page that the request wants: the rows that match, at most `pageSize`.
 * @param collection name and owner of the collection, so that a cursor of another one is refused
 * @returns also the cursor of the next page, if there is one, and the query that began the collection: that of the request,
 * or that of its cursor
 * @throws Problem 410 for a cursor of another collection or space, or one that has expired
 */
export function takePage<Row, Query extends { pageSize: number; cursor?: string | undefined }>(
  c: ServiceContext,
  collection: string,
  asked: Query,
  walk: Walk<Row, Query>,
  filter: (query: Query) => (row: Row) => boolean = () => () => true,
) {
  // What a cursor contains: everything that the next page needs.
  const { query, after }: { query: Query; after?: PageMark } =
    asked.cursor === undefined ? { query: asked } : unseal(c, collection, asked.cursor, 'cursor')
  const matches = filter(query)
  const rows: Row[] = []
  let last: PageMark | undefined
  for (const [mark, row] of walk(after, query)) {
    if (!matches(row)) continue
    if (rows.length === query.pageSize)
      return { rows, next: seal(c.env.space, collection, { query, after: last! }, 'cursor'), query }
    rows.push(row)
    last = mark
  }
  return { rows, next: undefined, query }
}

/** Maximum bytes of the entries of a page: more takes longer to write than others should wait. One entry may be longer. */
const maxPageBytes = 8 << 20

/** Renders the entries of a page. @throws Problem 400 when they are too long together */
export function renderRows<Row>(rows: readonly Row[], render: (row: Row) => Buffer): Buffer[] {
  const items: Buffer[] = []
  let bytes = 0
  for (const row of rows) {
    const item = render(row)
    bytes += item.length
    if (bytes > maxPageBytes && items.length > 0)
      throw problems.field(
        'pageSize',
        `expected at most ${items.length} here: ${rows.length} entries from here on are longer together than the ${maxPageBytes >> 20} MiB that a response may have`,
      )
    items.push(item)
  }
  return items
}

/** Answers with a page, which links to itself and the next one. @param items rendered rows @param more further links */
export function pageAnswer(
  c: ServiceContext,
  { relation }: Collection,
  items: readonly Buffer[],
  next: string | undefined,
  more: Readonly<Record<string, string | null>> = {},
): Answer {
  const { links, dials, target } = c.env
  const [bare] = target.split('?')
  const nextPage = next === undefined ? null : links.at(`${bare}?cursor=${next}`)
  const rels: Record<string, unknown> = {}
  for (const [rel, href] of Object.entries({ self: links.at(target), next: nextPage, ...more }))
    if (href !== null) rels[rel] = { href }
  const end = `"_links":${JSON.stringify({ ...rels, curies: links.curies })}}`
  const name = JSON.stringify(links.rel(relation))
  if (items.length === 0)
    return halAnswer(Buffer.from(emptyCollectionStarts[dials['empty-collection']](name) + end))
  const parts: Buffer[] = [Buffer.from(`{"_embedded":{${name}:[`)]
  for (const [at, bytes] of items.entries()) {
    if (at > 0) parts.push(comma)
    parts.push(bytes)
  }
  parts.push(Buffer.from(`]},${end}`))
  return halAnswer(Buffer.concat(parts))
}

const comma = Buffer.from(',')

/** @param name the relation of the entries, as JSON */
const emptyCollectionStarts: Record<DialValues['empty-collection'], (name: string) => string> = {
  'empty-array': name => `{"_embedded":{${name}:[]},`,
  'empty-embedded': () => '{"_embedded":{},',
  'no-embedded': () => '{',
}

/** In the order of creation, or the reverse if the dial says so: `count` rows, the n-th found by `at`. */
export function walkByCreation<Row>(c: ServiceContext, count: number, at: (n: number) => Row): Walk<Row> {
  const [first, step] = c.env.dials['collection-order'] === 'newest-first' ? [count - 1, -1] : [0, 1]
  return function* (after) {
    // A mark keeps its order, though the dial may have been turned since.
    const [last, by = 1] = (after as number[]) ?? [first - step, step]
    for (let n = last! + by; n >= 0 && n < count; n += by) yield [by > 0 ? [n] : [n, by], at(n)]
  }
}

/** In the order of a value, equal ones by creation. Rows may change between pages: the walk goes on by value. */
export function walkByValue<Key, Row extends object>(
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

type SealedKind = 'cursor' | 'syncToken'

/** Makes a value opaque and unforgeable, valid for this collection of this space and for a limited time. */
export function seal(space: Space, collection: string, value: object, kind: SealedKind): string {
  const text = Buffer.from(JSON.stringify([space.clock.now(), value])).toString('base64url')
  return `${text}.${signature(space, collection, text, kind)}`
}

/** @throws Problem 410 for another kind, collection or space, or if it has expired */
export function unseal<Value>(
  { env: { space, dials } }: ServiceContext,
  collection: string,
  sealed: string,
  kind: SealedKind,
): Value {
  const [text = '', signed] = sealed.split('.')
  if (signed !== signature(space, collection, text, kind)) throw problems.gone(kind)
  const [at, value] = JSON.parse(Buffer.from(text, 'base64url').toString()) as [number, Value]
  // The document says no more than that a cursor is short-lived (assumed).
  const life = dials[kind === 'cursor' ? 'cursor-expiry' : 'sync-token-expiry']
  if (space.clock.now() - at > millisecondsOf(life)) throw problems.gone(kind)
  return value
}

const signature = (space: Space, collection: string, text: string, kind: SealedKind) =>
  createHmac('sha256', space.chance.secret(`${kind} ${space.data.origin}`))
    .update(`${collection} ${text}`)
    .digest('base64url')
    .slice(0, 22)
