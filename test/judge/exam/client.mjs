// @ts-nocheck: clients of users are as they are, too.
// Clients for the tests of the exam, one for each way to be right or wrong: `node client.mjs <way>`.
import { spawn } from 'node:child_process'
import { existsSync, readFileSync, rmSync, writeFileSync, writeSync } from 'node:fs'
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

const wanted = way === 'another-synchronization' ? '22222222-0000-4000-8000-000000000003' : synchronizationId
const date = way === 'no-date' ? undefined : scheduleDate

/** The sending, a status that ends it, or undefined for everything that tells nothing. */
async function attempt(transactionId) {
  try {
    const response = await fetch(
      `${url}/integrations/mailing-platform/mailing-synchronizations/${wanted}/sendings`,
      {
        method: 'POST',
        headers: {
          authorization: `Basic ${btoa(`${user}:${password}`)}`,
          'content-type': 'application/hal+json',
        },
        body: JSON.stringify({ transactionId, ...(date && { scheduleDate: date }) }),
        redirect: 'manual',
        signal:
          way === 'waits-for-ever' ? null : AbortSignal.timeout(Math.max(1_000, 20_000 / Number(speed))),
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
async function careful(id, options = {}) {
  const { tries = 9, first = 400, isSent = ({ sending }) => sending?.state === 'CREATED' } = options
  const { indeterminate = 3 } = options
  for (let round = 0; round < tries; round++) {
    const heard = await attempt(typeof id === 'function' ? id() : id)
    if (heard?.isRefused) return 1
    if (heard && isSent(heard)) return 0
    if (heard?.sending?.state === 'FAILED') return 1
    if (heard?.sending?.state === 'INDETERMINATE_FAILURE') return indeterminate
    if (round < tries - 1) await sleep(first * 2 ** round)
  }
  return 3
}

async function withChild(options) {
  const child = spawn(process.execPath, ['-e', 'setTimeout(() => {}, 600000)'], options)
  await attempt(stored())
  writeFileSync(file, JSON.stringify([process.pid, child.pid]))
  await pause(600_000)
}

const ways = {
  right: () => careful(stored()),
  'another-synchronization': () => careful(stored()),
  'no-date': () => careful(stored()),
  'waits-for-ever': () => careful(stored()),
  patient: () => careful(stored(), { tries: 7, first: 600 }),
  'takes-doubt-for-no': () => careful(stored(), { indeterminate: 1 }),
  'takes-200-for-nothing': () => careful(stored(), { tries: 3, isSent: ({ status }) => status === 201 }),
  'throws-when-sent': async () => {
    await careful(stored())
    throw new TypeError('cannot write the log')
  },
  'logs-a-trace': async () => {
    console.error(new Error('the service says no'))
    const code = await careful(stored())
    console.error('giving up')
    return code
  },
  stays: async () => {
    await careful(stored())
    await pause(600_000)
  },
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
  'not-ready': () => {
    console.log('the mailing is not ready')
    return 1
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
  'prints-bytes': () => {
    writeSync(1, Buffer.from([0xff, 0x00, 0xe2, 0x82]))
    return 1
  },
  environment: () => {
    console.log(JSON.stringify(process.env))
    return 1
  },
  /** Ends, and leaves a process behind in a session of its own that holds its output open. */
  'leaves-a-stray': async () => {
    const stray = spawn(process.execPath, ['-e', 'setTimeout(() => {}, 600000)'], {
      detached: true,
      stdio: ['ignore', 'inherit', 'inherit'],
    })
    stray.unref()
    writeFileSync(file, JSON.stringify([stray.pid]))
    return careful(stored())
  },
  /** Starts a process of its own that would outlive it, and writes both their IDs to a file. */
  'with-child': () => withChild({ stdio: 'ignore' }),
  /** The same in a session of its own, with the output held open. */
  'with-stray': () => withChild({ stdio: ['ignore', 'inherit', 'inherit'], detached: true }),
  /** Removes the folder that a report is to go to. */
  removes: () => {
    rmSync(file, { recursive: true })
    return careful(stored())
  },
}

// After a connection reset at its start, fetch of Node 20 may leave nothing behind that keeps the process running.
const running = setInterval(() => {}, 60_000)
try {
  process.exitCode = (await ways[way]()) ?? 0
} finally {
  clearInterval(running)
}
