import { rendered } from '../service/preview.ts'
import { problems } from '../service/problem.ts'
import { page } from './page.ts'

/** `svc:mailing-preview-draft` and `svc:mailing-preview-approved` */
export default page('/spaces/{space}/mailings/{id}', {
  async show(call) {
    const rig = await call.rig()
    const { space } = rig
    const { id } = call.params
    const kind = new URL(call.request.url).pathname.endsWith('/draft') ? 'draft' : 'approved'
    const version = space.data.tables.mailings.get(id)?.[kind]
    if (!version)
      throw problems.notFound(
        `${kind} version of mailing ${id} in space ${space.name}; it may have been reset since`,
      )
    const { subject, htmlContent, textContent } = rendered(version)
    return {
      title: version.name,
      space: rig,
      // The frame is under the policy of the page around it, and a mailing has styles of its own.
      policy: { 'style-src': "'self' 'unsafe-inline'" },
      content: (
        <>
          <h1>{subject || '(no subject)'}</h1>
          <p class="soft">
            <a href={call.inSpace(space.name, `/mailings/${encodeURIComponent(id)}`)}>{version.name}</a>,{' '}
            {kind} version
          </p>
          <iframe sandbox="" title="HTML part of the mailing" class="preview" srcdoc={htmlContent} />
          <h2>Text part</h2>
          <pre>{textContent}</pre>
        </>
      ),
    }
  },
})
