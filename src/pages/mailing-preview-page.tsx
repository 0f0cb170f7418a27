import type { SpaceRig } from '../rig/space-rig.ts'
import { latestVersion } from '../service/mailings.ts'
import { renderVersion } from '../service/previews-and-tests.ts'
import type { Mailing } from '../store/rows.ts'
import { Empty, Live } from './components/elements.tsx'
import {
  findMailing,
  findReader,
  PreviewSwitches,
  previewQuery,
  ReaderChoice,
  VersionChip,
  type VersionKind,
  VersionPreview,
  versionKindOf,
  withReader,
} from './mailing-versions.tsx'
import { type PageCall, type PageContent, page } from './page.ts'

/** `svc:mailing-preview-draft` and `svc:mailing-preview-approved`: a single version. */
export default page({
  query: previewQuery,
  async show(call) {
    const rig = await call.rig()
    const mailing = findMailing(rig, call.params.id)
    const kind = versionKindOf(call)
    const version = mailing[kind]
    const reader = findReader(rig, mailing, call.query.for)
    const editor = call.inSpace(rig.space.name, `/mailings/${encodeURIComponent(mailing.id)}`)
    if (!version) return missingVersionPage(call, { rig, mailing, kind })
    const { subject } = renderVersion(version, reader?.profile)
    return {
      title: version.name,
      space: rig,
      tab: 'mailings',
      policy: { 'frame-src': "'self'" },
      content: (
        <div class="editor">
          <Live id="preview-head" on="mailing reset">
            <h1>{subject || '(no subject)'}</h1>
            <p class="row">
              <VersionChip kind={kind} number={version.number} />
              <a href={withReader(editor, reader)}>All of this mailing</a>
            </p>
          </Live>
          <div class="row between editor-bar">
            <ReaderChoice rig={rig} mailing={mailing} reader={reader} href={`${editor}/${kind}`} />
            <PreviewSwitches />
          </div>
          <Live id="versions" on="mailing reset">
            <VersionPreview
              mailing={mailing}
              kind={kind}
              reader={reader}
              href={`${editor}/${kind}`}
              isAlone
            />
          </Live>
        </div>
      ),
    }
  },
})

/** The page for a version that the mailing does not have. */
function missingVersionPage(
  call: PageCall,
  { rig, mailing, kind }: { rig: SpaceRig; mailing: Mailing; kind: VersionKind },
): PageContent {
  const { name } = latestVersion(mailing)
  const editor = call.inSpace(rig.space.name, `/mailings/${encodeURIComponent(mailing.id)}`)
  const other = kind === 'draft' ? 'approved' : 'draft'
  return {
    title: name,
    status: 404,
    space: rig,
    tab: 'mailings',
    content: (
      <Live id="preview-head" on="mailing reset">
        <h1>{name}</h1>
        <Empty title={kind === 'draft' ? 'This mailing has no draft' : 'This mailing is not approved yet'}>
          <p>
            {kind === 'draft'
              ? 'It was approved as it is. A draft comes into being when somebody goes on editing.'
              : 'Until its draft is approved, the service refuses every sending of it.'}
          </p>
          <p class="row">
            <a href={`${editor}/${other}`}>
              {kind === 'draft' ? 'See the approved version' : 'See the draft'}
            </a>
            <a href={editor}>All of this mailing</a>
          </p>
        </Empty>
      </Live>
    ),
  }
}
