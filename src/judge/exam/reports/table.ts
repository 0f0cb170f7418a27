import { type CaseResult, type ExamResult, isWarning } from '../../../rig/exam-shape.ts'
import { forTerminal, onOneLine } from './escaped.ts'
import { countsLine, findingLine, outcomeLine } from './sentences.ts'

export interface TableStyle {
  readonly colours: boolean
}

const marks = { passed: 'passed', failed: 'FAILED', inconclusive: 'nothing proved' } as const
const colours = { passed: 32, failed: 31, inconclusive: 33 } as const
const longestName = 44

/** What a person reads at the end: every case on a line, then each that failed, with why and what to type next. */
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
    ].join('  ')
  const failed = result.cases.filter(it => it.status === 'failed')
  const warned = result.cases.filter(it => it.status !== 'failed' && warningsOf(it).length > 0)
  const open = result.cases.filter(it => it.status === 'inconclusive')
  return [
    ...result.cases.map(line),
    ...failed.flatMap(it => ['', coloured(`FAILED ${forTerminal(it.name)}`, 31), ...details(it)]),
    ...(warned.length > 0 ? ['', 'Warnings:'] : []),
    ...warned.flatMap(it => warningsOf(it).map(text => `  ${forTerminal(it.name)}: ${text}`)),
    ...(open.length > 0 ? ['', 'Proved nothing:'] : []),
    ...open.map(it => `  ${forTerminal(it.name)}: ${onOneLine(it.reason ?? '')}`),
    '',
    `${countsLine(result)} in ${result.realSeconds.toFixed(1)} s (seed ${result.seed}${result.speed === 1 ? '' : `, speed ${result.speed}`})`,
    ...(result.isWhole ? [] : ['The exam was interrupted: the other cases were not played.']),
    '',
  ].join('\n')
}

const counted = (requests: number) => (requests === 1 ? '1 request' : `${requests} requests`)

const warningsOf = ({ findings }: CaseResult): string[] =>
  findings.filter(isWarning).map(it => onOneLine(findingLine(it)))

function details(it: CaseResult): string[] {
  return [
    `  ${onOneLine(it.description)}`,
    `  ${outcomeLine(it)}`,
    ...it.findings.map(found => `  - ${onOneLine(findingLine(found))}`),
    ...(it.harm === null ? [] : [`  Harm: ${onOneLine(it.harm)}`]),
    ...(it.reproduce === null ? [] : [`  Reproduce: ${onOneLine(it.reproduce)}`]),
  ]
}
