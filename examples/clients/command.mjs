import { createInterface } from 'node:readline'

/** @import { ClientOptions, Outcome, Send } from './client.d.ts' */

/** @type {Record<Outcome, number>} */
const exitCodes = { sent: 0, 'not-sent': 1, unknown: 3 }

/**
 * Runs a client as a command: settings from the environment, what it believes as the exit code. 0 is "sent", 1 "not
 * sent", 3 "unknown", 2 a missing setting.
 * @param {Send} send
 */
export async function runAsCommand(send) {
  if (process.env.MAILING_SYNC_WARM) return runCases(send)
  const options = optionsFrom(process.env)
  if (typeof options === 'string') {
    console.error(options)
    process.exit(2)
  }
  const outcome = await send(options).catch(error => {
    console.error(error)
    return /** @type {const} */ ('unknown')
  })
  console.log(outcome)
  // Requests that were given up may still hold connections.
  process.exit(exitCodes[outcome])
}

/**
 * For a warm exam: one case after another, each a line with what is otherwise in the environment.
 * @param {Send} send
 */
async function runCases(send) {
  for await (const line of createInterface({ input: process.stdin })) {
    const options = optionsFrom(JSON.parse(line))
    if (typeof options === 'string') throw new Error(options)
    const believes = await send(options).catch(error => {
      console.error(error)
      return 'unknown'
    })
    console.log(JSON.stringify({ believes }))
  }
}

/**
 * @param {NodeJS.ProcessEnv} env
 * @returns {ClientOptions | string} or the sentence that says what is missing
 */
function optionsFrom(env) {
  const { MAILING_SYNC_URL: url, MAILING_SYNC_USER: user, MAILING_SYNC_PASSWORD: password } = env
  const { MAILING_SYNC_SYNCHRONIZATION_ID: synchronizationId, MAILING_SYNC_STATE: state } = env
  const { MAILING_SYNC_SCHEDULE_DATE: scheduleDate, MAILING_SYNC_SPEED = '1' } = env
  if (!url || !user || password === undefined || !synchronizationId || !state)
    return 'MAILING_SYNC_URL, _USER, _PASSWORD, _SYNCHRONIZATION_ID and _STATE must be set'
  const speed = Number(MAILING_SYNC_SPEED)
  if (!(speed > 0)) return `MAILING_SYNC_SPEED is ${MAILING_SYNC_SPEED}; expected a number above 0`
  return {
    fetch,
    sleep: (milliseconds, signal) => sleep(milliseconds / speed, signal),
    now: () => Date.now() * speed,
    url: url.replace(/\/+$/, ''),
    user,
    password,
    synchronizationId,
    state,
    ...(scheduleDate && { scheduleDate }),
  }
}

/**
 * @param {number} milliseconds
 * @param {AbortSignal} [signal]
 * @returns {Promise<void>}
 */
function sleep(milliseconds, signal) {
  return new Promise(resolve => {
    if (signal?.aborted) return resolve()
    const timer = setTimeout(done, Math.ceil(milliseconds))
    function done() {
      clearTimeout(timer)
      signal?.removeEventListener('abort', done)
      resolve()
    }
    signal?.addEventListener('abort', done)
  })
}
