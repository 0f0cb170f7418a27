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
  /** Whether the response takes time, or never comes to an end by itself. */
  readonly takesTime?: true
}

/** A response before the final one (RFC 9110, 15.2). */
export interface InformationalResponse {
  readonly status: number
  readonly headers: Answer['headers']
}

/** A response as a fault on the wire sends it. */
export interface ToldResponse extends Answer {
  /** Responses before it; undefined for none. */
  readonly informational?: readonly InformationalResponse[] | undefined
}

/** Acts on the connection instead of sending the answer. */
export interface WireFault<Settings = unknown> extends FaultDescription<Settings> {
  /**
   * What it changes in the headers, or sends before them: the record shows this response as told. Without it the headers are
   * those of the answer.
   */
  tell?(answer: Answer, settings: Settings): ToldResponse
  /** Sends the response that `tell` returned, or less of it. Resolves when nothing more will be done. */
  deliver(response: ToldResponse, wire: Wire, settings: Settings, context: FaultContext): Promise<void>
}

/** The response that a fault on the wire sends in place of an answer. */
export const tellResponse = <Settings>(
  fault: WireFault<Settings>,
  answer: Answer,
  settings: Settings,
): ToldResponse => fault.tell?.(answer, settings) ?? answer

/** Replaces the answer; the replacement is delivered completely and in order. */
export interface AnswerFault<Settings = unknown> extends FaultDescription<Settings> {
  falsify(answer: Answer, settings: Settings, context: FaultContext): Answer
}

export type Fault<Settings = unknown> = WireFault<Settings> | AnswerFault<Settings>

/** Sends these bytes instead of the answer, then ends the exchange. */
interface BytesFault<Settings> extends FaultDescription<Settings>, Pick<WireFault<Settings>, 'tell'> {
  bytes(response: ToldResponse, settings: Settings): Uint8Array
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
  async deliver(response: ToldResponse, wire: Wire, settings: Settings) {
    await wire.write(bytes(response, settings))
    await (after === 'wait' ? wire.gone : wire[after]())
  },
})

/** Headers that tell a client where the body ends, and whether the connection stays open. */
type Framing = { readonly [Name in 'Content-Length' | 'Transfer-Encoding' | 'Connection']?: string }

/** Headers that are set here; those of the answer are ignored. */
const managedHeaders = new Set(['content-length', 'transfer-encoding', 'date', 'connection', 'keep-alive'])

export const bodyBytes = ({ body }: Answer): Buffer => (Buffer.isBuffer(body) ? body : Buffer.from(body))

/** The framing that Node uses for a complete body; empty if HTTP allows no body. An answer to HEAD says its length itself. */
function wholeFraming(answer: Answer): Framing {
  const neverHasBody = answer.status === 204 || answer.status === 304
  const length = answer.headers['Content-Length'] ?? String(bodyBytes(answer).length)
  return neverHasBody ? {} : { 'Content-Length': length }
}

/** The answer with this framing in place of Node's. */
export const withFraming = (answer: Answer, framing: Framing): ToldResponse => ({
  ...answer,
  headers: { ...withoutHeaders(answer, 'Content-Length', 'Transfer-Encoding', 'Connection'), ...framing },
})

/** The whole answer, after which the connection is closed. */
export const closeAfter = (answer: Answer): ToldResponse =>
  withFraming(answer, { ...wholeFraming(answer), Connection: 'close' })

/** A body whose end nothing but the end of the connection shows. */
export const withoutLength = (answer: Answer): ToldResponse => withFraming(answer, { Connection: 'close' })

export const inChunks = (answer: Answer): ToldResponse =>
  withFraming(answer, { 'Transfer-Encoding': 'chunked' })

/**
 * The head of a response, byte for byte as Node sends it, including the empty line at its end. Framing that the response does not
 * have is Node's.
 */
export function headBytes(response: Answer): Buffer {
  const { headers } = response
  const { Connection, Date: date, 'Content-Length': length, 'Transfer-Encoding': encoding } = headers
  const framing = {
    ...(length && { 'Content-Length': length }),
    ...(encoding && { 'Transfer-Encoding': encoding }),
  }
  const isFramed = Connection !== undefined || Object.keys(framing).length > 0
  return headOf(response.status, [
    ...Object.entries(headers).filter(([name]) => !managedHeaders.has(name.toLowerCase())),
    // Real time where no dial says otherwise: the client compares it with its own clock.
    ['Date', date ?? new Date(realClock.now()).toUTCString()],
    ['Connection', Connection ?? 'keep-alive'],
    ...Object.entries(isFramed ? framing : wholeFraming(response)),
  ])
}

function headOf(status: number, headers: readonly (readonly [name: string, value: string])[]): Buffer {
  const lines = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'unknown'}`,
    ...headers.map(([name, value]) => `${name}: ${value}`),
  ]
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1')
}

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
export function partBytes(response: ToldResponse, { bytes }: PartSettings): Buffer {
  const head = headBytes(response)
  const body = bodyBytes(response)
  return body.length === 0 ? cutHead(head) : Buffer.concat([head, firstBytes(body, bytes)])
}

/** The head of a response in chunks and one good chunk; a response without a body is cut in its head. */
export function chunkBytes(response: ToldResponse, { bytes }: PartSettings, more = ''): Buffer {
  const head = headBytes(response)
  const body = bodyBytes(response)
  if (body.length === 0) return cutHead(head)
  const part = firstBytes(body, bytes)
  // A chunk without bytes would be the last one.
  const chunk = part.length === 0 ? [] : [`${part.length.toString(16)}\r\n`, part, '\r\n']
  return Buffer.concat([head, ...chunk.map(piece => Buffer.from(piece)), Buffer.from(more)])
}

/** Sends a whole response over a wire, with those before it, then closes the connection. */
export async function deliverWhole(response: ToldResponse, wire: Wire): Promise<void> {
  for (const { status, headers } of response.informational ?? [])
    await wire.write(headOf(status, Object.entries(headers)))
  await wire.write(Buffer.concat([headBytes(closeAfter(response)), bodyBytes(response)]))
  await wire.end('whole')
}
