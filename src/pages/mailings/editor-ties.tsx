import type { SpaceRig } from '../../rig/space-rig.ts'
import { stateOf } from '../../service/sendings/lifecycle.ts'
import type { Mailing, Sending, Synchronization } from '../../store/rows.ts'
import { Empty, Id, Snippet } from '../components/basics.tsx'
import { Chip, StateChip } from '../components/chips.tsx'
import { Time } from '../components/time.tsx'
import type { PageCall } from '../page.ts'
import { serviceBase } from '../service-address.ts'

/** What hangs on a mailing: its synchronizations, and what was sent of it. */

/** So many synchronizations are shown, and so many sendings. */
const mostSynchronizations = 50
const mostSendings = 10

interface Ties {
  readonly call: PageCall
  readonly rig: SpaceRig
  readonly mailing: Mailing
}

function* synchronizationsOf({ rig, mailing }: Ties): Generator<Synchronization> {
  const { synchronizations, synchronizationsOfMailing } = rig.space.data.tables
  const count = synchronizationsOfMailing.count(mailing.id)
  for (let n = 0; n < Math.min(count, mostSynchronizations); n++)
    yield synchronizations.at(synchronizationsOfMailing.nth(mailing.id, n)!)
}

export function Synchronizations(props: Ties) {
  const { call, rig, mailing } = props
  const { lists, sendingsOfSynchronization, synchronizationsOfMailing } = rig.space.data.tables
  const rows = [...synchronizationsOf(props)]
  if (rows.length === 0)
    return (
      <Empty title="No synchronization hangs on this mailing yet">
        <p>A client makes one, and can send the mailing then:</p>
        <Snippet label="Copy the command" text={createCommand(call, mailing)} />
      </Empty>
    )
  const more = synchronizationsOfMailing.count(mailing.id) - rows.length
  return (
    <>
      <section class="scroll" tabindex={0} aria-label="Synchronizations">
        <table class="stacked">
          <thead>
            <tr>
              <th scope="col">Synchronization</th>
              <th scope="col">List</th>
              <th scope="col">For sending</th>
              <th scope="col" class="number">
                Sendings
              </th>
            </tr>
          </thead>
          <tbody>
            {rows.map(row => (
              <tr id={`s-${row.id}`}>
                <td class="leads">
                  <Id id={row.id} label="the ID of the synchronization" />
                </td>
                <td class="leads">
                  {lists.get(row.listId)!.name}{' '}
                  <span class="soft">
                    {row.customer} {row.listId}
                  </span>
                </td>
                <td>
                  {mailing.approved ? <Chip tone="good">ready</Chip> : <Chip tone="bad">not ready</Chip>}
                </td>
                <td class="number" data-unit="sendings">
                  {sendingsOfSynchronization.count(row.id)}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      {more > 0 && <p class="soft">And {more} more.</p>}
    </>
  )
}

const createCommand = (call: PageCall, mailing: Mailing) =>
  `curl -u USER:PASSWORD -H 'Content-Type: application/hal+json' \\
  -d '{"customer": "CUSTOMER", "listId": 1, "mailingId": "${mailing.id}"}' \\
  ${serviceBase(call)}/integrations/${call.tools.names.platformSegment}/mailing-synchronizations`

/** The latest sendings of a mailing, each with the way to its report. */
export function Sendings(props: Ties) {
  const { call, rig } = props
  const now = rig.clock.now()
  const rows = latestSendings(props)
  if (rows.length === 0)
    return (
      <Empty title="Nothing of it was sent yet">
        <p>A sending of one of its synchronizations appears here as soon as a client creates it.</p>
      </Empty>
    )
  return (
    <section class="scroll" tabindex={0} aria-label="Latest sendings">
      <table class="stacked">
        <thead>
          <tr>
            <th scope="col">Created</th>
            <th scope="col">State</th>
            <th scope="col">Transaction ID</th>
            <th scope="col">Report</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(row => (
            <tr id={`sending-${row.id}`}>
              <td>
                <Time at={row.creationDate} now={now} />
              </td>
              <td>
                <StateChip state={stateOf(row, now)} />
              </td>
              <td>
                {row.transactionId === null ? (
                  <span class="soft">none</span>
                ) : (
                  <code>{row.transactionId}</code>
                )}
              </td>
              <td>
                <a href={call.inSpace(rig.space.name, `/sendings/${row.id}/report`)}>
                  <code>{row.id}</code>
                </a>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

function latestSendings(props: Ties): Sending[] {
  const { sendings, sendingsOfSynchronization: index } = props.rig.space.data.tables
  const found: Sending[] = []
  for (const { id } of synchronizationsOf(props)) {
    const count = index.count(id)
    for (let n = Math.max(0, count - mostSendings); n < count; n++) found.push(sendings.at(index.nth(id, n)!))
  }
  return found.sort((a, b) => (a.creationDate < b.creationDate ? 1 : -1)).slice(0, mostSendings)
}
