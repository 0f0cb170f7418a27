import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'

/** @typedef {import('../../../../src/index.ts').ClientCall} ClientCall */
/** @typedef {'sent' | 'not-sent' | 'unknown'} Belief */

/**
 * Asks once for a sending.
 * @param {ClientCall} call
 * @param {string} transactionId
 * @param {number} [patience] milliseconds
 * @returns {Promise<string | undefined>} its state, undefined for no answer that says one
 */
export async function ask({ url, synchronizationId, user, password }, transactionId, patience = 30_000) {
  try {
    const answer = await fetch(
      `${url}/integrations/mailing-platform/mailing-synchronizations/${synchronizationId}/sendings`,
      {
        method: 'POST',
        redirect: 'manual',
        headers: {
          authorization: `Basic ${btoa(`${user}:${password}`)}`,
          'content-type': 'application/hal+json',
        },
        body: JSON.stringify({ transactionId }),
        signal: AbortSignal.timeout(patience),
      },
    )
    return JSON.parse(await answer.text()).state
  } catch {
    return undefined
  }
}

/**
 * Repeats with one transaction ID until a state is told.
 * @param {ClientCall} call
 * @param {string} transactionId
 * @param {number} [patience] milliseconds
 * @returns {Promise<Belief>}
 */
export async function send(call, transactionId, patience) {
  for (let nth = 0; nth < 4; nth++) {
    const state = await ask(call, transactionId, patience)
    if (state === 'CREATED') return 'sent'
    if (state === 'INDETERMINATE_FAILURE' || state === 'FAILED') return 'unknown'
    await pause(2_000 * 2 ** nth)
  }
  return 'unknown'
}

/** Files of the store, by name. @param {ClientCall} call */
export const store = ({ state }) => ({
  /** @param {string} name */
  has: name => existsSync(join(state, name)),
  /** @param {string} name */
  read: name => (existsSync(join(state, name)) ? readFileSync(join(state, name), 'utf8') : undefined),
  /** @param {string} name @param {string} text */
  write: (name, text) => writeFileSync(join(state, name), text),
  /** @param {string} name */
  remove: name => rmSync(join(state, name), { force: true }),
  /** Makes a file that is not there. @param {string} name @param {string} text @returns {boolean} whether it was not */
  claim(name, text) {
    try {
      writeFileSync(join(state, name), text, { flag: 'wx' })
      return true
    } catch {
      return false
    }
  },
})
