import { latestVersion } from '../../service/mailings.ts'
import { Empty, Facts, Id, Live } from '../components/basics.tsx'
import { Time } from '../components/time.tsx'
import { page } from '../page.ts'
import { EditorActions } from './editor-actions.tsx'
import { mailingAt, previewQuery } from './editor-lookup.ts'
import { ReaderChoice, readerOf } from './editor-profiles.tsx'
import { Sendings, Synchronizations } from './editor-ties.tsx'
import { PreviewSwitches, VersionChips, VersionPreview } from './editor-version.tsx'

/** `svc:mailing-editor`: a mailing with both its versions, and what a person does with it in the editor. */
export default page('/spaces/{space}/mailings/{id}', {
  query: previewQuery,
  async show(call) {
    const rig = await call.rig()
    await rig.settle()
    const mailing = mailingAt(rig, call.params.id)
    const reader = readerOf(rig, mailing, call.query.for)
    const now = rig.clock.now()
    const { name } = latestVersion(mailing)
    const href = call.inSpace(rig.space.name, `/mailings/${encodeURIComponent(mailing.id)}`)
    const ties = { call, rig, mailing }
    return {
      title: name,
      space: rig,
      tab: 'mailings',
      policy: { 'frame-src': "'self'" },
      content: (
        <div class="editor">
          <Live id="editor-head" on="mailing reset">
            <h1>{name}</h1>
            <Facts
              rows={[
                ['Versions', <VersionChips mailing={mailing} />],
                ['ID', <Id id={mailing.id} />],
                ['Created', <Time at={mailing.creationDate} now={now} />],
                ['Modified', <Time at={mailing.modificationDate} now={now} />],
              ]}
            />
          </Live>
          <EditorActions {...ties} />
          <div class="row editor-bar">
            <ReaderChoice rig={rig} mailing={mailing} reader={reader} href={href} />
            <PreviewSwitches />
          </div>
          <Live id="versions" on="mailing reset" class="versions">
            <VersionPreview mailing={mailing} kind="draft" reader={reader} href={`${href}/draft`}>
              <Empty title="No draft">
                <p>A new draft is made from the approved version, which stays in force beside it.</p>
              </Empty>
            </VersionPreview>
            <VersionPreview mailing={mailing} kind="approved" reader={reader} href={`${href}/approved`}>
              <Empty title="Not approved yet">
                <p>Until the draft is approved, the service refuses every sending of this mailing.</p>
              </Empty>
            </VersionPreview>
          </Live>
          <h2>Synchronizations</h2>
          <Live id="synchronizations" on="mailing request reset">
            <Synchronizations {...ties} />
          </Live>
          <h2>Latest sendings</h2>
          <Live id="sendings" on="request clock reset">
            <Sendings {...ties} />
          </Live>
        </div>
      ),
    }
  },
})
