import { operationIds, operations } from '../../service/operations.ts'
import { type ClauseEntry, follows, outside, reading, writing } from './check.ts'
import { runConfiguration } from './customer-checks.ts'
import { type Exchange, isRefused, isSuccess, mediaTypeOf } from './exchange.ts'
import { mustNotLinkTo } from './link-checks.ts'
import {
  CannotCheck,
  cannotCheck,
  compareEach,
  differs,
  holds,
  holdsAsFarAs,
  must,
  need,
  nothingAsked,
  type Outcome,
  observe,
  observedStatus,
  sameAs,
  untestable,
} from './outcome.ts'
import { requestLine, senselessWait } from './target.ts'
import { type TargetReader, unknownId } from './target-reader.ts'
import type { TestData } from './test-data.ts'
import { describeValue, isObject, memberAt, textAt } from './unknown-json.ts'

/** The forms of the dial `error-body`, in words. */
const errorFormWords = {
  full: 'problems with type and title',
  minimal: 'problems with title and status only',
  'plain-json': 'application/json with status, error and message',
  text: 'a line of plain text',
  empty: 'no body',
  another: 'another form',
} as const

function errorFormOf(exchange: Exchange): keyof typeof errorFormWords {
  const { json, text } = exchange
  const type = mediaTypeOf(exchange)
  const has = (...names: string[]) => names.every(name => memberAt(json, name) !== undefined)
  if (text === '') return 'empty'
  if (type === 'text/plain') return 'text'
  if (!isObject(json)) return 'another'
  if (type === 'application/json' && has('status', 'error', 'message')) return 'plain-json'
  if (has('title', 'status') && !has('type') && !has('_links')) return 'minimal'
  return has('title') || has('type') ? 'full' : 'another'
}

const noRefusal = 'nothing was refused'
const onePair = 'verify is given one pair of credentials'

/** Sections 5 to 9: credentials, events, errors, limits, versions. */
export const conductChecks: readonly ClauseEntry[] = [
  reading('5/1', 'the right password and a wrong one', async reader => {
    // Three only: many wrong passwords may lock an account.
    const addresses = ['/mailings', reader.synchronizationsPath(), reader.customersPath()]
    return compareEach(addresses, nothingAsked, async address => {
      const wrong = await reader.target.get(address, { as: 'a stranger' })
      return must.be(!isSuccess(wrong), 'no response for a wrong password', `${wrong.status}`, wrong)
    })
  }),
  outside('5/2', `${onePair}, of one space`),
  outside('5/3', onePair),
  outside('6', 'that no other service is called cannot be seen from outside'),
  reading('7 format', 'bodies of refusals', async reader => {
    const errors = await collectRefusals(reader)
    const forms = new Map(errors.map(it => [errorFormOf(it), it]))
    const odd = forms.get('another')
    if (odd) return differs('application/problem+json', odd.headers['content-type'] ?? 'no Content-Type', odd)
    const [[value, evidence], other] = need.some([...forms], noRefusal)
    if (other) return differs('one form of all refusals', `${value} and ${other[0]}`, evidence, other[1])
    return observe('error-body', value, errorFormWords.full, errorFormWords[value], evidence)
  }),
  follows('7 other failures', 'S 400', 'S 404', 'S 401'),
  reading('8 IDs in the id filter', 'mailings by 50 IDs', async reader =>
    must.succeed(await getMailingsByIds(reader, 50), '200 for 50 IDs'),
  ),
  reading('8 pageSize default', 'mailings without pageSize', async reader => {
    const { exchange, items, next } = await reader.mailings()
    need.some(items, 'there is no mailing here')
    const isWhole = next === undefined ? items.length <= 1000 : items.length === 1000
    must.be(isWhole, '1000 mailings in a page', `${items.length}`, exchange)
    return next === undefined ? holdsAsFarAs(`all ${items.length} mailings came in one page`) : holds
  }),
  reading('8 rate limit', 'headers of all responses', observeRateLimit),
  reading('9', 'paths of links', reader =>
    mustNotLinkTo(reader, '9', 'no version in paths', ({ path }) => path),
  ),
]

/** Mailings by so many IDs, none of which exists. */
function getMailingsByIds(reader: TargetReader, count: number): Promise<Exchange> {
  const ids = Array.from({ length: count }, (_, at) => `00000000-0000-4000-8000-${`${at}`.padStart(12, '0')}`)
  return reader.get(`/mailings?id=${ids.join(',')}`)
}

/** Answers to requests that are refused for every user. */
const collectRefusals = (reader: TargetReader): Promise<Exchange[]> =>
  reader.once('refusals', async () => {
    const all = [
      await reader.get(reader.synchronizationPath(unknownId)),
      await reader.get('/mailings?pageSize=0'),
      await reader.get('/mailings?hasDraft=false&isApproved=false'),
    ]
    return all.filter(it => it.status >= 400)
  })

/** The limit that the answers name; undefined without one. */
function observedLimit(reader: TargetReader): { limit: number; from: Exchange } | undefined {
  const from = reader.target.exchanges.find(it => it.headers['x-ratelimit-limit'] !== undefined)
  return from && { limit: Number(from.headers['x-ratelimit-limit']), from }
}

function observeRateLimit(reader: TargetReader): Outcome {
  const found = observedLimit(reader)
  const [met] = reader.target.limited
  for (const exchange of reader.target.exchanges) {
    const name = senselessWait(exchange.headers)
    if (name) return differs('a wait in seconds', `${name}: ${exchange.headers[name]}`, exchange)
  }
  if (!found) {
    if (met) return differs('no limit', '429 without X-RateLimit headers', met)
    return observe('rate-limit', 'off', 'no limit', 'no limit')
  }
  const { limit, from } = found
  const seen = `${limit} requests, told in X-RateLimit headers`
  const expected = 'no limit'
  if (limit === 60 || limit === 600) return observe('rate-limit', String(limit), expected, seen, from)
  if (!Number.isInteger(limit) || limit < 1) return differs(expected, `X-RateLimit-Limit ${limit}`, from)
  return observe('rateLimit', limit, expected, seen, from)
}

/** Addresses whose success has no status in the document. */
const withoutStatus = /\/(?:sendings|statistics|preview|accessible-customers\/[^/]+|lists\/\d+)\/?(?:\?|$)/

/** Beyond the document: errors and limits. */
export const errorChecks: readonly ClauseEntry[] = [
  reading('S 200', 'the status of responses for which the document names none', reader => {
    const all = reader.observed.documents.filter(it => it.method === 'GET' && withoutStatus.test(it.url))
    return compareEach(all, 'there was no such response', it => must.haveStatus(it, 200))
  }),
  reading('S error media type', 'Content-Type of refusals', async reader => {
    const type = 'application/problem+json'
    return compareEach(await fullProblems(reader), noRefusal, it =>
      must.be(mediaTypeOf(it) === type, type, it.headers['content-type'] ?? 'none', it),
    )
  }),
  reading('S problem members', 'type and title of refusals', async reader => {
    return compareEach(await fullProblems(reader), noRefusal, it =>
      must.be(hasTexts(it.json, 'type', 'title'), 'type and title', describeValue(it.json), it),
    )
  }),
  reading('S general error', 'detail and _links of a 404', async reader => {
    const missing = (await fullProblems(reader)).find(it => it.status === 404)
    if (!missing) return untestable('nothing was refused with 404')
    const { json } = missing
    const isRight = hasTexts(json, 'detail') && isObject(memberAt(json, '_links'))
    return must.be(isRight, 'detail and _links', describeValue(json), missing)
  }),
  reading('S validation members', 'generalErrors and invalidFields of refused parameters', async reader => {
    const isRight = (general: unknown, fields: unknown) =>
      Array.isArray(general) && Array.isArray(fields) && fields.every(it => hasTexts(it, 'field', 'problem'))
    const refused = (await fullProblems(reader)).filter(({ url }) => url.includes('pageSize=0'))
    return compareEach(refused, 'pageSize=0 was not refused', it => {
      const [general, fields] = ['generalErrors', 'invalidFields'].map(name => memberAt(it.json, name))
      return must.be(isRight(general, fields), 'generalErrors and invalidFields', describeValue(it.json), it)
    })
  }),
  reading('S no 422', 'the status of refused parameters', async reader => {
    const exchange = await reader.get('/mailings?pageSize=0')
    const outcome = observedStatus('invalid-input-status', exchange)
    return outcome.is === 'differs' ? sameAs('S 400') : outcome
  }),
  reading('S 400', 'JSON that cannot be read, refused input, bad combinations', async (reader, testData) => {
    const refused = [
      await reader.get('/mailings?pageSize=0'),
      await reader.get('/mailings?hasDraft=false&isApproved=false'),
    ]
    if (refused.every(it => it.status === 422)) return sameAs('S no 422')
    if (testData) {
      const path = testData.sendingsPath(await testData.draftSynchronization())
      refused.push(await testData.send('POST', path, '{"name": '))
    }
    // A request that is accepted is reported by the clause that forbids it.
    return compareEach(refused, noRefusal, it => (isSuccess(it) ? undefined : must.haveStatus(it, 400)))
  }),
  reading('S too many IDs', 'mailings by 51 IDs', async reader => {
    const answer = await getMailingsByIds(reader, 51)
    return must.beRefused(answer, 'a 4xx for 51 IDs')
  }),
  reading('S 401', 'the response to requests without credentials', async reader => {
    const answer = await reader.target.get('/mailings', { as: 'nobody' })
    if (isSuccess(answer)) return sameAs('4 authentication')
    const { 'www-authenticate': challenge = 'none' } = answer.headers
    must.haveStatus(answer, 401)
    const isRight = /^basic\s+.*realm=/i.test(challenge)
    return must.be(isRight, 'WWW-Authenticate: Basic with a realm', challenge, answer)
  }),
  writing('S 403', 'a synchronization to a list that is not permitted', async testData => {
    const { refused, narrowed } = await runConfiguration(testData)
    if (isSuccess(refused)) return sameAs('4.15 effect')
    return observedStatus('list-not-permitted-status', refused, [narrowed.put])
  }),
  reading('S 404', 'an unknown ID and an unknown path', async reader => {
    const addresses = [reader.synchronizationPath(unknownId), '/nothing-stands-here']
    return compareEach(addresses, 'neither was refused', async address => {
      const answer = await reader.get(address)
      // A success is reported by the clause of that ID.
      return isSuccess(answer) ? undefined : must.haveStatus(answer, 404)
    })
  }),
  writing('S 405', 'PATCH on the mailings', async testData => {
    const answer = await testData.send('PATCH', '/mailings', '{}')
    must.haveStatus(answer, 405)
    const { allow = 'no Allow' } = answer.headers
    return must.be(/\bGET\b/.test(allow), 'Allow with GET', allow, answer)
  }),
  reading('S HEAD', 'HEAD and GET of the mailings', async reader => {
    const address = '/mailings?pageSize=1'
    const [head, get] = [await reader.target.ask('HEAD', address), await reader.target.get(address)]
    must.haveStatus(head, get.status)
    const types = [head, get].map(it => it.headers['content-type'] ?? 'none')
    must.be(types[0] === types[1], `Content-Type ${types[1]}, as of GET`, types[0]!, head, get)
    return must.be(head.text === '', 'no body', describeValue(head.text), head)
  }),
  reading('S OPTIONS', 'OPTIONS on the mailings', async reader => {
    const answer = await reader.target.ask('OPTIONS', '/mailings')
    must.haveStatus(answer, 204)
    const { allow = 'no Allow' } = answer.headers
    return must.be(/\bGET\b/.test(allow), 'Allow with GET', allow, answer)
  }),
  writing(
    'S order of checks',
    'a wrong query and wrong bodies below an unknown path',
    async (testData, reader) => {
      const unknown = reader.path('createSending', { syncId: unknownId })
      // Another status than 400 is reported by S 400 and S no 422, a success by the clause that forbids it.
      const wrong = [
        await reader.target.get(`${unknown}?pageSize=0`),
        await testData.post(unknown, { subject: 5 }),
        await testData.post(unknown, { subject: 5, transactionId: testData.transactionId() }),
      ]
      const compared = await compareEach(wrong.filter(isRefused), noRefusal, it =>
        must.be(it.status !== 404, 'what is wrong with its input', '404 for its path', it),
      )
      if (compared !== holds) return compared
      return holdsAsFarAs('as far as looked at: input before what the path names')
    },
  ),
  writing('S 409', 'a sending of a mailing that is not approved', async testData => {
    const answer = await sendUnapproved(testData)
    return isSuccess(answer) ? sameAs('3/3') : observedStatus('not-ready-status', answer)
  }),
  reading('S 410', 'a made-up cursor', async reader =>
    observedStatus('stale-cursor-status', await reader.get('/mailings?cursor=made-up')),
  ),
  writing('S 413', 'a body of 2 MiB', async testData => {
    const own = await testData.draftSynchronization()
    return must.haveStatus(await testData.create({ name: 'x'.repeat(2 << 20) }, { own }), 413)
  }),
  reading('S 429', 'responses beyond a limit', reader => {
    return reader.target.limited.length > 0 ? holds : untestable('no limit was met')
  }),
  reading('S rate limit', 'the limit that responses name', reader => {
    const found = observedLimit(reader)
    if (!found) return untestable('no response names a limit')
    return found.limit === 600 ? holds : sameAs('8 rate limit')
  }),
  reading('S rate limit headers', 'X-RateLimit headers of all responses', reader => {
    if (!observedLimit(reader)) return untestable('no response names a limit')
    const names = ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset']
    const known = reader.target.exchanges.filter(it => it.status !== 401)
    return compareEach(known, nothingAsked, it => {
      const isWhole = names.every(name => /^\d+$/.test(it.headers[name] ?? ''))
      return must.be(isWhole, 'all three headers', describeValue(Object.keys(it.headers)), it)
    })
  }),
  outside('S 500', 'failures of the service cannot be caused from outside; scenarios of the mock do'),
]

/** A sending for a mailing without approved version, which must be refused. */
export const sendUnapproved = (testData: TestData): Promise<Exchange> =>
  testData.reader.once('unapproved', async () =>
    testData.create({}, { own: await testData.draftSynchronization() }),
  )

/**
 * A sending with a date that must be refused. A service that takes the date could send at once: without a list to send to, it
 * is asked for a mailing that has no approved version.
 * @throws CannotCheck if the refusal says nothing of the date, or such mailings are sent
 */
export async function sendMisdated(testData: TestData, scheduleDate: string): Promise<Exchange> {
  const body = { scheduleDate, transactionId: testData.transactionId() }
  if (testData.sendTo) return testData.create(body)
  const usual = await sendUnapproved(testData)
  if (isSuccess(usual)) throw new CannotCheck(sameAs('3/3'))
  const answer = await testData.create(body, { own: await testData.draftSynchronization() })
  const isTold = answer.status !== usual.status || answer.text.includes('scheduleDate')
  return isTold ? answer : cannotCheck('it could be sent at once: name a list with --send-to')
}

/** Refusals in the full form. @throws CannotCheck without any; if they have another form, `7 format` reports it */
async function fullProblems(reader: TargetReader): Promise<readonly Exchange[]> {
  const all = need.some((await collectRefusals(reader)).filter(isRefused), noRefusal)
  if (all.every(it => errorFormOf(it) === 'full')) return all
  throw new CannotCheck(sameAs('7 format'))
}

const hasTexts = (json: unknown, ...names: readonly string[]): boolean =>
  names.every(name => textAt(json, name) !== undefined)

/** Section 4: what holds for every operation. */
export const endpointChecks: readonly ClauseEntry[] = [
  reading('4 authentication', 'requests that were taken, without credentials', async (reader, own) => {
    const nothing = 'no request was taken'
    return compareEach(takenRequests(reader), nothing, async ({ method, url, requestBody }) => {
      const body = requestBody ?? undefined
      const answer = await reader.target.ask(method, url, { body, as: 'nobody' })
      if (!isSuccess(answer)) return holds
      if (body) own?.created.add(`what ${requestLine(answer)} does, done once more without credentials`)
      return differs('no success without credentials', `${answer.status}`, answer)
    })
  }),
  writing('4 content type', 'a body as application/hal+json', async (testData, reader) => {
    const { exchange } = await testData.readySynchronization().catch((reason: unknown) => {
      const refused = reader.target.exchanges.find(({ status }) => status === 415)
      if (!refused) throw reason
      return { exchange: refused }
    })
    return must.succeed(exchange, 'a success')
  }),
]

/**
 * The first request of each operation that was taken, reads first; of sendings one with a transaction ID, since its repeat
 * sends nothing.
 */
function takenRequests({ target }: TargetReader): Exchange[] {
  const taken = target.exchanges.filter(isSuccess)
  const firsts = operationIds.flatMap(id => {
    const { method, path } = operations[id]
    const address = new RegExp(`${path.replaceAll(/:\w+/g, '[^/?]+')}$`)
    const isMeant = (body: string | null) => id !== 'createSending' || /"transactionId":/.test(body!)
    return taken.find(it => it.method === method && address.test(it.url) && isMeant(it.requestBody)) ?? []
  })
  return firsts.toSorted((one, other) => Number(one.method !== 'GET') - Number(other.method !== 'GET'))
}
