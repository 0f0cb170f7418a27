import { randomUUID } from 'node:crypto'
import { decide, pause } from './decide.mjs'
import { exchange } from './exchange.mjs'
import { hear } from './hear.mjs'
import { claim } from './lock.mjs'
import { isReady, look, sendingsPath } from './look.mjs'
import { memoryIn } from './memory.mjs'

/** @import { ClientOptions, Outcome, Send } from '../client.d.ts' */
/** @import { Heard, Intent, Lock, Next, Policy } from './policy.d.ts' */

/** Milliseconds in which the client makes an attempt, and reads what it has to read: an answer may take 30 seconds, and a read four tries. */
const workTime = 3 * 60_000

/**
 * The decisions as the document wants them.
 * @type {Policy}
 */
export const careful = {
  claim,
  memory: ({ state, synchronizationId }) => memoryIn(state, synchronizationId),
  isReady,
  transactionId: ({ id, recreated }) => `${id}:${recreated}`,
  body: ({ payload, transactionId }) => ({ ...payload, transactionId }),
  exchange,
  hear,
  pause,
  decide,
  look,
}

/**
 * A client that makes these decisions.
 * @param {Policy} policy
 * @returns {Send}
 */
export const clientWith = policy => options => run(policy, options)

/** Sends one mailing with patience, and never twice. */
export const send = clientWith(careful)

/**
 * @param {Policy} policy
 * @param {ClientOptions} options
 * @returns {Promise<Outcome>}
 */
async function run(policy, options) {
  // One worker at a time: what another one has begun is taken over from the store when it has ended, or must have.
  const lock = await policy.claim(options, workTime)
  if (!lock) return 'unknown'
  try {
    return await runAlone(policy, options, lock)
  } finally {
    lock.release()
  }
}

/**
 * @param {Policy} policy
 * @param {ClientOptions} options
 * @param {Lock} lock
 * @returns {Promise<Outcome>}
 */
async function runAlone(policy, options, lock) {
  const memory = policy.memory(options)
  let intent = memory.recall()
  if (!intent) {
    if ((await policy.isReady(options, policy)) === false) return 'not-sent'
    // Transaction ID and payload are safe before anything is sent: after a crash the same request can be repeated.
    intent = memory.begin(beginning(policy, options))
  }
  while (intent.outcome === null) {
    const { attempts, since } = intent
    intent = memory.keep({ ...intent, attempts: attempts + 1, since: attempts === 0 ? options.now() : since })
    const answer = await attempt(policy, intent, options)
    const heard = policy.hear(answer, intent)
    if (answer) intent = { ...intent, answered: intent.answered + 1 }
    intent = learnt(intent, heard, options.now())
    const next = await policy.decide(heard, intent, options, policy)
    // What was learnt outlives a crash as well: nothing is sent under an ID that is known to have come to its end.
    intent = memory.keep(await after(next, intent, options, policy))
    if (!('pause' in next)) continue
    // Only one that was stopped for minutes has lost it: another worker goes on with the same intention.
    if (!lock.extend(next.pause + workTime)) return 'unknown'
    await options.sleep(next.pause)
  }
  return intent.outcome
}

/**
 * @param {Policy} policy
 * @param {ClientOptions} options
 * @returns {Intent}
 */
function beginning(policy, { synchronizationId, scheduleDate, now }) {
  const identity = { id: randomUUID(), synchronizationId, recreated: 0 }
  return {
    ...identity,
    payload: scheduleDate === undefined ? {} : { scheduleDate },
    transactionId: policy.transactionId(identity),
    attempts: 0,
    answered: 0,
    since: now(),
    pendingSince: null,
    failedSince: null,
    outcome: null,
  }
}

/**
 * @param {Policy} policy
 * @param {Intent} intent
 * @param {ClientOptions} options
 */
async function attempt(policy, intent, options) {
  return policy.exchange(
    {
      method: 'POST',
      path: sendingsPath(intent.synchronizationId),
      body: JSON.stringify(policy.body(intent, options)),
    },
    options,
  )
}

/**
 * @param {Intent} intent
 * @param {Heard} heard
 * @param {number} now
 * @returns {Intent}
 */
function learnt(intent, heard, now) {
  if (heard.kind !== 'state') return intent
  if (heard.state === 'PENDING') return { ...intent, pendingSince: intent.pendingSince ?? now }
  if (heard.state === 'FAILED') return { ...intent, failedSince: intent.failedSince ?? now }
  return intent
}

/**
 * @param {Next} next
 * @param {Intent} intent
 * @param {ClientOptions} options
 * @param {Policy} policy
 * @returns {Promise<Intent>}
 */
async function after(next, intent, options, policy) {
  if (next.do === 'end') return { ...intent, outcome: next.outcome }
  if (next.do === 'look') return { ...intent, outcome: await policy.look(intent, options, policy) }
  if (next.do === 'repeat') return intent
  const anew = { ...intent, recreated: intent.recreated + 1, attempts: 0, answered: 0, pendingSince: null }
  return { ...anew, transactionId: policy.transactionId(anew) }
}
