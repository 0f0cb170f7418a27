import { STATUS_CODES } from 'node:http'
import { z } from 'zod'
import type { Answer } from '../../service/response.ts'
import { realClock } from '../clock.ts'

/** What a fault can do to the connection of one request. No method fails when the client has left. */
export interface Wire {
  /** Writes raw bytes, head included. Resolves when they are handed to the operating system. */
  write(bytes: string | Uint8Array): Promise<void>
  /** Closes the connection in order (FIN). `whole`: the answer is complete, nothing is cut. Resolves when it is done. */
  end(what?: 'whole'): Promise<void>
  /** Breaks the connection (RST). Resolves when it is done. */
  reset(): Promise<void>
  /** Resolves when the client has left, the server stops, or the request is over for any other reason. */
  readonly gone: Promise<void>
  /** Waits in real time, at most until the client leaves. Returns false if it left. */
  pause(milliseconds: number): Promise<boolean>
}

/** What a fault may use besides the answer. */
export interface FaultContext {
  /** Base URL of this server, without a slash at the end. */
  readonly base: string
  /** Path and query of the request. */
  readonly path: string
  /** At least 0, below 1; equal for the same space, request and purpose. */
  readonly fraction: (purpose: string) => number
}

export const faultGroups = ['no answer', 'cut', 'slow', 'wrong'] as const
export type FaultGroup = (typeof faultGroups)[number]

interface FaultDescription<Settings> {
  readonly name: string
  /** One sentence for documentation and error messages: what the client sees. */
  readonly description: string
  readonly group: FaultGroup
  /** Schema of what is written beside `fault:` in a scenario; strict. */
  readonly settings: z.ZodType<Settings>
  /**
   * When it can be applied; always by default. `before body`: as soon as the request's head has arrived, only in phase
   * `before`. `on reused connection`: only on a connection that has carried a request before.
   */
  readonly applies?: 'before body' | 'on reused connection'
}

/** Acts on the connection instead of sending the answer. `deliver` resolves when nothing more will be done. */
export interface WireFault<Settings = unknown> extends FaultDescription<Settings> {
  deliver(answer: Answer, wire: Wire, settings: Settings, context: FaultContext): Promise<void>
}

/** Replaces the answer; the replacement is delivered completely and in order. */
export interface AnswerFault<Settings = unknown> extends FaultDescription<Settings> {
  falsify(answer: Answer, settings: Settings, context: FaultContext): Answer
}

export type Fault<Settings = unknown> = WireFault<Settings> | AnswerFault<Settings>

/** Sends these bytes instead of the answer, then ends the exchange. */
interface BytesFault<Settings> extends FaultDescription<Settings> {
  bytes(answer: Answer, settings: Settings): Uint8Array
  /** `end`: FIN; `reset`: RST; `wait`: nothing more, until the client leaves. */
  readonly after: 'end' | 'reset' | 'wait'
}

type Ungrouped<Settings, It> = It extends unknown
  ? Omit<It, 'group' | 'settings'> & { readonly settings?: z.ZodType<Settings> }
  : never

/** Defines the faults of a group. Ties the type of the settings, none by default, to the functions that receive them. */
export const faultDefiner =
  (group: FaultGroup) =>
  <Settings>(fault: Ungrouped<Settings, Fault<Settings> | BytesFault<Settings>>): Fault =>
    ({ settings: z.strictObject({}), ...('bytes' in fault ? toWireFault(fault) : fault), group }) as Fault

const toWireFault = <Settings>({ bytes, after, ...fault }: Ungrouped<Settings, BytesFault<Settings>>) => ({
  ...fault,
  async deliver(answer: Answer, wire: Wire, settings: Settings) {
    await wire.write(bytes(answer, settings))
    await (after === 'wait' ? wire.gone : wire[after]())
  },
})

/** Headers that tell a client where the body ends. */
export type Framing = Readonly<Record<string, string>>

/** Headers that are set here; those of the answer are ignored. */
const managedHeaders = new Set(['content-length', 'transfer-encoding', 'date', 'connection', 'keep-alive'])

export const bodyBytes = ({ body }: Answer): Buffer => (Buffer.isBuffer(body) ? body : Buffer.from(body))

/** The framing that Node uses for a complete body; empty if HTTP allows no body. An answer to HEAD says its length itself. */
export function wholeFraming(answer: Answer): Framing {
  const neverHasBody = answer.status === 204 || answer.status === 304
  const length = answer.headers['Content-Length'] ?? String(bodyBytes(answer).length)
  return neverHasBody ? {} : { 'Content-Length': length }
}

/** The head of an answer, byte for byte as Node sends it, including the empty line at its end. */
export function headBytes(
  answer: Answer,
  framing: Framing = wholeFraming(answer),
  connection: 'keep-alive' | 'close' = 'keep-alive',
): Buffer {
  const { status, headers } = answer
  const lines = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'unknown'}`,
    ...headerLines(Object.entries(headers).filter(([name]) => !managedHeaders.has(name.toLowerCase()))),
    // Real time where no dial says otherwise: the client compares it with its own clock.
    `Date: ${headers.Date ?? new Date(realClock.now()).toUTCString()}`,
    `Connection: ${connection}`,
    ...headerLines(Object.entries(framing)),
  ]
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1')
}

const headerLines = (entries: [string, string][]) => entries.map(([name, value]) => `${name}: ${value}`)

/** The head up to the middle of a header name: of Location if there is one, else of the last header. */
export function cutHead(head: Buffer): Buffer {
  const text = head.toString('latin1')
  const location = text.search(/\r\nlocation:/i)
  const lastLine = text.lastIndexOf('\r\n', text.length - 5)
  const lineAt = location < 0 ? lastLine : location
  return head.subarray(0, lineAt + '\r\nLoca'.length)
}

/** The answer with another body, without the headers for the old body's length and encoding. */
export function withBody(answer: Answer, body: string | Buffer, headers: Answer['headers'] = {}): Answer {
  return {
    status: answer.status,
    headers: {
      ...withoutHeaders(answer, 'content-length', 'content-encoding', ...Object.keys(headers)),
      ...headers,
    },
    body,
  }
}

/** The headers of an answer without the given ones; names are case-insensitive. */
export function withoutHeaders({ headers }: Answer, ...names: string[]): Record<string, string> {
  const dropped = new Set(names.map(name => name.toLowerCase()))
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !dropped.has(name.toLowerCase())))
}

export const partSettings = z.strictObject({
  bytes: z
    .int()
    .min(0)
    .optional()
    .describe('How many bytes of the body go out, at most all but one; half of them where not given'),
})

export type PartSettings = z.output<typeof partSettings>

/** The first bytes of a body, never all of them. */
export function firstBytes(body: Buffer, bytes = Math.floor(body.length / 2)): Buffer {
  return body.subarray(0, Math.min(bytes, Math.max(body.length - 1, 0)))
}

/** The head and a part of the body. Without a body the head is cut, so that the client never gets a complete answer. */
export function partBytes(
  answer: Answer,
  { bytes }: PartSettings,
  framing: Framing = wholeFraming(answer),
  connection: 'keep-alive' | 'close' = 'keep-alive',
): Buffer {
  const head = headBytes(answer, framing, connection)
  const body = bodyBytes(answer)
  return body.length === 0 ? cutHead(head) : Buffer.concat([head, firstBytes(body, bytes)])
}

/** The head and one good chunk; an answer without a body is cut in its head. */
export function chunkBytes(answer: Answer, { bytes }: PartSettings, more = ''): Buffer {
  const head = headBytes(answer, { 'Transfer-Encoding': 'chunked' })
  const body = bodyBytes(answer)
  if (body.length === 0) return cutHead(head)
  const part = firstBytes(body, bytes)
  // A chunk without bytes would be the last one.
  const chunk = part.length === 0 ? [] : [`${part.length.toString(16)}\r\n`, part, '\r\n']
  return Buffer.concat([head, ...chunk.map(piece => Buffer.from(piece)), Buffer.from(more)])
}

/** Sends a complete answer over a wire, then closes the connection. */
export async function deliverWhole(answer: Answer, wire: Wire): Promise<void> {
  await wire.write(Buffer.concat([headBytes(answer, wholeFraming(answer), 'close'), bodyBytes(answer)]))
  await wire.end('whole')
}
