import { existsSync } from 'node:fs'
import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { capitalize, countNoun } from '../../rig/words.ts'
import { groupBy } from '../grouping.ts'
import { rules } from '../rules/registry.ts'
import { shownEvidence } from '../verdict-text.ts'
import {
  type CaseFinding,
  type CaseResult,
  type ExamResult,
  examFindings,
  isFailedStart,
  isInformation,
  isProvedError,
  isUnproved,
  isWarning,
} from './exam-result.ts'
import { consequences } from './outcome.ts'
import { outputTail } from './output-tail.ts'
import { colourer, forTerminal, junitXml, onOneLine, xmlElement } from './report-text.ts'

export const isAccusation = (finding: CaseFinding): boolean => isWarning(finding) || isProvedError(finding)

/** All certain findings by kind, the most serious and most frequent first. */
export function groupByRule({ cases }: Pick<ExamResult, 'cases'>) {
  const all = cases.flatMap(({ name, findings }) =>
    findings.filter(isAccusation).map(finding => ({ name, finding })),
  )
  return [...groupBy(all, ({ finding }) => findingKind(finding)).values()]
    .map(group => ({
      ...describeRule(group[0].finding.rule),
      severity: group[0].finding.severity,
      /** Their names, in the order in which they ran. */
      cases: [...new Set(group.map(({ name }) => name))],
    }))
    .sort(
      (one, other) =>
        Number(one.severity === 'warning') - Number(other.severity === 'warning') ||
        other.cases.length - one.cases.length,
    )
}

export type FindingGroup = ReturnType<typeof groupByRule>[number]

/** Findings of one kind are reported in full once. */
export const findingKind = ({ rule, severity }: CaseFinding): string => `${severity} ${rule}`

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

/**
 * Path of a page of the documentation, relative to a folder if it is below that, otherwise absolute. The container
 * image has no pages: there it is the path in the repository.
 * @param page such as `exam.md`
 * @param from the current folder
 */
export function documentationPath(page: string, from = process.cwd()): string {
  const file = fileURLToPath(new URL(`../../../docs/${page}`, import.meta.url))
  if (!existsSync(file)) return `docs/${page}`
  const near = relative(from, file)
  return near.startsWith('..') ? file : near
}

/** What a client that follows the document achieves; undefined if only conduct is judged. */
export const expectedPhrase = ({ expected }: CaseResult): string | undefined =>
  expected ? outcomePhrase(expected) : undefined

export const reachedPhrase = ({ reached }: CaseResult): string => outcomePhrase(reached)

export function outcomeLine(it: CaseResult): string {
  const expected = expectedPhrase(it)
  return `${expected === undefined ? '' : `Expected: ${expected}. `}Got: ${reachedPhrase(it)}.`
}

const outcomePhrase = ({ sent, belief }: CaseResult['reached']) =>
  `${sent === 0 ? 'nothing sent' : sent === 1 ? 'sent once' : `sent ${sent} times`}, client reports "${belief}"`

/** The requests that a finding cites; not all of them if there are many. */
export const evidenceWords = (evidence: readonly string[]): string =>
  `${evidence.length < shownEvidence ? '' : `first ${shownEvidence} `}requests ${evidence.join(', ')}`

export function findingLine(finding: CaseFinding): string {
  const { rule, severity, status, sentence, clause, evidence, times } = finding
  const word = status === 'open' ? 'open' : severity
  const where = [clause, evidence.length > 0 && evidenceWords(evidence)].filter(Boolean)
  const more = times > 1 ? ` And ${times - 1} more ${times === 2 ? 'time' : 'times'}.` : ''
  return `${word} ${rule}: ${sentence}${more}${where.length > 0 ? ` (${where.join('; ')})` : ''}`
}

const remedyLine = ({ remedy }: CaseFinding) => `Do: ${remedy}`

/** Where to read more. A report may be read far from the documentation: the path is that of the repository. */
export function readingLine({ rule }: Pick<CaseFinding, 'rule'>): string {
  const { page, anchor } = describeRule(rule).reading
  return `Read: docs/${page}#${anchor}`
}

export function countsLine({ passed, failed, inconclusive, notPlayed, warnings }: ExamResult): string {
  return [
    `${passed} passed`,
    `${failed} failed`,
    ...(inconclusive > 0 ? [`${inconclusive} proved nothing`] : []),
    ...(notPlayed > 0 ? [`${notPlayed} not played`] : []),
    ...(warnings > 0 ? [countNoun(warnings, 'warning')] : []),
  ].join(', ')
}

/** Up to this many cases are named; more are counted. */
const maxNamedCases = 3
/** Where they are listed, up to this many. */
const maxListedCases = 20

export const countedCases = (cases: readonly string[]): string =>
  cases.length <= maxNamedCases ? cases.join(', ') : `${cases.length} cases`

/** All by their names, unless there are very many. */
function namedCases(cases: readonly string[]): string {
  if (cases.length <= maxNamedCases) return cases.join(', ')
  const more = cases.length > maxListedCases ? [`and ${cases.length - maxListedCases} more`] : []
  return `${cases.length} cases: ${[...cases.slice(0, maxListedCases), ...more].join(', ')}`
}

/** Why an exam was not passed although nothing failed; undefined if that is not the case. */
export function whyNotPassed(result: ExamResult, isStrict: boolean): string | undefined {
  const { isWhole, failed, passed, warnings, cases } = result
  if (!isWhole)
    return cases[0] && cases.every(isFailedStart)
      ? failedStartLine(cases[0])
      : 'The exam was interrupted: the other cases were not played.'
  if (failed > 0) return undefined
  if (passed === 0) return 'Not passed: nothing was proved.'
  const unproved = cases.filter(isUnproved).map(({ name }) => name)
  if (unproved.length > 0)
    return `Not passed: ${countedCases(unproved)} proved nothing, though every client that sends meets what happens there.`
  return isStrict && warnings > 0 ? 'Not passed: with --strict, warnings count.' : undefined
}

function failedStartLine({ client: { error, output }, findings }: CaseResult): string {
  const why = error?.replace(/^Error: /, '') ?? outputTail(output)
  const is = (rule: string) => findings.some(it => it.rule === rule)
  const end = is('crashed') ? 'crashed' : is('silent') ? 'was killed at its time limit' : 'ended'
  return `The exam was ended: the client ${end} before it sent anything${why === undefined ? '' : `: ${onOneLine(why)}`}. Run it by hand.`
}

export interface TableStyle {
  readonly colours: boolean
  /** Whether warnings count as failures. */
  readonly isStrict: boolean
  /** Whether cases that passed have a line, too. */
  readonly isVerbose: boolean
}

const statusLooks = {
  passed: ['passed', 'green'],
  failed: ['FAILED', 'red'],
  inconclusive: ['nothing proved', 'yellow'],
} as const
const longestName = 44

/**
 * The report on the terminal: a line for each case that failed, or for every case; then each failure with its reason and a command to repeat it, then
 * a summary of findings. Each kind of finding is explained once.
 */
export function table(result: ExamResult, style: TableStyle): string {
  const coloured = colourer(style.colours)
  const width = Math.min(longestName, Math.max(4, ...result.cases.map(({ name }) => name.length)))
  const line = (it: CaseResult) => {
    const [word, colour] = statusLooks[it.status]
    return [
      forTerminal(it.name).padEnd(width),
      coloured(word.padEnd(14), colour),
      `${it.realSeconds.toFixed(1)} s`.padStart(8),
      ` ${countNoun(it.attempts.length + it.attemptsLeftOut, 'request')}`,
      ...(it.status === 'failed' ? [` ${forTerminal(rulesOf(it).join(', '))}`] : []),
    ].join('  ')
  }
  const failed = result.cases.filter(it => it.status === 'failed')
  const open = result.cases.filter(it => it.status === 'inconclusive')
  const reported = new Set<string>()
  // Most clients have few faults, each in many cases.
  const inFull = failed.filter(it => hasNewFinding(it, reported) || hasOwnCause(it))
  const others = groupBy(
    failed.filter(it => !inFull.includes(it)),
    it => rulesOf(it).sort().join(', '),
  )
  const warnings = newFindings(result, reported, isWarning)
  const mentioned = newFindings(result, reported, isInformation)
  const groups = groupByRule(result)
  const why = whyNotPassed(result, style.isStrict)
  return [
    ...(style.isVerbose ? result.cases : failed).map(line),
    ...inFull.flatMap(it => ['', coloured(`FAILED ${forTerminal(it.name)}`, 'red'), ...details(it)]),
    ...(others.size > 0 ? ['', 'In other cases the same again:'] : []),
    ...[...others].map(
      ([what, cases]) => `  ${forTerminal(`${what} in ${namedCases(cases.map(({ name }) => name))}`)}`,
    ),
    ...(warnings.length > 0 ? ['', 'Warnings:', ...warnings] : []),
    ...(mentioned.length > 0 ? ['', 'Not held against the client, but worth a look:', ...mentioned] : []),
    ...(open.length > 0 ? ['', 'Proved nothing:'] : []),
    ...[...groupBy(open, ({ reason }) => reason ?? '').entries()].map(
      ([reason, cases]) => `  ${forTerminal(cases.map(({ name }) => name).join(', '))}: ${onOneLine(reason)}`,
    ),
    // Of a single case everything else stands above.
    ...(result.cases.length === 1 ? groups.map(it => `  Read: ${whereToRead(it)}`) : []),
    ...(groups.length > 0 && result.cases.length > 1
      ? ['', 'What was found, in all:', ...groups.map(it => `  ${findingGroupLine(it)}`)]
      : []),
    '',
    `${countsLine(result)} in ${result.realSeconds.toFixed(1)} s (seed ${result.seed}${result.speed === 1 ? '' : `, speed ${result.speed}`})`,
    ...(why === undefined ? [] : [why]),
    '',
  ].join('\n')
}

const rulesOf = ({ findings }: CaseResult): string[] => [
  ...new Set(findings.filter(isAccusation).map(({ rule }) => rule)),
]

/** Whether it has a kind of finding that has not been reported yet. Afterwards its kinds have been. */
function hasNewFinding({ findings }: CaseResult, reported: Set<string>): boolean {
  const isNew = findings.some(finding => isAccusation(finding) && !reported.has(findingKind(finding)))
  for (const finding of findings) reported.add(findingKind(finding))
  return isNew
}

/** Whether its findings say only what followed: the cause may be another one than in other cases. */
const hasOwnCause = (it: CaseResult): boolean => rulesOf(it).every(rule => consequences.includes(rule))

const details = (it: CaseResult): string[] => [
  `  ${onOneLine(it.description)}`,
  `  ${outcomeLine(it)}`,
  ...it.findings.flatMap(finding => [`  - ${onOneLine(findingLine(finding))}`, `    ${remedyLine(finding)}`]),
  ...(it.harm === null ? [] : [`  Harm: ${onOneLine(it.harm)}`]),
  ...(it.reason === null ? [] : [`  Note: ${onOneLine(it.reason)}`]),
  ...(it.reproduce === null ? [] : [`  Reproduce: ${onOneLine(it.reproduce)}`]),
]

/** The first finding of each kind that has not been reported yet. */
function newFindings(
  { cases }: ExamResult,
  reported: Set<string>,
  isWanted: (finding: CaseFinding) => boolean,
): string[] {
  return cases.flatMap(({ name, findings }) =>
    findings
      .filter(finding => isWanted(finding) && !reported.has(findingKind(finding)))
      .map(finding => {
        reported.add(findingKind(finding))
        return `  ${forTerminal(name)}: ${onOneLine(findingLine(finding))}\n    ${remedyLine(finding)}`
      }),
  )
}

const whereToRead = ({ reading }: Pick<FindingGroup, 'reading'>) =>
  `${documentationPath(reading.page)}#${reading.anchor}`

const findingGroupLine = ({ severity, rule, cases, title, clause, ...it }: FindingGroup) =>
  `${severity} ${rule} in ${countedCases(cases)}: ${forTerminal(title)} (${clause === null ? '' : `${clause}, `}${whereToRead(it)})`

/** The result as JUnit XML: one test case per exam case, skipped if it proved nothing and need not have. */
export function junitReport({ cases, ...result }: ExamResult): string {
  const { failed, inconclusive, realSeconds, client, seed, speed, began } = result
  const unproved = cases.filter(isUnproved).length
  return junitXml(
    {
      name: 'mailing-sync-mock exam',
      tests: cases.length,
      failures: failed + unproved,
      errors: 0,
      skipped: inconclusive - unproved,
      time: realSeconds,
    },
    { timestamp: began.slice(0, 19) },
    { client, seed, speed },
    cases.map(it => ({
      attributes: { classname: 'exam', name: it.name, time: it.realSeconds },
      inside: [
        ...resultElements(it),
        ...(it.client.output === '' ? [] : [xmlElement('system-out', {}, it.client.output)]),
      ],
    })),
  )
}

function resultElements(it: CaseResult): string[] {
  if (isUnproved(it)) return [failureElement('unproved', `It proved nothing: ${it.reason}`, it)]
  if (it.status === 'inconclusive') return [xmlElement('skipped', { message: it.reason ?? '' })]
  if (it.status === 'passed') return []
  const errors = it.findings.filter(isProvedError)
  const type = errors.map(({ rule }) => rule).join(' ')
  return [failureElement(type, errors[0]?.sentence ?? '', it)]
}

export const failureElement = (type: string, message: string, it: CaseResult) =>
  xmlElement(
    'failure',
    { type, message },
    [
      it.description,
      '',
      outcomeLine(it),
      ...it.findings.flatMap(finding => [findingLine(finding), remedyLine(finding), readingLine(finding)]),
      ...(it.harm === null ? [] : [`Harm: ${it.harm}`]),
      ...(it.reproduce ? ['', `Reproduce: ${it.reproduce}`] : []),
    ].join('\n'),
  )

export const titleOf = ({ rule }: Pick<CaseFinding, 'rule'>): string =>
  rulesById.get(rule)?.title ?? capitalize(rule.replaceAll('-', ' '))
