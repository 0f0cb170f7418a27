import type { Server as HttpServer } from 'node:http'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'

/** TLS connections that a client has to refuse, since it gives its credentials away otherwise, and what is wrong. */
export const unfitTls = {
  'tls-expired': 'whose certificate has expired',
  'tls-not-yet-valid': 'whose certificate is not valid yet',
  'tls-wrong-name': 'whose certificate is for another host',
  'tls-unknown-issuer': 'whose certificate comes from an unknown issuer',
  'tls-self-signed': 'whose certificate is self-signed',
  'tls-old-protocol': 'that uses TLS 1.1 or older, which can be broken',
} as const

export type UnfitTls = keyof typeof unfitTls

/**
 * What goes wrong in TLS. `tls-handshake-cut`: the connection ends within the server's first bytes. `tls-handshake-silent`:
 * nothing comes after half of them. `tls-cut-after-handshake`: the connection is reset when the handshake is done.
 */
export const tlsFaults = [
  ...(Object.keys(unfitTls) as UnfitTls[]),
  'tls-handshake-cut',
  'tls-handshake-silent',
  'tls-cut-after-handshake',
] as const

export type TlsFault = (typeof tlsFaults)[number]

/** Does the handshake of a connection, whose first bytes can still be read from it. */
export type TlsFaultHandler = (socket: Socket) => void

/**
 * What happens to a connection before there is a request, and so before there is a user. `refuse`: the port is closed.
 * `reset-at-accept`: reset as soon as it is accepted. `reset-at-data`: reset with the first bytes, as when a TLS handshake
 * meets a broken load balancer. `silent`: accepted and never answered. `pass`: forwarded to the service. The others are faults
 * of TLS.
 */
export const sideModes = [
  'refuse',
  'reset-at-accept',
  'reset-at-data',
  'silent',
  'pass',
  ...tlsFaults,
] as const

export type SideMode = (typeof sideModes)[number]

export const isTlsFault = (mode: SideMode): mode is TlsFault => mode.startsWith('tls-')

export const isUnfitTls = (mode: SideMode): mode is UnfitTls => mode in unfitTls

/** The first byte of a TLS handshake. */
const handshakeRecord = 0x16

export interface SidePortOptions {
  readonly host: string
  readonly mode: SideMode
  /** Receives connections in mode `pass`. */
  readonly service: HttpServer
  /** Counts a connection that the service does not receive; false if there is no room, and then it is answered and closed. */
  readonly admit: (socket: Socket) => boolean
  /** How long a connection may stay that is never answered: without a byte, and from its first byte on; in milliseconds. */
  readonly timeouts: { readonly firstByte: number; readonly rest: number }
  /** Makes what a fault of TLS needs. @throws an error when the mock does not serve HTTPS */
  readonly openTlsFault: (fault: TlsFault) => Promise<TlsFaultHandler>
  /** Answers a client that does not speak TLS where it has to, and closes the connection. */
  readonly refusePlain: (socket: Socket) => void
  /** Called with errors of the listening socket, such as too many open files. */
  readonly report: (error: unknown) => void
}

/** A port of one space, for faults that apply before a request says which space it is for. */
export class SidePort {
  readonly port: number
  /** Called for each connection with the mode that applies to it; of a fault of TLS, when its handshake begins. */
  onConnection: ((mode: SideMode) => void) | undefined
  readonly #options: SidePortOptions
  /** Open connections with the mode that applied when each was accepted. */
  readonly #open = new Map<Socket, SideMode>()
  readonly #connectionCounts = new Map<SideMode, number>()
  #server: Server | undefined
  #mode: SideMode
  #tlsFault: TlsFaultHandler | undefined
  /** Resolves when the last change of mode is done; the next one waits for it. */
  #switched: Promise<void> = Promise.resolve()
  #isClosed = false

  private constructor(options: SidePortOptions, server: Server, tlsFault: TlsFaultHandler | undefined) {
    this.port = (server.address() as AddressInfo).port
    this.#options = options
    this.#mode = options.mode
    this.#tlsFault = tlsFault
    this.#server = this.#serve(server)
  }

  /**
   * Takes a free port. In mode `refuse` it is closed at once, so another process may take it meanwhile.
   *
   * @throws an error with `code` when it cannot listen, or one that says what the mode needs
   */
  static async open(options: SidePortOptions): Promise<SidePort> {
    const tlsFault = await prepareTls(options.mode, options)
    const port = new SidePort(options, await startListening(newServer(), options.host, 0), tlsFault)
    if (options.mode === 'refuse') await port.#stopListening()
    return port
  }

  get mode(): SideMode {
    return this.#mode
  }

  /** Number of connections by mode. The operating system does not report refused ones. */
  get connectionCounts(): ReadonlyMap<SideMode, number> {
    return this.#connectionCounts
  }

  /** Number of connections that wait for an answer that will not come. */
  get waiting(): number {
    return [...this.#open.values()].filter(mode => mode === 'silent' || mode === 'tls-handshake-silent')
      .length
  }

  /**
   * Changes the mode for new connections; open connections keep theirs.
   *
   * @throws an error that names the port if another process took it while it was closed, or says what the mode needs
   */
  switch(mode: SideMode): Promise<void> {
    const done = this.#switched.then(async () => {
      if (this.#isClosed) throw new Error(`side port ${this.port} is closed`)
      const tlsFault = await prepareTls(mode, this.#options)
      if (mode === 'refuse') await this.#stopListening()
      else this.#server ??= this.#serve(await this.#listenAgain())
      this.#mode = mode
      this.#tlsFault = tlsFault
    })
    this.#switched = done.catch(() => {})
    return done
  }

  /** Closes the port and all its connections, including those that reached the service. */
  async close(): Promise<void> {
    await this.#switched
    this.#isClosed = true
    for (const socket of this.#open.keys()) socket.destroy()
    await this.#stopListening()
  }

  #serve(server: Server): Server {
    return server
      .on('connection', socket => this.#handle(socket))
      .on('error', error => this.#options.report(error))
  }

  #handle(socket: Socket): void {
    const mode = this.#mode
    const tlsFault = this.#tlsFault
    this.#open.set(socket, mode)
    socket.once('close', () => this.#open.delete(socket))
    if (tlsFault) {
      socket.on('error', () => {})
      if (this.#options.admit(socket)) this.#handleTls(socket, mode, tlsFault)
      return
    }
    this.#count(mode)
    if (mode === 'pass') {
      this.#options.service.emit('connection', socket)
      return
    }
    // The client may leave first, which needs no handling here.
    socket.on('error', () => {})
    if (mode === 'reset-at-accept') socket.resetAndDestroy()
    else if (this.#options.admit(socket)) this.#keepUnanswered(socket, mode)
  }

  #count(mode: SideMode): void {
    this.#connectionCounts.set(mode, (this.#connectionCounts.get(mode) ?? 0) + 1)
    this.onConnection?.(mode)
  }

  #handleTls(socket: Socket, mode: SideMode, tlsFault: TlsFaultHandler): void {
    const { firstByte, rest } = this.#options.timeouts
    const closeAfter = (time: number) => setTimeout(() => socket.destroy(), time)
    let timer = closeAfter(firstByte)
    socket.once('close', () => clearTimeout(timer))
    socket.once('data', first => {
      clearTimeout(timer)
      if (first[0] !== handshakeRecord) return this.#options.refusePlain(socket)
      this.#count(mode)
      // What does its handshake has a time limit of its own.
      if (mode === 'tls-handshake-silent' || mode === 'tls-handshake-cut') timer = closeAfter(rest)
      socket.pause()
      socket.unshift(first)
      tlsFault(socket)
    })
  }

  #keepUnanswered(socket: Socket, mode: SideMode): void {
    const { firstByte, rest } = this.#options.timeouts
    let timer = setTimeout(() => socket.destroy(), firstByte)
    socket.once('data', () => {
      if (mode === 'reset-at-data') return socket.resetAndDestroy()
      clearTimeout(timer)
      timer = setTimeout(() => socket.destroy(), rest)
    })
    socket.once('close', () => clearTimeout(timer))
    socket.on('end', () => socket.end()).resume()
  }

  async #listenAgain(): Promise<Server> {
    try {
      return await startListening(newServer(), this.#options.host, this.port)
    } catch (cause) {
      throw new Error(`side port ${this.port} cannot be opened again: another process may have taken it`, {
        cause,
      })
    }
  }

  /** New connections are refused when this returns; open ones are not awaited. */
  async #stopListening(): Promise<void> {
    const server = this.#server
    this.#server = undefined
    server?.close()
  }
}

const prepareTls = async (mode: SideMode, { openTlsFault }: SidePortOptions) =>
  isTlsFault(mode) ? openTlsFault(mode) : undefined

/** As Node's HTTP server expects its sockets. */
const newServer = () => createServer({ allowHalfOpen: true, noDelay: true })

/** @throws an error with `code`, such as EADDRINUSE */
export function startListening<Any extends Server>(server: Any, host: string, port: number): Promise<Any> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      server.off('error', reject)
      resolve(server)
    })
  })
}

/** Maximum number of side ports, since the ports of a machine are few. */
const maxSidePorts = 100

/** The side ports of all spaces. A reset of a space keeps its port, since clients know its number. */
export class SidePorts {
  readonly #ports = new Map<string, Promise<SidePort>>()
  #open: ((mode: SideMode) => Promise<SidePort>) | undefined

  /** Sets the listening server that opens side ports; undefined if there is none any more. */
  setOpener(open: ((mode: SideMode) => Promise<SidePort>) | undefined): void {
    this.#open = open
  }

  of(space: string): Promise<SidePort> | undefined {
    return this.#ports.get(space)
  }

  /**
   * The side port of the space in this mode; opens it if necessary.
   * @throws an error if it cannot listen, or there are too many
   */
  async openOrSwitch(space: string, mode: SideMode): Promise<SidePort> {
    const open = this.#open
    const existing = this.#ports.get(space)
    if (existing) {
      const port = await existing
      await port.switch(mode)
      return port
    }
    if (!open) throw new Error('a side port needs a mock that listens on a port')
    if (this.#ports.size >= maxSidePorts)
      throw new Error(
        `${maxSidePorts} side ports are already open, and no more are allowed; DELETE the side port of another space first`,
      )
    const opening = open(mode)
    this.#ports.set(space, opening)
    opening.catch(() => this.#ports.delete(space))
    return opening
  }

  /** @returns whether there was one */
  async close(space: string): Promise<boolean> {
    const port = this.#ports.get(space)
    if (!port) return false
    this.#ports.delete(space)
    await (await port).close()
    return true
  }

  /** Closes the port of a space that was removed or evicted. A port that could not be opened needs no closing. */
  end(space: string): void {
    this.close(space).catch(() => {})
  }

  async closeAll(): Promise<void> {
    await Promise.all([...this.#ports.keys()].map(space => this.close(space)))
  }
}
