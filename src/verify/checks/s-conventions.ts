import type { DialValues } from '../../service/dials.ts'
import { type Entry, outside, reading, writing } from '../check.ts'
import { isSuccess, mediaTypeOf } from '../exchange.ts'
import { bare, isObject, linksOf, member, shown, text } from '../hal.ts'
import { as, differs, holds, type Outcome, untestable } from '../outcome.ts'
import { unknownId, type World } from '../world.ts'
import { dateTimes, hasZone } from './date-times.ts'
import { nothingSeen } from './fields.ts'
import { serviceLinks } from './service-links.ts'
import { undocumented } from './undocumented.ts'

/** The forms that the dial `success-media-type` knows. */
const mediaTypes: Record<DialValues['success-media-type'], string> = {
  charset: 'application/hal+json;charset=UTF-8',
  bare: 'application/hal+json',
  spaced: 'application/hal+json; charset=utf-8',
}
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Beyond the document: how requests and answers are written. */
export const conventions: readonly Entry[] = [
  reading('S addressing', 'paths of links', world => {
    const links = serviceLinks(world)
    const odd = links.find(it => !knownPath(it.path, world.segment))
    if (odd) return differs('a path of the document behind the base address', odd.href, odd.from)
    return links.length === 0 ? nothingSeen('link') : holds()
  }),
  reading('S host', 'what links start with', world => {
    const { base } = world.target
    const bases = new Set(
      serviceLinks(world)
        .map(it => it.base)
        .filter(it => it !== undefined),
    )
    const [only] = bases
    // Several bases are told by 2 addresses.
    if (only === undefined || bases.size > 1 || only === base) return holds()
    const { from } = serviceLinks(world)[0]!
    return {
      is: 'set',
      setting: 'publicUrl',
      value: only,
      expected: `links that start with ${base}, as the request did`,
      seen: `links that start with ${only}`,
      evidence: [from],
    }
  }),
  reading('S links', 'the form of links to the service', world => {
    const links = serviceLinks(world)
    const paths = links.filter(it => it.base === undefined)
    const [first] = paths
    if (links.length === 0) return nothingSeen('link')
    if (first && paths.length < links.length) return differs('absolute addresses', first.href, first.from)
    const value = first ? 'path' : 'absolute'
    const { href, from } = first ?? links[0]!
    return {
      is: 'observed',
      dial: 'links-form',
      value,
      expected: 'absolute addresses',
      seen: href,
      evidence: [from],
    }
  }),
  writing('S Location', 'the Location of a sending', async (workshop, world) => {
    const { exchange } = await workshop.first()
    const { location } = exchange.headers
    if (location === undefined) return untestable('there is no Location, as 4.1/4 tells')
    const isPath = location.startsWith('/')
    if (!isPath && !location.startsWith(world.target.base) && limitOfHosts(world, location))
      return differs('an address of the service', location, exchange)
    return {
      is: 'observed',
      dial: 'location-form',
      value: isPath ? 'path' : 'absolute',
      expected: 'an absolute address',
      seen: location,
      evidence: [exchange],
    }
  }),
  reading('S trailing slash', 'addresses with a slash at their end', async world => {
    const [id] = await world.chosen().catch(() => [unknownId])
    const taken = [
      `${world.synchronizationsPath()}/`,
      `${world.customersPath()}/`,
      ...(id === unknownId
        ? []
        : ['/test-profiles/', '/preview/'].map(it => world.synchronizationPath(id!, it))),
    ]
    for (const address of taken) {
      const answer = await world.get(address)
      if (!isSuccess(answer)) return differs(`200 for ${address}`, `${answer.status}`, answer)
    }
    const other = await world.get('/mailings/')
    return isSuccess(other) ? differs('404 for /mailings/', `${other.status}`, other) : holds()
  }),
  writing('S request media type', 'a body as application/json with a charset', async workshop => {
    const { synchronization, transactionId } = await workshop.first()
    const answer = await workshop.create(
      synchronization,
      { transactionId },
      { 'content-type': 'application/json;charset=UTF-8' },
    )
    return isSuccess(answer) ? holds() : differs('a success', `${answer.status}`, answer)
  }),
  writing('S 415', 'a body as text/plain', async workshop => {
    const own = await workshop.draft()
    const answer = await workshop.create(own, {}, { 'content-type': 'text/plain' })
    return answer.status === 415 ? holds() : differs('415', `${answer.status}`, answer)
  }),
  reading('S success media type', 'Content-Type of all answers', world => {
    const all = world.sightings.documents.filter(it => mediaTypeOf(it) === 'application/hal+json')
    const [first] = all
    if (!first) return nothingSeen('answer')
    const type = first.headers['content-type']!
    const other = all.find(it => it.headers['content-type'] !== type)
    if (other) return differs('one media type', `${type} and ${other.headers['content-type']}`, first, other)
    const value = Object.entries(mediaTypes).find(([, written]) => written === type)?.[0]
    const expected = mediaTypes.charset
    if (value === undefined) return differs(expected, type, first)
    return { is: 'observed', dial: 'success-media-type', value, expected, seen: type, evidence: [first] }
  }),
  reading('S accept', 'several Accept headers', async world => {
    for (const accept of ['*/*', 'application/json', 'application/hal+json;q=0.9,text/html;q=0.1']) {
      const answer = await world.target.get('/mailings?pageSize=1', { headers: { accept } })
      if (!isSuccess(answer)) return differs(`200 for Accept ${accept}`, `${answer.status}`, answer)
    }
    const answer = await world.target.get('/mailings?pageSize=1', { headers: { accept: 'image/png' } })
    return answer.status === 406 ? holds() : differs('406 for Accept image/png', `${answer.status}`, answer)
  }),
  reading('S date-time out', 'all date-times', world => {
    const all = dateTimes(world).filter(it => hasZone(it.value))
    const wrong = all.find(it => !/T\d\d:\d\d:\d\d\.\d{3}Z$/.test(it.value))
    if (wrong)
      return differs('UTC with three fraction digits and Z', `${wrong.name} ${wrong.value}`, wrong.from)
    return all.length === 0 ? nothingSeen('date-time') : holds()
  }),
  writing('S date-time in', 'scheduleDates in several forms', async workshop => {
    const own = await workshop.ready()
    for (const scheduleDate of [
      '2099-06-01T10:00:00Z',
      '2099-06-01T10:00:00.5+02:00',
      '2099-06-01T10:00:00-03:30',
    ]) {
      const answer = await workshop.create(own, { scheduleDate, transactionId: workshop.transactionId() })
      if (!isSuccess(answer)) return differs(`a sending at ${scheduleDate}`, `${answer.status}`, answer)
    }
    return holds()
  }),
  reading('S IDs', 'all IDs', world => {
    for (const kind of ['mailing item', 'mailing', 'synchronization', 'sending', 'mailing-upload'] as const)
      for (const { value, from } of world.sightings.of(kind)) {
        const id = member(value, 'id')
        if (typeof id === 'string' && !uuid.test(id)) return differs('a lower-case UUID', id, from)
      }
    for (const kind of ['list', 'test profile', 'test-mail group'] as const)
      for (const { value, from } of world.sightings.of(kind)) {
        const id = member(value, 'id')
        if (typeof id === 'number' && !Number.isSafeInteger(id)) return differs('an integer', `${id}`, from)
      }
    return holds()
  }),
  reading('S curies', 'curies of documents with prefixed relations', world => {
    for (const document of world.sightings.documents) {
      const links = linksOf(document.json)
      const isCollection = isObject(member(document.json, '_embedded'))
      const isPrefixed = Object.keys(links).some(name => name.includes(':'))
      if ((!isCollection && !isPrefixed) || !isObject(member(document.json, '_links'))) continue
      if (links.curies === undefined) return differs('curies', 'none', document)
      const [first] = Array.isArray(links.curies) ? links.curies : []
      const href = text(first, 'href')
      // What a curie has to be at all is told by 2 curies.
      if (href?.includes('{rel}') && !href.endsWith('/relations/{rel}'))
        return differs('…/relations/{rel}', href, document)
    }
    return holds()
  }),
  reading('S no curies', 'curies of previews, customers, lists and configurations', world => {
    const kinds = ['preview', 'customer', 'list', 'configuration'] as const
    const all = kinds.flatMap(kind => world.sightings.of(kind)).filter(it => !it.isItem)
    if (all.length === 0) return nothingSeen('such resource')
    const some = all.find(it => linksOf(it.value).curies !== undefined)
    const isEverywhere = all.every(it => linksOf(it.value).curies !== undefined)
    if (some && !isEverywhere) return differs('no curies', 'curies in some', some.from)
    return {
      is: 'observed',
      dial: 'curies',
      value: some ? 'everywhere' : 'where-used',
      expected: 'no curies',
      seen: some ? 'curies in all of them' : 'none',
      evidence: [(some ?? all[0]!).from],
    }
  }),
  reading('S null', 'fields that may have no value', world => {
    const fields = [
      ['synchronization', 'approvedMailingName'],
      ['synchronization', 'mailingUploadsModificationDate'],
      ['synchronization', 'sendingsModificationDate'],
      ['sending', 'scheduleDate'],
      ['sending', 'transactionId'],
    ] as const
    for (const [kind, name] of fields)
      for (const { value, from } of world.sightings.of(kind))
        if (isObject(value) && !(name in value))
          return differs(`${name}, which may be null`, 'no such member', from)
    return holds()
  }),
  reading('S empty collection', 'a collection without entries', async world => {
    const exchange = await world.get(`/mailings?id=${unknownId}`)
    if (!isSuccess(exchange)) return untestable(`asking for no mailing was answered ${exchange.status}`)
    return emptyForm(exchange, member(exchange.json, '_embedded'))
  }),
  reading('S additive', 'members and parameters that are not defined', async (world, workshop) => {
    const query = await world.get('/mailings?pageSize=1&notDefinedAnywhere=1')
    if (!isSuccess(query)) return differs('200, the parameter ignored', `${query.status}`, query)
    if (!workshop) return holds('parameters only: members take --allow-writes')
    const { synchronization, transactionId } = await workshop.first()
    const body = await workshop.create(synchronization, { transactionId, notDefinedAnywhere: 1 })
    const value = isSuccess(body) ? 'ignored' : 'refused'
    return {
      is: 'observed',
      dial: 'unknown-request-members',
      value,
      expected: 'they are ignored',
      seen: `${body.status} for an unknown member`,
      evidence: [body],
    }
  }),
  writing('S null in requests', 'a sending with name null', async workshop => {
    const { synchronization, transactionId } = await workshop.first()
    const body = await workshop.create(synchronization, { transactionId, name: null })
    return {
      is: 'observed',
      dial: 'null-in-requests',
      value: isSuccess(body) ? 'as-absent' : 'refused',
      expected: 'null counts as not given',
      seen: `${body.status} for name null`,
      evidence: [body],
    }
  }),
  reading('S undocumented members', 'members of all resources beside the described ones', world => {
    const found = undocumented(world)
    const [first] = found
    const is = (value: string): Outcome => ({
      is: 'observed',
      dial: 'unknown-members',
      value,
      expected: 'the documented members and no others',
      seen: first ? `${first.path} in a ${first.kind}, and ${found.length - 1} more` : 'no others',
      evidence: first ? [first.from] : [],
    })
    return is(first ? 'present' : 'none')
  }),
]

/** Everywhere at another host: then S host tells. */
const limitOfHosts = (world: World, location: string): boolean =>
  !serviceLinks(world).some(it => it.base !== undefined && location.startsWith(it.base))

function emptyForm(exchange: Parameters<typeof differs>[2], all: unknown): Outcome {
  const isArray =
    isObject(all) && Object.entries(all).some(([name, it]) => bare(name) === 'mailings' && Array.isArray(it))
  const isFilled = isObject(all) && Object.values(all).some(it => Array.isArray(it) && it.length > 0)
  if (isFilled) return as('4.12 id')
  if (all !== undefined && !isObject(all)) return differs('an empty array', shown(all), exchange)
  const value = isArray ? 'empty-array' : all === undefined ? 'no-embedded' : 'empty-embedded'
  return {
    is: 'observed',
    dial: 'empty-collection',
    value,
    expected: 'an empty array under _embedded',
    seen: {
      'empty-array': 'an empty array',
      'no-embedded': 'no _embedded',
      'empty-embedded': '_embedded: {}',
    }[value],
    evidence: [exchange!],
  }
}

/** Whether a path behind the base is one of the document. Versions are told by 9, segments by 2 path segment. */
function knownPath(path: string, segment: string): boolean {
  const [bare = ''] = path.split(/[?{]/)
  const parts = bare.split('/').slice(1)
  if (parts.some(part => /^v\d+$/.test(part))) return true
  if (parts[0] === 'mailings') return parts.length <= 2
  if (parts[0] !== 'integrations') return false
  if (parts[1] !== segment) return true
  return /^(?:mailing-synchronizations|mailing-sychronizations|accessible-customers)(?:\/|$)/.test(
    parts.slice(2).join('/'),
  )
}

export const conventionsOutside: readonly Entry[] = [
  outside('S foreign space', 'verify is given one pair of credentials, of one space'),
  outside('S credentials', 'verify is given one pair of credentials'),
  outside('S rights', 'verify is given one pair of credentials'),
  outside('S missing right', 'verify is given one pair of credentials'),
]
