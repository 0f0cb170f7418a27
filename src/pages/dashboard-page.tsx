import { z } from 'zod'
import { isDemonstration } from '../control/demonstrations.ts'
import { endOf, listExamCases } from '../control/exams.ts'
import { toSpaceDocument } from '../control/spaces.ts'
import type { ControlTools } from '../control/tools.ts'
import type { OpenCase } from '../judge/exam/exam-result.ts'
import { surplusOf } from '../judge/harm.ts'
import { isDoubtful, isHeldAgainst } from '../judge/verdict-text.ts'
import { realTime } from '../rig/clock.ts'
import { JournalView } from '../rig/journal-view.ts'
import type { RejectedLogin } from '../rig/rejected-logins.ts'
import type { RigView } from '../rig/space-view.ts'
import { countNoun, durationWords, toldAnswer, withoutControlCharacters } from '../rig/words.ts'
import { documentedPassword } from '../store/tenant-directory.ts'
import { CallButton, CallFeedback } from './components/call-forms.tsx'
import { Chip, Chips, disturbanceMarks, type Tone, toldMarks } from './components/chips.tsx'
import { Empty, Live, Name, Select, Snippet } from './components/elements.tsx'
import { FilterForm, keysOf, SearchField, toQueryString } from './components/listing.tsx'
import { requestName, wholePath } from './components/request-row.tsx'
import { hasUnrecorded, isAllRefused, VerdictChips, verdictFor } from './components/space-summary.tsx'
import { Table } from './components/table.tsx'
import { Ago, clockPace, nextDue, Time } from './components/times.tsx'
import { findingMark } from './components/verdict-words.tsx'
import { page } from './page.ts'
import type { PageCall } from './page-call.ts'
import { firstRequestLine } from './service-links.ts'
import { dayAndTime } from './time-text.ts'

/** A space with its verdict, once it was used. */
type JudgedSpace = Awaited<ReturnType<typeof judgeAll>>[number]

/** Judges spaces for what was said of their client, those of an exam for its end, so that no page says less than these do. */
const judgeAll = ({ tools }: PageCall, rigs: readonly RigView[], cases: ReadonlyMap<string, OpenCase>) =>
  Promise.all(
    rigs.map(async rig => {
      const result = cases.get(rig.space.name)?.result
      // In an exam undefined before the client has ended.
      const end = result ? endOf(result) : tools.run.endOf(rig)
      return { rig, end, verdict: await verdictFor(tools, rig, end) }
    }),
  )

/** The rigs of all open spaces, most recently used first; unused ones at the end, by name. */
async function listOpenRigs({ spaces, rigs }: Pick<ControlTools, 'spaces' | 'rigs'>): Promise<RigView[]> {
  const open = spaces.names().flatMap(name => spaces.getOpen(name) ?? [])
  const ready = await Promise.all(open.map(space => rigs.of(space)))
  const now = realTime()
  const idleOf = ({ journal, use }: RigView) => (journal.count === 0 ? Number.MAX_VALUE : use.idleAt(now))
  return ready
    .map(rig => ({ rig, idle: idleOf(rig) }))
    .sort((a, b) => a.idle - b.idle || byName(a, b))
    .map(({ rig }) => rig)
}

const byName = (a: Pick<JudgedSpace, 'rig'>, b: Pick<JudgedSpace, 'rig'>) =>
  a.rig.space.name < b.rig.space.name ? -1 : 1

/** Maximum number of spaces shown; search by name finds the rest. */
const maxSpaces = 100

/** Maximum number of links to spaces that are kept and not open; search by name finds the rest. */
const maxClosed = 50

/** Spaces that are folded away, by what they are: whose they are, and the page that tells more of them. */
const folds = {
  exam: { of: 'exams', path: '/exams', page: 'Exams', says: 'has their results.' },
  demonstration: {
    of: '“Break it”',
    path: '/break-it',
    page: 'Break it',
    says: 'shows what can go wrong. The report leaves them out.',
  },
} as const

/** Whether something was sent twice, lost, changed or left behind, certainly or possibly. */
const isHarmed = ({ verdict }: JudgedSpace) => verdict !== undefined && verdict.harm.findings.length > 0

/** Whether several mailings were sent that nothing tells from repeats. */
const isUnidentified = ({ verdict }: JudgedSpace) => verdict !== undefined && isDoubtful(verdict)

/** 3 for a proved error or a suspicion, 2 for a proved warning, 1 for what is open, 0 for nothing. */
function accusationOf({ verdict }: JudgedSpace): number {
  const graver = verdict?.findings.filter(isHeldAgainst) ?? []
  if (graver.length > 0 && verdict?.suspicion !== null) return 3
  return Math.max(0, ...graver.map(it => ['calm', 'warn', 'bad'].indexOf(findingMark(it, false).tone) + 1))
}

/** The colour of its bar. What is open has none, here as among the requests. */
function toneOf(space: JudgedSpace): Tone | undefined {
  const accusation = accusationOf(space)
  if (isHarmed(space) || accusation === 3) return 'bad'
  return accusation === 2 || isUnidentified(space) ? 'warn' : undefined
}

/** Which spaces are shown: words, whether a space is one of them, and the colour of their count. */
const spaceKinds = {
  harm: { words: 'with harm', has: isHarmed, tone: 'bad' },
  violations: { words: 'with violations', has: space => accusationOf(space) === 3, tone: 'bad' },
  warnings: { words: 'with warnings only', has: space => accusationOf(space) === 2, tone: 'warn' },
  open: { words: 'with open questions only', has: space => accusationOf(space) === 1, tone: 'calm' },
  unidentified: { words: 'without transactionId', has: isUnidentified, tone: 'warn' },
  refused: { words: 'with refusals only', has: ({ rig }) => isAllRefused(rig), tone: 'bad' },
  disturbed: { words: 'disturbed', has: ({ rig }) => disturbanceMarks(rig).length > 0, tone: 'calm' },
} as const satisfies Record<string, { words: string; has: (space: JudgedSpace) => boolean; tone: Tone }>

/** The kinds that are counted, in words. What is proved and what is open have counts of their own. */
const summaries = {
  harm: 'where something was sent twice or lost, or may have been',
  violations: 'with violations, proved or suspected',
  warnings: spaceKinds.warnings.words,
  open: spaceKinds.open.words,
  refused: 'where every request was refused',
  unidentified: 'where several mailings were sent without a transactionId, perhaps one of them again',
} as const

/** How many of these spaces are of each kind, without kinds of which there is none. */
const countKinds = (spaces: readonly JudgedSpace[]) =>
  keysOf(summaries)
    .map(kind => [kind, spaces.filter(spaceKinds[kind].has).length] as const)
    .filter(([, count]) => count > 0)

/** By what a person has to look at: harm, violations, then verdicts that could prove nothing. */
const gravity = (space: JudgedSpace) =>
  64 * +isHarmed(space) +
  8 * Math.max(accusationOf(space), 2 * +isAllRefused(space.rig)) +
  // Between what is open and a warning.
  10 * +isUnidentified(space) +
  +(space.verdict?.hint !== undefined)

/** What decides among spaces of one gravity: what is certain before what is suspected, then how many were sent too many. */
function proofOf({ verdict }: JudgedSpace): readonly number[] {
  const { findings, harm } = verdict ?? { findings: [], harm: { findings: [] } }
  const doubles = harm.findings.filter(({ kind }) => kind === 'DOUBLE')
  return [
    +harm.findings.some(({ status }) => status === 'certain'),
    +findings.some(it => isHeldAgainst(it) && it.severity === 'error' && it.status === 'guilty'),
    surplusOf(doubles),
  ]
}

/** The worst first. */
function byHarm(one: JudgedSpace, other: JudgedSpace): number {
  const proofs = proofOf(one)
  const differences = proofOf(other).map((it, at) => it - proofs[at]!)
  return gravity(other) - gravity(one) || differences.find(it => it !== 0) || 0
}

/** Orders of spaces. They keep the order of use where two spaces are equal. */
const spaceOrders = {
  harm: ['harm first', byHarm],
  used: ['last used first', () => 0],
  sent: ['most sent first', (a, b) => (b.verdict?.harm.sent ?? 0) - (a.verdict?.harm.sent ?? 0)],
  requests: ['most requests first', (a, b) => b.rig.journal.count - a.rig.journal.count],
  name: ['by name', byName],
} as const satisfies Record<string, readonly [string, (a: JudgedSpace, b: JudgedSpace) => number]>

const spacesQuery = z.object({
  name: z.string().max(200).default(''),
  only: z.enum(keysOf(spaceKinds)).optional(),
  order: z.enum(keysOf(spaceOrders)).default('harm'),
  turned: z.enum(['true']).optional(),
})

type Call = PageCall<z.output<typeof spacesQuery>>

/** All spaces at a glance. */
export default page({
  query: spacesQuery,
  async show(call) {
    const { name, only, order, turned } = call.query
    const { spaces } = call.tools
    const { budget } = call.tools.rigs
    const closed = spaces.closed()
    const rigs = await listOpenRigs(call.tools)
    const hasEarlier = closed.length > 0 || rigs.some(hasUnrecorded)
    const isWanted = (it: string) => it.toLowerCase().includes(name.toLowerCase())
    const found = rigs.filter(rig => isWanted(rig.space.name))
    const cases = await listExamCases(call.tools, found)
    const kindOf = ({ space: { name } }: RigView) =>
      cases.has(name) ? 'exam' : isDemonstration(name) ? 'demonstration' : 'test'
    const ofTests = found.filter(rig => kindOf(rig) === 'test')
    const judged = await judgeAll(call, ofTests.slice(0, maxSpaces), cases)
    // Each case of an exam has a space, and wrong clients are shown on purpose: they would hide those of tests.
    const folded = await Promise.all(
      keysOf(folds).map(async kind => {
        const rigs = found.filter(rig => kindOf(rig) === kind)
        return { kind, count: rigs.length, spaces: await judgeAll(call, rigs.slice(0, maxSpaces), cases) }
      }),
    )
    const counts = countKinds(judged)
    const chosen = (all: readonly JudgedSpace[]) => {
      const sorted = all.filter(only ? spaceKinds[only].has : () => true).sort(spaceOrders[order][1])
      return turned ? sorted.reverse() : sorted
    }
    const shown = chosen(judged)
    const shownFolded = folded.map(it => ({ ...it, shown: chosen(it.spaces) }))
    const allShown = [...shown, ...shownFolded.flatMap(it => it.shown)]
    return {
      title: 'Spaces',
      events: call.at('/events'),
      content: (
        <>
          <h1>Spaces</h1>
          <p class="soft">
            <a href={call.at('/report')}>Report on this run</a>: all spaces since the start, those included
            that are gone, and what no test met.
          </p>
          {budget.use().isFull && (
            <p class="note">
              {budget.fullSentence}. New spaces and changes are refused;{' '}
              <a href={call.at('/memory')}>figures</a>.
            </p>
          )}
          <SpaceFilter call={call} />
          <Live
            id="spaces"
            on="request space scenario clock reset"
            grows={allShown.some(({ rig }) => !rig.clock.isFrozen && nextDue(rig) !== undefined)}
          >
            {rigs.every(({ journal }) => journal.count === 0) && (
              <Welcome call={call} title={hasEarlier ? 'No requests since the start' : 'No requests yet'} />
            )}
            <ul class="plain flow">
              {counts.map(([kind, count]) => (
                <li>
                  <a
                    class={`chip ${spaceKinds[kind].tone}`}
                    href={call.root + toQueryString({ name, only: kind })}
                  >
                    {`${count} of ${countNoun(judged.length, closed.length > 0 ? 'open space' : 'space')}`}
                  </a>{' '}
                  {summaries[kind]}
                </li>
              ))}
            </ul>
            <SpaceTable call={call} spaces={shown} />
            {shownFolded.map(
              ({ kind, count, spaces, shown }) =>
                shown.length > 0 && (
                  <details class="card" id={`${kind}-spaces`} open={name !== '' || only !== undefined}>
                    <summary>
                      {[
                        countNoun(count, `space of ${folds[kind].of}`, `spaces of ${folds[kind].of}`),
                        ...countKinds(spaces).map(([kind, count]) => `${count} ${spaceKinds[kind].words}`),
                      ].join(', ')}
                    </summary>
                    <p class="soft">
                      <a href={call.at(folds[kind].path)}>{folds[kind].page}</a> {folds[kind].says}
                      {count > maxSpaces && ` Shown are the ${maxSpaces} used last.`}
                    </p>
                    <SpaceTable call={call} spaces={shown} />
                  </details>
                ),
            )}
            {hasEarlier && (
              <p class="soft">
                A restart of the mock keeps sendings and no requests. A verdict covers only what came after
                it.
              </p>
            )}
            <ClosedSpaces call={call} names={closed.filter(isWanted)} />
            <PrivateSpacesLimit call={call} />
            <RejectedLogins call={call} />
            <p class="soft">
              {ofTests.length > maxSpaces ? `The ${maxSpaces} used last of ${ofTests.length}. ` : ''}
              {found.length === 0 ? 'No open space has this in its name. ' : ''}
              {found.length > 0 && allShown.length === 0 ? 'None of the spaces is like that. ' : ''}
              {spaces.evicted > 0 &&
                `${countNoun(spaces.evicted, 'private space', 'private spaces')} removed to make room.`}
            </p>
          </Live>
          <RemovePrivateSpaces call={call} />
        </>
      ),
    }
  },
})

/** When a private space goes by itself. */
function PrivateSpacesLimit({ call: { tools } }: { call: Call }) {
  const { copies, files } = tools.spaces.options
  if (!copies) return null
  const limit = durationWords(copies.idle)
  return (
    <p class="soft">
      A private space that nobody has used for {limit} {files.persistent ? 'is closed' : 'is removed'} when
      another one is opened.{' '}
      {files.persistent &&
        `Its files stay until ${copies.kept === undefined ? 'somebody removes it' : `a start finds that nobody has used it for ${durationWords(copies.kept)}`}${tools.rigs.keepsJournals ? '' : '; its requests are not kept'}. `}
    </p>
  )
}

/** How long a private space was not used that is removed by the careful one of two buttons: as the call takes it, and in words. */
const unused = ['1d', '1 day'] as const

function RemovePrivateSpaces({ call }: { call: Call }) {
  const href = call.at('/spaces')
  return (
    <CallFeedback>
      <details class="confirm">
        <summary>Remove private spaces…</summary>
        <p>
          A private space and everything in it is gone, also where it is kept and not open; with the next
          request of its user it starts again. Spaces of fixtures, and those that a control call made, stay.
        </p>
        <div class="row">
          <CallButton
            method="DELETE"
            href={href + toQueryString({ unused: unused[0] })}
            class="danger"
            done="They are removed."
          >
            Remove those unused for {unused[1]}
          </CallButton>
          <CallButton method="DELETE" href={href} class="danger" done="All private spaces are removed.">
            Remove all private spaces
          </CallButton>
        </div>
      </details>
    </CallFeedback>
  )
}

/** Spaces that are kept and were not used in this run, by name. A link opens its space. */
function ClosedSpaces({ call, names }: { call: Call; names: readonly string[] }) {
  if (names.length === 0) return null
  const { name } = call.query
  const whose = name === '' ? '' : ` with “${name}” in ${names.length === 1 ? 'its name' : 'their names'}`
  return (
    <details class="card" id="closed-spaces" open={name !== ''}>
      <summary>
        {countNoun(names.length, 'more space')}
        {whose} {names.length === 1 ? 'is' : 'are'} kept and not open
      </summary>
      <p class="soft">A link opens its space.</p>
      <ul class="plain flow">
        {names.slice(0, maxClosed).map(name => (
          <li>
            <a href={call.inSpace(name)}>{name}</a>
          </li>
        ))}
        {names.length > maxClosed && <li class="soft">and {names.length - maxClosed} more</li>}
      </ul>
    </details>
  )
}

/** What is wrong with the credentials. Nothing is said of a password that is not in the documentation. */
function whyRefused({ account, reason }: RejectedLogin): string {
  if (!account) return 'there is no such user'
  return documentedPassword(account.user.password) === undefined ? reason : 'only the password is wrong'
}

/** Requests without valid credentials. Those that name a known user are in the space of that user as well. */
function RejectedLogins({ call }: { call: PageCall }) {
  const { count, latest } = call.tools.rigs.rejectedLogins
  if (count === 0) return null
  return (
    <details class="card" id="turned-away">
      <summary>
        <Chip tone="warn">401</Chip> {countNoun(count, 'request')} with missing or wrong credentials
      </summary>
      <ul class="plain">
        {latest.map(it => (
          <li>
            <code>{it.id}</code> {it.method} <code>{it.path}</code>{' '}
            <Time at={it.at} now={realTime()} of="real" short />{' '}
            {it.userName === undefined ? (
              it.reason
            ) : (
              <>
                user “<bdi>{withoutControlCharacters(it.userName)}</bdi>”: {whyRefused(it)}
              </>
            )}
            {it.recordId !== undefined && (
              <>
                {' '}
                (<a href={call.inSpace(it.account!.spaceName, `/requests/${it.recordId}`)}>{it.recordId}</a>)
              </>
            )}
          </li>
        ))}
      </ul>
    </details>
  )
}

function SpaceFilter({ call }: { call: Call }) {
  const { name, only, order } = call.query
  const kinds = keysOf(spaceKinds).map(it => [it, spaceKinds[it].words] as const)
  const orders = keysOf(spaceOrders).map(it => [it, spaceOrders[it][0]] as const)
  return (
    <FilterForm action={call.root} target="spaces" label="Find a space" history="push">
      <SearchField label="Name" name="name" value={name} placeholder="demo+…" />
      <Select label="Show" name="only" options={kinds} chosen={only} none="all" />
      <Select label="Order" name="order" options={orders} chosen={order} />
    </FilterForm>
  )
}

const directions = ['descending', 'ascending'] as const

/** The spaces. The link of a space covers its row. */
function SpaceTable({ call, spaces }: { call: Call; spaces: readonly JudgedSpace[] }) {
  if (spaces.length === 0) return null
  const { query } = call
  /** A click on the heading that orders the list turns it round. */
  const ordered = (order: Call['query']['order'], isAscending = false) => {
    const isChosen = query.order === order
    const turned = isChosen && !query.turned ? 'true' : undefined
    return {
      order: call.root + toQueryString({ ...query, order, turned }, { order: 'harm' }),
      direction: isChosen ? directions[+(isAscending !== (query.turned === 'true'))] : undefined,
    }
  }
  return (
    <Table
      class="requests spaces framed"
      rows={spaces.map(it => ({ ...it, ...toSpaceDocument(call, it.rig) }))}
      id={({ name }) => `space-${encodeURIComponent(name)}`}
      rowClass={space => toneOf(space) && `marked ${toneOf(space)}`}
      columns={[
        {
          title: 'Space',
          ...ordered('name', true),
          class: 'what leads',
          cell: ({ name, kind, end }) => (
            <>
              <a href={call.inSpace(name, toQueryString(end))}>
                <Name name={name} />
              </a>{' '}
              {kind !== 'fixture' && <span class="soft">{kind === 'copy' ? 'private' : kind}</span>}
            </>
          ),
        },
        {
          title: 'Verdict',
          ...ordered('harm'),
          class: 'judged',
          cell: ({ rig, verdict }) => (verdict ? <VerdictChips {...{ rig, verdict }} /> : '–'),
        },
        {
          title: 'Sent',
          ...ordered('sent'),
          class: 'number',
          before: 'sent',
          cell: ({ sent, scheduled, stopped }) => (
            <>
              {sent}
              {scheduled > 0 && <span class="soft"> + {scheduled} scheduled</span>}
              {stopped > 0 && <span class="soft"> ({stopped} stopped)</span>}
            </>
          ),
        },
        {
          title: 'Requests',
          ...ordered('requests'),
          class: 'number count',
          before: 'requests',
          cell: ({ requests }) => requests,
        },
        { title: 'Last request', class: 'last', cell: ({ rig }) => <LastRequest rig={rig} /> },
        {
          title: 'Disturbed by',
          class: 'by',
          cell: ({ rig, held, dials, clock: { now } }) => {
            const turned = Object.keys(dials).length
            const time = dayAndTime(Date.parse(now))
            const pace = clockPace(rig)
            return (
              <Chips
                marks={[
                  ...disturbanceMarks(rig),
                  held > 0 && { tone: 'info', words: `${held} held` },
                  turned > 0 && { tone: 'calm', words: countNoun(turned, 'dial') },
                  pace !== undefined && { tone: 'info', words: `clock ${pace}`, title: `At ${time}` },
                ]}
              />
            )
          },
        },
        {
          title: 'Used',
          ...ordered('used'),
          class: 'used',
          cell: ({ requests, lastUsed }) =>
            requests === 0 ? (
              <span class="soft">–</span>
            ) : (
              <Ago at={Date.parse(lastUsed)} now={realTime()} of="real" />
            ),
        },
      ]}
    />
  )
}

function LastRequest({ rig }: { rig: RigView }) {
  const last = rig.journal.entries().at(-1)
  if (!last) return null
  const view = new JournalView(rig).view(last)
  return (
    <>
      <Chips marks={toldMarks(toldAnswer(view), view.delivered)} />{' '}
      {view.operation ?? <span {...wholePath(view)}>{requestName(view)}</span>}
    </>
  )
}

function Welcome({ call, title }: { call: PageCall; title: string }) {
  const { spaces } = call.tools
  const name = spaces.directory.names()[0]!
  const space = spaces.getOpen(name)
  return (
    <Empty title={title}>
      <p>
        Point your client at this mock, and what it does appears here by itself. This line makes a first
        request:
      </p>
      {space && <Snippet text={firstRequestLine(call, space)} label="Copy the line" />}
      <p>
        Or try <a href={call.at('/break-it')}>Break it</a> first: it shows what can go wrong, and you write no
        code. Then <a href={call.inSpace(name, '/connect')}>connect a client</a>, and try it with a{' '}
        <a href={call.inSpace(name, '/scenario')}>scenario</a>.
      </p>
      <p>
        A user name with a plus, such as <code>{name}+anything</code>, opens a private space, a copy of this
        one: one for each test.
      </p>
    </Empty>
  )
}
