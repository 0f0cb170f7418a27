import { z } from 'zod'
import { members } from '../control/schemas.ts'
import { latestVersion } from '../service/mailings.ts'
import { renderVersion } from '../service/previews-and-tests.ts'
import { problems } from '../service/problem.ts'
import { Empty, Live } from './components/elements.tsx'
import {
  findMailing,
  findReader,
  mailingName,
  PreviewBar,
  previewQuery,
  VersionChip,
  VersionPreview,
  withReader,
} from './mailing-versions.tsx'
import { page, spacePage } from './page.ts'

/** The version in an address below a mailing: `/draft`, `/approved/html`. */
const versionKindOf = ({ request }: { readonly request: Request }) =>
  /\/draft(?:\/html)?\/?$/.test(new URL(request.url).pathname) ? 'draft' : 'approved'

/** `svc:mailing-preview-draft` and `svc:mailing-preview-approved`: a single version. */
export default spacePage('mailings', {
  query: previewQuery,
  show(call, rig) {
    const mailing = findMailing(rig, call.params.id)
    const kind = versionKindOf(call)
    const version = mailing[kind]
    const reader = findReader(rig, mailing, call.query.for)
    const editor = call.here('/mailings', mailing.id)
    const props = { rig, mailing, reader, href: `${editor}/${kind}` }
    return {
      title: (version ?? latestVersion(mailing)).name,
      status: version ? 200 : 404,
      ...(version && { policy: { 'frame-src': "'self'" } }),
      content: version ? (
        <div class="editor">
          <Live id="preview-head" on="mailing reset">
            <h1>{renderVersion(version, reader?.profile).subject || '(no subject)'}</h1>
            <p class="row">
              <VersionChip kind={kind} number={version.number} />
              <a href={withReader(editor, reader)}>All of this mailing</a>
            </p>
          </Live>
          <PreviewBar {...props} />
          <Live id="versions" on="mailing reset">
            <VersionPreview {...props} kind={kind} isAlone />
          </Live>
        </div>
      ) : (
        <Live id="preview-head" on="mailing reset">
          <h1>{mailingName(mailing)}</h1>
          <Empty title={kind === 'draft' ? 'This mailing has no draft' : 'This mailing is not approved yet'}>
            <p>
              <a href={editor}>All of this mailing</a>
            </p>
          </Empty>
        </Live>
      ),
    }
  },
})

/** For a mailing in its frame: nothing but styles, and an opaque origin, also when the address is opened directly. */
const framePolicy = [
  "default-src 'none'",
  "style-src 'unsafe-inline'",
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'self'",
  'sandbox',
].join('; ')

/** `content` changes the frame's address with its content, so that the browser reloads it. It has no other meaning. */
const frameQuery = members({ ...previewQuery.shape, content: z.string().optional() })

/** The HTML part of a version, for the preview frame. */
export const htmlPage = page({
  query: frameQuery,
  async show(call) {
    const rig = await call.rig()
    const mailing = findMailing(rig, call.params.id)
    const kind = versionKindOf(call)
    const version = mailing[kind]
    if (!version) throw problems.notFound(`${kind} version of mailing ${mailing.id}`)
    const { htmlContent } = renderVersion(version, findReader(rig, mailing, call.query.for)?.profile)
    return new Response(call.tools.outgoing.body(htmlContent, call.arrival), {
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
