import type { SpaceRig } from '../../rig/space-rig.ts'
import { latestVersion } from '../../service/mailings.ts'
import type { Mailing } from '../../store/rows.ts'
import { Live } from '../components/basics.tsx'
import { CallButton, CallForm, Told } from '../components/calls.tsx'
import type { PageCall } from '../page.ts'

/** What a person can do with a mailing, each through its control call. Every button keeps its place in every state. */
export function EditorActions({ call, rig, mailing }: { call: PageCall; rig: SpaceRig; mailing: Mailing }) {
  if (!call.hasCalls)
    return <p class="soft">Mailings are approved and renamed on the port of the control API.</p>
  const at = (what: string) =>
    call.inSpace(rig.space.name, `/mailings/${encodeURIComponent(mailing.id)}/${what}`)
  const { draft, approved } = mailing
  const { name } = latestVersion(mailing)
  return (
    <Told class="card editor-actions">
      <Live id="editor-actions" on="mailing reset" class="row">
        <CallButton
          method="POST"
          href={at('approve')}
          class="main"
          disabled={!draft}
          done={`Version ${draft?.number} is approved.`}
        >
          Approve the draft
        </CallButton>
        <CallButton
          method="POST"
          href={at('draft')}
          disabled={draft !== null}
          done={`Version ${(approved?.number ?? 0) + 1} is a draft.`}
        >
          Make a new draft
        </CallButton>
        <CallForm method="POST" href={at('edit')} class="row rename" label="Rename" done="Renamed.">
          <label for="name">Name</label>
          <input id="name" name="name" value={name} required autocomplete="off" />
          <button type="submit">{draft ? 'Rename' : 'Rename in a new draft'}</button>
        </CallForm>
      </Live>
    </Told>
  )
}
