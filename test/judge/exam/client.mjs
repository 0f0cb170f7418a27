// @ts-nocheck: clients of users are as they are, too.
// Clients for the tests of the exam, one for each way to be right or wrong: `node client.mjs <way>`.
import { spawn } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const {
  MAILING_SYNC_URL: url,
  MAILING_SYNC_USER: user,
  MAILING_SYNC_PASSWORD: password,
  MAILING_SYNC_SYNCHRONIZATION_ID: synchronizationId,
  MAILING_SYNC_STATE: state,
  MAILING_SYNC_SCHEDULE_DATE: scheduleDate,
  MAILING_SYNC_SPEED: speed = '1',
} = process.env
const [way, file] = process.argv.slice(2)
const pause = milliseconds => new Promise(done => setTimeout(done, milliseconds))
const sleep = milliseconds => pause(milliseconds / Number(speed))
const newId = () => `test-${process.pid}-${process.hrtime.bigint()}`

/** The sending, a status that ends it, or undefined for everything that tells nothing. */
async function attempt(transactionId) {
  try {
    const response = await fetch(
      `${url}/integrations/mailing-platform/mailing-synchronizations/${synchronizationId}/sendings`,
      {
        method: 'POST',
        headers: {
          authorization: `Basic ${btoa(`${user}:${password}`)}`,
          'content-type': 'application/hal+json',
        },
        body: JSON.stringify({ transactionId, ...(scheduleDate && { scheduleDate }) }),
        redirect: 'manual',
        signal: AbortSignal.timeout(Math.max(1_000, 20_000 / Number(speed))),
      },
    )
    const sending = response.ok ? await response.json().catch(() => undefined) : undefined
    const isRefused = response.status >= 400 && response.status < 500 && response.status !== 429
    return { status: response.status, isRefused, sending }
  } catch {
    return undefined
  }
}

/** Goes wherever it is sent, and shows its credentials there. */
async function follows(transactionId) {
  const init = {
    method: 'POST',
    headers: {
      authorization: `Basic ${btoa(`${user}:${password}`)}`,
      'content-type': 'application/hal+json',
    },
    body: JSON.stringify({ transactionId }),
    redirect: 'manual',
  }
  const path = `/integrations/mailing-platform/mailing-synchronizations/${synchronizationId}/sendings`
  const first = await fetch(url + path, init)
  const isRedirect = first.status > 300 && first.status < 400
  if (isRedirect) await fetch(first.headers.get('location'), init)
}

/** A transactionId that outlives the process. */
function stored() {
  const place = join(state, 'id')
  if (!existsSync(place)) writeFileSync(place, newId())
  return readFileSync(place, 'utf8')
}

/** Repeats with the same ID, with pauses that grow. */
async function careful(id, { tries = 9, isSent = ({ sending }) => sending?.state === 'CREATED' } = {}) {
  for (let round = 0; round < tries; round++) {
    const heard = await attempt(typeof id === 'function' ? id() : id)
    if (heard?.isRefused) return 1
    if (heard && isSent(heard)) return 0
    if (heard?.sending?.state === 'FAILED') return 1
    if (heard?.sending?.state === 'INDETERMINATE_FAILURE') return 3
    if (round < tries - 1) await sleep(400 * 2 ** round)
  }
  return 3
}

const ways = {
  right: () => careful(stored()),
  'new-id': () => careful(newId, { tries: 4 }),
  'any-success': () => careful(stored(), { isSent: ({ status }) => status < 300 }),
  'one-id': () => careful('always-the-same'),
  forgetful: () => careful(newId()),
  'gives-up': () => careful(stored(), { tries: 1 }),
  'follows-anywhere': async () => {
    const id = stored()
    await follows(id)
    await sleep(500)
    return careful(id)
  },
  'hopes-for-the-best': async () => {
    await attempt(stored())
    return 0
  },
  crashes: () => {
    throw new Error('cannot read the configuration')
  },
  'dies-later': async () => {
    await attempt(stored())
    process.kill(process.pid, 'SIGSEGV')
    await pause(60_000)
  },
  silent: () => pause(600_000),
  endless: async () => {
    await attempt(stored())
    await pause(600_000)
  },
  floods: async () => {
    for (;;) await attempt(stored())
  },
  'ignores-environment': () => 0,
  prints: () => {
    console.log(`begin\u001b[2J</pre><script>alert(1)</script>]]>`)
    for (let line = 0; line < 20_000; line++) console.log(`line ${line}`)
    console.error('end')
    return 1
  },
  environment: () => {
    console.log(JSON.stringify(process.env))
    return 1
  },
  /** Starts a process of its own that would outlive it, and writes both their IDs to a file. */
  'with-child': async () => {
    const child = spawn(process.execPath, ['-e', 'setTimeout(() => {}, 600000)'], { stdio: 'ignore' })
    await attempt(stored())
    writeFileSync(file, JSON.stringify([process.pid, child.pid]))
    await pause(600_000)
  },
}

process.exitCode = (await ways[way]()) ?? 0
