import { CannotVerify, noAnswer } from '../verify/cannot-verify.ts'
import { withDeadline } from '../verify/deadline.ts'
import { type Exchange, isSuccess } from '../verify/exchange.ts'
import { isObject } from '../verify/hal.ts'
import { patienceOf } from '../verify/patience.ts'
import { addressAt, type Fetch, parsed, wholeText } from '../verify/target.ts'
import { CannotPull } from './cannot-pull.ts'
import type { Journal, KeptAnswer } from './journal.ts'
import { Pace, type PaceOptions } from './pace.ts'

export interface SourceOptions extends PaceOptions {
  /** Without a slash at the end: what all paths come behind. */
  readonly base: string
  readonly user: string
  readonly password: string
  readonly fetch: Fetch
  /** Milliseconds for each answer. */
  readonly timeout: number
  readonly signal: AbortSignal
  readonly journal: Journal
  /** Hears of waits, so that nobody takes them for a hang. */
  readonly onWait?: ((seconds: number, why: string) => void) | undefined
}

/** A request that fails for a while is asked so often, once the service has answered anything. */
const mostAttempts = 7
/** Before, so often: what never answered is more likely the wrong address. */
const firstAttempts = 2
/** So often in a row a request may be told to come later. */
const mostDeferrals = 30
/** Nobody waits longer than this for one answer, in seconds. */
const longestWait = 15 * 60
const longestBackoff = 30

/**
 * The service that is pulled from, asked with GET alone: few at a time, at a pace, again where it stumbles, and not
 * before it wants to be. Answers that a journal has are not asked for.
 */
export class Source {
  readonly base: string
  readonly #options: SourceOptions
  readonly #pace: Pace
  readonly #authorization: string
  /** Answers of which nobody knows yet whether they are the service's. */
  readonly #held: KeptAnswer[] = []
  #isTrusted: boolean
  #answered = 0

  constructor(options: SourceOptions) {
    this.base = options.base
    this.#options = options
    this.#pace = new Pace(options)
    this.#isTrusted = options.journal.size > 0
    this.#authorization = `Basic ${Buffer.from(`${options.user}:${options.password}`).toString('base64')}`
  }

  /** How many requests were answered, by the service itself. */
  get answered(): number {
    return this.#answered
  }

  /**
   * The answer with a success, or what the service says for good.
   * @param address a path behind the base, or a whole address that a link gave
   * @param isFresh whether to ask even if the journal has the answer
   * @throws CannotPull or CannotVerify without one; the reason with which the signal aborts
   */
  async ask(address: string, isFresh = false): Promise<Exchange> {
    const url = addressAt(this.base, address)
    const { journal } = this.#options
    const kept = isFresh ? undefined : journal.get(url)
    if (kept) return exchangeOf(url, kept.status, keptHeaders, '', kept.json)
    const exchange = await this.#patiently(url)
    const { status, json } = exchange
    if (isUsable(exchange) || status === 404) this.#keep({ url, status, json })
    return exchange
  }

  /** From now on it is known to be the service: what it said is kept, and what fails may pass. */
  trust(): void {
    this.#isTrusted = true
    for (const answer of this.#held.splice(0)) this.#keep(answer)
  }

  #keep(answer: KeptAnswer): void {
    if (this.#isTrusted) this.#options.journal.put(answer)
    else this.#held.push(answer)
  }

  /** The same, for whoever only looks whether the service is there. */
  get = (address: string): Promise<Exchange> => this.ask(address)

  async #patiently(url: string): Promise<Exchange> {
    const { signal } = this.#options
    for (let failures = 0, deferrals = 0; ; ) {
      await this.#pace.turn(signal)
      const tried = await this.#tried(url)
      if ('exchange' in tried) return tried.exchange
      if ('failure' in tried) {
        if (++failures >= (this.#isTrusted ? mostAttempts : firstAttempts))
          throw this.#inTheEnd(tried.failure, failures)
        this.#hold(Math.min(longestBackoff, 2 ** (failures - 1)), shortened(tried.failure))
      } else {
        if (++deferrals >= mostDeferrals)
          throw new CannotPull(
            `${pathOf(url)} was answered ${tried.status} ${deferrals} times in a row, however long it was waited`,
          )
        this.#hold(tried.patience, `the service answers ${tried.status}`)
      }
    }
  }

  /** One request: its answer, what went wrong for now, or how many seconds later it should be asked. */
  async #tried(url: string): Promise<Tried> {
    let exchange: Exchange
    try {
      exchange = await this.#once(url)
    } catch (error) {
      const { signal, timeout } = this.#options
      if (signal.aborted) throw signal.reason
      if (error instanceof CannotVerify) throw error
      return { failure: noAnswer(error, new URL(url), timeout) }
    }
    const { status, headers } = exchange
    const patience = patienceOf(headers)
    if (status === 429 || (status === 503 && patience !== undefined))
      return { patience: patience ?? longestBackoff, status }
    if (status >= 500) return { failure: new CannotPull(`${pathOf(url)} was answered ${status}`) }
    if (isSuccess(exchange) && !isObject(exchange.json) && this.#isTrusted)
      return { failure: new CannotPull(`${pathOf(url)} was answered ${status} without a JSON object`) }
    if (headers['x-ratelimit-remaining'] === '0' && patience !== undefined)
      this.#hold(patience, 'the limit of requests is reached')
    this.#answered++
    return { exchange }
  }

  #inTheEnd(failure: Error, failures: number): Error {
    return this.#isTrusted ? new CannotPull(`${shortened(failure)}, ${failures} times in a row`) : failure
  }

  async #once(url: string): Promise<Exchange> {
    const { fetch, signal, timeout } = this.#options
    const asked = {
      method: 'GET',
      headers: {
        accept: 'application/hal+json,application/problem+json',
        authorization: this.#authorization,
      },
      // A redirect would take the credentials along to where it leads.
      redirect: 'manual' as const,
    }
    const [response, text] = await withDeadline(timeout, signal, async limited => {
      const answer = await fetch(url, { ...asked, signal: limited })
      return [answer, await wholeText(answer, url)] as const
    })
    return exchangeOf(url, response.status, Object.fromEntries(response.headers), text, parsed(text))
  }

  #hold(seconds: number, why: string): void {
    if (seconds > longestWait)
      throw new CannotPull(
        `${why} and asks for ${Math.ceil(seconds)} s of patience; go on with --resume when they are over`,
      )
    this.#options.onWait?.(seconds, why)
    this.#pace.hold(seconds * 1000)
  }
}

type Tried =
  | { readonly exchange: Exchange }
  | { readonly failure: Error }
  | { readonly patience: number; readonly status: number }

const pathOf = (url: string): string => new URL(url).pathname
/** Without the advice for whoever gave a wrong address. */
const shortened = ({ message }: Error): string => message.replace(/; .*$/s, '')

const isUsable = (exchange: Exchange): boolean => isSuccess(exchange) && isObject(exchange.json)

const keptHeaders = { 'content-type': 'application/hal+json' }

const exchangeOf = (
  url: string,
  status: number,
  headers: Readonly<Record<string, string>>,
  text: string,
  json: unknown,
): Exchange => ({
  number: 0,
  method: 'GET',
  url,
  requestHeaders: {},
  requestBody: null,
  status,
  headers,
  text,
  json,
})
