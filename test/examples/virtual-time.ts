import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ClientOptions, Outcome, Send } from '../../examples/clients/client.d.ts'
import { realTime } from '../../src/rig/clock.ts'
import { goesToList, statusOfSending } from '../../src/store/platform-status.ts'
import { synchronizationPath, type TestMock } from '../mock.ts'
import { steadyTime, turnsToRest, VirtualTime } from '../passing-time.mjs'

export { NeverEnds } from '../passing-time.mjs'

/** Where a client that makes sure of each byte does so at once. */
const fastest = existsSync('/dev/shm') ? '/dev/shm' : tmpdir()

/** What a client sent, as the journal has it. */
export interface Sent {
  readonly method: string
  readonly target: string
  readonly body: Record<string, unknown> | undefined
  /** On the space's clock. */
  readonly at: number
  /** What stood in the answer that was meant for it. */
  readonly told: number | undefined
  readonly ended: number | undefined
}

/** What came of playing a scenario to a client. */
export interface Played {
  readonly belief: Outcome
  /** How many sendings was sent. */
  readonly sent: number
  readonly requests: readonly Sent[]
  /** Requests that create a sending. */
  readonly creates: readonly Sent[]
  /** When it was killed and started again, in milliseconds of the machine's time. */
  readonly restarts: readonly number[]
}

export interface Playing {
  readonly user: string
  readonly synchronizationId: string
  readonly scheduleDate?: string
  readonly random?: () => number
  /** A directory that is there already, as after a restart. */
  readonly state?: string
  /** The client is killed when it has sent so many requests that create a sending, and started again. */
  readonly killedAfter?: number
}

/** Runs a client in the process on the mock's clock, in the space of the user, to the end of the platform's work. */
export async function play(mock: TestMock, send: Send, playing: Playing): Promise<Played> {
  const restoreTime = steadyTime()
  const { user, state = mkdtempSync(join(fastest, 'mailing-sync-client-')) } = playing
  await mock.as(user).get('/mailings')
  const rig = mock.rig(user)
  const earlier = rig.journal.entries().length
  try {
    const time = new VirtualTime(mock.clock)
    const restarts: number[] = []
    if (playing.killedAfter !== undefined) {
      await killed(mock, send, playing, state)
      restarts.push(realTime())
    }
    const belief = await time.during(send(optionsFor(mock, time, playing, state)))
    // What is still under way comes to its end, and a look at it brings the ledger up to date.
    mock.clock.advance(10 * 60_000)
    for (let turn = 0; turn < turnsToRest; turn++) await new Promise(setImmediate)
    await rig.advancePlatform()
    const requests = rig.journal
      .entries()
      .slice(earlier)
      .map(
        (entry): Sent => ({
          method: entry.method,
          target: entry.target,
          body: entry.body && parsed(entry.body),
          at: entry.arrived.clock,
          told: entry.response?.status,
          ended: entry.ended?.clock,
        }),
      )
    const sendings = synchronizationPath(playing.synchronizationId, '/sendings')
    return {
      belief,
      restarts,
      sent: [...mock.space(user).data.tables.platformSendings.changes()].filter(({ row }) =>
        // In the end: what is scheduled goes out, unless it is stopped.
        goesToList({ kind: row.kind, status: statusOfSending(row, Number.POSITIVE_INFINITY) }),
      ).length,
      requests,
      creates: requests.filter(({ method, target }) => method === 'POST' && target === sendings),
    }
  } finally {
    restoreTime()
    if (playing.state === undefined) rmSync(state, { recursive: true, force: true })
  }
}

function optionsFor(mock: TestMock, time: VirtualTime, playing: Playing, state: string): ClientOptions {
  const { user, synchronizationId, scheduleDate, random } = playing
  return {
    fetch: (url, init) => followed(mock, url, init),
    sleep: time.sleep,
    now: time.now,
    url: 'http://localhost',
    user,
    password: 'demo',
    synchronizationId,
    state,
    ...(scheduleDate !== undefined && { scheduleDate }),
    ...(random && { random }),
  }
}

/** Runs it until it has sent that much; from then on nothing reaches it any more, and no time passes for it. */
async function killed(mock: TestMock, send: Send, playing: Playing, state: string): Promise<void> {
  const time = new VirtualTime(mock.clock)
  const options = optionsFor(mock, time, playing, state)
  let left = playing.killedAfter!
  const death = new Promise<void>(die => {
    const fetch: ClientOptions['fetch'] = async (url, init) => {
      const answer = options.fetch(url, init)
      if (init.method !== 'POST' || --left > 0) return answer
      await answer.catch(() => {})
      die()
      return new Promise(() => {})
    }
    void send({ ...options, fetch }).catch(() => {})
  })
  await time.during(death)
}

const asGet = [301, 302, 303]

/** Follows redirects, where it is asked to, as the global `fetch` does. */
async function followed(mock: TestMock, url: string, init: RequestInit): Promise<Response> {
  const response = await mock.fetch(new Request(url, init))
  const location = response.headers.get('location')
  if (init.redirect !== 'follow' || location === null || response.status < 300 || response.status > 399)
    return response
  const { body, method, ...rest } = init
  const next = asGet.includes(response.status) ? { ...rest, method: 'GET' } : init
  const last = await followed(mock, new URL(location, url).href, next)
  return Object.defineProperty(last, 'redirected', { value: true })
}

function parsed(body: Uint8Array): Record<string, unknown> {
  return JSON.parse(new TextDecoder().decode(body))
}
