import { type CaseFinding, type CaseResult, type ExamResult, isWarning } from '../../../rig/exam-shape.ts'
import { byRule, type Found, isAccusation, kindOf } from './by-rule.ts'
import { forTerminal, onOneLine } from './escaped.ts'
import { pageAt } from './page-at.ts'
import { countedCases, countsLine, findingLine, outcomeLine, whyNotPassed } from './sentences.ts'

export interface TableStyle {
  readonly colours: boolean
  /** Whether warnings count as failures. */
  readonly isStrict: boolean
}

const marks = { passed: 'passed', failed: 'FAILED', inconclusive: 'nothing proved' } as const
const colours = { passed: 32, failed: 31, inconclusive: 33 } as const
const longestName = 44

/**
 * What a person reads at the end: every case on a line, then each that failed, with why and what to type next, then what
 * was found in all. What was told of one case is not told of the next again.
 */
export function table(result: ExamResult, style: TableStyle): string {
  const coloured = (text: string, colour: number) =>
    style.colours ? `\u001b[${colour}m${text}\u001b[0m` : text
  const width = Math.min(longestName, Math.max(4, ...result.cases.map(({ name }) => name.length)))
  const line = (it: CaseResult) =>
    [
      forTerminal(it.name).padEnd(width),
      coloured(marks[it.status].padEnd(14), colours[it.status]),
      `${it.realSeconds.toFixed(1)} s`.padStart(8),
      ` ${counted(it.attempts.length + it.attemptsLeftOut)}`,
      ...(it.status === 'failed' ? [` ${forTerminal(rulesOf(it).join(', '))}`] : []),
    ].join('  ')
  const failed = result.cases.filter(it => it.status === 'failed')
  const open = result.cases.filter(it => it.status === 'inconclusive')
  const told = new Set<string>()
  const failures = failed.map(it => failure(it, told, text => coloured(text, 31)))
  const inFull = failures.filter(it => it.isFull).flatMap(({ lines }) => ['', ...lines])
  const inShort = failures.filter(it => !it.isFull).flatMap(({ lines }) => lines)
  const warnings = newOnes(result, told, isWarning)
  const mentioned = newOnes(result, told, isMention)
  const found = byRule(result)
  const why = whyNotPassed(result, style.isStrict)
  return [
    ...result.cases.map(line),
    ...inFull,
    ...(inShort.length > 0 ? ['', 'In other cases it shows again:', ...inShort] : []),
    ...(warnings.length > 0 ? ['', 'Warnings:', ...warnings] : []),
    ...(mentioned.length > 0 ? ['', 'Held against nobody, but worth a look:', ...mentioned] : []),
    ...(open.length > 0 ? ['', 'Proved nothing:'] : []),
    ...open.map(it => `  ${forTerminal(it.name)}: ${onOneLine(it.reason ?? '')}`),
    ...(found.length > 0 ? ['', 'What was found, in all:'] : []),
    ...found.map(it => `  ${foundLine(it)}`),
    '',
    `${countsLine(result)} in ${result.realSeconds.toFixed(1)} s (seed ${result.seed}${result.speed === 1 ? '' : `, speed ${result.speed}`})`,
    ...(why === undefined ? [] : [why]),
    '',
  ].join('\n')
}

const counted = (requests: number) => (requests === 1 ? '1 request' : `${requests} requests`)

const rulesOf = ({ findings }: CaseResult): string[] => [
  ...new Set(findings.filter(isAccusation).map(({ rule }) => rule)),
]

interface Failure {
  readonly isFull: boolean
  readonly lines: readonly string[]
}

/** In full where it shows something new, else in short: a client mostly has few faults, and each in many cases. */
function failure(it: CaseResult, told: Set<string>, red: (text: string) => string): Failure {
  const isNew = it.findings.some(found => isAccusation(found) && !told.has(kindOf(found)))
  for (const found of it.findings) told.add(kindOf(found))
  const name = `FAILED ${forTerminal(it.name)}`
  if (isNew) return { isFull: true, lines: [red(name), ...details(it)] }
  const what = it.findings.filter(isAccusation).map(withEvidence).join(', ')
  return { isFull: false, lines: [`${red(name)}: ${forTerminal(what)}`, ...reproduce(it)] }
}

const withEvidence = ({ rule, evidence }: CaseFinding) =>
  evidence.length === 0 ? rule : `${rule} (${evidence.join(', ')})`

function details(it: CaseResult): string[] {
  return [
    `  ${onOneLine(it.description)}`,
    `  ${outcomeLine(it)}`,
    ...it.findings.map(found => `  - ${onOneLine(findingLine(found))}`),
    ...(it.harm === null ? [] : [`  Harm: ${onOneLine(it.harm)}`]),
    ...(it.reason === null ? [] : [`  Note: ${onOneLine(it.reason)}`]),
    ...reproduce(it),
  ]
}

const reproduce = (it: CaseResult) =>
  it.reproduce === null ? [] : [`  Reproduce: ${onOneLine(it.reproduce)}`]

const isMention = ({ severity, status }: CaseFinding) => severity === 'information' && status === 'guilty'

/** The first of each kind that has not been told before. */
function newOnes(
  { cases }: ExamResult,
  told: Set<string>,
  isWanted: (found: CaseFinding) => boolean,
): string[] {
  return cases.flatMap(({ name, findings }) =>
    findings
      .filter(found => isWanted(found) && !told.has(kindOf(found)))
      .map(found => {
        told.add(kindOf(found))
        return `  ${forTerminal(name)}: ${onOneLine(findingLine(found))}`
      }),
  )
}

const foundLine = ({ severity, rule, cases, title, clause, reading }: Found) =>
  `${severity} ${rule} in ${countedCases(cases)}: ${forTerminal(title)} (${clause === null ? '' : `${clause}, `}${pageAt(reading.page)}#${reading.anchor})`
