import type { z } from 'zod'
import { problems } from '../../service/problem.ts'
import { formatDateTime } from '../../service/response.ts'
import { advanceSending, changedRows } from '../../service/sendings/lifecycle.ts'
import { type PlanStep, type Sending, type SendingState, sendingState } from '../../store/rows.ts'
import {
  dateTime,
  params,
  providerState,
  type Scene,
  seconds,
  sendingTruth,
  stateCause,
  status,
  transactionId,
  uuid,
} from './scene.ts'

const sendingParams = {
  synchronizationId: uuid.optional().describe('A new one, ready for sending, unless given'),
}
const sendingValues = { synchronizationId: 'ID of the synchronization', sendingId: 'ID of the sending' }

/** For states of a synchronization that an earlier state may have made. */
const ofSynchronization = { params: params(sendingParams), takes: ['synchronizationId'] } as const

const week = 7 * 24 * 60 * 60 * 1000

/** A plan with one permanent state. @throws Problem 400 for a sending that is CREATED and was not sent (spec 3) */
function planOf(state: SendingState, truth: PlanStep['truth']): PlanStep[] {
  if (state === 'CREATED' && truth === 'not-sent')
    throw problems.field(
      'params.truth',
      'CREATED means sent or scheduled (section 3); for one that has not gone out yet give a scheduleDate in the future',
    )
  return [{ state, ...(truth && { truth }) }]
}

const anySending = params({
  ...sendingParams,
  sendingId: uuid.optional(),
  transactionId: transactionId
    .nullable()
    .optional()
    .describe('None unless given; for another state than CREATED made up'),
  state: sendingState.optional().describe('CREATED unless given'),
  truth: sendingTruth.optional(),
  scheduleDate: dateTime.optional().describe('When it goes out; at once unless given'),
})

/** Adds a sending in a permanent state, and what the platform has made of it since `at`. @throws Problem 400 */
function addSending(scene: Scene, given: z.output<typeof anySending>, at = scene.now) {
  const { sendingId, state = 'CREATED', truth, scheduleDate, transactionId = null } = given
  if (sendingId !== undefined && scene.tables.sendings.get(sendingId))
    throw problems.field('params.sendingId', `there is a sending ${sendingId}; name another, or none`)
  if (scheduleDate !== undefined && Date.parse(scheduleDate) <= scene.now)
    throw problems.field(
      'params.scheduleDate',
      `${scheduleDate} is not in the future; it is ${formatDateTime(scene.now)}`,
    )
  const plan = planOf(state, truth)
  const synchronization = scene.readySynchronization(given.synchronizationId)
  if (transactionId !== null && scene.tables.sendingOfTransaction(synchronization.id, transactionId))
    throw problems.field(
      'params.transactionId',
      `synchronization ${synchronization.id} has a sending with transaction ID ${transactionId}; name another of them`,
    )
  const { space } = scene.rig
  const date = formatDateTime(at)
  const row: Sending = {
    id: sendingId ?? scene.newId('sending'),
    synchronizationId: synchronization.id,
    creationDate: date,
    scheduleDate: scheduleDate ?? null,
    transactionId,
    name: null,
    subject: null,
    plan,
    step: 0,
    stepSince: date,
    stepAttempts: 1,
    platformMailingId: null,
    platformSendingId: null,
    cause: stateCause,
  }
  const made = advanceSending(space, row, scene.now)
  const { sendingsModificationDate: last } = synchronization
  const latest = last !== null && last > date ? last : date
  const owner = { ...synchronization, modificationDate: latest, sendingsModificationDate: latest }
  space.data.save(changedRows(made, owner))
  return { synchronizationId: synchronization.id, sendingId: row.id }
}

export const sendingStates = [
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
      return { ...addSending(scene, { ...given, transactionId }), transactionId: transactionId ?? '' }
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
      return { ...addSending(scene, { ...rest, scheduleDate }), scheduleDate }
    },
  }),
  providerState({
    name: 'a sending has statistics',
    description: 'It was sent a week ago, so recipients have opened it and clicked.',
    ...ofSynchronization,
    values: sendingValues,
    setUp: (scene, given) => addSending(scene, given, scene.now - week),
  }),
  providerState({
    name: 'a synchronization has sendings in every state',
    description:
      'One CREATED, one PENDING, one FAILED, one INDETERMINATE_FAILURE, each with a transaction ID.',
    ...ofSynchronization,
    values: { synchronizationId: sendingValues.synchronizationId },
    setUp(scene, given) {
      const { id: synchronizationId } = scene.readySynchronization(given.synchronizationId)
      for (const state of sendingState.options)
        addSending(scene, { synchronizationId, state, transactionId: `in-state-${state}` })
      return { synchronizationId }
    },
  }),
  providerState({
    name: 'there are no sendings',
    alsoNamed: ['there are no sendings of synchronization {synchronizationId}'],
    description: 'A synchronization, ready for sending, from which nothing was ever sent.',
    ...ofSynchronization,
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
    setUp(scene, { synchronizationId, sendingId }) {
      const { id } = scene.readySynchronization(synchronizationId)
      const free = sendingId ?? scene.newId('sending')
      if (!scene.tables.sendings.get(free)) return { synchronizationId: id, sendingId: free }
      throw problems.field('params.sendingId', `there is a sending ${free}, and sendings never vanish`)
    },
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
]

/** States of the service itself rather than of its content. While they last, nothing is done unless they say so. */
export const answerStates = [
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
]
