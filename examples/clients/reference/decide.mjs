/** @import { ClientOptions } from '../client.d.ts' */
/** @import { Heard, Intent, Next, Policy } from './policy.d.ts' */

const second = 1000
const minute = 60 * second
/** Sections 4.1/10 and 8: PENDING is pursued for five minutes in total. */
const pendingLimit = 5 * minute
/** Sections 4.1/10 and 8: at most three new transaction IDs after FAILED, within fifteen minutes in total. */
export const recreations = 3
const recreationLimit = 15 * minute
/** For silence and 5xx the document sets no limit; this one is ours. */
const silenceLimit = 15 * minute
/** A request that leaves just before a limit arrives after it. */
const margin = 4 * second

const firstPause = 1 * second
const longestPause = 30 * second

/**
 * What comes next, by what was heard: section 3/4 and section 4.1 rules 5 to 10.
 * @param {Heard} heard
 * @param {Intent} intent
 * @param {ClientOptions} options
 * @param {Policy} policy
 * @returns {Next}
 */
export function decide(heard, intent, options, policy) {
  if (heard.kind === 'refused')
    // On a repeat it is about the repeat: an earlier attempt may have been processed.
    return intent.attempts > 1 ? { do: 'look' } : { do: 'end', outcome: 'not-sent' }
  if (heard.kind === 'state') {
    if (heard.state === 'CREATED') return { do: 'end', outcome: 'sent' }
    if (heard.state === 'INDETERMINATE_FAILURE') return { do: 'end', outcome: 'unknown' }
    if (heard.state === 'FAILED') return recreate(heard, intent, options, policy)
  }
  return repeat(heard, intent, options, policy)
}

/**
 * The pauses are shortened so that the last look is at the end of the time there is, not well before it.
 * @param {Heard} heard
 * @param {Intent} intent
 * @param {ClientOptions} options
 * @param {Policy} policy
 * @returns {Next}
 */
export function repeat(heard, intent, options, policy) {
  const left = endOf(intent) - options.now()
  const pause = policy.pause(intent.attempts, heard, options)
  if (left < second || heard.notBefore > left) return { do: 'end', outcome: 'unknown' }
  return { do: 'repeat', pause: Math.min(pause, left) }
}

/**
 * A new transaction ID, if one is left.
 * @param {Heard} heard
 * @param {Intent} intent
 * @param {ClientOptions} options
 * @param {Policy} policy
 * @returns {Next}
 */
export function recreate(heard, intent, options, policy) {
  const pause = policy.pause(intent.recreated + 1, heard, options)
  const end = (intent.failedSince ?? options.now()) + recreationLimit - margin
  const isOver = intent.recreated >= recreations || options.now() + pause > end
  return isOver ? { do: 'end', outcome: 'not-sent' } : { do: 'recreate', pause }
}

/**
 * When the last attempt with this transaction ID may be made.
 * @param {Intent} intent
 */
function endOf({ since, pendingSince, failedSince }) {
  if (pendingSince === null) return since + silenceLimit
  const all = failedSince === null ? Infinity : failedSince + recreationLimit
  return Math.min(pendingSince + pendingLimit, all) - margin
}

/**
 * Exponential backoff with equal jitter: half of each pause is sure, the other half is drawn. Never less than the
 * service asked for.
 * @type {Policy['pause']}
 */
export function pause(nth, heard, { random = Math.random }) {
  const whole = Math.min(longestPause, firstPause * 2 ** (nth - 1))
  return Math.max(heard.notBefore, whole / 2 + (random() * whole) / 2)
}
