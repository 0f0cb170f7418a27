import { type OwnCases, onCreate, sent } from './own-case.ts'

/** Longer than a client is left alone before it is killed. */
const silence = { answer: { fault: 'hang' }, times: 1 }

/** A client that is killed and started again, another worker, another mailing. */
export const casesOfStarts: OwnCases = {
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
}
