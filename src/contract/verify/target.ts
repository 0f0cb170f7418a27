import { setTimeout as pause } from 'node:timers/promises'
import { parseRetryAfter } from '../../store/retry-after.ts'
import { CannotVerify, NoAnswer } from './cannot-verify.ts'
import { AnswerBodies, type Exchange, isSuccess } from './exchange.ts'
import { describeValue } from './unknown-json.ts'

/**
 * How many seconds an answer asks the client to wait: `Retry-After` in seconds or as a date, or the reset
 * time of a rate limit, in seconds from now or, in some APIs, since 1970. Undefined if it says nothing.
 * @param headers names in lower case
 */
export function retryAfterSeconds(headers: Readonly<Record<string, string>>): number | undefined {
  // A second is added to every wait, so the fraction that some limits have does not count.
  const reset = headers['x-ratelimit-reset']?.replace(/\.\d+\s*$/, '')
  const delay = parseRetryAfter(headers['retry-after'] ?? reset)
  if (delay === undefined) return undefined
  if ('seconds' in delay && delay.seconds < leastEpochSeconds) return delay.seconds
  if ('seconds' in delay && delay.seconds >= leastSenselessSeconds) return undefined
  const until = 'until' in delay ? delay.until : delay.seconds * 1_000
  // By the service's own clock, to which its dates refer.
  const seconds = (until - Date.parse(headers.date ?? '')) / 1_000
  return Number.isFinite(seconds) ? Math.max(0, seconds) : undefined
}

/** A larger number is a time since 1970, not a delay. */
const leastEpochSeconds = 1e9

/** A larger number is an error of the target: as a time since 1970 it is after the year 5000. */
const leastSenselessSeconds = 1e11

/** A wait in the headers that is ignored, since it is too long to be meant. @param headers names in lower case */
export const senselessWait = (headers: Readonly<Record<string, string>>): string | undefined =>
  ['retry-after', 'x-ratelimit-reset'].find(name => Number(headers[name]) >= leastSenselessSeconds)

export type Fetch = (url: string, init: RequestInit) => Promise<Response>

/** Where a service is, and how it is asked. */
export interface ServiceAccess {
  /** Address of the service, or of anything in it. */
  readonly url: string
  readonly user: string
  readonly password: string
  /** If `url` does not contain it; default `mailing-platform`. */
  readonly platformSegment?: string | undefined
  readonly fetch?: Fetch
  readonly wait?: (milliseconds: number, signal: AbortSignal) => Promise<void>
  readonly signal?: AbortSignal
}

export const waitMilliseconds = (milliseconds: number, signal: AbortSignal): Promise<void> =>
  pause(milliseconds, undefined, { signal })

export interface TargetOptions
  extends Required<Pick<ServiceAccess, 'user' | 'password' | 'fetch' | 'wait' | 'signal'>> {
  /** The base of all paths, without a slash at the end. */
  readonly base: string
  /** Milliseconds for each answer. */
  readonly timeout: number
  readonly onWait?: (seconds: number) => void
}

export interface AskOptions {
  readonly body?: string | undefined
  readonly headers?: Readonly<Record<string, string>>
  /** Whose credentials to send; the given ones by default. */
  readonly as?: 'nobody' | 'a stranger'
}

const maxAnswerBytes = 32 << 20
/** Maximum wait that a target may ask for, in seconds. */
const maxWaitSeconds = 120
const maxDeferrals = 10
/** Answers 429 with a wait that nobody can mean before giving up. */
const maxSenselessWaits = 3
/** Maximum wait before a read that was answered 5xx is sent again, in seconds. */
const maxFaultSeconds = 10
/** Requests to a service that seems to be down before giving up, and the pause between them in seconds. */
const maxLivenessTries = 3
const livenessPause = 2
const wrongPassword = 'mailing-sync-mock-verify-wrong-password'

/** The implementation to verify. It is reached over HTTP only, one request at a time. */
export class Target {
  readonly base: string
  readonly exchanges: Exchange[] = []
  /** Requests that were answered 429 and then sent again. */
  readonly limited: Exchange[] = []
  readonly #options: TargetOptions
  readonly #bodies = new AnswerBodies()
  #senselessWaits = 0
  /** An address that the service answered with success at the beginning. */
  #known: string | undefined

  constructor(options: TargetOptions) {
    this.base = options.base
    this.#options = options
  }

  /** Remembers a successful request; repeating it shows whether the service is still there. */
  expectLater({ url }: Exchange): void {
    this.#known = url
  }

  /**
   * Sends a request. After a 429 it is sent again when the limit allows; after a 5xx a read is sent again once, since a
   * fault that passes is no difference.
   * @param address a path behind the base, or a whole address from a link
   * @throws CannotVerify without an answer, or if the service is no longer there; the reason with which the
   * signal aborts
   */
  async ask(method: string, address: string, asking: AskOptions = {}): Promise<Exchange> {
    let exchange = await this.#askWithinLimit(method, this.resolve(address), asking)
    if (method === 'GET' && exchange.status >= 500) {
      await this.#waitSeconds(Math.min(retryAfterSeconds(exchange.headers) ?? 1, maxFaultSeconds))
      exchange = await this.#askWithinLimit(method, this.resolve(address), asking)
    }
    if (asking.as === undefined && mayBeDown(exchange)) await this.expectAlive(exchange)
    return exchange
  }

  /**
   * Checks that the service is still there: one that is down, or rejects the credentials now, does not count
   * as different.
   * @param after the answer that raised the doubt
   * @throws CannotVerify if it is not there, several times in a row
   */
  async expectAlive(after?: Exchange): Promise<void> {
    if (this.#known === undefined) return
    for (let pulses = 1; ; pulses++) {
      const exchange = await this.#askWithinLimit('GET', this.#known, {})
      if (isSuccess(exchange)) return
      const told = [...(after ? [after] : []), exchange]
        .map(({ url, status }) => `${new URL(url).pathname} ${status}`)
        .join(', ')
      if (pulses >= maxLivenessTries)
        throw new CannotVerify(
          `the service no longer answers as it did at the beginning: ${told}; verify again when it works`,
        )
      await this.#options.wait(livenessPause * 1000, this.#options.signal)
    }
  }

  /** The last of these writes, if it was answered 403 and nothing of its kind was accepted: a right is lacking. */
  forbiddenWrite(evidence: readonly Exchange[]): Exchange | undefined {
    const last = evidence.findLast(isWrite)
    const wasAccepted = (it: Exchange) => isSuccess(it) && last !== undefined && isSameKind(it, last)
    return last?.status === 403 && !this.exchanges.some(wasAccepted) ? last : undefined
  }

  /** @throws CannotVerify if nothing could be written for lack of a right */
  expectWritten(): void {
    const writes = this.exchanges.filter(isWrite)
    const forbidden = writes.find(({ status }) => status === 403)
    if (!forbidden || writes.some(isSuccess)) return
    throw new CannotVerify(
      `user "${this.#options.user}" may not write here: ${requestLine(forbidden)} was answered 403, and nothing was accepted; take a user with the right to write, or leave --allow-writes out`,
    )
  }

  async #askWithinLimit(method: string, url: string, asking: AskOptions): Promise<Exchange> {
    for (let deferrals = 1; ; deferrals++) {
      // The last answer says that the limit is reached, and until when. Without a time the next one may be let pass.
      const headers = this.exchanges.at(-1)?.headers ?? {}
      if (headers['x-ratelimit-remaining'] === '0' && retryAfterSeconds(headers) !== undefined)
        await this.#waitSeconds(waitSecondsOf(headers))
      const answered = await this.#request(method, url, asking)
      // Numbered where it is added: several requests may be answered at once.
      const exchange = Object.assign(answered, { number: this.exchanges.length + 1 })
      this.exchanges.push(exchange)
      if (exchange.status !== 429) return exchange
      this.limited.push(exchange)
      const senseless = senselessWait(exchange.headers)
      if (senseless && ++this.#senselessWaits >= maxSenselessWaits)
        throw new CannotVerify(
          `the target asked ${maxSenselessWaits} times for a wait that cannot be meant (${senseless}: ${describeValue(Number(exchange.headers[senseless]))}); verify again when it says how long to wait`,
        )
      if (deferrals >= maxDeferrals)
        throw new CannotVerify(
          `${new URL(url).pathname} was answered 429 ${deferrals} times in a row, however long it was waited`,
        )
      await this.#waitSeconds(waitSecondsOf(exchange.headers))
    }
  }

  get = (address: string, asking: AskOptions = {}): Promise<Exchange> => this.ask('GET', address, asking)

  resolve = (address: string): string => resolveAddress(this.base, address)

  #request(method: string, url: string, { body, headers = {}, as }: AskOptions) {
    const requestHeaders = {
      accept: acceptedTypes,
      ...(body !== undefined && { 'content-type': 'application/hal+json' }),
      ...headers,
    }
    const request = { method, url, requestHeaders, requestBody: body ?? null }
    const send = () => fetchExchange(this.#options, this.#bodies, request, this.#credentials(as))
    return send().catch(error => {
      // A reused connection may end just now. Requests that change something are never repeated.
      if (method === 'GET' && error instanceof NoAnswer && error.isConnectionLost) return send()
      throw error
    })
  }

  #credentials(as: AskOptions['as']): Record<string, string> {
    if (as === 'nobody') return {}
    const { user, password } = this.#options
    return basicCredentials(user, as === 'a stranger' ? wrongPassword : password)
  }

  async #waitSeconds(seconds: number): Promise<void> {
    const { wait, signal, onWait } = this.#options
    if (seconds > maxWaitSeconds)
      throw new CannotVerify(
        `the target takes no more requests for ${seconds} s; verify again when its limit allows some hundred requests`,
      )
    onWait?.(seconds)
    await wait(seconds * 1000, signal)
  }
}

/**
 * The address of a link. Credentials stay with the target: if a link has another host, its path is requested
 * from the target.
 * @param base without a slash at the end
 */
export function resolveAddress(base: string, address: string): string {
  const { origin, pathname } = new URL(base)
  if (address.startsWith('/')) {
    const isWhole = pathname !== '/' && address.startsWith(`${pathname}/`)
    return isWhole ? origin + address : base + address
  }
  const parsed = URL.canParse(address) ? new URL(address) : undefined
  if (!parsed) return `${base}/${address}`
  if (parsed.origin === origin) return address
  const at = parsed.pathname.search(/\/(?:integrations|mailings)(?:\/|$)/)
  // Without a slash the path (`x:.elsewhere`) would extend the host's name.
  const path = parsed.pathname.slice(Math.max(0, at)).replace(/^\/?/, '/')
  return base + path + parsed.search
}

/** Statuses of a whole service that is down, or behind an expired sign-in. */
const mayBeDown = ({ status }: Exchange): boolean =>
  status >= 500 || status === 401 || (status >= 300 && status < 400 && status !== 304)

const isWrite = ({ requestBody }: Exchange): boolean => requestBody !== null

export const requestLine = ({ method, url }: Exchange): string => `${method} ${new URL(url).pathname}`

/** Whether two requests are for the same operation: the paths to which one writes differ in their ends. */
const isSameKind = (one: Exchange, other: Exchange): boolean =>
  one.method === other.method && endOf(one) === endOf(other)

const endOf = ({ url }: Exchange) => new URL(url).pathname.split('/').at(-1)

const waitSecondsOf = (headers: Exchange['headers']): number =>
  Math.ceil(retryAfterSeconds(headers) ?? 60) + 1

export const acceptedTypes = 'application/hal+json,application/problem+json'

export const basicCredentials = (user: string, password: string): Record<string, string> => ({
  authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`,
})

/**
 * Sends a request and reads its whole answer before the deadline. A redirect is not followed: it would send the
 * credentials to another address.
 * @throws NoAnswer without a whole one; CannotVerify for a body that is too long; the reason with which the signal aborts
 */
export async function fetchExchange(
  { fetch, timeout, signal }: Pick<TargetOptions, 'fetch' | 'timeout' | 'signal'>,
  bodies: AnswerBodies,
  request: Pick<Exchange, 'method' | 'url' | 'requestHeaders' | 'requestBody'>,
  credentials: Readonly<Record<string, string>>,
): Promise<Omit<Exchange, 'number'>> {
  signal.throwIfAborted()
  const { method, url, requestHeaders, requestBody: body } = request
  const own = new AbortController()
  const leave = () => own.abort(signal.reason)
  signal.addEventListener('abort', leave)
  // Node may collect a signal of `AbortSignal.timeout` that only a combined signal refers to, and then it never fires.
  const timer = setTimeout(
    () => own.abort(new DOMException('no whole response in time', 'TimeoutError')),
    timeout,
  )
  try {
    const headers = { ...requestHeaders, ...credentials }
    const init = { method, headers, ...(body !== null && { body }) }
    const answer = await fetch(url, { ...init, redirect: 'manual', signal: own.signal })
    const kept = await bodies.read(piecesOf(answer, url))
    return Object.assign(kept, request, {
      status: answer.status,
      headers: Object.fromEntries(answer.headers),
    })
  } catch (error) {
    if (signal.aborted) throw signal.reason
    throw error instanceof CannotVerify ? error : new NoAnswer(error, url, timeout)
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', leave)
  }
}

/** The body of an answer. @throws CannotVerify if it is longer than any answer of the service */
async function* piecesOf(response: Response, url: string): AsyncIterable<Uint8Array> {
  let length = 0
  for await (const piece of response.body ?? []) {
    length += piece.length
    if (length > maxAnswerBytes)
      throw new CannotVerify(
        `the response to ${new URL(url).pathname} is longer than 32 MiB; this is no such service`,
      )
    yield piece
  }
}
