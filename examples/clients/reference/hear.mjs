import { retryAfter } from './retry-after.mjs'

/** @import { Answer, Heard, Intent, State } from './policy.d.ts' */

/** @type {readonly unknown[]} */
const states = ['PENDING', 'CREATED', 'FAILED', 'INDETERMINATE_FAILURE']

/** Client errors that say "not now" and not "not this". */
const passing = [408, 425, 429]

/**
 * How an answer is taken. Only a whole sending that is ours, in a state that the document knows, is believed; a status
 * alone says nothing about a sending.
 * @param {Answer | undefined} answer
 * @param {Intent} intent
 * @returns {Heard}
 */
export function hear(answer, intent) {
  if (!answer) return { kind: 'nothing', notBefore: 0 }
  const { status } = answer
  const notBefore = retryAfter(answer.headers)
  if (status >= 400 && status < 500 && !passing.includes(status))
    return { kind: 'refused', status, notBefore }
  const state = status === 200 || status === 201 ? stateOf(jsonOf(answer), intent) : undefined
  if (!state || (status === 201 && state !== 'CREATED')) return { kind: 'nothing', notBefore }
  return { kind: 'state', state, notBefore }
}

/**
 * @param {Record<string, unknown> | undefined} sending
 * @param {Intent} intent
 */
function stateOf(sending, { transactionId, synchronizationId }) {
  if (sending?.transactionId !== transactionId) return undefined
  if (sending.mailingSynchronizationId !== synchronizationId) return undefined
  return states.includes(sending.state) ? /** @type {State} */ (sending.state) : undefined
}

/**
 * @param {Answer} answer
 * @returns {Record<string, unknown> | undefined} undefined for anything but a HAL document
 */
export function jsonOf({ headers, text }) {
  if (!/^application\/hal\+json *(;|$)/i.test(headers.get('content-type') ?? '')) return undefined
  try {
    const value = JSON.parse(text)
    return typeof value === 'object' && value !== null ? value : undefined
  } catch {
    return undefined
  }
}
