import { getHeapStatistics } from 'node:v8'
import { UserError } from '../../store/user-error.ts'
import { NoAnswer } from '../verify/cannot-verify.ts'
import { AnswerBodies, type Exchange, isSuccess } from '../verify/exchange.ts'
import {
  acceptedTypes,
  basicCredentials,
  fetchExchange,
  resolveAddress,
  retryAfterSeconds,
  type TargetOptions,
} from '../verify/target.ts'
import { isObject } from '../verify/unknown-json.ts'

/** Why a pull is not possible, in one sentence that says what to do. */
export class CannotPull extends UserError {
  override readonly name = 'CannotPull'
}

/** What is kept of an answer: only what a fixture is made from. */
interface KeptAnswer {
  readonly url: string
  readonly status: number
  readonly json: unknown
}

interface PaceOptions {
  readonly perSecond: number
  /** Milliseconds from any starting point. */
  readonly now: () => number
  readonly wait: TargetOptions['wait']
}

/** Limits the rate of requests: evenly spread, and none while the service asks to wait. */
export class RequestPace {
  readonly #options: PaceOptions
  #next = 0
  #heldUntil = 0

  constructor(options: PaceOptions) {
    this.#options = options
  }

  /** Waits until the next request may go out. @throws the reason with which the signal aborts */
  async waitTurn(signal: AbortSignal): Promise<void> {
    const { now, wait, perSecond } = this.#options
    let at: number
    do {
      signal.throwIfAborted()
      at = Math.max(now(), this.#next, this.#heldUntil)
      this.#next = at + 1000 / perSecond
      const left = at - now()
      if (left > 0) await wait(left, signal)
      // Another request may have been told to wait in the meantime.
    } while (this.#heldUntil > at)
  }

  /** Sends nothing for this time. */
  pauseFor(milliseconds: number): void {
    this.#heldUntil = Math.max(this.#heldUntil, this.#options.now() + milliseconds)
  }
}

interface SourceOptions extends PaceOptions, Omit<TargetOptions, 'onWait'> {
  /** Called before each wait. */
  readonly onWait?: ((seconds: number, why: string) => void) | undefined
}

/** Maximum attempts of a failing request, once the service has answered anything. */
const maxAttempts = 7
/** Maximum attempts before that: without any answer the address is probably wrong. */
const maxFirstAttempts = 2
/** Maximum number of times in a row that a request may be told to wait. */
const maxDeferrals = 30
/** Maximum wait for one answer, in seconds. */
const maxWaitSeconds = 15 * 60
const maxBackoffSeconds = 30
/** Maximum memory of all answers of a pull, which it keeps until the fixture is written, in MiB. */
const maxPullMebibytes = Math.floor(getHeapStatistics().heap_size_limit / 3 / 2 ** 20)

/**
 * The service to read, with GET only: few requests at a time, at a limited rate, repeated after failures, and
 * never before the service allows it. Nothing is requested twice.
 */
export class PullSource {
  readonly base: string
  readonly #options: SourceOptions
  readonly #pace: RequestPace
  readonly #answers = new Map<string, KeptAnswer>()
  #isTrusted = false
  #answered = 0
  /** Bytes of memory that the answers may still take. */
  #left = maxPullMebibytes * 2 ** 20

  constructor(options: SourceOptions) {
    this.base = options.base
    this.#options = options
    this.#pace = new RequestPace(options)
  }

  /** Number of requests that the service itself answered. */
  get answered(): number {
    return this.#answered
  }

  /**
   * The answer: a success, or a final refusal.
   * @param address a path behind the base, or a whole address from a link
   * @param isFresh whether to send the request even if there is an answer already
   * @throws CannotPull or CannotVerify without an answer; the reason with which the signal aborts
   */
  async ask(address: string, isFresh = false): Promise<Exchange> {
    const url = resolveAddress(this.base, address)
    const kept = this.#isTrusted && !isFresh ? this.#answers.get(url) : undefined
    if (kept) return { ...notKept, ...kept }
    const exchange = await this.#askUntilAnswered(url)
    const { status, json } = exchange
    if ((isSuccess(exchange) && isObject(json)) || status === 404)
      this.#answers.set(url, { url, status, json })
    return exchange
  }

  /** From now on it is known to be the service: its answers count, and failures are taken for temporary. */
  trust(): void {
    this.#isTrusted = true
  }

  /** As `ask`, for `probe`. */
  get = (address: string): Promise<Exchange> => this.ask(address)

  async #askUntilAnswered(url: string): Promise<Exchange> {
    const { signal } = this.#options
    for (let failures = 0, deferrals = 0; ; ) {
      await this.#pace.waitTurn(signal)
      const tried = await this.#tryOnce(url)
      if ('exchange' in tried) return tried.exchange
      if ('failure' in tried) {
        const { failure } = tried
        if (++failures >= (this.#isTrusted ? maxAttempts : maxFirstAttempts))
          throw this.#isTrusted
            ? new CannotPull(`${withoutAdvice(failure)}, ${failures} times in a row`)
            : failure
        this.#pauseFor(Math.min(maxBackoffSeconds, 2 ** (failures - 1)), withoutAdvice(failure))
      } else {
        if (++deferrals >= maxDeferrals)
          throw new CannotPull(
            `${pathOf(url)} was answered ${tried.status} ${deferrals} times in a row, however long it was waited`,
          )
        this.#pauseFor(tried.patience, `the service answers ${tried.status}`)
      }
    }
  }

  /** Sends one request. Returns its answer, a temporary failure, or the number of seconds to wait. */
  async #tryOnce(url: string): Promise<AskResult> {
    let exchange: Exchange
    try {
      exchange = await this.#request(url)
    } catch (error) {
      if (error instanceof NoAnswer) return { failure: error }
      throw error
    }
    const { status, headers } = exchange
    const patience = retryAfterSeconds(headers)
    if (status === 429 || (status === 503 && patience !== undefined))
      return { patience: patience ?? maxBackoffSeconds, status }
    if (status >= 500) return { failure: new CannotPull(`${pathOf(url)} was answered ${status}`) }
    if (isSuccess(exchange) && !isObject(exchange.json) && this.#isTrusted)
      return { failure: new CannotPull(`${pathOf(url)} was answered ${status} without a JSON object`) }
    if (headers['x-ratelimit-remaining'] === '0' && patience !== undefined)
      this.#pauseFor(patience, 'the limit of requests is reached')
    this.#answered++
    return { exchange }
  }

  async #request(url: string): Promise<Exchange> {
    const { user, password } = this.#options
    const request = { method: 'GET', url, requestHeaders: { accept: acceptedTypes }, requestBody: null }
    const credentials = basicCredentials(user, password)
    const answered = await fetchExchange(this.#options, new AnswerBodies(), request, credentials)
    if (answered.excess !== undefined)
      throw new CannotPull(`the response to ${pathOf(url)} ${answered.excess}`)
    this.#left -= answered.weight
    if (this.#left < 0)
      throw new CannotPull(
        `the responses of the service take more than ${maxPullMebibytes} MiB of memory; give Node more: NODE_OPTIONS=--max-old-space-size=8192`,
      )
    return Object.assign(answered, { number: 0 })
  }

  #pauseFor(seconds: number, why: string): void {
    if (seconds > maxWaitSeconds)
      throw new CannotPull(
        `${why} and asks for ${Math.ceil(seconds)} s of patience; run it again when they are over`,
      )
    this.#options.onWait?.(seconds, why)
    this.#pace.pauseFor(seconds * 1000)
  }
}

type AskResult =
  | { readonly exchange: Exchange }
  | { readonly failure: Error }
  | { readonly patience: number; readonly status: number }

const pathOf = (url: string): string => new URL(url).pathname
/** The message without the advice about wrong addresses. */
const withoutAdvice = ({ message }: Error): string => message.replace(/; .*$/s, '')

/** The rest of an exchange whose answer is kept. */
const notKept = {
  number: 0,
  method: 'GET',
  requestHeaders: {},
  requestBody: null,
  headers: { 'content-type': 'application/hal+json' },
  text: '',
  digest: '',
  weight: 0,
  excess: undefined,
}
