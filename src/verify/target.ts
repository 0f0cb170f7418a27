import { CannotVerify, noAnswer } from './cannot-verify.ts'
import { withDeadline } from './deadline.ts'
import { type Exchange, isSuccess } from './exchange.ts'
import { patienceOf } from './patience.ts'

export type Fetch = (url: string, init: RequestInit) => Promise<Response>

export interface TargetOptions {
  /** Without a slash at the end: what all paths come behind. */
  readonly base: string
  readonly user: string
  readonly password: string
  readonly fetch: Fetch
  /** Milliseconds for each answer. */
  readonly timeout: number
  readonly signal: AbortSignal
  /** Lets time pass, where the target asks for patience. */
  readonly wait: (milliseconds: number, signal: AbortSignal) => Promise<void>
  /** Hears of waits, so that nobody takes them for a hang. */
  readonly onWait?: (seconds: number) => void
}

export interface Asking {
  readonly body?: string | undefined
  readonly headers?: Readonly<Record<string, string>>
  /** Whose credentials: the given ones unless told. */
  readonly as?: 'nobody' | 'a stranger'
}

/** No answer that is looked at is longer than this. */
const longestAnswer = 64 << 20
/** A target that asks for more patience than this is not waited for. */
const longestWait = 120
/** So often in a row a request may be told to come later. */
const mostDeferrals = 10
/** A service that seems to be down is asked so often, with a pause of so many seconds, before it is given up. */
const mostPulses = 3
const pulsePause = 2
const wrongPassword = 'mailing-sync-mock-verify-wrong-password'

/** The implementation that is verified: it is asked over HTTP and nothing else is known of it. One request at a time. */
export class Target {
  readonly base: string
  /** Everything that was asked, in order. */
  readonly exchanges: Exchange[] = []
  /** Requests that were answered 429 and then asked again. */
  readonly limited: Exchange[] = []
  readonly #options: TargetOptions
  /** An address that the service answered with success when it was found to be one. */
  #known: string | undefined

  constructor(options: TargetOptions) {
    this.base = options.base
    this.#options = options
  }

  /** From now on the answer to such a request tells whether the service is still there. */
  know({ url }: Exchange): void {
    this.#known = url
  }

  /**
   * Asks once more where a limit of requests was met, after the time that it names.
   * @param address a path behind the base, or a whole address that a link gave
   * @throws CannotVerify without an answer, or when the service is no longer there; the reason with which the signal aborts
   */
  async ask(method: string, address: string, asking: Asking = {}): Promise<Exchange> {
    const exchange = await this.#inTime(method, this.resolve(address), asking)
    if (asking.as === undefined && mayBeDown(exchange)) await this.expectAlive(exchange)
    return exchange
  }

  /**
   * Asks for what was known to be there: a service that is down, or that lets nobody in any more, is not one that differs.
   * @param after what gave rise to doubts
   * @throws CannotVerify where it is not there, several times in a row
   */
  async expectAlive(after?: Exchange): Promise<void> {
    if (this.#known === undefined) return
    for (let pulses = 1; ; pulses++) {
      const exchange = await this.#inTime('GET', this.#known, {})
      if (isSuccess(exchange)) return
      const told = [...(after ? [after] : []), exchange]
        .map(({ url, status }) => `${new URL(url).pathname} ${status}`)
        .join(', ')
      if (pulses >= mostPulses)
        throw new CannotVerify(
          `the service no longer answers as it did at the beginning: ${told}; verify again when it works`,
        )
      await this.#options.wait(pulsePause * 1000, this.#options.signal)
    }
  }

  async #inTime(method: string, url: string, asking: Asking): Promise<Exchange> {
    for (let deferrals = 1; ; deferrals++) {
      await this.#pause()
      const exchange = await this.#answered(method, url, asking)
      this.exchanges.push(exchange)
      if (exchange.status !== 429) return exchange
      this.limited.push(exchange)
      if (deferrals >= mostDeferrals)
        throw new CannotVerify(
          `${new URL(url).pathname} was answered 429 ${deferrals} times in a row, however long it was waited`,
        )
      await this.#patience(secondsOf(exchange))
    }
  }

  get = (address: string, asking: Asking = {}): Promise<Exchange> => this.ask('GET', address, asking)

  resolve = (address: string): string => addressAt(this.base, address)

  async #answered(method: string, url: string, asking: Asking): Promise<Exchange> {
    try {
      return await this.#once(method, url, asking)
    } catch (error) {
      // A connection that was kept may end just when it is used again. What changes something is never repeated.
      if (method !== 'GET' || !isOfConnection(error)) throw this.#reason(error, url)
    }
    try {
      return await this.#once(method, url, asking)
    } catch (error) {
      throw this.#reason(error, url)
    }
  }

  #reason(error: unknown, url: string): unknown {
    const { signal, timeout } = this.#options
    if (signal.aborted) return signal.reason
    return error instanceof CannotVerify ? error : noAnswer(error, new URL(url), timeout)
  }

  async #once(method: string, url: string, { body, headers = {}, as }: Asking): Promise<Exchange> {
    const { fetch, signal, timeout } = this.#options
    const requestHeaders = {
      accept: 'application/hal+json,application/problem+json',
      ...(body !== undefined && { 'content-type': 'application/hal+json' }),
      ...headers,
    }
    const asked = {
      method,
      headers: { ...requestHeaders, ...this.#credentials(as) },
      ...(body !== undefined && { body }),
      redirect: 'manual' as const,
    }
    const [response, text] = await withDeadline(timeout, signal, async limited => {
      const answer = await fetch(url, { ...asked, signal: limited })
      return [answer, await wholeText(answer, url)] as const
    })
    return {
      number: this.exchanges.length + 1,
      method,
      url,
      requestHeaders,
      requestBody: body ?? null,
      status: response.status,
      headers: Object.fromEntries(response.headers),
      text,
      json: parsed(text),
    }
  }

  #credentials(as: Asking['as']): Record<string, string> {
    if (as === 'nobody') return {}
    const { user, password } = this.#options
    const pair = `${user}:${as === 'a stranger' ? wrongPassword : password}`
    return { authorization: `Basic ${Buffer.from(pair).toString('base64')}` }
  }

  /** Before a limit is met, where the answers tell how near it is. */
  async #pause(): Promise<void> {
    const last = this.exchanges.at(-1)
    if (last?.headers['x-ratelimit-remaining'] !== '0') return
    await this.#patience(secondsOf(last))
  }

  async #patience(seconds: number): Promise<void> {
    const { wait, signal, onWait } = this.#options
    if (seconds > longestWait)
      throw new CannotVerify(
        `the target takes no more requests for ${seconds} s; verify again when its limit allows some hundred requests`,
      )
    onWait?.(seconds)
    await wait(seconds * 1000, signal)
  }
}

/**
 * The address that a link means. Credentials stay with the target: where a link names another host than the one that
 * was given, its path is asked there.
 * @param base without a slash at the end
 */
export function addressAt(base: string, address: string): string {
  const { origin, pathname } = new URL(base)
  if (address.startsWith('/')) {
    const isWhole = pathname !== '/' && address.startsWith(`${pathname}/`)
    return isWhole ? origin + address : base + address
  }
  const parsed = URL.canParse(address) ? new URL(address) : undefined
  if (!parsed) return `${base}/${address}`
  if (parsed.origin === origin) return address
  const at = parsed.pathname.search(/\/(?:integrations|mailings)(?:\/|$)/)
  // A path without a slash (`x:.elsewhere`) would lengthen the host's name.
  const path = parsed.pathname.slice(Math.max(0, at)).replace(/^\/?/, '/')
  return base + path + parsed.search
}

/** What a whole service that is down would answer, or one behind a sign-in that has expired. */
const mayBeDown = ({ status }: Exchange): boolean =>
  status >= 500 || status === 401 || (status >= 300 && status < 400 && status !== 304)

function secondsOf({ headers }: Exchange): number {
  const told = patienceOf(headers)
  return told === undefined ? 60 : Math.ceil(told) + 1
}

const isOfConnection = (error: unknown): boolean => {
  const { cause } = error as { cause?: { code?: string } }
  return ['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'].includes(cause?.code ?? '')
}

/** The body of an answer. @throws CannotVerify where it is longer than any answer of the service */
export async function wholeText(response: Response, url: string): Promise<string> {
  const pieces: Uint8Array[] = []
  let length = 0
  for await (const piece of response.body ?? []) {
    length += piece.length
    if (length > longestAnswer)
      throw new CannotVerify(
        `the answer to ${new URL(url).pathname} is longer than 64 MiB; this is no such service`,
      )
    pieces.push(piece)
  }
  return Buffer.concat(pieces).toString()
}

/** What a body says, undefined where it is no JSON. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
