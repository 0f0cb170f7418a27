import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ClientOptions, Outcome, Send } from '../../examples/clients/client.d.ts'
import type { ManualClock } from '../../src/rig/clock.ts'
import { realTime } from '../../src/rig/journal.ts'
import { synchronizationPath, type TestMock } from '../mock.ts'

/** Turns of the event loop after which whoever does not wait for time has come to rest. */
const turnsToRest = 30
/** While a request is under way, the clock goes on in steps of this many milliseconds. */
const stride = 1_000

/** Files are read and written in threads, which take many turns on a machine that is busy. */
const isFileUnderWay = (): boolean => process.getActiveResourcesInfo().some(it => it.startsWith('FSReq'))

interface Sleeper {
  readonly due: number
  /** Whether it is a time limit for something that is under way. */
  readonly isLimit: boolean
  readonly wake: () => void
}

/** A client that waits for something that never comes. */
export class NeverEnds extends Error {
  override readonly name = 'NeverEnds'
}

/**
 * Moves a clock on while clients sleep on it or wait for answers, as fast as the machine can. One drives one mock.
 */
export class VirtualTime {
  readonly #clock: ManualClock
  readonly #sleepers = new Set<Sleeper>()

  constructor(clock: ManualClock) {
    this.#clock = clock
  }

  readonly now = (): number => this.#clock.now()

  readonly sleep = (milliseconds: number, signal?: AbortSignal): Promise<void> =>
    new Promise(resolve => {
      if (signal?.aborted) return resolve()
      const sleeper: Sleeper = {
        due: this.#clock.now() + milliseconds,
        isLimit: signal !== undefined,
        wake: () => {
          this.#sleepers.delete(sleeper)
          signal?.removeEventListener('abort', sleeper.wake)
          resolve()
        },
      }
      this.#sleepers.add(sleeper)
      signal?.addEventListener('abort', sleeper.wake)
    })

  /**
   * Lets time pass until the work has come to its end.
   * @throws NeverEnds when nobody sleeps any more and the work still does not end, or the clock has gone on for a day
   */
  async during<Value>(work: Promise<Value>): Promise<Value> {
    let hasEnded = false
    const noted = work.finally(() => {
      hasEnded = true
    })
    noted.catch(() => {})
    const lastly = this.#clock.now() + 24 * 3_600_000
    for (;;) {
      do for (let turn = 0; turn < turnsToRest && !hasEnded; turn++) await new Promise(setImmediate)
      while (!hasEnded && isFileUnderWay())
      if (hasEnded) return noted
      if (this.#sleepers.size === 0) throw new NeverEnds('it waits for something that never comes')
      if (this.#clock.now() > lastly) throw new NeverEnds('it does not end within a day')
      this.#goOn()
    }
  }

  #goOn(): void {
    const now = this.#clock.now()
    const sleepers = [...this.#sleepers]
    const next = Math.min(...sleepers.map(({ due }) => due))
    const most = sleepers.some(({ isLimit }) => isLimit) ? stride : Infinity
    this.#clock.advance(Math.max(0, Math.min(most, next - now)))
    for (const { due, wake } of [...this.#sleepers]) if (due <= this.#clock.now()) wake()
  }
}

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
  /** How many sendings really went out. */
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

/**
 * The machine's time as a machine has it that has nothing else to do: it goes on a little whenever somebody looks. The
 * judge measures pauses on it, and a busy machine would put pauses where a client makes none.
 */
function unhurried(): Disposable {
  const { now } = performance
  let time = now.call(performance)
  performance.now = () => {
    time += 0.01
    return time
  }
  return {
    [Symbol.dispose]: () => {
      performance.now = now
    },
  }
}

/** Runs a client in the process on the mock's clock, in the space of the user, to the end of the platform's work. */
export async function play(mock: TestMock, send: Send, playing: Playing): Promise<Played> {
  using _ = unhurried()
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
      sent: [...mock.space(user).data.tables.platformSendings.changes()].length,
      requests,
      creates: requests.filter(({ method, target }) => method === 'POST' && target === sendings),
    }
  } finally {
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
