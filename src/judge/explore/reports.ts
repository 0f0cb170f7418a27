import { countNoun } from '../../rig/words.ts'
import type { CaseResult, ExamResult } from '../exam/exam-result.ts'
import { colourer, forTerminal, junitXml, onOneLine, xmlElement } from '../exam/report-text.ts'
import { describeRule, failureElement, findingLine, outcomeLine, readingLine } from '../exam/text-reports.ts'
import type { ExplorationResult, FindingGroup } from './explore.ts'
import { countPlans } from './plans.ts'

type Level = ExplorationResult['levels'][number]

const formatNumber = (count: number) => count.toLocaleString('en')
const sum = (numbers: readonly number[]) => numbers.reduce((before, it) => before + it, 0)

/** Such as "5,329 plans of depth 2: 4,672 distinct runs, 657 covered by shorter ones". */
function levelLine({ depth, plans, played, covered, isComplete }: Level): string {
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

export function levelLines({ levels, runs }: ExplorationResult): string[] {
  const others = runs - sum(levels.map(({ played }) => played))
  const why = 'plans that are played first, to be repeated, or to make another one smaller'
  return [
    ...levels.map(levelLine),
    ...(levels.length > 0 && others > 0 ? [`${countNoun(others, 'other run')}: ${why}`] : []),
  ]
}

/** What ended it early, and how far it had come by then. */
export function endLines({ ended, levels, depth }: ExplorationResult): string[] {
  if (ended === null) return []
  const done = sum(levels.map(({ played, covered }) => played + (covered ?? 0)))
  const all = sum(Array.from({ length: depth + 1 }, (_, at) => countPlans(at)))
  const far = `${formatNumber(done)} of ${formatNumber(all)} plans up to depth ${depth} were played or covered.`
  return [`It ended early: ${ended}.${levels.length > 0 ? ` ${far}` : ''}`]
}

const wholeLevels = ({ levels, divergence }: ExplorationResult): string => {
  if (divergence) return 'no depth is complete, since the client is not deterministic'
  const deepest = Math.max(-1, ...levels.filter(({ isComplete }) => isComplete).map(({ depth }) => depth))
  return deepest < 0 ? 'no depth is complete' : `complete up to depth ${deepest}`
}

const idleRules = ({ chances }: ExplorationResult): string[] =>
  Object.keys(chances).filter(rule => chances[rule] === 0)

const traceWords = (trace: readonly string[]) => trace.join('; ') || 'no attempt'

export const divergenceLines = ({ divergence }: ExplorationResult): string[] =>
  divergence === null
    ? []
    : [
        `The client is not deterministic: ${divergence.plan} and ${divergence.longer} should begin alike and do not.`,
        `  one run:     ${traceWords(divergence.runs[0]!)}`,
        `  another run: ${traceWords(divergence.runs[1]!)}`,
      ]

/** The report on the terminal: counts, then each group with its smallest plan. */
export function explorationText(result: ExplorationResult, style: { readonly colours: boolean }): string {
  const coloured = colourer(style.colours)
  const group = (it: FindingGroup) => [
    '',
    coloured(
      `${it.severity} ${it.rule}: ${forTerminal(describeRule(it.rule).title)}`,
      it.severity === 'error' ? 'red' : 'yellow',
    ),
    `  Smallest plan (${countNoun(it.troubles.length, 'trouble')}, of ${countNoun(it.found, 'plan that shows', 'plans that show')} it): ${it.plan}`,
    `  ${onOneLine(it.words)}`,
    `  ${outcomeLine(it.case)}`,
    `  - ${onOneLine(findingLine(it.finding))}`,
    `    Do: ${it.finding.remedy}`,
    `    ${readingLine(it)}`,
    ...(it.confirmed === null ? ['  Not repeated, and perhaps not the smallest plan: it ended before.'] : []),
    ...(it.isFlaky ? [`  Flaky: ${it.confirmed} of 3 repetitions showed it again.`] : []),
    ...(it.case.harm === null ? [] : [`  Harm: ${onOneLine(it.case.harm)}`]),
    ...(it.reproduce === null ? [] : [`  Reproduce: ${onOneLine(it.reproduce)}`]),
  ]
  const idle = idleRules(result)
  return [
    ...levelLines(result),
    ...(idle.length > 0 && result.levels.length > 0
      ? [`Rules that could not have been broken in any run: ${idle.join(', ')}.`]
      : []),
    ...divergenceLines(result).map(line => forTerminal(line)),
    ...result.groups.flatMap(group),
    '',
    `${countsOf(result)}; ${wholeLevels(result)} (seed ${result.seed})`,
    ...endLines(result),
    '',
  ].join('\n')
}

const countGroups = ({ groups }: Pick<ExplorationResult, 'groups'>, wanted: FindingGroup['severity']) =>
  groups.filter(({ severity }) => severity === wanted).length

export function countsOf(result: ExplorationResult): string {
  const { runs, inconclusive, isPassed, isWhole } = result
  const errors = countGroups(result, 'error')
  const warnings = countGroups(result, 'warning')
  const counts = [
    ...(errors > 0 ? [countNoun(errors, 'mistake')] : []),
    ...(warnings > 0 ? [countNoun(warnings, 'warning')] : []),
  ]
  return `${!isPassed ? 'Not passed' : isWhole ? 'Passed' : 'Not finished'}: ${countNoun(runs, 'run')}, ${counts.join(' and ') || 'nothing found'}${inconclusive > 0 ? `, ${inconclusive} inconclusive` : ''}`
}

/** The groups as cases of an exam, for its reports. */
export function asExam(result: ExplorationResult): ExamResult {
  const { client, seed, isWhole, isPassed, groups } = result
  const failed = countGroups(result, 'error')
  return {
    version: 1,
    ...{ client, seed, isWhole, isPassed, failed },
    speed: 1,
    began: new Date(0).toISOString(),
    realSeconds: 0,
    passed: groups.length - failed,
    inconclusive: 0,
    notPlayed: 0,
    warnings: countGroups(result, 'warning'),
    cases: groups.map(asCase),
  }
}

const asCase = ({ words, finding, severity, reproduce, ...it }: FindingGroup): CaseResult => ({
  ...it.case,
  description: words,
  findings: [finding],
  status: severity === 'error' ? 'failed' : 'passed',
  reproduce,
})

/** The result as JUnit XML: a test case for each depth, and one for each group. */
export const explorationJunit = (result: ExplorationResult): string =>
  junitXml(
    {
      name: 'mailing-sync-mock explore',
      tests: result.levels.length + result.groups.length,
      failures: countGroups(result, 'error'),
      errors: 0,
      skipped: result.levels.filter(({ isComplete }) => !isComplete).length,
    },
    {},
    { client: result.client, seed: result.seed },
    [
      ...result.levels.map(level => ({
        attributes: { classname: 'explore', name: `depth ${level.depth}` },
        inside: level.isComplete ? [] : [xmlElement('skipped', { message: levelLine(level) })],
      })),
      ...result.groups.map(it => ({
        attributes: { classname: 'explore', name: `${it.rule} in ${it.plan}` },
        inside: it.severity === 'error' ? [failureElement(it.rule, it.finding.sentence, asCase(it))] : [],
      })),
    ],
  )
