import type { Socket } from 'node:net'

const known = Symbol('what is known of this connection')
type KnownSocket = Socket & { [known]?: Connection }

/**
 * Takes a connection from Node's HTTP parser: it must not read more requests from it. What still comes in is dropped:
 * left in the socket, it would turn our FIN into a reset, which throws away what the client has not read yet.
 */
export function leaveUnread(socket: Socket): void {
  socket.removeAllListeners('data').removeAllListeners('end')
  socket.on('data', () => {}).on('end', () => socket.end())
  socket.resume()
}

/**
 * A connection over all its requests, to be told when it closes. Kept on the socket itself, so it lives as long; one
 * listener serves all requests, however many were pipelined.
 */
export class Connection {
  readonly #told = new Set<() => void>()

  private constructor(socket: Socket) {
    socket.once('close', () => {
      for (const tell of this.#told) tell()
      this.#told.clear()
    })
  }

  static of(socket: KnownSocket): Connection {
    socket[known] ??= new Connection(socket)
    return socket[known]
  }

  /** @returns a function that takes it back */
  whenClosed(tell: () => void): () => void {
    this.#told.add(tell)
    return () => this.#told.delete(tell)
  }
}
