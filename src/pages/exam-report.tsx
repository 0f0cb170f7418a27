import type {
  AttemptShown,
  CaseFinding,
  CaseResult,
  Cause,
  EffectShown,
  ExamResult,
} from '../judge/exam/exam-result.ts'
import { openLine } from '../judge/exam/reproduce.ts'
import {
  bothWords,
  describeRule,
  evidenceWords,
  expectedPhrase,
  explorationLines,
  failedPlans,
  fixFirst,
  headline,
  isAccusation,
  knownSections,
  orderLines,
  reachedPhrase,
  readingPath,
  titleOf,
  whyNotPassed,
} from '../judge/exam/text-reports.ts'
import { groupBy } from '../judge/grouping.ts'
import { createScale, type TimelineRow, TimelineTable, trackHeading } from '../judge/timeline-grid.tsx'
import { capitalize, countNoun, durationWords } from '../rig/words.ts'
import { Chip, Chips, type Tone } from './components/chips.tsx'
import { Facts } from './components/elements.tsx'
import { PortraitSection } from './portrait-section.tsx'
import { Coverage, ReportHead, withoutControls } from './report-file.tsx'

/** Maximum number of attempts drawn at the beginning and at the end; in a flood those between look the same. */
const maxDrawn = { first: 20, last: 10 }

/**
 * The attempts of a case against the truth: a row for each request with a bar for its duration, the response to the
 * client, the truth, and a diamond for each real sending.
 */
function Timeline({ attempts, attemptsLeftOut, effects }: CaseResult) {
  if (attempts.length === 0) return <p class="soft">No request came.</p>
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
    <p class="key flow small">
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

/** What two workers did, a column for each. */
function Lanes({ lines, both }: NonNullable<NonNullable<Cause['plan']>['lanes']>) {
  return (
    <table>
      <thead>
        <tr>
          <th>Time</th>
          <th>Worker 1</th>
          <th>Worker 2</th>
        </tr>
      </thead>
      <tbody>
        {lines.map(({ at, worker, what }, position) => (
          <>
            <tr>
              <td>{at.toFixed(1)} s</td>
              <td>{worker === 1 && what}</td>
              <td>{worker === 2 && what}</td>
            </tr>
            {position === both && (
              <tr>
                <td />
                <td colspan={2}>
                  <strong>{bothWords}</strong>
                </td>
              </tr>
            )}
          </>
        ))}
      </tbody>
    </table>
  )
}

/** @param props.passing the plan most like it that the client passes */
function Case({
  case: it,
  isOpen,
  id = it.name,
  lanes,
  passing = null,
}: {
  case: CaseResult
  isOpen: boolean
  id?: string
  lanes?: Parameters<typeof Lanes>[0] | undefined
  passing?: NonNullable<Cause['plan']>['passing']
}) {
  const { name, status, realSeconds, description, tags, findings, harm, reason, reproduce, capsule } = it
  return (
    <details class={`case ${statusTones[status]}`} id={id} open={isOpen}>
      <summary>
        <span class="mark" aria-hidden="true">
          {statusMarks[status]}
        </span>
        <span class="name">{name}</span>
        <span class="badges">
          <Chips
            marks={findings.filter(isAccusation).map(it => ({ tone: findingTone(it), words: it.rule }))}
          />
        </span>
        <span class="soft">{realSeconds.toFixed(1)} s</span>
      </summary>
      <p>{description}</p>
      <Outcome {...it} />
      {passing && (
        <p>
          The nearest plan that passes is {passing.name}: {passing.words}.
        </p>
      )}
      {reason !== null && (
        <p class="soft">
          {status === 'failed' ? 'Note' : 'It proved nothing'}: {reason}.
        </p>
      )}
      {findings.length > 0 && (
        <ul class="findings plain">
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
      {lanes && <Lanes {...lanes} />}
      <Timeline {...it} />
      {reproduce !== null && (
        <>
          <p>Play it again:</p>
          <pre>{reproduce}</pre>
        </>
      )}
      {capsule !== undefined && (
        <>
          <p>Look at all that happened, request by request:</p>
          <pre>{openLine(capsule)}</pre>
        </>
      )}
      <Output {...it.client} />
      <p class="flow small">
        {tags.map(tag => (
          <>
            <Chip tone="calm">{tag}</Chip>{' '}
          </>
        ))}
      </p>
    </details>
  )
}

const statusMarks = { passed: '✓', failed: '✗', inconclusive: '–', known: '~' } as const
const statusTones = {
  passed: 'good',
  failed: 'bad',
  inconclusive: 'warn',
  known: 'calm',
} as const satisfies Record<CaseResult['status'], Tone>

const severityTones = { error: 'bad', warning: 'warn', information: 'calm' } as const satisfies Record<
  CaseFinding['severity'],
  Tone
>
const findingTone = ({ severity, status, known }: CaseFinding): Tone =>
  status === 'open' || known !== undefined ? 'calm' : severityTones[severity]

function Outcome(it: CaseResult) {
  const expected = expectedPhrase(it)
  const { expected: wanted, reached, status } = it
  const differs = status === 'failed' && (wanted?.sent !== reached.sent || wanted?.belief !== reached.belief)
  return (
    <div class="outcome">
      <Facts
        rows={[
          expected !== undefined && ['Expected', expected],
          ['Got', <span class={differs ? 'differs' : undefined}>{reachedPhrase(it)}</span>],
        ]}
      />
    </div>
  )
}

function Finding({ finding, attempts }: { finding: CaseFinding; attempts: CaseResult['attempts'] }) {
  const { status, sentence, clause, evidence, remedy, times } = finding
  const notes = [
    ...(times > 1 ? [`And ${times - 1} more like it`] : []),
    ...(clause === null ? [] : [`Document: ${clause}`]),
    ...(evidence.length === 0 ? [] : [capitalize(evidenceWords(evidence))]),
  ]
  const { rule } = finding
  return (
    <li class={findingTone(finding)}>
      {isAccusation(finding) ? (
        <a class={`chip ${findingTone(finding)}`} href={`#${summaryId(finding)}`}>
          {rule}
        </a>
      ) : (
        <Chip tone={findingTone(finding)}>{rule}</Chip>
      )}{' '}
      <strong>
        {titleOf(finding)}
        {status === 'open' && ' (it cannot be known)'}
      </strong>
      {finding.known !== undefined && ` Known: ${finding.known}`}
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
    <p class="soft">
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
  if (output === '' && error === null) return end === '' ? null : <p class="soft">The client: {end}.</p>
  return (
    <details class="output">
      <summary>What the client printed{end !== '' && ` (${end})`}</summary>
      <pre>{[output, error ?? ''].filter(Boolean).join('\n')}</pre>
    </details>
  )
}

/**
 * What the sheets of the pages have not. A file that is passed on says all of this itself, and is printed: unfolded, dark on light.
 */

/** What is wrong with the client, each mistake once. */
function Summary({ causes }: { causes: readonly Cause[] }) {
  const kinds = groupBy(
    causes.filter(({ severity }) => severity !== 'information'),
    ({ rule, severity }) => summaryId({ rule, severity }),
  )
  if (kinds.size === 0) return null
  return (
    <section class="summary">
      <h2>What is wrong</h2>
      <p class="soft small">
        The folder docs is in the package of the mock; a running mock shows it under /_mock/docs.
      </p>
      <ul class="findings plain">
        {[...kinds.values()].map(group => (
          <WrongThing causes={group} />
        ))}
      </ul>
    </section>
  )
}

/** Where a rule is explained: in the report itself, which may be read where no mock and no documentation is. */
const summaryId = ({ rule, severity }: Pick<CaseFinding, 'rule' | 'severity'>) => `${severity}-${rule}`

/** The ID of what shows a cause. */
const shownId = ({ plan, case: { name } }: Cause) => (plan === null ? name : `plan-${name}`)

function WrongThing({ causes }: { causes: readonly [Cause, ...Cause[]] }) {
  const [{ rule, severity, cases, plan, finding }] = causes
  const { title, clause, detection } = describeRule(rule)
  const places = [
    ...(plan === null
      ? []
      : [
          `in ${countNoun(
            causes.reduce((sum, it) => sum + (it.plan?.found ?? 0), 0),
            plan.lanes ? 'order' : 'plan',
          )}`,
        ]),
    ...(cases.length > 0 ? [`in ${countNoun(cases.length, 'case')}`] : []),
  ]
  return (
    <li class={severityTones[severity]} id={summaryId({ rule, severity })}>
      <a href={`#${shownId(causes[0])}`} class={`chip ${severityTones[severity]}`}>
        {rule}
      </a>{' '}
      <strong>{titleOf({ rule })}</strong>{' '}
      <span class="soft">
        {places.join(' and ')}, shown by{' '}
        {causes.map((it, at) => (
          <>
            {at > 0 && ', '}
            <a href={`#${shownId(it)}`}>{it.case.name}</a>
          </>
        ))}
      </span>
      <small>
        {detection === null ? `That is: ${title}.` : `${detection} Document: ${clause}.`}{' '}
        {`Read: ${readingPath({ rule })}`}
      </small>
      <em>Do: {finding.remedy}</em>
    </li>
  )
}

/** A single HTML file without scripts, fonts and pictures; light and dark, fit for print. */
export const htmlReport = (result: ExamResult): string =>
  `<!doctype html>\n${<Report {...withoutControls(result)} />}\n`

function Report(result: ExamResult) {
  const { client, began, realSeconds, seed, speed, cases, causes, exploration, portrait, isPassed } = result
  const why = whyNotPassed(result)
  const first = fixFirst(result)
  const ofPlans = causes.filter(({ plan }) => plan !== null)
  // A failed case that is the best sight of a mistake is read first.
  const shown = new Set(causes.filter(({ plan }) => plan === null).map(it => it.case.name))
  const ids = new Set([...cases.map(({ name }) => name), ...ofPlans.map(shownId)])
  return (
    <html lang="en">
      <ReportHead isPassed={isPassed} of="exam of a mailing synchronization client" />
      <body>
        <main>
          <header>
            <h1>Exam of a mailing synchronization client</h1>
            <p class="counts">{headline(result)}</p>
            {first !== undefined && <p>{first}</p>}
            <Meter {...result} />
            <p class="soft">
              Each case and each plan put the client into one situation, let it send one mailing, and held
              what it reported against what was sent.
            </p>
            <Facts
              rows={[
                ['Client', <code>{client}</code>],
                began !== null && [
                  'Played',
                  `${began.slice(0, 19).replace('T', ' ')} UTC, ${realSeconds.toFixed(1)} s`,
                ],
                ['Seed', seed],
                speed !== 1 && ['Speed', `${speed} times`],
              ]}
            />
            {why !== undefined && <p class="soft">{why}</p>}
          </header>
          <Summary causes={causes} />
          {portrait && (
            <PortraitSection
              portrait={portrait}
              exam={result}
              hrefOf={({ name, isPlan }) => {
                const id = isPlan ? `plan-${name}` : name
                return ids.has(id) ? `#${id}` : undefined
              }}
            />
          )}
          {ofPlans.length > 0 && (
            <section>
              <h2>Smallest plans ({ofPlans.length})</h2>
              {ofPlans.map(cause => (
                <Case
                  case={{ ...cause.case, ...planFields(cause) }}
                  id={shownId(cause)}
                  lanes={cause.plan?.lanes}
                  passing={cause.plan!.passing}
                  isOpen={cause.severity === 'error'}
                />
              ))}
            </section>
          )}
          <Section title="Failed" status="failed" cases={cases} open={shown} />
          {exploration && (
            <>
              <Coverage {...exploration} />
              <ul class="small">
                {explorationLines(result).map(line => (
                  <li>{line}</li>
                ))}
              </ul>
            </>
          )}
          {result.orders && (
            <ul class="small">
              {orderLines(result).map(line => (
                <li>{line}</li>
              ))}
            </ul>
          )}
          <Known {...result} />
          <Section title="Known" status="known" cases={cases} />
          <Section title="Proved nothing" status="inconclusive" cases={cases} />
          <Section title="Passed" status="passed" cases={cases} />
          <Unscored {...result} />
        </main>
      </body>
    </html>
  )
}

/** What a case of a plan says of itself in a report, where only its own mistake counts. */
const planFields = ({ severity, finding, case: { findings } }: Cause) => ({
  status: severity === 'error' ? ('failed' as const) : ('passed' as const),
  findings: findings.length === 0 ? [finding] : findings,
})

/** What the known-file accepts, and which of its entries count no more. */
function Known(result: ExamResult) {
  return (
    <>
      {knownSections(result).map(({ title, lines }) => (
        <section>
          <h2>{title.replace(/:$/, '')}</h2>
          <ul>
            {lines.map(line => (
              <li>{line}</li>
            ))}
          </ul>
        </section>
      ))}
    </>
  )
}

/** Cases of newer editions than the one that was asked for. */
function Unscored({ edition }: ExamResult) {
  if (!edition || edition.unscored.length === 0) return null
  return (
    <section>
      <h2>
        Not scored, since newer than edition {edition.number} ({edition.unscored.length})
      </h2>
      {edition.unscored.map(it => (
        <Case case={it.case} isOpen={false} />
      ))}
    </section>
  )
}

function Meter(result: ExamResult) {
  const { failed, known, inconclusive, passed, exploration } = result
  const ofPlans = failedPlans(result)
  const counts = {
    failed: failed + ofPlans,
    known: known?.cases ?? 0,
    inconclusive: inconclusive + (exploration?.inconclusive ?? 0),
    passed: passed + (exploration ? exploration.runs - ofPlans - exploration.inconclusive : 0),
  }
  return (
    <div class="meter" aria-hidden="true">
      {(['failed', 'known', 'inconclusive', 'passed'] as const).map(
        status =>
          counts[status] > 0 && <span class={statusTones[status]} style={`flex-grow:${counts[status]}`} />,
      )}
    </div>
  )
}

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
