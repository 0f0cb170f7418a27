import { repeat } from '../reference/decide.mjs'
import { exchange } from '../reference/exchange.mjs'
import { careful } from '../reference/send.mjs'

/** @import { Heard, Policy, State } from '../reference/policy.d.ts' */
/** @import { Mutant } from './mutant.d.ts' */

/**
 * The same transaction ID once more, after a state that ended it.
 * @param {State} state
 * @param {number} most
 * @returns {Policy['decide']}
 */
const againOn = (state, most) => (heard, intent, options, policy) =>
  heard.kind === 'state' && heard.state === state && intent.attempts < most
    ? { do: 'repeat', pause: policy.pause(intent.attempts, heard, options) }
    : careful.decide(heard, intent, options, policy)

/** @type {Heard} */
const created = { kind: 'state', state: 'CREATED', notBefore: 0 }
/** @type {Heard} */
const nothing = { kind: 'nothing', notBefore: 0 }

/**
 * Faults in what is made of an answer.
 * @type {readonly Mutant[]}
 */
export const stateMutants = [
  {
    id: 'M6',
    fault: 'Repeats the transaction ID after INDETERMINATE_FAILURE.',
    rules: ['R05'],
    scenario: 'indeterminate-sent',
    policy: { decide: againOn('INDETERMINATE_FAILURE', 4) },
  },
  {
    id: 'M7',
    fault: 'Repeats the same transaction ID after FAILED, and never takes a new one.',
    rules: ['R06'],
    scenario: 'failed-once',
    policy: {
      decide: (heard, intent, options, policy) =>
        heard.kind === 'state' && heard.state === 'FAILED' && intent.attempts >= 4
          ? { do: 'end', outcome: 'not-sent' }
          : againOn('FAILED', 4)(heard, intent, options, policy),
    },
  },
  {
    id: 'M8',
    fault: 'Takes a new transaction ID after FAILED more than three times.',
    rules: ['R07'],
    scenario: 'failed-for-ever',
    policy: {
      decide: (heard, intent, options, policy) =>
        careful.decide(heard, intent.recreated < 5 ? { ...intent, recreated: 0 } : intent, options, policy),
    },
  },
  {
    id: 'M16',
    fault: 'Takes any status from 200 to 299 for "sent".',
    rules: ['R24'],
    scenario: 'pending-for-ever',
    policy: {
      hear: (answer, intent) =>
        answer && answer.status >= 200 && answer.status < 300 ? created : careful.hear(answer, intent),
    },
  },
  {
    id: 'M17',
    fault: 'Accepts only 201 as "sent", and ignores a 200 CREATED on a repeat.',
    rules: [],
    scenario: 'error-500-after',
    policy: {
      hear(answer, intent) {
        const heard = careful.hear(answer, intent)
        return heard.kind === 'state' && heard.state === 'CREATED' && answer?.status !== 201 ? nothing : heard
      },
    },
  },
  {
    id: 'M20',
    fault: 'Follows redirects, and takes the list that a GET finds there for "sent".',
    rules: ['R25'],
    scenario: 'redirect-301',
    policy: {
      exchange: (asking, options) => exchange(asking, options, { redirect: 'follow' }),
      hear: (answer, intent) =>
        answer?.isRedirected && answer.status === 200 ? created : careful.hear(answer, intent),
    },
  },
  {
    id: 'M23',
    fault: 'Repeats a request that was refused with 400 as it is.',
    rules: ['R14'],
    scenario: 'schedule-in-the-past',
    policy: {
      decide: (heard, intent, options, policy) =>
        heard.kind === 'refused' && heard.status === 400 && intent.attempts < 6
          ? repeat(heard, intent, options, policy)
          : careful.decide(heard, intent, options, policy),
    },
  },
]
