/**
 * The load generator: requests over a number of connections, one at a time on each. It costs a sixth of what autocannon
 * does, which had a core for itself and was still what limited reads, and collections at 500 MB a second.
 */
import { connect } from 'node:net'
import { connect as connectSecurely } from 'node:tls'
import { AnswerReader } from './answer-reader.mjs'

/** Read into by all connections in turn: nothing of an answer is kept. */
const shared = Buffer.allocUnsafe(1 << 20)

/** After an error a connection is made anew, so many milliseconds later. */
const pause = 10

/**
 * @typedef {object} Load
 * @property {number} port
 * @property {number} connections
 * @property {() => () => Buffer} requests gives for each connection what gives its requests
 * @property {number} [duration] in seconds
 * @property {number} [amount] of requests, where there is no duration
 * @property {string} [ca] the authority to trust, for load over TLS
 * @property {number} timeout in seconds, after which a request counts as one that was not answered
 */

/**
 * @param {Load} how
 * @returns {Promise<{ statuses: Map<number, number>, errors: number, milliseconds: number }>} answers by status, and
 *   requests that got none; those still under way when the time was up are neither
 */
export function load(how) {
  return new Promise((resolve, reject) => new Run(how, resolve, reject))
}

/** @typedef {{ statuses: Map<number, number>, errors: number, milliseconds: number }} Counted */

class Run {
  /** @type {Map<number, number>} */
  #statuses = new Map()
  #errors = 0
  #asked = 0
  #lines
  #end
  #startedAt = performance.now()
  #isOver = false
  /** @type {NodeJS.Timeout[]} */
  #timers = []

  /**
   * @param {Load} how
   * @param {(counted: Counted) => void} resolve
   * @param {(error: unknown) => void} reject
   */
  constructor({ port, connections, requests, duration, amount = 0, timeout, ca }, resolve, reject) {
    this.port = port
    this.ca = ca
    this.amount = duration === undefined ? amount : Number.POSITIVE_INFINITY
    this.#end = (/** @type {unknown} */ error) => {
      if (this.#isOver) return
      this.#isOver = true
      for (const timer of this.#timers) clearTimeout(timer)
      for (const line of this.#lines) line.close()
      const milliseconds = performance.now() - this.#startedAt
      if (error) reject(error)
      else resolve({ statuses: this.#statuses, errors: this.#errors, milliseconds })
    }
    if (duration !== undefined) this.#timers.push(setTimeout(() => this.#end(undefined), duration * 1000))
    this.#timers.push(setInterval(() => this.#dropLate(timeout * 1000), 500))
    this.#lines = Array.from({ length: connections }, () => new Line(this, requests()))
    for (const line of this.#lines) line.open()
  }

  /** Whether another request is wanted; it counts as made then. */
  wants() {
    if (this.#isOver || this.#asked >= this.amount) return false
    this.#asked++
    return true
  }

  get isOver() {
    return this.#isOver
  }

  /** @param {number} status */
  answered(status) {
    this.#statuses.set(status, (this.#statuses.get(status) ?? 0) + 1)
    this.#settled()
  }

  unanswered() {
    this.#errors++
    this.#settled()
  }

  /** @param {unknown} error */
  failed(error) {
    this.#end(error)
  }

  /** @param {number} patience in milliseconds */
  #dropLate(patience) {
    const latest = performance.now() - patience
    for (const line of this.#lines) line.dropIfBefore(latest)
  }

  #settled() {
    if (this.#asked >= this.amount && this.#lines.every(({ isWaiting }) => !isWaiting)) this.#end(undefined)
  }
}

/** One connection, made anew when it ends. */
class Line {
  #run
  #next
  /** @type {import('node:net').Socket | undefined} */
  #socket
  /** @type {number | undefined} */
  #askedAt

  /**
   * @param {Run} run
   * @param {() => Buffer} next
   */
  constructor(run, next) {
    this.#run = run
    this.#next = next
  }

  get isWaiting() {
    return this.#askedAt !== undefined
  }

  open() {
    if (this.#run.isOver) return
    const reader = new AnswerReader((status, isLast) => {
      this.#askedAt = undefined
      this.#run.answered(status)
      if (isLast) socket.destroy()
      else this.#ask()
    })
    const read = (/** @type {Buffer} */ bytes) => {
      try {
        reader.read(bytes)
      } catch (error) {
        this.#run.failed(error)
      }
      return true
    }
    const callback = (/** @type {number} */ length) => read(shared.subarray(0, length))
    const { port, ca } = this.#run
    const to = { port, host: '127.0.0.1' }
    const socket = ca
      ? connectSecurely({ ...to, ca, servername: 'localhost' }, () => this.#ask()).on('data', read)
      : connect({ ...to, onread: { buffer: shared, callback } }, () => this.#ask())
    this.#socket = socket
    socket.setNoDelay(true)
    socket.on('error', () => {})
    socket.on('close', () => {
      if (this.#run.isOver) return
      reader.closed()
      const wasAsked = this.isWaiting
      const isLost = wasAsked || socket.errored !== null
      this.#askedAt = undefined
      // One that could not even be made counts as well: otherwise it would be tried for ever.
      if (wasAsked || (isLost && this.#run.wants())) this.#run.unanswered()
      if (isLost) setTimeout(() => this.open(), pause)
      else this.open()
    })
  }

  close() {
    this.#socket?.destroy()
  }

  /** @param {number} latest */
  dropIfBefore(latest) {
    if (this.#askedAt !== undefined && this.#askedAt < latest) this.#socket?.destroy()
  }

  #ask() {
    if (!this.#run.wants()) return
    this.#askedAt = performance.now()
    this.#socket?.write(this.#next())
  }
}
