import { rendered } from '../../service/preview.ts'
import { problems } from '../../service/problem.ts'
import { Live } from '../components/basics.tsx'
import { page } from '../page.ts'
import { mailingAt, previewQuery, versionKind } from './editor-lookup.ts'
import { forReader, ReaderChoice, readerOf } from './editor-profiles.tsx'
import { PreviewSwitches, VersionChip, VersionPreview } from './editor-version.tsx'

/** `svc:mailing-preview-draft` and `svc:mailing-preview-approved`: one version by itself. */
export default page('/spaces/{space}/mailings/{id}', {
  query: previewQuery,
  async show(call) {
    const rig = await call.rig()
    const mailing = mailingAt(rig, call.params.id)
    const kind = versionKind(call)
    const version = mailing[kind]
    if (!version)
      throw problems.notFound(
        `${kind} version of mailing ${mailing.id} in space "${rig.space.name}" any more, or yet`,
      )
    const reader = readerOf(rig, mailing, call.query.for)
    const editor = call.inSpace(rig.space.name, `/mailings/${encodeURIComponent(mailing.id)}`)
    const { subject } = rendered(version, reader?.profile)
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
              <a href={forReader(editor, reader)}>All of this mailing</a>
            </p>
          </Live>
          <div class="row editor-bar">
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
