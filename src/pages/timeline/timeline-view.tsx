import type { Child } from 'hono/jsx'
import { groupBy } from '../../judge/grouping.ts'
import {
  createScale,
  type TimelineRow,
  TimelineTable,
  type TimeScale,
  trackHeading,
} from '../../judge/timeline-grid.tsx'
import type { Moment } from '../../rig/request-record.ts'
import { durationWords } from '../../rig/words.ts'
import { platformStatuses } from '../../store/platform-status.ts'
import { Chip, Chips, type Mark, sentCount, statusMarks, toldMarks } from '../components/chips.tsx'
import { CopyButton, LongId } from '../components/elements.tsx'
import { Table } from '../components/table.tsx'
import { offsetText } from '../components/times.tsx'
import { findingMark, JudgeSentence } from '../components/verdict-words.tsx'
import type { PageCall } from '../page-call.ts'
import { dayAndTime, timeOfDay } from '../time-text.ts'
import {
  type AttemptStep,
  type Episode,
  type Finding,
  groupEpisodes,
  isMistake,
  type Lane,
  maxReads,
  type ReadStep,
  type SentStep,
  type ShownStep,
  type Step,
  transactionLetter,
} from './lanes.ts'
import {
  attemptNotes,
  describeAttempt,
  describeRead,
  effectMarks,
  noEffectText,
  pauseText,
  responseMarks,
  truthMarks,
} from './step-words.ts'

const maxTransactionIds = 4
/** With those that are shown on demand. */
const maxListedIds = 60

/** The transaction IDs of a lane, its start and its result. */
function LaneHead({ call, lane }: { call: PageCall; lane: Lane }) {
  const { transactionIds, basis } = lane.sending
  const sent = lane.steps.flatMap(it =>
    it.what === 'attempt' ? it.sendings : it.what === 'sent' ? [it.sending] : [],
  )
  // The first one of each sending.
  const reports = [
    ...new Map(
      [...lane.before, ...sent]
        .reverse()
        .flatMap(({ sendingId, cause }) => (sendingId ? [[sendingId, cause] as const] : [])),
    ),
  ].reverse()
  return (
    <header class="lane-head">
      <h2 class="lane-name" id={`${lane.id}-name`}>
        {transactionIds.slice(0, maxTransactionIds).map((id, at) => (
          <TransactionId id={id} letter={transactionIds.length > 1 ? transactionLetter(at) : undefined} />
        ))}
        {transactionIds.length > maxTransactionIds && (
          <details id={`${lane.id}-ids`}>
            <summary class="soft">
              and {transactionIds.length - maxTransactionIds} more transaction IDs
            </summary>
            {transactionIds.slice(maxTransactionIds, maxListedIds).map((id, at) => (
              <TransactionId id={id} letter={transactionLetter(at + maxTransactionIds)} />
            ))}
            {transactionIds.length > maxListedIds && '…'}
          </details>
        )}
      </h2>
      <p class="row lane-outcome">
        <Chips marks={outcomeMarks(lane)} />
        {lane.before.map(({ startsAt }) => (
          <time class="soft" datetime={startsAt}>
            {dayAndTime(Date.parse(startsAt))}
          </time>
        ))}
      </p>
      <p class="lane-of soft small flush">
        <MailingLink call={call} lane={lane} />
        {reports.slice(0, maxTransactionIds).map(([id, cause]) => (
          <>
            {' · '}
            <a href={`${call.here('/sendings', id)}/report`}>
              {reports.length > 1 ? `report of ${cause}` : 'report'}
            </a>
          </>
        ))}
        {reports.length > maxTransactionIds && ` and ${reports.length - maxTransactionIds} more`}
        {basis === 'inferred' && (
          <span title="Inferred: these look like one mailing"> · taken for one mailing</span>
        )}
      </p>
    </header>
  )
}

const MailingLink = ({ call, lane: { mailing, sending } }: { call: PageCall; lane: Lane }) =>
  mailing ? (
    <a class="clamp" href={call.here('/mailings', mailing.id)}>
      {mailing.name}
    </a>
  ) : (
    <code>{sending.synchronizationId}</code>
  )

function TransactionId({ id, letter }: { id: string | null; letter: string | undefined }) {
  return (
    <span class="lane-id">
      {letter && <span class="soft">{letter} </span>}
      {id === null ? (
        <em class="soft">no transactionId</em>
      ) : (
        <>
          <LongId id={id} />
          <CopyButton text={id} label={`Copy the transaction ID ${id}`} />
        </>
      )}
    </span>
  )
}

/** The result of a lane, in chips. */
function outcomeMarks(lane: Lane): (Mark | false)[] {
  const { before, counts, due, harm } = lane
  const isNothing = before.length === 0 && counts.sent === 0 && counts.scheduled === 0 && counts.stopped === 0
  const isDue = due !== undefined && counts.scheduled === 0
  const tone = sentTone(lane)
  return [
    isNothing && !isDue && { tone: 'calm', words: 'nothing was sent' },
    isDue && {
      tone: 'info',
      words: `${isNothing ? 'not sent yet, ' : ''}due ${timeOfDay(due)}`,
      title: `On ${dayAndTime(due)}, if no request changes that`,
    },
    before.length > 0 && {
      tone,
      words: `${sentCount(before.length)} before this record`,
      title: 'What brought it about is not on record any more',
    },
    ...platformStatuses.map(status => counts[status] > 0 && statusMarks[status].count(counts[status], tone)),
    ...harm,
  ]
}

/** The colour of each thing that was sent in a lane: never green beside harm. */
function sentTone({ before, counts, harm, findings, tone }: Lane): Mark['tone'] {
  if (before.length + counts.sent < 2) return harm.length > 0 || tone === 'bad' ? 'calm' : 'good'
  // Without harm or findings they may be separate mailings.
  return harm.length > 0 || findings.some(isMistake) ? 'bad' : 'info'
}

/** What all lanes of a page share. */
interface TimelineContext {
  readonly call: PageCall
  /** Current time of the space's clock. */
  readonly now: number
}

function laneRows(scene: TimelineContext, lane: Lane): TimelineRow[] {
  const { steps } = lane
  const start = steps[0]!.begins.clock
  return steps.map((step, at) => {
    const { begins, ends } = step
    if (step.what === 'hidden') return { begins, ends, gap: `${step.count} more, left out here` }
    // The client's pause: what the platform does meanwhile does not end it.
    const before = steps.slice(0, at).findLast(({ what }) => what !== 'sent')
    const pause = before && pauseText(before, step)
    return {
      // A step has another ID in each lane: otherwise htmx would move the row to its new lane before it compares them.
      id: `${step.id}-in-${lane.id}`,
      class: `is-${step.what}`,
      begins,
      ends,
      at: (
        <>
          <time datetime={new Date(begins.clock).toISOString()} title="By the space's clock">
            {at === 0 ? timeOfDay(start, true) : offsetText(begins.clock - start)}
          </time>
          {pause && <span class="soft lane-note">pause of {pause}</span>}
        </>
      ),
      ...stepCells(scene, lane, step),
    }
  })
}

type StepCells = Pick<
  Exclude<TimelineRow, { gap: string }>,
  'what' | 'bar' | 'marks' | 'told' | 'truth' | 'findings'
>

function stepCells(scene: TimelineContext, lane: Lane, step: ShownStep): StepCells {
  if (step.what === 'attempt') return attemptCells(scene, lane, step)
  if (step.what === 'sent')
    return {
      what: <>the platform{sentNote(lane, step)}</>,
      bar: undefined,
      marks: [{ at: step.begins, kind: 'sent', tone: sentTone(lane) }],
      told: null,
      truth: <Chip tone={sentTone(lane)}>sent</Chip>,
    }
  const reads = readsIn(step)
  const [first] = reads as [ReadStep, ...ReadStep[]]
  return {
    what: (
      <>
        <ReadLinks scene={scene} lane={lane} reads={reads} />
        <span class="soft lane-note">
          {describeRead(first)}
          {reads.length > 1 &&
            `, ${reads.length} times in ${durationWords(spanOf(first.begins, reads.at(-1)!.begins))}`}
        </span>
      </>
    ),
    bar: undefined,
    marks: [...new Set([first, reads.at(-1)!])].map(it => ({ at: it.begins, kind: 'read' })),
    told: <Chips marks={toldMarks(first.told, first.delivered)} />,
    truth: null,
    findings: <Chips marks={first.marks} />,
  }
}

/** Milliseconds from one moment to another, on the clock that advanced more. */
const spanOf = (from: Moment, to: Moment): number => Math.max(to.real - from.real, to.clock - from.clock)

const readsIn = (step: Step): readonly ReadStep[] =>
  step.what === 'read' ? [step] : step.what === 'reads' ? step.reads : []

/** The first reads of several, and the others on demand. */
function ReadLinks(props: { scene: TimelineContext; lane: Lane; reads: readonly ReadStep[] }) {
  const { scene, lane, reads } = props
  return (
    <>
      {reads.slice(0, maxReads).map((read, at) => (
        <>
          {at > 0 && ', '}
          <ReadLink scene={scene} step={read} />
        </>
      ))}
      {reads.length > maxReads && (
        <details id={`${reads[0]!.id}-in-${lane.id}-more`}>
          <summary class="soft">and {reads.length - maxReads} more</summary>
          {reads.slice(maxReads, maxListedIds).map(({ requestId }) => (
            <>
              <a class="word" href={scene.call.requestAddress(requestId)}>
                {requestId}
              </a>{' '}
            </>
          ))}
          {reads.length > maxListedIds && '…'}
        </details>
      )}
    </>
  )
}

function ReadLink({ scene, step }: { scene: TimelineContext; step: ReadStep }) {
  const told = toldMarks(step.told, step.delivered).map(({ words }) => words)
  return (
    <a
      class="lane-step"
      href={scene.call.requestAddress(step.requestId)}
      title={[`${describeRead(step)}, told`, ...told].join(' ')}
    >
      {step.requestId}
    </a>
  )
}

const AttemptLink = ({ scene, step }: { scene: TimelineContext; step: AttemptStep }) => (
  <a
    class="lane-step"
    href={scene.call.requestAddress(step.attempt.requestId)}
    title={describeAttempt(step, scene.now)}
  >
    {step.attempt.requestId}
  </a>
)

/** Which of several IDs it was sent for. */
function sentNote({ sending: { transactionIds } }: Lane, { sending: { transactionId } }: SentStep) {
  const at = transactionIds.length > 1 ? transactionIds.indexOf(transactionId) : -1
  return at < 0 ? null : <span class="soft lane-note">ID {transactionLetter(at)}</span>
}

function attemptCells(scene: TimelineContext, lane: Lane, step: AttemptStep): StepCells {
  const { attempt, begins, ends, findings } = step
  const told = responseMarks(step)
  const tone = step.isDouble ? 'bad' : sentTone(lane)
  const truth = [...truthMarks(step), ...effectMarks(step, scene.now, tone)]
  const notes = attemptNotes(step)
  const hasSent = step.sendings.some(it => it.status === 'sent' && !step.sentLater.includes(it))
  return {
    what: (
      <>
        <AttemptLink scene={scene} step={step} />
        {notes.length > 0 && <span class="soft lane-note">{notes.join(' · ')}</span>}
      </>
    ),
    bar: `${told.at(-1)!.tone} ${attempt.delivered}`,
    marks: hasSent ? [{ at: ends ?? begins, kind: 'sent', tone }] : [],
    told: <Chips marks={told} />,
    truth: truth.length > 0 ? <Chips marks={truth} /> : <span class="soft">{noEffectText(step)}</span>,
    findings: [
      <Chips marks={step.harm} />,
      ' ',
      findings.map(finding => {
        const { tone, words, title } = findingMark(finding, lane.isSuspected)
        return (
          <>
            <a class={`chip lane-pin ${tone}`} href={`#${lane.id}-${finding.rule}`} title={title}>
              {words}
            </a>{' '}
          </>
        )
      }),
      <Chips marks={step.unproved} />,
    ],
  }
}

/** Maximum number of findings shown with a lane; the verdict page has all. */
const maxFindings = 6

/** One intended sending: its head, its steps in time, and the findings. */
function LaneView(props: {
  call: PageCall
  lane: Lane
  rows: readonly TimelineRow[]
  scale: TimeScale
  /** Heading of the tracks. */
  track: Child
}) {
  const { call, lane, rows, scale, track } = props
  const { findings, unproved, sending } = lane
  const tone = sentTone(lane) === 'bad' ? 'bad' : lane.tone
  const doubt = (it: Finding) => (findingMark(it, lane.isSuspected).tone === 'bad' ? 0 : 1)
  const rules = [...groupBy(findings, it => it.rule).values()].sort(([a], [b]) => doubt(a) - doubt(b))
  return (
    <article class={tone ? `lane marked ${tone}` : 'lane'} id={lane.id} aria-labelledby={`${lane.id}-name`}>
      <LaneHead call={call} lane={lane} />
      <TimelineTable
        rows={rows}
        scale={scale}
        headings={['At', 'What', track, 'Told', 'True', 'Findings']}
        labelledBy={`${lane.id}-name`}
      />
      {rules.length + unproved.length > 0 && (
        <ul class="plain lane-findings">
          {rules.slice(0, maxFindings).map(([finding, ...others]) => (
            <BrokenRule call={call} finding={finding} others={others.length} lane={lane} />
          ))}
          {unproved.map(mark => (
            <li>
              <Chips marks={[mark]} />{' '}
              <JudgeSentence
                text={mark.title!}
                evidence={sending.attempts.map(it => it.requestId)}
                href={call.requestAddress}
              />
            </li>
          ))}
          {rules.length > maxFindings && (
            <li>
              <a href={call.judged('/verdict')}>and {rules.length - maxFindings} more</a>
            </li>
          )}
        </ul>
      )}
    </article>
  )
}

/** A finding of a lane. @param props.others how many more there are of the same rule */
function BrokenRule(props: { call: PageCall; finding: Finding; others: number; lane: Lane }) {
  const { call, finding, others, lane } = props
  const { tone, words } = findingMark(finding, lane.isSuspected)
  const { rule, title, status, sentence, evidence, remedy } = finding
  return (
    <li id={`${lane.id}-${rule}`}>
      <Chip tone={tone}>{words}</Chip>{' '}
      <a href={`${call.judged('/verdict')}#${rule}`}>
        {title}
        {status === 'open' ? '?' : '.'}
      </a>{' '}
      <JudgeSentence text={sentence} evidence={evidence} href={call.requestAddress} />
      {others > 0 && <span class="soft"> And {others} more of the kind.</span>} <strong>Do:</strong> {remedy}
    </li>
  )
}

/** Pauses between episodes are shown from this length. Milliseconds. */
const minPauseShown = 5_000

/**
 * Lanes in time, latest first. Lanes that overlap in time share a scale.
 * @param props.areAll whether the lanes are complete, so that pauses between them are real
 */
export function Timeline(props: TimelineContext & { lanes: readonly Lane[]; areAll: boolean }) {
  const { lanes, areAll, ...scene } = props
  return groupEpisodes(lanes).map(({ lanes, isCalm, before }) => (
    <>
      {isCalm ? <CalmLanes scene={scene} lanes={lanes} /> : <EpisodeView scene={scene} lanes={lanes} />}
      {areAll && before !== undefined && before >= minPauseShown && (
        <p class="soft small lane-between">{durationWords(before)} without a sending</p>
      )}
    </>
  ))
}

/** Undisturbed sendings, a line for each: there is nothing to tell but that it was asked for, and what became of it. */
function CalmLanes({ scene, lanes }: { scene: TimelineContext; lanes: readonly Lane[] }) {
  const { call, now } = scene
  const attemptOf = ({ steps }: Lane) => steps.find(it => it.what === 'attempt')!
  return (
    <Table
      class="calm-lanes dense framed"
      rows={lanes}
      id={({ id }) => id}
      rowClass={() => 'lane'}
      columns={[
        {
          title: 'At',
          class: 'at',
          cell: lane => (
            <time datetime={new Date(attemptOf(lane).begins.clock).toISOString()}>
              {timeOfDay(attemptOf(lane).begins.clock, true)}
            </time>
          ),
        },
        {
          title: 'Transaction ID',
          class: 'leads',
          cell: ({ sending }) => <TransactionId id={sending.transactionIds[0]!} letter={undefined} />,
        },
        {
          title: 'Request',
          class: 'calm-steps',
          cell: lane => <CalmSteps scene={scene} lane={lane} attempt={attemptOf(lane)} />,
        },
        {
          title: 'Told',
          class: 'told-cell',
          before: 'told',
          cell: lane => <Chips marks={responseMarks(attemptOf(lane))} />,
        },
        {
          title: 'True',
          class: 'truth-cell',
          before: 'true',
          cell: lane => (
            <>
              <Chips marks={effectMarks(attemptOf(lane), now, sentTone(lane))} />
              {attemptOf(lane).sendings.map(
                ({ sendingId }) =>
                  sendingId && [' ', <a href={`${call.here('/sendings', sendingId)}/report`}>report</a>],
              )}
            </>
          ),
        },
        { title: 'Mailing', class: 'mailing-cell', cell: lane => <MailingLink call={call} lane={lane} /> },
      ]}
    />
  )
}

/** The requests of an undisturbed sending: those that asked for it, and those that read it. */
function CalmSteps(props: { scene: TimelineContext; lane: Lane; attempt: AttemptStep }) {
  const { scene, lane, attempt } = props
  const reads = lane.steps.flatMap(readsIn)
  const again = lane.steps.filter(it => it.what === 'attempt').slice(1)
  const remarks = new Map(lane.findings.map(it => [it.rule, findingMark(it, lane.isSuspected)]))
  const notes = attemptNotes(attempt)
  return (
    <>
      <AttemptLink scene={scene} step={attempt} />
      {notes.length > 0 && <span class="soft"> {notes.join(' · ')}</span>}
      {again.length > 0 && <span class="soft"> again at </span>}
      {again.slice(0, maxReads).map((step, at) => (
        <>
          {at > 0 && ', '}
          <AttemptLink scene={scene} step={step} />
        </>
      ))}
      {again.length > maxReads && <span class="soft"> and {again.length - maxReads} more</span>}
      {[...remarks].map(([rule, mark]) => (
        <>
          {' '}
          <a class={`chip ${mark.tone}`} href={`${scene.call.judged('/verdict')}#${rule}`} title={mark.title}>
            {mark.words}
          </a>
        </>
      ))}
      {reads.length > 0 && <span class="soft"> read at </span>}
      <ReadLinks scene={scene} lane={lane} reads={reads} />
    </>
  )
}

function EpisodeView({ scene, lanes }: { scene: TimelineContext; lanes: Episode['lanes'] }) {
  const drawn = lanes.map(lane => laneRows(scene, lane))
  const all = drawn.flat()
  const scale = createScale(all)
  const start = lanes[0]!.steps[0]!.begins.clock
  const end = all.reduce((last, { begins, ends }) => Math.max(last, (ends ?? begins).clock), start)
  const length = durationWords(Math.max(end - start, 1))
  const isSingle = all.length === 1
  const took = all[0]!.ends ? length : 'not over yet'
  const rows = isSingle ? [[{ ...all[0]!, took }]] : drawn
  return (
    <div class="lane-episode" id={`of-${lanes[0]!.id}`}>
      {!isSingle && <p class="soft small lane-scale">Lines: {trackHeading(length)}</p>}
      {lanes.map((lane, at) => (
        <LaneView
          call={scene.call}
          lane={lane}
          rows={rows[at]!}
          scale={scale}
          track={isSingle ? 'Took' : trackHeading(length)}
        />
      ))}
    </div>
  )
}
