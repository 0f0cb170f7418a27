import { constants, createGunzip, type Gunzip } from 'node:zlib'
import { Presence } from './presence.ts'
import { ResponseReader } from './response-reader.ts'
import type { Outcome, WatchedWire } from './wire.ts'

/** A wire without a socket: what a fault does to it is shown as the global `fetch` would show it. */
export interface ProcessWire extends WatchedWire {
  /**
   * Resolves with the head, like `fetch`; the body streams. Rejects, or breaks the body off, with the errors of `fetch`:
   * TypeError "fetch failed" or "terminated", the `code` in the `cause`. Redirects are given, not followed.
   */
  readonly response: Promise<Response>
}

/** @param signal the request's own: when it aborts, the client has left */
export function processWire(signal?: AbortSignal): ProcessWire {
  return new InProcess(signal)
}

const neverWithBody = new Set([204, 205, 304])

class InProcess implements ProcessWire {
  readonly response: Promise<Response>
  readonly #presence = new Presence()
  readonly #reader: ResponseReader
  #outcome: Outcome = 'open'
  #bytesWritten = 0
  /** The client is content or has given up: nothing that follows reaches it. */
  #isSettled = false
  #body: Body | undefined
  #resolve!: (response: Response) => void
  #reject!: (reason: unknown) => void

  constructor(signal: AbortSignal | undefined) {
    this.response = new Promise((resolve, reject) => {
      this.#resolve = resolve
      this.#reject = reject
    })
    // Whoever asked may have left; the reason is still in the promise.
    this.response.catch(() => {})
    this.#reader = new ResponseReader({
      head: (status, reason, headers) => this.#head(status, reason, headers),
      body: bytes => this.#body?.give(bytes),
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
    this.#presence.whenGone(() => signal.removeEventListener('abort', abort))
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

  async write(bytes: string | Uint8Array): Promise<void> {
    if (this.#presence.isGone) return
    const given = Buffer.from(bytes)
    this.#bytesWritten += given.length
    if (this.#isSettled) return
    try {
      this.#reader.take(given)
    } catch (error) {
      this.#fail(error)
    }
  }

  async end(what?: 'whole'): Promise<void> {
    if (this.#presence.isGone) return
    if (!this.#isSettled && !this.#reader.finish()) this.#fail(closed('other side closed'))
    this.#leave(what === 'whole' ? 'handed' : 'cut')
  }

  async reset(): Promise<void> {
    if (this.#presence.isGone) return
    this.#fail(failure('Error', 'ECONNRESET', 'read ECONNRESET'))
    this.#leave('cut')
  }

  stop(): void {
    if (this.#presence.isGone) return
    this.#fail(closed('other side closed'))
    this.#leave('stopped')
  }

  #head(status: number, reason: string, headers: readonly (readonly [string, string])[]): void {
    if (status === 100) throw closed('bad response')
    if (status < 200) return
    const all = new Headers(headers.map(([name, value]) => [name, value]))
    if (neverWithBody.has(status)) {
      this.#resolve(new Response(null, { status, statusText: reason, headers: all }))
      return
    }
    this.#body = new Body(all.get('content-encoding') === 'gzip', () => this.#leave('aborted'))
    this.#resolve(new Response(this.#body.stream, { status, statusText: reason, headers: all }))
  }

  #fail(cause: unknown): void {
    this.#break(new TypeError('fetch failed', { cause }), new TypeError('terminated', { cause }))
  }

  /** The one reason is for a client that still waits for the head, the other for one that reads the body. */
  #break(beforeHead: unknown, inBody: unknown): void {
    if (this.#isSettled) return
    this.#isSettled = true
    if (this.#body) this.#body.fail(inBody)
    else this.#reject(beforeHead)
  }

  #leave(outcome: Outcome): void {
    if (this.#outcome === 'open') this.#outcome = outcome
    this.#isSettled = true
    this.#presence.leave()
  }
}

/** The body as the client reads it: decompressed as `fetch` does it, which takes an early end of gzip for the end. */
class Body {
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

  give(bytes: Buffer): void {
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

const closed = (message: string) => failure('SocketError', 'UND_ERR_SOCKET', message)

const failure = (name: string, code: string, message: string) =>
  Object.assign(new Error(message), { name, code })
