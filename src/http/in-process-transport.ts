import { type IncomingMessage, STATUS_CODES, request as sendRequest } from 'node:http'
import { Duplex } from 'node:stream'
import { constants, gunzipSync } from 'node:zlib'
import { deliverWhole } from '../rig/faults/fault.ts'
import { toResponse } from '../service/response.ts'
import { withoutBasePath } from './address.ts'
import type { App, AppResponse } from './transport.ts'
import { applyFault, WatchedWire } from './wire.ts'

/**
 * A `fetch` that answers requests without a socket. A wire fault becomes a rejection or a body that breaks off. It rejects
 * with the same errors as `fetch`, or with the abort reason of the request's signal.
 * @param wires those on which a fault is under way; to be stopped when the mock is closed
 * @param basePaths paths that links begin with, which the app does not see
 */
export function createInProcessFetch(
  app: App,
  wires = new Set<Pick<InProcessWire, 'stop'>>(),
  basePaths: readonly string[] = [],
) {
  // Node collects a Request of which only the signal is referenced; the signal then no longer aborts. So requests are
  // referenced here until they are answered.
  const asking = new Set<readonly unknown[]>()
  return async (input: Request | string | URL, init?: RequestInit): Promise<Response> => {
    const request = removeBasePath(
      input instanceof Request && !init ? input : new Request(input, init),
      basePaths,
    )
    const parts = [input, request]
    const release = () => void asking.delete(parts)
    asking.add(parts)
    try {
      const { response, delivered } = await answerInProcess(app, request, wires)
      if (delivered) void delivered.finally(release)
      else release()
      return response
    } catch (error) {
      release()
      throw error
    }
  }
}

function removeBasePath(request: Request, basePaths: readonly string[]): Request {
  if (basePaths.length === 0) return request
  const { origin, pathname, search } = new URL(request.url)
  const target = pathname + search
  const rest = withoutBasePath(target, basePaths)
  return rest === target ? request : new Request(origin + rest, request)
}

interface InProcessAnswer {
  readonly response: Response | Promise<Response>
  /** Resolves when nothing more will reach the client; undefined when the answer is already complete. */
  readonly delivered?: Promise<void>
}

async function answerInProcess(
  app: App,
  request: Request,
  wires: Set<Pick<InProcessWire, 'stop'>>,
): Promise<InProcessAnswer> {
  request.signal.throwIfAborted()
  const response = app(request)
  const out = response instanceof Promise ? await rejectOnAbort(response, request.signal) : response
  const isHead = request.method === 'HEAD'
  if (!('answer' in out)) return { response: isHead ? new Response(null, out) : out }
  const fault = out.pendingFault
  if (fault || 'Content-Encoding' in out.answer.headers) {
    const wire = new InProcessWire(request.signal, request.method)
    const deliver = () => deliverWhole(out.answer, wire).then(() => out.close('handed', wire.bytesWritten))
    wires.add(wire)
    const delivered = fault ? applyFault(out, fault, wire) : deliver()
    return { delivered: delivered.finally(() => wires.delete(wire)), response: wire.response }
  }
  const answer = isHead ? { ...out.answer, body: '' } : out.answer
  out.close('handed', answer.body.length)
  return { response: toResponse(answer, STATUS_CODES[answer.status] ?? 'unknown') }
}

function rejectOnAbort(out: Promise<AppResponse>, signal: AbortSignal): Promise<AppResponse> {
  return new Promise((resolve, reject) => {
    const abort = () => {
      reject(signal.reason)
      // The client has left, but the work may still finish.
      void out.then(late => 'answer' in late && late.close('aborted', 0))
    }
    if (signal.aborted) return abort()
    signal.addEventListener('abort', abort, { once: true })
    out.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort))
  })
}

/** Up to Node 22 the parser of `fetch` is one for HTTP alone, and its errors have codes. */
const isParserOlder = Number.parseInt(process.versions.undici ?? '7', 10) < 7

type ParseError = NodeJS.ErrnoException & { readonly reason?: string }

/** A wire without a socket: the effect of a fault appears as the global `fetch` would show it. */
export class InProcessWire extends WatchedWire {
  /**
   * Resolves with the head, like `fetch`; the body streams. Rejects, or aborts the body, with the errors of `fetch`:
   * TypeError "fetch failed" or "terminated", the `code` in the `cause`. Redirects are returned, not followed.
   */
  readonly response: Promise<Response>
  /** The connection as Node's client of HTTP sees it, which parses what is written; undefined before anything is. */
  #connection: Promise<Duplex> | undefined
  #incoming: IncomingMessage | undefined
  /** The client has its answer or has given up: nothing that follows reaches it. */
  #isSettled = false
  #body: ResponseBody | undefined
  #resolve!: (response: Response) => void
  #reject!: (reason: unknown) => void
  readonly #method: string

  /** @param signal the request's signal; when it aborts, the client has left @param method after HEAD no body is read */
  constructor(signal?: AbortSignal, method = 'GET') {
    super()
    this.#method = method
    this.response = new Promise((resolve, reject) => {
      this.#resolve = resolve
      this.#reject = reject
    })
    // Avoids an unhandled rejection if the caller has left; the reason stays in the promise.
    this.response.catch(() => {})
    if (!signal) return
    const abort = () => {
      this.#break(signal.reason, signal.reason)
      this.disconnect('aborted')
    }
    signal.addEventListener('abort', abort, { once: true })
    this.onDisconnect(() => signal.removeEventListener('abort', abort))
    if (signal.aborted) abort()
  }

  async write(bytes: string | Uint8Array): Promise<void> {
    const connection = await this.#connect()
    if (this.isDisconnected) return
    const chunk = Buffer.from(bytes)
    this.bytesWritten += chunk.length
    if (!this.#isSettled) connection.push(chunk)
  }

  async end(what?: 'whole'): Promise<void> {
    const connection = await this.#connect()
    if (this.isDisconnected) return
    if (!this.#isSettled && !connection.destroyed) {
      const end = new Promise(resolve => connection.once('close', resolve).once('end', resolve))
      connection.push(null)
      await end
      if (!this.#incoming?.complete) this.#fail(socketError('other side closed'))
    }
    this.disconnect(what === 'whole' ? 'handed' : 'cut')
  }

  async reset(): Promise<void> {
    await this.#connection
    if (this.isDisconnected) return
    this.#fail(socketError('read ECONNRESET', 'Error', 'ECONNRESET'))
    this.disconnect('cut')
  }

  stop(): void {
    if (this.isDisconnected) return
    this.#fail(socketError('other side closed'))
    this.disconnect('server-stopped')
  }

  #connect(): Promise<Duplex> {
    this.#connection ??= new Promise(resolve => {
      const connection = new Duplex({ read() {}, write: (_bytes, _encoding, done) => done() })
      const client = sendRequest({ method: this.#method, createConnection: () => connection })
        .on('continue', () => this.#fail(socketError('bad response')))
        .on('response', incoming => this.#head(incoming))
        .on('error', (error: ParseError) => {
          if (this.#incoming?.complete || error.reason === undefined) return
          const reason = isParserOlder ? error.reason.replace(', RTSP/ or ICE/', '') : error.reason
          const message = `Response does not match the HTTP/1.1 protocol (${reason})`
          const code = isParserOlder ? error.code : undefined
          this.#fail(Object.assign(new Error(message), { name: 'HTTPParserError', code }))
        })
        .once('socket', () => resolve(connection))
      client.end()
      this.onDisconnect(() => {
        // A parser that gets no more lasts as long as its connection.
        if (this.outcome !== 'handed') connection.destroy()
      })
    })
    return this.#connection
  }

  #head(incoming: IncomingMessage): void {
    const { rawHeaders, statusCode: status = 0, statusMessage: statusText = '' } = incoming
    this.#incoming = incoming
    const headers = new Headers()
    for (let at = 0; at < rawHeaders.length; at += 2) headers.append(rawHeaders[at]!, rawHeaders[at + 1]!)
    const isEmpty = this.#method === 'HEAD' || [204, 205, 304].includes(status)
    const body = new ResponseBody(headers.get('content-encoding') === 'gzip', () =>
      this.disconnect('aborted'),
    )
    this.#body = body
    this.#resolve(new Response(isEmpty ? null : body.stream, { status, statusText, headers }))
    incoming
      .on('data', (bytes: Buffer) => body.write(bytes))
      .on('error', () => {})
      .on('end', () => {
        this.#isSettled = true
        body.end()
      })
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
}

/** The body as the client reads it: decompressed like `fetch`, which accepts truncated gzip. */
class ResponseBody {
  readonly stream: ReadableStream<Uint8Array>
  /** What came of a compressed body, and how much of it has been handed on unpacked. */
  readonly #packed: Buffer[] | undefined
  #unpackedLength = 0
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
    if (isGzip) this.#packed = []
  }

  write(bytes: Buffer): void {
    if (this.#packed) this.#unpack(this.#packed, bytes)
    else this.#enqueue(bytes)
  }

  end(): void {
    this.#close()
  }

  fail(reason: unknown): void {
    if (!this.#isOpen) return
    this.#isOpen = false
    this.#controller.error(reason)
  }

  /** At once: what a thread does, virtual time would not wait for. Only faults pack a body, and it is short. */
  #unpack(packed: Buffer[], bytes: Buffer): void {
    packed.push(bytes)
    try {
      const all = gunzipSync(Buffer.concat(packed), { finishFlush: constants.Z_SYNC_FLUSH })
      if (all.length > this.#unpackedLength) this.#enqueue(all.subarray(this.#unpackedLength))
      this.#unpackedLength = all.length
    } catch (cause) {
      this.fail(new TypeError('terminated', { cause }))
    }
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

const socketError = (message: string, name = 'SocketError', code = 'UND_ERR_SOCKET') =>
  Object.assign(new Error(message), { name, code })
