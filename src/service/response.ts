import { successMediaTypes } from './dials.ts'
import type { Refusal } from './problem.ts'

/** A response as plain values: it can be read, cut or changed without a stream. */
export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** Empty for none. */
  readonly body: string | Buffer
  /** The problem that it reports, if any; the body may say less. */
  readonly problem?: Refusal | undefined
}

/** The answer as a web `Response`. */
export function toResponse({ status, headers, body }: Answer, statusText = ''): Response {
  const init = { status, statusText, headers }
  return new Response(body.length === 0 ? null : (body as string | Buffer<ArrayBuffer>), init)
}

/** The Content-Type of every success, to the letter. */
export const halType = successMediaTypes.charset

/** Answers with a HAL document: an object, or its JSON as text or bytes. */
export function halAnswer(
  document: object | string | Buffer,
  status: 200 | 201 = 200,
  location?: string,
): Answer {
  const isText = typeof document === 'string' || Buffer.isBuffer(document)
  const body = isText ? document : JSON.stringify(document)
  const headers = location === undefined ? halHeaders : { 'Content-Type': halType, Location: location }
  return { status, headers, body }
}

/** The answer to HEAD: that to GET with its length, without its body. */
export function withoutBody(answer: Answer): Answer {
  const { 'Content-Length': length = String(Buffer.byteLength(answer.body)) } = answer.headers
  return { ...answer, headers: { ...answer.headers, 'Content-Length': length }, body: '' }
}

/** As `halAnswer`, as a web `Response`. */
export const halResponse = (...of: Parameters<typeof halAnswer>): Response => toResponse(halAnswer(...of))

export const halHeaders = { 'Content-Type': halType }

/** A date-time as the service writes it: UTC, three fraction digits, `Z`. @param milliseconds since 1970 */
export const formatDateTime = (milliseconds: number): string => new Date(milliseconds).toISOString()

/** The later of two date-times as the service writes them. */
export const laterOf = (a: string, b: string): string => (a > b ? a : b)
