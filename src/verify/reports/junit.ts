import { forXml } from '../../judge/exam/reports/escaped.ts'
import type { ClauseResult, VerifyResult } from '../result.ts'
import { advice, evidenceLine, verdictLine } from './sentences.ts'

/**
 * As JUnit XML, which every build server reads: one test case for each clause. A run that ended early has an error of its
 * own, so that nobody takes the rest for all there is.
 */
export function junitReport(result: VerifyResult): string {
  const { clauses, incomplete } = result
  const isSkipped = ({ status }: ClauseResult) => !['holds', 'differs', 'otherwise'].includes(status)
  const isFailed = ({ status }: ClauseResult) => status === 'differs'
  const counts = `tests="${clauses.length + Number(incomplete !== null)}" failures="${clauses.filter(isFailed).length}" errors="${Number(incomplete !== null)}" skipped="${clauses.filter(isSkipped).length}"`
  const attributes = `name="mailing-sync-mock verify" ${counts}`
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites ${attributes}>`,
    `  <testsuite ${attributes}>`,
    '    <properties>',
    property('target', result.target.url),
    property('complete', String(incomplete === null)),
    property('verdict', verdictLine(result)),
    property('allowWrites', String(result.allowWrites)),
    property('seed', String(result.seed)),
    '    </properties>',
    ...(incomplete === null
      ? []
      : [
          '    <testcase classname="verify" name="complete">',
          `      <error type="incomplete" message="${forXml(incomplete)}"/>`,
          '    </testcase>',
        ]),
    ...clauses.map(testCase),
    '  </testsuite>',
    '</testsuites>',
    '',
  ].join('\n')
}

const property = (name: string, value: string) => `      <property name="${name}" value="${forXml(value)}"/>`

function testCase(it: ClauseResult): string {
  const start = `    <testcase classname="verify.${forXml(it.clause.split(/[ /]/)[0]!)}" name="${forXml(`${it.clause}: ${it.says}`)}"`
  const inside = verdict(it)
  return inside === undefined ? `${start}/>` : `${start}>\n      ${inside}\n    </testcase>`
}

function verdict(it: ClauseResult): string | undefined {
  switch (it.status) {
    case 'holds':
      return undefined
    case 'otherwise':
      return `<system-out>${forXml(it.see === null ? advice(it) : `see ${it.see}`)}</system-out>`
    case 'differs': {
      const message = it.see === null ? `expected ${it.expected}; seen ${it.seen}` : `see ${it.see}`
      const text = [it.says, ...it.evidence.flatMap(one => [evidenceLine(one), one.body])].join('\n')
      return `<failure type="${it.standing}" message="${forXml(message)}">${forXml(text)}</failure>`
    }
    default:
      return `<skipped message="${forXml(`${it.status}: ${it.reason}`)}"/>`
  }
}
