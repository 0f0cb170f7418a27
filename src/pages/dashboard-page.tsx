import { z } from 'zod'
import { toSpaceDocument } from '../control/spaces.ts'
import type { ControlTools } from '../control/tools.ts'
import type { VerdictView } from '../judge/verdict-shape.ts'
import { realTime } from '../rig/journal.ts'
import { JournalView } from '../rig/journal-view.ts'
import type { SpaceRig } from '../rig/space-rig.ts'
import { countNoun } from '../rig/words.ts'
import { Chip } from './components/chips.tsx'
import { Empty, Live, Snippet } from './components/elements.tsx'
import { Field } from './components/fields.tsx'
import { FilterForm } from './components/listing.tsx'
import { ResponseChips, requestName } from './components/request-row.tsx'
import { VerdictChips } from './components/space-summary.tsx'
import { Table } from './components/table.tsx'
import { Time } from './components/times.tsx'
import { type PageCall, page } from './page.ts'
import { firstRequestLine } from './service-links.ts'
import { dayAndTime } from './time-text.ts'

/** A space with its verdict, once it was used. */
interface JudgedSpace {
  readonly rig: SpaceRig
  readonly verdict: VerdictView | undefined
}

/** The rigs of all open spaces, most recently used first; unused ones at the end, by name. */
async function listOpenRigs({ spaces, rigs }: Pick<ControlTools, 'spaces' | 'rigs'>): Promise<SpaceRig[]> {
  const open = spaces.names().flatMap(name => spaces.getOpen(name) ?? [])
  const ready = await Promise.all(open.map(space => rigs.of(space)))
  return ready
    .map(rig => ({
      rig,
      idle: rig.journal.count === 0 ? Number.POSITIVE_INFINITY : rig.use.idleMilliseconds,
    }))
    .sort((a, b) => (a.idle === b.idle ? (a.rig.space.name < b.rig.space.name ? -1 : 1) : a.idle - b.idle))
    .map(({ rig }) => rig)
}

interface CachedVerdict {
  readonly verdict: VerdictView
  /** Milliseconds since 1970, real time. */
  readonly at: number
}

/** The cached verdict lives as long as its space. */
const verdictCache = new WeakMap<SpaceRig, CachedVerdict>()

/**
 * Maximum age of a cached verdict while the clock runs: something may be due without an event. Milliseconds of real
 * time.
 */
const maxCacheAge = 30_000

/**
 * The verdict on a space, computed again only after something happened in it. The first event ends the subscription, so
 * that a space without viewers has no cost.
 * @returns undefined when there is nothing to judge
 */
export async function cachedVerdict(
  { verdict }: Pick<ControlTools, 'verdict'>,
  rig: SpaceRig,
): Promise<VerdictView | undefined> {
  if (rig.journal.count === 0) return undefined
  const known = verdictCache.get(rig)
  if (known && (rig.clock.isFrozen || realTime() - known.at < maxCacheAge)) return known.verdict
  let isStale = false
  const stop = rig.events.listen(() => {
    isStale = true
    stop()
    verdictCache.delete(rig)
  })
  const judged = await verdict(rig, undefined)
  // Events during the computation may not be part of it.
  if (!isStale) verdictCache.set(rig, { verdict: judged.verdict, at: realTime() })
  return judged.verdict
}

/** Maximum number of spaces shown, most recently used first; search by name finds the rest. */
const maxSpaces = 100

/** All spaces at a glance. */
export default page({
  query: z.object({ name: z.string().max(200).optional() }),
  async show(call) {
    const { name = '' } = call.query
    const { budget } = call.tools.rigs
    const rigs = await listOpenRigs(call.tools)
    const found = rigs.filter(rig => rig.space.name.includes(name))
    const shown = await Promise.all(
      found.slice(0, maxSpaces).map(async rig => ({ rig, verdict: await cachedVerdict(call.tools, rig) })),
    )
    const harmed = shown.filter(({ verdict }) => verdict !== undefined && isHarmed(verdict))
    const isQuiet = rigs.every(({ journal }) => journal.count === 0)
    return {
      title: 'Spaces',
      events: call.at('/events'),
      content: (
        <>
          <h1>Spaces</h1>
          {budget.use().isFull && (
            <p class="note">
              {budget.fullSentence}. New spaces and changes are refused;{' '}
              <a href={call.at('/memory')}>figures</a>.
            </p>
          )}
          {rigs.length > 5 && <SpaceFilter call={call} name={name} />}
          <Live id="spaces" on="request space scenario clock reset">
            {isQuiet && <Welcome call={call} />}
            {harmed.length > 0 && (
              <p>
                <Chip tone="bad">{`${harmed.length} of ${countNoun(shown.length, 'space')}`}</Chip> with harm
                to recipients or records, listed first
              </p>
            )}
            <SpaceTable call={call} spaces={[...harmed, ...shown.filter(it => !harmed.includes(it))]} />
            <TurnedAway rigs={call.tools.rigs} />
            <p class="soft">
              {found.length > maxSpaces ? `The ${maxSpaces} used last of ${found.length}. ` : ''}
              {found.length === 0 ? 'No open space has this in its name. ' : ''}
              {evictionText(call.tools.spaces.evicted)}
            </p>
          </Live>
          <Next call={call} />
        </>
      ),
    }
  },
})

/** Whether something was sent twice, lost, changed or left behind, as far as can be known. */
const isHarmed = ({ harm, suspicion }: VerdictView) => harm.findings.length > 0 || suspicion !== null

/** Requests without valid credentials. They show in no space. */
function TurnedAway({ rigs: { turnedAway } }: { rigs: ControlTools['rigs'] }) {
  const { count, latest } = turnedAway
  if (count === 0) return null
  return (
    <details class="card" id="turned-away">
      <summary>
        <Chip tone="warn">401</Chip> {countNoun(count, 'request')} with missing or wrong credentials
      </summary>
      <ul class="plain">
        {latest.map(({ id, at, method, path }) => (
          <li>
            <code>{id}</code> {method} <code class="clamp">{path}</code>{' '}
            <Time at={at} now={realTime()} of="real" short />
          </li>
        ))}
      </ul>
    </details>
  )
}

const evictionText = (count: number) =>
  count === 0 ? '' : `${countNoun(count, 'private copy', 'private copies')} had to make room.`

function SpaceFilter({ call, name }: { call: PageCall; name: string }) {
  return (
    <FilterForm action={call.root} target="spaces" label="Find a space" history="push">
      <Field label="Name" name="name" value={name} maxlength={200} placeholder="demo+…" spellcheck={false} />
    </FilterForm>
  )
}

/** The spaces. The link of a space covers its row. */
function SpaceTable({ call, spaces }: { call: PageCall; spaces: readonly JudgedSpace[] }) {
  if (spaces.length === 0) return null
  return (
    <Table
      class="requests spaces framed"
      rows={spaces.map(({ rig, verdict }) => ({ rig, verdict, ...toSpaceDocument(call, rig) }))}
      id={({ name }) => `space-${encodeURIComponent(name)}`}
      columns={[
        {
          title: 'Space',
          class: 'what leads',
          cell: ({ name, kind }) => (
            <>
              <a href={call.inSpace(name)}>{name}</a> {kind !== 'fixture' && <span class="soft">{kind}</span>}
            </>
          ),
        },
        { title: 'Requests', class: 'number', before: 'requests', cell: ({ requests }) => requests },
        { title: 'Last one', class: 'last', cell: ({ rig }) => <LastRequest rig={rig} /> },
        {
          title: 'Went out',
          class: 'number',
          before: 'went out',
          cell: ({ sent, scheduled }) => (
            <>
              {sent}
              {scheduled > 0 && <span class="soft"> + {scheduled} scheduled</span>}
            </>
          ),
        },
        {
          title: 'Verdict',
          before: 'verdict',
          cell: ({ verdict }) => (verdict ? <VerdictChips verdict={verdict} /> : '–'),
        },
        {
          title: 'Disturbed by',
          class: 'by',
          cell: ({ scenario, faults, held, dials }) => {
            const turned = Object.keys(dials).length
            return (
              <>
                {scenario !== null && <Chip tone="warn">{scenario}</Chip>}{' '}
                {faults > 0 && <Chip tone="warn">{countNoun(faults, 'fault')}</Chip>}{' '}
                {held > 0 && <Chip tone="info">{`${held} held`}</Chip>}{' '}
                {turned > 0 && <Chip tone="calm">{countNoun(turned, 'dial')}</Chip>}
              </>
            )
          },
        },
        {
          title: 'Clock',
          class: 'clock',
          cell: ({ clock: { now, frozen, rate } }) => (
            <>
              <time datetime={now} title="The space's clock when this was shown">
                {dayAndTime(Date.parse(now))}
              </time>{' '}
              {(frozen || rate !== 1) && <Chip tone="info">{frozen ? 'frozen' : `×${rate}`}</Chip>}
            </>
          ),
        },
        {
          title: 'Used',
          cell: ({ requests, lastUsed }) =>
            requests === 0 ? (
              <span class="soft">not used yet</span>
            ) : (
              <Time at={lastUsed} now={realTime()} of="real" short />
            ),
        },
      ]}
    />
  )
}

function LastRequest({ rig }: { rig: SpaceRig }) {
  const last = rig.journal.entries().at(-1)
  const view = last && new JournalView(rig).view(last)
  return (
    view && (
      <>
        <ResponseChips view={view} /> {requestName(view)}
      </>
    )
  )
}

function Welcome({ call }: { call: PageCall }) {
  const { spaces } = call.tools
  const space = spaces.getOpen(spaces.directory.names()[0]!)
  return (
    <Empty title="Nobody has asked for anything yet">
      <p>
        Point your client at this mock, and what it does appears here by itself. This line makes a first
        request:
      </p>
      {space && <Snippet text={firstRequestLine(call, space)} label="Copy the line" />}
      <p>
        A user name with a plus, such as <code>{spaces.directory.names()[0]}+anything</code>, opens a private
        copy of the space: one for each test.
      </p>
    </Empty>
  )
}

/** Links to the next steps. */
function Next({ call }: { call: PageCall }) {
  const home = call.tools.spaces.directory.names()[0]!
  return (
    <nav class="row next" aria-label="Where to go next">
      <a href={call.at('/docs')}>API reference</a>
      <a href={call.inSpace(home, '/scenario')}>Scenarios to try</a>
      <a href={call.inSpace(home, '/data')}>Connection settings</a>
      <a href={call.at('/control/openapi.json')}>Control API as OpenAPI</a>
    </nav>
  )
}
