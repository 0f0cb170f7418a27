import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { maxTimerDelay } from '../rig/clock.ts'
import type { Wire } from '../rig/faults/fault.ts'
import type { PendingFault, Reply } from '../rig/request-context.ts'
import type { Delivery } from '../rig/request-record.ts'
import { rawSocketOf } from '../tls/raw-socket.ts'

const listenersKey = Symbol('closeListeners')
type WatchedSocket = Socket & { [listenersKey]?: CloseListeners }

/**
 * Detaches a connection from Node's HTTP parser, so that it reads no more requests. Further input is discarded: unread
 * input would turn our FIN into a reset, which discards what the client has not read yet.
 */
export function discardInput(socket: Socket): void {
  socket.removeAllListeners('data').removeAllListeners('end')
  socket.on('data', () => {}).on('end', () => socket.end())
  socket.resume()
}

/**
 * Listeners for the close of a connection. Stored on the socket itself, so both live equally long; one socket listener
 * serves all requests, however many are pipelined.
 */
export class CloseListeners {
  readonly #listeners = new Set<() => void>()

  private constructor(socket: Socket) {
    socket.once('close', () => {
      for (const tell of this.#listeners) tell()
      this.#listeners.clear()
    })
  }

  static of(socket: WatchedSocket): CloseListeners {
    socket[listenersKey] ??= new CloseListeners(socket)
    return socket[listenersKey]
  }

  /** @returns removes the listener */
  add(tell: () => void): () => void {
    this.#listeners.add(tell)
    return () => this.#listeners.delete(tell)
  }
}

/** Milliseconds for the client to read the answer and to close its side. */
const lingerTimeout = 1_000

/**
 * Closes a connection of which nothing more is read, so that its client can read the last answer. @param bytes sent before
 */
export function closeGently(socket: Socket, bytes = ''): void {
  discardInput(socket)
  socket.end(bytes)
  const late = setTimeout(() => socket.destroy(), lingerTimeout).unref()
  CloseListeners.of(socket).add(() => clearTimeout(late))
}

/** How a request ended; whether anything left before it was cut shows in the bytes. */
export type WireOutcome = Exclude<Delivery, 'none'>

/** A wire that reports what was sent, and knows whether the client of its request is still connected. */
export abstract class WatchedWire implements Wire {
  /** Bytes of this answer, head included, that were handed to the operating system. */
  bytesWritten = 0
  outcome: WireOutcome = 'open'
  /** Whether the connection was reset on purpose. */
  isReset = false
  protected isDisconnected = false
  readonly #listeners = new Set<() => void>()

  abstract write(bytes: string | Uint8Array): Promise<void>
  abstract end(what?: 'whole'): Promise<void>
  abstract reset(): Promise<void>
  /** Ends the request because the server stops: `gone` resolves, the connection closes. */
  abstract stop(): void

  get gone(): Promise<void> {
    return new Promise(resolve => this.onDisconnect(resolve))
  }

  /** Waits in real time. Returns false, at once, when the client has left. */
  async pause(milliseconds: number): Promise<boolean> {
    for (let rest = milliseconds; rest >= 0 && !this.isDisconnected; rest -= maxTimerDelay)
      await new Promise<void>(resolve => {
        const end = () => {
          clearTimeout(timer)
          unlisten()
          resolve()
        }
        const timer = setTimeout(end, Math.min(rest, maxTimerDelay))
        const unlisten = this.onDisconnect(end)
      })
    return !this.isDisconnected
  }

  /** Calls the listener at once if the client has already left. @returns removes the listener */
  onDisconnect(tell: () => void): () => void {
    if (this.isDisconnected) tell()
    else this.#listeners.add(tell)
    return () => this.#listeners.delete(tell)
  }

  /** Records how the request ended; only the first call counts. */
  protected close(outcome: WireOutcome): void {
    if (this.outcome === 'open') this.outcome = outcome
  }

  /** The client has left, or nothing more will reach it. */
  disconnect(outcome: WireOutcome): void {
    this.close(outcome)
    if (this.isDisconnected) return
    this.isDisconnected = true
    for (const tell of this.#listeners) tell()
    this.#listeners.clear()
  }
}

/**
 * Milliseconds between the last byte and a reset. A reset discards what the machine has not sent yet, and on some clients
 * what they have not read yet.
 */
const resetDelay = 20

/** Resets a connection after what was written to it has left. */
export const resetSoon = (socket: Socket): void => {
  setTimeout(() => rawSocketOf(socket).resetAndDestroy(), resetDelay)
}

/** Milliseconds for the client to close its side after we closed ours. */
const closeGrace = 2_000

/**
 * The wire of a request that came over a socket. Raw bytes bypass Node's own response, which is then never used; nothing
 * follows them on the connection.
 *
 * Under pipelining Node gives a response its socket when the earlier answers have been sent. All calls of the wire wait
 * for that. Later requests on a connection that was broken are never answered.
 *
 * A client that closes only its sending side counts as disconnected: Node's HTTP server then ends the connection at once.
 */
export class SocketWire extends WatchedWire {
  readonly #socket: Socket
  readonly #outgoing: ServerResponse
  #turn: Promise<void> | undefined
  #isTurn = false
  #isSeized = false
  #isEnding = false
  #hasLost = false

  constructor(socket: Socket, outgoing: ServerResponse) {
    super()
    this.#socket = socket
    this.#outgoing = outgoing
    if (socket.closed) {
      this.disconnect('aborted')
      return
    }
    const unlisten = CloseListeners.of(socket).add(() => this.disconnect('aborted'))
    let bytesBefore = socket.bytesWritten
    if (!outgoing.socket)
      outgoing.once('socket', () => {
        bytesBefore = socket.bytesWritten
      })
    // Before Node's own listener, which starts the next answer. Not reached when raw bytes were written.
    outgoing.prependOnceListener('finish', () => {
      this.bytesWritten = socket.bytesWritten - bytesBefore
      unlisten()
      this.disconnect('handed')
    })
  }

  write(bytes: string | Uint8Array): Promise<void> {
    const chunk = Buffer.from(bytes)
    return this.#inTurn(done => {
      if (!this.#seize()) {
        this.#hasLost = true
        return done()
      }
      this.#socket.write(chunk, error => {
        if (error || this.isDisconnected) this.#hasLost = true
        else this.bytesWritten += chunk.length
        done()
      })
    })
  }

  end(what?: 'whole'): Promise<void> {
    return this.#inTurn(done => {
      if (!this.#seize(what)) return done()
      this.#isEnding = true
      this.#socket.end((error?: Error | null) => {
        this.close(error ? 'aborted' : what === 'whole' ? 'handed' : 'cut')
        if (!error) this.#after(closeGrace, () => this.#socket.destroy())
        done()
      })
    })
  }

  reset(): Promise<void> {
    return this.#inTurn(done => {
      if (!this.#seize()) return done()
      this.#isEnding = true
      const breakOff = () => {
        this.isReset = this.outcome === 'open'
        this.close('cut')
        rawSocketOf(this.#socket).resetAndDestroy()
        done()
      }
      if (this.#socket.bytesWritten === 0) return breakOff()
      this.#after(resetDelay, breakOff)
      this.onDisconnect(done)
    })
  }

  stop(): void {
    this.#socket.destroy()
    this.disconnect('server-stopped')
  }

  /** Runs actions in order, once the earlier answers on the connection have been sent. Resolves when this one is done. */
  #inTurn(act: (done: () => void) => void): Promise<void> {
    if (this.#isTurn) return new Promise(act)
    this.#turn ??= new Promise<void>(resolve => {
      if (this.#outgoing.socket) return resolve()
      this.#outgoing.once('socket', () => resolve())
      this.onDisconnect(resolve)
    }).then(() => {
      this.#isTurn = true
    })
    return this.#turn.then(() => new Promise(act))
  }

  /**
   * Detaches the connection from Node's HTTP parser, as an upgrade does, so that it cannot write a 400 into our bytes. Over
   * TLS a client may have closed its side, having read the last byte, before Node says that this byte was written.
   *
   * @param what 'whole' if nothing is missing but the end
   * @returns whether bytes can be sent
   */
  #seize(what?: 'whole'): boolean {
    const socket = this.#socket
    if (this.outcome !== 'open' || this.#isEnding) return false
    if (!socket.writable) {
      this.close(what === 'whole' && !this.#hasLost ? 'handed' : 'aborted')
      return false
    }
    if (this.#isSeized) return true
    this.#isSeized = true
    discardInput(socket)
    return true
  }

  #after(milliseconds: number, act: () => void): void {
    const timer = setTimeout(() => {
      unlisten()
      act()
    }, milliseconds)
    timer.unref()
    const unlisten = this.onDisconnect(() => clearTimeout(timer))
  }
}

/**
 * Applies a fault to the wire and records what was really sent. A fault that throws is reported and the connection is
 * reset, since it is unknown how much of the answer was sent.
 */
export async function applyFault(
  reply: Reply,
  { fault, settings, context, report }: PendingFault,
  wire: WatchedWire,
): Promise<void> {
  try {
    await fault.deliver(reply.answer, wire, settings, context)
  } catch (error) {
    report(error)
    await wire.reset()
  } finally {
    reply.close(deliveryOf(wire), wire.bytesWritten)
  }
}

/** How the answer was delivered, once nothing more will be written. */
export const deliveryOf = ({ outcome, bytesWritten }: WatchedWire): Exclude<Delivery, 'open'> =>
  outcome === 'open' || (outcome === 'cut' && bytesWritten === 0) ? 'none' : outcome
