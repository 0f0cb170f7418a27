import type { SpaceView } from '../rig/space-view.ts'
import { latestVersion } from '../service/mailings.ts'
import { stateOf } from '../service/sendings/lifecycle.ts'
import type { Mailing, Sending } from '../store/rows.ts'
import { CallButton, CallFeedback, CallForm } from './components/call-forms.tsx'
import { Chip, StateChip } from './components/chips.tsx'
import { CodeLink, Empty, Facts, Id, Live, Snippet } from './components/elements.tsx'
import { Table } from './components/table.tsx'
import { Time } from './components/times.tsx'
import {
  findMailing,
  findReader,
  mailingName,
  PreviewBar,
  previewQuery,
  synchronizationsOf,
  VersionChips,
  VersionPreview,
} from './mailing-versions.tsx'
import { spacePage } from './page.ts'
import type { PageCall, SpaceProps } from './page-call.ts'
import { isUntrusted, serviceBase } from './service-links.ts'

/** What a person can do with a mailing, each through its control call. Buttons are disabled, not removed. */
function EditorActions({ call, mailing }: { call: PageCall; mailing: Mailing }) {
  if (!call.hasCalls)
    return <p class="soft">Mailings are approved and renamed on the port of the control API.</p>
  const href = call.here('/mailings', mailing.id)
  const { draft, approved } = mailing
  const { name } = latestVersion(mailing)
  const isApproved = `Version ${draft?.number} is approved.`
  const isDraft = `Version ${(approved?.number ?? 0) + 1} is a draft.`
  return (
    <CallFeedback class="card">
      <Live id="editor-actions" on="mailing reset" class="row">
        <CallButton href={`${href}/approve`} class="main" disabled={!draft} done={isApproved}>
          Approve the draft
        </CallButton>
        <CallButton href={`${href}/draft`} disabled={draft !== null} done={isDraft}>
          Make a new draft
        </CallButton>
        <CallForm href={`${href}/edit`} class="row rename" label="Rename" done="Renamed.">
          <label for="name">Name</label>
          <input
            id="name"
            name="name"
            value={name}
            required
            pattern=".*\S.*"
            title="A name that is not blank"
            autocomplete="off"
          />
          <button type="submit">{draft ? 'Rename' : 'Rename in a new draft'}</button>
        </CallForm>
      </Live>
      <details class="confirm">
        <summary>Delete…</summary>
        <p>
          The mailing is 404 from then on. Its synchronizations stay, and are not ready for sending. Only a
          reset brings it back.
        </p>
        <CallButton method="DELETE" href={href} class="danger" then={call.here('/mailings')}>
          Delete {name}
        </CallButton>
      </details>
    </CallFeedback>
  )
}

const mostSynchronizations = 50
const mostSendings = 10

interface MailingProps extends SpaceProps {
  readonly mailing: Mailing
}

function Synchronizations({ call, rig, mailing }: MailingProps) {
  const { lists, sendingsOfSynchronization, synchronizationsOfMailing } = rig.space.data.tables
  const rows = synchronizationsOf(rig, mailing, mostSynchronizations)
  if (rows.length === 0)
    return (
      <Empty title="No synchronization uses this mailing yet">
        <p>A client makes one, and can send the mailing then:</p>
        <Snippet label="Copy the command" text={createCommand(call, mailing)} />
      </Empty>
    )
  const more = synchronizationsOfMailing.count(mailing.id) - rows.length
  return (
    <>
      <section class="scroll" tabindex={0} aria-label="Synchronizations">
        <Table
          rows={rows}
          id={({ id }) => `s-${id}`}
          columns={[
            {
              title: 'Synchronization',
              class: 'leads',
              cell: ({ id }) => <Id id={id} label="the ID of the synchronization" />,
            },
            {
              title: 'List',
              class: 'leads',
              cell: ({ listId, customer }) => (
                <>
                  {lists.get(listId)!.name}{' '}
                  <span class="soft">
                    {customer} {listId}
                  </span>
                </>
              ),
            },
            {
              title: 'For sending',
              cell: () =>
                mailing.approved ? <Chip tone="good">ready</Chip> : <Chip tone="bad">not ready</Chip>,
            },
            {
              title: 'Sendings',
              class: 'number',
              after: 'sendings',
              cell: ({ id }) => sendingsOfSynchronization.count(id),
            },
          ]}
        />
      </section>
      {more > 0 && <p class="soft">And {more} more.</p>}
    </>
  )
}

const createCommand = (call: PageCall, mailing: Mailing) =>
  `curl${isUntrusted(call) ? ' -k' : ''} -u USER:PASSWORD -H 'Content-Type: application/hal+json' \\
  -d '{"customer": "CUSTOMER", "listId": 1, "mailingId": "${mailing.id}"}' \\
  ${serviceBase(call)}/integrations/${call.tools.names.platformSegment}/mailing-synchronizations`

function Sendings({ call, rig, mailing }: MailingProps) {
  const now = rig.clock.now()
  const rows = latestSendings(rig, mailing)
  if (rows.length === 0)
    return (
      <Empty title="Nothing of it was sent yet">
        <p>A sending of one of its synchronizations appears here as soon as a client creates it.</p>
      </Empty>
    )
  return (
    <section class="scroll" tabindex={0} aria-label="Latest sendings">
      <Table
        rows={rows}
        id={({ id }) => `sending-${id}`}
        columns={[
          { title: 'Created', cell: ({ creationDate: at }) => <Time at={at} now={now} /> },
          { title: 'State', cell: row => <StateChip state={stateOf(row, now)} /> },
          {
            title: 'Transaction ID',
            cell: ({ transactionId: id }) =>
              id === null ? <span class="soft">none</span> : <code>{id}</code>,
          },
          {
            title: 'Report',
            cell: ({ id }) => <CodeLink href={call.here(`/sendings/${id}/report`)}>{id}</CodeLink>,
          },
        ]}
      />
    </section>
  )
}

function latestSendings(rig: SpaceView, mailing: Mailing): Sending[] {
  const { sendings, sendingsOfSynchronization: index } = rig.space.data.tables
  const found: Sending[] = []
  for (const { id } of synchronizationsOf(rig, mailing, mostSynchronizations)) {
    const count = index.count(id)
    for (let n = Math.max(0, count - mostSendings); n < count; n++) found.push(sendings.at(index.nth(id, n)!))
  }
  return found.sort((a, b) => (a.creationDate < b.creationDate ? 1 : -1)).slice(0, mostSendings)
}

/** `svc:mailing-editor`: a mailing with both its versions and the actions of the editor. */
export default spacePage('mailings', {
  query: previewQuery,
  show(call, rig) {
    const mailing = findMailing(rig, call.params.id)
    const reader = findReader(rig, mailing, call.query.for)
    const now = rig.clock.now()
    const name = mailingName(mailing)
    const href = call.here('/mailings', mailing.id)
    const ties = { call, rig, mailing }
    return {
      title: name,
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
          <EditorActions call={call} mailing={mailing} />
          <PreviewBar rig={rig} mailing={mailing} reader={reader} href={href} />
          <Live id="versions" on="mailing reset" class="columns broad">
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
