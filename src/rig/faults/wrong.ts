import { STATUS_CODES } from 'node:http'
import { z } from 'zod'
import type { Answer } from '../../service/response.ts'
import { knownState, sendingStates } from '../../store/format.ts'
import type { SendingState } from '../../store/rows.ts'
import { bodyJson } from '../recorded-response.ts'
import {
  bodyBytes,
  chunkBytes,
  closeAfter,
  deliverWhole,
  type Fault,
  faultDefiner,
  firstBytes,
  inChunks,
  partSettings,
  withBody,
  withoutHeaders,
} from './fault.ts'

const define = faultDefiner('wrong')

/** A TLS alert after a UTF-16 byte order mark, as from a port that does not speak HTTP. */
const notHttp = Buffer.from([0xff, 0xfe, 0x00, 0x16, 0x15, 0x03, 0x01, 0x00, 0x02, 0x02, 0x46, 0x0d, 0x0a])

const jsonStart = '{"id":'

const mediaType = /^[\w.+-]+\/[\w.+-]+(?:; ?[\w.+-]+=[\w.+-]+)*$/

const maintenancePage = `<!doctype html>
<html lang="en">
<head><title>Maintenance</title></head>
<body><h1>We will be back soon</h1><p>The service is being maintained.</p></body>
</html>
`

/** A path on this server: not `//host`, no backslash (some clients read it as a slash), ASCII only. */
const localPath = /^\/(?:$|[!-.0-[\]-~][!-[\]-~]*$)/

const redirectSettings = z.strictObject({
  location: z
    .string()
    .max(2_000)
    .regex(localPath, 'expected a path on this server, such as /mailings')
    .optional()
    .describe('A path on this server; the path of the request where not given'),
})

/** A redirected request is not processed; a client that follows the redirect may believe that it was. */
const redirect = (status: number, consequence: string): Fault =>
  define({
    name: `redirect-${status}`,
    description: `${status} to the path of the request itself, or to another path here. ${consequence}`,
    settings: redirectSettings,
    falsify(_answer, { location }, { base, path }) {
      const target = `${base}${location ?? path}`
      return {
        status,
        headers: { 'Content-Type': 'text/html; charset=utf-8', Location: target },
        body: `<html><head><title>${status} ${STATUS_CODES[status]}</title></head><body>The document has moved.</body></html>\n`,
      }
    },
  })

const readsInstead = 'Most clients follow a POST with a GET, read the collection, and take that for success.'
const sendsAgain = 'Most clients send the whole request again.'

export const wrongFaults: readonly Fault[] = [
  define({
    name: 'garbage',
    description: 'Bytes that are not HTTP, then the end of the connection.',
    bytes: () => notHttp,
    after: 'end',
  }),
  define({
    name: 'bad-chunk',
    description: 'A chunked body whose second chunk has a size that is no number.',
    settings: partSettings,
    tell: inChunks,
    bytes: (response, settings) => chunkBytes(response, settings, 'zz\r\n'),
    after: 'end',
  }),
  define({
    name: 'malformed-json',
    description: 'The true status and headers over half of the JSON, with a Content-Length that fits it.',
    falsify(answer) {
      const body = bodyBytes(answer)
      // Half of a JSON object is never JSON; half of another value may be.
      const half = body[0] === 0x7b ? firstBytes(body) : Buffer.from(jsonStart)
      return withBody({ ...answer, status: answer.status === 204 ? 200 : answer.status }, half)
    },
  }),
  define({
    name: 'wrong-content-type',
    description: 'The true body under a Content-Type that is not its own.',
    settings: z.strictObject({
      type: z
        .string()
        .regex(mediaType, 'expected a media type such as text/plain; charset=utf-8')
        .default('text/html; charset=utf-8')
        .describe('What Content-Type says'),
    }),
    falsify: (answer, { type }) => ({
      ...answer,
      headers: { 'Content-Type': type, ...withoutHeaders(answer, 'content-type') },
    }),
  }),
  define({
    name: 'html-200',
    description: 'A maintenance page: 200, text/html.',
    falsify: () => ({
      status: 200,
      headers: { 'Content-Type': 'text/html; charset=utf-8' },
      body: maintenancePage,
    }),
  }),
  define({
    name: 'empty-201',
    description:
      'A success without a body: 201 unless told otherwise. Location stays where the true response has one.',
    settings: z.strictObject({
      status: z.literal([200, 201, 204]).default(201).describe('The status of the empty response'),
    }),
    falsify: (answer, { status }) => ({
      status,
      headers: {
        ...withoutHeaders(answer, 'content-type', 'content-length', 'content-encoding'),
        // Otherwise Node would send an empty chunked body.
        ...(status !== 204 && { 'Content-Length': '0' }),
      },
      body: '',
    }),
  }),
  define({
    name: 'early-hints',
    description:
      'An unrequested informational response, then the true one. HTTP allows it; some clients fail or take it for the response.',
    settings: z.strictObject({
      status: z.literal([100, 102, 103]).default(103).describe('The status of the informational response'),
    }),
    tell: (answer, { status }) => ({
      ...closeAfter(answer),
      informational: [{ status, headers: status === 103 ? { Link: '</mailings>; rel=preload' } : {} }],
    }),
    deliver: deliverWhole,
  }),
  ...[301, 302, 303].map(status => redirect(status, readsInstead)),
  ...[307, 308].map(status => redirect(status, sendsAgain)),
]

const identities = ['id', 'transactionId', 'mailingSynchronizationId'] as const

type Json = Readonly<Record<string, unknown>>

function isSending(value: unknown): value is Json & { readonly state: SendingState } {
  if (typeof value !== 'object' || value === null) return false
  const { state, mailingSynchronizationId } = value as Json
  return typeof mailingSynchronizationId === 'string' && knownState(state) !== undefined
}

/** Another ID of the same form: the last digits are changed. */
function otherId(own: string, fraction: number): string {
  const digits = Math.floor(fraction * 16 ** 12)
    .toString(16)
    .padStart(12, '0')
  const start = own.slice(0, -digits.length)
  return start + digits === own ? `${start}${'f'.repeat(digits.length)}` : start + digits
}

/** The answer with the state changed, or removed, in the sending or in each sending of the collection. */
function withState(answer: Answer, change: (state: string) => string | undefined): Answer {
  const whole = bodyJson(answer)
  if (whole === undefined) return answer
  const body = JSON.stringify(whole, (_, value) =>
    isSending(value) ? { ...value, state: change(value.state) } : value,
  )
  return withBody(answer, body)
}

export const sendingFaults: readonly Fault[] = [
  define({
    name: 'foreign-sending',
    description:
      'A sending that is not the one asked for, as after a mix-up in a cache: its IDs, in body, links and Location, are others. Other responses are not changed.',
    settings: z.strictObject({
      change: z
        .array(z.enum(identities))
        .min(1)
        .default([...identities])
        .describe('Which of its IDs are others'),
    }),
    falsify(answer, { change }, context) {
      const sending = bodyJson(answer)
      if (!isSending(sending)) return answer
      const location = Object.entries(answer.headers).find(([name]) => /^location$/i.test(name))?.[1]
      const others = new Map(
        change.flatMap(name => {
          const own = sending[name]
          return typeof own === 'string'
            ? [[own, otherId(own, context.fraction(`foreign ${name}`))] as const]
            : []
        }),
      )
      const inPath = (text: string) => {
        const segments = text.split('/')
        return segments.map(segment => others.get(segment) ?? segment).join('/')
      }
      const body = JSON.stringify(sending, (_, value) => (typeof value === 'string' ? inPath(value) : value))
      return withBody(answer, body, location === undefined ? {} : { Location: inPath(location) })
    },
  }),
  define({
    name: 'stateless-sending',
    description: 'Sendings without the member "state". Other responses are not changed.',
    falsify: answer => withState(answer, () => undefined),
  }),
  define({
    name: 'unknown-state',
    description: 'Sendings in a state that the document does not know. Other responses are not changed.',
    settings: z.strictObject({
      state: z
        .string()
        .regex(/^\w{1,50}$/, 'expected a word of letters, digits and underscores')
        .refine(state => knownState(state) === undefined, {
          error: `expected a state that does not exist; ${sendingStates.join(', ')} do`,
        })
        .default('ACCEPTED')
        .describe('What "state" says'),
    }),
    falsify: (answer, { state }) => withState(answer, () => state),
  }),
  define({
    name: 'lower-case-state',
    description: 'Sendings whose state is written in small letters. Other responses are not changed.',
    falsify: answer => withState(answer, state => state.toLowerCase()),
  }),
]
