import type { Course, ExamCase } from './exam-case.ts'

/** A case that no scenario of the catalogue makes: its scenario as a file would have it, and what else is special. */
export interface OwnCase extends Partial<Pick<ExamCase, 'isScheduled' | 'clockAhead' | 'scheduleIn'>> {
  readonly description: string
  readonly rules: readonly object[]
  readonly expect: NonNullable<ExamCase['expect']>
  readonly tags: readonly string[]
  readonly course: Course
}

const minute = 60_000
const sent = { sent: 1, belief: 'sent' } as const
const once: Course = { kind: 'once' }
const onCreate = (...steps: object[]) => ({ on: 'createSending', steps })
/** Longer than a client is left alone before it is killed. */
const silence = { answer: { fault: 'hang' }, times: 1 }

/** Sent, and told as a gateway tells it that got no answer. */
const lostOnce = onCreate(
  { phase: 'after', answer: { status: 502, body: 'gateway-html' } },
  { state: 'CREATED' },
)

/** By name. They need what a scenario cannot do: a client that is killed, another worker, another clock. */
export const ownCases: Readonly<Record<string, OwnCase>> = {
  'restart-when-sent': {
    description:
      'The client is killed while it waits for the answer to its first attempt, which was sent, and is started again. It must go on with the transactionId that it stored before that attempt.',
    rules: [onCreate({ phase: 'after', ...silence }, { state: 'CREATED' })],
    expect: sent,
    tags: ['restart', 'lost-answer'],
    course: { kind: 'restarted', killedWhen: 'asked' },
  },
  'restart-when-not-processed': {
    description:
      'The client is killed while it waits for the answer to its first attempt, of which nothing was done, and is started again. It must go on with the transactionId that it stored.',
    rules: [onCreate({ phase: 'before', ...silence }, { state: 'CREATED' })],
    expect: sent,
    tags: ['restart'],
    course: { kind: 'restarted', killedWhen: 'asked' },
  },
  'restart-when-pending': {
    description:
      'The client is killed after its first attempt was answered PENDING, and started again. It must go on asking with the same transactionId.',
    rules: [onCreate({ state: 'PENDING', times: 2 }, { state: 'CREATED' })],
    expect: sent,
    tags: ['restart', 'pending'],
    course: { kind: 'restarted', killedWhen: 'told' },
  },
  'restart-after-error': {
    description:
      'The client is killed after its first attempt was answered 500 although it was sent, and started again. It must go on with the same transactionId.',
    rules: [onCreate({ phase: 'after', answer: { status: 500 } }, { state: 'CREATED' })],
    expect: sent,
    tags: ['restart', 'error', 'lost-answer'],
    course: { kind: 'restarted', killedWhen: 'told' },
  },
  'second-worker': {
    description:
      'While the first attempt waits for its answer, a second worker of the same client takes the task over, with the same store. Both must use one transactionId, so that one mailing goes out.',
    rules: [onCreate({ delay: '3s' }, { state: 'CREATED' })],
    expect: sent,
    tags: ['two-workers'],
    course: { kind: 'second-worker' },
  },
  'two-mailings': {
    description:
      'The client is started twice, each time with an empty store, to send the same synchronization again on purpose. Each time needs a transactionId of its own: with the first one again, nothing more would be sent, and the client would be told CREATED.',
    rules: [],
    expect: { sent: 2, belief: 'sent' },
    tags: ['two-mailings', 'undisturbed'],
    course: { kind: 'two-mailings' },
  },
  'clock-ahead': {
    description:
      "The service's clock is ten minutes ahead of the client's, and the date to send at is half an hour away. It is sent at that date.",
    rules: [lostOnce],
    expect: sent,
    tags: ['clock-skew', 'scheduled'],
    course: once,
    isScheduled: true,
    clockAhead: 10 * minute,
    scheduleIn: 30 * minute,
  },
  'clock-behind': {
    description:
      "The service's clock is ten minutes behind the client's, and the date to send at is half an hour away. It is sent at that date.",
    rules: [lostOnce],
    expect: sent,
    tags: ['clock-skew', 'scheduled'],
    course: once,
    isScheduled: true,
    clockAhead: -10 * minute,
    scheduleIn: 30 * minute,
  },
  'clock-ahead-date-passed': {
    description:
      "The service's clock is ten minutes ahead of the client's. The date to send at is still to come by the client's clock and has passed by the service's, which refuses it with 400. Nothing is sent; another date is a decision for people.",
    rules: [],
    expect: { sent: 0, belief: 'not-sent' },
    tags: ['clock-skew', 'scheduled', 'refusal'],
    course: once,
    isScheduled: true,
    clockAhead: 10 * minute,
    scheduleIn: 5 * minute,
  },
}
