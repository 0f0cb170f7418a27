import type { LedgerSending } from '../../rig/ledger-shape.ts'
import type { SpaceRig } from '../../rig/space-rig.ts'
import { Chip } from '../components/chips.tsx'
import { Time } from '../components/time.tsx'
import type { PageCall } from '../page.ts'
import type { PlatformRow } from './rows.ts'

const origins = {
  sending: 'for a sending',
  'mailing-upload': 'uploaded',
  'test-sending': 'for a test',
} as const

/** Mailings of the platform, each with what truly went out of it and who caused it. */
export function PlatformTable(props: { call: PageCall; rig: SpaceRig; rows: readonly PlatformRow[] }) {
  const { call, rig, rows } = props
  return (
    <table class="platform">
      <thead>
        <tr>
          {['Platform mailing', 'What came of it', 'For', 'Made', 'Caused by'].map(words => (
            <th scope="col">{words}</th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map(row => (
          <Row call={call} rig={rig} row={row} />
        ))}
      </tbody>
    </table>
  )
}

function Row({ call, rig, row }: { call: PageCall; rig: SpaceRig; row: PlatformRow }) {
  const { mailing, sendings, double } = row
  const { platformMailingId, name, subject, origin, transactionId, customer, listId } = mailing
  const now = rig.clock.now()
  const causes = [...new Set([mailing.cause, ...sendings.map(({ cause }) => cause)])]
  return (
    <tr id={`mailing-${platformMailingId}`} class={double || mailing.isOrphan ? 'differs' : undefined}>
      <td class="platform-mailing">
        <code>{platformMailingId}</code>{' '}
        <a href={call.inSpace(rig.space.name, `/mailings/${encodeURIComponent(mailing.mailingId)}`)}>
          {name}
        </a>
        <span class="soft platform-line">{subject}</span>
      </td>
      <td class="platform-came">
        {sendings.map(sending => (
          <div>
            <Sent sending={sending} double={double} />{' '}
            <span class="soft">
              {sending.addresses ? `to ${sending.addresses.join(', ')}` : recipients(sending.recipients)}
            </span>{' '}
            <Time at={sending.startsAt} now={now} short />
          </div>
        ))}
        {mailing.isOrphan && (
          <Chip tone="odd" title="Made for a sending and never sent">
            orphan
          </Chip>
        )}
        {sendings.length === 0 && !mailing.isOrphan && (
          <span class="soft">{origin === 'sending' ? 'not yet sent' : 'not sent, and not meant to be'}</span>
        )}
      </td>
      <td class="platform-for">
        {transactionId === null ? (
          <span class="soft">{origin === 'sending' ? 'no transactionId' : origins[origin]}</span>
        ) : (
          <code>{transactionId}</code>
        )}{' '}
        <span class="soft platform-line">
          list {listId} of {customer}
        </span>
      </td>
      <td class="platform-made">
        <Time at={mailing.createdAt} now={now} short />
      </td>
      <td class="platform-cause">
        {causes.map(cause => (
          <Cause call={call} rig={rig} cause={cause} />
        ))}
      </td>
    </tr>
  )
}

const recipients = (count: number) =>
  `to ${count.toLocaleString('en')} ${count === 1 ? 'recipient' : 'recipients'}`

function Sent({ sending, double }: { sending: LedgerSending; double: PlatformRow['double'] }) {
  const { kind, status } = sending
  return (
    <>
      {kind === 'test' ? (
        <Chip tone="calm">{status === 'sent' ? 'test mail' : 'test, scheduled'}</Chip>
      ) : status === 'sent' ? (
        <Chip tone="good">went out</Chip>
      ) : (
        <Chip tone="info">scheduled</Chip>
      )}{' '}
      {double && kind === 'list' && (
        <Chip tone={double === 'certain' ? 'bad' : 'info'}>
          {double === 'certain' ? 'sent too often' : 'sent too often?'}
        </Chip>
      )}
    </>
  )
}

/** The request that caused it, where there was one and it is still on record. */
function Cause({ call, rig, cause }: { call: PageCall; rig: SpaceRig; cause: string }) {
  if (rig.journal.find(cause))
    return (
      <a href={call.inSpace(rig.space.name, `/requests/${encodeURIComponent(cause)}`)}>
        <code>{cause}</code>
      </a>
    )
  return (
    <span class="soft" title={/^r\d/.test(cause) ? 'No longer on record' : 'There from the beginning'}>
      {/^r\d/.test(cause) ? `${cause}, no longer on record` : 'the beginning'}
    </span>
  )
}
