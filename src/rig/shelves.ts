/** Bytes of the first shelf; each is twice the one before, since most spaces see few requests. */
const firstLength = 4 << 10
const longest = 128 << 10

/** Where bytes lie: two small numbers in place of an object of their own for each body. */
export interface Place {
  readonly shelf: Buffer
  readonly start: number
  readonly end: number
}

/**
 * Where the journal puts bodies: outside of the heap, one behind the other. Strings that live a while and then all die
 * are dear to collect, since each is moved twice before; here nothing is moved, and a shelf goes when its last body does.
 */
export class Shelves {
  #shelf = Buffer.alloc(0)
  #used = 0

  put(body: string | Uint8Array): Place {
    if (typeof body === 'string') return this.#putText(body)
    const start = this.#room(body.length)
    this.#shelf.set(body, start)
    return this.#placed(start, body.length)
  }

  #putText(text: string): Place {
    // No character takes more than three bytes, and counting them all first is a third of writing them.
    const isEnough = this.#used + 3 * text.length <= this.#shelf.length
    const start = isEnough ? this.#used : this.#room(Buffer.byteLength(text))
    return this.#placed(start, this.#shelf.write(text, start))
  }

  /** Where so many bytes can go. */
  #room(length: number): number {
    if (this.#used + length > this.#shelf.length) {
      const next = Math.min(longest, Math.max(firstLength, 2 * this.#shelf.length))
      this.#shelf = Buffer.allocUnsafeSlow(Math.max(next, length))
      this.#used = 0
    }
    return this.#used
  }

  #placed(start: number, length: number): Place {
    this.#used += length
    return { shelf: this.#shelf, start, end: start + length }
  }
}

/** Without a buffer in between. */
export const textAt = ({ shelf, start, end }: Place, encoding: 'utf8' | 'latin1' = 'utf8'): string =>
  shelf.toString(encoding, start, end)

export const bytesAt = ({ shelf, start, end }: Place): Buffer => shelf.subarray(start, end)
