import { constants, createGunzip, type Gunzip } from 'node:zlib'
import { ClientConnection, type WatchedWire, type WireOutcome } from './wire.ts'

/** Receives the parts of a response, in order. */
export interface ResponseEvents {
  /** Also called for informational answers (1xx), any number of which may precede the final one. */
  head(status: number, reason: string, headers: readonly (readonly [string, string])[]): void
  body(bytes: Buffer): void
  end(): void
}

/** The error of a client's parser for bytes that are not HTTP; `code` as in Node's own parser. */
export class NotHttpError extends Error {
  override readonly name = 'HTTPParserError'
  readonly code: string

  constructor(code: string, what: string) {
    super(`Response does not match the HTTP/1.1 protocol (${what})`)
    this.code = code
  }
}

type ParserState =
  | 'head'
  | 'counted'
  | 'chunk size'
  | 'chunk'
  | 'chunk end'
  | 'trailers'
  | 'anything'
  | 'nothing'

const emptyLine = '\r\n\r\n'

/** Incremental parser of one HTTP/1.1 response, as in a client that expects a body. */
export class ResponseParser {
  readonly #events: ResponseEvents
  #rest = Buffer.alloc(0)
  #state: ParserState = 'head'
  /** Bytes of the body or chunk that are still missing. */
  #missing = 0

  constructor(found: ResponseEvents) {
    this.#events = found
  }

  /** @throws NotHttpError; later bytes are ignored */
  feed(bytes: Uint8Array): void {
    this.#rest = Buffer.concat([this.#rest, bytes])
    try {
      while (this.#step());
    } catch (error) {
      this.#state = 'nothing'
      throw error
    }
  }

  /** The connection has ended. @returns whether the answer was complete, as far as a client can tell */
  finish(): boolean {
    if (this.#state === 'anything') this.#end()
    return this.#state === 'nothing'
  }

  /** @returns whether it made progress; call it again then */
  #step(): boolean {
    switch (this.#state) {
      case 'head':
        return this.#head()
      case 'counted':
        return this.#passOn() && this.#end()
      case 'chunk size':
        return this.#chunkSize()
      case 'chunk':
        return this.#passOn() && this.#expect('chunk end')
      case 'chunk end':
        return this.#line() !== undefined && this.#expect('chunk size')
      case 'trailers': {
        const line = this.#line()
        return line === '' ? this.#end() : line !== undefined
      }
      case 'anything':
        this.#missing = this.#rest.length
        this.#passOn()
        return false
      case 'nothing':
        return false
    }
  }

  #head(): boolean {
    const start = this.#rest.subarray(0, 5).toString('latin1')
    if (!'HTTP/'.startsWith(start)) throw new NotHttpError('HPE_INVALID_CONSTANT', 'Expected HTTP/')
    const length = this.#rest.indexOf(emptyLine)
    if (length < 0) return false
    const [first, ...lines] = this.#take(length + emptyLine.length)
      .toString('latin1')
      .trimEnd()
      .split('\r\n')
    const [, status, reason] = /^HTTP\/1\.[01] (\d{3}) ?(.*)$/.exec(first!) ?? []
    if (status === undefined) throw new NotHttpError('HPE_INVALID_STATUS', 'Invalid status code')
    const headers = lines.map(line => {
      const colon = line.indexOf(':')
      if (colon < 1) throw new NotHttpError('HPE_INVALID_HEADER_TOKEN', 'Invalid header token')
      return [line.slice(0, colon), line.slice(colon + 1).trim()] as const
    })
    this.#events.head(Number(status), reason ?? '', headers)
    return Number(status) < 200 || this.#frame(Number(status), headers)
  }

  #frame(status: number, headers: readonly (readonly [string, string])[]): boolean {
    const value = (name: string) => headers.find(([given]) => given.toLowerCase() === name)?.[1]
    if (status === 204 || status === 304) return this.#end()
    if (value('transfer-encoding') === 'chunked') return this.#expect('chunk size')
    const length = value('content-length')
    if (length === undefined) return this.#expect('anything')
    this.#missing = Number(length)
    return this.#missing === 0 ? this.#end() : this.#expect('counted')
  }

  #chunkSize(): boolean {
    const start = this.#rest.toString('latin1', 0, 1)
    if (start !== '' && !/[\da-f]/i.test(start))
      throw new NotHttpError('HPE_INVALID_CHUNK_SIZE', 'Invalid character in chunk size')
    const line = this.#line()
    if (line === undefined) return false
    this.#missing = Number.parseInt(line, 16)
    return this.#expect(this.#missing === 0 ? 'trailers' : 'chunk')
  }

  /** Passes on the missing bytes that are there. @returns whether none is missing now */
  #passOn(): boolean {
    const bytes = this.#take(Math.min(this.#missing, this.#rest.length))
    this.#missing -= bytes.length
    if (bytes.length > 0) this.#events.body(bytes)
    return this.#missing === 0
  }

  #line(): string | undefined {
    const length = this.#rest.indexOf('\r\n')
    return length < 0 ? undefined : this.#take(length + 2).toString('latin1', 0, length)
  }

  #take(length: number): Buffer {
    const bytes = this.#rest.subarray(0, length)
    this.#rest = this.#rest.subarray(length)
    return bytes
  }

  #expect(what: ParserState): true {
    this.#state = what
    return true
  }

  #end(): true {
    this.#expect('nothing')
    this.#events.end()
    return true
  }
}

/** A wire without a socket: the effect of a fault appears as the global `fetch` would show it. */
export interface InProcessWire extends WatchedWire {
  /**
   * Resolves with the head, like `fetch`; the body streams. Rejects, or aborts the body, with the errors of `fetch`:
   * TypeError "fetch failed" or "terminated", the `code` in the `cause`. Redirects are returned, not followed.
   */
  readonly response: Promise<Response>
}

/** @param signal the request's signal; when it aborts, the client has left */
export function inProcessWire(signal?: AbortSignal): InProcessWire {
  return new FetchWire(signal)
}

const neverWithBody = new Set([204, 205, 304])

class FetchWire implements InProcessWire {
  readonly response: Promise<Response>
  readonly #client = new ClientConnection()
  readonly #reader: ResponseParser
  #outcome: WireOutcome = 'open'
  #bytesWritten = 0
  /** The client has its answer or has given up: nothing that follows reaches it. */
  #isSettled = false
  #body: ResponseBody | undefined
  #resolve!: (response: Response) => void
  #reject!: (reason: unknown) => void

  constructor(signal: AbortSignal | undefined) {
    this.response = new Promise((resolve, reject) => {
      this.#resolve = resolve
      this.#reject = reject
    })
    // Avoids an unhandled rejection if the caller has left; the reason stays in the promise.
    this.response.catch(() => {})
    this.#reader = new ResponseParser({
      head: (status, reason, headers) => this.#head(status, reason, headers),
      body: bytes => this.#body?.write(bytes),
      end: () => {
        this.#isSettled = true
        this.#body?.end()
      },
    })
    if (!signal) return
    const abort = () => {
      this.#break(signal.reason, signal.reason)
      this.#leave('aborted')
    }
    if (signal.aborted) {
      abort()
      return
    }
    signal.addEventListener('abort', abort, { once: true })
    this.#client.onDisconnect(() => signal.removeEventListener('abort', abort))
  }

  get bytesWritten(): number {
    return this.#bytesWritten
  }

  get outcome(): WireOutcome {
    return this.#outcome
  }

  get gone(): Promise<void> {
    return this.#client.disconnected
  }

  pause(milliseconds: number): Promise<boolean> {
    return this.#client.pause(milliseconds)
  }

  async write(bytes: string | Uint8Array): Promise<void> {
    if (this.#client.isDisconnected) return
    const given = Buffer.from(bytes)
    this.#bytesWritten += given.length
    if (this.#isSettled) return
    try {
      this.#reader.feed(given)
    } catch (error) {
      this.#fail(error)
    }
  }

  async end(what?: 'whole'): Promise<void> {
    if (this.#client.isDisconnected) return
    if (!this.#isSettled && !this.#reader.finish()) this.#fail(socketError('other side closed'))
    this.#leave(what === 'whole' ? 'handed' : 'cut')
  }

  async reset(): Promise<void> {
    if (this.#client.isDisconnected) return
    this.#fail(errorWithCode('Error', 'ECONNRESET', 'read ECONNRESET'))
    this.#leave('cut')
  }

  stop(): void {
    if (this.#client.isDisconnected) return
    this.#fail(socketError('other side closed'))
    this.#leave('stopped')
  }

  #head(status: number, reason: string, headers: readonly (readonly [string, string])[]): void {
    if (status === 100) throw socketError('bad response')
    if (status < 200) return
    const all = new Headers(headers.map(([name, value]) => [name, value]))
    if (neverWithBody.has(status)) {
      this.#resolve(new Response(null, { status, statusText: reason, headers: all }))
      return
    }
    this.#body = new ResponseBody(all.get('content-encoding') === 'gzip', () => this.#leave('aborted'))
    this.#resolve(new Response(this.#body.stream, { status, statusText: reason, headers: all }))
  }

  #fail(cause: unknown): void {
    this.#break(new TypeError('fetch failed', { cause }), new TypeError('terminated', { cause }))
  }

  /** @param beforeHead the error for a client that waits for the head. @param inBody the error for one that reads the body */
  #break(beforeHead: unknown, inBody: unknown): void {
    if (this.#isSettled) return
    this.#isSettled = true
    if (this.#body) this.#body.fail(inBody)
    else this.#reject(beforeHead)
  }

  #leave(outcome: WireOutcome): void {
    if (this.#outcome === 'open') this.#outcome = outcome
    this.#isSettled = true
    this.#client.disconnect()
  }
}

/** The body as the client reads it: decompressed like `fetch`, which accepts truncated gzip. */
class ResponseBody {
  readonly stream: ReadableStream<Uint8Array>
  readonly #gunzip: Gunzip | undefined
  #controller!: ReadableStreamDefaultController<Uint8Array>
  #isOpen = true

  constructor(isGzip: boolean, cancelled: () => void) {
    this.stream = new ReadableStream({
      start: controller => {
        this.#controller = controller
      },
      cancel: () => {
        this.#isOpen = false
        cancelled()
      },
    })
    if (!isGzip) return
    this.#gunzip = createGunzip({ flush: constants.Z_SYNC_FLUSH, finishFlush: constants.Z_SYNC_FLUSH })
      .on('data', (bytes: Buffer) => this.#enqueue(bytes))
      .on('end', () => this.#close())
      .on('error', cause => this.fail(new TypeError('terminated', { cause })))
  }

  write(bytes: Buffer): void {
    if (this.#gunzip) this.#gunzip.write(bytes)
    else this.#enqueue(bytes)
  }

  end(): void {
    if (this.#gunzip) this.#gunzip.end()
    else this.#close()
  }

  fail(reason: unknown): void {
    if (!this.#isOpen) return
    this.#isOpen = false
    this.#gunzip?.destroy()
    this.#controller.error(reason)
  }

  #enqueue(bytes: Buffer): void {
    if (this.#isOpen) this.#controller.enqueue(new Uint8Array(bytes))
  }

  #close(): void {
    if (!this.#isOpen) return
    this.#isOpen = false
    this.#controller.close()
  }
}

const socketError = (message: string) => errorWithCode('SocketError', 'UND_ERR_SOCKET', message)

const errorWithCode = (name: string, code: string, message: string) =>
  Object.assign(new Error(message), { name, code })
