import {
  createScale,
  type TimelineRow,
  TimelineTable,
  type TimeScale,
  trackHeading,
} from '../../judge/timeline-grid.tsx'
import { Chip, Chips, type Mark } from '../components/chips.tsx'
import { CopyButton, LongId } from '../components/elements.tsx'
import { findingMark, JudgeSentence, sentCount } from '../components/verdict-words.tsx'
import type { PageCall } from '../page.ts'
import { dayAndTime, durationText, offsetText, timeOfDay } from '../time-text.ts'
import {
  type AttemptStep,
  type Episode,
  type Finding,
  groupBy,
  groupEpisodes,
  type HiddenStep,
  isSentLater,
  type Lane,
  type SentStep,
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
  readMarks,
  responseMarks,
  truthMarks,
} from './step-words.ts'

const maxTransactionIds = 4
/** With those that are shown on demand. */
const maxListedIds = 60

/** The transaction IDs of a lane, its start and its result. */
function LaneHead({ call, lane }: { call: TimelineContext['call']; lane: Lane }) {
  const { sending, mailing } = lane
  const { transactionIds, basis } = sending
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
        {mailing ? (
          <a class="clamp" href={call.here('/mailings', mailing.id)}>
            {mailing.name}
          </a>
        ) : (
          <code>{sending.synchronizationId}</code>
        )}
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

function TransactionId({ id, letter }: { id: string | null; letter: string | undefined }) {
  return (
    <span class="lane-id">
      {letter && <span class="soft">{letter} </span>}
      {id === null ? (
        <em class="soft">no transactionId</em>
      ) : (
        <>
          <LongId id={id} />
          <CopyButton text={id} label="Copy the transaction ID" />
        </>
      )}
    </span>
  )
}

/** The result of a lane, in chips. */
function outcomeMarks(lane: Lane): Mark[] {
  const { before, sent, scheduled, due, harm } = lane
  const isNothing = before.length === 0 && sent === 0 && scheduled === 0
  const isDue = due !== undefined && scheduled === 0
  return [
    ...(isNothing && !isDue ? [{ tone: 'calm', words: 'nothing was sent' } as const] : []),
    ...(isDue
      ? [
          {
            tone: 'info',
            words: `${isNothing ? 'not sent yet, ' : ''}due ${timeOfDay(due)}`,
            title: `On ${dayAndTime(due)}, if no request changes that`,
          } as const,
        ]
      : []),
    ...(before.length > 0 ? [beforeMark(lane)] : []),
    ...(sent > 0 ? [sentMark(lane)] : []),
    ...(scheduled > 0
      ? [{ tone: 'info', words: scheduled === 1 ? 'scheduled' : `${scheduled} scheduled` } as const]
      : []),
    ...harm,
  ]
}

const beforeMark = (lane: Lane): Mark => ({
  tone: sentTone(lane),
  words: `${sentCount(lane.before.length)} before this record`,
  title: 'What brought it about is not on record any more',
})

const sentMark = (lane: Lane): Mark => ({ tone: sentTone(lane), words: sentCount(lane.sent) })

/** The colour of each thing that was sent in a lane: never green beside harm. */
function sentTone({ before, sent, harm, findings, tone }: Lane): Mark['tone'] {
  if (before.length + sent < 2) return harm.length > 0 || tone === 'bad' ? 'calm' : 'good'
  // Without harm or findings they may be separate mailings.
  return harm.length > 0 || findings.length > 0 ? 'bad' : 'info'
}

/** What all lanes of a page share. */
interface TimelineContext {
  /** The addresses of pages about the space of the lanes. */
  readonly call: Pick<PageCall, 'here' | 'judged'>
  /** Current time of the space's clock. */
  readonly now: number
}

const requestHref = ({ call }: TimelineContext, id: string) => call.judged(`/requests/${id}`)

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

function stepCells(scene: TimelineContext, lane: Lane, step: Exclude<Step, HiddenStep>): StepCells {
  if (step.what === 'attempt') return attemptCells(scene, lane, step)
  if (step.what === 'sent')
    return {
      what: <>the platform{sentNote(lane, step)}</>,
      bar: undefined,
      marks: [{ at: step.begins, kind: 'sent', tone: sentTone(lane) }],
      told: null,
      truth: <Chips marks={[{ tone: sentTone(lane), words: 'sent' }]} />,
    }
  const marks = readMarks(step)
  return {
    what: (
      <>
        <a
          class="lane-step"
          href={requestHref(scene, step.requestId)}
          title={[`${describeRead(step)}, told`, ...marks.map(({ words }) => words)].join(' ')}
        >
          {step.requestId}
        </a>
        <span class="soft lane-note">{describeRead(step)}</span>
      </>
    ),
    bar: undefined,
    marks: [{ at: step.begins, kind: 'read' }],
    told: <Chips marks={marks} />,
    truth: null,
  }
}

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
  const hasSent = step.sendings.some(it => it.status === 'sent' && !isSentLater(step, it))
  return {
    what: (
      <>
        <a
          class="lane-step"
          href={requestHref(scene, attempt.requestId)}
          title={describeAttempt(step, scene.now)}
        >
          {attempt.requestId}
        </a>
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

/** Headings of a lane's table but that of the track. */
const headings = { before: ['At', 'What'], after: ['Told', 'True', 'Findings'] }

/** One intended sending: its head, its steps in time, and the findings. */
function LaneView(props: {
  scene: TimelineContext
  lane: Lane
  rows: readonly TimelineRow[]
  scale: TimeScale
  length: string
}) {
  const { scene, lane, rows, scale, length } = props
  const verdict = scene.call.judged('/verdict')
  const { findings, unproved } = lane
  const tone = sentTone(lane) === 'bad' ? 'bad' : lane.tone
  const href = (id: string) => requestHref(scene, id)
  const doubt = (it: Finding) => (findingMark(it, lane.isSuspected).tone === 'bad' ? 0 : 1)
  const rules = [...groupBy(findings, it => [it.rule]).values()].sort((a, b) => doubt(a[0]!) - doubt(b[0]!))
  return (
    <article class={tone ? `lane marked ${tone}` : 'lane'} id={lane.id} aria-labelledby={`${lane.id}-name`}>
      <LaneHead call={scene.call} lane={lane} />
      <TimelineTable
        rows={rows}
        scale={scale}
        headings={[...headings.before, trackHeading(length), ...headings.after]}
        labelledBy={`${lane.id}-name`}
      />
      {rules.length + unproved.length > 0 && (
        <ul class="plain lane-findings">
          {rules.slice(0, maxFindings).map(([finding, ...others]) => (
            <BrokenRule finding={finding!} others={others.length} lane={lane} href={href} verdict={verdict} />
          ))}
          {unproved.map(mark => (
            <li>
              <Chips marks={[mark]} />{' '}
              <JudgeSentence
                text={mark.title!}
                evidence={lane.sending.attempts.map(it => it.requestId)}
                href={href}
              />
            </li>
          ))}
          {rules.length > maxFindings && (
            <li>
              <a href={verdict}>and {rules.length - maxFindings} more</a>
            </li>
          )}
        </ul>
      )}
    </article>
  )
}

/** A finding of a lane. */
function BrokenRule(props: {
  finding: Finding
  /** How many more findings there are of the same rule. */
  others: number
  lane: Lane
  href: (requestId: string) => string
  verdict: string
}) {
  const { finding, others, lane, href, verdict } = props
  const { tone, words } = findingMark(finding, lane.isSuspected)
  const { rule, title, status, sentence, evidence, remedy } = finding
  return (
    <li id={`${lane.id}-${rule}`}>
      <Chip tone={tone}>{words}</Chip>{' '}
      <a href={`${verdict}#${rule}`}>
        {title}
        {status === 'open' ? '?' : '.'}
      </a>{' '}
      <JudgeSentence text={sentence} evidence={evidence} href={href} />
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
  return groupEpisodes(lanes).map(episode => (
    <>
      <EpisodeView scene={scene} lanes={episode.lanes} />
      {areAll && episode.before !== undefined && episode.before >= minPauseShown && (
        <p class="soft small lane-between">{durationText(episode.before)} without a sending</p>
      )}
    </>
  ))
}

function EpisodeView({ scene, lanes }: { scene: TimelineContext; lanes: Episode['lanes'] }) {
  const rows = lanes.map(lane => laneRows(scene, lane))
  const all = rows.flat()
  const scale = createScale(all)
  const start = lanes[0]!.steps[0]!.begins.clock
  const end = all.reduce((last, { begins, ends }) => Math.max(last, (ends ?? begins).clock), start)
  const length = durationText(Math.max(end - start, 1))
  return (
    <div class="lane-episode" id={`of-${lanes[0]!.id}`}>
      <p class="soft small lane-scale">Lines: {trackHeading(length)}</p>
      {lanes.map((lane, at) => (
        <LaneView scene={scene} lane={lane} rows={rows[at]!} scale={scale} length={length} />
      ))}
    </div>
  )
}
