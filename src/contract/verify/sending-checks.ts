import { type ClauseEntry, follows, outside, reading, writing } from './check.ts'
import { byIdCheck, isCollectionOf, observeOrder } from './collection-checks.ts'
import {
  describeValue,
  type Exchange,
  isObject,
  isRefused,
  isSuccess,
  linkOf,
  memberAt,
  textAt,
} from './exchange.ts'
import { nothingSeen } from './field-checks.ts'
import {
  differs,
  expectRefused,
  expectStatus,
  expectSuccess,
  type Outcome,
  observed,
  passed,
  sameAs,
  untestable,
} from './outcome.ts'
import { isNear, isUnsent, quotientOf } from './resource-checks.ts'
import { type ObservedResource, type TargetReader, unknownId } from './target-reader.ts'
import { farDate, invalidAddress, type TestData } from './test-data.ts'

const onPlatform = 'what arrives on the platform shows in no answer'
const needsTrouble = 'nobody outside can make the service stumble; scenarios of the mock do'

/** Section 4.1: creating a sending. */
export const createSendingChecks: readonly ClauseEntry[] = [
  writing('4.1', 'POST on the sendings of a synchronization', async testData => {
    const exchange = await firstAnswer(testData)
    return expectSuccess(exchange, 'a sending')
  }),
  writing('4.1 id', 'POST on the sendings of an unknown synchronization', async testData => {
    const answer = await testData.post(testData.sendingsPath({ id: unknownId }), { scheduleDate: farDate })
    return expectRefused(answer)
  }),
  writing('4.1 empty body', 'a sending with an empty object as body', async testData => {
    if (!testData.sendTo) return untestable('it would go out at once: name a list with --send-to')
    const own = await testData.readySynchronization()
    const answer = await testData.post(testData.sendingsPath(own), {})
    testData.noteSending(answer, own)
    if (!isSuccess(answer)) return differs('a sending', `${answer.status}`, answer)
    const date = memberAt(answer.json, 'scheduleDate')
    return date === null || date === undefined
      ? passed()
      : differs('scheduleDate null, since it is sent at once', describeValue(date), answer)
  }),
  writing('4.1 scheduleDate', 'the scheduleDate of a sending', async testData => {
    const { exchange } = await testData.firstSending()
    const date = textAt(exchange.json, 'scheduleDate')
    const isSame = date !== undefined && Date.parse(date) === Date.parse(farDate)
    return isSame
      ? passed()
      : differs(farDate, describeValue(memberAt(exchange.json, 'scheduleDate')), exchange)
  }),
  outside('4.1 name', onPlatform),
  outside('4.1 subject', onPlatform),
  writing('4.1 transactionId', 'five simultaneous requests with one transaction ID', async testData => {
    const own = await testData.readySynchronization()
    const transactionId = testData.transactionId()
    const body = { transactionId, scheduleDate: farDate }
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => testData.post(testData.sendingsPath(own), body)),
    )
    const made = answers.filter(isSuccess)
    if (made.length === 0) return untestable(`creating a sending was answered ${answers[0]!.status}`)
    testData.noteSending(made[0]!, own)
    const ids = new Set(made.map(it => textAt(it.json, 'id')))
    return ids.size === 1
      ? passed()
      : differs('one sending', `${ids.size} sendings: ${[...ids].join(', ')}`, ...made)
  }),
  writing('4.1 response', 'the answer to creating a sending beside the sending itself', async testData => {
    const { exchange, id, transactionId, synchronization } = await testData.firstSending()
    if (memberAt(exchange.json, 'transactionId') !== transactionId)
      return differs(
        `transactionId ${transactionId}`,
        describeValue(memberAt(exchange.json, 'transactionId')),
        exchange,
      )
    const read = await testData.reader.sending(synchronization.id, id)
    if (!isSuccess(read)) return untestable(`reading the sending was answered ${read.status}`)
    const [told, kept] = [exchange, read].map(it => memberAt(it.json, 'creationDate'))
    return told === kept
      ? passed()
      : differs(
          `the sending, created ${describeValue(kept)}`,
          `creationDate ${describeValue(told)}`,
          exchange,
          read,
        )
  }),
  outside('4.1/1', 'whether work goes on behind an answer shows in no answer'),
  outside('4.1/2', onPlatform),
  writing('4.1/3', 'two sendings without a transaction ID', async testData => {
    const own = await testData.readySynchronization()
    const answers = [await testData.create(own, {}), await testData.create(own, {})]
    const failed = answers.find(it => !isSuccess(it))
    if (failed) return differs('a sending', `${failed.status}`, failed)
    const [one, other] = answers.map(it => textAt(it.json, 'id'))
    return one !== other ? passed() : differs('two sendings', `one, ${describeValue(one)}`, ...answers)
  }),
  writing('4.1/4', 'status and Location of a sending that was created', async testData => {
    const { exchange, id } = await testData.firstSending()
    if (exchange.status !== 201) return differs('201', `${exchange.status}`, exchange)
    const { location } = exchange.headers
    if (location === undefined) return differs('a Location', 'none', exchange)
    const read = await testData.reader.target.get(location)
    const isThere = isSuccess(read) && memberAt(read.json, 'id') === id
    return isThere
      ? passed()
      : differs('a Location that leads to the sending', `${location}: ${read.status}`, exchange, read)
  }),
  writing('4.1/5', 'a repeated transaction ID', async testData => {
    const { id } = await testData.firstSending()
    const answer = await testData.repeatedSending()
    if (answer.status !== 200) return differs('200', `${answer.status}`, answer)
    return memberAt(answer.json, 'id') === id
      ? passed()
      : differs(`sending ${id}`, describeValue(memberAt(answer.json, 'id')), answer)
  }),
  writing('4.1/6', 'a mistake beside a transaction ID', async testData => {
    const answer = await testData.create(await testData.readySynchronization(), {
      transactionId: testData.transactionId(),
      name: 5,
    })
    return expectRefused(answer, 'a 4xx for a name that is no text')
  }),
  outside('4.1/7', needsTrouble),
  outside('4.1/8', needsTrouble),
  writing('4.1/9', 'what differs in a repeat', async testData => {
    const { exchange } = await testData.firstSending()
    const answer = await testData.repeatedSending()
    if (!isSuccess(answer)) return untestable('repeats are refused, as 4.1/5 tells')
    const [first, again] = [exchange, answer].map(it => memberAt(it.json, 'scheduleDate'))
    return first === again
      ? passed()
      : differs(`scheduleDate ${describeValue(first)}, as first`, describeValue(again), answer)
  }),
  outside('4.1/10', needsTrouble),

  follows('7 201', '4.1/4'),
  follows('7 200', '4.1/5'),
  follows('7 4xx', '4.1/6'),
  outside('7 500', needsTrouble),
  outside('7 repeat', needsTrouble),
  writing('7/2', 'a scheduleDate in the past', async testData => {
    const past = '2001-01-01T00:00:00.000Z'
    const { synchronization, transactionId, id } = await testData.firstSending()
    const fresh = await testData.create(synchronization, {
      transactionId: testData.transactionId(),
      scheduleDate: past,
    })
    if (!isRefused(fresh)) return differs('a 4xx', `${fresh.status}`, fresh)
    const known = await testData.create(synchronization, { transactionId, scheduleDate: past })
    return expectSuccess(known, `sending ${id} for a known transaction ID`)
  }),
  follows('7/3', '8 transactionId length', '8 transactionId characters'),
  writing('8 transactionId length', 'transaction IDs of 0, 1, 100 and 101 characters', async testData => {
    const lengths = [100, 101, 0, 1]
    return await checkTransactionIds(
      testData,
      lengths.map(length => ({
        id: testData.transactionId().padEnd(length, 'x').slice(0, length) || '',
        isTaken: length === 100 || length === 1,
      })),
    )
  }),
  writing('8 transactionId characters', 'transaction IDs of all characters', async testData => {
    const id = testData.transactionId()
    return checkTransactionIds(testData, [
      { id: `${id}:A-z_0.9`, isTaken: true },
      { id: `${id} blank`, isTaken: false },
      { id: `${id}/slash`, isTaken: false },
    ])
  }),
  outside('8 PENDING window', needsTrouble),
  outside('8 recreate attempts', needsTrouble),
]

const firstAnswer = (testData: TestData): Promise<Exchange> =>
  testData.firstSending().then(
    ({ exchange }) => exchange,
    async error => {
      const path = testData.sendingsPath(await testData.readySynchronization())
      const asked = testData.reader.target.exchanges.findLast(
        it => it.method === 'POST' && it.url.endsWith(path),
      )
      if (!asked) throw error
      return asked
    },
  )

async function checkTransactionIds(
  testData: TestData,
  tried: readonly { readonly id: string; readonly isTaken: boolean }[],
): Promise<Outcome> {
  const own = await testData.readySynchronization()
  for (const { id, isTaken } of tried) {
    const answer = await testData.create(own, { transactionId: id })
    const isRight = isTaken ? isSuccess(answer) : isRefused(answer)
    if (!isRight)
      return differs(
        `${isTaken ? 'a sending' : 'a 4xx'} for transactionId ${describeValue(id)}`,
        `${answer.status}`,
        answer,
      )
  }
  return passed()
}

/** Sections 4.2 to 4.4: reading sendings and their statistics. */
export const readSendingChecks: readonly ClauseEntry[] = [
  reading('4.2', 'GET on sendings', async reader => {
    const [one] = listedSendings(reader)
    if (!one) return nothingSeen('sending')
    const answer = await reader.sending(one.synchronization!, String(memberAt(one.value, 'id')))
    return expectStatus(answer, 200)
  }),
  foreignSendingCheck('4.2 syncId', 'a sending asked for under another synchronization', ''),
  byIdCheck('4.2 id', 'sending', async reader => {
    const [one] = listedSendings(reader)
    const [some] = await reader.chosenSynchronizations()
    const synchronization = one?.synchronization ?? some!
    const ids = listedSendings(reader).filter(it => it.synchronization === synchronization)
    return {
      ids: [...new Set(ids.map(it => String(memberAt(it.value, 'id'))))],
      path: id => reader.path('getSending', { syncId: synchronization, id }),
    }
  }),
  writing('4.2 transactionId', 'the transactionId of a sending that is read', async (testData, reader) => {
    const { id, transactionId, synchronization } = await testData.firstSending()
    await testData.repeatedSending()
    const read = await reader.target.get(reader.path('getSending', { syncId: synchronization.id, id }))
    const told = memberAt(read.json, 'transactionId')
    if (!isSuccess(read)) return untestable(`reading the sending was answered ${read.status}`)
    return told === transactionId ? passed() : differs(transactionId, describeValue(told), read)
  }),
  reading('4.3', 'GET on the sendings of synchronizations', async reader => {
    for (const id of await reader.chosenSynchronizations()) {
      const { exchange } = await reader.sendings(id)
      if (!isSuccess(exchange)) return differs('200', `${exchange.status}`, exchange)
    }
    return passed()
  }),
  reading('4.3 id', 'the sendings of an unknown synchronization', async reader => {
    const answer = await reader.get(reader.path('listSendings', { syncId: unknownId }))
    return expectRefused(answer)
  }),
  reading('4.3 includeAllStates', 'sendings with includeAllStates=true', async reader => {
    let isMore = false
    for (const id of await reader.chosenSynchronizations()) {
      const { exchange: usual, items: some } = await reader.sendings(id)
      if (!isSuccess(usual)) return sameAs('4.3')
      const { exchange, items: all } = await reader.sendings(id, '?includeAllStates=true')
      if (!isSuccess(exchange)) return differs('200', `${exchange.status}`, exchange)
      const ids = all.map(it => memberAt(it, 'id'))
      const missing = some.find(it => textAt(it, 'id') !== undefined && !ids.includes(textAt(it, 'id')))
      if (missing !== undefined)
        return differs('all sendings', `not sending ${memberAt(missing, 'id')}`, exchange)
      isMore ||= all.some(it => memberAt(it, 'state') !== 'CREATED')
    }
    return isMore
      ? passed()
      : untestable('no sending is in another state than CREATED, as far as can be seen')
  }),
  reading('4.3 shape', 'the collection of sendings', async reader => {
    const [id] = await reader.chosenSynchronizations()
    const { exchange } = await reader.sendings(id!)
    return isSuccess(exchange) ? isCollectionOf(exchange, 'sendings') : nothingSeen('collection of sendings')
  }),
  reading('4.4', 'GET on the statistics of sendings', async reader => {
    const started = listedSendings(reader).filter(
      it => memberAt(it.value, 'state') === 'CREATED' && memberAt(it.value, 'scheduleDate') === null,
    )
    const [one] = started
    if (!one) return untestable('no sending has gone out')
    const answer = await reader.statistics(one.synchronization!, String(memberAt(one.value, 'id')))
    return expectSuccess(answer, '200')
  }),
  foreignSendingCheck(
    '4.4 syncId',
    'the statistics of a sending under another synchronization',
    '/statistics',
  ),
  reading('4.4 sendingId', 'the statistics of an unknown sending', async reader => {
    const [id] = await reader.chosenSynchronizations()
    const answer = await reader.get(reader.path('getSendingStatistics', { syncId: id!, id: unknownId }))
    return expectRefused(answer)
  }),
  reading('7/1', 'sendings in state FAILED or INDETERMINATE_FAILURE, read', async reader => {
    const failed = listedSendings(reader).filter(it => /FAIL/.test(String(memberAt(it.value, 'state'))))
    for (const { value, synchronization } of failed.slice(0, 3)) {
      const answer = await reader.sending(synchronization!, String(memberAt(value, 'id')))
      if (answer.status !== 200) return differs('200 with the state', `${answer.status}`, answer)
    }
    return failed.length === 0 ? nothingSeen('sending that failed') : passed()
  }),
]

/** Listed sendings whose synchronization is known. */
const listedSendings = (reader: TargetReader): ObservedResource[] =>
  reader.observed
    .of('sending')
    .filter(it => it.isItem && it.synchronization !== undefined && textAt(it.value, 'id') !== undefined)

function foreignSendingCheck(clause: string, looksAt: string, rest: string) {
  return reading(clause, looksAt, async (reader): Promise<Outcome> => {
    const [one] = listedSendings(reader)
    const other = (await reader.chosenSynchronizations()).find(id => id !== one?.synchronization)
    if (!one || other === undefined)
      return untestable('there are not two synchronizations, one with a sending')
    const id = String(memberAt(one.value, 'id'))
    const answer = await reader.get(reader.synchronizationPath(other, `/sendings/${id}${rest}`))
    return expectRefused(answer, `a 4xx, since sending ${id} is none of synchronization ${other}`)
  })
}

/** Asks for a test sending. The answer must be of the expected kind. */
const testSendingCheck = (
  clause: string,
  looksAt: string,
  expected: 'accepted' | 'refused',
  body: object,
): ClauseEntry => writing(clause, looksAt, testData => sendTest(testData, expected, body))

const toNobody = { recipientAddresses: [invalidAddress] }

/** Beyond the document: sendings, statistics and test sendings. */
export const sendingOperationChecks: readonly ClauseEntry[] = [
  reading('S sendings collection', 'links of listed sendings', reader => {
    const items = reader.observed.of('sending').filter(it => it.isItem)
    const without = items.find(it => linkOf(it.value, 'statistics') === undefined)
    if (without) return differs('a link statistics', 'none', without.from)
    return items.length === 0 ? untestable('there is no sending here') : passed()
  }),
  reading('S sendings pageSize', 'sendings with pageSize=1', async reader => {
    const [id] = await synchronizationsWithTwo(reader.observed.of('sending'))
    if (id === undefined) return untestable('no synchronization has two sendings')
    const { exchange, items } = await reader.sendings(id, '?includeAllStates=true&pageSize=1')
    return isSuccess(exchange) && items.length === 1
      ? passed()
      : differs('a page of 1', `${exchange.status}, ${items.length} entries`, exchange)
  }),
  reading('S sendings order', 'creationDate of sendings, in their order', async reader => {
    const ids = await synchronizationsWithTwo(reader.observed.of('sending'))
    let outcome: Outcome = untestable('no synchronization has two sendings')
    for (const id of ids) {
      const { exchange, items } = await reader.sendings(id, '?includeAllStates=true')
      const one = observeOrder(items, [exchange], 'sendings')
      if (one.is === 'differs') return one
      if (one.is === 'observed') outcome = one
    }
    return outcome
  }),
  reading('S target of unsent', 'target of sendings that are not CREATED', reader => {
    const unsent = reader.observed.of('sending').filter(it => isUnsent(it.value))
    const [first] = unsent
    if (!first) return untestable('every sending that was seen is CREATED')
    const wrong = unsent.find(({ value }) => {
      const target = memberAt(value, 'target')
      return target !== null && !isObject(target)
    })
    if (wrong) return differs('an object or null', describeValue(memberAt(wrong.value, 'target')), wrong.from)
    const bare = unsent.find(it => memberAt(it.value, 'target') === null)
    const { value, from } = bare ?? first
    return observed(
      'target-of-unsent',
      bare ? 'null' : 'object-of-nulls',
      'an object whose IDs are null',
      describeValue(memberAt(value, 'target')),
      from,
    )
  }),
  writing('S Location of a 200', 'headers of the answer to a repeat', async testData => {
    await testData.firstSending()
    const answer = await testData.repeatedSending()
    if (answer.status !== 200) return untestable(`a repeat is answered ${answer.status}, as 4.1/5 tells`)
    const { location } = answer.headers
    return observed(
      'location-on-200',
      location === undefined ? 'absent' : 'present',
      'no Location',
      location ?? 'no Location',
      answer,
    )
  }),
  outside('S transactionId expiry', 'it would take waiting for days'),
  writing('S transactionId rejected', 'a transaction ID after it was refused', async testData => {
    const own = await testData.readySynchronization()
    const transactionId = testData.transactionId()
    const refused = await testData.create(own, { transactionId, name: 5 })
    if (!isRefused(refused)) return untestable('a mistake is not refused, as 4.1/6 tells')
    const again = await testData.create(own, { transactionId })
    return observed(
      'rejected-transaction',
      isSuccess(again) ? 'free' : 'bound',
      'it may be used again',
      isSuccess(again) ? 'it was taken' : `refused with ${again.status}`,
      refused,
      again,
    )
  }),
  outside('S transactionId after 500', 'nobody outside can make the service stumble'),
  reading('S statistics rates', 'rates beside their figures', reader => {
    for (const { value, from } of reader.observed.of('statistics')) {
      const quotient = quotientOf(
        value,
        'responseStatistics.openingRecipients',
        'sendingStatistics.recipientsCount',
      )
      const told = memberAt(value, 'responseStatistics.openingRate')
      if (quotient === undefined || quotient < 0.01 || typeof told !== 'number') continue
      const isQuotient = isNear(told, quotient)
      // A rate that is neither is reported by 2.5.
      if (!isQuotient && !isNear(told, quotient * 100)) continue
      return observed(
        'statistics-rates',
        isQuotient ? 'quotients' : 'percentages',
        'quotients from 0 to 1',
        `openingRate ${told}`,
        from,
      )
    }
    return untestable('no statistics here have openings')
  }),
  reading(
    'S statistics before start',
    'statistics of sendings that have not started',
    async (reader, testData) => {
      const own = testData && (await testData.firstSending())
      const failed = reader.observed
        .of('sending')
        .find(it => it.isItem && it.synchronization !== undefined && isUnsent(it.value))
      if (!own && !failed) return untestable('every sending that was seen has started')
      const [synchronization, id] = own
        ? [own.synchronization.id, own.id]
        : [failed!.synchronization!, String(memberAt(failed!.value, 'id'))]
      const answer = await reader.statistics(synchronization, id)
      if (!isSuccess(answer) && answer.status !== 404)
        return differs('zeros, without dates', `${answer.status}`, answer)
      return observed(
        'statistics-before-start',
        isSuccess(answer) ? 'zeros' : 'not-found',
        'zeros, without dates',
        String(answer.status),
        answer,
      )
    },
  ),

  writing('S test sending', 'a test sending to an address', async testData => {
    const { id } = await testData.readySynchronization()
    const answer = await testData.post(testData.reader.path('createTestSending', { syncId: id }), toNobody)
    if (answer.status !== 202) return differs('202', `${answer.status}`, answer)
    return answer.text === '' ? passed() : differs('no body', describeValue(answer.text), answer)
  }),
  writing('S test sending testProfileId', 'a test sending with a test profile', async (testData, reader) => {
    const { items } = await reader.profiles((await testData.readySynchronization()).id)
    const testProfileId = memberAt(items[0], 'id')
    if (testProfileId === undefined) return untestable('the list has no test profile')
    return sendTest(testData, 'accepted', { ...toNobody, testProfileId })
  }),
  testSendingCheck('S test sending recipientAddresses', 'a test sending to what is no address', 'refused', {
    recipientAddresses: ['not-an-address'],
  }),
  writing(
    'S test sending testMailGroupId',
    'a test sending to a test-mail group',
    async (testData, reader) => {
      if (!testData.sendTo) return untestable('its members would get it: name a list with --send-to')
      const { items } = await reader.groups((await testData.readySynchronization()).id)
      const testMailGroupId = memberAt(items[0], 'id')
      if (testMailGroupId === undefined) return untestable('the list has no test-mail group')
      return sendTest(testData, 'accepted', { testMailGroupId })
    },
  ),
  writing('S test sending kind', 'test sendings with kind', async testData => {
    const good = await sendTest(testData, 'accepted', { ...toNobody, kind: 'lastApproved' })
    return good.is === 'holds' ? sendTest(testData, 'refused', { ...toNobody, kind: 'not-a-kind' }) : good
  }),
  testSendingCheck('S test sending subjectPrefix', 'a test sending with subjectPrefix', 'accepted', {
    ...toNobody,
    subjectPrefix: 'Verification: ',
  }),
  follows('S test sending optional members', 'S test sending'),
  testSendingCheck('S test sending rules', 'a test sending to addresses and a group', 'refused', {
    ...toNobody,
    testMailGroupId: 1,
  }),
]

/** IDs of synchronizations with at least two listed sendings. */
async function synchronizationsWithTwo(sendings: readonly ObservedResource[]): Promise<string[]> {
  const ids = new Map<string, Set<unknown>>()
  for (const { synchronization, isItem, value } of sendings)
    if (isItem && synchronization !== undefined)
      ids.set(synchronization, (ids.get(synchronization) ?? new Set()).add(memberAt(value, 'id')))
  return [...ids].filter(([, its]) => its.size > 1).map(([id]) => id)
}

async function sendTest(
  testData: TestData,
  expected: 'accepted' | 'refused',
  body: object,
): Promise<Outcome> {
  const { id } = await testData.readySynchronization()
  const answer = await testData.post(testData.reader.path('createTestSending', { syncId: id }), body)
  return expected === 'refused' ? expectRefused(answer) : expectSuccess(answer, '202')
}
