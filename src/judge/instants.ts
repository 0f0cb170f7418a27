import type { Moment } from '../rig/entry.ts'

const minute = 60_000

/** Writes times in ISO 8601. Most are of the same few minutes, and writing a date out is dear. */
export class Instants {
  /** As far as the minutes, with their colon. */
  readonly #minutes = new Map<number, string>()

  both({ real, clock }: Moment): { readonly real: string; readonly clock: string } {
    return { real: this.#instant(real), clock: this.#instant(clock) }
  }

  #instant(time: number): string {
    const milliseconds = Math.floor(time)
    const nth = Math.floor(milliseconds / minute)
    const rest = milliseconds - nth * minute
    const seconds = Math.floor(rest / 1_000)
    return `${this.#begun(nth)}${seconds < 10 ? '0' : ''}${seconds}.${digits(rest % 1_000)}Z`
  }

  #begun(nth: number): string {
    const known = this.#minutes.get(nth)
    if (known !== undefined) return known
    const text = new Date(nth * minute).toISOString().slice(0, -'00.000Z'.length)
    this.#minutes.set(nth, text)
    return text
  }
}

const digits = (thousandths: number) =>
  thousandths < 10 ? `00${thousandths}` : thousandths < 100 ? `0${thousandths}` : thousandths
