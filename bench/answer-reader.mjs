/** @typedef {(bytes: Buffer, at: number) => number} Step takes what it can, and says where the next one begins; -1 for more */

/** Finds where answers end in what comes over one connection. Bodies are counted and not looked at. */
export class AnswerReader {
  #told
  /** @type {Step} */
  #step = this.#head
  /** Bytes of a body or chunk that are still to come. */
  #left = 0
  /**
   * A head or a line of which not all has come.
   * @type {Buffer | undefined}
   */
  #begun
  #status = 0
  #isLast = false

  /** @param {(status: number, isLast: boolean) => void} told hears of each whole answer, and whether the server closes then */
  constructor(told) {
    this.#told = told
  }

  /** Whether an answer has begun that only the end of the connection ends. */
  get endsWithConnection() {
    return this.#step === this.#untilClosed
  }

  /** @param {Buffer} bytes may be used for something else afterwards */
  read(bytes) {
    let all = bytes
    if (this.#begun) {
      all = Buffer.concat([this.#begun, bytes])
      this.#begun = undefined
    }
    let at = 0
    while (at >= 0 && at < all.length) at = this.#step(all, at)
  }

  /** The connection has ended. */
  closed() {
    if (this.endsWithConnection) this.#told(this.#status, true)
  }

  /**
   * The text up to a mark, or undefined when that is still to come.
   * @param {string} mark
   * @param {Buffer} bytes
   * @param {number} at
   */
  #until(mark, bytes, at) {
    const end = bytes.indexOf(mark, at, 'latin1')
    if (end >= 0) return bytes.toString('latin1', at, end)
    this.#begun = Buffer.from(bytes.subarray(at))
    return undefined
  }

  /** @type {Step} */
  #head(bytes, at) {
    const head = this.#until('\r\n\r\n', bytes, at)
    if (head === undefined) return -1
    const after = at + head.length + 4
    this.#status = Number(head.slice(9, 12))
    if (!(this.#status >= 100)) throw new Error(`no HTTP answer: ${JSON.stringify(head.slice(0, 60))}`)
    if (this.#status < 200) return after
    this.#isLast = /\r\nconnection: *close/i.test(head)
    this.#left = Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1] ?? -1)
    const hasNone = this.#left === 0 || this.#status === 204 || this.#status === 304
    if (hasNone) this.#whole()
    else if (this.#left > 0) this.#step = this.#body
    else this.#step = /\r\ntransfer-encoding: *chunked/i.test(head) ? this.#size : this.#untilClosed
    return after
  }

  /** @type {Step} */
  #body(bytes, at) {
    const taken = Math.min(this.#left, bytes.length - at)
    this.#left -= taken
    if (this.#left === 0) this.#whole()
    return at + taken
  }

  /** @type {Step} */
  #size(bytes, at) {
    const line = this.#until('\r\n', bytes, at)
    if (line === undefined) return -1
    // With the line break behind it.
    this.#left = Number.parseInt(line, 16) + 2
    this.#step = this.#left === 2 ? this.#trailer : this.#chunk
    return at + line.length + 2
  }

  /** @type {Step} */
  #chunk(bytes, at) {
    const taken = Math.min(this.#left, bytes.length - at)
    this.#left -= taken
    if (this.#left === 0) this.#step = this.#size
    return at + taken
  }

  /** @type {Step} */
  #trailer(bytes, at) {
    const line = this.#until('\r\n', bytes, at)
    if (line === undefined) return -1
    if (line === '') this.#whole()
    return at + line.length + 2
  }

  /** @type {Step} */
  #untilClosed(bytes) {
    return bytes.length
  }

  #whole() {
    this.#step = this.#head
    this.#told(this.#status, this.#isLast)
  }
}
