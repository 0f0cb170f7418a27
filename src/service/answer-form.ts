import { type DialName, type DialValues, defaultDials, successMediaTypes } from './dials.ts'
import type { ServiceCall } from './operation.ts'
import { type Answer, halType } from './response.ts'

/** What `JSON.parse` returns. */
export type Json = null | boolean | number | string | Json[] | { [member: string]: Json }

type Fraction = (...purpose: string[]) => number
type Members = Record<string, Json>

/** What a later version of a resource might have: a value of every JSON type. None of the names is documented. */
const resourceMembers: Members = {
  revision: 7,
  labels: [],
  archived: false,
  owner: { displayName: 'Editorial office', externalKey: null },
  lockedBy: null,
  checksum: '9f0c4be1',
  weight: 0.5,
  revisions: [{ number: 1, note: '' }],
}

const objectMembers: Members = { externalKey: 'a-17', verified: true, region: null, hints: {} }

const linkMembers: Members = {
  title: 'Details',
  name: 'details',
  hreflang: 'en',
  type: 'application/hal+json',
}

/** RFC 9457 allows any member; it defines `status` and `instance` itself. */
const problemMembers: Members = {
  instance: 'urn:uuid:6f1c2c68-5a0b-4b8e-9c6a-2d0f3e7b1a94',
  traceId: '5b8aa5a2d2c872e8321cf37308d69df2',
  retryable: false,
  context: { node: 'a', attempt: 1 },
}

/**
 * The document with undocumented members. The same kind always gets the same ones at the same place (the
 * items of a collection, the resources of an operation), as in a later version of the service.
 */
const addUnknownMembers = (document: Members, fraction: Fraction): Members =>
  'title' in document
    ? insertMembers(document, problemMembers, 'problem', fraction)
    : addToResource(document, '', fraction)

function addToResource(fields: Members, place: string, fraction: Fraction): Members {
  const added = mapValues(fields, (value, name) => {
    const inside = `${place}/${name}`
    if (name === '_links') return addToLinks(value as Members, inside, fraction)
    if (name === '_embedded') return addToEmbedded(value as Members, inside, fraction)
    return isObject(value) ? insertMembers(value, objectMembers, inside, fraction) : value
  })
  return insertMembers(added, resourceMembers, `${place} of ${Object.keys(fields).join()}`, fraction)
}

/** Adds to the items of each collection, and adds another collection, so that a client has to find its own by name. */
function addToEmbedded(collections: Members, place: string, fraction: Fraction): Members {
  const added = mapValues(collections, (items, rel) =>
    (items as Members[]).map(item => addToResource(item, `${place}/${rel}`, fraction)),
  )
  return insertMembers(added, { suggestions: [], facets: [{ name: 'state', count: 0 }] }, place, fraction)
}

/** Adds members to the links, and a relation with several links under one name (HAL section 4.1). */
function addToLinks(rels: Members, place: string, fraction: Fraction): Members {
  const added = mapValues(rels, (link, rel) =>
    isObject(link) ? insertMembers(link, linkMembers, `${place}/${rel}`, fraction) : link,
  )
  const others: Members = {
    help: [{ href: 'https://help.example/mailings' }, { href: 'https://help.example/lists' }],
    license: { href: 'https://help.example/terms', title: 'Terms' },
  }
  return insertMembers(added, others, place, fraction)
}

/** The object with one or more of the members that it does not have, at some place among its own. */
function insertMembers(object: Members, members: Members, place: string, fraction: Fraction): Members {
  const own = Object.entries(object)
  const free = Object.entries(members).filter(([name]) => !Object.hasOwn(object, name))
  const first = Math.floor(fraction(place, 'first') * free.length)
  const count = 1 + Math.floor(fraction(place, 'count') * Math.min(2, free.length - 1))
  const at = Math.floor(fraction(place, 'at') * (own.length + 1))
  const chosen = [...free.slice(first), ...free.slice(0, first)].slice(0, count)
  return Object.fromEntries([...own.slice(0, at), ...chosen, ...own.slice(at)])
}

const mapValues = (object: Members, map: (value: Json, name: string) => Json): Members =>
  Object.fromEntries(Object.entries(object).map(([name, value]) => [name, map(value, name)]))

const isObject = (value: Json): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The dials that change the form of an answer, whatever it says. */
const formDials = [
  'success-media-type',
  'location-form',
  'links-form',
  'curies',
  'unknown-members',
  'date-header',
] as const satisfies readonly DialName[]

const hasOwnForm = (asked: DialValues): boolean => formDials.some(name => asked[name] !== defaultDials[name])

/** The answer, in the form that the dials ask for. */
export const applyDials = (call: ServiceCall, answer: Answer): Answer =>
  call.prepared.derive(hasOwnForm) ? applyFormDials(answer, call) : answer

/** The same answer in another form: headers, links and unknown members. */
function applyFormDials(answer: Answer, { space, links, dials }: ServiceCall): Answer {
  const headers: Record<string, string> = { ...answer.headers }
  if (headers['Content-Type'] === halType)
    headers['Content-Type'] = successMediaTypes[dials['success-media-type']]
  if (headers.Location !== undefined && dials['location-form'] === 'path')
    headers.Location = withoutOrigin(headers.Location, links.base)
  if (dials['date-header'] === 'space-clock') headers.Date = new Date(space.clock.now()).toUTCString()
  const type = headers['Content-Type'] ?? ''
  if (answer.body.length === 0 || !type.includes('json')) return { ...answer, headers }
  const isHal = answer.status < 400
  const document = JSON.parse(String(answer.body)) as Members
  if (isHal && dials.curies === 'everywhere')
    for (const rels of linkObjectsIn(document)) rels.curies ??= structuredClone(links.curies) as Json
  if (isHal && dials['links-form'] === 'path') shortenLinks(document, links.base)
  const body =
    dials['unknown-members'] === 'present'
      ? addUnknownMembers(document, (...purpose) => space.chance.fraction('unknown members', ...purpose))
      : document
  return { ...answer, headers, body: JSON.stringify(body) }
}

/** All `_links` objects, also those of embedded resources. */
function* linkObjectsIn(json: Json): Generator<Members> {
  if (typeof json !== 'object' || json === null) return
  for (const [name, value] of Object.entries(json)) {
    if (name === '_links' && isObject(value)) yield value
    else yield* linkObjectsIn(value)
  }
}

/** Shortens links to the service to their path. Links to pages and documentation are on other hosts and stay as they are. */
function shortenLinks(document: Json, base: string): void {
  for (const rels of linkObjectsIn(document))
    for (const link of Object.values(rels) as { href?: string }[])
      if (link.href?.startsWith(base) && !link.href.startsWith(`${base}/_mock/`))
        link.href = withoutOrigin(link.href, base)
}

/** An address below the base, without scheme and host. */
const withoutOrigin = (address: string, base: string): string => {
  const pathAt = base.indexOf('/', base.indexOf('//') + 2)
  return address.slice(pathAt < 0 ? base.length : pathAt)
}
