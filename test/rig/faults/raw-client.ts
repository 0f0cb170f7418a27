import { connect, type Socket } from 'node:net'

const deadline = 60_000

/** How a connection ended, as the client's own system tells it. */
export type Ending = 'FIN' | 'RST'

/** A client without an HTTP stack: it sees each byte, and whether the end was a FIN or a RST. */
export class RawClient {
  readonly #socket: Socket
  #seen = ''
  #ending: Ending | undefined
  #keepsOpen = false
  #changed = () => {}

  private constructor(socket: Socket) {
    this.#socket = socket
    const change = () => this.#changed()
    socket.on('end', () => {
      this.#ending ??= 'FIN'
      if (!this.#keepsOpen) socket.end()
      change()
    })
    socket.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ECONNRESET' || error.code === 'EPIPE') this.#ending = 'RST'
      change()
    })
  }

  static connect(port: number): Promise<RawClient> {
    return new Promise((resolve, reject) => {
      // Byte by byte: after reading less than it could, Node takes a reset that is there already for an end.
      const buffer = new Uint8Array(1)
      const callback = () => client.#take(buffer[0]!)
      const onread = { buffer, callback }
      const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true, onread }, () => {
        socket.off('error', reject)
        resolve(client)
      })
      const client = new RawClient(socket)
      socket.once('error', reject)
    })
  }

  send(bytes: string): this {
    if (this.#socket.writable) this.#socket.write(bytes)
    return this
  }

  /** Asks for a path, over a connection that is to stay open. */
  get(path: string): this {
    return this.send(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`)
  }

  /** Keeps its own side open when the other side has closed. */
  keepOpen(): void {
    this.#keepsOpen = true
  }

  /** All that came so far. */
  get seen(): string {
    return this.#seen
  }

  #take(byte: number): boolean {
    this.#seen += String.fromCharCode(byte)
    this.#changed()
    return true
  }

  get ending(): Ending | undefined {
    return this.#ending
  }

  /** Waits until what came holds the text. */
  async until(text: string): Promise<string> {
    await this.#wait(`"${text}"`, () => this.seen.includes(text))
    return this.seen
  }

  async ended(): Promise<Ending> {
    await this.#wait('the end of the connection', () => this.#ending !== undefined)
    return this.#ending!
  }

  /** Leaves: `fin` closes the sending side, `reset` breaks the connection. */
  leave(how: 'fin' | 'close' | 'reset'): void {
    if (how === 'fin') this.#socket.end()
    else if (how === 'close') this.#socket.destroy()
    else this.#socket.resetAndDestroy()
  }

  [Symbol.dispose](): void {
    this.#socket.destroy()
  }

  async #wait(what: string, isSo: () => boolean): Promise<void> {
    if (isSo()) return
    await new Promise<void>((resolve, reject) => {
      const late = setTimeout(
        () =>
          reject(new Error(`waited ${deadline} ms in vain for ${what}; came: ${JSON.stringify(this.seen)}`)),
        deadline,
      )
      this.#changed = () => {
        if (!isSo() && this.#ending === undefined) return
        clearTimeout(late)
        if (isSo()) resolve()
        else
          reject(
            new Error(`the connection ended by ${this.#ending} before ${what}: ${JSON.stringify(this.seen)}`),
          )
      }
    })
  }
}
