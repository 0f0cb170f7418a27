import { STATUS_CODES } from 'node:http'
import { z } from 'zod'
import { defineFault, type Fault } from './fault.ts'

/** A path on this server only: not `//host`, no backslash that a client might read as a slash, nothing but ASCII. */
const ownPath = /^\/(?:$|[!-.0-[\]-~][!-[\]-~]*$)/

const redirectSettings = z.strictObject({
  location: z
    .string()
    .max(2_000)
    .regex(ownPath, 'expected a path on this server, such as /mailings')
    .optional()
    .describe('A path on this server; the path of the request where not given'),
})

const redirect = (status: 301 | 302 | 303 | 307 | 308, consequence: string): Fault =>
  defineFault({
    name: `redirect-${status}`,
    group: 'wrong',
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

/** The request of a redirected POST changes nothing here; a client that follows may believe that it did. */
export const redirects: readonly Fault[] = [
  redirect(301, readsInstead),
  redirect(302, readsInstead),
  redirect(303, readsInstead),
  redirect(307, sendsAgain),
  redirect(308, sendsAgain),
]
