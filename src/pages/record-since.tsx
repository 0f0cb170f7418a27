import { realTime } from '../rig/journal.ts'
import type { SpaceRig } from '../rig/space-rig.ts'
import { Time } from './components/time.tsx'
import type { PageCall } from './page.ts'

/**
 * Since when requests are on record, where the platform has more than they explain: it outlives a restart and what makes
 * room, the record does not. Nothing where the record explains everything.
 */
export function RecordSince({ call, rig }: { call: PageCall; rig: SpaceRig }) {
  const count = unexplained(rig)
  if (count === 0) return null
  const { journal, space } = rig
  return (
    <p class="record-since">
      Requests are on record since <Time at={journal.since} now={realTime()} of="real" />.{' '}
      <a href={call.inSpace(space.name, '/platform')}>
        {count === 1 ? '1 sending on the platform' : `${count} sendings on the platform`}
      </a>{' '}
      {count === 1 ? 'was' : 'were'} asked for earlier, or by requests that had to make room.
    </p>
  )
}

/** How many sendings of the platform, since the space began, were asked for by requests that are not on record. */
export function unexplained({ journal, space }: SpaceRig): number {
  const known = new Set(journal.entries().map(({ id }) => id))
  let count = 0
  for (const { row } of space.data.tables.platformSendings.changes()) if (!known.has(row.cause)) count++
  return count
}
