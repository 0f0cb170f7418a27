import { latestVersion } from '../service/mailings.ts'
import { renderVersion } from '../service/previews-and-tests.ts'
import { Empty, Live } from './components/elements.tsx'
import {
  findMailing,
  findReader,
  PreviewBar,
  previewQuery,
  VersionChip,
  VersionPreview,
  versionKindOf,
  withReader,
} from './mailing-versions.tsx'
import { spacePage } from './page.ts'

/** `svc:mailing-preview-draft` and `svc:mailing-preview-approved`: a single version. */
export default spacePage('mailings', {
  query: previewQuery,
  async show(call, rig) {
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
          <h1>{latestVersion(mailing).name}</h1>
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
