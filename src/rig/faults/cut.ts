import { STATUS_CODES } from 'node:http'
import { gzipSync } from 'node:zlib'
import { z } from 'zod'
import {
  bodyBytes,
  chunkBytes,
  cutHead,
  type Fault,
  faultDefiner,
  firstBytes,
  headBytes,
  inChunks,
  partBytes,
  partSettings,
  withBody,
  withFraming,
  withoutLength,
} from './fault.ts'

const defineNoAnswer = faultDefiner('no answer')
const define = faultDefiner('cut')

const gzipHeader = 10

/** Extra bytes for an answer without a body. */
const extraBytes = Buffer.from('{}')

export const noAnswerFaults: readonly Fault[] = [
  defineNoAnswer({
    name: 'hang',
    description:
      'Nothing arrives, and the connection stays open; the client needs a deadline of its own to end the wait.',
    takesTime: true,
    deliver: (_answer, wire) => wire.gone,
  }),
  defineNoAnswer({
    name: 'close',
    description: 'The connection is closed in order (FIN) without a byte of a response.',
    deliver: (_answer, wire) => wire.end(),
  }),
  defineNoAnswer({
    name: 'reset',
    description: 'The connection is broken (TCP RST) without a byte of a response.',
    deliver: (_answer, wire) => wire.reset(),
  }),
  defineNoAnswer({
    name: 'reset-upload',
    description: 'The connection is broken (TCP RST) while the client still sends the body of its request.',
    applies: 'before body',
    deliver: (_answer, wire) => wire.reset(),
  }),
  defineNoAnswer({
    name: 'keepalive-race',
    description:
      'A connection that has carried a request before is broken (TCP RST) as it is used again; a fresh one is not.',
    applies: 'on reused connection',
    deliver: (_answer, wire) => wire.reset(),
  }),
]

/** The answer breaks off, or its length is wrong. */
export const cutFaults: readonly Fault[] = [
  define({
    name: 'status-cut',
    description: 'The connection ends in the middle of the status line, as in "HTTP/1.1 201 Cre".',
    bytes(answer) {
      const reason = STATUS_CODES[answer.status] ?? ''
      return headBytes(answer).subarray(0, 'HTTP/1.1 201 '.length + Math.floor(reason.length / 2))
    },
    after: 'end',
  }),
  define({
    name: 'headers-cut',
    description:
      'The connection ends within the headers, in the name of Location where there is one. Some clients take it for a response with an empty body.',
    bytes: answer => cutHead(headBytes(answer)),
    after: 'end',
  }),
  define({
    name: 'headers-then-reset',
    description: 'All headers arrive, then the connection is broken (TCP RST) before the body.',
    // Without a body, the whole head would be a complete answer.
    bytes: answer => (answer.body.length === 0 ? cutHead(headBytes(answer)) : headBytes(answer)),
    after: 'reset',
  }),
  define({
    name: 'truncate',
    description: 'The connection ends in order (FIN) before as many bytes came as Content-Length promised.',
    settings: partSettings,
    bytes: partBytes,
    after: 'end',
  }),
  define({
    name: 'truncate-eof',
    description:
      'A body without a length, ended too early by the end of the connection. No client can tell; most take it for complete.',
    settings: partSettings,
    tell: withoutLength,
    bytes: partBytes,
    after: 'end',
  }),
  define({
    name: 'truncate-gzip',
    description:
      'A gzip body without its end, under a Content-Length that fits what is left; many clients give out the shorter text without an error.',
    settings: z.strictObject({
      missing: z
        .int()
        .min(1)
        .default(12)
        .describe('How many bytes of the compressed body are missing at its end'),
    }),
    falsify(answer, { missing }) {
      const zipped = gzipSync(bodyBytes(answer))
      const status = answer.status === 204 ? 200 : answer.status
      const rest = zipped.subarray(0, Math.max(gzipHeader, zipped.length - missing))
      return withBody({ ...answer, status }, rest, { 'Content-Encoding': 'gzip' })
    },
  }),
  define({
    name: 'chunk-cut',
    description: 'A chunked body; the connection ends (FIN) before the last chunk.',
    settings: partSettings,
    tell: inChunks,
    bytes: chunkBytes,
    after: 'end',
  }),
  define({
    name: 'length-short',
    description:
      'Content-Length promises fewer bytes than come. Some clients stop there and are content, others stumble over the rest.',
    settings: partSettings,
    tell: (answer, { bytes }) =>
      withFraming(answer, { 'Content-Length': String(firstBytes(bodyBytes(answer), bytes).length) }),
    bytes(response) {
      const body = bodyBytes(response)
      return Buffer.concat([headBytes(response), body.length === 0 ? extraBytes : body])
    },
    after: 'end',
  }),
  define({
    name: 'reset-mid-body',
    description: 'The connection is broken (TCP RST) in the middle of the body.',
    settings: partSettings,
    bytes: partBytes,
    after: 'reset',
  }),
]
