import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { redactTarget } from '../rig/redaction.ts'
import type { Delivery } from '../rig/request-record.ts'
import { countNoun } from '../rig/words.ts'
import type { Log } from './logger.ts'

/** How an exchange ended. */
interface ExchangeEnd {
  /** Of the response that was meant for the client; undefined if there was none yet. */
  readonly status: number | undefined
  readonly delivered: Exclude<Delivery, 'open'>
  /** Bytes of it that left. */
  readonly bytesSent: number
  /** Whether the mock reset the connection. */
  readonly isReset?: boolean
}

const endWords: Readonly<Record<ExchangeEnd['delivered'], (bytes: string | undefined) => string>> = {
  handed: () => 'answered',
  none: () => 'withheld',
  cut: bytes => `cut after ${bytes}`,
  aborted: bytes => (bytes === undefined ? 'client left' : `client left after ${bytes}`),
  'server-stopped': bytes => (bytes === undefined ? 'mock stopped' : `mock stopped after ${bytes}`),
}

/** The line of one request, written once. */
export class LogEntry {
  readonly #log: Log
  readonly #incoming: IncomingMessage
  /** The target as the client sent it: what follows may have another form. */
  readonly #target: string
  /** Whether somebody else than Node says how the exchange ended. */
  isClaimed = false
  #isWritten = false
  #record: { readonly space: string | undefined; readonly request: string } | undefined

  constructor(log: Log, incoming: IncomingMessage) {
    this.#log = log
    this.#incoming = incoming
    this.#target = incoming.url ?? ''
  }

  /** @param space undefined where the request belongs to none */
  nameRecord(request: string, space: string | undefined): void {
    this.#record = { space, request }
  }

  /** Only the first call counts: a client that leaves ends an exchange before its answer is made. */
  close({ status, delivered, bytesSent, isReset }: ExchangeEnd): void {
    if (this.#isWritten) return
    this.#isWritten = true
    const bytes = bytesSent === 0 && delivered !== 'cut' ? undefined : countNoun(bytesSent, 'byte')
    const words = endWords[delivered](bytes)
    this.#log.info(isReset ? `${words}, connection reset` : words, {
      method: this.#incoming.method,
      path: showTarget(this.#target),
      ...this.#record,
      status,
    })
  }
}

/** Writes a line for each request, with what its client was told, and for each connection that brought none. */
export class AccessLog {
  readonly #log: Log
  readonly #entries = new WeakMap<ServerResponse, LogEntry>()

  constructor(log: Log) {
    this.#log = log
  }

  /** Begins the line of a request. It is written when the exchange is over. */
  open(incoming: IncomingMessage, outgoing: ServerResponse): void {
    const entry = new LogEntry(this.#log, incoming)
    this.#entries.set(outgoing, entry)
    outgoing.once('close', () => {
      if (entry.isClaimed) return
      const delivered = outgoing.writableFinished ? 'handed' : 'aborted'
      entry.close({ status: outgoing.statusCode, delivered, bytesSent: 0 })
    })
  }

  /** The line of the request with this response, whose end the caller tells. */
  claim(outgoing: ServerResponse): LogEntry | undefined {
    const entry = this.#entries.get(outgoing)
    if (entry) entry.isClaimed = true
    return entry
  }

  /**
   * Writes the line of a connection that brought no request that could be answered as one.
   * @param status that its client was told; undefined if nothing
   * @param of what could be read of a request
   */
  refusal(
    { remoteAddress, remotePort }: Socket,
    why: string,
    status: number | undefined,
    of?: IncomingMessage,
  ): void {
    this.#log.info(`refused: ${why}`, {
      ...(of && { method: of.method, path: showTarget(of.url ?? '') }),
      client: remoteAddress === undefined ? undefined : `${remoteAddress}:${remotePort}`,
      status,
    })
  }
}

/** A target without the credentials that a URL may contain, before its host or in its query. */
const showTarget = (target: string) => redactTarget(target.replace(/^([^/?#]*\/\/)?[^/?#@]*@/, '$1(hidden)@'))
