import { performance } from 'node:perf_hooks'
import type { Clock } from '../store/space-data.ts'
import { atOnce, inTurns, nextTurn } from '../store/turns.ts'

/** Milliseconds by which the calendar time of this machine is ahead of `realTime`: a few, or years in virtual time. */
export const calendarLead = (): number => Math.round(realClock.now() - realTime())

/** The time of the process. Reads the global at each call, so that a test runner's fake timers apply. */
export const realClock: Clock = { now: () => Date.now() }

const processStart = performance.timeOrigin

/** The machine's time: wall-clock time at the start of the process, monotonic from there. Milliseconds since 1970. */
export const realTime = (): number => processStart + performance.now()

/** Time that is frozen until it is moved by hand. */
export class ManualClock implements Clock {
  #now: number
  readonly #listeners = new Set<() => void>()

  /** @param start milliseconds since 1970, or an ISO 8601 date-time */
  constructor(start: number | string) {
    this.#now = typeof start === 'number' ? start : Date.parse(start)
  }

  now(): number {
    return this.#now
  }

  /** @param milliseconds how far to advance */
  advance(milliseconds: number): void {
    this.#now += milliseconds
    for (const listener of [...this.#listeners]) listener()
  }

  /** Reports each move, since no timer can detect it. @returns removes the listener */
  onMove(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }
}

/**
 * A source of time that stands still unless something takes time, and in which waits are skipped. What it shows counts as
 * real time in the records of its space.
 */
export interface SkippingClock extends Clock {
  /** How many times as fast as real time it runs now; 0 while it stands still. */
  readonly pace: number
  /** @param milliseconds how far to advance */
  advance(milliseconds: number): void
  /** Reports each change of its pace. @returns removes the listener */
  onMove(listener: () => void): () => void
}

/** A source of time that shows what was recorded, while a space is played again. */
export interface RecordedClock extends Clock {
  /** The machine's time then, milliseconds since 1970. */
  readonly recorded: number
  /** Its calendar time. */
  readonly machine: number
  /** Reports each move. @returns removes the listener */
  onMove(listener: () => void): () => void
}

/** The state of a space's clock that survives a restart: which time of the space matches which time of its source. */
export interface StoredClock {
  /** Milliseconds since 1970, on the space's clock. */
  readonly space: number
  /** Milliseconds since 1970, on the source clock. */
  readonly source: number
  /** Seconds of the space for each second of the source; 0 is frozen. */
  readonly rate: number
  /** The rate that `resume` restores. */
  readonly pace: number
}

interface Task {
  /** Runs the waiting work and awaits it. */
  readonly fire: () => Promise<unknown>
  readonly drop: () => void
}

interface Wait {
  readonly due: number
  /** Undefined once it has been taken, or its client has left: the queue holds nothing of a request that is over. */
  task: Task | undefined
}

/** Dates in HTTP have a resolution of one second; a smaller difference does not show. */
const httpDateResolution = 1_000

/** Maximum delay of a timer in milliseconds; Node fires longer ones at once. */
export const maxTimerDelay = 2 ** 31 - 1

/** The first and last time that a date-time of this service can express. */
export const earliestTime = Date.parse('0001-01-01T00:00:00.000Z')
export const latestTime = Date.parse('9999-12-31T23:59:59.999Z')

/**
 * The time of one space. It follows a source at a rate until it is moved. Waiting work runs in the order of its due
 * times, whether time passes by itself or by a call.
 */
export class SpaceClock implements Clock {
  #source: Clock
  #stored: StoredClock
  #epoch = 0
  /** The time during work at which it stands still. */
  #held: number | undefined
  /** By due time. Those whose client has left are removed later, many at once. */
  #waits: Wait[] = []
  #abandoned = 0
  #timer: NodeJS.Timeout | undefined
  #unlisten: (() => void) | undefined
  #moving: Promise<void> = Promise.resolve()
  #hasEnded = false

  /** @param stored its state before a restart; without it the clock shows the time of its source */
  constructor(source: Clock, stored?: Partial<StoredClock>) {
    this.#source = source
    const now = source.now()
    this.#stored = { space: now, source: now, rate: 1, pace: 1, ...stored }
  }

  now(): number {
    const { space, source, rate } = this.#stored
    if (rate === 0) return space
    if (this.#held !== undefined) return this.#held
    const elapsed = (this.#source.now() - source) * rate
    return Math.min(latestTime, Math.max(earliestTime, Math.floor(space + elapsed)))
  }

  /**
   * Does work that awaits nothing at one time, however long it takes: all that it saves has this time, also when it is played
   * again.
   */
  at<Result>(now: number, work: () => Result): Result {
    this.#held = now
    try {
      return work()
    } finally {
      this.#held = undefined
    }
  }

  /** The machine's time, or that of a source that skips waits; milliseconds since 1970. */
  get real(): number {
    if (isRecorded(this.#source)) return this.#source.recorded
    return isSkipping(this.#source) ? this.#source.now() : realTime()
  }

  /** The time by which a client on this machine goes, milliseconds since 1970. */
  get machine(): number {
    return isRecorded(this.#source) ? this.#source.machine : realClock.now()
  }

  get rate(): number {
    return this.#stored.rate
  }

  get isFrozen(): boolean {
    return this.#stored.rate === 0
  }

  /** Whether its time or its rate differs from the machine's, which is what a client goes by. */
  get isShifted(): boolean {
    const { rate } = this.#stored
    return rate !== 1 || isSkipping(this.#source) || Math.abs(this.now() - this.machine) >= httpDateResolution
  }

  /** How often it has been moved by hand. The difference between times of two epochs is no waiting time. */
  get epoch(): number {
    return this.#epoch
  }

  get stored(): StoredClock {
    return this.#stored
  }

  freeze(): void {
    this.#change(this.#stored.rate === 0 ? {} : { rate: 0, pace: this.#stored.rate })
  }

  resume(): void {
    this.#change({ rate: this.#stored.rate === 0 ? this.#stored.pace : this.#stored.rate })
  }

  /** @param rate seconds of the space per second of the source, above 0; a frozen clock stays frozen */
  setRate(rate: number): void {
    this.#change(this.#stored.rate === 0 ? { pace: rate } : { rate, pace: rate })
  }

  /** Takes back a change that could not be recorded. @param stored the state before it */
  restore(stored: StoredClock): void {
    this.#change(stored)
  }

  /** Continues from the present time with another source, at its rate. That is no move by hand. */
  follow(source: SkippingClock): void {
    const space = this.now()
    this.#source = source
    this.#change({ space, rate: 1, pace: 1 }, false)
  }

  /** Continues from the present time with another source, at the rate that it has. That is no move by hand. */
  continueWith(source: Clock): void {
    const space = this.now()
    this.#source = source
    this.#change({ space }, false)
  }

  /**
   * Lets time pass at once on a source that skips waits. It counts as time that passed by itself; everything that becomes due
   * on the way runs in order and is finished when the promise resolves.
   * @param settle as in `moveTo`
   */
  skip(milliseconds: number, source: SkippingClock, settle: (now: number) => Promise<void>): Promise<void> {
    return this.#serialize(async () => {
      const end = source.now() + milliseconds
      await this.#runDue(
        this.now() + milliseconds,
        due => source.advance(Math.max(0, due - this.now())),
        settle,
      )
      source.advance(Math.max(0, end - source.now()))
      await settle(this.now())
    })
  }

  /**
   * Moves to a time, which may be in the past. Everything that becomes due on the way runs in order and is finished when
   * the promise resolves. Calls run one after another.
   * @param target milliseconds since 1970; or a function of the time at which this call starts
   * @param settle records what the platform has done by the given time
   */
  moveTo(target: number | ((now: number) => number), settle: (now: number) => Promise<void>): Promise<void> {
    return this.#serialize(async () => {
      const start = this.now()
      const end = typeof target === 'function' ? target(start) : target
      // What has been shown, or could have been, does not change when the clock goes back.
      if (end < start) await settle(start)
      this.#epoch++
      await this.#runDue(end, due => this.#advanceTo(due), settle)
      // A running clock may have passed the target by itself; do not set it back then.
      if (end > this.now() || end < start) this.#change({ space: end }, false)
      await settle(this.now())
    })
  }

  /**
   * Runs `work` after `milliseconds` of this clock; `moveTo` awaits it.
   * @param milliseconds capped at the last time that the clock can show
   * @param left resolves when the client stops waiting; the work is then skipped. Without it the work always runs
   * @param from when the wait begins, which is now unless given
   * @returns the result of the work, or undefined if it was skipped
   */
  after<T>(
    milliseconds: number,
    work: () => Promise<T>,
    left?: Promise<unknown>,
    from = this.now(),
  ): Promise<T | undefined> {
    if (this.#hasEnded) return Promise.resolve(undefined)
    return new Promise((resolve, reject) => {
      const wait: Wait = {
        due: Math.min(latestTime, from + milliseconds),
        task: {
          fire: () => work().then(resolve, reject),
          drop: () => resolve(undefined),
        },
      }
      this.#waits.splice(this.#insertionIndex(wait.due), 0, wait)
      // A source may run since the request that waits has arrived.
      if (this.#waits[0] === wait || isSkipping(this.#source)) this.#setTimer()
      void left?.then(() => this.#abandon(wait))
    })
  }

  /** Drops a wait whose client has left. Its place is not searched for: thousands may leave at once. */
  #abandon(wait: Wait): void {
    if (!wait.task) return
    wait.task.drop()
    wait.task = undefined
    this.#abandoned++
    if (this.#abandoned * 2 <= this.#waits.length) return
    this.#waits = this.#waits.filter(({ task }) => task)
    this.#abandoned = 0
    this.#setTimer()
  }

  /** Due times of the waiting work, milliseconds since 1970, the next one first. */
  get due(): readonly number[] {
    return this.#waits.filter(({ task }) => task).map(({ due }) => due)
  }

  /** Drops all waiting work: the space was removed or reset. */
  end(): void {
    this.#hasEnded = true
    this.#clearTimer()
    const tasks = this.#waits.splice(0).map(({ task }) => task)
    void inTurns(tasks, task => task?.drop())
  }

  #change(change: Partial<StoredClock>, isNewEpoch = true): void {
    if (isNewEpoch) this.#epoch++
    const now = this.now()
    this.#stored = { ...this.#stored, space: now, source: this.#source.now(), ...change }
    this.#setTimer()
  }

  /** Runs what is due until a time, in order. @param advance moves to the due time of each */
  async #runDue(
    end: number,
    advance: (due: number) => void,
    settle: (now: number) => Promise<void>,
  ): Promise<void> {
    let count = 0
    for (let next = this.#takeDue(end); next; next = this.#takeDue(end)) {
      advance(next.due)
      await settle(this.now())
      await next.task.fire()
      if (++count % atOnce === 0) await nextTurn()
    }
  }

  #advanceTo(time: number): void {
    if (time > this.now()) this.#stored = { ...this.#stored, space: time, source: this.#source.now() }
  }

  /** Index for a new wait: after those that are due at the same time. */
  #insertionIndex(due: number): number {
    let low = 0
    let high = this.#waits.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if (this.#waits[middle]!.due <= due) low = middle + 1
      else high = middle
    }
    return low
  }

  /** Sets the only timer to the next wait. A frozen clock needs none. */
  #setTimer(): void {
    this.#clearTimer()
    const next = this.#waits[0]
    if (!next || this.#stored.rate === 0 || this.#hasEnded) return
    const pace = isSkipping(this.#source) ? this.#source.pace : 1
    const real = Math.ceil((next.due - this.now()) / (this.#stored.rate * pace))
    if (pace > 0) this.#timer = setTimeout(() => this.#fireDue(), Math.min(maxTimerDelay, Math.max(0, real)))
    if (isMovedByHand(this.#source)) this.#unlisten = this.#source.onMove(() => this.#fireDue())
  }

  #clearTimer(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#unlisten?.()
    this.#unlisten = undefined
  }

  /** Time has passed by itself: runs what is due, in order, before the clock moves any further. */
  #fireDue(): void {
    this.#clearTimer()
    void this.#serialize(async () => {
      let count = 0
      for (let next = this.#takeDue(this.now()); next; next = this.#takeDue(this.now())) {
        await next.task.fire()
        if (++count % atOnce === 0) await nextTurn()
      }
    })
  }

  /** Runs clock operations one after another, so that nothing runs before something that was due earlier. */
  #serialize(act: () => Promise<void>): Promise<void> {
    const done = this.#moving.then(act).finally(() => this.#setTimer())
    this.#moving = done.catch(() => {})
    return done
  }

  #takeDue(time: number): (Wait & { readonly task: Task }) | undefined {
    for (let [next] = this.#waits; next && next.due <= time; [next] = this.#waits) {
      this.#waits.shift()
      const { due, task } = next
      next.task = undefined
      if (task) return { due, task }
      this.#abandoned--
    }
    return undefined
  }
}

const isMovedByHand = (source: Clock): source is ManualClock | SkippingClock | RecordedClock =>
  'onMove' in source
const isSkipping = (source: Clock): source is SkippingClock => 'pace' in source
const isRecorded = (source: Clock): source is RecordedClock => 'recorded' in source
