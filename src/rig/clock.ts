import type { Clock } from '../store/space.ts'

/**
 * Time as the process has it. Read from the global at each call, so a test runner's fake timers drive it as they
 * drive the rest of the process.
 */
export const realClock: Clock = { now: () => Date.now() }

/** A source of time that tells when somebody has moved it: no timer could know. */
interface MovedByHand extends Clock {
  /** @returns stops telling */
  onMove(moved: () => void): () => void
}

/** Time that stands still until it is moved by hand. */
export class ManualClock implements MovedByHand {
  #now: number
  readonly #listeners = new Set<() => void>()

  /** @param start milliseconds since 1970, or an ISO 8601 date-time */
  constructor(start: number | string) {
    this.#now = typeof start === 'number' ? start : Date.parse(start)
  }

  now(): number {
    return this.#now
  }

  /** @param milliseconds how far to go ahead */
  advance(milliseconds: number): void {
    this.#now += milliseconds
    for (const moved of [...this.#listeners]) moved()
  }

  onMove(moved: () => void): () => void {
    this.#listeners.add(moved)
    return () => this.#listeners.delete(moved)
  }
}

/** What is kept of a space's clock over a restart: which time of the space belonged to which time of its source. */
export interface KeptClock {
  /** Milliseconds since 1970, on the space's clock. */
  readonly space: number
  /** Milliseconds since 1970, on the clock that it runs from. */
  readonly source: number
  /** Seconds of the space for each second of the source; 0 is frozen. */
  readonly rate: number
  /** The rate that `resume` goes back to. */
  readonly pace: number
}

interface Wait {
  readonly due: number
  /** Does what was waited for, to its end. */
  readonly fire: () => Promise<unknown>
  readonly drop: () => void
}

/** Dates in HTTP show seconds: milliseconds less than this are no other time. */
const shownByHttp = 1_000

/** Timers of more milliseconds than this fire at once. */
export const longestTimer = 2 ** 31 - 1

/** First and last time that a date-time of this service can show. */
export const earliest = Date.parse('0001-01-01T00:00:00.000Z')
export const latest = Date.parse('9999-12-31T23:59:59.999Z')

/**
 * The time of one space. It runs from a source, at a rate, until somebody moves it. What waits for a time is fired in
 * order of its time, whether that comes by itself or by a call.
 */
export class SpaceClock implements Clock {
  readonly #source: Clock
  #kept: KeptClock
  #epoch = 0
  readonly #waits: Wait[] = []
  #timer: NodeJS.Timeout | undefined
  #unlisten: (() => void) | undefined
  #moving: Promise<void> = Promise.resolve()
  #hasEnded = false

  /** @param kept how it stood before a restart; without it, it shows what its source shows */
  constructor(source: Clock, kept?: Partial<KeptClock>) {
    this.#source = source
    const now = source.now()
    this.#kept = { space: now, source: now, rate: 1, pace: 1, ...kept }
  }

  now(): number {
    const { space, source, rate } = this.#kept
    if (rate === 0) return space
    const passed = (this.#source.now() - source) * rate
    return Math.min(latest, Math.max(earliest, Math.floor(space + passed)))
  }

  get rate(): number {
    return this.#kept.rate
  }

  get isFrozen(): boolean {
    return this.#kept.rate === 0
  }

  /** Whether it shows another time than the machine, which a client reads its own time from, or runs at another pace. */
  get isShifted(): boolean {
    return this.#kept.rate !== 1 || Math.abs(this.now() - realClock.now()) >= shownByHttp
  }

  /** Counts how often somebody moved it: times of two epochs cannot be compared as waiting time. */
  get epoch(): number {
    return this.#epoch
  }

  get kept(): KeptClock {
    return this.#kept
  }

  freeze(): void {
    this.#turn(this.#kept.rate === 0 ? {} : { rate: 0, pace: this.#kept.rate })
  }

  resume(): void {
    this.#turn({ rate: this.#kept.rate === 0 ? this.#kept.pace : this.#kept.rate })
  }

  /** @param rate seconds of the space for each second of the source, above 0; a frozen clock stays frozen */
  setRate(rate: number): void {
    this.#turn(this.#kept.rate === 0 ? { pace: rate } : { rate, pace: rate })
  }

  /**
   * Goes to a time, which may lie back. On the way everything that falls due is done, in order; that is finished when
   * the promise resolves. Calls follow one another.
   * @param target milliseconds since 1970; or, as a function, from the time at which its turn comes
   * @param settle puts on record what the platform has done by the given time
   */
  moveTo(target: number | ((now: number) => number), settle: (now: number) => Promise<void>): Promise<void> {
    return this.#inTurn(async () => {
      const start = this.now()
      const end = typeof target === 'function' ? target(start) : target
      // What has been shown, or could have been, does not go back with the clock.
      if (end < start) await settle(start)
      this.#epoch++
      for (let next = this.#takeDue(end); next; next = this.#takeDue(end)) {
        this.#showAtLeast(next.due)
        await settle(this.now())
        await next.fire()
      }
      // A clock that runs may have passed the end by itself meanwhile; that is no reason to set it back.
      if (end > this.now() || end < start) this.#turn({ space: end }, false)
      await settle(this.now())
    })
  }

  /**
   * Does the work once so much time has passed. A moving clock waits for its end.
   * @param milliseconds of this clock; not beyond the last time that it can show
   * @param left resolves when nobody waits any more; then the work is not done. Without it, it is done in any case
   * @returns what the work gave, or undefined when it was not done
   */
  after<T>(milliseconds: number, work: () => Promise<T>, left?: Promise<unknown>): Promise<T | undefined> {
    if (this.#hasEnded) return Promise.resolve(undefined)
    return new Promise((resolve, reject) => {
      const wait: Wait = {
        due: Math.min(latest, this.now() + milliseconds),
        fire: async () => {
          try {
            resolve(await work())
          } catch (error) {
            reject(error)
          }
        },
        drop: () => resolve(undefined),
      }
      this.#waits.splice(this.#placeOf(wait.due), 0, wait)
      this.#wind()
      void left?.then(() => {
        const at = this.#waits.indexOf(wait)
        if (at < 0) return
        this.#waits.splice(at, 1)
        wait.drop()
        this.#wind()
      })
    })
  }

  /** Times that somebody waits for, milliseconds since 1970, the next one first. */
  get due(): readonly number[] {
    return this.#waits.map(({ due }) => due)
  }

  /** Drops all waits: the space is no more, or begins anew. */
  end(): void {
    this.#hasEnded = true
    this.#unwind()
    for (const wait of this.#waits.splice(0)) wait.drop()
  }

  #turn(change: Partial<KeptClock>, isNewEpoch = true): void {
    if (isNewEpoch) this.#epoch++
    const now = this.now()
    this.#kept = { ...this.#kept, space: now, source: this.#source.now(), ...change }
    this.#wind()
  }

  #showAtLeast(time: number): void {
    if (time > this.now()) this.#kept = { ...this.#kept, space: time, source: this.#source.now() }
  }

  /** Where a wait belongs: behind those that are due at the same time. */
  #placeOf(due: number): number {
    let low = 0
    let high = this.#waits.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if (this.#waits[middle]!.due <= due) low = middle + 1
      else high = middle
    }
    return low
  }

  /** Sets the one timer there is to the next wait. A frozen clock needs none. */
  #wind(): void {
    this.#unwind()
    const next = this.#waits[0]
    if (!next || this.#kept.rate === 0 || this.#hasEnded) return
    const real = Math.ceil((next.due - this.now()) / this.#kept.rate)
    this.#timer = setTimeout(() => this.#strike(), Math.min(longestTimer, Math.max(0, real)))
    if (isMovedByHand(this.#source)) this.#unlisten = this.#source.onMove(() => this.#strike())
  }

  #unwind(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#unlisten?.()
    this.#unlisten = undefined
  }

  /** Time has passed by itself: what has fallen due is done, in order, and before the clock is moved any further. */
  #strike(): void {
    this.#unwind()
    void this.#inTurn(async () => {
      for (let next = this.#takeDue(this.now()); next; next = this.#takeDue(this.now())) await next.fire()
    })
  }

  /** What goes on at the clock follows one another, so that nothing is done before something that was due earlier. */
  #inTurn(act: () => Promise<void>): Promise<void> {
    const done = this.#moving.then(act).finally(() => this.#wind())
    this.#moving = done.catch(() => {})
    return done
  }

  /** The next wait that is due at this time, taken from the others. */
  #takeDue(time: number): Wait | undefined {
    const next = this.#waits[0]
    return next && next.due <= time ? this.#waits.shift() : undefined
  }
}

const isMovedByHand = (source: Clock): source is MovedByHand => 'onMove' in source
