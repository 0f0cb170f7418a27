import {
  createServer,
  type IncomingMessage,
  type Server,
  type ServerOptions,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http'
import {
  type AddressInfo,
  createServer as createNetServer,
  type Server as NetServer,
  type Socket,
} from 'node:net'
import { getRequestListener, RequestError } from '@hono/node-server'
import { problemLinks } from '../control/endpoint.ts'
import { type SideMode, SidePort, startListening, type UnfitTls } from '../rig/side-ports.ts'
import { defaultDials } from '../service/dials.ts'
import { type Problem, problems } from '../service/problem.ts'
import { problemAnswer, problemResponse } from '../service/problem-answer.ts'
import type { Https } from '../tls/https.ts'
import { rawSocketOf } from '../tls/raw-socket.ts'
import { AccessLog } from './access-log.ts'
import { withoutBasePath } from './address.ts'
import { listenAddress } from './host-names.ts'
import type { Log } from './logger.ts'
import { readTarget } from './request-target.ts'
import { continueWhenRead, keepAliveTimeout, SocketTransport } from './socket-transport.ts'
import type { App } from './transport.ts'
import { CloseListeners, closeGently, resetSoon } from './wire.ts'

/** Relative, since such a request names no host. */
const relativeLinks = problemLinks('')

/** Writes an error response directly to a socket that has no request to answer, and closes it. */
export function sendRawErrorResponse(socket: Socket, problem: Problem): void {
  if (!socket.writable) {
    socket.destroy()
    return
  }
  socket.on('error', () => {})
  const { status, body, headers } = problemAnswer(problem, relativeLinks)
  const length = Buffer.byteLength(body)
  const head = Object.entries({ ...headers, 'Content-Length': length, Connection: 'close' })
  const lines = head.map(([name, value]) => `${name}: ${value}\r\n`).join('')
  closeGently(socket, `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines}\r\n${body}`)
}

/** The client cannot read an answer to it. */
const tlsToPlainPort =
  'it begins a TLS handshake, but this port speaks plain HTTP: use http:// instead of https://, or start the mock with --tls'

/** Maximum number of connections above the limit that get a 503 at the same time. Further ones are dropped. */
const refusedAtOnce = 200

/**
 * Limits the connections that are open at the same time, including those over side ports. A further connection is
 * answered 503 before it sends a request, since an idle connection takes a place, too. Over TLS it is only closed: an
 * answer would take a handshake.
 */
function limitConnections(
  limit: number,
  server: Server,
  isSecure: boolean,
  log: Log,
  accessLog: AccessLog | undefined,
) {
  const letIn = server.listeners('connection') as ((socket: Socket) => void)[]
  server.removeAllListeners('connection')
  const sentence = `${limit} connections are already open, and no more are allowed (--connection-limit)`
  const open = new Set<Socket>()
  let refused = 0
  let wasFull = false
  const admit = (socket: Socket): boolean => {
    const onClose = (tell: () => void) => CloseListeners.of(socket).add(tell)
    if (open.size < limit) {
      open.add(socket)
      onClose(() => open.delete(socket))
      return true
    }
    if (!wasFull) log.warn(sentence)
    wasFull = true
    const isDropped = refused >= refusedAtOnce || isSecure
    accessLog?.refusal(socket, sentence, isDropped ? undefined : 503)
    if (isDropped) socket.destroy()
    else {
      refused++
      onClose(() => refused--)
      sendRawErrorResponse(socket, problems.noRoom(sentence))
    }
    return false
  }
  server.on('connection', (socket: Socket) => {
    if (admit(socket)) for (const listener of letIn) listener.call(server, socket)
  })
  return {
    /** Counts a connection that the server does not receive itself, or refuses it. */
    admit,
    /** Closes all connections at once, also those that have not finished their handshake. */
    closeAll(): void {
      for (const socket of open) socket.destroy()
    },
  }
}

/** Limits on what a server accepts; times in milliseconds. */
export interface ServerLimits {
  readonly headerLimit: number
  readonly headerTimeout: number
  readonly requestTimeout: number
  readonly connectionLimit: number
}

export interface ListenOptions {
  readonly port: number
  /** `localhost` stands for both loopback addresses. */
  readonly host: string
  /** Paths that links begin with; what comes below them is answered as if a proxy had removed them. */
  readonly basePaths: readonly string[]
  readonly log: Log
  /** Whether the HTTP adapter may replace the global Request and Response, which is faster; false inside a test process. */
  readonly ownsProcess: boolean
  readonly limits: ServerLimits
  /** Serves over TLS with it, if `isSecure`; side ports use it for faults of TLS in any case. */
  readonly https?: Https | undefined
  readonly isSecure?: boolean
}

export interface ListeningServer {
  readonly port: number
  readonly url: string
  /** The certificate authority that clients have to trust, PEM; undefined if the mock has none here. */
  readonly ca: string | undefined
  /** Opens a side port, whose connections may be passed on to this server. */
  openSidePort(mode: SideMode): Promise<SidePort>
  /** Stops accepting, gives requests in progress a short time to finish, then cuts them. */
  close(): Promise<void>
}

/** Milliseconds that requests in progress may take to finish at a stop. */
const stopGrace = 500

/** Serves the app over HTTP. @throws an error with `code`, such as EADDRINUSE, when it cannot listen */
export async function listen(
  app: App,
  { port, host, basePaths, log, ownsProcess, limits, https: tls, isSecure = false }: ListenOptions,
): Promise<ListeningServer> {
  const https = isSecure ? tls : undefined
  const accessLog = log.logsRequests ? new AccessLog(log) : undefined
  const transport = new SocketTransport(app, ownsProcess, accessLog)
  const answer = getRequestListener(
    (request, env) => {
      const { incoming, outgoing } = env as { incoming: IncomingMessage; outgoing: ServerResponse }
      return transport.handle(request, incoming, outgoing)
    },
    { overrideGlobalObjects: ownsProcess, errorHandler: toProblemResponse },
  )
  const options: ServerOptions = {
    joinDuplicateHeaders: true,
    keepAliveTimeout: keepAliveTimeout,
    maxHeaderSize: limits.headerLimit,
    // Node requires a request timeout that is at least as long as that of the headers, which are a part of the request.
    headersTimeout: Math.min(limits.headerTimeout, limits.requestTimeout),
    requestTimeout: limits.requestTimeout,
    connectionsCheckingInterval: Math.min(1_000, limits.headerTimeout, limits.requestTimeout),
    // Such a request gets our own answer.
    requireHostHeader: false,
  }
  const onRequest = (incoming: IncomingMessage, outgoing: ServerResponse) => {
    accessLog?.open(incoming, outgoing)
    const wrong = readTarget(incoming)
    if (wrong !== undefined) return sendProblem(outgoing, problems.malformedTarget(wrong))
    if (basePaths.length > 0) incoming.url = withoutBasePath(incoming.url!, basePaths)
    void answer(incoming, outgoing)
  }
  /** Answers what is no request of the service, and closes its connection. */
  const refuse = (socket: Socket, problem: Problem, incoming?: IncomingMessage) => {
    if (socket.writable) accessLog?.refusal(socket, problem.detail, problem.status(defaultDials), incoming)
    sendRawErrorResponse(socket, problem)
  }
  const refusePlain = (socket: Socket) => refuse(rawSocketOf(socket), problems.needsTls())
  const server = https
    ? https.createServer(options, onRequest, refusePlain)
    : createServer(options, onRequest)
  // The size of headers is limited instead: above a count, Node would silently drop headers that may matter.
  server.maxHeadersCount = 0
  server.on('checkExpectation', (incoming: IncomingMessage, outgoing: ServerResponse) => {
    accessLog?.open(incoming, outgoing)
    sendProblem(outgoing, problems.unknownExpectation())
  })
  server.on('checkContinue', (incoming: IncomingMessage, outgoing: ServerResponse) => {
    continueWhenRead(incoming, outgoing)
    onRequest(incoming, outgoing)
  })
  server.on('connect', (incoming: IncomingMessage, socket: Socket) =>
    transport.endAfterPending(socket, () => refuse(socket, problems.noTunnel(), incoming)),
  )
  if (accessLog && https)
    server.on('tlsClientError', ({ code }: NodeJS.ErrnoException, socket: Socket) => {
      const connection = rawSocketOf(socket)
      // A client that does not speak TLS has been answered.
      if (!connection.writableEnded) accessLog.refusal(connection, `no TLS handshake: ${code}`, undefined)
    })
  let wasAskedForTls = false
  server.on('clientError', (error: ParseError, socket: Socket) => {
    if (beginsTls(error) && !wasAskedForTls) {
      wasAskedForTls = true
      log.warn(`a request is not HTTP: ${tlsToPlainPort}`)
    }
    transport.endAfterPending(socket, () => refuse(socket, explainParseError(error, limits)))
  })
  // What Node does with a connection that HTTP can be read from.
  const [receive] = server.listeners(https ? 'secureConnection' : 'connection') as [(socket: Socket) => void]
  const connections = limitConnections(limits.connectionLimit, server, https !== undefined, log, accessLog)
  const address = listenAddress(host)
  await startListening(server, address, port)
  // For example no free file descriptors: existing connections go on.
  server.on('error', error => log.error('the listening socket reports an error', error))
  const actualPort = (server.address() as AddressInfo).port
  const twin = host === address ? undefined : await listenOnIpv6(server, actualPort, log)
  return {
    port: actualPort,
    ca: https?.ca,
    url: `http${https ? 's' : ''}://${displayHost(host)}:${actualPort}`,
    openSidePort: mode =>
      SidePort.open({
        host: address,
        mode,
        service: server,
        admit: connections.admit,
        refusePlain,
        openTlsFault: async fault => {
          if (!tls)
            throw new Error(`${fault} needs a mock that serves HTTPS: start it with --tls or --tls-port`)
          return tls.openFault(fault.slice('tls-'.length), limits.headerTimeout, socket => {
            if (fault === 'tls-cut-after-handshake') return resetSoon(socket)
            transport.noteUnfitTls(socket, fault as UnfitTls)
            receive.call(server, socket)
          })
        },
        timeouts: { firstByte: limits.headerTimeout, rest: limits.requestTimeout + keepAliveTimeout },
        report: error => log.error('a side port reports an error', error),
      }),
    close: () =>
      new Promise(resolve => {
        const cut = setTimeout(connections.closeAll, stopGrace)
        twin?.close()
        server.close(() => {
          clearTimeout(cut)
          resolve()
        })
        server.closeIdleConnections()
        transport.stop()
      }),
  }
}

/**
 * Receives connections to the other loopback address, too: many programs try it first when they are to connect to localhost.
 * @returns undefined where this machine has none, or another program has the port
 */
async function listenOnIpv6(server: Server, port: number, log: Log): Promise<NetServer | undefined> {
  try {
    const twin = await startListening(createNetServer({ allowHalfOpen: true, noDelay: true }), '::1', port)
    return twin
      .on('connection', socket => server.emit('connection', socket))
      .on('error', error => log.error('the listening socket reports an error', error))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE')
      log.warn(
        `[::1]:${port} is in use by another program, which clients of localhost may reach instead: let them use http://127.0.0.1:${port}`,
      )
    return undefined
  }
}

/** The host as a person on this machine would type it. */
function displayHost(host: string): string {
  if (['127.0.0.1', '0.0.0.0', '::', 'localhost'].includes(host)) return 'localhost'
  return host.includes(':') ? `[${host}]` : host
}

function toProblemResponse(error: unknown): Response {
  const isTheirs = error instanceof RequestError
  return problemResponse(
    isTheirs
      ? problems.malformedTarget(error.message)
      : problems.notProcessed('The request could not be processed'),
    relativeLinks,
  )
}

/** What Node says of bytes that it cannot read as a request. */
interface ParseError extends NodeJS.ErrnoException {
  readonly reason?: string
  readonly rawPacket?: Buffer
}

/** Whether the bytes are a handshake record of TLS. */
const beginsTls = ({ rawPacket }: ParseError) => rawPacket?.[0] === 0x16 && rawPacket[1] === 0x03

function explainParseError(
  error: ParseError,
  { headerLimit, headerTimeout, requestTimeout }: ServerLimits,
): Problem {
  const { code, reason } = error
  if (code === 'HPE_HEADER_OVERFLOW') return problems.headersTooLarge(headerLimit)
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return problems.requestTooSlow(
      `The headers must come within ${headerTimeout} ms and the whole request within ${requestTimeout} ms`,
    )
  return problems.malformedRequest(beginsTls(error) ? tlsToPlainPort : (reason ?? code ?? 'unreadable'))
}

function sendProblem(outgoing: ServerResponse, problem: Problem): void {
  const { status, headers, body } = problemAnswer(problem, relativeLinks)
  outgoing
    .writeHead(status, { ...headers, 'Content-Length': Buffer.byteLength(body), Connection: 'close' })
    .end(body)
}
