import type { CaseResult } from '../../rig/exam-shape.ts'
import { realTime } from '../../rig/journal.ts'
import type { SpaceRig } from '../../rig/space-rig.ts'
import type { Client } from './client.ts'
import { gone, type Starts } from './course.ts'
import { examined } from './examined.ts'
import type { Standstill, Stopped } from './outcome.ts'
import type { Staged } from './stage.ts'

export interface CaseRun {
  readonly client: Client
  /** An empty directory. */
  readonly store: () => Promise<string>
  /** Real milliseconds that the client may take. */
  readonly limit: number
  /** Aborts when the exam is interrupted. */
  readonly signal: AbortSignal
  /** A command line that plays this case alone. */
  readonly reproduce: string | undefined
}

/** More requests than this for one mailing are a flood. */
export const flood = 500
/** Real milliseconds in which connections of a client that has ended are noticed to have closed. */
const closing = 300

/** Plays one case and judges it. @throws CommandError */
export async function runCase(staged: Staged, run: CaseRun): Promise<CaseResult> {
  const { rig, exam, call } = staged
  const { client, store, limit } = run
  const began = realTime()
  const watch = new Watch(staged, limit, run.signal)
  let starts: Starts
  try {
    starts = await gone(exam, { client, rig, call, store, signal: watch.signal })
  } finally {
    watch.end()
  }
  const realSeconds = Math.round(realTime() - began) / 1000
  await closed(rig)
  return examined(staged, {
    endings: starts.endings,
    restarts: starts.restarts,
    unlike: starts.unlike,
    stopped: watch.stopped,
    standstill: watch.standstill ?? standstillOf(staged),
    limit,
    realSeconds,
    reproduce: run.reproduce,
  })
}

/** Stops a client that takes too long, asks too much, or that nobody waits for any longer. */
class Watch {
  readonly #stop = new AbortController()
  readonly #timer: NodeJS.Timeout
  readonly #over = new AbortController()
  readonly #staged: Staged
  stopped: Stopped
  /** What the client was about when it was stopped. */
  standstill: Standstill | undefined

  constructor(staged: Staged, limit: number, interrupted: AbortSignal) {
    const { rig } = staged
    this.#staged = staged
    this.#timer = setTimeout(() => this.#because('late'), limit)
    const over = new Promise<void>(resolve => {
      this.#over.signal.addEventListener('abort', () => resolve(), { once: true })
    })
    void rig.journal
      .when(() => rig.journal.count > flood, over)
      .then(isFlood => {
        if (isFlood) this.#because('flood')
      })
    const interrupt = () => this.#because('interrupted')
    if (interrupted.aborted) interrupt()
    else interrupted.addEventListener('abort', interrupt, { once: true })
    void over.then(() => interrupted.removeEventListener('abort', interrupt))
  }

  get signal(): AbortSignal {
    return this.#stop.signal
  }

  end(): void {
    clearTimeout(this.#timer)
    this.#over.abort()
  }

  #because(stopped: Stopped): void {
    this.stopped ??= stopped
    // Before the client is killed, and its connections with it.
    this.standstill ??= standstillOf(this.#staged)
    this.#stop.abort()
  }
}

function standstillOf({ rig, door }: Staged): Standstill {
  const now = realTime()
  const seconds = (since: number) => Math.max(0, Math.round((now - since) / 100) / 10)
  const entries = rig.journal.entries()
  const last = entries.at(-1)
  return {
    waiting: entries
      .filter(({ ended, left }) => ended === undefined && left === undefined)
      .map(({ id, arrived }) => ({ id, seconds: seconds(arrived.real) })),
    waitingConnections: door?.waiting ?? 0,
    sinceRequest: last && seconds(last.arrived.real),
  }
}

/** Waits a moment until it is on record that the client has left its requests. */
async function closed({ journal }: SpaceRig): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<void>(resolve => {
    timer = setTimeout(resolve, closing)
  })
  await journal.when(() => journal.entries().every(({ ended }) => ended !== undefined), late)
  clearTimeout(timer)
}
