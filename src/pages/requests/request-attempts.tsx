import type { EntryView } from '../../rig/entry-shape.ts'
import type { JournalView } from '../../rig/entry-view.ts'
import type { SpaceRig } from '../../rig/space-rig.ts'
import type { PageCall } from '../page.ts'
import { RequestColumns, RequestRow } from './request-row.tsx'

/** So many are shown; a client that tries more often has its own list. */
const most = 20

/** The other attempts with its transaction ID, so that a retry is read as one story. */
export function Attempts(props: { call: PageCall; rig: SpaceRig; journal: JournalView; view: EntryView }) {
  const { call, rig, journal, view } = props
  const { transactionId, synchronizationId } = view
  if (transactionId === null) return null
  const { reader } = rig
  const same = rig.journal
    .entries()
    .filter(
      it =>
        reader.transactionId(it) === transactionId &&
        (reader.synchronizationId(it) ?? null) === synchronizationId,
    )
  if (same.length < 2) return null
  const now = rig.clock.now()
  const at = (rest: string) => call.inSpace(rig.space.name, `/requests${rest}`)
  return (
    <section class="card" aria-labelledby="attempts">
      <h2 id="attempts">
        {same.length} attempts with{' '}
        <a href={at(`?${new URLSearchParams({ transactionId })}`)}>
          <code>{transactionId}</code>
        </a>
      </h2>
      <table class="requests">
        <RequestColumns />
        <tbody>
          {same.slice(-most).map(it => (
            <RequestRow
              view={journal.entry(it)}
              journal={journal}
              href={at(`/${encodeURIComponent(it.id)}`)}
              now={now}
              isCurrent={it.id === view.id}
            />
          ))}
        </tbody>
      </table>
    </section>
  )
}
