import { z } from 'zod'
import { successMediaTypes } from '../../service/dials.ts'
import { numericId, uuid } from '../../service/resource.ts'
import { type Check, type ClauseEntry, follows, outside, reading, writing } from './check.ts'
import { sendMisdated } from './error-checks.ts'
import { isRefused, isSuccess, mediaTypeOf } from './exchange.ts'
import { hasZone, observedDateTimes, undocumentedMembers } from './field-checks.ts'
import { mustNotLinkTo, serviceLinks } from './link-checks.ts'
import {
  compareEach,
  differs,
  holds,
  holdsAsFarAs,
  must,
  need,
  nothingAsked,
  observe,
  sameAs,
} from './outcome.ts'
import { relationsIn } from './probe.ts'
import { isNullInDocument, membersOfKind, type ResourceKind, resourceKinds } from './resource-kinds.ts'
import { type ObservedResource, type TargetReader, unknownId } from './target-reader.ts'
import { invalidAddress } from './test-data.ts'
import { describeValue, embeddedEntries, isObject, linksOf, memberAt, textAt } from './unknown-json.ts'

const noAnswer = 'there is no response here'
const noDateTime = 'there is no date-time here'
const noPrefix = 'there is no prefixed relation here'

/** Section 2, common rules. */
export const commonChecks: readonly ClauseEntry[] = [
  reading('2 addresses', 'links to the service', async reader => {
    const links = need.some(serviceLinks(reader), 'no link to the service was seen')
    const elsewhere = links.find(it => it.base !== undefined && it.base !== reader.target.base)
    const bases = new Set(links.map(it => it.base).filter(it => it !== undefined))
    // One other base for all links is a configured address: reported by S host.
    if (bases.size <= 1) return holds
    return differs(`links that start with ${reader.target.base}`, elsewhere!.href, elsewhere!.from)
  }),
  reading('2 media type', 'all responses with a resource', reader => {
    return compareEach(reader.observed.documents, noAnswer, it => {
      const isHal = mediaTypeOf(it) === 'application/hal+json'
      return must.be(isHal, 'application/hal+json', it.headers['content-type'] ?? 'no Content-Type', it)
    })
  }),
  reading('2 hal', 'all responses with a resource', reader => {
    return compareEach(reader.observed.documents, noAnswer, document => {
      const { json, text, excess } = document
      must.be(excess === undefined, 'a response that can be looked into', `one that ${excess}`, document)
      if (!isObject(json)) return differs('a JSON object', describeValue(json ?? text), document)
      const { _links, _embedded } = json
      must.be(isObject(_links), 'links under _links', describeValue(_links), document)
      const isRight = _embedded === undefined || isObject(_embedded)
      return must.be(isRight, 'collections in an object _embedded', describeValue(_embedded), document)
    })
  }),
  reading('2 relation prefix', 'relations in all responses', async reader => {
    const compared = await compareEach(reader.observed.documents, noPrefix, document => {
      const prefixed = [...relationsIn(document.json)].filter(isPrefixed)
      const other = prefixed.find(it => !it.startsWith(`${reader.prefix}:`))
      if (prefixed.length === 0) return undefined
      return must.be(other === undefined, `the prefix ${reader.prefix}`, other ?? '', document)
    })
    if (compared !== holds || reader.prefix === 'svc') return compared
    return observe('relationPrefix', reader.prefix, 'svc', reader.prefix)
  }),
  reading('2 path segment', 'links into the integration', async reader => {
    const compared = await mustNotLinkTo(reader, '2 path segment', `/integrations/${reader.segment}/…`)
    if (reader.segment === 'mailing-platform') return compared
    return observe('platformSegment', reader.segment, 'mailing-platform', reader.segment)
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
  reading('2 date-time', 'all date-times', reader => {
    return compareEach(observedDateTimes(reader), noDateTime, ({ name, value, from }) => {
      const seen = `${name} ${describeValue(value)}`
      return must.be(hasZone(value), 'an ISO 8601 date-time with its zone', seen, from)
    })
  }),
  refusedDatesCheck('2 date-time in', 'sendings with a scheduleDate without a zone', [
    '2099-12-31T12:00:00.000',
    'tomorrow',
  ]),
  reading('2 curies', 'curies of documents with prefixed relations', reader => {
    return compareEach(reader.observed.documents, 'there are no curies here', document => {
      const links = linksOf(document.json)
      const isCollection = isObject(memberAt(document.json, '_embedded'))
      const { curies } = links
      // S curies says where they have to be; this clause says what they are.
      if (curies === undefined || (!isCollection && !Object.keys(links).some(isPrefixed))) return undefined
      const [entry, ...others] = Array.isArray(curies) ? curies : []
      const isRight =
        others.length === 0 &&
        memberAt(entry, 'name') === reader.prefix &&
        memberAt(entry, 'templated') === true &&
        (textAt(entry, 'href') ?? '').includes('{rel}')
      const expected = `one entry: name ${reader.prefix}, templated true, an href with {rel}`
      return must.be(isRight, expected, describeValue(curies), document)
    })
  }),
]

const isPrefixed = (relation: string): boolean => relation.includes(':')

function refusedDatesCheck(clause: string, looksAt: string, dates: readonly string[]): Check {
  return writing(clause, looksAt, testData =>
    compareEach(dates, nothingAsked, async scheduleDate =>
      must.beRefused(await sendMisdated(testData, scheduleDate), `a 4xx for scheduleDate ${scheduleDate}`),
    ),
  )
}

/** Every resource that was seen, with its kind. */
function* everyResource({ observed }: TargetReader): Iterable<[ResourceKind, ObservedResource]> {
  for (const kind of resourceKinds) for (const it of observed.of(kind)) yield [kind, it]
}

const uuidPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Beyond the document: the form of requests and answers. */
export const conventionChecks: readonly ClauseEntry[] = [
  writing('S request media type', 'a body as application/json with a charset', async testData => {
    const { transactionId } = await testData.firstSending()
    const headers = { 'content-type': 'application/json;charset=UTF-8' }
    return must.succeed(await testData.create({ transactionId }, { headers }), 'a success')
  }),
  writing('S 415', 'a body as text/plain', async testData => {
    const own = await testData.draftSynchronization()
    const headers = { 'content-type': 'text/plain' }
    return must.haveStatus(await testData.create({}, { own, headers }), 415)
  }),
  writing('S charset', 'a body as application/json with the charset UTF-16', async testData => {
    const own = await testData.draftSynchronization()
    const headers = { 'content-type': 'application/json;charset=utf-16' }
    return must.haveStatus(await testData.create({}, { own, headers }), 415)
  }),
  writing('S encoding', 'a body with Content-Encoding: gzip', async testData => {
    const own = await testData.draftSynchronization()
    return must.haveStatus(await testData.create({}, { own, headers: { 'content-encoding': 'gzip' } }), 415)
  }),
  writing('S repeated members', 'a body with a name twice', async testData => {
    // If it is taken, the mailing has no approved version.
    const path = testData.sendingsPath(await testData.draftSynchronization())
    return must.haveStatus(await testData.send('POST', path, '{"name":"one","name":"two"}'), 400)
  }),
  reading('S success media type', 'Content-Type of all responses', reader => {
    const documents = need.some(reader.observed.documents, noAnswer)
    const hal = documents.filter(it => mediaTypeOf(it) === 'application/hal+json')
    const all = need.some(hal, 'no response is application/hal+json, as 2 media type tells')
    const [first] = all
    const type = first.headers['content-type']!
    const other = all.find(it => it.headers['content-type'] !== type)
    if (other) return differs('one media type', `${type} and ${other.headers['content-type']}`, first, other)
    const value = Object.entries(successMediaTypes).find(([, written]) => written === type)?.[0]
    const expected = successMediaTypes.charset
    if (value === undefined) return differs(expected, type, first)
    return observe('success-media-type', value, expected, type, first)
  }),
  reading('S accept', 'several Accept headers', async reader => {
    const get = (accept: string) => reader.target.get('/mailings?pageSize=1', { headers: { accept } })
    for (const accept of ['*/*', 'application/json', 'application/hal+json;q=0.9,text/html;q=0.1'])
      must.succeed(await get(accept), `200 for Accept ${accept}`)
    return must.haveStatus(await get('image/png'), 406, '406 for Accept image/png')
  }),
  reading('S date-time out', 'all date-times', reader => {
    const all = observedDateTimes(reader).filter(it => hasZone(it.value))
    return compareEach(all, noDateTime, ({ name, value, from }) => {
      const isRight = /T\d\d:\d\d:\d\d\.\d{3}Z$/.test(value)
      return must.be(isRight, 'UTC with three fraction digits and Z', `${name} ${value}`, from)
    })
  }),
  writing('S date-time in', 'scheduleDates in several forms', async testData => {
    const at = (time: string) =>
      testData.create({ scheduleDate: `2099-06-01T${time}`, transactionId: testData.transactionId() })
    for (const time of ['10:00:00.500Z', '10:00:00.500+02:00', '10:00:00.000-03:30'])
      must.succeed(await at(time), `a sending at 2099-06-01T${time}`)
    const answers = [await at('10:00:00Z'), await at('10:00:00.5+02:00')]
    const refused = answers.find(it => !isSuccess(it))
    if (refused) must.beRefused(refused, 'a success or a 4xx')
    const [value, seen] = refused
      ? ['fraction-required', `${refused.status} for fewer than three digits`]
      : ['lenient', 'both are taken']
    return observe('date-time-in', value!, 'with and without a fraction', seen!, refused ?? answers[0]!)
  }),
  refusedDatesCheck('S date-time forms', 'sendings with a scheduleDate in another form', [
    '20991231T120000.000Z',
    '2099-12-31T12:00:00,000Z',
    '2099-12-31T24:00:00.000Z',
    '2099-02-30T12:00:00.000Z',
  ]),
  reading('S IDs', 'all IDs', reader =>
    compareEach(everyResource(reader), 'there is no ID here', ([kind, { value, from }]) => {
      const [id, schema] = [memberAt(value, 'id'), membersOfKind(kind).get('id')?.schema]
      if (schema === uuid && typeof id === 'string')
        return must.be(uuidPattern.test(id), 'a lower-case UUID', id, from)
      if (schema === numericId && typeof id === 'number')
        return must.be(Number.isSafeInteger(id), 'an integer', `${id}`, from)
      return undefined
    }),
  ),
  reading('S null', 'fields that may have no value', reader =>
    compareEach(everyResource(reader), 'nothing here has such a field', ([kind, { value, from }]) => {
      // What a dial leaves out is checked where the dial is.
      const names = [...membersOfKind(kind)].flatMap(([name, member]) =>
        isNullInDocument(member) && !(member.schema instanceof z.ZodOptional) ? [name] : [],
      )
      if (!isObject(value) || names.length === 0) return undefined
      const missing = names.find(name => memberAt(value, name) === undefined)
      return must.be(missing === undefined, `${missing}, which may be null`, 'no such member', from)
    }),
  ),
  reading('S empty collection', 'a collection without entries', async reader => {
    const exchange = await reader.get(`/mailings?id=${unknownId}`)
    need.success(exchange, 'asking for no mailing')
    const all = memberAt(exchange.json, '_embedded')
    const as = (value: string, seen: string) =>
      observe('empty-collection', value, 'an empty array under _embedded', seen, exchange)
    if (all === undefined) return as('no-embedded', 'no _embedded')
    if (!isObject(all)) return differs('an empty array', describeValue(all), exchange)
    if (Object.values(all).some(it => Array.isArray(it) && it.length > 0)) return sameAs('4.12 id')
    const isArray = embeddedEntries(exchange.json, 'mailings') !== undefined
    return isArray ? as('empty-array', 'an empty array') : as('empty-embedded', '_embedded: {}')
  }),
  reading('S additive', 'members and parameters that are not defined', async (reader, testData) => {
    const query = await reader.get('/mailings?pageSize=1&notDefinedAnywhere=1')
    must.succeed(query, '200, the parameter ignored')
    if (!testData) return holdsAsFarAs('parameters only: members take --allow-writes')
    await testData.firstSending()
    // Not a repeat, of which all members but the ID are ignored.
    const body = await testData.create({ transactionId: testData.transactionId(), notDefinedAnywhere: 1 })
    const [value, seen] = [isSuccess(body) ? 'ignored' : 'refused', `${body.status} for an unknown member`]
    return observe('unknown-request-members', value, 'they are ignored', seen, body)
  }),
  writing(
    'S null in requests',
    'a sending, a synchronization and a test sending with null',
    async testData => {
      await testData.firstSending()
      const mailingId = await testData.approvedMailingId()
      const answers = [
        await testData.create({ transactionId: testData.transactionId(), name: null, subject: null }),
        await testData.synchronize({ mailingId, templateMailingId: null }),
        await testData.sendTest({ recipientAddresses: [invalidAddress], testMailGroupId: null, kind: null }),
      ]
      const [first, ...others] = answers.map(isSuccess)
      const seen = answers.map(it => it.status).join(', ')
      const isClear = answers.every(it => isSuccess(it) || isRefused(it))
      must.be(
        isClear && others.every(it => it === first),
        'the same for all, a success or a 4xx',
        seen,
        ...answers,
      )
      return observe(
        'null-in-requests',
        first ? 'as-absent' : 'refused',
        'it counts as not given',
        seen,
        ...answers,
      )
    },
  ),
  reading('S undocumented members', 'members of all resources beside the described ones', reader => {
    need.some([...everyResource(reader)], 'there is no resource here')
    const [first, ...others] = undocumentedMembers(reader)
    const [dial, expected] = ['unknown-members', 'the documented members and no others'] as const
    if (!first) return observe(dial, 'none', expected, 'no others')
    const seen = `${first.path} in a ${first.kind}, and ${others.length} more`
    return observe(dial, 'present', expected, seen, first.from)
  }),
  outside('S foreign space', 'verify is given one pair of credentials, of one space'),
  ...['S credentials', 'S rights', 'S missing right'].map(clause =>
    outside(clause, 'verify is given one pair of credentials'),
  ),
]
