import { type CaseFinding, type CaseResult, type ExamResult, isUnproved } from '../../../rig/exam-shape.ts'

/** Phrases that all reports have in common. */

const beliefs = {
  sent: 'that it sent',
  'not-sent': 'that it did not send',
  unknown: 'nothing for sure',
} as const

/** What a client that keeps to the document reaches; undefined where only conduct is judged. */
export const expectedPhrase = ({ expected }: CaseResult): string | undefined =>
  expected ? `${sendings('goes', expected.sent)}; the client believes ${beliefs[expected.belief]}` : undefined

/** What this one reached. */
export const reachedPhrase = ({ reached }: CaseResult): string =>
  `${sendings('went', reached.sent)}; the client believes ${beliefs[reached.belief]}`

/** What was expected, and what was reached. */
export function outcomeLine(it: CaseResult): string {
  const expected = expectedPhrase(it)
  return `${expected === undefined ? '' : `Expected: ${expected}. `}Reached: ${reachedPhrase(it)}.`
}

const sendings = (verb: 'goes' | 'went', count: number) =>
  count === 0 ? `nothing ${verb} out` : `it ${verb} out ${count === 1 ? 'once' : `${count} times`}`

/** One finding on one line. */
export function findingLine(found: CaseFinding): string {
  const { rule, severity, status, sentence, clause, evidence, times } = found
  const word = status === 'open' ? 'open' : severity
  const where = [
    ...(clause === null ? [] : [clause]),
    ...(evidence.length > 0 ? [`requests ${evidence.join(', ')}`] : []),
  ]
  const more = times > 1 ? ` And ${times - 1} more ${times === 2 ? 'time' : 'times'}.` : ''
  return `${word} ${rule}: ${sentence}${more}${where.length > 0 ? ` (${where.join('; ')})` : ''}`
}

/** The counts of an exam. */
export function countsLine(result: {
  readonly passed: number
  readonly failed: number
  readonly inconclusive: number
  readonly warnings: number
}): string {
  const { passed, failed, inconclusive, warnings } = result
  return [
    `${passed} passed`,
    `${failed} failed`,
    ...(inconclusive > 0 ? [`${inconclusive} proved nothing`] : []),
    ...(warnings > 0 ? [`${warnings} ${warnings === 1 ? 'warning' : 'warnings'}`] : []),
  ].join(', ')
}

/** So many cases are named; more are counted. */
const named = 3

export const countedCases = (cases: readonly string[]): string =>
  cases.length <= named ? cases.join(', ') : `${cases.length} cases`

/** Why an exam in which nothing failed was not passed all the same; undefined where there is nothing to explain. */
export function whyNotPassed(result: ExamResult, isStrict: boolean): string | undefined {
  const { isWhole, failed, passed, warnings, cases } = result
  if (!isWhole) return 'The exam was interrupted: the other cases were not played.'
  if (failed > 0) return undefined
  if (passed === 0) return 'Not passed: nothing was proved.'
  const unproved = cases.filter(isUnproved).map(({ name }) => name)
  if (unproved.length > 0)
    return `Not passed: ${countedCases(unproved)} proved nothing, though every client that sends meets what happens there.`
  return isStrict && warnings > 0 ? 'Not passed: with --strict, warnings count.' : undefined
}
