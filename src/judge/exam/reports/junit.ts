import { type CaseResult, type ExamResult, isUnproved } from '../../../rig/exam-shape.ts'
import { forXml } from './escaped.ts'
import { findingLine, outcomeLine } from './sentences.ts'

/**
 * As JUnit XML, which every build server reads: one test case for each case, skipped where it proved nothing and need
 * not have.
 */
export function junitReport(result: ExamResult): string {
  const { cases, failed, inconclusive, realSeconds, client, began } = result
  const unproved = cases.filter(isUnproved).length
  const attributes = `name="mailing-sync-mock exam" tests="${cases.length}" failures="${failed + unproved}" errors="0" skipped="${inconclusive - unproved}" time="${realSeconds}"`
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites ${attributes}>`,
    `  <testsuite ${attributes} timestamp="${began.slice(0, 19)}">`,
    '    <properties>',
    property('client', client),
    property('seed', String(result.seed)),
    property('speed', String(result.speed)),
    '    </properties>',
    ...cases.map(testCase),
    '  </testsuite>',
    '</testsuites>',
    '',
  ].join('\n')
}

const property = (name: string, value: string) => `      <property name="${name}" value="${forXml(value)}"/>`

function testCase(it: CaseResult): string {
  const output = it.client.output === '' ? [] : [`      <system-out>${forXml(it.client.output)}</system-out>`]
  const inside = [...verdict(it), ...output]
  const start = `    <testcase classname="exam" name="${forXml(it.name)}" time="${it.realSeconds}"`
  return inside.length === 0 ? `${start}/>` : [`${start}>`, ...inside, '    </testcase>'].join('\n')
}

function verdict(it: CaseResult): string[] {
  if (isUnproved(it)) return [failure('unproved', `It proved nothing: ${it.reason}`, it)]
  if (it.status === 'inconclusive') return [`      <skipped message="${forXml(it.reason ?? '')}"/>`]
  if (it.status === 'passed') return []
  const errors = it.findings.filter(({ severity, status }) => severity === 'error' && status === 'guilty')
  const type = errors.map(({ rule }) => rule).join(' ')
  return [failure(type, errors[0]?.sentence ?? '', it)]
}

function failure(type: string, message: string, it: CaseResult): string {
  const text = [
    it.description,
    '',
    outcomeLine(it),
    ...it.findings.map(findingLine),
    ...(it.reproduce ? ['', `Reproduce: ${it.reproduce}`] : []),
  ].join('\n')
  return `      <failure type="${forXml(type)}" message="${forXml(message)}">${forXml(text)}</failure>`
}
