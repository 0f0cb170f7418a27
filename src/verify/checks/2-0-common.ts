import { type Entry, follows, reading, writing } from '../check.ts'
import { relationsIn } from '../entry.ts'
import { isClientError, mediaTypeOf } from '../exchange.ts'
import { isObject, linksOf, member, shown, text } from '../hal.ts'
import { as, differs, holds, type Outcome, untestable } from '../outcome.ts'
import type { World } from '../world.ts'
import { dateTimes, hasZone } from './date-times.ts'
import { nothingSeen } from './fields.ts'
import { oddLinks } from './self-links.ts'
import { serviceLinks } from './service-links.ts'

/** Section 2, common rules. */
export const common: readonly Entry[] = [
  reading('2 addresses', 'links to the service', async world => {
    const links = serviceLinks(world)
    if (links.length === 0) return untestable('no link to the service was seen')
    const elsewhere = links.filter(it => it.base !== undefined && it.base !== world.target.base)
    const bases = new Set(links.map(it => it.base).filter(it => it !== undefined))
    // All of them beginning with one other base is an address that was set: S host tells of that.
    if (bases.size <= 1) return holds()
    const [first] = elsewhere
    return differs(`links that start with ${world.target.base}`, first!.href, first!.from)
  }),
  reading('2 media type', 'all answers with a resource', world => {
    const wrong = world.sightings.documents.find(it => mediaTypeOf(it) !== 'application/hal+json')
    if (world.sightings.documents.length === 0) return nothingSeen('answer')
    return wrong
      ? differs('application/hal+json', wrong.headers['content-type'] ?? 'no Content-Type', wrong)
      : holds()
  }),
  reading('2 hal', 'all answers with a resource', world => {
    for (const document of world.sightings.documents) {
      const { json } = document
      if (!isObject(json)) return differs('a JSON object', shown(json ?? document.text), document)
      if (!isObject(json._links)) return differs('links under _links', shown(json._links), document)
      if (json._embedded !== undefined && !isObject(json._embedded))
        return differs('collections in an object _embedded', shown(json._embedded), document)
    }
    return world.sightings.documents.length === 0 ? nothingSeen('answer') : holds()
  }),
  reading('2 relation prefix', 'relations in all answers', world => {
    for (const document of world.sightings.documents)
      for (const relation of relationsIn(document.json))
        if (isOfService(relation) && !relation.startsWith(`${world.prefix}:`))
          return differs(`the prefix ${world.prefix}`, relation, document)
    return prefixSet(world)
  }),
  reading('2 path segment', 'links into the integration', async world => {
    const { first, isToldAsSelf } = await oddLinks(world, '2 path segment')
    if (first) return differs(`/integrations/${world.segment}/…`, first.href, first.from)
    if (isToldAsSelf) return as('2 self')
    if (world.segment === 'mailing-platform') return holds()
    return {
      is: 'set',
      setting: 'platformSegment',
      value: world.segment,
      expected: 'mailing-platform',
      seen: world.segment,
      evidence: [],
    }
  }),
  follows('2 ids', '2.1 id', '2.2 id', '2.2 mailingId', '2.3 id', '2.3 mailingSynchronizationId', '2.4 id'),
  follows(
    '2 numeric ids',
    '2.9 list id',
    '2.2 target.listId',
    '2.7 id',
    '2.8 id',
    '2.3 target.mailingId',
    '2.3 target.sendingId',
    '2.4 target.mailingId',
  ),
  reading('2 date-time', 'all date-times', world => {
    const all = dateTimes(world)
    const wrong = all.find(it => !hasZone(it.value))
    if (wrong)
      return differs('an ISO 8601 date-time with its zone', `${wrong.name} ${shown(wrong.value)}`, wrong.from)
    return all.length === 0 ? nothingSeen('date-time') : holds()
  }),
  writing('2 date-time in', 'sendings with a scheduleDate that cannot be one', async workshop => {
    const own = await workshop.ready()
    for (const scheduleDate of ['2099-12-31T12:00:00', '2099-02-30T12:00:00Z', 'tomorrow']) {
      const answer = await workshop.create(own, { scheduleDate, transactionId: workshop.transactionId() })
      if (!isClientError(answer))
        return differs(`a 4xx for scheduleDate ${scheduleDate}`, `${answer.status}`, answer)
    }
    return holds()
  }),
  reading('2 curies', 'curies of documents with prefixed relations', world => {
    let seen = 0
    for (const document of world.sightings.documents) {
      const links = linksOf(document.json)
      const isCollection = isObject(member(document.json, '_embedded'))
      if (!isCollection && !Object.keys(links).some(isOfService)) continue
      seen++
      const { curies } = links
      // Where they have to be is S curies; here it is what they are.
      if (curies === undefined) continue
      const [entry] = Array.isArray(curies) ? curies : []
      const isRight =
        Array.isArray(curies) &&
        curies.length === 1 &&
        member(entry, 'name') === world.prefix &&
        member(entry, 'templated') === true &&
        (text(entry, 'href') ?? '').includes('{rel}')
      if (!isRight)
        return differs(
          `one entry: name ${world.prefix}, templated true, an href with {rel}`,
          shown(curies),
          document,
        )
    }
    return seen === 0 ? nothingSeen('prefixed relation') : holds()
  }),
]

const isOfService = (relation: string): boolean => relation.includes(':')

function prefixSet(world: World): Outcome {
  if (world.prefix === 'svc') return holds()
  return {
    is: 'set',
    setting: 'relationPrefix',
    value: world.prefix,
    expected: 'svc',
    seen: world.prefix,
    evidence: [],
  }
}
