import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { CaseFinding, CaseResult } from '../../../src/judge/exam/exam-result.ts'
import { examFindings } from '../../../src/judge/exam/exam-result.ts'
import { summarizeExam } from '../../../src/judge/exam/run-exam.ts'
import { groupByRule, table } from '../../../src/judge/exam/text-reports.ts'
import { rules } from '../../../src/judge/rules/registry.ts'
import { hostileResult } from './hostile.ts'

const found = (rule: string, more: Partial<CaseFinding> = {}): CaseFinding => ({
  rule,
  severity: 'error',
  status: 'guilty',
  sentence: `what ${rule} says.`,
  clause: null,
  evidence: ['r1-1'],
  remedy: `what to do about ${rule}.`,
  times: 1,
  ...more,
})
const warning = (rule: string) => found(rule, { severity: 'warning' })

/** A case whose name is what was found in it. */
function played(name: string, findings: readonly CaseFinding[], more: Partial<CaseResult> = {}): CaseResult {
  const isFailed = findings.some(({ severity, status }) => severity === 'error' && status === 'guilty')
  return {
    ...hostileResult().cases[0]!,
    ...{ name, description: `About ${name}.`, findings: [...findings], reason: null, harm: null },
    ...{ status: isFailed ? 'failed' : 'passed', reproduce: `play ${name}` },
    ...more,
  }
}

const frame = {
  seed: 1,
  speed: 1,
  began: Date.parse('2026-11-01T10:00:00Z'),
  isWhole: true,
  notPlayed: 0,
  client: 'a',
}
const shown = (cases: CaseResult[], { isStrict = false, isVerbose = false } = {}) =>
  table(summarizeExam(cases, frame), { colours: false, isStrict, isVerbose })
const unproved = { status: 'inconclusive', reason: 'it never fired' } as const

describe('the table on a terminal', () => {
  const text = shown([
    played('one', [found('R02', { times: 4 }), warning('R12')]),
    played('two', [found('R02'), warning('R12')]),
    played('three', [found('R02'), found('wrong-belief')]),
    played('four', [warning('R12'), warning('R18')]),
  ])

  it('the table on a terminal tells in full what is new, and else in short', () => {
    expect([...text.matchAll(/^ {2}(About .*)\.$/gm)].map(([, it]) => it)).toEqual([
      'About one',
      'About three',
    ])
    expect(text).toContain('\nIn other cases the same again:\n  R02, R12 in two\n\n')
  })

  it('the table on a terminal says with each finding what to do about it', () => {
    expect(text).toContain('(requests r1-1)\n    Do: what to do about R02.\n')
    expect(text).toContain('R18 says. (requests r1-1)\n    Do: what to do about R18.\n')
  })

  it('the table on a terminal says that a finding cites more requests than it names', () => {
    const cited = (count: number) => Array.from({ length: count }, (_, at) => `r${at}-${at + 1}`)
    const lines = shown([played('few', [found('R02', { evidence: cited(11) })])])
    expect(lines).toContain('(requests r0-1, ')
    const many = shown([played('many', [found('R02', { evidence: cited(12) })])])
    expect(many).toContain('(first 12 requests r0-1, ')
  })

  it('the table on a terminal has a line for a case that passed only if that is wanted', () => {
    const cases = [played('one', [found('R02')]), played('four', [])]
    expect(shown(cases)).not.toContain('four')
    expect(shown(cases, { isVerbose: true })).toMatch(/^four +passed/m)
  })

  it('the table on a terminal says how to play again each case that it tells in full', () => {
    expect(text.match(/Reproduce: play \w+$/gm)).toEqual(['Reproduce: play one', 'Reproduce: play three'])
  })

  it('the table on a terminal has one line for all cases with the same set of findings again', () => {
    const every = (names: string[], ...ids: string[]) =>
      names.map(name =>
        played(
          name,
          ids.map(id => found(id)),
        ),
      )
    const cases = [
      ...every(['one'], 'R02', 'R14'),
      ...every(['a', 'b'], 'R14', 'R02'),
      ...every(['c', 'd', 'e', 'f'], 'R02'),
    ]
    expect(shown([...cases, ...every(['g'], 'R02', 'R14')])).toContain(
      'the same again:\n  R02, R14 in a, b, g\n  R02 in 4 cases: c, d, e, f\n\n',
    )
  })

  it('the table on a terminal says how often something was found in a case', () => {
    expect(text).toContain('error R02: what R02 says. And 3 more times. (requests r1-1)')
  })

  it('the table on a terminal tells a warning once, and not at all where a failed case has told it', () => {
    expect(text).toContain('\nWarnings:\n  four: warning R18: what R18 says. (requests r1-1)\n    Do: ')
  })

  it('sums up by rule, with where to read on', () => {
    expect(text).toContain(
      `What was found, in all:
  error R02 in one, two, three: New transactionId after an error or a timeout (4.1/8, docs/conduct.md#r02)
  error wrong-belief in three: the client reports that it sent, and it did not; or that it did not send, and it did (docs/exam.md#findings)
  warning R12 in one, two, four: Payload changed on a repeat (4.1/9, docs/conduct.md#r12)
  warning R18 in four: Retry-After ignored (RFC 9110, 10.2.3, docs/conduct.md#r18)
`,
    )
  })

  it.each([...rules.map(({ id }) => id), ...Object.keys(examFindings)])(
    'the summary links finding %s to a heading that the documentation has',
    rule => {
      const { page, anchor } = groupByRule({ cases: [played('one', [found(rule)])] })[0]!.reading
      const headings = readFileSync(`docs/${page}`, 'utf8').match(/^#+ .*$/gm) ?? []
      expect(headings.map(it => it.replace(/^#+ /, '').toLowerCase().replaceAll(' ', '-'))).toContain(anchor)
    },
  )

  it('the table on a terminal does not sum up a single case, of which everything stands above', () => {
    const single = shown([played('one', [found('R02')])])
    expect(single).not.toContain('in all')
    expect(single).toContain('\n  Read: docs/conduct.md#r02\n')
  })

  it('the table on a terminal counts cases that are many', () => {
    const many = ['a', 'b', 'c', 'd'].map(name => played(name, [found('R02')]))
    expect(shown(many)).toContain('error R02 in 4 cases: ')
  })
})

describe('a table in which nothing failed says why the exam is not passed:', () => {
  it.each<[what: string, cases: CaseResult[], isStrict: boolean, why: string | undefined]>([
    ['all passed', [played('a', [])], false, undefined],
    [
      'nothing passed',
      [played('a', [], { ...unproved, mayProveNothing: true })],
      false,
      'nothing was proved',
    ],
    [
      'one should have proved something',
      [played('a', []), played('b', [], unproved)],
      false,
      'b proved nothing, though every client that sends meets what happens there',
    ],
    [
      'one was not to be met',
      [played('a', []), played('b', [], { ...unproved, mayProveNothing: true })],
      false,
      undefined,
    ],
    ['warnings', [played('a', [warning('R12')])], false, undefined],
    ['warnings that count', [played('a', [warning('R12')])], true, 'with --strict, warnings count'],
  ])('a table in which nothing failed says why the exam is not passed: %s', (_, cases, isStrict, why) => {
    const [, seen] = /^Not passed: (.*)\.$/m.exec(shown(cases, { isStrict })) ?? []
    expect(seen).toBe(why)
  })

  it('an exam with a failed case is not passed, whatever else passed', () => {
    const cases = [played('a', []), played('b', [found('R01')])]
    expect(summarizeExam(cases, frame)).toMatchObject({ passed: 1, failed: 1, isPassed: false })
    expect(summarizeExam([cases[0]!], frame).isPassed).toBe(true)
  })
})
