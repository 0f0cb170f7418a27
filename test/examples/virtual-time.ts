import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ClientOptions, Outcome, Send } from '../../examples/clients/client.d.ts'
import type { ManualClock } from '../../src/rig/clock.ts'
import { synchronizationPath, type TestMock } from '../mock.ts'

/** Turns of the event loop after which whoever does not wait for time has come to rest. */
const turnsToRest = 30
/** While a request is under way, the clock goes on in steps of this many milliseconds. */
const stride = 1_000

interface Sleeper {
  readonly due: number
  readonly wake: () => void
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
   * @throws when nobody sleeps any more and the work still does not end, or the clock has gone on for a day
   */
  async during<Value>(work: Promise<Value>): Promise<Value> {
    let hasEnded = false
    const noted = work.finally(() => {
      hasEnded = true
    })
    noted.catch(() => {})
    const lastly = this.#clock.now() + 24 * 3_600_000
    for (;;) {
      for (let turn = 0; turn < turnsToRest && !hasEnded; turn++) await new Promise(setImmediate)
      if (hasEnded) return noted
      if (this.#sleepers.size === 0) throw new Error('it waits for something that never comes')
      if (this.#clock.now() > lastly) throw new Error('it does not end within a day')
      this.#goOn()
    }
  }

  #goOn(): void {
    const now = this.#clock.now()
    const next = Math.min(...[...this.#sleepers].map(({ due }) => due))
    this.#clock.advance(Math.max(0, Math.min(stride, next - now)))
    for (const { due, wake } of [...this.#sleepers]) if (due <= this.#clock.now()) wake()
  }
}

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
}

export interface Playing {
  readonly user: string
  readonly synchronizationId: string
  readonly scheduleDate?: string
  readonly random?: () => number
  /** A directory that is there already, as after a restart. */
  readonly state?: string
}

/** Runs a client in the process on the mock's clock, in the space of the user, to the end of the platform's work. */
export async function play(mock: TestMock, send: Send, playing: Playing): Promise<Played> {
  const { user, state = mkdtempSync(join(tmpdir(), 'mailing-sync-client-')) } = playing
  await mock.as(user).get('/mailings')
  const rig = mock.rig(user)
  const earlier = rig.journal.entries().length
  try {
    const time = new VirtualTime(mock.clock)
    const belief = await time.during(send(optionsFor(mock, time, playing, state)))
    // What is still under way comes to its end, and a look at it brings the ledger up to date.
    mock.clock.advance(10 * 60_000)
    for (let turn = 0; turn < turnsToRest; turn++) await new Promise(setImmediate)
    await rig.settle()
    const requests = rig.journal
      .entries()
      .slice(earlier)
      .map(
        (entry): Sent => ({
          method: entry.asked.method,
          target: entry.asked.target,
          body: entry.body && parsed(entry.body),
          at: entry.arrived.clock,
          told: entry.told?.status,
          ended: entry.ended?.clock,
        }),
      )
    const sendings = synchronizationPath(playing.synchronizationId, '/sendings')
    return {
      belief,
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
    fetch: (url, init) => mock.fetch(new Request(url, init)),
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

function parsed(body: Uint8Array): Record<string, unknown> {
  return JSON.parse(new TextDecoder().decode(body))
}
