import { minute, type OwnCases, onCreate, once, sent } from './own-case.ts'

/** Sent, and told as a gateway tells it that got no answer. */
const lostOnce = onCreate(
  { phase: 'after', answer: { status: 502, body: 'gateway-html' } },
  { state: 'CREATED' },
)

const error = { phase: 'before', answer: { status: 500 } }

/** Dates that pass, clocks that differ, trouble that lasts. */
export const casesOfTime: OwnCases = {
  'date-passes-bound': {
    description:
      'A sending is scheduled and the answer is lost; then the date passes, before the client asks again. With the same transactionId it is told CREATED all the same: the date is looked at once.',
    rules: [onCreate({ phase: 'after', answer: { fault: 'reset' } }, { state: 'CREATED' })],
    expect: sent,
    tags: ['scheduled', 'lost-answer'],
    course: once,
    isScheduled: true,
    scheduleIn: 30 * minute,
    datePasses: true,
  },
  'date-passes-unbound': {
    description:
      'The first attempt to schedule a sending is not processed (500); then the date passes, before the client asks again, and the service refuses it with 400 though the client did everything right. Nothing is sent; another date is a decision for people.',
    rules: [onCreate(error, { state: 'CREATED' })],
    expect: { sent: 0, belief: 'not-sent' },
    tags: ['scheduled', 'refusal', 'error'],
    course: once,
    isScheduled: true,
    scheduleIn: 30 * minute,
    datePasses: true,
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
  'error-burst': {
    description:
      'Attempts are answered 500 and nothing was done: the first two, and then so many as are drawn from the seed, ten at most. The pauses between them have to grow.',
    rules: [
      { ...onCreate({ ...error, times: 2 }), per: 'client-request' },
      { ...onCreate({ ...error, times: 8 }), per: 'client-request', chance: 0.8 },
    ],
    expect: sent,
    tags: ['error', 'backoff', 'seeded', 'slow'],
    course: once,
  },
  'errors-for-ever': {
    description:
      'Every attempt is answered 500. The document sets no limit for repeats, but there must be one; then the client reports that it does not know.',
    rules: [onCreate(error)],
    expect: { sent: 0, belief: 'unknown' },
    tags: ['error', 'backoff', 'fifteen-minutes'],
    course: once,
  },
}
