import { sendingState } from '../../store/rows.ts'
import { type Check, type ClauseEntry, outside, reading, writing } from './check.ts'
import { observeListOrder } from './customer-checks.ts'
import { sendUnapproved } from './error-checks.ts'
import { type Exchange, isSuccess } from './exchange.ts'
import {
  aBoolean,
  aCount,
  aDateTime,
  aNumber,
  aString,
  type Condition,
  fieldCheck,
  having,
  linkCheck,
  mustFit,
  mustHaveLink,
  notBefore,
  orNull,
  resourceChecks,
  type ValueForm,
} from './field-checks.ts'
import { clauseOfPath, pathBehindBase } from './link-checks.ts'
import { differs, must, need, observed, sameAs, untestable } from './outcome.ts'
import { membersOfKind, resourceKinds } from './resource-kinds.ts'
import { entriesOf, idOf, type Listing, type ObservedResource, type TargetReader } from './target-reader.ts'
import { describeValue, hrefOf, isObject, isTrue, linkOf, memberAt, textAt } from './unknown-json.ts'

/** Section 2.1: mailings. */
const mailingResourceChecks: readonly ClauseEntry[] = resourceChecks('mailing item', [
  reading('2.1 id', 'id of every mailing, listed and alone', reader =>
    mustFit(allMailings(reader), 'id', aString),
  ),
  reading('2.1 _links', 'the self link of every listed mailing', reader =>
    mustHaveLink(
      need.some(reader.observed.of('mailing item'), 'there is no mailing here'),
      'self',
      'a self link',
    ),
  ),
  reading('2.1 mailing-editor', 'the editor link of every mailing', reader =>
    mustHaveLink(allMailings(reader), 'mailing-editor'),
  ),
  reading('2.1 single', 'members of single mailings', reader => {
    const seen = reader.observed.of('mailing').filter(({ value }) => isObject(value))
    const all = need.some(seen, 'there is no single mailing here')
    const fields = [...membersOfKind('mailing item').keys()].filter(name => name !== 'id')
    const isListed = all.every(({ value }) => fields.every(name => memberAt(value, name) !== undefined))
    const some = all.find(({ value }) => fields.some(name => memberAt(value, name) !== undefined))
    const { from, value } = some ?? all[0]
    const few = 'id and links only'
    if (some && !isListed) return differs(few, describeValue(Object.keys(value as object)), from)
    return isListed
      ? observed('single-mailing', 'as-listed', few, 'all fields that it has in the collection', from)
      : observed('single-mailing', 'id-only', few, few, from)
  }),
])

/** Mailings, listed and alone. @throws CannotCheck without any */
const allMailings = ({ observed }: TargetReader) =>
  need.some([...observed.of('mailing item'), ...observed.of('mailing')], 'there is no mailing here')

function flaggedLinkCheck(relation: string, flag: string): Check {
  const are = (it: ObservedResource) => isTrue(it.value, flag)
  return linkCheck(`2.2 ${relation}`, 'synchronization', relation, { words: `has ${flag} true`, are })
}

/** @param find an answer with something of this kind in a synchronization; undefined if there is nothing */
function latestDateCheck(
  member: string,
  what: string,
  find: (reader: TargetReader, id: string) => Promise<Exchange | undefined>,
): Check {
  return reading(`2.2 ${member}`, `${member} beside each ${what}`, async reader => {
    const all = reader.observed.some('synchronization')
    mustFit(all, member, { ...orNull(aDateTime), mayBeMissing: true })
    const isRead = (it: ObservedResource) => !it.isItem && it.from.method === 'GET'
    for (const { value } of all.filter(it => isRead(it) && memberAt(it.value, member) === null)) {
      const id = String(memberAt(value, 'id'))
      const found = await find(reader, id)
      if (!found) continue
      // It may have been created since the synchronization was read.
      const now = await reader.target.get(reader.synchronizationPath(id))
      must.be(memberAt(now.json, member) !== null, `null only until the first ${what}`, 'null', found, now)
    }
  })
}

/**
 * Checks a member of synchronizations beside that of something else. Where they differ both are read again: it may have changed.
 * @param list reads the collection in which that is, by default the mailings; undefined if it is not known
 */
function sameCheck(
  path: string,
  [relation, member, idPath]: readonly [relation: string, member: string, idPath: string],
  list: (reader: TargetReader, value: unknown) => Promise<Listing | undefined> = it => it.mailings(),
): Check {
  return reading(`2.2 ${path}`, `${path} beside ${member} of the ${relation}`, async reader => {
    const all = reader.observed.some('synchronization')
    for (const it of all.filter(({ value }) => !path.includes('.') || isObject(memberAt(value, 'target')))) {
      mustFit([it], path, member === 'name' ? aString : aBoolean)
      const listing = await list(reader, it.value)
      const entryFor = (value: unknown, json: unknown) =>
        entriesOf(json, relation).find(one => memberAt(one, 'id') === memberAt(value, idPath))
      const isSame = (one: unknown, other: unknown) => typeof one !== typeof other || one === other
      const before = memberAt(entryFor(it.value, listing?.exchange.json), member)
      if (!listing || isSame(before, memberAt(it.value, path))) continue
      const own = await reader.target.get(reader.synchronizationPath(idOf(it)))
      const other = await reader.target.get(listing.exchange.url)
      const now = isSuccess(own) ? own.json : it.value
      const [told, known] = [memberAt(now, path), memberAt(entryFor(now, other.json), member)]
      must.be(isSame(told, known), `${member} ${describeValue(known)}`, describeValue(told), it.from, other)
    }
  })
}

/** Section 2.2: mailing synchronizations. */
const synchronizationResourceChecks: readonly ClauseEntry[] = resourceChecks('synchronization', [
  sameCheck('mailingName', ['mailings', 'name', 'mailingId']),
  sameCheck('mailingHasDraft', ['mailings', 'hasDraft', 'mailingId']),
  sameCheck('mailingIsApproved', ['mailings', 'isApproved', 'mailingId']),
  sameCheck('target.listName', ['lists', 'name', 'target.listId'], async (reader, value) => {
    const customer = textAt(value, 'target.customer') ?? ''
    return (await reader.customerNames()).includes(customer) ? reader.lists(customer) : undefined
  }),
  latestDateCheck('sendingsModificationDate', 'sending', async (reader, id) => {
    const { exchange, items } = await reader.sendings(id)
    return items.length > 0 ? exchange : undefined
  }),
  latestDateCheck('mailingUploadsModificationDate', 'mailing-upload', async (reader, id) => {
    const latest = await reader.get(reader.path('getMailingUpload', { syncId: id, id: 'latest' }))
    return textAt(latest.json, 'id') === undefined ? undefined : latest
  }),
  flaggedLinkCheck('mailing-preview-draft', 'mailingHasDraft'),
  flaggedLinkCheck('mailing-preview-approved', 'mailingIsApproved'),
  reading('2.2 sendings', 'the link sendings, followed', async reader => {
    const all = reader.observed.some('synchronization')
    mustHaveLink(all, 'sendings')
    for (const { value, from } of all.filter(it => !it.isItem).slice(0, 2)) {
      const href = hrefOf(value, 'sendings')!
      const answer = await reader.get(href)
      if (isSuccess(answer)) continue
      const teller = clauseOfPath(pathBehindBase(reader, href), reader.segment)
      if (teller) return sameAs(teller)
      const id = String(memberAt(value, 'id'))
      const { exchange } = await reader.sendings(id)
      // If the sendings are at no address at all, 4.3 reports it.
      if (!isSuccess(exchange) && (await reader.chosenSynchronizations()).includes(id)) return sameAs('4.3')
      return differs('a link that resolves', `${answer.status}`, from, answer)
    }
  }),
  reading('2.2 mailing-uploads', 'the link mailing-uploads, followed', async reader => {
    const uploaded = reader.observed
      .of('synchronization')
      .filter(({ value }) => textAt(value, 'mailingUploadsModificationDate') && textAt(value, 'id'))
    for (const sighting of need.some(uploaded, 'nothing has been uploaded yet').slice(0, 4)) {
      mustHaveLink([sighting], 'mailing-uploads')
      const { value, from } = sighting
      const href = hrefOf(value, 'mailing-uploads')!
      const answer = await reader.get(href)
      const latest = await reader.upload(String(memberAt(value, 'id')), 'latest')
      const teller = clauseOfPath(pathBehindBase(reader, href), reader.segment)
      if (!isSuccess(answer) && teller) return sameAs(teller)
      const isLatest = isSuccess(answer) && memberAt(answer.json, 'id') === memberAt(latest.json, 'id')
      const seen = `${href}: ${answer.status}`
      must.be(isLatest, 'a link to the latest mailing-upload', seen, from, answer, latest)
    }
  }),
])

const idOfItsSynchronization: ValueForm = {
  words: 'the ID of its synchronization',
  fits: (value, { synchronization }) =>
    typeof value === 'string' && (synchronization === undefined || value === synchronization),
}
const isCreated = (it: ObservedResource) => memberAt(it.value, 'state') === 'CREATED'
export const isUnsent = (value: unknown): boolean =>
  sendingState.options.some(it => it !== 'CREATED' && it === memberAt(value, 'state'))
const createdSendings: Condition = { words: 'is CREATED', are: isCreated }

/** Section 2.3: sendings. */
const sendingResourceChecks: readonly ClauseEntry[] = resourceChecks('sending', [
  fieldCheck('sending', 'mailingSynchronizationId', idOfItsSynchronization),
  // Sendings without a target are checked by `S target of unsent`.
  fieldCheck('sending', 'target', { words: 'an object', fits: isObject }, createdSendings),
  writing(
    '2.3 mailingId',
    'mailingId in the responses to creating a sending and to its repeat',
    async testData => {
      const { exchange, synchronization } = await testData.firstSending()
      const repeat = await testData.repeatedSending()
      const answers = isSuccess(repeat) ? [exchange, repeat] : [exchange]
      const values = answers.map(({ json }) => memberAt(json, 'mailingId'))
      const { mailingId } = synchronization
      for (const [n, value] of values.entries())
        must.be(
          value === undefined || mailingId === undefined || value === mailingId,
          `mailingId ${mailingId}`,
          describeValue(value),
          answers[n]!,
        )
      const statuses = answers.filter((_, n) => values[n] !== undefined).map(({ status }) => status)
      const seen = answers.map(({ status }, n) => `${status}: ${describeValue(values[n])}`).join(', ')
      const expected = 'the editor mailing as mailingId'
      const observe = (value: string) =>
        observed('created-sending-mailing-id', value, expected, seen, ...answers)
      if (statuses.length === 0) return observe('absent')
      if (statuses.length === answers.length) return observe('present')
      if (exchange.status !== 201 || repeat.status !== 200) return differs(expected, seen, ...answers)
      return observe(`only-${statuses[0]}`)
    },
  ),
])

const bothIds: ValueForm = {
  words: 'mailingId and sendingId of what was sent or scheduled',
  // Their form is checked by 2.3.
  fits: value => !isObject(value) || (value.mailingId !== null && value.sendingId !== null),
}

/** Section 3: states of a sending. */
const sendingStateChecks: readonly ClauseEntry[] = [
  ...['PENDING', 'FAILED', 'INDETERMINATE_FAILURE'].map(state =>
    outside(`3 ${state}`, 'what the platform really did shows in no response'),
  ),
  fieldCheck('sending', 'target', bothIds, createdSendings, '3 CREATED'),
  reading('3 transitions', 'sendings in a final state, read again', async reader => {
    const final = reader.observed
      .of('sending')
      .filter(it => !it.isItem && it.from.method === 'GET' && memberAt(it.value, 'state') !== 'PENDING')
    for (const { value, from } of need.some(final, 'there is no sending in a final state here').slice(0, 4)) {
      const again = await reader.target.get(from.url)
      const [before, state] = [value, again.json].map(it => memberAt(it, 'state'))
      const isSame = !isSuccess(again) || state === before
      must.be(isSame, `state ${before}, which is final`, describeValue(state), from, again)
    }
  }),
  reading('3/1', 'sendings without a transaction ID', reader => {
    const all = reader.observed.of('sending').filter(it => memberAt(it.value, 'transactionId') === null)
    for (const it of need.some(all, 'there is no sending without a transaction ID here'))
      must.be(isCreated(it), 'CREATED', describeValue(memberAt(it.value, 'state')), it.from)
  }),
  reading('3/2', 'sendings with and without includeAllStates', async reader => {
    let seen = 0
    for (const id of await reader.chosenSynchronizations()) {
      const { exchange, items } = await reader.sendings(id)
      if (!isSuccess(exchange)) continue
      seen += items.length
      const other = items.find(isUnsent)
      if (other) return differs('CREATED ones only', describeValue(memberAt(other, 'state')), exchange)
    }
    if (seen === 0) return untestable('there is no sending here')
  }),
  reading('3/3', 'readyForSending, and a sending of a mailing that is not approved', async (reader, own) => {
    const isUnapproved = (it: unknown) => String(memberAt(it, 'mailingIsApproved')) === 'false'
    const all = reader.observed.of('synchronization')
    for (const { value, from } of all) {
      const isRight = memberAt(value, 'readyForSending') !== true || !isUnapproved(value)
      must.be(isRight, 'not ready without an approved version', 'readyForSending true', from)
    }
    const answer = own && (await sendUnapproved(own))
    if (answer && isSuccess(answer))
      return differs('a 4xx without an approved version', `${answer.status}`, answer)
    if (all.length === 0) return untestable('there is no synchronization here')
  }),
  outside('3/4', 'a sending cannot be brought into PENDING, FAILED or INDETERMINATE_FAILURE from outside'),
]

const withResponses = having('responseStatistics')
const aRate: ValueForm = {
  words: 'a number from 0 to 100',
  fits: it => typeof it === 'number' && it >= 0 && it <= 100,
}
const recipients = 'sendingStatistics.recipientsCount'
const someRecipients = (path: string): ValueForm => ({
  words: `a number from 0 to ${recipients}`,
  fits: (it, of) => aCount.fits(it, of) && (quotientOf(of.value, path, recipients) ?? 0) <= 1,
})
const anEnd = orNull(notBefore('sendingStatistics.startDate'))

/** Section 2.5: statistics. */
const statisticsResourceChecks: readonly ClauseEntry[] = resourceChecks('statistics', [
  fieldCheck('statistics', 'synchronizationId', idOfItsSynchronization),
  ...['openingRecipients', 'clickingRecipients'].map(name => {
    const path = `responseStatistics.${name}`
    return fieldCheck('statistics', path, someRecipients(path), withResponses)
  }),
  rateCheck('ctor', 'responseStatistics.clickingRecipients', 'responseStatistics.openingRecipients'),
  rateCheck('openingRate', 'responseStatistics.openingRecipients', recipients),
  rateCheck('uniqueClickRate', 'responseStatistics.clickingRecipients', recipients),
  // The document does not say what else counts as unsubscribed.
  fieldCheck('statistics', 'responseStatistics.unsubscribeRate', aRate, withResponses),
  fieldCheck('statistics', 'sendingStatistics.endDate', anEnd, having('sendingStatistics')),
])

/** Checks that a rate is its quotient, or its quotient as a percentage. `S statistics rates` reports which. */
function rateCheck(name: string, part: string, whole: string): Check {
  return reading(`2.5 responseStatistics.${name}`, `${name} beside ${part} and ${whole}`, reader => {
    const all = reader.observed.of('statistics').filter(withResponses.are)
    for (const sighting of need.some(all, 'there is no statistics here')) {
      const { value, from } = sighting
      const told = memberAt(value, `responseStatistics.${name}`)
      if (!aNumber.fits(told, sighting)) return differs(`${name}: a number`, describeValue(told), from)
      const quotient = quotientOf(value, part, whole)
      if (quotient === undefined) continue
      if (!isNear(Number(told), quotient) && !isNear(Number(told), quotient * 100))
        return differs(`${name} of about ${quotient.toPrecision(3)}`, describeValue(told), from)
    }
  })
}

export function quotientOf(value: unknown, part: string, whole: string): number | undefined {
  const [above, below] = [memberAt(value, part), memberAt(value, whole)]
  return typeof above === 'number' && typeof below === 'number' && below > 0 ? above / below : undefined
}

/** Whether two values are equal when rounded to two digits. */
export const isNear = (one: number, other: number): boolean =>
  Math.abs(one - other) <= Math.max(0.006, Math.abs(other) * 0.02)

/** Before the first PUT a configuration has no dates: `S configuration before PUT` checks that. */
const oncePut = ({ words, fits }: ValueForm): ValueForm => ({
  words,
  fits: (value, of) => fits(value, of) || (value === null && memberAt(of.value, 'permitAll') === true),
})

const checksByHand: readonly ClauseEntry[] = [
  ...mailingResourceChecks,
  ...synchronizationResourceChecks,
  ...sendingResourceChecks,
  ...sendingStateChecks,
  ...statisticsResourceChecks,
  fieldCheck('mailing-upload', 'modificationDate', notBefore('creationDate')),
  reading('2.6 _links', 'the self link of every preview', reader => {
    for (const { value, from } of reader.observed.some('preview')) {
      const self = linkOf(value, 'self')
      const isTemplate = self?.templated === true && /\{.*testProfileId.*\}|\{.*kind.*\}/.test(self.href)
      must.be(isTemplate, 'a templated self link', describeValue(self), from)
    }
  }),
  linkCheck('2.9 list _links', 'list', 'self', { words: 'stands in a collection', are: it => it.isItem }),
  fieldCheck('configuration', 'creationDate', oncePut(aDateTime)),
  fieldCheck('configuration', 'modificationDate', oncePut(notBefore('creationDate'))),
  writing('2.10 order', 'permittedLists as they come back', observeListOrder),
]

const madeOfDefinitions = resourceKinds.flatMap(kind => resourceChecks(kind, checksByHand))

/** Sections 2.1 to 3: resources, and the states of a sending. */
export const resourceAndStateChecks: readonly ClauseEntry[] = [
  ...checksByHand,
  ...madeOfDefinitions.filter(it => !checksByHand.includes(it)),
]
