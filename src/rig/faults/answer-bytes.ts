import { STATUS_CODES } from 'node:http'
import type { Answer } from '../../service/answer.ts'
import { realClock } from '../clock.ts'

/** Headers by which a client knows where the body ends. */
export type Framing = Readonly<Record<string, string>>

/** Set here, whatever the answer says of them. */
const ours = new Set(['content-length', 'transfer-encoding', 'date', 'connection', 'keep-alive'])

export const bodyOf = ({ body }: Answer): Buffer => (Buffer.isBuffer(body) ? body : Buffer.from(body))

/** What Node says of a body that it knows whole; nothing where HTTP allows no body. */
export function wholeFraming(answer: Answer): Framing {
  const neverHasBody = answer.status === 204 || answer.status === 304
  return neverHasBody ? {} : { 'Content-Length': String(bodyOf(answer).length) }
}

/** The head of an answer, byte for byte as Node would send it, with the empty line at its end. */
export function headOf(
  answer: Answer,
  framing: Framing = wholeFraming(answer),
  connection: 'keep-alive' | 'close' = 'keep-alive',
): Buffer {
  const { status, headers } = answer
  const lines = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'unknown'}`,
    ...fields(Object.entries(headers).filter(([name]) => !ours.has(name.toLowerCase()))),
    // Real time, whatever the space's clock says: the client's own clock reads it.
    `Date: ${new Date(realClock.now()).toUTCString()}`,
    `Connection: ${connection}`,
    ...fields(Object.entries(framing)),
  ]
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1')
}

const fields = (entries: [string, string][]) => entries.map(([name, value]) => `${name}: ${value}`)

/** The head up to the middle of a header's name: of Location where there is one, else of the last. */
export function cutHead(head: Buffer): Buffer {
  const text = head.toString('latin1')
  const location = text.search(/\r\nlocation:/i)
  const lastLine = text.lastIndexOf('\r\n', text.length - 5)
  const lineAt = location < 0 ? lastLine : location
  return head.subarray(0, lineAt + '\r\nLoca'.length)
}

/** The answer with another body; headers that spoke of the old one's length or encoding are left out. */
export function withBody(answer: Answer, body: string | Buffer, headers: Answer['headers'] = {}): Answer {
  return {
    status: answer.status,
    headers: {
      ...without(answer, 'content-length', 'content-encoding', ...Object.keys(headers)),
      ...headers,
    },
    body,
  }
}

/** The headers of an answer without some; names in any case. */
export function without({ headers }: Answer, ...names: string[]): Record<string, string> {
  const dropped = new Set(names.map(name => name.toLowerCase()))
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !dropped.has(name.toLowerCase())))
}
