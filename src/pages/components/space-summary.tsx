import { toSpaceDocument } from '../../control/spaces.ts'
import type { VerdictView } from '../../judge/verdict-shape.ts'
import { realTime } from '../../rig/journal.ts'
import type { SpaceRig } from '../../rig/space-rig.ts'
import { countNoun } from '../../rig/words.ts'
import type { PageCall } from '../page.ts'
import { Chip } from './chips.tsx'
import { Time } from './times.tsx'
import { harmWords } from './verdict-words.tsx'

/** A space in one line: what was sent, what is armed, and the verdict. */
export async function Glance({ call, rig }: { call: PageCall; rig: SpaceRig }) {
  const { sent, scheduled, faults, held, requests } = toSpaceDocument(call, rig)
  const { verdict } = await call.tools.verdict(rig, undefined)
  const at = (rest: string) => call.here(rest)
  return (
    <ul
      id="glance"
      class="plain flow glance"
      data-live="request clock scenario reset"
      aria-label="At a glance"
    >
      <GlanceFigure
        href={at('/requests')}
        figure={requests}
        words={requests === 1 ? 'request' : 'requests'}
      />
      <GlanceFigure href={at('/platform')} figure={sent} words="truly went out" />
      {scheduled > 0 && <GlanceFigure href={at('/platform')} figure={scheduled} words="scheduled" />}
      {faults > 0 && (
        <GlanceFigure
          href={at('/scenario')}
          figure={faults}
          words={faults === 1 ? 'one-shot fault armed' : 'one-shot faults armed'}
        />
      )}
      {held > 0 && <GlanceFigure href={at('/scenario')} figure={held} words="held" />}
      <li>
        <a href={at('/verdict')}>
          <span class="soft">verdict</span> <VerdictChips verdict={verdict} />
        </a>
      </li>
    </ul>
  )
}

const GlanceFigure = ({ href, figure, words }: { href: string; figure: number; words: string }) => (
  <li>
    <a href={href}>
      <strong>{figure}</strong> <span class="soft">{words}</span>
    </a>
  </li>
)

/** The verdict as chips, with counts. */
export function VerdictChips({
  verdict,
}: {
  verdict: Pick<VerdictView, 'outcome' | 'suspicion' | 'findings' | 'harm'>
}) {
  const { outcome, suspicion, findings, harm } = verdict
  const graver = findings.filter(({ severity }) => severity !== 'information')
  const proved = graver.filter(({ status }) => status === 'guilty').length
  const open = graver.length - proved
  const kinds = [...new Set(harm.findings.map(({ kind }) => kind))]
  return (
    <>
      {kinds.map(kind => (
        <>
          <Chip tone={kind === 'ORPHAN' ? 'odd' : 'bad'}>{harmWords[kind].words}</Chip>{' '}
        </>
      ))}
      {proved > 0 && <Chip tone="bad">{countNoun(proved, 'violation')}</Chip>}{' '}
      {open > 0 &&
        (suspicion === null ? (
          <Chip tone="calm">{`${open} still open`}</Chip>
        ) : (
          <Chip tone="bad">{`${open} suspected`}</Chip>
        ))}
      {outcome === 'innocent' && kinds.length === 0 && <Chip tone="good">no violations</Chip>}
      {outcome === 'open' && open === 0 && kinds.length === 0 && <Chip tone="calm">open</Chip>}
    </>
  )
}

/**
 * Says since when requests are on record, if the platform has sendings without a recorded request: the platform's data
 * survives restarts and eviction, the record of requests does not.
 */
export function RecordSince({ call, rig }: { call: PageCall; rig: SpaceRig }) {
  const count = countUnrecordedSendings(rig)
  if (count === 0) return null
  return (
    <p class="record-since">
      Requests are on record since <Time at={rig.journal.since} now={realTime()} of="real" />.{' '}
      <a href={call.here('/platform')}>
        {count === 1 ? '1 sending on the platform' : `${count} sendings on the platform`}
      </a>{' '}
      {count === 1 ? 'was' : 'were'} asked for earlier, or by requests that had to make room.
    </p>
  )
}

/** How many sendings since the space began have a cause that is not on record. */
export function countUnrecordedSendings({ journal, space }: SpaceRig): number {
  const known = new Set(journal.entries().map(({ id }) => id))
  let count = 0
  for (const { row } of space.data.tables.platformSendings.changes()) if (!known.has(row.cause)) count++
  return count
}
