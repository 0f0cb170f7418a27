import type { SpaceRig } from '../../rig/space-rig.ts'
import { stateOf } from '../../service/sendings/lifecycle.ts'
import type { Sending } from '../../store/rows.ts'
import { Facts, Id, Live } from '../components/basics.tsx'
import { StateChip } from '../components/chips.tsx'
import { Time } from '../components/time.tsx'
import type { PageCall } from '../page.ts'

export interface OfSending {
  readonly call: PageCall
  readonly rig: SpaceRig
  readonly sending: Sending
  readonly now: number
}

/** What was sent, and to whom: as the platform has it, once it has it. */
export function Head({ call, rig, sending, now }: OfSending) {
  const { tables } = rig.space.data
  const synchronization = tables.synchronizations.get(sending.synchronizationId)!
  const mailing = tables.mailings.get(synchronization.mailingId)!
  const made =
    sending.platformMailingId === null ? undefined : tables.platformMailings.get(sending.platformMailingId)
  const approved = mailing.approved
  const name = made?.name ?? sending.name ?? approved?.name ?? 'Sending'
  const time = (at: string | null) => at && <Time at={at} now={now} />
  const editor = call.inSpace(rig.space.name, `/mailings/${encodeURIComponent(mailing.id)}`)
  return (
    <Live id="report-head" on="clock request reset">
      <h1>{name}</h1>
      <Facts
        rows={[
          ['State', <StateChip state={stateOf(sending, now)} />],
          ['Subject', made?.subject ?? sending.subject ?? approved?.subject],
          ['List', tables.lists.get(synchronization.listId)!.name],
          [
            'Mailing',
            <>
              <a href={editor}>{(mailing.draft ?? mailing.approved)!.name}</a>
              {made && ` (version ${made.version})`}
            </>,
          ],
          ['Sending', <Id id={sending.id} label="the ID of the sending" />],
          [
            'Transaction ID',
            sending.transactionId === null ? null : (
              <Id id={sending.transactionId} label="the transaction ID" />
            ),
          ],
          ['Created', time(sending.creationDate)],
          ['Scheduled for', time(sending.scheduleDate)],
        ]}
      />
    </Live>
  )
}
