import type { ExamCase } from './cases.ts'

/**
 * A case that is not made from a scenario of the catalogue: its scenario in the form of a file, and its other
 * properties.
 */
export interface ExtraCase
  extends Partial<
    Pick<ExamCase, 'runPlan' | 'isScheduled' | 'clockAhead' | 'scheduleIn' | 'datePasses' | 'door'>
  > {
  readonly description: string
  /** A function if the rules redirect to another host, given its name and port. None if not given. */
  readonly rules?: readonly object[] | ((host: string) => readonly object[])
  /** Sent once, and believed so, if not given. */
  readonly expect?: NonNullable<ExamCase['expect']>
  readonly tags: readonly string[]
}

export type ExtraCases = Readonly<Record<string, ExtraCase>>

export const minute = 60_000

export const onCreateSending = (...steps: object[]) => ({ on: 'createSending', steps })

/** The first attempt is redirected to another host, and nothing is done. */
const redirectRules = (status: number) => (host: string) => [
  onCreateSending(
    {
      phase: 'before',
      answer: { status, body: 'empty', headers: { Location: `http://${host}/sendings` } },
    },
    { state: 'CREATED' },
  ),
]

/** Cases with another host, or with a port at which connections break. */
export const connectionCases: ExtraCases = {
  'redirect-301-elsewhere': {
    description:
      'The first attempt is redirected, 301, to another host, and nothing was done. A client that follows must not show its credentials there.',
    rules: redirectRules(301),
    tags: ['wrong-answer', 'redirect', 'credentials'],
  },
  'redirect-307-elsewhere': {
    description:
      'The first attempt is redirected, 307, to another host, and nothing was done. A client that follows with the whole request must not show its credentials there.',
    rules: redirectRules(307),
    tags: ['wrong-answer', 'redirect', 'credentials'],
  },
  'connection-reset-at-accept': {
    description:
      'The first two connections break as soon as they stand, before a request could come; the next ones reach the service. Nothing has been processed by then.',
    tags: ['connection', 'no-answer'],
    door: [{ mode: 'reset-at-accept', connections: 2 }],
  },
  'connection-reset-at-data': {
    description:
      'The first two connections break with the first bytes that the client sends, as at a balancer that cannot reach anybody; the next ones reach the service. Nothing has been processed by then.',
    tags: ['connection', 'no-answer'],
    door: [{ mode: 'reset-at-data', connections: 2 }],
  },
  'connection-refused': {
    description:
      'The service starts again: the first connection breaks, for a second and a half all others are refused, then they reach the service. Nothing has been processed by then.',
    tags: ['connection', 'no-answer'],
    door: [
      { mode: 'reset-at-accept', connections: 1 },
      { mode: 'refuse', for: 1_500 },
    ],
  },
  'connection-silent': {
    description:
      'The first connection is accepted, and no answer ever comes on it. A client with a time limit for the whole exchange goes on, and its next connection reaches the service.',
    tags: ['connection', 'no-answer', 'slow'],
    door: [{ mode: 'silent', connections: 1 }],
  },
}

/** Holds the first attempt until the second worker's request has come. */
export const secondWorkerHold = 'second-worker'

/** Lasts longer than the client runs before it is killed. */
const hangOnce = { answer: { fault: 'hang' }, times: 1 }

/** Cases in which the client is killed and started again, runs twice at a time, or sends a second mailing. */
export const startCases: ExtraCases = {
  'restart-when-sent': {
    description:
      'The client is killed while it waits for the answer to its first attempt, which was sent, and is started again. It must go on with the transactionId that it stored before that attempt.',
    rules: [onCreateSending({ phase: 'after', ...hangOnce }, { state: 'CREATED' })],
    tags: ['restart', 'lost-answer'],
    runPlan: { kind: 'restarted', killedWhen: 'asked' },
  },
  'restart-when-not-processed': {
    description:
      'The client is killed while it waits for the answer to its first attempt, of which nothing was done, and is started again. It must go on with the transactionId that it stored.',
    rules: [onCreateSending({ phase: 'before', ...hangOnce }, { state: 'CREATED' })],
    tags: ['restart'],
    runPlan: { kind: 'restarted', killedWhen: 'asked' },
  },
  'restart-when-pending': {
    description:
      'The client is killed after its first attempt was answered PENDING, and started again. It must go on asking with the same transactionId.',
    rules: [onCreateSending({ state: 'PENDING', times: 2 }, { state: 'CREATED' })],
    tags: ['restart', 'pending'],
    runPlan: { kind: 'restarted', killedWhen: 'told' },
  },
  'restart-after-error': {
    description:
      'The client is killed after its first attempt was answered 500 although it was sent, and started again. It must go on with the same transactionId.',
    rules: [onCreateSending({ phase: 'after', answer: { status: 500 } }, { state: 'CREATED' })],
    tags: ['restart', 'error', 'lost-answer'],
    runPlan: { kind: 'restarted', killedWhen: 'told' },
  },
  'second-worker': {
    description:
      'While the first attempt waits for its answer, a second worker of the same client takes the task over, with the same store. Both must use one transactionId, so that one mailing goes out.',
    rules: [{ ...onCreateSending({ hold: secondWorkerHold }, { state: 'CREATED' }), per: 'client-request' }],
    tags: ['two-workers'],
    runPlan: { kind: 'second-worker' },
  },
  'two-mailings': {
    description:
      'The client is started twice, each time with an empty store, to send the same synchronization again on purpose. Each time needs a transactionId of its own: with the first one again, nothing more would be sent, and the client would be told CREATED.',
    expect: { sent: 2, belief: 'sent' },
    tags: ['two-mailings', 'undisturbed'],
    runPlan: { kind: 'two-mailings' },
  },
}

/** Sent, but answered by a gateway that got no answer. */
const lostAnswerOnce = onCreateSending(
  { phase: 'after', answer: { status: 502, body: 'gateway-html' } },
  { state: 'CREATED' },
)

const error500 = { phase: 'before', answer: { status: 500 } }

/** Cases with dates that pass, clocks that differ, and lasting errors. */
export const timeCases: ExtraCases = {
  'date-passes-bound': {
    description:
      'A sending is scheduled and the answer is lost; then the date passes, before the client asks again. With the same transactionId it is told CREATED all the same: the date is looked at once.',
    rules: [onCreateSending({ phase: 'after', answer: { fault: 'reset' } }, { state: 'CREATED' })],
    tags: ['scheduled', 'lost-answer'],
    isScheduled: true,
    scheduleIn: 30 * minute,
    datePasses: true,
  },
  'date-passes-unbound': {
    description:
      'The first attempt to schedule a sending is not processed (500); then the date passes, before the client asks again, and the service refuses it with 400 though the client did everything right. Nothing is sent; another date is a decision for people.',
    rules: [onCreateSending(error500, { state: 'CREATED' })],
    expect: { sent: 0, belief: 'not-sent' },
    tags: ['scheduled', 'refusal', 'error'],
    isScheduled: true,
    scheduleIn: 30 * minute,
    datePasses: true,
  },
  'clock-ahead': {
    description:
      "The service's clock is ten minutes ahead of the client's, and the date to send at is half an hour away. It is sent at that date.",
    rules: [lostAnswerOnce],
    tags: ['clock-skew', 'scheduled'],
    isScheduled: true,
    clockAhead: 10 * minute,
    scheduleIn: 30 * minute,
  },
  'clock-behind': {
    description:
      "The service's clock is ten minutes behind the client's, and the date to send at is half an hour away. It is sent at that date.",
    rules: [lostAnswerOnce],
    tags: ['clock-skew', 'scheduled'],
    isScheduled: true,
    clockAhead: -10 * minute,
    scheduleIn: 30 * minute,
  },
  'clock-ahead-date-passed': {
    description:
      "The service's clock is ten minutes ahead of the client's. The date to send at is still to come by the client's clock and has passed by the service's, which refuses it with 400. Nothing is sent; another date is a decision for people.",
    expect: { sent: 0, belief: 'not-sent' },
    tags: ['clock-skew', 'scheduled', 'refusal'],
    isScheduled: true,
    clockAhead: 10 * minute,
    scheduleIn: 5 * minute,
  },
  'error-burst': {
    description:
      'Attempts are answered 500 and nothing was done: the first two, and then so many as are drawn from the seed, ten at most. The pauses between them have to grow.',
    rules: [
      { ...onCreateSending({ ...error500, times: 2 }), per: 'client-request' },
      { ...onCreateSending({ ...error500, times: 8 }), per: 'client-request', chance: 0.8 },
    ],
    tags: ['error', 'backoff', 'seeded', 'slow'],
  },
  'errors-for-ever': {
    description:
      'Every attempt is answered 500. The document sets no limit for repeats, but there must be one; then the client reports that it does not know.',
    rules: [onCreateSending(error500)],
    expect: { sent: 0, belief: 'unknown' },
    tags: ['error', 'backoff', 'fifteen-minutes'],
  },
}

/** Cases that need more than a scenario, or that concern only the client. */
export const extraCases: ExtraCases = { ...startCases, ...timeCases, ...connectionCases }
