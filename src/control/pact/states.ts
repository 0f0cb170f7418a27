import { latestVersion } from '../../service/mailings.ts'
import { problems } from '../../service/problem.ts'
import { formatDateTime } from '../../service/response.ts'
import { unlessRemoved } from '../../store/removal.ts'
import { customer, type Synchronization, sendingState } from '../../store/rows.ts'
import {
  anySending,
  dateTime,
  type ProviderState,
  params,
  planOf,
  platformId,
  providerState,
  type Scene,
  seconds,
  sendingParams,
  sendingTruth,
  status,
  text,
  transactionId,
  uuid,
} from './scene.ts'

const customerName = text.pipe(customer.shape.name)

const synchronizationParams = params({
  synchronizationId: uuid.optional(),
  mailingId: uuid.optional(),
  mailingName: text.optional().describe('Name of its mailing'),
  customer: customerName.optional().describe('Name of the customer of its list; made if there is none'),
  listId: platformId.optional(),
})
const synchronizationValues = {
  synchronizationId: 'ID of the synchronization',
  mailingId: 'ID of its mailing',
  customer: 'Name of the customer',
  listId: 'ID of its list',
}

const synchronizationIds = ({ id, mailingId, customer, listId }: Synchronization) => ({
  synchronizationId: id,
  mailingId,
  customer,
  listId,
})

/** For states of a synchronization that an earlier state may have made. */
const ofSynchronization = {
  params: params({ synchronizationId: uuid.optional() }),
  takes: ['synchronizationId'],
} as const

/** A synchronization whose mailing is in one state of approval (spec 2.2, 3/3), on a list of one kind. */
const synchronizationState = (
  name: string,
  description: string,
  of: { readonly isApproved: boolean; readonly hasDraft?: boolean; readonly isBare?: boolean },
) =>
  providerState({
    name,
    alsoNamed: [name.replace('a synchronization', 'a synchronization {synchronizationId}')],
    description,
    params: synchronizationParams,
    takes: ['mailingId', 'customer', 'listId'],
    values: synchronizationValues,
    setUp(scene, { synchronizationId, mailingId, mailingName, customer, listId }) {
      const known = scene.tables.synchronizations.get(synchronizationId ?? '')
      const { isApproved, hasDraft = !isApproved, isBare } = of
      const owner = { customer: customer ?? known?.customer, listId: listId ?? known?.listId }
      const list = scene.list({ ...owner, isBare })
      const id = mailingId ?? known?.mailingId
      const mailing = scene.mailing({ mailingId: id, name: mailingName, isApproved, hasDraft })
      return synchronizationIds(scene.synchronization(synchronizationId, mailing, list))
    },
  })

const mailingParams = params({ mailingId: uuid.optional(), name: text.optional().describe('Its name') })
const mailingValues = { mailingId: 'ID of the mailing', mailingName: 'Name of its latest version' }

/** A mailing in one state of approval (spec 2.1). An existing mailing is changed to it. */
const mailingState = (
  name: string,
  description: string,
  versions: { readonly isApproved: boolean; readonly hasDraft: boolean },
) =>
  providerState({
    name,
    alsoNamed: [name.replace('a mailing', 'a mailing {mailingId}')],
    description,
    params: mailingParams,
    values: mailingValues,
    setUp(scene, { mailingId, name: own }) {
      const row = scene.mailing({ mailingId, name: own, ...versions })
      return { mailingId: row.id, mailingName: latestVersion(row).name }
    },
  })

const customerParams = params({
  customer: customerName.optional().describe('Name of the customer; made if there is none'),
})
const customerValues = { customer: 'Name of the customer' }

/** A customer without such data, because nothing can be removed. @throws Problem 400 */
function freshCustomer(scene: Scene, name: string | undefined, has: (name: string) => boolean, what: string) {
  const of = scene.customer(name)
  if (!has(of)) return of
  throw problems.field('params.customer', `customer "${of}" has ${what}; name another, or none`)
}

const sendingValues = { synchronizationId: 'ID of the synchronization', sendingId: 'ID of the sending' }

/** The same, of one that is made ready for sending. */
const ofSender = { params: params(sendingParams), takes: ['synchronizationId'] } as const

const week = 7 * 24 * 60 * 60 * 1000

/** All states that a pact may name, with their parameters and the rows that they make. The control API, docs/pact.md and the tests read this table. */
export const providerStates: readonly ProviderState[] = [
  providerState({
    name: '',
    description: 'No state: the space as it begins. Verifiers ask for it where an interaction has no given.',
    params: params({}),
    setUp: () => ({}),
  }),
  providerState({
    name: 'the service answers 503 with Retry-After',
    alsoNamed: ['the service answers 503 with Retry-After {retryAfter}'],
    description: 'Every request is answered 503, and nothing is done.',
    params: params({ retryAfter: seconds.optional().describe('Seconds; 30 unless given') }),
    setUp(scene, { retryAfter = 30 }) {
      scene.answerWith('*', { phase: 'before', answer: { status: 503, retryAfter } })
      return {}
    },
  }),
  providerState({
    name: 'the service answers {status}',
    description: 'Every request is answered with this error status, and nothing is done.',
    params: params({
      status: status.describe('400 to 599'),
      retryAfter: seconds.optional().describe('Seconds; no Retry-After unless given'),
    }),
    setUp(scene, { status: given, retryAfter }) {
      scene.answerWith('*', {
        phase: 'before',
        answer: { status: given, ...(retryAfter !== undefined && { retryAfter }) },
      })
      return {}
    },
  }),
  providerState({
    name: 'a sending cannot be processed',
    alsoNamed: ['a sending cannot be processed and was {truth}'],
    description: 'Creating one is answered 500 (4.1/7).',
    params: params({
      truth: sendingTruth.optional().describe('Whether it was sent all the same; not-sent unless given'),
    }),
    setUp(scene, { truth = 'not-sent' }) {
      const phase = truth === 'sent' ? 'after' : 'before'
      scene.answerWith('createSending', { phase, answer: { status: 500 } })
      return {}
    },
  }),
  mailingState('a mailing is approved', 'It has an approved version and no draft.', {
    isApproved: true,
    hasDraft: false,
  }),
  mailingState('a mailing has only a draft', 'Nothing of it was ever approved.', {
    isApproved: false,
    hasDraft: true,
  }),
  mailingState('a mailing is approved and has a draft', 'An approved version, and a newer one as a draft.', {
    isApproved: true,
    hasDraft: true,
  }),
  providerState({
    name: 'there is no mailing',
    alsoNamed: ['there is no mailing {mailingId}'],
    description: 'Gives an ID that no mailing has.',
    params: params({ mailingId: uuid.optional() }),
    values: { mailingId: 'ID that no mailing has' },
    setUp: (scene, { mailingId = scene.newId('mailing') }) => ({
      mailingId: scene.unused('mailingId', mailingId, unlessRemoved(scene.tables.mailings.get(mailingId))),
    }),
  }),
  synchronizationState(
    'a synchronization is ready for sending',
    'Its mailing is approved. Its list has a test profile and a test-mail group.',
    { isApproved: true },
  ),
  synchronizationState('a synchronization is not ready for sending', 'Its mailing has only a draft.', {
    isApproved: false,
  }),
  synchronizationState(
    'a synchronization is ready for sending and its mailing has a draft',
    'Preview and name of the latest version differ from the approved one.',
    { isApproved: true, hasDraft: true },
  ),
  synchronizationState(
    'a synchronization has no test recipients',
    'Its list has neither test profiles nor test-mail groups.',
    { isApproved: true, isBare: true },
  ),
  providerState({
    name: 'a synchronization has test recipients',
    alsoNamed: ['a synchronization {synchronizationId} has test recipients'],
    description: 'Gives the IDs that a preview and a test sending take.',
    ...ofSynchronization,
    values: {
      ...synchronizationValues,
      testProfileId: 'ID of a test profile of its list',
      testMailGroupId: 'ID of a test-mail group of its list',
    },
    setUp(scene, { synchronizationId }) {
      const row = scene.readySynchronization(synchronizationId)
      // Adds what the list lacks.
      const { testProfiles, testMailGroups } = scene.list({ listId: row.listId })
      return {
        ...synchronizationIds(row),
        testProfileId: testProfiles[0]!.id,
        testMailGroupId: testMailGroups[0]!.id,
      }
    },
  }),
  providerState({
    name: 'there is no synchronization',
    alsoNamed: ['there is no synchronization {synchronizationId}'],
    description: 'Gives an ID that no synchronization has.',
    params: params({ synchronizationId: uuid.optional() }),
    values: { synchronizationId: 'ID that no synchronization has' },
    setUp: (scene, { synchronizationId = scene.newId('synchronization') }) => ({
      synchronizationId: scene.unused(
        'synchronizationId',
        synchronizationId,
        unlessRemoved(scene.tables.synchronizations.get(synchronizationId)),
      ),
    }),
  }),
  providerState({
    name: 'a mailing was uploaded',
    description: 'A synchronization has a mailing-upload; `latest` selects it.',
    ...ofSynchronization,
    values: {
      synchronizationId: synchronizationValues.synchronizationId,
      mailingUploadId: 'ID of the mailing-upload',
    },
    setUp(scene, { synchronizationId }) {
      const owner = scene.readySynchronization(synchronizationId)
      return { synchronizationId: owner.id, mailingUploadId: scene.upload(owner).id }
    },
  }),
  providerState({
    name: 'a synchronization has no mailing-upload',
    description: 'Nothing was uploaded yet; `latest` selects nothing.',
    ...ofSynchronization,
    values: synchronizationValues,
    setUp(scene, { synchronizationId }) {
      const row = scene.readySynchronization(synchronizationId)
      if (scene.tables.uploadsOfSynchronization.count(row.id) === 0) return synchronizationIds(row)
      throw problems.field(
        'params.synchronizationId',
        `synchronization ${row.id} has mailing-uploads; name another`,
      )
    },
  }),
  providerState({
    name: 'there is no mailing-upload',
    alsoNamed: ['there is no mailing-upload {mailingUploadId}'],
    description: 'A synchronization, ready for sending, and an ID that no mailing-upload has.',
    params: params({ synchronizationId: uuid.optional(), mailingUploadId: uuid.optional() }),
    takes: ['synchronizationId'],
    values: {
      synchronizationId: synchronizationValues.synchronizationId,
      mailingUploadId: 'ID that no mailing-upload has',
    },
    setUp: (scene, { synchronizationId, mailingUploadId = scene.newId('mailing-upload') }) => ({
      mailingUploadId: scene.unused(
        'mailingUploadId',
        mailingUploadId,
        scene.tables.mailingUploads.get(mailingUploadId),
      ),
      synchronizationId: scene.readySynchronization(synchronizationId).id,
    }),
  }),
  providerState({
    name: 'a sending exists',
    alsoNamed: [
      'a sending with transaction {transactionId} exists',
      'a sending with transaction {transactionId} is {state}',
      'a sending with transaction {transactionId} is {state} and was {truth}',
      'a sending with transaction {transactionId} is {state} for synchronization {synchronizationId}',
    ],
    description:
      'A sending in any state. It stays in this state, even if its transaction ID is repeated. If the state is FAILED, PENDING or INDETERMINATE_FAILURE, the mailing did not go out, unless truth is sent.',
    params: anySending,
    takes: ['synchronizationId'],
    values: { ...sendingValues, transactionId: 'Its transaction ID; empty where it has none' },
    setUp(scene, given) {
      const { state = 'CREATED' } = given
      // Without one a sending can only be CREATED (3/1).
      const { transactionId = state === 'CREATED' ? null : scene.newId('sending') } = given
      if (state !== 'CREATED' && transactionId === null)
        throw problems.field(
          'params.transactionId',
          `a sending without one can only be CREATED (3/1), got ${state}`,
        )
      return { ...scene.sending({ ...given, transactionId }), transactionId: transactionId ?? '' }
    },
  }),
  providerState({
    name: 'a sending is scheduled',
    alsoNamed: ['a sending with transaction {transactionId} is scheduled'],
    description: 'CREATED, and goes out at a time to come.',
    params: params({
      ...sendingParams,
      transactionId: transactionId.nullable().optional().describe('None unless given'),
      scheduleDate: dateTime.optional().describe('In a week unless given'),
    }),
    takes: ['synchronizationId'],
    values: { ...sendingValues, scheduleDate: 'When it goes out' },
    setUp(scene, { scheduleDate = formatDateTime(scene.now + week), ...rest }) {
      return { ...scene.sending({ ...rest, scheduleDate }), scheduleDate }
    },
  }),
  providerState({
    name: 'a sending has statistics',
    description: 'It was sent a week ago, so recipients have opened it and clicked.',
    ...ofSender,
    values: sendingValues,
    setUp: (scene, given) => scene.sending(given, scene.now - week),
  }),
  providerState({
    name: 'a synchronization has sendings in every state',
    description:
      'One CREATED, one PENDING, one FAILED, one INDETERMINATE_FAILURE, each with a transaction ID.',
    ...ofSender,
    values: { synchronizationId: sendingValues.synchronizationId },
    setUp(scene, given) {
      const { id: synchronizationId } = scene.readySynchronization(given.synchronizationId)
      for (const state of sendingState.options)
        scene.sending({ synchronizationId, state, transactionId: `in-state-${state}` })
      return { synchronizationId }
    },
  }),
  providerState({
    name: 'there are no sendings',
    alsoNamed: ['there are no sendings of synchronization {synchronizationId}'],
    description: 'A synchronization, ready for sending, from which nothing was ever sent.',
    ...ofSender,
    values: { synchronizationId: sendingValues.synchronizationId },
    setUp(scene, { synchronizationId }) {
      const { id } = scene.readySynchronization(synchronizationId)
      if (scene.tables.sendingsOfSynchronization.count(id) === 0) return { synchronizationId: id }
      throw problems.field(
        'params.synchronizationId',
        `synchronization ${id} has sendings, and sendings never vanish; name another, or none`,
      )
    },
  }),
  providerState({
    name: 'there is no sending',
    alsoNamed: ['there is no sending {sendingId}'],
    description: 'A synchronization, ready for sending, and an ID that no sending has.',
    params: params({ ...sendingParams, sendingId: uuid.optional() }),
    takes: ['synchronizationId'],
    values: { ...sendingValues, sendingId: 'ID that no sending has' },
    setUp: (scene, { synchronizationId, sendingId = scene.newId('sending') }) => ({
      synchronizationId: scene.readySynchronization(synchronizationId).id,
      sendingId: scene.unused('sendingId', sendingId, scene.tables.sendings.get(sendingId)),
    }),
  }),
  providerState({
    name: 'creating a sending leads to {state}',
    alsoNamed: ['creating a sending leads to {state} and it was {truth}'],
    description:
      'The next sending that is created gets this state in its response. With INDETERMINATE_FAILURE, truth says what really happened; without truth it was not sent.',
    params: params({ state: sendingState.describe('The state'), truth: sendingTruth.optional() }),
    setUp(scene, { state, truth }) {
      const [step] = planOf(state, truth)
      if (truth === 'sent' && (state === 'PENDING' || state === 'FAILED'))
        throw problems.field(
          'params.truth',
          `${state} is always not-sent; only INDETERMINATE_FAILURE may be either`,
        )
      scene.answerWith('createSending', {
        truth: state === 'INDETERMINATE_FAILURE' ? 'not-sent' : undefined,
        ...step,
      })
      return {}
    },
  }),
  providerState({
    name: 'a customer has lists',
    alsoNamed: ['customer {customer} has lists'],
    description: 'Two lists of a customer without an accessible-lists configuration.',
    params: customerParams,
    values: { ...customerValues, listId: 'ID of one of its lists' },
    setUp(scene, { customer: name }) {
      const of = scene.customer(name)
      const { id } = scene.list({ customer: of })
      scene.list({ customer: of })
      return { customer: of, listId: id }
    },
  }),
  providerState({
    name: 'a customer has no lists',
    alsoNamed: ['customer {customer} has no lists'],
    description: 'An accessible customer without a list.',
    params: customerParams,
    values: customerValues,
    setUp(scene, { customer: name }) {
      const has = (it: string) =>
        [...scene.tables.lists.rows()].some(list => list.customer === it && unlessRemoved(list))
      return { customer: freshCustomer(scene, name, has, 'lists, and no state deletes one') }
    },
  }),
  providerState({
    name: 'there is no customer',
    alsoNamed: ['there is no customer {customer}'],
    description: 'Gives a name that no accessible customer has.',
    params: params({ customer: customerName.optional().describe('Made up unless given') }),
    values: { customer: 'Name that no customer has' },
    setUp: (scene, { customer: name = 'no-such-customer' }) => ({
      customer: scene.unused('customer', name, unlessRemoved(scene.tables.customers.get(name))),
    }),
  }),
  providerState({
    name: 'there is no list',
    alsoNamed: ['there is no list {listId}', 'there is no list {listId} of customer {customer}'],
    description: 'An accessible customer, and an ID that no list has.',
    params: params({ ...customerParams.shape, listId: platformId.optional() }),
    takes: ['customer'],
    values: { ...customerValues, listId: 'ID that no list has' },
    setUp: (scene, { customer: name, listId = scene.freshListId() }) => ({
      customer: scene.customer(name),
      listId: scene.unused('listId', listId, unlessRemoved(scene.tables.lists.get(listId))),
    }),
  }),
  providerState({
    name: 'a customer has an accessible-lists configuration',
    description: 'Of its two lists only one is permitted.',
    params: customerParams,
    values: { ...customerValues, listId: 'ID of the permitted list', forbiddenListId: 'ID of the other one' },
    setUp(scene, { customer: name }) {
      const of = scene.customer(name)
      const permitted = scene.list({ customer: of })
      const other = scene.list({ customer: of })
      scene.configureLists(of, { permitAll: false, permittedLists: [permitted.id] })
      return { customer: of, listId: permitted.id, forbiddenListId: other.id }
    },
  }),
  providerState({
    name: 'all lists of a customer are permitted',
    description: 'Its accessible-lists configuration has permitAll.',
    params: customerParams,
    values: { ...customerValues, listId: 'ID of one of its lists' },
    setUp(scene, { customer: name }) {
      const of = scene.customer(name)
      const { id } = scene.list({ customer: of })
      scene.configureLists(of, { permitAll: true, permittedLists: [] })
      return { customer: of, listId: id }
    },
  }),
  providerState({
    name: 'a customer has no accessible-lists configuration',
    description: 'A customer with a list, and nothing that restricts it.',
    params: customerParams,
    values: { ...customerValues, listId: 'ID of its list' },
    setUp(scene, { customer: name }) {
      const has = (it: string) => scene.tables.accessibleLists.get(it) !== undefined
      const of = freshCustomer(scene, name, has, 'one, and configurations never vanish')
      return { customer: of, listId: scene.list({ customer: of }).id }
    },
  }),
]
