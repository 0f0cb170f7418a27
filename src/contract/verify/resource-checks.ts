import { sendingState } from '../../store/rows.ts'
import { type Check, type ClauseEntry, outside, reading, writing } from './check.ts'
import { observeListOrder } from './customer-checks.ts'
import { sendUnapproved } from './error-checks.ts'
import { type Exchange, isRefused, isSuccess } from './exchange.ts'
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
import { compareEach, differs, holds, must, need, observe, sameAs } from './outcome.ts'
import { membersOfKind, resourceKinds } from './resource-kinds.ts'
import { entryOf, idOf, type Listing, type ObservedResource, type TargetReader } from './target-reader.ts'
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
      ? observe('single-mailing', 'as-listed', few, 'all fields that it has in the collection', from)
      : observe('single-mailing', 'id-only', few, few, from)
  }),
])

/** Mailings, listed and alone. @throws CannotCheck without any */
const allMailings = ({ observed }: TargetReader) =>
  need.some([...observed.of('mailing item'), ...observed.of('mailing')], 'there is no mailing here')

function flaggedLinkCheck(relation: string, flag: string): Check {
  const are = (it: ObservedResource) => isTrue(it.value, flag)
  return linkCheck(`2.2 ${relation}`, 'synchronization', relation, { words: `has ${flag} true`, are })
}

/** @param find a response with something of this kind in a synchronization; undefined if there is nothing */
function latestDateCheck(
  member: string,
  what: string,
  find: (reader: TargetReader, id: string) => Promise<Exchange | undefined>,
): Check {
  return reading(`2.2 ${member}`, `${member} beside each ${what}`, async reader => {
    const all = reader.observed.some('synchronization')
    const fitting = mustFit(all, member, { ...orNull(aDateTime), mayBeMissing: true })
    const isRead = (it: ObservedResource) => !it.isItem && it.from.method === 'GET'
    for (const { value } of all.filter(it => isRead(it) && memberAt(it.value, member) === null)) {
      const id = String(memberAt(value, 'id'))
      const found = await find(reader, id)
      if (!found) continue
      // It may have been created since the synchronization was read.
      const now = await reader.target.get(reader.synchronizationPath(id))
      must.be(memberAt(now.json, member) !== null, `null only until the first ${what}`, 'null', found, now)
    }
    return fitting
  })
}

/** Two values, if they can be compared. One of another type is reported by the clause of its own member. */
const comparable = (one: unknown, other: unknown): boolean => typeof one === typeof other && one !== undefined

interface Twin {
  /** Of what has the same value: of the mailing, or of the list. */
  readonly relation: string
  readonly member: string
  readonly form: ValueForm
  /** The member of a synchronization with its ID. */
  readonly idPath: string
  /** Reads the collection in which it is; undefined if that is not known. */
  readonly list: (reader: TargetReader, synchronization: unknown) => Promise<Listing | undefined>
}

/** Checks a member of synchronizations beside its twin. Where they differ both are read again: it may have changed. */
function twinCheck(path: string, { relation, member, form, idPath, list }: Twin): Check {
  return reading(`2.2 ${path}`, `${path} beside ${member} of the ${relation}`, async reader => {
    const parent = path.includes('.') ? having(path.split('.')[0]!) : undefined
    const all = reader.observed.some('synchronization').filter(it => parent?.are(it) ?? true)
    const nothing = `no synchronization is there with its entry in the ${relation}`
    return compareEach(all, nothing, async it => {
      mustFit([it], path, form)
      const id = memberAt(it.value, idPath)
      const listing = await list(reader, it.value)
      const place = listing && (await reader.findEntry(listing, relation, id))
      const [known, told] = [memberAt(place?.entry, member), memberAt(it.value, path)]
      if (!place || !comparable(known, told)) return undefined
      if (known === told) return holds
      const own = await reader.target.get(reader.synchronizationPath(idOf(it)))
      const other = await reader.target.get(place.from.url)
      const now = isSuccess(own) ? own.json : it.value
      const entry = entryOf(other.json, relation, memberAt(now, idPath))
      const [later, itsLater] = [memberAt(now, path), memberAt(entry, member)]
      if (!comparable(later, itsLater)) return undefined
      const expected = `${member} ${describeValue(itsLater)}`
      return must.be(later === itsLater, expected, describeValue(later), it.from, other)
    })
  })
}

const ofMailing = (member: string, form: ValueForm): Twin => ({
  relation: 'mailings',
  member,
  form,
  idPath: 'mailingId',
  list: reader => reader.mailings(),
})
const nameOfList: Twin = {
  relation: 'lists',
  member: 'name',
  form: aString,
  idPath: 'target.listId',
  async list(reader, value) {
    const customer = textAt(value, 'target.customer') ?? ''
    return (await reader.customerNames()).includes(customer) ? reader.lists(customer) : undefined
  },
}

/** Section 2.2: mailing synchronizations. */
const synchronizationResourceChecks: readonly ClauseEntry[] = resourceChecks('synchronization', [
  twinCheck('mailingName', ofMailing('name', aString)),
  twinCheck('mailingHasDraft', ofMailing('hasDraft', aBoolean)),
  twinCheck('mailingIsApproved', ofMailing('isApproved', aBoolean)),
  twinCheck('target.listName', nameOfList),
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
    const alone = all.filter(it => !it.isItem).slice(0, 2)
    return compareEach(alone, 'no synchronization could be read alone', async ({ value, from }) => {
      const href = hrefOf(value, 'sendings')!
      const answer = await reader.get(href)
      if (isSuccess(answer)) return must.succeed(answer)
      const teller = clauseOfPath(pathBehindBase(reader, href), reader.segment)
      if (teller) return sameAs(teller)
      const id = String(memberAt(value, 'id'))
      const { exchange } = await reader.sendings(id)
      // If the sendings are at no address at all, 4.3 reports it.
      if (!isSuccess(exchange) && (await reader.chosenSynchronizations()).includes(id)) return sameAs('4.3')
      return differs('a link that resolves', `${answer.status}`, from, answer)
    })
  }),
  reading('2.2 mailing-uploads', 'the link mailing-uploads, followed', async reader => {
    const uploaded = reader.observed
      .of('synchronization')
      .filter(({ value }) => textAt(value, 'mailingUploadsModificationDate') && textAt(value, 'id'))
    return compareEach(uploaded.slice(0, 4), 'nothing has been uploaded yet', async sighting => {
      mustHaveLink([sighting], 'mailing-uploads')
      const { value, from } = sighting
      const href = hrefOf(value, 'mailing-uploads')!
      const answer = await reader.get(href)
      const latest = await reader.upload(String(memberAt(value, 'id')), 'latest')
      const teller = clauseOfPath(pathBehindBase(reader, href), reader.segment)
      if (!isSuccess(answer) && teller) return sameAs(teller)
      const isLatest = isSuccess(answer) && memberAt(answer.json, 'id') === memberAt(latest.json, 'id')
      const seen = `${href}: ${answer.status}`
      return must.be(isLatest, 'a link to the latest mailing-upload', seen, from, answer, latest)
    })
  }),
])

const idOfItsSynchronization: ValueForm = {
  words: 'the ID of its synchronization',
  fits: (value, { synchronization }) =>
    typeof value === 'string' && (synchronization === undefined || value === synchronization),
}
const isCreated = (it: ObservedResource) => memberAt(it.value, 'state') === 'CREATED'
/** The state of a sending; undefined if it shows none of those that there are, which 2.3 state reports. */
const stateOf = (value: unknown) => sendingState.options.find(it => it === memberAt(value, 'state'))
/** Whether a sending is in one of the other states than CREATED. */
export const isUnsent = (value: unknown): boolean => (stateOf(value) ?? 'CREATED') !== 'CREATED'
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
      const observeId = (value: string) =>
        observe('created-sending-mailing-id', value, expected, seen, ...answers)
      if (statuses.length === 0) return observeId('absent')
      if (statuses.length === answers.length) return observeId('present')
      if (exchange.status !== 201 || repeat.status !== 200) return differs(expected, seen, ...answers)
      return observeId(`only-${statuses[0]}`)
    },
  ),
])

const bothIds: ValueForm = {
  words: 'mailingId and sendingId of what was sent or scheduled',
  // Their form is checked by 2.3.
  fits: value => isObject(value) && value.mailingId !== null && value.sendingId !== null,
}
const createdWithTarget: Condition = {
  words: 'is CREATED and has a target',
  are: it => isCreated(it) && isObject(memberAt(it.value, 'target')),
}

/** Section 3: states of a sending. */
const sendingStateChecks: readonly ClauseEntry[] = [
  ...['PENDING', 'FAILED', 'INDETERMINATE_FAILURE'].map(state =>
    outside(`3 ${state}`, 'what the platform really did shows in no response'),
  ),
  fieldCheck('sending', 'target', bothIds, createdWithTarget, '3 CREATED'),
  reading('3 transitions', 'sendings in a final state, read again', async reader => {
    const isFinal = ({ value }: ObservedResource) =>
      stateOf(value) !== undefined && stateOf(value) !== 'PENDING'
    const final = reader.observed
      .of('sending')
      .filter(it => !it.isItem && it.from.method === 'GET' && isFinal(it))
    const nothing = 'no sending in a final state could be read twice'
    return compareEach(final.slice(0, 4), nothing, async ({ value, from }) => {
      const again = await reader.target.get(from.url)
      if (!isSuccess(again)) return undefined
      const [before, state] = [value, again.json].map(it => memberAt(it, 'state'))
      return must.be(state === before, `state ${before}, which is final`, describeValue(state), from, again)
    })
  }),
  reading('3/1', 'sendings without a transaction ID', reader => {
    const all = reader.observed.of('sending').filter(it => memberAt(it.value, 'transactionId') === null)
    return compareEach(all, 'there is no sending without a transaction ID here', it =>
      must.be(isCreated(it), 'CREATED', describeValue(memberAt(it.value, 'state')), it.from),
    )
  }),
  reading('3/2', 'sendings with and without includeAllStates', async reader => {
    return compareEach(await reader.chosenSynchronizations(), 'there is no sending here', async id => {
      const { exchange, items } = await reader.sendings(id)
      const states = items.flatMap(it => stateOf(it) ?? [])
      const other = states.find(it => it !== 'CREATED')
      if (states.length === 0) return undefined
      return must.be(other === undefined, 'CREATED ones only', describeValue(other), exchange)
    })
  }),
  reading('3/3', 'readyForSending, and a sending of a mailing that is not approved', async (reader, own) => {
    const isUnapproved = (it: unknown) => String(memberAt(it, 'mailingIsApproved')) === 'false'
    const unapproved = reader.observed.of('synchronization').filter(it => isUnapproved(it.value))
    const nothing = 'every mailing of a synchronization is approved'
    const flags = await compareEach(unapproved, nothing, ({ value, from }) => {
      const isReady = memberAt(value, 'readyForSending') === true
      return must.be(!isReady, 'not ready without an approved version', 'readyForSending true', from)
    })
    const answer = own && (await sendUnapproved(own))
    // Another status is reported by S 409.
    const isTold = answer && (isSuccess(answer) || isRefused(answer))
    return isTold ? must.beRefused(answer, 'a 4xx without an approved version') : flags
  }),
  outside('3/4', 'a sending cannot be brought into PENDING, FAILED or INDETERMINATE_FAILURE from outside'),
]

const withResponses = having('responseStatistics')
const aRate: ValueForm = {
  words: 'a number from 0 to 100',
  fits: it => typeof it === 'number' && it >= 0 && it <= 100,
}
const recipients = 'sendingStatistics.recipientsCount'
const someRecipients: ValueForm = {
  words: `a whole number from 0 to ${recipients}`,
  fits: (it, of) => {
    const most = memberAt(of.value, recipients)
    // Without a number of recipients, 2.5 reports that one.
    return aCount.fits(it, of) && (typeof most !== 'number' || Number(it) <= most)
  },
}
const anEnd = orNull(notBefore('sendingStatistics.startDate'))

/** Section 2.5: statistics. */
const statisticsResourceChecks: readonly ClauseEntry[] = resourceChecks('statistics', [
  fieldCheck('statistics', 'synchronizationId', idOfItsSynchronization),
  ...['openingRecipients', 'clickingRecipients'].map(name => {
    return fieldCheck('statistics', `responseStatistics.${name}`, someRecipients, withResponses)
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
    return compareEach(all, `no statistics here have ${whole}`, sighting => {
      const { value, from } = sighting
      const told = memberAt(value, `responseStatistics.${name}`)
      if (!aNumber.fits(told, sighting)) return differs(`${name}: a number`, describeValue(told), from)
      const quotient = quotientOf(value, part, whole)
      if (quotient === undefined) return undefined
      const isEither = [1, 100].some(unit => isNear(Number(told), quotient * unit))
      return must.be(isEither, `${name} of about ${quotient.toPrecision(3)}`, describeValue(told), from)
    })
  })
}

/** The quotient of two members; undefined unless both are numbers and the whole is above 0. */
export function quotientOf(value: unknown, part: string, whole: string): number | undefined {
  const [above, below] = [memberAt(value, part), memberAt(value, whole)]
  return typeof above === 'number' && typeof below === 'number' && below > 0 ? above / below : undefined
}

/** Whether two values are equal but for rounding: they differ by 0.006 or by 2 % of the second at most, whichever is more. */
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
    return compareEach(reader.observed.of('preview'), 'there is no preview here', ({ value, from }) => {
      const self = linkOf(value, 'self')
      const isTemplate = self?.templated === true && /\{.*testProfileId.*\}|\{.*kind.*\}/.test(self.href)
      return must.be(isTemplate, 'a templated self link', describeValue(self), from)
    })
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
