import { readSync } from 'node:fs'

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
  for (let line = readLine(); line !== undefined; line = readLine()) {
    const variables = JSON.parse(line)
    const options = optionsFrom(variables)
    if (typeof options === 'string') throw new Error(options)
    const believes = await send(variables.MAILING_SYNC_WAIT ? withWaits(options) : options).catch(error => {
      console.error(error)
      return 'unknown'
    })
    console.log(JSON.stringify({ believes }))
  }
}

/** What has been read of the lines to come. */
let unread = ''

/** The next line of the standard input, for which nothing else is done meanwhile; undefined after the last one. */
function readLine() {
  const bytes = Buffer.alloc(65_536)
  for (let end = unread.indexOf('\n'); ; end = unread.indexOf('\n')) {
    const line = unread.slice(0, end)
    if (end >= 0) unread = unread.slice(end + 1)
    if (end >= 0) return line
    const count = readSync(0, bytes)
    if (count === 0) return undefined
    unread += bytes.toString('utf8', 0, count)
  }
}

/**
 * Waits, which takes no real time: the clock of the service is moved.
 * @param {number} milliseconds
 * @returns {number} the time of the service; that of 0 is now
 */
function wait(milliseconds) {
  console.log(JSON.stringify({ wait: milliseconds }))
  return Date.parse(JSON.parse(readLine() ?? '').now)
}

/** @param {ClientOptions} options @returns {ClientOptions} */
const withWaits = options => ({
  ...options,
  now: () => wait(0),
  // With a signal it is the time limit of a request, which passes in real time.
  async sleep(milliseconds, signal) {
    if (signal) await options.sleep(milliseconds, signal)
    else wait(milliseconds)
  },
})

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
