import { rendered } from '../../service/preview.ts'
import { problems } from '../../service/problem.ts'
import { page } from '../page.ts'
import { frameQuery, mailingAt, versionKind } from './editor-lookup.ts'
import { readerOf } from './editor-profiles.tsx'

/**
 * What a mailing may do in its frame: look as it was written to look. It runs no script, loads nothing from anywhere,
 * sends no form, and has an origin of its own, also when its address is opened by itself.
 */
const policy = [
  "default-src 'none'",
  "style-src 'unsafe-inline'",
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'self'",
  'sandbox',
].join('; ')

/** The HTML part of a version, for the frame of its preview. */
export default page('/spaces/{space}/mailings/{id}', {
  query: frameQuery,
  async show(call) {
    const rig = await call.rig()
    const mailing = mailingAt(rig, call.params.id)
    const kind = versionKind(call)
    const version = mailing[kind]
    if (!version) throw problems.notFound(`${kind} version of mailing ${mailing.id}`)
    const { htmlContent } = rendered(version, readerOf(rig, mailing, call.query.for)?.profile)
    return new Response(htmlContent, {
      headers: {
        'Content-Type': 'text/html; charset=UTF-8',
        'Content-Security-Policy': policy,
        'X-Content-Type-Options': 'nosniff',
        'Referrer-Policy': 'no-referrer',
        'Cross-Origin-Resource-Policy': 'same-origin',
        'Cache-Control': 'no-cache',
      },
    })
  },
})
