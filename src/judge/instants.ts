import type { Moment } from '../rig/entry.ts'

/** As they stand at the end of an instant. */
const thousandths = Array.from({ length: 1_000 }, (_, nth) => `${String(nth).padStart(3, '0')}Z`)

/** Writes times in ISO 8601. Many are of the same seconds, and writing a date out is dear. */
export class Instants {
  /** As far as the dot. */
  readonly #seconds = new Map<number, string>()

  both({ real, clock }: Moment): { readonly real: string; readonly clock: string } {
    return { real: this.#instant(real), clock: this.#instant(clock) }
  }

  #instant(time: number): string {
    const milliseconds = Math.floor(time)
    const second = Math.floor(milliseconds / 1_000)
    return this.#begun(second) + thousandths[milliseconds - second * 1_000]
  }

  #begun(second: number): string {
    const known = this.#seconds.get(second)
    if (known !== undefined) return known
    const text = new Date(second * 1_000).toISOString().slice(0, -'000Z'.length)
    this.#seconds.set(second, text)
    return text
  }
}
