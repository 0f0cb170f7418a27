/** A moment on both clocks, in milliseconds since 1970. */
export interface Moment {
  /** The machine's own time, monotonic within a process. */
  readonly real: number
  readonly clock: number
}

/** The moments of a request, by where they lie in its part of a page. */
export const moments = { arrived: 0, read: 2, ended: 4, left: 6 } as const
export type MomentName = keyof typeof moments

const numbersEach = 2 * Object.keys(moments).length
const requestsPerPage = 256
/** Copied for each page: an array of nothing but numbers has them in one piece, and filling one is what costs. */
const blank: readonly number[] = new Array<number>(requestsPerPage * numbersEach).fill(Number.NaN)

/**
 * Where the journal puts times: many requests share a page of numbers. As members of their own they would be an object
 * and two boxed numbers for each moment, which live just long enough to be moved twice by the collector.
 */
export class Stamps {
  page: number[] = []
  /** Where the part begins that was taken last. */
  start = 0
  #next = 0

  /** Takes the next free part of a page; a page goes when the last request does that has a part of it. */
  take(): void {
    if (this.#next === this.page.length) {
      this.page = blank.slice()
      this.#next = 0
    }
    this.start = this.#next
    this.#next += numbersEach
  }
}
