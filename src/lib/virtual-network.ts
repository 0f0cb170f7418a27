import type { CasePort, RedirectTarget } from '../judge/exam/case-host.ts'
import type { SideMode } from '../rig/side-ports.ts'

type Serve = (request: Request) => Promise<Response>

const failure = (code: string) =>
  new TypeError('fetch failed', { cause: Object.assign(new Error(code), { code }) })

/** What clients in virtual time reach: the mock, ports of it at which connections fail, and another host. No socket is used. */
export class VirtualNetwork {
  /** Base URL of the mock. */
  readonly address = 'http://localhost'
  readonly #mock: Serve
  readonly #others = new Map<string, Serve>()
  #ports = 0

  /** @param mock answers requests to the address */
  constructor(mock: Serve) {
    this.#mock = mock
  }

  /** @throws TypeError as `fetch` does */
  readonly fetch = async (request: Request): Promise<Response> => {
    const { origin } = new URL(request.url)
    if (origin === this.address) return await this.#mock(request)
    const serve = this.#others.get(origin)
    if (serve) return await serve(request)
    throw new TypeError('fetch failed', {
      cause: new Error(`there is only ${this.address} here, not ${request.url}`),
    })
  }

  #open(serve: Serve) {
    const port = ++this.#ports
    const origin = `${this.address}:${port}`
    this.#others.set(origin, serve)
    return { port, close: async () => void this.#others.delete(origin) }
  }

  readonly openSidePort = async (first: SideMode): Promise<CasePort> => {
    let mode = first
    const counts = new Map<SideMode, number>()
    const { port, close } = this.#open(async request => {
      const now = mode
      if (now === 'refuse') throw failure('ECONNREFUSED')
      counts.set(now, (counts.get(now) ?? 0) + 1)
      side.onConnection?.(now)
      if (now === 'pass') return await this.#mock(new Request(request.url.replace(/:\d+/, ''), request))
      if (now !== 'silent') throw failure('ECONNRESET')
      side.waiting++
      return await new Promise((_, reject) => {
        const leave = () => {
          side.waiting--
          reject(request.signal.reason)
        }
        if (request.signal.aborted) leave()
        else request.signal.addEventListener('abort', leave, { once: true })
      })
    })
    const side = {
      port,
      close,
      waiting: 0,
      connectionCounts: counts,
      onConnection: undefined as ((mode: SideMode) => void) | undefined,
      switch: async (next: SideMode) => {
        mode = next
      },
    }
    return side
  }

  readonly openRedirectTarget = async (): Promise<RedirectTarget> => {
    const target = { wasShownCredentials: false }
    const { port, close } = this.#open(async ({ headers }) => {
      target.wasShownCredentials ||= headers.has('authorization')
      return new Response('This is not the mailing synchronization service.\n', { status: 503 })
    })
    return Object.assign(target, { host: `localhost:${port}`, close })
  }
}
