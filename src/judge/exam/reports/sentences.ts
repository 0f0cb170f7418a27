import type { CaseFinding, CaseResult } from '../../../rig/exam-shape.ts'

/** Phrases that all reports have in common. */

const beliefs = {
  sent: 'that it sent',
  'not-sent': 'that it did not send',
  unknown: 'nothing for sure',
} as const

/** What was expected, and what was reached. */
export function outcomeLine({ expected, reached }: CaseResult): string {
  const now = `${sendings(reached.sent)}; the client believes ${beliefs[reached.belief]}`
  if (!expected) return `Reached: ${now}.`
  return `Expected: ${sendings(expected.sent)}; the client believes ${beliefs[expected.belief]}. Reached: ${now}.`
}

const sendings = (count: number) =>
  count === 0 ? 'nothing goes out' : count === 1 ? 'it goes out once' : `it goes out ${count} times`

/** One finding on one line. */
export function findingLine({ rule, severity, status, sentence, clause, evidence }: CaseFinding): string {
  const word = status === 'open' ? 'open' : severity
  const where = [
    ...(clause === null ? [] : [clause]),
    ...(evidence.length > 0 ? [`requests ${evidence.join(', ')}`] : []),
  ]
  return `${word} ${rule}: ${sentence}${where.length > 0 ? ` (${where.join('; ')})` : ''}`
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
