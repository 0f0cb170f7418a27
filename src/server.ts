import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { getRequestListener, RequestError } from '@hono/node-server'
import { admitAtMost } from './admission.ts'
import type { App } from './app.ts'
import { Edge } from './edge.ts'
import { sayLast } from './last-words.ts'
import { type Limits, usualLimits } from './limits.ts'
import type { Log } from './log.ts'
import { redactedTarget } from './rig/redaction.ts'
import { type SideMode, SidePort } from './rig/side-port.ts'
import { type Problem, problemResponse, problems, problemText } from './service/problem.ts'

export interface ListenOptions {
  readonly port: number
  readonly host: string
  readonly log: Log
  /** The HTTP adapter is faster with its own Request and Response in place of the global ones; a guest keeps off. */
  readonly ownsProcess: boolean
  /** The usual ones unless told. */
  readonly limits?: Limits
}

export interface Listening {
  readonly port: number
  readonly url: string
  /** Opens a port beside this one, whose connections may be led here. */
  openSidePort(mode: SideMode): Promise<SidePort>
  /** Stops accepting, lets what is under way end for a moment, then cuts it. */
  close(): Promise<void>
}

/** Idle connections stay open longer than any usual client or balancer keeps them, so that no request meets a close. */
const keepAlive = 75_000
/** How long requests under way may take to end at a stop. */
const grace = 500

/** The socket edge. @throws an error with `code`, such as EADDRINUSE, when it cannot listen */
export async function listen(
  app: App,
  { port, host, log, ownsProcess, limits = usualLimits }: ListenOptions,
): Promise<Listening> {
  const edge = new Edge(app)
  const answer = getRequestListener(
    (request, env) => {
      const { incoming, outgoing } = env as { incoming: IncomingMessage; outgoing: ServerResponse }
      return edge.answer(request, incoming, outgoing)
    },
    { overrideGlobalObjects: ownsProcess, errorHandler: edgeProblem },
  )
  const server = createServer(
    {
      joinDuplicateHeaders: true,
      keepAliveTimeout: keepAlive,
      maxHeaderSize: limits.headerLimit,
      headersTimeout: limits.headerTimeout,
      // Node takes the longer one for both where headers may take longer than the whole.
      requestTimeout: Math.max(limits.requestTimeout, limits.headerTimeout),
      connectionsCheckingInterval: Math.min(1_000, limits.headerTimeout, limits.requestTimeout),
      // Told as any other request that names no place that it is for.
      requireHostHeader: false,
    },
    (incoming, outgoing) => {
      if (log.tellsRequests) tell(log, incoming, outgoing)
      const wrong = wrongTarget(incoming.url)
      if (wrong !== undefined) return refuse(outgoing, problems.malformedTarget(wrong))
      void answer(incoming, outgoing)
    },
  )
  // Their bytes are limited. A count beyond which Node leaves headers out could leave out one that decides.
  server.maxHeadersCount = 0
  server.on('checkExpectation', (_: IncomingMessage, outgoing: ServerResponse) =>
    refuse(outgoing, problems.unknownExpectation()),
  )
  server.on('clientError', (error: NodeJS.ErrnoException & { reason?: string }, socket: Socket) => {
    edge.breakOff(socket, () => sayLast(socket, unreadable(error, limits)))
  })
  admitAtMost(limits.connectionLimit, server, log)
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      server.off('error', reject)
      resolve()
    })
  })
  // Out of file descriptors, say: the ones that are connected go on.
  server.on('error', error => log.error('the listening socket reports an error', error))
  const bound = (server.address() as AddressInfo).port
  return {
    port: bound,
    url: `http://${shownHost(host)}:${bound}`,
    openSidePort: mode =>
      SidePort.open({
        host,
        mode,
        service: server,
        report: error => log.error('a side port reports an error', error),
      }),
    close: () =>
      new Promise(resolve => {
        const cut = setTimeout(() => server.closeAllConnections(), grace)
        server.close(() => {
          clearTimeout(cut)
          resolve()
        })
        server.closeIdleConnections()
        edge.stop()
      }),
  }
}

/** What a person on this machine would type for the host that it listens on. */
function shownHost(host: string): string {
  if (['127.0.0.1', '0.0.0.0', '::', '::1', 'localhost'].includes(host)) return 'localhost'
  return host.includes(':') ? `[${host}]` : host
}

const noBase = { problem: (name: string) => `/_mock/problems/${name}` }

function edgeProblem(error: unknown): Response {
  const isTheirs = error instanceof RequestError
  return problemResponse(
    isTheirs
      ? problems.malformedTarget(error.message)
      : problems.notProcessed('The request could not be processed'),
    noBase,
  )
}

/** Why what came could not be read as a request. */
function unreadable(
  { code, reason }: NodeJS.ErrnoException & { reason?: string },
  { headerLimit, headerTimeout, requestTimeout }: Limits,
): Problem {
  if (code === 'HPE_HEADER_OVERFLOW') return problems.headersTooLarge(headerLimit)
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return problems.requestTooSlow(
      `The headers must come within ${headerTimeout} ms and the whole request within ${requestTimeout} ms`,
    )
  return problems.malformedRequest(reason ?? code ?? 'unreadable')
}

/** The target as it stands in the request line; what is wrong with it, if anything is. */
function wrongTarget(target: string | undefined): string | undefined {
  // A target with a host of its own would get past the check of the Host header.
  if (target?.[0] !== '/') return 'The request target is not a path'
  // Whoever reads an address leaves out what follows, and would see another path than whoever compares texts.
  return target.includes('#') ? 'The request target has a fragment (#)' : undefined
}

function refuse(outgoing: ServerResponse, problem: Problem): void {
  const { status, headers, body } = problemText(problem, noBase)
  outgoing
    .writeHead(status, { ...headers, 'Content-Length': Buffer.byteLength(body), Connection: 'close' })
    .end(body)
}

function tell(log: Log, incoming: IncomingMessage, outgoing: ServerResponse): void {
  outgoing.once('close', () =>
    log.info('answered', {
      method: incoming.method,
      path: redactedTarget(incoming.url ?? ''),
      status: outgoing.statusCode,
    }),
  )
}
