import type { RecordedClock, SkippingClock, SpaceClock } from '../../rig/clock.ts'

/** The time of a space that is played again: that of the step which is its turn. */
export class RecordedTime implements RecordedClock {
  #now: number
  #recorded: number
  readonly #listeners = new Set<() => void>()

  readonly #lead: number

  /**
   * @param began the space's time at its beginning
   * @param recorded the machine's time, milliseconds since 1970
   * @param lead milliseconds by which its calendar time was ahead of that
   */
  constructor(began: number, recorded: number, lead: number) {
    this.#now = began
    this.#recorded = recorded
    this.#lead = lead
  }

  now(): number {
    return this.#now
  }

  get recorded(): number {
    return this.#recorded
  }

  get machine(): number {
    return this.#recorded + this.#lead
  }

  /** The same time as one in which waits were skipped. */
  get skipping(): SkippingClock & RecordedClock {
    const time = this
    return {
      pace: 0,
      advance() {},
      now: () => time.now(),
      onMove: listener => time.onMove(listener),
      get recorded() {
        return time.recorded
      },
      get machine() {
        return time.machine
      },
    }
  }

  onMove(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /**
   * Moves so that the clock of the space, which follows this time at its rate, shows a time.
   * @param recorded the machine's time then; unless known, it has passed as the space's has
   */
  move(clock: SpaceClock, to: number, recorded?: number): void {
    const { space, source, rate } = clock.stored
    const passed = rate > 0 ? Math.max(0, to - clock.now()) / rate : 0
    this.#recorded = recorded ?? this.#recorded + passed
    if (rate > 0) {
      const exact = source + (to - space) / rate
      // A clock shows whole milliseconds.
      this.#now =
        [Math.round(exact), exact, source + (to - space + 0.5) / rate].find(it => {
          this.#now = it
          return clock.now() === to
        }) ?? exact
    }
    for (const listener of [...this.#listeners]) listener()
  }
}
