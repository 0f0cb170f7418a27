/** What `JSON.parse` makes. */
export type Json = null | boolean | number | string | Json[] | { [member: string]: Json }

type Fraction = (...purpose: string[]) => number
type Members = Record<string, Json>

/** What a later version of a resource might show: a value of every JSON type. None of the names is documented. */
const ofResources: Members = {
  revision: 7,
  labels: [],
  archived: false,
  owner: { displayName: 'Editorial office', externalKey: null },
  lockedBy: null,
  checksum: '9f0c4be1',
  weight: 0.5,
  revisions: [{ number: 1, note: '' }],
}

const ofObjects: Members = { externalKey: 'a-17', verified: true, region: null, hints: {} }

const ofLinks: Members = { title: 'Details', name: 'details', hreflang: 'en', type: 'application/hal+json' }

/** RFC 9457 allows any; `status` and `instance` are its own. */
const ofProblems: Members = {
  instance: 'urn:uuid:6f1c2c68-5a0b-4b8e-9c6a-2d0f3e7b1a94',
  traceId: '5b8aa5a2d2c872e8321cf37308d69df2',
  retryable: false,
  context: { node: 'a', attempt: 1 },
}

/**
 * The document with members that nobody documented. All that is of one kind gets the same ones at the same place, as
 * a later version of the service would do it: the items of a collection, the resources of an operation.
 */
export function withUnknownMembers(document: Json, fraction: Fraction): Json {
  const isProblem = typeof document === 'object' && document !== null && 'title' in document
  return isProblem
    ? inserted(document as Members, ofProblems, 'problem', fraction)
    : resource(document as Members, '', fraction)
}

function resource(fields: Members, place: string, fraction: Fraction): Members {
  const told: Members = {}
  for (const [name, value] of Object.entries(fields)) {
    const inside = `${place}/${name}`
    if (name === '_links') told[name] = links(value as Members, inside, fraction)
    else if (name === '_embedded') told[name] = embedded(value as Members, inside, fraction)
    else told[name] = isObject(value) ? inserted(value, ofObjects, inside, fraction) : value
  }
  return inserted(told, ofResources, `${place} of ${Object.keys(fields).join()}`, fraction)
}

/** The items of each collection, and beside them another one, so that it matters by which name they are found. */
function embedded(collections: Members, place: string, fraction: Fraction): Members {
  const told: Members = {}
  for (const [rel, items] of Object.entries(collections))
    told[rel] = (items as Members[]).map(item => resource(item, `${place}/${rel}`, fraction))
  return inserted(told, { suggestions: [], facets: [{ name: 'state', count: 0 }] }, place, fraction)
}

/** Members in the links themselves, and a relation of another kind: several links under one name (HAL section 4.1). */
function links(rels: Members, place: string, fraction: Fraction): Members {
  const told: Members = {}
  for (const [rel, link] of Object.entries(rels))
    told[rel] = isObject(link) ? inserted(link, ofLinks, `${place}/${rel}`, fraction) : link
  const others: Members = {
    help: [{ href: 'https://help.example/mailings' }, { href: 'https://help.example/lists' }],
    license: { href: 'https://help.example/terms', title: 'Terms' },
  }
  return inserted(told, others, place, fraction)
}

/** The object with one or more of the members, none that it has already, somewhere among its own. */
function inserted(object: Members, members: Members, place: string, fraction: Fraction): Members {
  const own = Object.entries(object)
  const free = Object.entries(members).filter(([name]) => !Object.hasOwn(object, name))
  const first = Math.floor(fraction(place, 'first') * free.length)
  const count = 1 + Math.floor(fraction(place, 'count') * Math.min(2, free.length - 1))
  const at = Math.floor(fraction(place, 'at') * (own.length + 1))
  const chosen = [...free.slice(first), ...free.slice(0, first)].slice(0, count)
  return Object.fromEntries([...own.slice(0, at), ...chosen, ...own.slice(at)])
}

const isObject = (value: Json | undefined): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
