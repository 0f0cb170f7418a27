import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import { realClock } from '../rig/clock.ts'
import { bodyEndedEarly, readRequestBytes, refuseAnnounced } from '../rig/request-body.ts'
import type { UnfitTls } from '../rig/side-ports.ts'
import { type Problem, problems } from '../service/problem.ts'
import { type Answer, toResponse } from '../service/response.ts'
import { type MemoryBudget, textFactor } from '../store/memory-budget.ts'
import { atOnce, Turns } from '../store/turns.ts'
import type { AccessLog, LogEntry } from './access-log.ts'
import type { App, AppResponse, ReceivedRequest } from './transport.ts'
import { applyFault, CloseListeners, closeGently, deliveryOf, discardInput, SocketWire } from './wire.ts'

class ConnectionState {
  readonly number: number
  readonly remotePort: number | undefined
  requests = 0
  /** Requests whose answer has not left. */
  #unanswered = 0
  /** Why its client should have refused it; undefined if it has no such reason. */
  unfitTls: UnfitTls | undefined
  /** The response to the latest request. */
  lastResponse: ServerResponse | undefined
  /** Records that the client has not read the latest answer. */
  noteUnread: (() => void) | undefined
  #bytesTaken = 0

  /**
   * A client's system resets a connection that is closed with bytes unread, or to which bytes come after that. So a
   * reset after the last byte of an answer shows that the client has not read all of it.
   */
  constructor(number: number, socket: Socket) {
    this.number = number
    this.remotePort = socket.remotePort
    socket.once('close', () => {
      if ((socket.errored as NodeJS.ErrnoException | null)?.code === 'ECONNRESET') this.noteUnread?.()
    })
  }

  /**
   * Counts a request that has come. A client that sends many without waiting for answers is not read any further for now.
   * @returns whether it came behind others that have no answer yet
   */
  begin({ socket }: IncomingMessage): boolean {
    this.requests++
    this.noteUnread = undefined
    if (this.#unanswered++ === 0) return false
    if (this.#unanswered >= maxPipelined) socket.pause()
    return true
  }

  /** Reads on where that waited for answers. */
  noteAnswered(socket: Socket): void {
    if (this.#unanswered-- === maxPipelined) socket.resume()
  }

  /** Releases a response that has left, unless part of its request has still to arrive. */
  releaseResponse(outgoing: ServerResponse): void {
    if (this.lastResponse === outgoing && outgoing.req.complete) this.lastResponse = undefined
  }

  /** Bytes written since the last call: those of one answer, since answers leave one after another. */
  takeBytesWritten({ bytesWritten }: Socket): number {
    const bytes = bytesWritten - this.#bytesTaken
    this.#bytesTaken = bytesWritten
    return bytes
  }
}

/** Maximum number of unanswered requests of one connection, except for those that have come with the last bytes that were read. */
const maxPipelined = 100

const connectionState = Symbol('connectionState')
type SocketWithState = Socket & { [connectionState]?: ConnectionState }

/**
 * Connects the sockets to the app: tells the app the connection of each request, applies faults to it, and records what
 * was actually sent.
 */
export class SocketTransport {
  readonly #app: App
  readonly #isAdapterFast: boolean
  readonly #accessLog: AccessLog | undefined
  readonly #wires = new Set<SocketWire>()
  readonly #largeBodies = new Turns()
  readonly #pipelined = new Turns(atOnce)
  #connections = 0
  #isStopping = false

  /** @param isAdapterFast whether it replaces the global Response */
  constructor(app: App, isAdapterFast: boolean, accessLog?: AccessLog) {
    this.#app = app
    this.#isAdapterFast = isAdapterFast
    this.#accessLog = accessLog
  }

  /** The answer for Node's adapter. A wire fault sends its answer itself. */
  handle(
    request: Request,
    incoming: IncomingMessage,
    outgoing: ServerResponse,
  ): Response | Promise<Response> {
    const connection = this.#stateOf(incoming.socket)
    const isPipelined = connection.begin(incoming)
    connection.lastResponse = outgoing
    const entry = this.#accessLog?.claim(outgoing)
    const received = new SocketRequest(connection, incoming, outgoing, this.#largeBodies, entry)
    // Hundreds of pipelined requests come with one read of a socket.
    const out = isPipelined
      ? this.#pipelined.next().then(() => this.#app(request, received))
      : this.#app(request, received)
    const deliver = (response: AppResponse) => {
      const put = () => this.#deliver(response, connection, incoming, outgoing, entry)
      if ('answer' in response && response.pendingFault) return put()
      return isBodyMissing(incoming) ? endBody(incoming, outgoing).then(put) : put()
    }
    if (!(out instanceof Promise)) return deliver(out)
    if (entry) this.#logDeparture(entry, incoming.socket, outgoing, out)
    return out.then(deliver)
  }

  /** Writes the line of a request whose client leaves before there is an answer. */
  #logDeparture(entry: LogEntry, socket: Socket, outgoing: ServerResponse, answer: Promise<unknown>): void {
    let isAnswered = false
    void answer.finally(() => {
      isAnswered = true
    })
    onExchangeEnd(socket, outgoing, () => {
      if (!isAnswered) entry.close({ status: undefined, delivered: this.#unfinished, bytesSent: 0 })
    })
  }

  /** How an exchange ended whose response did not leave whole. */
  get #unfinished(): 'server-stopped' | 'aborted' {
    return this.#isStopping ? 'server-stopped' : 'aborted'
  }

  /**
   * Ends a connection after a parse error. Pending answers to earlier, pipelined requests go first; otherwise the client
   * would take our 400 for one of them.
   * @param say sends the error; not called when the request concerned has its answer already
   */
  endAfterPending(socket: SocketWithState, say: () => void): void {
    const last = socket[connectionState]?.lastResponse
    const isWaiting = last?.req.complete === true && !last.writableFinished
    // The rest of this request did not arrive in time; it may already be answered.
    const isAnswered = last?.req.complete === false && (last.socket !== socket || last.headersSent)
    if (isWaiting) {
      discardInput(socket)
      // After the bytes of that answer are counted.
      last.on('close', () => queueMicrotask(say))
    } else if (isAnswered) socket.destroy()
    else say()
  }

  /** Ends answers that would not end by themselves, such as those of hanging requests. */
  stop(): void {
    this.#isStopping = true
    for (const wire of this.#wires) wire.stop()
  }

  /** Notes what is unfit about the TLS of a connection, for the records of its requests. */
  noteUnfitTls(socket: Socket, unfit: UnfitTls): void {
    this.#stateOf(socket).unfitTls = unfit
  }

  /** What is known of a connection. */
  #stateOf(socket: SocketWithState): ConnectionState {
    socket[connectionState] ??= new ConnectionState(++this.#connections, socket)
    return socket[connectionState]
  }

  #deliver(
    out: AppResponse,
    connection: ConnectionState,
    incoming: IncomingMessage,
    outgoing: ServerResponse,
    entry: LogEntry | undefined,
  ): Response {
    const { socket } = incoming
    if (this.#isStopping) outgoing.shouldKeepAlive = false
    if (!('answer' in out)) {
      onExchangeEnd(socket, outgoing, hadItsTurn => {
        const bytesSent = hadItsTurn ? connection.takeBytesWritten(socket) : 0
        const delivered = outgoing.writableFinished ? 'handed' : this.#unfinished
        entry?.close({ status: out.status, delivered, bytesSent })
        connection.releaseResponse(outgoing)
        connection.noteAnswered(socket)
      })
      return out
    }
    const { status } = out.answer
    if (connection.lastResponse === outgoing) connection.noteUnread = out.unreadNote?.()
    if (out.pendingFault) {
      const wire = new SocketWire(socket, outgoing)
      this.#wires.add(wire)
      void applyFault(out, out.pendingFault, wire).finally(() => {
        this.#wires.delete(wire)
        const { bytesWritten: bytesSent, isReset } = wire
        entry?.close({ status, delivered: deliveryOf(wire), bytesSent, isReset })
      })
      return RESPONSE_ALREADY_SENT
    }
    onExchangeEnd(socket, outgoing, hadItsTurn => {
      const bytesSent = hadItsTurn ? connection.takeBytesWritten(socket) : 0
      const delivered = outgoing.writableFinished ? 'handed' : this.#unfinished
      entry?.close({ status, delivered, bytesSent })
      out.close(delivered, bytesSent)
      connection.releaseResponse(outgoing)
      connection.noteAnswered(socket)
    })
    const answer = incoming.method === 'HEAD' ? withNodeHeaders(out.answer, outgoing) : out.answer
    if (this.#isAdapterFast) return toResponse(answer)
    writeAnswer(answer, outgoing)
    return RESPONSE_ALREADY_SENT
  }
}

/** Writes the same bytes as the adapter does where it is fast. Elsewhere a global Response with a stream takes twice as long. */
function writeAnswer({ status, headers, body }: Answer, outgoing: ServerResponse): void {
  if (body.length === 0) {
    outgoing.writeHead(status, headers).end()
    return
  }
  outgoing.statusCode = status
  for (const [name, value] of Object.entries(headers)) outgoing.setHeader(name, value)
  // With HTTP/1.0 Node adds none.
  if (!outgoing.useChunkedEncodingByDefault) outgoing.setHeader('Content-Length', Buffer.byteLength(body))
  outgoing.end(body)
}

/** Milliseconds. Longer than usual clients and load balancers keep idle connections, so that no request meets a close. */
export const keepAliveTimeout = 75_000

/** The answer to HEAD with the headers that Node adds to GET, in that order: it would write a given length before its own. */
function withNodeHeaders(answer: Answer, outgoing: ServerResponse): Answer {
  const { shouldKeepAlive, useChunkedEncodingByDefault } = outgoing
  const { 'Content-Length': length, ...others } = answer.headers
  if (length === undefined || !useChunkedEncodingByDefault) return answer
  const keepAlive = { Connection: 'keep-alive', 'Keep-Alive': `timeout=${keepAliveTimeout / 1000}` }
  const ofNode = {
    Date: others.Date ?? new Date(realClock.now()).toUTCString(),
    ...(shouldKeepAlive ? keepAlive : { Connection: 'close' }),
    'Content-Length': length,
  }
  return { ...answer, headers: { ...others, ...ofNode } }
}

/**
 * In bytes. Checking a body takes up to 20 ms for 1 MiB, and up to 5 ms for 12 KiB with 4,000 mistakes: each has a turn of its
 * own.
 */
const largeBody = 4 << 10

const bodyIsHeld = Symbol('bodyIsHeld')

/** A request; its client may send the body only when it is asked for it, and not have been asked yet. */
type Incoming = IncomingMessage & { [bodyIsHeld]?: boolean }

/** Asks for the body (`100 Continue`) only when it is read, so that a refusal that needs no body is final before that. */
export function continueWhenRead(incoming: Incoming, outgoing: ServerResponse): void {
  const read = incoming._read
  incoming[bodyIsHeld] = true
  incoming._read = size => {
    incoming._read = read
    incoming[bodyIsHeld] = false
    // Node reads on after the answer, too.
    if (!outgoing.headersSent && !outgoing.closed) outgoing.writeContinue()
    read.call(incoming, size)
  }
}

/** Whether a part of the body has still to come. */
const isBodyMissing = ({ complete, headers }: IncomingMessage): boolean =>
  !complete && (headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0)

/**
 * How long an answer waits for the rest of a body that it does not need, in milliseconds, and for how many bytes of it. Most clients
 * send it right after the head.
 */
const bodyGrace = { time: 250, bytes: 16 * 1024 * 1024 }

/**
 * Before an answer that does not need the body: the rest of it is discarded. If it does not come at once, or the client waits
 * to be asked for it, the answer says that the connection is closed, since what follows could not be told from the body.
 */
async function endBody(incoming: Incoming, outgoing: ServerResponse): Promise<void> {
  if (!incoming[bodyIsHeld])
    await new Promise<void>(resolve => {
      const late = setTimeout(resolve, bodyGrace.time)
      const end = () => {
        clearTimeout(late)
        resolve()
      }
      let left = bodyGrace.bytes
      const count = ({ length }: Buffer) => {
        left -= length
        if (left < 0) end()
      }
      incoming.once('end', end).once('close', end).on('data', count)
    })
  if (incoming.complete) return
  outgoing.shouldKeepAlive = false
  // Node would reset the connection if more of the body came, and the client would lose the answer.
  incoming.socket.destroySoon = () => closeGently(incoming.socket)
}

/** A request as it comes over a socket. */
export class SocketRequest implements ReceivedRequest {
  readonly incoming: Incoming
  readonly connection: number
  readonly position: number
  readonly remotePort: number | undefined
  readonly unfitTls: UnfitTls | undefined
  readonly #outgoing: ServerResponse
  readonly #largeBodies: Turns
  readonly #entry: LogEntry | undefined

  constructor(
    connection: ConnectionState,
    incoming: IncomingMessage,
    outgoing: ServerResponse,
    largeBodies: Turns,
    entry?: LogEntry,
  ) {
    this.incoming = incoming
    this.connection = connection.number
    this.position = connection.requests
    this.remotePort = connection.remotePort
    this.unfitTls = connection.unfitTls
    this.#outgoing = outgoing
    this.#largeBodies = largeBodies
    this.#entry = entry
  }

  nameRecord(id: string, space: string | undefined): void {
    this.#entry?.nameRecord(id, space)
  }

  get awaitsContinue(): boolean {
    return this.incoming[bodyIsHeld] === true
  }

  get clientLeft(): Promise<void> {
    return new Promise(resolve => onExchangeEnd(this.incoming.socket, this.#outgoing, () => resolve()))
  }

  /**
   * Reads the body in the pieces that the parser provides, since `Request` copies each. If the body has already arrived,
   * or the client has left, the `Request` is used, which knows what remains.
   */
  readBody(request: Request, longest: number, memory: MemoryBudget): Promise<Buffer> {
    const { incoming } = this
    const inTurn = (body: Buffer, release = () => {}) => {
      if (body.length > largeBody)
        return this.#largeBodies.next().then(() => {
          release()
          return body
        })
      release()
      return body
    }
    if (incoming.complete || incoming.destroyed)
      return readRequestBytes(request, longest).then(body => inTurn(body))
    return new Promise<Buffer>((resolve, reject) => {
      refuseAnnounced(incoming.headers['content-length'], longest)
      let pieces: Buffer[] = []
      let length = 0
      let isRefused = false
      const release = () => {
        memory.add('requests', -textFactor * length)
        length = 0
      }
      const refuse = (problem: Problem) => {
        isRefused = true
        pieces = []
        release()
        reject(problem)
      }
      incoming.on('data', (piece: Buffer) => {
        if (isRefused) return
        if (length + piece.length > longest) return refuse(problems.bodyTooLarge(longest))
        // What will be made of it: all of that is there as long as the request waits.
        const bytes = textFactor * piece.length
        if (!memory.hasRoom(bytes)) return refuse(problems.noRoom(memory.fullSentence))
        memory.add('requests', bytes)
        length += piece.length
        pieces.push(piece)
      })
      incoming.on('end', () => {
        if (isRefused) return
        const body = pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces)
        pieces = []
        resolve(inTurn(body, release))
      })
      incoming.on('error', () => refuse(bodyEndedEarly()))
      incoming.on('close', () => {
        if (!incoming.readableEnded) refuse(bodyEndedEarly())
      })
    })
  }
}

/**
 * Calls `tell` once when an exchange is over: its answer has left, or never will. Under pipelining a response gets its
 * socket only after the earlier answers, and Node never emits `close` for one whose connection is gone by then.
 */
function onExchangeEnd(socket: Socket, outgoing: ServerResponse, tell: (hadItsTurn: boolean) => void): void {
  if (outgoing.closed) {
    tell(true)
    return
  }
  // `close` comes only once, so `once` would only add a wrapper.
  outgoing.on('close', () => tell(true))
  if (outgoing.socket || outgoing.writableFinished) return
  if (socket.closed) {
    tell(false)
    return
  }
  outgoing.once(
    'socket',
    CloseListeners.of(socket).add(() => tell(false)),
  )
}
