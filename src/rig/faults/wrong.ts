import { STATUS_CODES } from 'node:http'
import { z } from 'zod'
import {
  bodyBytes,
  chunkBytes,
  deliverWhole,
  type Fault,
  faultDefiner,
  firstBytes,
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

const redirect = (status: 301 | 302 | 303 | 307 | 308, consequence: string): Fault =>
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

/** A redirected request is not processed; a client that follows the redirect may believe that it was. */
const redirects: readonly Fault[] = [
  redirect(301, readsInstead),
  redirect(302, readsInstead),
  redirect(303, readsInstead),
  redirect(307, sendsAgain),
  redirect(308, sendsAgain),
]

/** The answer is not what it should be. */
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
    bytes: (answer, settings) => chunkBytes(answer, settings, 'zz\r\n'),
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
      status: z.literal([200, 201, 204]).default(201).describe('The status of the empty answer'),
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
      status: z.literal([100, 102, 103]).default(103).describe('The status of the informational answer'),
    }),
    async deliver(answer, wire, { status }) {
      const link = status === 103 ? 'Link: </mailings>; rel=preload\r\n' : ''
      await wire.write(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${link}\r\n`)
      await deliverWhole(answer, wire)
    },
  }),
  ...redirects,
]
