import type { Server as HttpServer } from 'node:http'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'

/**
 * What becomes of a connection before there is a request, and so before there is a user. `refuse`: nobody listens.
 * `reset-at-accept`: it is broken as soon as it stands. `reset-at-data`: with the first bytes, as when a TLS greeting
 * meets a broken balancer. `silent`: it is accepted and never answered. `pass`: it reaches the service.
 */
export const sideModes = ['refuse', 'reset-at-accept', 'reset-at-data', 'silent', 'pass'] as const

export type SideMode = (typeof sideModes)[number]

export interface SidePortOptions {
  readonly host: string
  readonly mode: SideMode
  /** Where connections go in mode `pass`. */
  readonly service: HttpServer
  /** Hears of errors of the listening socket, such as too many open files. */
  readonly report: (error: unknown) => void
}

/** A port of one space, for faults that strike before a request says which space it is for. */
export class SidePort {
  readonly port: number
  /** Hears of each connection, and what becomes of it. */
  onConnection: ((mode: SideMode) => void) | undefined
  readonly #options: SidePortOptions
  /** What became of each when it stood. */
  readonly #open = new Map<Socket, SideMode>()
  readonly #struck = new Map<SideMode, number>()
  #server: Server | undefined
  #mode: SideMode
  /** Switching waits for the one before it. */
  #switched: Promise<void> = Promise.resolve()
  #isClosed = false

  private constructor(options: SidePortOptions, server: Server) {
    this.port = (server.address() as AddressInfo).port
    this.#options = options
    this.#mode = options.mode
    this.#server = this.#serve(server)
  }

  /**
   * Takes a free port; in mode `refuse` it is given up at once, so another process may take it meanwhile.
   *
   * @throws an error with `code` when it cannot listen
   */
  static async open(options: SidePortOptions): Promise<SidePort> {
    const port = new SidePort(options, await listening(options.host, 0))
    if (options.mode === 'refuse') await port.#stopListening()
    return port
  }

  get mode(): SideMode {
    return this.#mode
  }

  /** Connections that each mode has struck. Of refused ones the system tells nobody. */
  get struck(): ReadonlyMap<SideMode, number> {
    return this.#struck
  }

  /** Connections on which somebody waits for an answer that will not come. */
  get waiting(): number {
    return [...this.#open.values()].filter(mode => mode === 'silent').length
  }

  /**
   * Changes what becomes of new connections; those that stand stay as they are.
   *
   * @throws an error that names the port, when another process took it while it was refused
   */
  switch(mode: SideMode): Promise<void> {
    const done = this.#switched.then(async () => {
      if (this.#isClosed) throw new Error(`side port ${this.port} is closed`)
      if (mode === 'refuse') await this.#stopListening()
      else this.#server ??= this.#serve(await this.#listenAgain())
      this.#mode = mode
    })
    this.#switched = done.catch(() => {})
    return done
  }

  /** Gives up the port and closes the connections over it, also those that reached the service. */
  async close(): Promise<void> {
    await this.#switched
    this.#isClosed = true
    for (const socket of this.#open.keys()) socket.destroy()
    await this.#stopListening()
  }

  #serve(server: Server): Server {
    return server
      .on('connection', socket => this.#strike(socket))
      .on('error', error => this.#options.report(error))
  }

  #strike(socket: Socket): void {
    this.#struck.set(this.#mode, (this.#struck.get(this.#mode) ?? 0) + 1)
    this.onConnection?.(this.#mode)
    this.#open.set(socket, this.#mode)
    socket.once('close', () => this.#open.delete(socket))
    if (this.#mode === 'pass') {
      this.#options.service.emit('connection', socket)
      return
    }
    // The client may leave first; there is nothing to be done about that here.
    socket.on('error', () => {})
    if (this.#mode === 'reset-at-data') socket.once('data', () => socket.resetAndDestroy())
    else if (this.#mode === 'silent') socket.resume()
    else socket.resetAndDestroy()
    socket.on('end', () => socket.end())
  }

  async #listenAgain(): Promise<Server> {
    try {
      return await listening(this.#options.host, this.port)
    } catch (cause) {
      throw new Error(`side port ${this.port} cannot be opened again: another process may have taken it`, {
        cause,
      })
    }
  }

  /** New connections are refused when this returns; it does not wait for those that stand. */
  async #stopListening(): Promise<void> {
    const server = this.#server
    this.#server = undefined
    server?.close()
  }
}

function listening(host: string, port: number): Promise<Server> {
  return new Promise((resolve, reject) => {
    // As Node's HTTP server wants its sockets.
    const server = createServer({ allowHalfOpen: true, noDelay: true })
    server.once('error', reject)
    server.listen(port, host, () => {
      server.off('error', reject)
      resolve(server)
    })
  })
}
