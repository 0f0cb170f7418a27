import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { Connection, leaveUnread } from './connection.ts'
import type { Wire } from './faults/fault.ts'
import { Presence } from './presence.ts'

/**
 * How an exchange ended. `handed`: the whole answer went to the operating system; whether the client read it is another
 * matter. `cut`: we broke it off. `aborted`: the client left first. `stopped`: the server stopped first.
 */
export type Outcome = 'open' | 'handed' | 'cut' | 'aborted' | 'stopped'

/** A wire that tells afterwards what left this machine. */
export interface WatchedWire extends Wire {
  /** Bytes of this answer, head included, that were handed to the operating system. */
  readonly bytesWritten: number
  readonly outcome: Outcome
  /** Ends what is under way because the server stops: `gone` resolves, the connection closes. */
  stop(): void
}

/**
 * Milliseconds between the last byte and a reset: a reset throws away what the machine has not sent yet, and with some
 * clients what they have not read yet.
 */
const settling = 20

/** Milliseconds that a client gets to close its side after we closed ours. */
const lingering = 2_000

/**
 * The wire of a request that came over a socket. Raw bytes go out beside Node's own response, which then is never used;
 * the connection carries nothing after them.
 *
 * Under pipelining Node gives a response its socket when the earlier answers are out. Whatever the wire is told waits
 * for that, and later requests on a connection that was broken are never answered.
 *
 * A client that closes only its sending side counts as left: Node's HTTP server then ends the connection at once.
 */
export function socketWire(incoming: IncomingMessage, outgoing: ServerResponse): WatchedWire {
  return new SocketWire(incoming.socket, outgoing)
}

class SocketWire implements WatchedWire {
  readonly #socket: Socket
  readonly #outgoing: ServerResponse
  readonly #presence = new Presence()
  #outcome: Outcome = 'open'
  #bytesWritten = 0
  #turn: Promise<void> | undefined
  #isTurn = false
  #isSeized = false
  #isEnding = false

  constructor(socket: Socket, outgoing: ServerResponse) {
    this.#socket = socket
    this.#outgoing = outgoing
    if (socket.closed) {
      this.#left()
      return
    }
    const takeBack = Connection.of(socket).whenClosed(() => this.#left())
    let bytesBefore = socket.bytesWritten
    if (!outgoing.socket)
      outgoing.once('socket', () => {
        bytesBefore = socket.bytesWritten
      })
    // Before Node's own listener, which starts with the next answer. A raw exchange never gets here.
    outgoing.prependOnceListener('finish', () => {
      this.#bytesWritten = socket.bytesWritten - bytesBefore
      this.#close('handed')
      takeBack()
      this.#presence.leave()
    })
  }

  get bytesWritten(): number {
    return this.#bytesWritten
  }

  get outcome(): Outcome {
    return this.#outcome
  }

  get gone(): Promise<void> {
    return this.#presence.gone
  }

  pause(milliseconds: number): Promise<boolean> {
    return this.#presence.pause(milliseconds)
  }

  write(bytes: string | Uint8Array): Promise<void> {
    const given = Buffer.from(bytes)
    return new Promise(resolve =>
      this.#inTurn(() => {
        if (!this.#seize()) return resolve()
        this.#socket.write(given, error => {
          if (!error && !this.#presence.isGone) this.#bytesWritten += given.length
          resolve()
        })
      }),
    )
  }

  end(what?: 'whole'): Promise<void> {
    return new Promise(resolve =>
      this.#inTurn(() => {
        if (!this.#seize()) return resolve()
        this.#isEnding = true
        this.#socket.end((error?: Error | null) => {
          this.#close(error ? 'aborted' : what === 'whole' ? 'handed' : 'cut')
          if (!error) this.#after(lingering, () => this.#socket.destroy())
          resolve()
        })
      }),
    )
  }

  reset(): Promise<void> {
    return new Promise(resolve =>
      this.#inTurn(() => {
        if (!this.#seize()) return resolve()
        this.#isEnding = true
        const breakOff = () => {
          this.#close('cut')
          this.#socket.resetAndDestroy()
          resolve()
        }
        if (this.#socket.bytesWritten === 0) return breakOff()
        this.#after(settling, breakOff)
        this.#presence.whenGone(resolve)
      }),
    )
  }

  stop(): void {
    this.#close('stopped')
    this.#socket.destroy()
    this.#presence.leave()
  }

  /** Does it when the earlier answers on the connection are out, in the order in which it was asked. */
  #inTurn(act: () => void): void {
    if (this.#isTurn) {
      act()
      return
    }
    this.#turn ??= new Promise<void>(resolve => {
      if (this.#outgoing.socket) return resolve()
      this.#outgoing.once('socket', () => resolve())
      this.#presence.whenGone(resolve)
    }).then(() => {
      this.#isTurn = true
    })
    void this.#turn.then(act)
  }

  /**
   * Takes the connection from Node's HTTP parser, as an upgrade does: it must not write a 400 into our bytes.
   *
   * @returns whether bytes can go out
   */
  #seize(): boolean {
    const socket = this.#socket
    if (this.#outcome !== 'open' || this.#isEnding) return false
    if (!socket.writable) {
      this.#close('aborted')
      return false
    }
    if (this.#isSeized) return true
    this.#isSeized = true
    leaveUnread(socket)
    return true
  }

  #after(milliseconds: number, act: () => void): void {
    const timer = setTimeout(() => {
      takeBack()
      act()
    }, milliseconds)
    timer.unref()
    const takeBack = this.#presence.whenGone(() => clearTimeout(timer))
  }

  #close(outcome: Outcome): void {
    if (this.#outcome === 'open') this.#outcome = outcome
  }

  /** The connection is closed, whoever did it. */
  #left(): void {
    this.#close('aborted')
    this.#presence.leave()
  }
}
