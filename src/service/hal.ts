import type { Link, Links } from './links.ts'

/** What every success body is called, to the letter. */
export const halType = 'application/hal+json;charset=UTF-8'

type Rels = Readonly<Record<string, Link | null>>

const object = (link: Link) => (typeof link === 'string' ? { href: link } : link)

function linked(rels: Rels): Record<string, unknown> {
  const links: Record<string, unknown> = {}
  for (const [rel, link] of Object.entries(rels)) if (link !== null) links[rel] = object(link)
  return links
}

/** A single resource; a link that is null is left out. `curies` appear when a prefixed relation does. */
export function resource(links: Links, fields: object, rels: Rels): object {
  const own = linked(rels)
  if (Object.keys(own).some(rel => rel.includes(':'))) own.curies = links.curies()
  return { ...fields, _links: own }
}

/** A resource inside a collection: the collection carries the curies for all of them. */
export const item = (fields: object, rels: Rels): object => ({ ...fields, _links: linked(rels) })

const open = Buffer.from('{"_embedded":{')
const comma = Buffer.from(',')

/** A collection of items that are bytes already, joined rather than written anew. */
export function collection(links: Links, name: string, items: readonly Buffer[], rels: Rels): Buffer {
  const parts: Buffer[] = [open, Buffer.from(`${JSON.stringify(links.rel(name))}:[`)]
  for (const [at, bytes] of items.entries()) {
    if (at > 0) parts.push(comma)
    parts.push(bytes)
  }
  parts.push(Buffer.from(`]},"_links":${JSON.stringify({ ...linked(rels), curies: links.curies() })}}`))
  return Buffer.concat(parts)
}

/**
 * Answers with a HAL document. The response is made here rather than by the context: that would turn more than one
 * header into a Headers object, which costs a good part of the whole answer.
 */
export function hal(document: object | Buffer, status: 200 | 201 = 200, location?: string): Response {
  const body = Buffer.isBuffer(document) ? (document as Buffer<ArrayBuffer>) : JSON.stringify(document)
  const headers = location === undefined ? halHeaders : { 'Content-Type': halType, Location: location }
  return new Response(body, { status, headers })
}

const halHeaders = { 'Content-Type': halType }
