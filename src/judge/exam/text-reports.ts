import { existsSync } from 'node:fs'
import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { capitalize, countNoun } from '../../rig/words.ts'
import { countPlans, troubles } from '../explore/plans.ts'
import { groupBy } from '../grouping.ts'
import { rules } from '../rules/registry.ts'
import { shownEvidence, unprovedWord } from '../verdict-text.ts'
import {
  type AttemptShown,
  type CaseFinding,
  type CaseResult,
  type Cause,
  type ExamResult,
  type Exploration,
  examFindings,
  isFailedStart,
  isProvedError,
  isUnproved,
  isWarning,
  type KnownEntryResult,
  type KnownResult,
} from './exam-result.ts'
import { consequences } from './outcome.ts'
import { outputTail } from './output-tail.ts'
import { colourer, forTerminal, junitXml, onOneLine, xmlElement } from './report-text.ts'
import { openLine } from './reproduce.ts'

export const isAccusation = (finding: CaseFinding): boolean => isWarning(finding) || isProvedError(finding)

const rulesById = new Map<string, (typeof rules)[number]>(rules.map(rule => [rule.id, rule]))
const examFindingTitles: Readonly<Record<string, { readonly means: string }>> = examFindings

export function describeRule(id: string) {
  const rule = rulesById.get(id)
  return {
    rule: id,
    /** What it means. */
    title: rule?.title ?? examFindingTitles[id]?.means ?? id,
    /** Section of the service's document; null, as is `detection`, for findings of the exam itself. */
    clause: rule?.clause ?? null,
    detection: rule?.detection ?? null,
    /** Where to read more: a page of the documentation and an anchor. */
    reading: rule
      ? { page: 'conduct.md', anchor: id.toLowerCase() }
      : { page: 'exam.md', anchor: 'findings' },
  }
}

/** A page of the documentation on this machine; undefined in the container image, which has none. */
export function documentationFile(page: string): string | undefined {
  const file = fileURLToPath(new URL(`../../../docs/${page}`, import.meta.url))
  return existsSync(file) ? file : undefined
}

/**
 * Path of a page of the documentation, relative to a folder if it is below that, otherwise absolute; without it the path in the
 * repository.
 * @param page such as `exam.md`
 * @param from the current folder
 */
export function documentationPath(page: string, from = process.cwd()): string {
  const file = documentationFile(page)
  if (file === undefined) return `docs/${page}`
  const near = relative(from, file)
  return near.startsWith('..') ? file : near
}

/** What a client that follows the document achieves; undefined if only conduct is judged. */
export const expectedPhrase = ({ expected }: CaseResult): string | undefined =>
  expected ? outcomePhrase(expected) : undefined

export const reachedPhrase = ({ reached }: CaseResult): string => outcomePhrase(reached)

export function outcomeLine(it: CaseResult): string {
  const [expected, reached] = [expectedPhrase(it), reachedPhrase(it)]
  const luck = expected === reached && it.findings.some(isProvedError) ? ` (${luckWords})` : ''
  return `${expected === undefined ? '' : `Expected: ${expected}. `}Got: ${reached}${luck}.`
}

/** Of an outcome that is as expected although the run fails. */
export const luckWords = 'right by luck: a rule was broken'

const outcomePhrase = ({ sent, belief }: CaseResult['reached']) =>
  `${sent === 0 ? 'nothing sent' : sent === 1 ? 'sent once' : `sent ${sent} times`}, client reports "${belief}"`

/** The requests that a finding cites; not all of them if there are many. */
export const evidenceWords = (evidence: readonly string[]): string =>
  `${evidence.length < shownEvidence ? '' : `first ${shownEvidence} `}requests ${evidence.join(', ')}`

/** @param isSuspected whether the verdict is a suspicion, which an exam never has: it knows how the client ended */
export function findingLine(finding: CaseFinding, isSuspected = false): string {
  const { rule, severity, status, sentence, clause, evidence, times, known } = finding
  const unknown = status === 'open' ? unprovedWord(rule, isSuspected) : severity
  const word = known !== undefined ? `known ${severity}` : unknown
  const where = [clause, evidence.length > 0 && evidenceWords(evidence)].filter(Boolean)
  const more = times > 1 ? ` And ${times - 1} more ${times === 2 ? 'time' : 'times'}.` : ''
  return `${word} ${rule}: ${sentence}${more}${where.length > 0 ? ` (${where.join('; ')})` : ''}`
}

const remedyLine = ({ remedy }: CaseFinding) => `Do: ${remedy}`

/** Where to read more. A report may be read far from the documentation: the path is that of the repository. */
export function readingPath({ rule }: Pick<CaseFinding, 'rule'>): string {
  const { page, anchor } = describeRule(rule).reading
  return `docs/${page}#${anchor}`
}

const formatNumber = (count: number) => count.toLocaleString('en')
const sum = (numbers: readonly number[]) => numbers.reduce((before, it) => before + it, 0)

/** Plans that show an error: of those of each depth, or else of those that were named. */
export function failedPlans({ exploration, causes }: Pick<ExamResult, 'exploration' | 'causes'>): number {
  if (!exploration) return 0
  const { levels } = exploration
  if (levels.length > 0) return sum(levels.map(({ failed }) => failed))
  const failing = causes.filter(({ severity, plan }) => severity === 'error' && plan !== null)
  return new Set(failing.map(({ plan }) => plan!.name)).size
}

const countCauses = ({ causes }: ExamResult, wanted: Cause['severity']) =>
  new Set(causes.filter(({ severity }) => severity === wanted).map(({ rule }) => rule)).size

/** The outcome in one line: whether it is passed, how much was played, and how many mistakes there are. */
export function headline(result: ExamResult): string {
  const { passed, failed, inconclusive, notPlayed, cases, exploration, isPassed, isWhole, known } = result
  const { runs, inconclusive: open } = exploration ?? { runs: 0, inconclusive: 0 }
  const { orders } = result
  const failedOrders = sum(orders?.plans.map(it => it.failed) ?? [])
  const failedRuns = failedPlans(result)
  const all = cases.length
  const arePlansKnown = known && !result.causes.some(it => it.plan !== null && it.severity === 'error')
  const played = [
    ...(failed > 0 ? [`${failed} of ${countNoun(all, 'case')} failed`] : []),
    ...(failed === 0 && all > 0
      ? [
          passed === all
            ? `${countNoun(all, 'case')} passed`
            : `${passed} of ${countNoun(all, 'case')} passed`,
        ]
      : []),
    ...(known && known.cases > 0 ? [`${known.cases} known`] : []),
    ...(failedRuns > 0 && runs > 0
      ? [
          `${formatNumber(failedRuns)} of ${formatNumber(runs)} ${runs === 1 ? 'plan' : 'plans'} ${arePlansKnown ? 'known' : 'failed'}`,
        ]
      : []),
    ...(failedRuns === 0 && runs > 0
      ? [`${formatNumber(runs)} ${runs === 1 ? 'plan' : 'plans'} passed`]
      : []),
    ...(orders
      ? [
          failedOrders > 0
            ? `${formatNumber(failedOrders)} of ${formatNumber(orders.runs)} orders of two workers failed`
            : `${countNoun(orders.runs, 'order')} of two workers passed`,
        ]
      : []),
    ...(exploration?.realWaits ? [`${formatNumber(exploration.realWaits)} with real waits`] : []),
    ...(inconclusive + open > 0 ? [`${formatNumber(inconclusive + open)} proved nothing`] : []),
    ...(notPlayed > 0 ? [`${notPlayed} not played`] : []),
  ]
  const errors = countCauses(result, 'error')
  const warnings = countCauses(result, 'warning')
  const mistakes = [
    ...(errors > 0 ? [countNoun(errors, 'mistake')] : []),
    ...(warnings > 0 ? [countNoun(warnings, 'warning')] : []),
  ]
  const word = !isPassed ? 'Not passed' : isWhole ? 'Passed' : 'Not finished'
  return `${word}: ${played.join(', ') || 'nothing was played'}; ${mistakes.join(' and ') || (known ? 'nothing new found' : 'nothing found')}`
}

/** What explains most failures: undefined if there is no mistake. */
export function fixFirst(result: ExamResult): string | undefined {
  const [first] = result.causes
  if (first?.severity !== 'error') return undefined
  const plans = sum(
    result.causes.filter(({ rule }) => rule === first.rule).map(({ plan }) => plan?.found ?? 0),
  )
  const where = [
    ...(first.cases.length > 0
      ? [`${first.cases.length} of ${countNoun(result.failed, 'failed case')}`]
      : []),
    ...(plans > 0 ? [countNoun(plans, result.orders ? 'order' : 'plan')] : []),
  ]
  return `Fix this first: ${first.rule}, ${describeRule(first.rule).title}. It shows in ${where.join(' and ')}.`
}

/** Such as "5,329 plans of depth 2: 4,672 distinct runs, 657 covered by shorter ones". */
function levelLine({ depth, plans, played, covered, isComplete }: Exploration['levels'][number]): string {
  const runs = `${formatNumber(played)} distinct ${played === 1 ? 'run' : 'runs'}`
  const skipped = covered === null ? '' : `, ${formatNumber(covered)} covered by shorter ones`
  const rest = plans - played - (covered ?? 0)
  const end = isComplete
    ? 'all'
    : rest === 0
      ? 'not all conclusive'
      : depth > 2
        ? 'a sample'
        : `${formatNumber(rest)} not played`
  return `${formatNumber(plans)} ${plans === 1 ? 'plan' : 'plans'} of depth ${depth}: ${runs}${skipped} (${end})`
}

/** What was played of the orders of two workers. */
export function orderLines({ orders }: Pick<ExamResult, 'orders'>): string[] {
  if (!orders) return []
  const { plans, skipped, runs, lost, divergence } = orders
  const open = plans.filter(({ isComplete }) => !isComplete)
  return [
    `Orders of two workers: ${formatNumber(runs)} played in ${countNoun(plans.length, 'plan')}; at ${formatNumber(skipped)} places another one was left out, since it differs only in the order of steps that commute`,
    ...(open.length > 0
      ? [`Not all orders were played of ${namedPlaces(open.map(({ plan }) => plan))}`]
      : []),
    ...(divergence === null
      ? []
      : [
          `The client is not deterministic: ${formatNumber(lost)} of ${formatNumber(runs + lost)} orders could not be followed, and nothing is held against it there; after the same steps there was ${divergence}`,
        ]),
  ]
}

/** What the report says of the moment at which a mailing is about to be sent twice. */
export const bothWords = 'from here on both took the mailing for theirs'

/** Two columns, one for each worker, and the time before them. The moment from which on both took the mailing for theirs has a line of its own. */
export function laneLines({ plan }: Pick<Cause, 'plan'>): string[] {
  const { lines, both } = plan?.lanes ?? { lines: [], both: null }
  const column = Math.min(
    46,
    Math.max(10, ...lines.filter(it => it.worker === 1).map(({ what }) => what.length)),
  )
  if (lines.length === 0) return []
  return [
    `${''.padStart(9)}  ${'worker 1'.padEnd(column)}  worker 2`,
    ...lines.flatMap(({ at, worker, what }, position) => [
      `${at.toFixed(1).padStart(7)} s  ${worker === 1 ? what : ' '.repeat(column)}${worker === 1 ? '' : `  ${what}`}`,
      ...(position === both ? [`${''.padStart(9)}  -- ${bothWords} --`] : []),
    ]),
  ]
}

/** What was played of the plans, and what that promises. */
export function explorationLines({ exploration, depth, ended }: ExamResult): string[] {
  if (!exploration) return []
  const { levels, runs, chances, divergence, schedules } = exploration
  const isKillable = exploration.troubles === troubles.length
  const others = runs - sum(levels.map(({ played }) => played))
  const why = 'plans that are played first, to be repeated, or to make another one smaller'
  const idle = Object.keys(chances).filter(rule => chances[rule] === 0)
  const done = sum(levels.map(({ played, covered }) => played + (covered ?? 0)))
  const all = sum(Array.from({ length: depth + 1 }, (_, at) => countPlans(at, isKillable)))
  return [
    ...levels.map(levelLine),
    ...(levels.length > 0 && others > 0 ? [`${countNoun(others, 'other run')}: ${why}`] : []),
    ...(idle.length > 0 && levels.length > 0
      ? [`Rules that could not have been broken in any plan: ${idle.join(', ')}`]
      : []),
    ...(schedules
      ? []
      : ['Plans with a date to send at are not played: the client sends at once, whatever date it is given']),
    ...(isKillable ? [] : ['Plans that kill the client are not played: a function in real time goes on']),
    ...(ended !== null && levels.length > 0
      ? [`${formatNumber(done)} of ${formatNumber(all)} plans up to depth ${depth} were played or covered`]
      : []),
    ...(divergence === null
      ? []
      : [
          `The client is not deterministic, so no depth is complete: ${divergence.plan} and ${divergence.longer} should begin alike and do not`,
          `  one run:     ${traceWords(divergence.runs[0]!)}`,
          `  another run: ${traceWords(divergence.runs[1]!)}`,
        ]),
  ]
}

const traceWords = (trace: readonly string[]) => trace.join('; ') || 'no attempt'

/** Up to this many cases are named; more are counted. */
const maxNamedCases = 3
/** Where they are listed, up to this many. */
const maxListedCases = 20

/** All by their names, unless there are very many. */
const namedCases = (cases: readonly string[]): string =>
  `${cases.length <= maxNamedCases ? '' : `${cases.length} cases: `}${namedPlaces(cases)}`

function namedPlaces(names: readonly string[]): string {
  const more = names.length > maxListedCases ? [`and ${names.length - maxListedCases} more`] : []
  return [...names.slice(0, maxListedCases), ...more].join(', ')
}

/** The entries of a known-file with one state, each once: where it stands, and what it is about. */
export function knownEntries({ file, entries }: KnownResult, wanted: KnownEntryResult['state']) {
  const named = entries.filter(({ state }) => state === wanted)
  return [...groupBy(named, ({ line, rule }) => `${line} ${rule}`).values()].map(group => {
    const [{ line, rule, reason, expires, place }] = group
    const where = place === null ? '' : ` in ${namedPlaces(group.flatMap(it => it.place?.glob ?? []))}`
    const places = [...new Set(group.flatMap(it => it.places))]
    return { name: `${file}:${line}: ${rule}${where}`, rule, reason, expires, places }
  })
}

/** Titles and entries of a known-file by what became of them. */
export function knownSections({ known }: Pick<ExamResult, 'known'>) {
  if (!known) return []
  return [
    {
      title: `Known, so it does not fail (${known.file}):`,
      lines: knownEntries(known, 'happens')
        .filter(({ places }) => places.length > 0)
        .map(({ rule, places, reason }) => `${rule} in ${namedCases(places)}: ${reason}`),
    },
    {
      title: 'No longer happens, so it must be removed:',
      lines: knownEntries(known, 'stale').map(({ name }) => name),
    },
    {
      title: 'Expired, so it counts no more:',
      lines: knownEntries(known, 'expired').map(({ name, expires }) => `${name}, on ${expires}`),
    },
  ].filter(({ lines }) => lines.length > 0)
}

/** How many cases of each newer edition would fail. */
function unscoredLines({ edition }: ExamResult): string[] {
  const failing = edition?.unscored.filter(it => it.case.status === 'failed') ?? []
  return [...groupBy(failing, it => it.edition)].map(([number, group]) => {
    const names = group.map(it => it.case.name)
    return `${countNoun(names.length, 'case')} of edition ${number} would fail: ${forTerminal(namedPlaces(names))}`
  })
}

/** Why an exam was not passed although nothing failed, or ended early; undefined if that is not the case. */
export function whyNotPassed(result: ExamResult): string | undefined {
  const { cases, ended, notPlayed } = result
  if (notPlayed > 0 && ended === null && cases[0] && cases.every(isFailedStart))
    return failedStartLine(cases[0])
  const why = whyUnproved(result)
  return ended === null ? why : [`It ended early: ${ended}.`, ...(why ? [why] : [])].join(' ')
}

/** Why an exam in which nothing was found has not passed. */
function whyUnproved(result: ExamResult): string | undefined {
  const { isPassed, failed, passed, cases, ended, exploration, orders, known } = result
  if (isPassed || failed > 0 || countCauses(result, 'error') > 0) return undefined
  const hasProved = passed + (known?.cases ?? 0) > 0 || exploration?.runs || orders?.runs
  if (!hasProved) return ended === null ? 'Nothing was proved.' : undefined
  const unproved = cases.filter(isUnproved).map(({ name }) => name)
  if (unproved.length > 0)
    return `${namedCases(unproved)} proved nothing, though every client that sends meets what happens there.`
  if (known?.entries.some(({ state }) => state === 'stale'))
    return `${known.file} accepts what no longer happens.`
  if (orders?.inconclusive) return 'Some orders proved nothing.'
  if (!exploration?.inconclusive) return ended === null ? 'Warnings count with --strict.' : undefined
  return exploration.unproved === null
    ? 'Some plans proved nothing.'
    : `Some plans proved nothing, such as ${exploration.unproved}`
}

function failedStartLine({ client: { error, output }, findings }: CaseResult): string {
  const why = error?.replace(/^Error: /, '') ?? outputTail(output)
  const is = (rule: string) => findings.some(it => it.rule === rule)
  const end = is('crashed') ? 'crashed' : is('silent') ? 'was killed at its time limit' : 'ended'
  return `The exam was ended: the client ${end} before it sent anything${why === undefined ? '' : `: ${onOneLine(why)}`}. Run it by hand.`
}

/** Maximum number of lines for the requests of a run. */
export const maxRequestLines = 12

/** A line for each request, or for several in a row that were told the same: what was asked, told, and true. */
export function requestLines(attempts: readonly AttemptShown[]): string[] {
  const letters = new Map<string, string>()
  const letterOf = (id: string) => {
    if (!letters.has(id))
      letters.set(id, letters.size < 26 ? String.fromCharCode(65 + letters.size) : `#${letters.size + 1}`)
    return letters.get(id)!
  }
  const lines: { readonly at: number; readonly words: string; count: number }[] = []
  for (const { at, transactionId, told, truth, isCreation, method, operation } of attempts) {
    const asked = isCreation
      ? transactionId === null
        ? 'send, no ID'
        : `send, ID ${letterOf(transactionId)}`
      : (operation ?? method)
    const words = `${asked} → ${told}${truth === told ? '' : `  (true: ${truth})`}`
    const last = lines.at(-1)
    if (last?.words === words) last.count++
    else lines.push({ at, words, count: 1 })
  }
  const shown = lines.slice(0, maxRequestLines).map(({ at, words, count }) => {
    const more = count === 1 ? '' : `, ${count} times in a row`
    return `${at.toFixed(1).padStart(7)} s  ${words}${more}`
  })
  const left = lines.length - shown.length
  return left > 0 ? [...shown, `${' '.repeat(9)}  and ${left} more`] : shown
}

export interface TextStyle {
  readonly colours: boolean
  /** Whether each case has a line. */
  readonly isVerbose: boolean
}

const statusLooks = {
  passed: ['passed', 'green'],
  failed: ['FAILED', 'red'],
  inconclusive: ['nothing proved', 'yellow'],
  known: ['known', 'yellow'],
} as const
const longestName = 44

/**
 * The report on the terminal: the sum, what to mend first, then each mistake once, with what happened where it shows best and a
 * command to repeat that.
 */
export function examText(result: ExamResult, style: TextStyle): string {
  const { cases, causes, seed, speed, realSeconds, edition } = result
  const coloured = colourer(style.colours)
  const width = Math.min(longestName, Math.max(4, ...cases.map(({ name }) => name.length)))
  const line = (it: CaseResult) => {
    const [word, colour] = statusLooks[it.status]
    return [
      forTerminal(it.name).padEnd(width),
      coloured(word.padEnd(14), colour),
      `${it.realSeconds.toFixed(1)} s`.padStart(8),
      ` ${countNoun(it.attempts.length + it.attemptsLeftOut, 'request')}`,
    ].join('  ')
  }
  const open = cases.filter(it => it.status === 'inconclusive')
  const why = whyNotPassed(result)
  const first = fixFirst(result)
  const how = [
    `seed ${seed}`,
    ...(edition ? [`edition ${edition.number}`] : []),
    ...(speed === 1 ? [] : [`speed ${speed}`]),
    ...(realSeconds > 0 ? [`${realSeconds.toFixed(1)} s`] : []),
  ]
  const kinds = groupBy(causes, ({ severity, rule }) => `${severity} ${rule}`)
  const accused = [...kinds.values()].filter(([{ severity }]) => severity !== 'information')
  const runs = accused.map(([cause]) => cause.case)
  const mentioned = [...kinds.values()].filter(([{ severity }]) => severity === 'information')
  return [
    `${coloured(headline(result), result.isPassed ? 'green' : 'red')} (${how.join(', ')})`,
    ...(why === undefined ? [] : [forTerminal(why)]),
    ...(first === undefined ? [] : [first]),
    ...(first === undefined ? [] : reproduceLines(causes[0]!.case)),
    ...unscoredLines(result),
    ...(style.isVerbose && cases.length > 0 ? ['', ...cases.map(line)] : []),
    ...accused.flatMap((them, at) => {
      const [{ severity, rule }] = them
      const title = `${severity} ${rule}: ${forTerminal(describeRule(rule).title)}`
      return [
        '',
        coloured(title, severity === 'error' ? 'red' : 'yellow'),
        ...causeLines(them, runs.indexOf(runs[at]!) < at),
      ]
    }),
    ...(mentioned.length > 0 ? ['', 'Not held against the client, but worth a look:'] : []),
    ...mentioned.flatMap(
      ([
        {
          finding,
          case: { name },
        },
      ]) => [`  ${forTerminal(name)}: ${onOneLine(findingLine(finding))}`, `    ${remedyLine(finding)}`],
    ),
    ...(open.length > 0 ? ['', 'Proved nothing:'] : []),
    ...[...groupBy(open, ({ reason }) => reason ?? '').entries()].map(
      ([reason, them]) => `  ${forTerminal(them.map(({ name }) => name).join(', '))}: ${onOneLine(reason)}`,
    ),
    ...knownSections(result).flatMap(({ title, lines }) => [
      '',
      forTerminal(title),
      ...lines.map(it => `  ${onOneLine(it)}`),
    ]),
    ...(result.exploration ? ['', ...explorationLines(result).map(it => forTerminal(it))] : []),
    ...(result.orders ? ['', ...orderLines(result).map(it => forTerminal(it))] : []),
    '',
  ].join('\n')
}

const reproduceLines = ({ reproduce }: CaseResult) =>
  reproduce === null ? [] : [`  Reproduce: ${onOneLine(reproduce)}`]

/**
 * One rule: where it shows best, what to do, and where else it shows.
 * @param isRepeated whether the run has been shown for an earlier rule
 */
function causeLines(
  [{ finding, case: shown, cases, plan, rule }, ...others]: readonly [Cause, ...Cause[]],
  isRepeated: boolean,
): string[] {
  const followed = shown.findings.filter(
    it => isProvedError(it) && it.rule !== finding.rule && consequences.includes(it.rule),
  )
  const { reading } = describeRule(rule)
  const elsewhere = cases.filter(name => plan !== null || name !== shown.name)
  return [
    isRepeated
      ? `  In ${plan === null ? forTerminal(shown.name) : `the plan ${plan.name}`}, as above:`
      : plan === null
        ? `  In ${forTerminal(shown.name)}: ${onOneLine(shown.description)}`
        : `  In the plan ${plan.name}${plan.found > 1 ? `, the smallest of ${formatNumber(plan.found)} ${plan.lanes ? 'orders ' : ''}that show it` : ''}: ${onOneLine(shown.description)}`,
    ...(isRepeated
      ? []
      : [
          ...(plan?.lanes ? laneLines({ plan }) : requestLines(shown.attempts)).map(
            it => `  ${onOneLine(it)}`,
          ),
          `  ${outcomeLine(shown)}`,
        ]),
    ...[finding, ...(isRepeated ? [] : followed)].map(it => `  - ${onOneLine(findingLine(it))}`),
    `  ${remedyLine(finding)}`,
    ...(plan?.passing ? [`  Passes: ${plan.passing.name} (${plan.passing.words})`] : []),
    ...(shown.harm === null || isRepeated ? [] : [`  Result: ${onOneLine(shown.harm)}`]),
    ...(shown.reason === null ? [] : [`  Note: ${onOneLine(shown.reason)}`]),
    ...(plan?.confirmed === null
      ? ['  Not repeated, and perhaps not the smallest plan: it ended before.']
      : []),
    ...(plan?.isFlaky
      ? [`  Flaky: ${plan.confirmed} of 3 repetitions at speed ${plan.speed} showed it again.`]
      : []),
    ...(elsewhere.length > 0 ? [`  Also in ${forTerminal(namedCases(elsewhere))}`] : []),
    ...others.flatMap(({ plan: other, finding: attached }) =>
      other
        ? [
            `  Another smallest plan, of ${formatNumber(other.found)} that show ${attached.rule === rule ? 'it' : `what followed (${attached.rule})`}: ${other.name}`,
          ]
        : [],
    ),
    `  Read: ${documentationPath(reading.page)}#${reading.anchor}`,
    ...reproduceLines(shown),
    ...(shown.capsule === undefined ? [] : [`  Look at it: ${onOneLine(openLine(shown.capsule))}`]),
  ]
}

/**
 * The result as JUnit XML: a test case for each case, for each depth, for each mistake that plans show, and for each entry of a
 * known-file that no longer happens.
 */
export function junitReport(result: ExamResult): string {
  const { cases, causes, exploration, failed, inconclusive, realSeconds, client, seed, speed, began } = result
  const unproved = cases.filter(isUnproved).length
  const levels = exploration?.levels ?? []
  const orderPlans = result.orders?.plans ?? []
  const ofPlans = causes.filter(({ plan }) => plan !== null)
  const { known, edition } = result
  const stale = known ? knownEntries(known, 'stale') : []
  const unscored = edition?.unscored ?? []
  return junitXml(
    {
      name: 'mailing-sync-mock exam',
      tests:
        cases.length + levels.length + orderPlans.length + ofPlans.length + unscored.length + stale.length,
      failures:
        failed + unproved + ofPlans.filter(({ severity }) => severity === 'error').length + stale.length,
      errors: 0,
      skipped:
        inconclusive -
        unproved +
        [...levels, ...orderPlans].filter(({ isComplete }) => !isComplete).length +
        (known?.cases ?? 0) +
        unscored.length,
      time: realSeconds,
    },
    began === null ? {} : { timestamp: began.slice(0, 19) },
    { client, seed, speed },
    [
      ...cases.map(it => ({
        attributes: { classname: 'exam', name: it.name, time: it.realSeconds },
        inside: [
          ...resultElements(it),
          ...(it.client.output === '' ? [] : [xmlElement('system-out', {}, it.client.output)]),
        ],
      })),
      ...levels.map(level => ({
        attributes: { classname: 'exam.plans', name: `depth ${level.depth}` },
        inside: level.isComplete ? [] : [xmlElement('skipped', { message: levelLine(level) })],
      })),
      ...orderPlans.map(({ plan, isComplete, runs }) => ({
        attributes: { classname: 'exam.orders', name: plan },
        inside: isComplete ? [] : [xmlElement('skipped', { message: `${runs} orders were played, not all` })],
      })),
      ...ofPlans.map(({ rule, severity, finding, plan, case: it }) => ({
        attributes: { classname: 'exam.plans', name: `${rule} in ${plan!.name}` },
        inside: severity === 'error' ? [failureElement(rule, finding.sentence, it, plan)] : [],
      })),
      ...unscored.map(it => ({
        attributes: { classname: 'exam', name: it.case.name, time: it.case.realSeconds },
        inside: [
          xmlElement('skipped', { message: `of edition ${it.edition}, not scored: ${it.case.status}` }),
        ],
      })),
      ...stale.map(({ name }) => ({
        attributes: { classname: 'exam', name },
        inside: [xmlElement('failure', { type: 'stale', message: staleMessage })],
      })),
    ],
  )
}

const staleMessage = 'it no longer happens, so it must be removed'

function resultElements(it: CaseResult): string[] {
  if (it.status === 'known')
    return [xmlElement('skipped', { message: `known: ${knownReasons(it).join('; ')}` })]
  if (isUnproved(it)) return [failureElement('unproved', `It proved nothing: ${it.reason}`, it)]
  if (it.status === 'inconclusive') return [xmlElement('skipped', { message: it.reason ?? '' })]
  if (it.status === 'passed') return []
  const errors = it.findings.filter(isProvedError)
  const type = errors.map(({ rule }) => rule).join(' ')
  return [failureElement(type, errors[0]?.sentence ?? '', it)]
}

/** Such as "R02: to be mended in May". */
const knownReasons = ({ findings }: CaseResult): string[] =>
  findings.flatMap(({ rule, known }) => (known === undefined ? [] : [`${rule}: ${known}`]))

const failureElement = (type: string, message: string, it: CaseResult, plan: Cause['plan'] = null) =>
  xmlElement(
    'failure',
    { type, message },
    [
      it.description,
      ...(plan?.lanes ? laneLines({ plan }) : requestLines(it.attempts)),
      '',
      outcomeLine(it),
      ...it.findings.flatMap(finding => [
        findingLine(finding),
        remedyLine(finding),
        `Read: ${readingPath(finding)}`,
      ]),
      ...(it.harm === null ? [] : [`Result: ${it.harm}`]),
      ...(it.reproduce ? ['', `Reproduce: ${it.reproduce}`] : []),
      ...(it.capsule === undefined ? [] : [`Look at it: ${openLine(it.capsule)}`]),
    ].join('\n'),
  )

export const titleOf = ({ rule }: Pick<CaseFinding, 'rule'>): string =>
  rulesById.get(rule)?.title ?? capitalize(rule.replaceAll('-', ' '))
