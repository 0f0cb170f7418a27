import { longestTimer } from './clock.ts'

/** Whether the client of one exchange is still there, and what is to be told when it leaves. */
export class Presence {
  #isGone = false
  #told: Set<() => void> | undefined
  #gone: Promise<void> | undefined

  get isGone(): boolean {
    return this.#isGone
  }

  /** Resolves when the client has left. Made when asked for: most exchanges end without anyone waiting for that. */
  get gone(): Promise<void> {
    this.#gone ??= new Promise(resolve => this.whenGone(resolve))
    return this.#gone
  }

  /** @returns a function that takes it back. Told at once when the client has left already. */
  whenGone(tell: () => void): () => void {
    if (this.#isGone) {
      tell()
      return () => {}
    }
    this.#told ??= new Set()
    this.#told.add(tell)
    return () => this.#told?.delete(tell)
  }

  leave(): void {
    if (this.#isGone) return
    this.#isGone = true
    for (const tell of this.#told ?? []) tell()
    this.#told = undefined
  }

  /** Waits so many milliseconds of real time. False, and at once, when the client has left. */
  pause(milliseconds: number): Promise<boolean> {
    if (this.#isGone) return Promise.resolve(false)
    return new Promise(resolve => {
      const takeBack = this.whenGone(() => {
        clearTimeout(timer)
        resolve(false)
      })
      let left = milliseconds
      const wait = (): NodeJS.Timeout => {
        const now = Math.min(left, longestTimer)
        left -= now
        return setTimeout(() => {
          if (left > 0) {
            timer = wait()
            return
          }
          takeBack()
          resolve(true)
        }, now)
      }
      let timer = wait()
    })
  }
}
