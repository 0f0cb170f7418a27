import { type DialName, dials } from '../../service/dials.ts'
import { type ClauseEntry, outside, reading, writing } from './check.ts'
import { runConfiguration } from './customer-checks.ts'
import { type Exchange, isRefused, isSuccess } from './exchange.ts'
import {
  compareEach,
  differs,
  must,
  need,
  type Outcome,
  observe,
  observedStatus,
  untestable,
} from './outcome.ts'
import { entriesOf, idOf, type ObservedResource, type TargetReader } from './target-reader.ts'
import type { TestData } from './test-data.ts'
import { describeValue, hrefOf, isObject, linkOf, memberAt, textAt } from './unknown-json.ts'

/*
 * Choices that the document leaves to each deployment, beside those of single sections. Each check finds out which value
 * of a dial the target does, and calls none of them wrong.
 */

/** Which value of a dial a success or a refusal stands for. */
function observedTaking(dial: DialName, answer: Exchange, taken: string, refused = 'refused'): Outcome {
  const isTaken = isSuccess(answer)
  must.be(isTaken || isRefused(answer), 'a success or a 4xx', `${answer.status}`, answer)
  const seen = isTaken ? 'it is taken' : `${answer.status}`
  return observe(dial, isTaken ? taken : refused, 'as the dial says', seen, answer)
}

/** The lists of a customer with a query. @throws CannotCheck without a customer */
async function getLists(reader: TargetReader, query: string): Promise<Exchange> {
  const [customer] = need.some(await reader.customerNames(), 'there is no customer')
  return reader.target.get(reader.customerPath(customer, `/lists${query}`))
}

/** The IDs of two mailings. @throws CannotCheck if there are fewer */
async function twoMailings(reader: TargetReader): Promise<[string, string]> {
  const [one, other] = (await reader.mailings()).items.map(it => textAt(it, 'id'))
  const tooFew = 'there are no two mailings'
  return [need.value(one, tooFew), need.value(other, tooFew)]
}

/** Links whose presence is a choice where nothing is behind them: dial, relation, the member that is false or null then. */
const linksToNothing = [
  ['draft-preview-link', 'mailing-preview-draft', 'mailingHasDraft'],
  ['approved-preview-link', 'mailing-preview-approved', 'mailingIsApproved'],
  ['mailing-uploads-link', 'mailing-uploads', 'mailingUploadsModificationDate'],
] as const

function problemTypeOf(type: string): string {
  if (type === 'about:blank') return 'blank'
  if (type.startsWith('urn:')) return 'urn'
  return /^https?:/.test(type) ? 'address' : 'path'
}

/** Observes whether a configuration keeps another list beside the first; by default the first once more. */
async function observeSecondList(dial: DialName, testData: TestData, other?: number): Promise<Outcome> {
  const { customer, lists } = await runConfiguration(testData)
  const body = { permitAll: false, permittedLists: [lists[0]!, other ?? lists[0]!] }
  const put = await testData.putConfiguration(customer, body)
  const read = await testData.reader.target.get(testData.reader.configurationPath(customer))
  if (isSuccess(put)) await testData.putConfiguration(customer, { permitAll: true, permittedLists: [] })
  if (isSuccess(put)) need.success(read, 'reading the configuration')
  const told = memberAt(read.json, 'permittedLists')
  return observedTaking(dial, put, Array.isArray(told) && told.length > 1 ? 'kept' : 'dropped')
}

/** Whether changes of a mailing move its synchronizations. Nothing of the service changes one, so old ones are looked at. */
async function observeMailingChanges(reader: TargetReader) {
  const { items: mailings } = await reader.mailings()
  const changes = new Map(mailings.map(it => [memberAt(it, 'id'), dateOf(it, 'modificationDate')]))
  const { items, exchange: from } = await reader.synchronizations()
  const changeOf = (it: unknown) => changes.get(memberAt(it, 'mailingId')) ?? Number.NaN
  const changed = items.filter(it => changeOf(it) > dateOf(it, 'creationDate') + tolerance)
  if (changed.length === 0)
    return {
      value: 'mailing',
      seen: 'it did not move, and no mailing is younger than its synchronization',
      from,
    }
  // A synchronization may have moved for another reason, so one that has not moved decides.
  const isMoved = changed.every(it => dateOf(it, 'modificationDate') + tolerance >= changeOf(it))
  return isMoved
    ? { value: 'mailing', seen: 'it moved with the mailing', from }
    : { value: 'own', seen: 'it is older than the last change of its mailing', from }
}

const dateOf = (value: unknown, name: string) => Date.parse(textAt(value, name) ?? '')
/** Milliseconds by which dates of one change may differ. */
const tolerance = 60_000

export const choiceChecks: readonly ClauseEntry[] = [
  outside('S Date header', "the clock of a deployment is the machine's"),
  reading('S bare flags', 'lists with ?showAllLists', async reader =>
    observedTaking('bare-flags', await getLists(reader, '?showAllLists'), 'true'),
  ),
  reading('S Boolean letters', 'lists with ?showAllLists=TRUE', async reader =>
    observedTaking('boolean-letters', await getLists(reader, '?showAllLists=TRUE'), 'any-case', 'exact'),
  ),
  reading('S repeated parameters', 'mailings with pageSize=1&pageSize=2', async reader => {
    await twoMailings(reader)
    const answer = await reader.target.get('/mailings?pageSize=1&pageSize=2')
    const count = entriesOf(answer.json, 'mailings').length
    if (isSuccess(answer) && count !== 1 && count !== 2) return differs('1 or 2 entries', `${count}`, answer)
    return observedTaking('repeated-parameters', answer, count === 1 ? 'first' : 'last')
  }),
  reading('S blanks in lists', 'mailings of two IDs with a blank between them', async reader => {
    const [one, other] = await twoMailings(reader)
    const answer = await reader.target.get(`/mailings?id=${one},%20${other}`)
    must.be(isSuccess(answer) || isRefused(answer), 'a success or a 4xx', `${answer.status}`, answer)
    const isTrimmed = entriesOf(answer.json, 'mailings').length === 2
    const seen = isTrimmed ? 'both mailings' : `${answer.status} without the second`
    return observe('blanks-in-lists', isTrimmed ? 'trimmed' : 'kept', 'the first mailing', seen, answer)
  }),
  reading('S problem type', 'the type of a 404', async reader => {
    const answer = await reader.target.get('/mailings/00000000-0000-4000-8000-000000000000')
    const type = textAt(answer.json, 'type')
    if (type === undefined) return untestable('the problem has no type, as 7 format tells')
    return observe('problem-type', problemTypeOf(type), 'a path', type, answer)
  }),
  reading('S target of indeterminate', 'target and statistics of sendings whose outcome is open', reader => {
    const sendings = reader.observed.of('sending')
    const inState = (state: string) => sendings.filter(it => textAt(it.value, 'state') === state)
    const failed = inState('INDETERMINATE_FAILURE')
    const [first, ...others] = need.some(
      [...failed, ...inState('PENDING')],
      'every sending that was seen is CREATED or FAILED',
    )
    // One that was PENDING may be CREATED when its statistics are read.
    const ofFailed = (url: string) => failed.some(it => url.includes(`/sendings/${idOf(it)}/`))
    const statistics = reader.observed.of('statistics').filter(it => ofFailed(it.from.url))
    const figures = ['target.mailingId', 'target.sendingId', 'sendingStatistics.recipientsCount']
    const figureOf = ({ value }: Pick<ObservedResource, 'value'>) =>
      figures.find(path => Number(memberAt(value, path) ?? 0) > 0)
    const { value, from } = [first, ...others, ...statistics].find(figureOf) ?? first
    const figure = figureOf({ value })
    const [shown, seen] = figure
      ? ['as-is', `${figure} ${memberAt(value, figure)}`]
      : ['nulls', describeValue(memberAt(value, 'target'))]
    return observe('target-of-indeterminate', shown!, 'no IDs, no recipients', seen!, from)
  }),
  writing('S created without transactionId', 'a sending without a transaction ID', async testData =>
    observedStatus('created-without-id-status', await testData.sendingWithoutId()),
  ),
  writing('S repeat validation', 'a repeat with a name that is a number', async testData => {
    const { transactionId } = await testData.firstSending()
    const answer = await testData.create({ transactionId, name: 5 })
    return observedTaking('repeat-validation', answer, 'ignored', 'checked')
  }),
  writing('S empty text', 'a sending with an empty name', async testData => {
    const body = { name: '', transactionId: testData.transactionId() }
    return observedTaking('empty-text', await testData.create(body), 'taken')
  }),
  writing('S transactionId letters', 'a transaction ID with a letter outside of ASCII', async testData => {
    const answer = await testData.create({ transactionId: `${testData.transactionId()}é` })
    return observedTaking('transaction-id-letters', answer, 'unicode', 'ascii')
  }),
  writing('S international addresses', 'a test sending to müller@exämple.invalid', async testData => {
    const answer = await testData.sendTest({ recipientAddresses: ['müller@exämple.invalid'] })
    return observedTaking('international-addresses', answer, 'taken')
  }),
  writing('S repeated upload', 'two mailing-uploads of a synchronization', async testData => {
    const { one, other } = await testData.twoUploads()
    const [first, second] = [one, other].map(it => textAt(it.json, 'id'))
    if (first === undefined || second === undefined) return untestable('no upload with an ID, as 4.10 tells')
    const isSame = ['id', 'target.mailingId'].every(it => memberAt(one.json, it) === memberAt(other.json, it))
    const [value, seen] = isSame ? ['updates', 'the same'] : ['new', 'another']
    return observe('repeated-upload', value!, 'another mailing-upload', seen!, one, other)
  }),
  writing('S unknown permitted list', 'a configuration with an unknown list', testData =>
    observeSecondList('unknown-permitted-list', testData, 999_999_999),
  ),
  writing('S repeated permitted list', 'a configuration with one list twice', testData =>
    observeSecondList('repeated-permitted-list', testData),
  ),
  ...linksToNothing.map(([dial, relation, member]) =>
    reading(dials[dial].clause, `svc:${relation} where nothing is behind it`, async reader => {
      const nothing = member === 'mailingUploadsModificationDate' ? null : false
      const all = reader.observed.of('synchronization')
      const bare = all.filter(({ value }) => memberAt(value, member) === nothing)
      const wanting = need.some(bare, 'every synchronization has something behind this link')
      const withLink = wanting.filter(({ value }) => linkOf(value, relation) !== undefined)
      const isAlways = withLink.length === wanting.length
      if (withLink.length > 0 && !isAlways)
        return differs('the same in all of them', 'a link in some', withLink[0]!.from)
      const without = dial === 'mailing-uploads-link' ? 'after-upload' : 'left-out'
      const [value, seen] = isAlways ? ['always', 'the link is there'] : [without, 'no link']
      return observe(dial, value!, 'as the dial says', seen!, wanting[0].from)
    }),
  ),
  writing(
    'S synchronization modificationDate',
    'modificationDate after a sending and after changes of mailings',
    async testData => {
      const { synchronization } = await testData.firstSending()
      const exchange = await testData.reader.synchronization(synchronization.id)
      const [modified, sent] = ['modificationDate', 'sendingsModificationDate'].map(name =>
        textAt(exchange.json, name),
      )
      if (modified === undefined || sent === undefined) return untestable('a date is missing, as 2.2 tells')
      const [dial, expected] = ['synchronization-modified-by', 'that of changes of its mailing'] as const
      if (modified >= sent)
        return observe(dial, 'everything', expected, 'it moved with the sending', exchange)
      const { value, seen, from } = await observeMailingChanges(testData.reader)
      return observe(dial, value, expected, seen, exchange, from)
    },
  ),
  reading('S items without links', 'test profiles and test-mail groups', reader => {
    const all = [...reader.observed.of('test profile'), ...reader.observed.of('test-mail group')]
    return compareEach(all, 'there is no test profile or test-mail group here', ({ value, from }) =>
      must.be(!isObject(memberAt(value, '_links')), 'no links', hrefOf(value, 'self') ?? 'links', from),
    )
  }),
]
