import { jsonOf } from './hear.mjs'

/** @import { ClientOptions, Outcome } from '../client.d.ts' */
/** @import { Answer, Intent, Policy } from './policy.d.ts' */

const tries = 4
const mostPages = 50

/** @param {string} synchronizationId */
const synchronizationPath = synchronizationId =>
  `/integrations/mailing-platform/mailing-synchronizations/${encodeURIComponent(synchronizationId)}`

/** @param {string} synchronizationId */
export const sendingsPath = synchronizationId => `${synchronizationPath(synchronizationId)}/sendings`

/**
 * Section 3/3. Nobody saying anything is no reason to hold back: creating the sending will tell.
 * @param {ClientOptions} options
 * @param {Policy} policy
 */
export async function isReady(options, policy) {
  const answer = await read(synchronizationPath(options.synchronizationId), options, policy)
  if (!answer) return undefined
  const ready = jsonOf(answer)?.readyForSending
  if (answer.status === 200) return typeof ready === 'boolean' ? ready : undefined
  return false
}

/**
 * Section 3/2: without `includeAllStates` a sending that is not CREATED yet looks as if it did not exist.
 * @param {Intent} intent
 * @param {ClientOptions} options
 * @param {Policy} policy
 * @returns {Promise<Outcome>}
 */
export async function look(intent, options, policy) {
  let path = `${sendingsPath(intent.synchronizationId)}?includeAllStates=true`
  for (let page = 0; page < mostPages; page++) {
    const answer = await read(path, options, policy)
    const collection = answer?.status === 200 ? jsonOf(answer) : undefined
    if (!collection) return 'unknown'
    const ours = sendingsIn(collection).find(it => it.transactionId === intent.transactionId)
    if (ours) return outcomeOf(ours.state)
    const next = nextIn(collection, options.url)
    // An attempt without an answer may still be on its way, and be processed after this look.
    if (next === undefined) return intent.answered < intent.attempts ? 'unknown' : 'not-sent'
    path = next
  }
  return 'unknown'
}

/**
 * @param {unknown} state
 * @returns {Outcome}
 */
const outcomeOf = state => (state === 'CREATED' ? 'sent' : state === 'FAILED' ? 'not-sent' : 'unknown')

/**
 * The prefix of a relation is the deployment's own, and an empty collection may have no relation at all.
 * @param {Record<string, unknown>} collection
 * @returns {Record<string, unknown>[]}
 */
export function sendingsIn({ _embedded = {} }) {
  const embedded = /** @type {Record<string, unknown>} */ (_embedded)
  const relation = Object.keys(embedded).find(name => /(^|:)sendings$/.test(name))
  return /** @type {Record<string, unknown>[]} */ (relation === undefined ? [] : embedded[relation])
}

/**
 * The path of the next page. Credentials go to the service itself only.
 * @param {Record<string, unknown>} collection
 * @param {string} base
 */
function nextIn({ _links }, base) {
  const { next } = /** @type {{ next?: { href?: string } }} */ (_links ?? {})
  if (next?.href === undefined) return undefined
  const target = new URL(next.href, base)
  return target.origin === new URL(base).origin ? target.pathname + target.search : undefined
}

/**
 * Reading changes nothing, so it may be repeated at will.
 * @param {string} path
 * @param {ClientOptions} options
 * @param {Policy} policy
 * @returns {Promise<Answer | undefined>}
 */
export async function read(path, options, policy) {
  for (let nth = 1; ; nth++) {
    const answer = await policy.exchange({ method: 'GET', path }, options)
    const isFinal = answer && (answer.status === 200 || (answer.status >= 400 && answer.status < 500))
    if (isFinal && ![408, 425, 429].includes(answer.status)) return answer
    if (nth === tries) return undefined
    await options.sleep(policy.pause(nth, { kind: 'nothing', notBefore: 0 }, options))
  }
}
