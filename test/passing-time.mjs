/** Turns of the event loop after which whoever does not wait for time has come to rest. */
export const turnsToRest = 30
/** While a request is under way, the clock goes on in steps of this many milliseconds. */
const stride = 1_000

/** Files are read and written in threads, which take many turns on a machine that is busy. */
const isFileUnderWay = () => process.getActiveResourcesInfo().some(it => it.startsWith('FSReq'))

/** A client that waits for something that never comes. */
export class NeverEnds extends Error {
  /** @override */
  name = 'NeverEnds'
}

/**
 * Moves a clock on while clients sleep on it or wait for answers, as fast as the machine can. One drives one mock.
 */
export class VirtualTime {
  /** @type {{ now(): number, advance(milliseconds: number): void }} */
  #clock
  /**
   * `isLimit`: it is a time limit for something that is under way.
   * @type {Set<{ due: number, isLimit: boolean, wake: () => void }>}
   */
  #sleepers = new Set()

  /** @param {{ now(): number, advance(milliseconds: number): void }} clock */
  constructor(clock) {
    this.#clock = clock
  }

  now = () => this.#clock.now()

  /**
   * @param {number} milliseconds
   * @param {AbortSignal} [signal]
   * @returns {Promise<void>}
   */
  sleep = (milliseconds, signal) =>
    new Promise(resolve => {
      if (signal?.aborted) return resolve()
      const sleeper = {
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
   * @template Value
   * @param {Promise<Value>} work
   * @returns {Promise<Value>}
   * @throws NeverEnds when nobody sleeps any more and the work still does not end, or the clock has gone on for a day
   */
  async during(work) {
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

  #goOn() {
    const now = this.#clock.now()
    const sleepers = [...this.#sleepers]
    const next = Math.min(...sleepers.map(({ due }) => due))
    const most = sleepers.some(({ isLimit }) => isLimit) ? stride : Infinity
    this.#clock.advance(Math.max(0, Math.min(most, next - now)))
    for (const { due, wake } of [...this.#sleepers]) if (due <= this.#clock.now()) wake()
  }
}

/**
 * Replaces the machine's time by one that a machine has that has nothing else to do: it goes on a little whenever
 * somebody looks. The judge measures pauses on it, and a busy machine would put pauses where a client makes none.
 * @returns {() => void} brings the machine's time back
 */
export function steadyTime() {
  const { now } = performance
  let time = now.call(performance)
  performance.now = () => {
    time += 0.01
    return time
  }
  return () => {
    performance.now = now
  }
}
