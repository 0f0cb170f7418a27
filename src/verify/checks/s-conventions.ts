import type { DialValues } from '../../service/dials.ts'
import { type Entry, outside, reading, writing } from '../check.ts'
import { isSuccess, mediaTypeOf } from '../exchange.ts'
import { bare, isObject, member, shown } from '../hal.ts'
import { as, differs, holds, type Outcome, untestable } from '../outcome.ts'
import { unknownId } from '../world.ts'
import { dateTimes, hasZone } from './date-times.ts'
import { nothingSeen } from './fields.ts'
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
    const { documents } = world.sightings
    const all = documents.filter(it => mediaTypeOf(it) === 'application/hal+json')
    const [first] = all
    if (documents.length === 0) return nothingSeen('answer')
    if (!first) return untestable('no answer is application/hal+json, as 2 media type tells')
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

export const conventionsOutside: readonly Entry[] = [
  outside('S foreign space', 'verify is given one pair of credentials, of one space'),
  outside('S credentials', 'verify is given one pair of credentials'),
  outside('S rights', 'verify is given one pair of credentials'),
  outside('S missing right', 'verify is given one pair of credentials'),
]
