import { renderVersion } from '../service/previews-and-tests.ts'
import { problems } from '../service/problem.ts'
import { findMailing, findReader, frameQuery, versionKindOf } from './mailing-versions.tsx'
import { page } from './page.ts'

/**
 * Policy for a mailing in its frame: styles only. No scripts, no external content, no forms, and an opaque origin, also
 * when the address is opened directly.
 */
const framePolicy = [
  "default-src 'none'",
  "style-src 'unsafe-inline'",
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'self'",
  'sandbox',
].join('; ')

/** The HTML part of a version, for the preview frame. */
export default page({
  query: frameQuery,
  async show(call) {
    const rig = await call.rig()
    const mailing = findMailing(rig, call.params.id)
    const kind = versionKindOf(call)
    const version = mailing[kind]
    if (!version) throw problems.notFound(`${kind} version of mailing ${mailing.id}`)
    const { htmlContent } = renderVersion(version, findReader(rig, mailing, call.query.for)?.profile)
    return new Response(htmlContent, {
      headers: {
        'Content-Type': 'text/html; charset=UTF-8',
        'Content-Security-Policy': framePolicy,
        'X-Content-Type-Options': 'nosniff',
        'Referrer-Policy': 'no-referrer',
        'Cross-Origin-Resource-Policy': 'same-origin',
        'Cache-Control': 'no-cache',
      },
    })
  },
})
