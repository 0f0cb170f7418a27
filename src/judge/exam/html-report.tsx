import { raw } from 'hono/html'
import type { Child } from 'hono/jsx'
import { capitalize, countNoun, durationWords } from '../../rig/words.ts'
import { createScale, type TimelineRow, TimelineTable, trackHeading } from '../timeline-grid.tsx'
import type { AttemptShown, CaseFinding, CaseResult, EffectShown, ExamResult } from './exam-result.ts'
import { forTerminal } from './report-text.ts'
import {
  countsLine,
  evidenceWords,
  expectedPhrase,
  type FindingGroup,
  groupByRule,
  isAccusation,
  reachedPhrase,
  readingLine,
  titleOf,
  whyNotPassed,
} from './text-reports.ts'

/** Maximum number of attempts drawn at the beginning and at the end; in a flood those between look the same. */
const maxDrawn = { first: 20, last: 10 }

/**
 * The attempts of a case against the truth: a row for each request with a bar for its duration, the response to the
 * client, the truth, and a diamond for each real sending.
 */
function Timeline({ attempts, attemptsLeftOut, effects }: CaseResult) {
  if (attempts.length === 0) return <p class="note">No request came.</p>
  const isMuch = attempts.length + attemptsLeftOut > maxDrawn.first + maxDrawn.last
  const head = isMuch ? attempts.slice(0, maxDrawn.first) : attempts
  const tail = isMuch ? attempts.slice(maxDrawn.first).slice(-maxDrawn.last) : []
  const span = Math.max(0.001, ...[...head, ...tail].map(({ at, until }) => Math.max(at, until ?? at)))
  const missing = attempts.length + attemptsLeftOut - head.length - tail.length
  const cutAt = momentAt(head.at(-1)!.at)
  const draw = { span, names: shortNames(attempts), effects }
  const rows = [
    ...head.map((it, at) => timelineRow(it, at + 1, draw)),
    ...(missing > 0 ? [{ begins: cutAt, ends: cutAt, gap: `${missing} more requests are not drawn` }] : []),
    ...tail.map((it, at) => timelineRow(it, head.length + missing + at + 1, draw)),
  ]
  return (
    <>
      <TimelineTable
        rows={rows}
        scale={createScale(rows)}
        headings={['At', 'Request', trackHeading(secondsWords(span)), 'Client was told', 'True']}
        label="Requests against truth"
      />
      <Legend attempts={attempts} effects={effects} />
    </>
  )
}

/** Transaction IDs are long: each gets a letter, in order of first use. */
function shortNames(attempts: readonly AttemptShown[]): ReadonlyMap<string, string> {
  const names = new Map<string, string>()
  for (const { transactionId } of attempts)
    if (transactionId !== null && !names.has(transactionId))
      names.set(transactionId, names.size < 26 ? String.fromCharCode(65 + names.size) : `#${names.size + 1}`)
  return names
}

interface TimelineContext {
  /** Seconds from the left to the right end. */
  readonly span: number
  readonly names: ReadonlyMap<string, string>
  readonly effects: readonly EffectShown[]
}

const momentAt = (seconds: number) => ({ real: seconds * 1_000, clock: seconds * 1_000 })

function timelineRow(
  it: AttemptShown,
  number: number,
  { span, names, effects }: TimelineContext,
): TimelineRow {
  const { id, at, until, method, path, operation, transactionId, told, truth } = it
  const title = `${method} ${path}${transactionId === null ? '' : `, transactionId ${transactionId}`}`
  return {
    begins: momentAt(at),
    ends: until === null ? undefined : momentAt(until),
    at: secondsWords(at),
    what: (
      <span title={title}>
        {number}.{' '}
        {it.isCreation ? (
          <b>{transactionId === null ? 'no ID' : `ID ${names.get(transactionId)!}`}</b>
        ) : (
          <i>{operation === null ? method : operationWords(operation)}</i>
        )}{' '}
        <small>{id}</small>
      </span>
    ),
    bar: barKind(it),
    marks: effects
      .filter(({ cause }) => cause === id)
      .map(effect => ({
        at: momentAt(Math.min(Math.max(0, effect.at), span)),
        kind: effect.what === 'unsent mailing' ? 'orphan' : 'sent',
        title: `${effect.what} at ${secondsWords(effect.at)}${effect.at > span ? ', after the client had ended' : ''}`,
      })),
    told,
    truth,
  }
}

const barKind = ({ isDisturbed, isCreation }: AttemptShown) =>
  isDisturbed ? 'disturbed' : isCreation ? 'plain' : 'other'

/** `getMailingSynchronization`: get mailing synchronization. */
const operationWords = (operation: string) => operation.replaceAll(/[A-Z]/g, it => ` ${it.toLowerCase()}`)

function Legend({ attempts, effects }: Pick<CaseResult, 'attempts' | 'effects'>) {
  const kinds = new Set(attempts.map(barKind))
  const hasOrphan = effects.some(({ what }) => what === 'unsent mailing')
  const hasSent = effects.some(({ what }) => what !== 'unsent mailing')
  const signs = [
    [kinds.has('plain'), 'track-bar plain', 'asks for a sending'],
    [kinds.has('disturbed'), 'track-bar disturbed', 'asks for a sending, and the case disturbs it'],
    [kinds.has('other'), 'track-bar other', 'asks for something else'],
    [hasSent, 'track-mark sent', 'really sent, or will be'],
    [hasOrphan, 'track-mark orphan', 'a mailing on the platform that is never sent'],
  ] as const
  return (
    <p class="key">
      {signs.map(
        ([isUsed, kind, words]) =>
          isUsed && (
            <span>
              <svg width={kind.startsWith('track-bar') ? 16 : 8} height="8" aria-hidden="true">
                <rect class={kind} width="100%" height="8" />
              </svg>
              {words}
            </span>
          ),
      )}
    </p>
  )
}

const secondsWords = (seconds: number) =>
  seconds < 120 ? `${seconds.toFixed(seconds < 10 ? 2 : 1)} s` : durationWords(seconds * 1_000)

function Case({ case: it, isOpen }: { case: CaseResult; isOpen: boolean }) {
  const { name, status, realSeconds, description, tags, findings, harm, reason, reproduce } = it
  return (
    <details class={`case ${status}`} id={name} open={isOpen}>
      <summary>
        <span class="mark" aria-hidden="true">
          {statusMarks[status]}
        </span>
        <span class="name">{name}</span>
        <span class="badges">
          {findings.filter(isAccusation).map(finding => (
            <>
              <Badge finding={finding} />{' '}
            </>
          ))}
        </span>
        <span class="took">{realSeconds.toFixed(1)} s</span>
      </summary>
      <p>{description}</p>
      <Outcome {...it} />
      {reason !== null && (
        <p class="note">
          {status === 'failed' ? 'Note' : 'It proved nothing'}: {reason}.
        </p>
      )}
      {findings.length > 0 && (
        <ul class="findings">
          {findings.map(finding => (
            <Finding finding={finding} attempts={it.attempts} />
          ))}
        </ul>
      )}
      {harm !== null && (
        <p>
          <strong>What came of it:</strong> {harm}
        </p>
      )}
      <BrokenConnections count={it.brokenConnections} />
      <Timeline {...it} />
      {reproduce !== null && (
        <>
          <p class="reproduce">Play it again:</p>
          <pre>{reproduce}</pre>
        </>
      )}
      <Output {...it.client} />
      <p class="tags">
        {tags.map(tag => (
          <>
            <span>{tag}</span>{' '}
          </>
        ))}
      </p>
    </details>
  )
}

const statusMarks = { passed: '✓', failed: '✗', inconclusive: '–' } as const

const Badge = ({ finding }: { finding: CaseFinding }) => (
  <span class={`badge ${findingClass(finding)}`}>{finding.rule}</span>
)

const findingClass = ({ severity, status }: CaseFinding) => (status === 'open' ? 'open' : severity)

function Outcome(it: CaseResult) {
  const expected = expectedPhrase(it)
  const { expected: wanted, reached, status } = it
  const differs = status === 'failed' && (wanted?.sent !== reached.sent || wanted?.belief !== reached.belief)
  return (
    <dl class="outcome">
      {expected !== undefined && <Fact name="Expected">{expected}</Fact>}
      <Fact name="Reached" class={differs ? 'differs' : undefined}>
        {reachedPhrase(it)}
      </Fact>
    </dl>
  )
}

const Fact = (props: { name: string; class?: string | undefined; children?: Child }) => (
  <div class={props.class}>
    <dt>{props.name}</dt>
    <dd>{props.children}</dd>
  </div>
)

function Finding({ finding, attempts }: { finding: CaseFinding; attempts: CaseResult['attempts'] }) {
  const { status, sentence, clause, evidence, remedy, times } = finding
  const notes = [
    ...(times > 1 ? [`And ${times - 1} more like it`] : []),
    ...(clause === null ? [] : [`Document: ${clause}`]),
    ...(evidence.length === 0 ? [] : [capitalize(evidenceWords(evidence))]),
  ]
  const badge = <Badge finding={finding} />
  return (
    <li class={findingClass(finding)}>
      {isAccusation(finding) ? <a href={`#${summaryId(finding)}`}>{badge}</a> : badge}{' '}
      <strong>
        {titleOf(finding)}
        {status === 'open' && ' (it cannot be known)'}
      </strong>
      <br />
      <WithShortNames sentence={sentence} attempts={attempts} />{' '}
      {notes.length > 0 && <small>{notes.join('. ')}</small>}
      <br />
      <em>Do: {remedy}</em>
    </li>
  )
}

/** Replaces transaction IDs by the short names of the timeline. */
function WithShortNames({ sentence, attempts }: { sentence: string; attempts: CaseResult['attempts'] }) {
  let parts: (string | { name: string })[] = [sentence]
  for (const [id, name] of shortNames(attempts))
    parts = parts.flatMap(part =>
      typeof part === 'string'
        ? part.split(`transactionId "${id}"`).flatMap((text, at) => (at === 0 ? [text] : [{ name }, text]))
        : [part],
    )
  return <>{parts.map(part => (typeof part === 'string' ? part : <b>ID {part.name}</b>))}</>
}

function BrokenConnections({ count }: { count: number }) {
  if (count === 0) return null
  return (
    <p class="note">
      {countNoun(count, 'connection')} met the trouble of this case before a request could come over{' '}
      {count === 1 ? 'it' : 'them'}.
    </p>
  )
}

function endWords({ exitCode, signal, error }: CaseResult['client']): string {
  if (exitCode !== null) return `exit code ${exitCode}`
  if (signal !== null) return `ended by ${signal}`
  return error === null ? '' : 'it threw'
}

function Output(client: CaseResult['client']) {
  const { error, output } = client
  const end = endWords(client)
  if (output === '' && error === null) return end === '' ? null : <p class="took">The client: {end}.</p>
  return (
    <details class="output">
      <summary>What the client printed{end !== '' && ` (${end})`}</summary>
      <pre>{[output, error ?? ''].filter(Boolean).join('\n')}</pre>
    </details>
  )
}

const style = `
:root {
  color-scheme: light dark;
  --back: #fbfbf9; --paper: #ffffff; --ink: #1c1f23; --quiet: #5b6470; --line: #d9dce0;
  --good: #1a7f4b; --bad: #b3261e; --odd: #8a6100; --bar: #6b8fbf; --struck: #c2571a;
}
@media (prefers-color-scheme: dark) {
  :root {
    --back: #15171a; --paper: #1d2024; --ink: #e7e9ec; --quiet: #9aa4b0; --line: #353b43;
    --good: #5bc98c; --bad: #ff8a80; --odd: #e3b341; --bar: #6f97cf; --struck: #f0965a;
  }
}
* { box-sizing: border-box }
body { margin: 0 auto; max-width: 72rem; padding: 1.5rem 1rem 4rem; background: var(--back); color: var(--ink);
  font: 15px/1.5 system-ui, sans-serif; overflow-wrap: anywhere }
h1 { font-size: 1.4rem; margin: 0 0 .3rem }
h2 { font-size: 1.05rem; margin: 2rem 0 .6rem }
p { margin: .4rem 0; max-width: 48rem }
code, pre { font: 13px/1.45 ui-monospace, monospace }
pre { background: var(--back); border: 1px solid var(--line); border-radius: 4px; padding: .5rem .7rem; overflow-x: auto;
  white-space: pre-wrap; margin: .3rem 0 }
.counts { font-size: 1.15rem; font-weight: 600 }
.meter { display: flex; height: .6rem; border-radius: .3rem; overflow: hidden; gap: 2px; margin: .6rem 0 }
.meter .failed { background: var(--bad) } .meter .inconclusive { background: var(--odd) } .meter .passed { background: var(--good) }
dl { display: flex; flex-wrap: wrap; gap: .3rem 2rem; margin: .6rem 0 }
dl div { display: flex; gap: .5rem } dt { color: var(--quiet); flex: none } dd { margin: 0 }
.outcome { flex-direction: column; gap: .1rem } .outcome dt { width: 5.2rem }
.outcome .differs dd { color: var(--bad); font-weight: 600 }
.case { background: var(--paper); border: 1px solid var(--line); border-left: 4px solid var(--line); border-radius: 6px;
  padding: .1rem .9rem; margin: .4rem 0 }
.case[open] { padding-bottom: .8rem }
.case.failed { border-left-color: var(--bad) } .case.inconclusive { border-left-color: var(--odd) }
.case.passed { border-left-color: var(--good) }
.case > summary { display: flex; gap: .2rem .6rem; align-items: baseline; cursor: pointer; padding: .4rem 0; list-style: none }
.case > summary::-webkit-details-marker { display: none }
.name { font-weight: 600; flex: 1 1 auto }
.badges { display: flex; flex-wrap: wrap; gap: .2rem; justify-content: flex-end }
.failed .mark { color: var(--bad) } .passed .mark { color: var(--good) } .inconclusive .mark { color: var(--odd) }
.mark { font-weight: 700; width: 1em }
.took { flex: none }
.took, .note, small, .tags, .outcome dt, .key { color: var(--quiet) }
a { color: inherit }
small { font-size: .85em }
.findings { padding: 0; margin: .5rem 0; list-style: none; max-width: 54rem }
.findings li { margin: .4rem 0; padding-left: .7rem; border-left: 3px solid var(--line) }
.findings .error { border-color: var(--bad) } .findings .warning { border-color: var(--odd) }
.badge { font: 600 12px/1.4 ui-monospace, monospace; padding: .05rem .4rem; border-radius: 3px; border: 1px solid currentColor;
  color: var(--quiet); white-space: nowrap }
.badge.error { color: var(--bad) } .badge.warning { color: var(--odd) }
.summary small { display: block; max-width: 54rem } .summary .badge, .findings a { text-decoration: none }
.tags span { font-size: .8rem; border: 1px solid var(--line); border-radius: 1rem; padding: 0 .5rem }
.output summary { cursor: pointer; color: var(--quiet); margin: .3rem 0 }
.output pre { max-height: 24rem; overflow: auto }
.timeline { margin: .7rem 0; border-top: 1px solid var(--line); font-size: .9rem; border-collapse: collapse; width: 100%; table-layout: fixed }
.timeline th { color: var(--quiet); font-size: .8rem; font-weight: 400; text-align: left }
.timeline th:nth-child(1) { width: 6rem } .timeline th:nth-child(2) { width: 10.5rem }
.timeline th:nth-child(4) { width: 13.5rem } .timeline th:nth-child(5) { width: 11rem }
.timeline tr { border-bottom: 1px solid var(--line) } .timeline td, .timeline th { padding: .25rem .8rem .25rem 0 }
.step-at { white-space: nowrap; font-variant-numeric: tabular-nums }
.gap td { text-align: center; color: var(--quiet) }
.track { display: block; overflow: visible } .track-line { stroke: var(--line) }
.track-bar { fill: var(--bar) } .track-bar.disturbed { fill: var(--struck); stroke: var(--struck); stroke-dasharray: 3 2; fill-opacity: .75 }
.track-bar.other { fill: none; stroke: var(--bar) }
.track-mark { fill: var(--good); stroke: var(--paper); transform: translateX(-4px) rotate(45deg); transform-box: fill-box; transform-origin: center }
.track-mark.orphan { fill: var(--odd) }
.unseen { clip-path: inset(50%); height: 1px; overflow: hidden; position: absolute; white-space: nowrap; width: 1px }
.key { display: flex; flex-wrap: wrap; gap: .1rem 1.4rem; font-size: .8rem; max-width: none }
.key svg { display: inline-block; margin-right: .35rem; overflow: visible; vertical-align: -1px } .key .track-mark { transform: rotate(45deg) }
@media screen and (max-width: 46rem) {
  .case > summary { flex-wrap: wrap } .badges { order: 1; flex-basis: 100%; justify-content: flex-start; padding-left: 1.6rem }
  .timeline, .timeline tbody { display: block }
  .timeline thead { clip-path: inset(50%); contain: strict; height: 1px; position: absolute; width: 1px }
  .timeline tr { display: grid; grid-template-columns: 1fr 1fr; gap: .1rem .8rem; padding: .5rem 0 } .timeline td { padding: 0 }
  .gap td, .step-track { grid-column: 1 / -1 } .step-track { order: 1 } .step-told, .step-true { order: 2 }
  .step-told::before { content: 'told: '; color: var(--quiet) } .step-true::before { content: 'true: '; color: var(--quiet) }
}
@media print {
  :root { --back: #fff; --paper: #fff; --ink: #000; --quiet: #444; --line: #bbb; --good: #1a7f4b; --bad: #b3261e; --odd: #8a6100;
    --bar: #6b8fbf; --struck: #c2571a }
  html { font-size: 11px }
  body { padding: 0; max-width: none; font-size: 11px }
  code, pre, .badge { font-size: 10px }
  .case { break-inside: avoid; print-color-adjust: exact; -webkit-print-color-adjust: exact }
  .meter { print-color-adjust: exact; -webkit-print-color-adjust: exact }
  details::details-content { content-visibility: visible; display: block }
  .output pre { max-height: none }
}
`

/** Up to this many failed cases are all shown unfolded. */
const maxUnfolded = 5

/** Names of the failed cases to read first: for each kind of finding, the first case that has it. */
function casesToUnfold(cases: readonly CaseResult[]): ReadonlySet<string> {
  const failed = cases.filter(({ status }) => status === 'failed')
  return new Set(
    failed.length <= maxUnfolded
      ? failed.map(({ name }) => name)
      : groupByRule({ cases: failed }).map(({ cases: [name] }) => name!),
  )
}

/** A failed case shows more than one that passed with a warning. */
const failedFirst = (cases: readonly CaseResult[]) =>
  cases.toSorted((one, other) => Number(other.status === 'failed') - Number(one.status === 'failed'))

/** A summary of what is wrong with the client, each kind once. */
function Summary({ cases }: { cases: readonly CaseResult[] }) {
  const groups = groupByRule({ cases: failedFirst(cases) })
  if (groups.length === 0) return null
  return (
    <section class="summary">
      <h2>What is wrong</h2>
      <ul class="findings">
        {groups.map(group => (
          <WrongThing {...group} />
        ))}
      </ul>
    </section>
  )
}

/** Where a rule is explained: in the report itself, which may be read where no mock and no documentation is. */
const summaryId = ({ rule, severity }: Pick<CaseFinding, 'rule' | 'severity'>) => `${severity}-${rule}`

function WrongThing({ rule, severity, title, clause, detection, cases }: FindingGroup) {
  const [first = ''] = cases
  return (
    <li class={severity} id={summaryId({ rule, severity })}>
      <a href={`#${first}`} class={`badge ${severity}`}>
        {rule}
      </a>{' '}
      <strong>{titleOf({ rule })}</strong>{' '}
      <span class="note">
        in {countNoun(cases.length, 'case')}, first in <a href={`#${first}`}>{first}</a>
      </span>
      <small>
        {detection === null ? `That is: ${title}.` : `${detection} Document: ${clause}.`}{' '}
        {readingLine({ rule })}
      </small>
    </li>
  )
}

/** What a report says of itself, if its cases are not those of an exam. */
export interface ReportFrame {
  readonly heading: string
  readonly counts: string
  readonly note: string
  /** Why it is not passed, or not whole. */
  readonly why: string | undefined
  /** Shown before the cases. */
  readonly before: Child
}

/** A single HTML file without scripts, fonts and pictures; light and dark, fit for print. */
export const htmlReport = (result: ExamResult, frame?: ReportFrame): string =>
  `<!doctype html>\n${<Report {...withoutControls(result)} frame={frame} />}\n`

/** The same value with control characters escaped in all texts: they could change the direction of what follows. */
const withoutControls = <Value,>(value: Value): Value =>
  JSON.parse(JSON.stringify(value), (_, it) => (typeof it === 'string' ? forTerminal(it) : it))

const examHeading = 'Exam of a mailing synchronization client'
const examNote =
  'Each case put the client into one situation, let it send one mailing, and held what it believed against what was sent.'

function Report({ frame, ...result }: ExamResult & { readonly frame: ReportFrame | undefined }) {
  const { client, began, realSeconds, seed, speed, cases } = result
  const { heading = examHeading, note = examNote, counts = countsLine(result) } = frame ?? {}
  const title = result.failed > 0 ? `${result.failed} failed` : result.isPassed ? 'Passed' : 'Not passed'
  const why = frame ? frame.why : whyNotPassed(result, false)
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="referrer" content="no-referrer" />
        <meta
          http-equiv="Content-Security-Policy"
          content={raw("default-src 'none'; style-src 'unsafe-inline'")}
        />
        <title>
          {title}: {heading[0]!.toLowerCase() + heading.slice(1)}
        </title>
        <style>{raw(style)}</style>
      </head>
      <body>
        <header>
          <h1>{heading}</h1>
          <p class="counts">{counts}</p>
          {frame ? null : <Meter {...result} />}
          <p class="note">{note}</p>
          <dl>
            <Fact name="Client">
              <code>{client}</code>
            </Fact>
            {frame ? null : (
              <Fact name="Played">{`${began.slice(0, 19).replace('T', ' ')} UTC, ${realSeconds.toFixed(1)} s`}</Fact>
            )}
            <Fact name="Seed">{seed}</Fact>
            {speed !== 1 && <Fact name="Speed">{speed} times</Fact>}
          </dl>
          {why !== undefined && <p class="note">{why}</p>}
        </header>
        <main>
          <Summary cases={cases} />
          {frame?.before}
          <Section title="Failed" status="failed" cases={cases} open={casesToUnfold(cases)} />
          <Section title="Proved nothing" status="inconclusive" cases={cases} />
          <Section title="Passed" status="passed" cases={cases} />
        </main>
      </body>
    </html>
  )
}

const Meter = (counts: Pick<ExamResult, 'failed' | 'inconclusive' | 'passed'>) => (
  <div class="meter" aria-hidden="true">
    {(['failed', 'inconclusive', 'passed'] as const).map(
      status => counts[status] > 0 && <span class={status} style={`flex-grow:${counts[status]}`} />,
    )}
  </div>
)

/** @param props.open names of the cases that are shown unfolded */
function Section(props: {
  title: string
  status: CaseResult['status']
  cases: readonly CaseResult[]
  open?: ReadonlySet<string>
}) {
  const cases = props.cases.filter(it => it.status === props.status)
  if (cases.length === 0) return null
  return (
    <section>
      <h2>
        {props.title} ({cases.length})
      </h2>
      {cases.map(it => (
        <Case case={it} isOpen={props.open?.has(it.name) ?? false} />
      ))}
    </section>
  )
}
