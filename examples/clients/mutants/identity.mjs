import { createHash, randomUUID } from 'node:crypto'
import { jsonOf } from '../reference/hear.mjs'
import { read, sendingsIn, sendingsPath } from '../reference/look.mjs'
import { careful } from '../reference/send.mjs'

/** @import { Heard, Intent, Policy } from '../reference/policy.d.ts' */
/** @import { Mutant } from './mutant.d.ts' */

/** So many transaction IDs at most, so that a wrong client comes to an end. */
const many = 4

/**
 * Takes a new transaction ID where the reference client would not.
 * @param {(heard: Heard, intent: Intent) => boolean} isReason
 * @param {number} most
 * @returns {Policy['decide']}
 */
const anewOn = (isReason, most) => (heard, intent, options, policy) =>
  isReason(heard, intent) && intent.recreated < most
    ? { do: 'recreate', pause: policy.pause(intent.recreated + 1, heard, options) }
    : careful.decide(heard, intent, options, policy)

/** @param {string} state */
const told = state => (/** @type {Heard} */ heard) => heard.kind === 'state' && heard.state === state

/**
 * The collection leaves out what is not CREATED yet, unless it is asked for it.
 * @type {Policy['decide']}
 */
async function searching(heard, intent, options, policy) {
  if (heard.kind !== 'nothing' || intent.recreated >= many)
    return careful.decide(heard, intent, options, policy)
  const answer = await read(sendingsPath(intent.synchronizationId), options, policy)
  const listed = sendingsIn((answer && jsonOf(answer)) ?? {})
  return listed.some(it => it.transactionId === intent.transactionId)
    ? { do: 'end', outcome: 'sent' }
    : { do: 'recreate', pause: policy.pause(intent.recreated + 1, heard, options) }
}

/**
 * Faults in the use of the transaction ID.
 * @type {readonly Mutant[]}
 */
export const identityMutants = [
  {
    id: 'M1',
    fault: 'Makes the transaction ID inside the retry loop: another one after timeouts and 5xx.',
    rules: ['R02'],
    scenario: 'error-500-after',
    policy: {
      decide: anewOn((heard, intent) => heard.kind === 'nothing' && intent.pendingSince === null, many),
    },
  },
  {
    id: 'M2',
    fault: 'Has no transaction ID and repeats after timeouts and 5xx.',
    rules: ['R01'],
    scenario: 'error-500-after',
    policy: {
      body: ({ payload }) => payload,
      hear: (answer, intent) =>
        careful.hear(
          answer,
          /** @type {Intent} */ (/** @type {unknown} */ ({ ...intent, transactionId: null })),
        ),
    },
  },
  {
    id: 'M3',
    fault: 'Repeats without a transaction ID and without a pause, three times, when there is no answer.',
    rules: ['R01'],
    scenario: 'reset-after',
    policy: {
      body: ({ payload }) => payload,
      hear: (answer, intent) =>
        careful.hear(
          answer,
          /** @type {Intent} */ (/** @type {unknown} */ ({ ...intent, transactionId: null })),
        ),
      async exchange(asking, options) {
        for (let nth = 1; ; nth++) {
          const answer = await careful.exchange(asking, options)
          if (answer || nth === 4) return answer
          await options.sleep(0)
        }
      },
      decide: (heard, intent, options, policy) =>
        heard.kind === 'nothing'
          ? { do: 'end', outcome: 'unknown' }
          : careful.decide(heard, intent, options, policy),
    },
  },
  {
    id: 'M4',
    fault: 'Takes a new transaction ID while the old one is PENDING.',
    rules: ['R03'],
    scenario: 'pending-then-created',
    policy: { decide: anewOn(told('PENDING'), 3) },
  },
  {
    id: 'M5',
    fault: 'Takes a new transaction ID after INDETERMINATE_FAILURE.',
    rules: ['R04'],
    scenario: 'indeterminate-sent',
    policy: { decide: anewOn(told('INDETERMINATE_FAILURE'), 3) },
  },
  {
    id: 'M18',
    fault:
      'Makes the transaction ID from what is sent, so that two sendings of the same mailing have the same one.',
    rules: ['R19'],
    scenario: 'two-mailings',
    policy: {
      transactionId: ({ synchronizationId, recreated }) =>
        createHash('sha256').update(`${synchronizationId} ${recreated}`).digest('hex'),
    },
  },
  {
    id: 'M19',
    fault: 'Cuts the transaction ID to 32 characters and loses the part that makes it unique.',
    rules: ['R19'],
    scenario: 'two-mailings',
    policy: {
      transactionId: ({ recreated }) =>
        `${recreated}-mailing-platform-synchronization-${randomUUID()}`.slice(0, 32),
    },
  },
  {
    id: 'M21',
    fault:
      'Looks into the collection after a timeout, without includeAllStates, and takes a new ID when it sees nothing.',
    rules: ['R22', 'R02'],
    scenario: 'collection-trap',
    policy: { decide: searching },
  },
  {
    id: 'M22',
    fault: 'Keeps the transaction ID in its memory only, and takes a new one after a restart.',
    rules: ['R29'],
    scenario: 'restart-when-sent',
    policy: { memory: () => ({ recall: () => undefined, begin: intent => intent, keep: intent => intent }) },
  },
  {
    id: 'M25',
    fault: 'Takes an answer that it cannot parse for FAILED, and takes a new transaction ID.',
    rules: ['R02'],
    scenario: 'malformed-json',
    policy: {
      hear: (answer, intent) =>
        isBroken(answer) && intent.recreated < 3 ? failed : careful.hear(answer, intent),
    },
  },
]

/** @type {Heard} */
const failed = { kind: 'state', state: 'FAILED', notBefore: 0 }

/** @type {(answer: Parameters<Policy['hear']>[0]) => boolean} */
const isBroken = answer => answer !== undefined && answer.status < 300 && jsonOf(answer) === undefined
