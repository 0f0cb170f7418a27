import { idOf as claimId } from '../../service/claim.ts'
import { defaultDials } from '../../service/dials.ts'
import { answersOf, type Operation } from '../../service/operation.ts'
import { operations, partsOfSending } from '../../service/operations.ts'
import { type ClauseEntry, follows, outside, reading, writing } from './check.ts'
import {
  byIdCheck,
  mustBeCollection,
  mustBePage,
  observeOrder,
  observeOrderOfDates,
  unknownCheck,
} from './collection-checks.ts'
import { sendMisdated } from './error-checks.ts'
import { type Exchange, isRefused, isSuccess } from './exchange.ts'
import { mustHaveLink } from './field-checks.ts'
import {
  compareEach,
  differs,
  holds,
  must,
  need,
  nothingAsked,
  type Outcome,
  observe,
  type Some,
  sameAs,
  untestable,
} from './outcome.ts'
import { type OperationId, pathBelow } from './paths.ts'
import { isNear, isUnsent, quotientOf } from './resource-checks.ts'
import { entriesOf, idOf, type ObservedResource, type TargetReader, unknownId } from './target-reader.ts'
import { farDate, invalidAddress, type TestData } from './test-data.ts'
import { describeMember, describeValue, hrefOf, isObject, memberAt, textAt } from './unknown-json.ts'

const onPlatform = 'what arrives on the platform shows in no response'
const needsTrouble = 'failures of the service cannot be caused from outside; scenarios of the mock do'

/** The IDs on the platform of what is CREATED, which stay. */
const targetOf = ({ json }: Exchange) =>
  memberAt(json, 'state') === 'CREATED' ? ['target.mailingId', 'target.sendingId'] : []

/** Creating a sending, reading sendings and what stands below them. */
export const sendingChecks: readonly ClauseEntry[] = [
  writing('4.1', 'POST on the sendings of a synchronization', async testData =>
    must.succeed((await testData.firstAnswer()).exchange, 'a sending'),
  ),
  writing('4.1 id', 'POST on the sendings of an unknown synchronization', async testData => {
    const path = testData.sendingsPath({ id: unknownId })
    return must.beRefused(await testData.post(path, { scheduleDate: farDate }))
  }),
  writing('4.1 empty body', 'a sending with an empty object as body', async testData => {
    if (!testData.sendTo) return untestable('it would go out at once: name a list with --send-to')
    const own = await testData.readySynchronization()
    const answer = await testData.post(testData.sendingsPath(own), {})
    testData.note('sending', answer, own.id)
    must.succeed(answer, 'a sending')
    const date = memberAt(answer.json, 'scheduleDate') ?? null
    return must.be(date === null, 'scheduleDate null, since it is sent at once', describeValue(date), answer)
  }),
  writing('4.1 scheduleDate', 'the scheduleDate of a sending', async testData => {
    const { exchange } = await testData.firstSending()
    const mustBeScheduled = (it: Exchange) => {
      const isSame = Date.parse(textAt(it.json, 'scheduleDate') ?? '') === Date.parse(farDate)
      return must.be(isSame, farDate, describeMember(it, 'scheduleDate'), it)
    }
    mustBeScheduled(exchange)
    const scheduleDate = farDate.replace('T12', 'T14').replace('Z', '+02:00')
    const other = await testData.create({ scheduleDate, transactionId: testData.transactionId() })
    // If dates with an offset are refused, `S date-time in` reports it.
    return isSuccess(other) ? mustBeScheduled(other) : holds
  }),
  outside('4.1 name', onPlatform),
  outside('4.1 subject', onPlatform),
  writing('4.1 transactionId', 'one ID five times at once, in capitals, and elsewhere', async testData => {
    // Not five at once to a service that may send them at once.
    const first = await testData.firstSending()
    const body = { transactionId: testData.transactionId() }
    const answers = await Promise.all(Array.from({ length: 5 }, () => testData.create(body)))
    const made = answers.filter(isSuccess)
    if (made.length < 2) {
      const statuses = answers.map(it => it.status).join(', ')
      return untestable(`creating a sending five times at once was answered ${statuses}`)
    }
    const ids = new Set(made.map(it => textAt(it.json, 'id')))
    must.be(ids.size === 1, 'one sending', `${ids.size} sendings: ${[...ids].join(', ')}`, ...made)
    const isFirst = (it: Exchange) => isSuccess(it) && textAt(it.json, 'id') === first.id
    const { transactionId, synchronization } = first
    const capital = await testData.create({ transactionId: transactionId.toUpperCase() })
    must.be(!isFirst(capital), 'another sending in capitals', `sending ${first.id}`, first.exchange, capital)
    const own = await testData.secondSynchronization()
    const other = await testData.create({ transactionId }, { own })
    // IDs of sendings may be unique within a synchronization alone, but a 200 is a repeat.
    const isRepeat = own.id !== synchronization.id && other.status === 200 && isFirst(other)
    return must.be(!isRepeat, 'another sending in another synchronization', `sending ${first.id}`, other)
  }),
  writing('4.1 response', 'the response to creating a sending beside the sending itself', async testData => {
    const { exchange, id, transactionId, synchronization } = await testData.firstSending()
    must.have(exchange, 'transactionId', transactionId, `transactionId ${transactionId}`)
    const read = await testData.reader.sending(synchronization.id, id)
    need.success(read, 'reading the sending')
    return must.agree(exchange, read, 'creationDate', ...targetOf(exchange))
  }),
  outside('4.1/1', 'whether work goes on behind a response shows in no response'),
  outside('4.1/2', onPlatform),
  writing('4.1/3', 'two sendings without a transaction ID', async testData => {
    const answers = [await testData.sendingWithoutId(), await testData.create({})]
    for (const answer of answers) must.succeed(answer, 'a sending')
    const [one, other] = answers.map(it => textAt(it.json, 'id'))
    return must.be(one !== other, 'two sendings', `one, ${describeValue(one)}`, ...answers)
  }),
  writing('4.1/4', 'status and Location of a sending that was created', async testData => {
    const { exchange, id } = await testData.firstSending()
    must.haveStatus(exchange, 201)
    const { location } = exchange.headers
    if (location === undefined) return differs('a Location', 'none', exchange)
    const read = await testData.reader.target.get(location)
    const isThere = isSuccess(read) && memberAt(read.json, 'id') === id
    const seen = `${location}: ${read.status}`
    return must.be(isThere, 'a Location that leads to the sending', seen, exchange, read)
  }),
  writing('4.1/5', 'a repeated transaction ID', async testData => {
    const { exchange, id } = await testData.firstSending()
    const answer = await testData.repeatedSending()
    must.haveStatus(answer, 200)
    must.have(answer, 'id', id, `sending ${id}`)
    return must.agree(exchange, answer, 'transactionId', 'creationDate', ...targetOf(exchange))
  }),
  writing('4.1/6', 'a mistake beside a transaction ID', async testData => {
    const answer = await testData.create({ transactionId: testData.transactionId(), name: 5 })
    return must.beRefused(answer, 'a 4xx for a name that is no text')
  }),
  outside('4.1/7', needsTrouble),
  outside('S indeterminate without transactionId', needsTrouble),
  outside('4.1/8', needsTrouble),
  writing('4.1/9', 'what differs in a repeat', async testData => {
    const { exchange } = await testData.firstSending()
    const answer = await testData.repeatedSending()
    if (!isSuccess(answer)) return untestable('repeats are refused, as 4.1/5 tells')
    return must.agree(exchange, answer, 'scheduleDate')
  }),
  outside('4.1/10', needsTrouble),

  follows('7 201', '4.1/4'),
  follows('7 200', '4.1/5'),
  follows('7 4xx', '4.1/6'),
  outside('7 500', needsTrouble),
  outside('7 repeat', needsTrouble),
  writing('7/2', 'a scheduleDate in the past', async testData => {
    const scheduleDate = '2001-01-01T00:00:00.000Z'
    const { transactionId, id } = await testData.firstSending()
    must.beRefused(await sendMisdated(testData, scheduleDate))
    const isRepeat = textAt((await testData.repeatedSending()).json, 'id') === id
    if (!isRepeat && !testData.sendTo) return untestable('a repeat makes another sending, as 4.1/5 tells')
    const known = await testData.create({ transactionId, scheduleDate })
    return must.succeed(known, `sending ${id} for a known transaction ID`)
  }),
  follows('7/3', '8 transactionId length', '8 transactionId characters'),
  writing('8 transactionId length', 'transaction IDs of 0, 1, 100 and 101 characters', testData => {
    const ofLength = (length: number) => testData.transactionId().padEnd(length, 'x').slice(0, length)
    return checkTransactionIds(testData, [100, 1].map(ofLength), [101, 0].map(ofLength))
  }),
  writing('8 transactionId characters', 'transaction IDs of all characters', testData => {
    const id = testData.transactionId()
    return checkTransactionIds(testData, [`${id}:A-z_0.9`], [`${id} blank`, `${id}/slash`])
  }),
  outside('8 PENDING window', needsTrouble),
  outside('8 recreate attempts', needsTrouble),

  reading('4.2', 'GET on sendings', async reader => {
    const [one] = need.some(listedSendings(reader), 'there is no sending here')
    return must.haveStatus(await reader.sending(one.synchronization, idOf(one)), 200)
  }),
  unknownCheck('4.2 syncId', 'a sending below an unknown synchronization', 'getSending', 'sending'),
  byIdCheck('4.2 id', 'sending', async reader => {
    const [some] = await reader.chosenSynchronizations()
    const listed = listedSendings(reader)
    const syncId = listed[0]?.synchronization ?? some
    const ids = new Set(listed.filter(it => it.synchronization === syncId).map(idOf))
    return { ids: [...ids], path: id => reader.path('getSending', { syncId, id }) }
  }),
  writing('4.2 transactionId', 'the transactionId of a sending that is read', async (testData, reader) => {
    const { id, transactionId, synchronization } = await testData.firstSending()
    await testData.repeatedSending()
    const read = await reader.target.get(reader.path('getSending', { syncId: synchronization.id, id }))
    need.success(read, 'reading the sending')
    must.have(read, 'transactionId', transactionId, transactionId)
    const without = await testData.sendingWithoutId()
    const told = memberAt(without.json, 'transactionId') ?? null
    return must.be(told === null || !isSuccess(without), 'null without one', describeValue(told), without)
  }),
  reading('4.3', 'GET on the sendings of synchronizations', async reader => {
    for (const id of await reader.chosenSynchronizations()) must.succeed((await reader.sendings(id)).exchange)
    await mustListCreated(reader, '', value => memberAt(value, 'state') === 'CREATED')
    return holds
  }),
  unknownCheck('4.3 id', 'the sendings of an unknown synchronization', 'listSendings'),
  reading('4.3 includeAllStates', 'sendings with includeAllStates=true', async reader => {
    let isMore = false
    for (const id of await reader.chosenSynchronizations()) {
      const { exchange: usual, items: some } = await reader.sendings(id)
      if (!isSuccess(usual)) return sameAs('4.3')
      const { exchange, items: all } = await reader.sendings(id, '?includeAllStates=true')
      must.succeed(exchange)
      const ids = all.map(it => memberAt(it, 'id'))
      const missing = some.find(it => textAt(it, 'id') !== undefined && !ids.includes(textAt(it, 'id')))
      must.be(!missing, 'all sendings', `not sending ${memberAt(missing, 'id')}`, exchange)
      const synchronization = await reader.synchronization(id)
      const date = textAt(synchronization.json, 'sendingsModificationDate')
      const isAny = date === undefined || all.length > 0
      must.be(isAny, `the sending that was created ${date}`, 'none', synchronization, exchange)
      isMore ||= all.some(it => memberAt(it, 'state') !== 'CREATED')
    }
    await mustListCreated(reader, '?includeAllStates=true', isUnsent)
    return isMore ? holds : untestable('no sending is in another state than CREATED, as far as can be seen')
  }),
  reading('4.3 shape', 'the collection of sendings', async reader => {
    const [id] = await reader.chosenSynchronizations()
    const { exchange } = await reader.sendings(id)
    if (!isSuccess(exchange)) return untestable('there is no collection of sendings here')
    return mustBeCollection(exchange, 'sendings')
  }),
  ...partsOfSending.flatMap(checksOfPart),
  reading('7/1', 'sendings in state FAILED or INDETERMINATE_FAILURE, read', async reader => {
    const failed = listedSendings(reader).filter(it => /FAIL/.test(String(memberAt(it.value, 'state'))))
    return compareEach(failed.slice(0, 3), 'there is no sending that failed here', async it =>
      must.haveStatus(await reader.sending(it.synchronization, idOf(it)), 200, '200 with the state'),
    )
  }),
]

function checkTransactionIds(
  testData: TestData,
  taken: readonly string[],
  refused: readonly string[],
): Promise<Outcome> {
  return compareEach([...taken, ...refused], nothingAsked, async id => {
    const answer = await testData.create({ transactionId: id })
    const beside = `for transactionId ${describeValue(id)}`
    return taken.includes(id)
      ? must.succeed(answer, `a sending ${beside}`)
      : must.beRefused(answer, `a 4xx ${beside}`)
  })
}

/** Checks that the first such sending that a request created is listed, as long as it can be read. */
async function mustListCreated(
  reader: TargetReader,
  query: string,
  isMeant: (value: unknown) => boolean,
): Promise<void> {
  const all = reader.observed.addressable('sending')
  const created = all.find(it => it.from.method === 'POST' && isMeant(it.value))
  if (!created) return
  const [syncId, id] = [created.synchronization, idOf(created)]
  const read = await reader.sending(syncId, id)
  const list = await reader.target.get(reader.path('listSendings', { syncId }) + query)
  const isListed = entriesOf(list.json, 'sendings').some(it => String(memberAt(it, 'id')) === id)
  const isWhole = isSuccess(list) && isSuccess(read) && hrefOf(list.json, 'next') === undefined
  must.be(isListed || !isWhole, `sending ${id}, which was created`, 'not there', read, list)
}

/** Listed sendings whose synchronization is known. */
const listedSendings = (reader: TargetReader) =>
  reader.observed.addressable('sending').filter(it => it.isItem)

/** Reading a part of a sending, also of one that is not there. */
function checksOfPart(id: OperationId): ClauseEntry[] {
  const { claim, parameters }: Operation = operations[id]
  // Where the document names no status, S 200 looks at it.
  const isStatusNamed = !answersOf(operations[id], defaultDials).some(({ cites }) => cites.includes('S 200'))
  const [ofSynchronization, ofUnknown] = [parameters.syncId![0]!, parameters.id![0]!].map(claimId)
  const name = pathBelow('getSending', id).slice(1)
  return [
    reading(claimId(claim), `GET on the ${name} of sendings`, async reader => {
      const one = listedSendings(reader).find(
        it => memberAt(it.value, 'state') === 'CREATED' && memberAt(it.value, 'scheduleDate') === null,
      )
      if (!one) return untestable('no sending has gone out')
      const answer = await reader.read(id, { syncId: one.synchronization, id: idOf(one) })
      return isStatusNamed ? must.haveStatus(answer, 200) : must.succeed(answer)
    }),
    unknownCheck(
      ofSynchronization!,
      `the ${name} of a sending below an unknown synchronization`,
      id,
      'sending',
    ),
    reading(ofUnknown!, `the ${name} of an unknown sending`, async reader => {
      const [syncId] = await reader.chosenSynchronizations()
      return must.beRefused(await reader.get(reader.path(id, { syncId, id: unknownId })))
    }),
  ]
}

const toNobody = { recipientAddresses: [invalidAddress] }

/** Beyond the document: sendings, statistics and test sendings. */
export const sendingOperationChecks: readonly ClauseEntry[] = [
  reading('S foreign IDs', 'sendings and mailing-uploads below another synchronization', async reader => {
    const below = [
      ...(['getSending', ...partsOfSending] as const).map(id => [id, 'sending'] as const),
      ['getMailingUpload', 'mailing-upload'] as const,
    ]
    const all = await reader.chosenSynchronizations()
    let outcome: Outcome = untestable('there are not two synchronizations, one with a sending or an upload')
    for (const [id, kind] of below) {
      const [one] = reader.observed.addressable(kind)
      const syncId = all.find(it => it !== one?.synchronization)
      if (!one || syncId === undefined) continue
      const expected = `a 4xx, since ${kind} ${idOf(one)} is none of synchronization ${syncId}`
      outcome = must.beRefused(await reader.get(reader.path(id, { syncId, id: idOf(one) })), expected)
    }
    return outcome
  }),
  reading('S sendings collection', 'links of listed sendings', reader => {
    const items = reader.observed.of('sending').filter(it => it.isItem)
    return mustHaveLink(need.some(items, 'there is no sending here'), 'statistics')
  }),
  reading('S sendings pageSize', 'sendings with pageSize=1', async reader => {
    const [id] = synchronizationsWithTwo(reader)
    const { exchange, items } = await reader.sendings(id, '?includeAllStates=true&pageSize=1')
    return mustBePage(exchange, items.length, items.length === 1)
  }),
  reading(
    'S sendings order',
    'sendings that verify made, in their order; without writes, the dates of all',
    async (reader, testData) => {
      if (testData) {
        const own = await testData.readySynchronization()
        const list = await reader.target.get(`${testData.sendingsPath(own)}?includeAllStates=true`)
        const made = reader.observed.createdIds('sending', own.id)
        return observeOrder(made, entriesOf(list.json, 'sendings'), [list], 'sendings')
      }
      let outcome: Outcome = untestable('no synchronization has two sendings')
      for (const id of synchronizationsWithTwo(reader)) {
        const { exchange, items } = await reader.sendings(id, '?includeAllStates=true')
        const one = observeOrderOfDates(items, [exchange], 'sendings')
        if (one.is === 'observed' || outcome.is !== 'observed') outcome = one
      }
      return outcome
    },
  ),
  reading('S target of unsent', 'target of sendings that are not CREATED', reader => {
    const all = reader.observed.of('sending').filter(it => isUnsent(it.value))
    const unsent = need.some(all, 'every sending that was seen is CREATED')
    const targetOf = ({ value }: ObservedResource) => memberAt(value, 'target')
    for (const it of unsent) {
      const target = targetOf(it)
      must.be(target === null || isObject(target), 'an object or null', describeValue(target), it.from)
    }
    const bare = unsent.find(it => targetOf(it) === null)
    const shown = bare ?? unsent[0]
    const value = bare ? 'null' : 'object-of-nulls'
    const seen = describeValue(targetOf(shown))
    return observe('target-of-unsent', value, 'an object whose IDs are null', seen, shown.from)
  }),
  writing('S Location of a 200', 'headers of the response to a repeat', async testData => {
    await testData.firstSending()
    const answer = await testData.repeatedSending()
    if (answer.status !== 200) return untestable(`a repeat is answered ${answer.status}, as 4.1/5 tells`)
    const { location } = answer.headers
    const value = location === undefined ? 'absent' : 'present'
    return observe('location-on-200', value, 'no Location', location ?? 'no Location', answer)
  }),
  outside('S transactionId expiry', 'it would take waiting for days'),
  writing('S transactionId rejected', 'a transaction ID after it was refused', async testData => {
    const transactionId = testData.transactionId()
    const refused = await testData.create({ transactionId, name: 5 })
    if (!isRefused(refused)) return untestable('a mistake is not refused, as 4.1/6 tells')
    const again = await testData.create({ transactionId })
    const [value, seen] = isSuccess(again)
      ? ['free', 'it was taken']
      : ['bound', `refused with ${again.status}`]
    return observe('rejected-transaction', value!, 'it may be used again', seen!, refused, again)
  }),
  outside('S transactionId after 500', 'failures of the service cannot be caused from outside'),
  reading('S statistics rates', 'rates beside their figures', reader => {
    for (const { value, from } of reader.observed.of('statistics')) {
      const opened = 'responseStatistics.openingRecipients'
      const quotient = quotientOf(value, opened, 'sendingStatistics.recipientsCount')
      const told = memberAt(value, 'responseStatistics.openingRate')
      if (quotient === undefined || quotient < 0.01 || typeof told !== 'number') continue
      const isQuotient = isNear(told, quotient)
      // A rate that is neither is reported by 2.5.
      if (!isQuotient && !isNear(told, quotient * 100)) continue
      const kind = isQuotient ? 'quotients' : 'percentages'
      return observe('statistics-rates', kind, 'quotients from 0 to 1', `openingRate ${told}`, from)
    }
    return untestable('no statistics here have openings')
  }),
  reading('S unsubscribe rate', 'unsubscribeRate beside both ways to unsubscribe', reader => {
    const ofRecipients = (value: unknown, name: string) =>
      quotientOf(value, `responseStatistics.${name}`, 'sendingStatistics.recipientsCount')
    for (const { value, from } of reader.observed.of('statistics')) {
      const clicks = ofRecipients(value, 'unsubscribeClicks')
      const list = ofRecipients(value, 'listUnsubscribeClicks')
      const told = memberAt(value, 'responseStatistics.unsubscribeRate')
      // Without the second way nothing shows whether it counts; what is no number is reported by 2.5.
      if (clicks === undefined || !list || typeof told !== 'number') continue
      const isEither = [1, 100].some(unit => Math.abs(told - (clicks + list) * unit) < unit * list * 0.1)
      return must.be(isEither, `about ${(clicks + list).toPrecision(3)}`, `${told}`, from)
    }
    return untestable('no statistics here have recipients who unsubscribed by the list-unsubscribe mechanism')
  }),
  reading(
    'S statistics before start',
    'statistics of sendings that have not started',
    async (reader, own) => {
      const failed = listedSendings(reader).find(it => isUnsent(it.value))
      const made = own && (await own.firstSending())
      if (!made && !failed) return untestable('every sending that was seen has started')
      const answer = made
        ? await reader.statistics(made.synchronization.id, made.id)
        : await reader.statistics(failed!.synchronization, idOf(failed!))
      const expected = 'zeros, without dates'
      must.be(isSuccess(answer) || answer.status === 404, expected, `${answer.status}`, answer)
      const value = isSuccess(answer) ? 'zeros' : 'not-found'
      return observe('statistics-before-start', value, expected, `${answer.status}`, answer)
    },
  ),

  writing('S test sending', 'a test sending to an address', async testData => {
    const answer = await testData.sendTest(toNobody)
    must.haveStatus(answer, 202)
    return must.be(answer.text === '', 'no body', describeValue(answer.text), answer)
  }),
  writing('S test sending testProfileId', 'a test sending with a test profile', async (testData, reader) => {
    const { items } = await reader.profiles((await testData.readySynchronization()).id)
    const testProfileId = need.value(memberAt(items[0], 'id'), 'the list has no test profile')
    return must.succeed(await testData.sendTest({ ...toNobody, testProfileId }), '202')
  }),
  writing('S test sending recipientAddresses', 'a test sending to what is no address', async testData =>
    must.beRefused(await testData.sendTest({ recipientAddresses: ['not-an-address'] })),
  ),
  writing('S test sending testMailGroupId', 'a test sending to a test-mail group', async (own, reader) => {
    if (!own.sendTo) return untestable('its members would get it: name a list with --send-to')
    const { items } = await reader.groups((await own.readySynchronization()).id)
    const testMailGroupId = need.value(memberAt(items[0], 'id'), 'the list has no test-mail group')
    return must.succeed(await own.sendTest({ testMailGroupId }), '202')
  }),
  writing('S test sending kind', 'test sendings with kind', async testData => {
    must.succeed(await testData.sendTest({ ...toNobody, kind: 'lastApproved' }), '202')
    return must.beRefused(await testData.sendTest({ ...toNobody, kind: 'not-a-kind' }))
  }),
  writing('S test sending subjectPrefix', 'a test sending with subjectPrefix', async testData =>
    must.succeed(await testData.sendTest({ ...toNobody, subjectPrefix: 'Verification: ' }), '202'),
  ),
  follows('S test sending optional members', 'S test sending'),
  writing('S test sending rules', 'a test sending to addresses and a group', async testData =>
    must.beRefused(await testData.sendTest({ ...toNobody, testMailGroupId: 1 })),
  ),
]

/** IDs of synchronizations with at least two listed sendings. @throws CannotCheck without any */
function synchronizationsWithTwo(reader: TargetReader): Some<string> {
  const ids = new Map<string, Set<unknown>>()
  for (const { synchronization, isItem, value } of reader.observed.of('sending'))
    if (isItem && synchronization !== undefined)
      ids.set(synchronization, (ids.get(synchronization) ?? new Set()).add(memberAt(value, 'id')))
  const found = [...ids].filter(([, its]) => its.size > 1).map(([id]) => id)
  return need.some(found, 'no synchronization has two sendings')
}
