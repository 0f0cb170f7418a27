import { type Answer, respond } from './answer.ts'
import type { DialValues } from './dials.ts'
import type { Link, Links } from './links.ts'

/** What every success body is called, to the letter. */
export const halType = 'application/hal+json;charset=UTF-8'

type Rels = Readonly<Record<string, Link | null>>

const object = (link: Link) => (typeof link === 'string' ? { href: link } : link)

function linked(rels: Rels): Record<string, unknown> {
  const links: Record<string, unknown> = {}
  for (const rel in rels) {
    const link = rels[rel]!
    if (link !== null) links[rel] = object(link)
  }
  return links
}

/** A single resource; a link that is null is left out. `curies` appear when a prefixed relation does. */
export function resource(links: Links, fields: object, rels: Rels): object {
  const own = linked(rels)
  if (isPrefixed(own)) own.curies = links.curies()
  return { ...fields, _links: own }
}

function isPrefixed(own: object): boolean {
  for (const rel in own) if (rel.includes(':')) return true
  return false
}

/** A resource inside a collection: the collection carries the curies for all of them. */
export const item = (fields: object, rels: Rels): object => ({ ...fields, _links: linked(rels) })

const open = Buffer.from('{"_embedded":{')
const comma = Buffer.from(',')

/** A collection of items that are bytes already, joined rather than written anew. */
export function collection(links: Links, name: string, items: readonly Buffer[], rels: Rels): Buffer {
  const end = `"_links":${JSON.stringify({ ...linked(rels), curies: links.curies() })}}`
  if (items.length === 0) return Buffer.from(emptied[links.dials['empty-collection']](links.rel(name)) + end)
  const parts: Buffer[] = [open, Buffer.from(`${JSON.stringify(links.rel(name))}:[`)]
  for (const [at, bytes] of items.entries()) {
    if (at > 0) parts.push(comma)
    parts.push(bytes)
  }
  parts.push(Buffer.from(`]},${end}`))
  return Buffer.concat(parts)
}

/** How a collection without entries begins, by the dial `empty-collection`. */
const emptied: Record<DialValues['empty-collection'], (rel: string) => string> = {
  'empty-array': rel => `{"_embedded":{${JSON.stringify(rel)}:[]},`,
  'empty-embedded': () => '{"_embedded":{},',
  'no-embedded': () => '{',
}

/**
 * Answers with a HAL document: an object, or its JSON as text or bytes. The response is made here rather than by the context: that would turn more than one
 * header into a Headers object, which costs a good part of the whole answer.
 */
export function hal(document: object | string | Buffer, status: 200 | 201 = 200, location?: string): Answer {
  const isText = typeof document === 'string' || Buffer.isBuffer(document)
  const body = isText ? document : JSON.stringify(document)
  const headers = location === undefined ? halHeaders : { 'Content-Type': halType, Location: location }
  return { status, headers, body }
}

/** As `hal`, for the framework. */
export const halResponse = (...of: Parameters<typeof hal>): Response => respond(hal(...of))

const halHeaders = { 'Content-Type': halType }
