import { setTimeout as pause } from 'node:timers/promises'
import { realTime, type SkippingClock } from '../../rig/clock.ts'
import type { RequestRecord } from '../../rig/request-record.ts'
import type { SpaceRig } from '../../rig/space-rig.ts'
import { nextTurn } from '../../store/turns.ts'
import { shortestTimeout } from '../knowledge.ts'
import { changeCase } from './case-changes.ts'

/** Milliseconds between two events of requests while the time stands still, so that their order is on record. */
const tick = 0.001
/** Milliseconds that a client takes to start, so that a restart lies between two attempts. */
const startTime = 100
/** Real milliseconds within which it is noticed that a client has closed a connection, also on a busy machine. */
const departureTime = 1_000
/** Turns of the event loop after which it is looked less often whether a client has left. */
const quickLooks = 20
/** Real milliseconds in which a client that has asked for a wait does nothing else, unless it waits by itself. */
const ownWaitTime = 1_000
/** Milliseconds of the service's clock after which no wait is begun: fifteen minutes of recreations (spec 8), and more. */
export const longestRun = 40 * 60_000

/**
 * The time of a case whose client asks for its waits. From the first wait on it moves by exactly what the client waits for, and
 * runs, `speed` times as fast as real time, only while a request is open that takes time: by its scenario, or since this machine
 * was so late that a client may have given it up. What machine and client need between two requests takes no time.
 */
export class CaseTime implements SkippingClock {
  readonly #rig: SpaceRig
  readonly speed: number
  readonly #over = new AbortController()
  readonly #listeners = new Set<() => void>()
  readonly #open = new Set<RequestRecord>()
  readonly #unlisten: () => void
  #isFollowed = false
  #start = 0
  /** The time when it last began or ceased to run. */
  #base = 0
  /** When that was in real time, while a request is open. */
  #since: number | undefined
  #isRunning = false
  /** Whether it stands still since a wait is answered. */
  #isHeld = false
  /** When the last request came, in real time. */
  #openedAt = 0
  /** The last request if it was answered at once, and when it came in real time, until the client does the next thing. */
  #answered: { readonly record: RequestRecord; readonly since: number } | undefined
  /** Why nothing can be held against the client; undefined if it asked for waits between its requests only. */
  doubt: string | undefined
  /** Since when no request is open and no wait is asked for, in real time, and which request was the last one. */
  #idle: { readonly since: number; readonly after: string } | undefined
  /** The longest such time between two things that the client did. */
  #ownWait = { milliseconds: 0, after: '' }
  /** Whether it has run: the client had to wait in real time. */
  hasRun = false
  /** Real milliseconds from a request that was answered at once to the next thing that the client did, at most. */
  longestSilence = 0
  /** Requests that were answered at once, after which that took so long that the client may have given them up. */
  readonly perhapsGivenUp = new Set<RequestRecord>()

  constructor(rig: SpaceRig, speed: number) {
    this.#rig = rig
    this.speed = speed
    this.#unlisten = rig.events.listen(({ type, data }) => {
      if (type === 'request') this.#note(data as { what: string; record: RequestRecord })
    })
  }

  /** Whether a wait was asked for; before that the time of the case is real time. */
  get isFollowed(): boolean {
    return this.#isFollowed
  }

  now(): number {
    if (this.#since === undefined) return this.#base
    const elapsed = realTime() - this.#since
    this.#isRunning ||= elapsed >= shortestTimeout(this.speed) || this.#live.some(takesTime)
    this.hasRun ||= this.#isRunning
    return this.#isRunning ? this.#base + elapsed * this.speed : this.#base
  }

  get pace(): number {
    this.now()
    return this.#isRunning ? this.speed : 0
  }

  advance(milliseconds: number): void {
    this.#base += milliseconds
  }

  onMove(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Makes it the time of the case. */
  follow(): void {
    if (this.#isFollowed) return
    this.#isFollowed = true
    this.#base = this.#start = realTime()
    void changeCase(this.#rig, { follow: 'waits' }, { time: this })
    this.#fold(false)
  }

  /** Says that the client waited by itself; undefined if it did not. @param machineDelay real milliseconds */
  findOwnWait(machineDelay: number): string | undefined {
    const { milliseconds, after } = this.#ownWait
    if (milliseconds < ownWaitTime + 2 * machineDelay) return undefined
    return `the client did nothing for ${(milliseconds / 1_000).toFixed(1)} s of real time after ${after}, in which the clock stood still since it asks for its waits: let it ask for all of them`
  }

  /** Aborts when a client asks for a wait that has had all the time that it can make use of. */
  get over(): AbortSignal {
    return this.#over.signal
  }

  /** A client is about to be started. */
  async startClient(): Promise<void> {
    this.#answered = this.#idle = undefined
    if (this.#isFollowed) await this.#pass(startTime)
  }

  /** Lets a wait of the client pass. @returns the time on the client's clock, in milliseconds since 1970 */
  async wait(milliseconds: number): Promise<number> {
    this.#noteLife()
    this.follow()
    if (this.now() - this.#start > longestRun) this.#over.abort()
    const now = await this.#pass(milliseconds)
    if (this.#idle) this.#idle = { ...this.#idle, since: realTime() }
    return now
  }

  end(): void {
    this.#unlisten()
  }

  async #pass(milliseconds: number): Promise<number> {
    this.#fold(true)
    try {
      // A client that has given a request up says so before its connection is seen to be closed.
      const end = realTime() + departureTime
      for (let looks = 0; this.#live.length > 0 && realTime() < end; looks++)
        await (looks < quickLooks ? nextTurn() : pause(2))
      const [open] = this.#live
      if (open)
        this.doubt ??= `the client asked for a wait while ${open.id} was open: let it ask between two requests, and close the connection of one that it gives up`
      if (milliseconds > 0) await this.#rig.skipTime(milliseconds, this)
      // The client's own time: a case may set the service's clock ahead of it.
      return Math.floor(this.now())
    } finally {
      this.#fold(false)
    }
  }

  #note({ what, record }: { readonly what: string; readonly record: RequestRecord }): void {
    if (what === 'opened') {
      this.#noteLife()
      this.#openedAt = realTime()
      this.#idle = undefined
    } else if (what === 'closed' && isAnsweredAtOnce(record))
      this.#answered = { record, since: this.#openedAt }
    this.#fold(this.#isHeld, () => {
      if (what === 'opened') this.#open.add(record)
      if (what === 'closed') this.#open.delete(record)
    })
    if (what === 'closed' && this.#open.size === 0) this.#idle = { since: realTime(), after: record.id }
  }

  #noteLife(): void {
    const ownWait = this.#isFollowed && this.#idle ? realTime() - this.#idle.since : 0
    if (ownWait > this.#ownWait.milliseconds)
      this.#ownWait = { milliseconds: ownWait, after: this.#idle!.after }
    if (this.#answered) {
      const silence = realTime() - this.#answered.since
      this.longestSilence = Math.max(this.longestSilence, silence)
      if (silence >= shortestTimeout(this.speed)) this.perhapsGivenUp.add(this.#answered.record)
    }
    this.#answered = undefined
  }

  get #live(): readonly RequestRecord[] {
    return [...this.#open].filter(({ left }) => left === undefined)
  }

  /** Begins a new stretch of time, in which other requests are open. */
  #fold(isHeld: boolean, change: () => void = () => {}): void {
    this.#base = this.now() + tick
    change()
    this.#isHeld = isHeld
    this.#isRunning = false
    this.#since = this.#isFollowed && !isHeld && this.#live.length > 0 ? realTime() : undefined
    for (const listener of [...this.#listeners]) listener()
  }
}

/** Whether the answer to a request comes late, or never, on purpose. */
function takesTime({ decision }: RequestRecord): boolean {
  if (!decision) return false
  const { delay, hold, answer } = decision.step
  return (
    delay !== undefined ||
    hold !== undefined ||
    (answer !== undefined && 'fault' in answer && answer.fault.takesTime === true)
  )
}

/** Whether the whole answer left so soon that no client can have given the request up by then. */
const isAnsweredAtOnce = ({ delivered, arrived, ended }: RequestRecord): boolean =>
  delivered === 'handed' && ended!.real - arrived.real < shortestTimeout(1)
