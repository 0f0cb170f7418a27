import { type DialValues, successMediaTypes } from './dials.ts'
import type { Link, Links } from './links.ts'
import type { Refusal } from './problem.ts'

/** A response as plain values: it can be read, cut or changed without a stream. */
export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** Empty for none. */
  readonly body: string | Buffer
  /** The problem that it reports, if any; the body may say less. */
  readonly problem?: Refusal | undefined
}

/** The answer as a web `Response`. */
export function toResponse({ status, headers, body }: Answer): Response {
  return new Response(body.length === 0 ? null : (body as string | Buffer<ArrayBuffer>), { status, headers })
}

/** Calls `next` with the value: at once, or when the promise resolves. Avoids a promise where none is needed. */
export const mapMaybeAsync = <A, B>(
  value: A | Promise<A>,
  next: (value: A) => B | Promise<B>,
): B | Promise<B> => (value instanceof Promise ? value.then(next) : next(value))

/** The Content-Type of every success, to the letter. */
export const halType = successMediaTypes.charset

type Relations = Readonly<Record<string, Link | null>>

const toLinkObject = (link: Link) => (typeof link === 'string' ? { href: link } : link)

function toLinkObjects(rels: Relations): Record<string, unknown> {
  const links: Record<string, unknown> = {}
  for (const rel in rels) {
    const link = rels[rel]!
    if (link !== null) links[rel] = toLinkObject(link)
  }
  return links
}

const embeddedStart = Buffer.from('{"_embedded":{')
const comma = Buffer.from(',')

/** A collection of rendered items; their bytes are joined. */
export function renderCollection(
  links: Links,
  name: string,
  items: readonly Buffer[],
  rels: Relations,
): Buffer {
  const end = `"_links":${JSON.stringify({ ...toLinkObjects(rels), curies: links.curies() })}}`
  if (items.length === 0)
    return Buffer.from(emptyCollectionStarts[links.dials['empty-collection']](links.rel(name)) + end)
  const parts: Buffer[] = [embeddedStart, Buffer.from(`${JSON.stringify(links.rel(name))}:[`)]
  for (const [at, bytes] of items.entries()) {
    if (at > 0) parts.push(comma)
    parts.push(bytes)
  }
  parts.push(Buffer.from(`]},${end}`))
  return Buffer.concat(parts)
}

const emptyCollectionStarts: Record<DialValues['empty-collection'], (rel: string) => string> = {
  'empty-array': rel => `{"_embedded":{${JSON.stringify(rel)}:[]},`,
  'empty-embedded': () => '{"_embedded":{},',
  'no-embedded': () => '{',
}

/** Answers with a HAL document: an object, or its JSON as text or bytes. */
export function halAnswer(
  document: object | string | Buffer,
  status: 200 | 201 = 200,
  location?: string,
): Answer {
  const isText = typeof document === 'string' || Buffer.isBuffer(document)
  const body = isText ? document : JSON.stringify(document)
  const headers = location === undefined ? halHeaders : { 'Content-Type': halType, Location: location }
  return { status, headers, body }
}

/** As `halAnswer`, as a web `Response`. */
export const halResponse = (...of: Parameters<typeof halAnswer>): Response => toResponse(halAnswer(...of))

export const halHeaders = { 'Content-Type': halType }

let lastWritten = { milliseconds: 0, text: new Date(0).toISOString() }

/** A date-time as the service writes it: UTC, three fraction digits, `Z`. @param milliseconds since 1970 */
export function formatDateTime(milliseconds: number): string {
  // Under load many requests share a millisecond, so the last text is cached.
  if (lastWritten.milliseconds !== milliseconds)
    lastWritten = { milliseconds, text: new Date(milliseconds).toISOString() }
  return lastWritten.text
}

/** Milliseconds since 1970 of a date-time as the service writes it. */
export const parseDateTime = (text: string): number =>
  text === lastWritten.text ? lastWritten.milliseconds : Date.parse(text)

/** The later of two date-times as the service writes them. */
export const laterOf = (a: string, b: string): string => (a > b ? a : b)
