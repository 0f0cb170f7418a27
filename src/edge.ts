import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import type { App, Outgoing } from './app.ts'
import type { Arrival } from './rig/arrival.ts'
import { Connection, leaveUnread } from './rig/connection.ts'
import type { Delivered } from './rig/journal.ts'
import { strike } from './rig/strike.ts'
import { socketWire, type WatchedWire } from './rig/wire.ts'
import { andThen } from './service/and-then.ts'

/** One connection over all its requests. */
class Line {
  readonly number: number
  requests = 0
  /** The answer to the last request that came. */
  last: ServerResponse | undefined
  #accounted = 0

  constructor(number: number) {
    this.number = number
  }

  /** An answer is out: of a connection that rests, nothing is kept, unless part of its request is still to come. */
  over(outgoing: ServerResponse): void {
    if (this.last === outgoing && outgoing.req.complete) this.last = undefined
  }

  /** Bytes that left since this was asked last: those of one answer, since answers leave one after another. */
  take({ bytesWritten }: Socket): number {
    const taken = bytesWritten - this.#accounted
    this.#accounted = bytesWritten
    return taken
  }
}

const lineOf = Symbol('the line that this socket is')
type SocketOfLine = Socket & { [lineOf]?: Line }

/**
 * Between the sockets and the app: tells the app on which connection a request came, lets faults act on it, and tells
 * the journal what truly left.
 */
export class Edge {
  readonly #app: App
  readonly #wires = new Set<WatchedWire>()
  #connections = 0
  #isStopping = false

  constructor(app: App) {
    this.#app = app
  }

  /** The answer for Node's adapter; a fault on the wire has it sent already. */
  answer(
    request: Request,
    incoming: IncomingMessage,
    outgoing: ServerResponse,
  ): Response | Promise<Response> {
    const line = this.#line(incoming.socket)
    line.last = outgoing
    const reply = this.#app(request, { incoming, arrival: new OverLine(line, incoming.socket, outgoing) })
    return andThen(reply, out => this.#leave(out, line, incoming, outgoing))
  }

  /**
   * A connection cannot go on: what came over it is no request. Whoever waits there for the answer to an earlier request
   * gets that first, and would otherwise take what is said now for it.
   * @param say is called when it is time, unless nobody is left to hear it
   */
  breakOff(socket: Socket, say: () => void): void {
    const last = (socket as SocketOfLine)[lineOf]?.last
    const isWaiting = last?.req.complete === true && !last.writableFinished
    // The rest of its own request did not come, or not in time; it may have been answered without that.
    const isAnswered = last?.req.complete === false && (last.socket !== socket || last.headersSent)
    if (isWaiting) {
      leaveUnread(socket)
      // Once what has left of it is counted.
      last.on('close', () => queueMicrotask(say))
    } else if (isAnswered) socket.destroy()
    else say()
  }

  /** Ends what would not end by itself: a hanging request is answered by nobody. */
  stop(): void {
    this.#isStopping = true
    for (const wire of this.#wires) wire.stop()
  }

  #line(socket: Socket): Line {
    // On the socket itself: a map would be searched for every request.
    let line = (socket as SocketOfLine)[lineOf]
    if (!line) {
      line = new Line(++this.#connections)
      ;(socket as SocketOfLine)[lineOf] = line
    }
    line.requests++
    return line
  }

  #leave(out: Outgoing, line: Line, incoming: IncomingMessage, outgoing: ServerResponse): Response {
    const { socket } = incoming
    if (!('answer' in out)) {
      outgoing.on('close', () => {
        line.take(socket)
        line.over(outgoing)
      })
      return out
    }
    if (out.strike) {
      const wire = socketWire(incoming, outgoing)
      this.#wires.add(wire)
      void strike(out, out.strike, wire).finally(() => this.#wires.delete(wire))
      return RESPONSE_ALREADY_SENT
    }
    whenOver(socket, outgoing, hadItsTurn => {
      out.close(outgoing.writableFinished ? 'handed' : this.#unfinished, hadItsTurn ? line.take(socket) : 0)
      line.over(outgoing)
    })
    const { status, headers, body } = out.answer
    return new Response(body.length === 0 ? null : (body as string | Buffer<ArrayBuffer>), {
      status,
      headers,
    })
  }

  get #unfinished(): Delivered {
    return this.#isStopping ? 'server-stopped' : 'aborted'
  }
}

class OverLine implements Arrival {
  readonly connection: number
  readonly position: number
  private readonly socket: Socket
  private readonly outgoing: ServerResponse

  constructor(line: Line, socket: Socket, outgoing: ServerResponse) {
    this.connection = line.number
    this.position = line.requests
    this.socket = socket
    this.outgoing = outgoing
  }

  get remotePort(): number | undefined {
    return this.socket.remotePort
  }

  get left(): Promise<void> {
    return new Promise(resolve => whenOver(this.socket, this.outgoing, () => resolve()))
  }
}

/**
 * Tells once when an exchange is over: its answer has left, or never will; at once where that is so already. Under
 * pipelining a response gets its socket when the earlier answers are out, and Node never closes one whose connection
 * was gone by then.
 */
function whenOver(socket: Socket, outgoing: ServerResponse, tell: (hadItsTurn: boolean) => void): void {
  if (outgoing.closed) {
    tell(true)
    return
  }
  // Not once: it comes once by itself, and that would wrap what is told.
  outgoing.on('close', () => tell(true))
  if (outgoing.socket || outgoing.writableFinished) return
  if (socket.closed) {
    tell(false)
    return
  }
  outgoing.once(
    'socket',
    Connection.of(socket).whenClosed(() => tell(false)),
  )
}
