import { CannotVerify, noAnswer } from './cannot-verify.ts'
import { withDeadline } from './deadline.ts'
import type { Exchange } from './exchange.ts'

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
const wrongPassword = 'mailing-sync-mock-verify-wrong-password'

/** The implementation that is verified: it is asked over HTTP and nothing else is known of it. One request at a time. */
export class Target {
  readonly base: string
  /** Everything that was asked, in order. */
  readonly exchanges: Exchange[] = []
  /** Requests that were answered 429 and then asked again. */
  readonly limited: Exchange[] = []
  readonly #options: TargetOptions

  constructor(options: TargetOptions) {
    this.base = options.base
    this.#options = options
  }

  /**
   * Asks once more where a limit of requests was met, after the time that it names.
   * @param address a path behind the base, or a whole address that a link gave
   * @throws CannotVerify without an answer; the reason with which the signal aborts
   */
  async ask(method: string, address: string, asking: Asking = {}): Promise<Exchange> {
    const url = this.resolve(address)
    for (;;) {
      await this.#pause()
      const exchange = await this.#answered(method, url, asking)
      this.exchanges.push(exchange)
      if (exchange.status !== 429) return exchange
      this.limited.push(exchange)
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

function secondsOf({ headers }: Exchange): number {
  const told = Number(headers['retry-after'] ?? headers['x-ratelimit-reset'])
  return Number.isFinite(told) && told >= 0 ? Math.ceil(told) + 1 : 60
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
