import { shownSpace } from '../../rig/control/space-document.ts'
import type { VerdictView } from '../../rig/control/verdict-shape.ts'
import { JournalView } from '../../rig/entry-view.ts'
import { realTime } from '../../rig/journal.ts'
import type { SpaceRig } from '../../rig/space-rig.ts'
import { Chip } from '../components/chips.tsx'
import { Time } from '../components/time.tsx'
import { Outcome } from '../glance.tsx'
import type { PageCall } from '../page.ts'
import { dayAndTime } from '../relative.ts'
import { nameOf, Told } from '../requests/request-row.tsx'

/** A space, with what the judge says of it once somebody has used it. */
export interface JudgedSpace {
  readonly rig: SpaceRig
  readonly verdict: VerdictView | undefined
}

/** A space in the list of all. Its link fills the row. */
export function SpaceRow({ call, rig, verdict }: { call: PageCall } & JudgedSpace) {
  const { name, kind, clock, scenario, requests, sent, scheduled, faults, held, dials, lastUsed } =
    shownSpace(call, rig)
  const last = rig.journal.entries().at(-1)
  const view = last && new JournalView(rig).entry(last)
  const turned = Object.keys(dials).length
  return (
    <tr id={`space-${encodeURIComponent(name)}`}>
      <td class="what">
        <a href={call.inSpace(name)}>{name}</a> {kind !== 'fixture' && <span class="soft">{kind}</span>}
      </td>
      <td class="number">
        {requests} <span class="soft unit">{requests === 1 ? 'request' : 'requests'}</span>
      </td>
      <td class="last">
        {view && (
          <>
            <Told view={view} /> {nameOf(view)}
          </>
        )}
      </td>
      <td class="number">
        {sent} <span class="soft unit">went out</span>
        {scheduled > 0 && <span class="soft"> + {scheduled} scheduled</span>}
      </td>
      <td class="judged">
        {verdict && (
          <>
            <span class="soft unit">verdict</span> <Outcome verdict={verdict} />
          </>
        )}
      </td>
      <td class="by">
        {scenario !== null && <Chip tone="warn">{scenario}</Chip>}{' '}
        {faults > 0 && <Chip tone="warn">{`${faults} ${faults === 1 ? 'fault' : 'faults'}`}</Chip>}{' '}
        {held > 0 && <Chip tone="info">{`${held} held`}</Chip>}{' '}
        {turned > 0 && <Chip tone="calm">{`${turned} ${turned === 1 ? 'dial' : 'dials'}`}</Chip>}
      </td>
      <td class="at">
        <time datetime={clock.now} title="The space's clock when this was shown">
          {dayAndTime(Date.parse(clock.now))}
        </time>{' '}
        {clock.frozen ? (
          <Chip tone="info">frozen</Chip>
        ) : (
          clock.rate !== 1 && <Chip tone="info">{`×${clock.rate}`}</Chip>
        )}
      </td>
      <td class="used">
        {requests === 0 ? (
          <span class="soft">not used yet</span>
        ) : (
          <Time at={lastUsed} now={realTime()} of="real" short />
        )}
      </td>
    </tr>
  )
}
