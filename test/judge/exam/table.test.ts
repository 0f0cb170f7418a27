import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { CaseFinding, CaseResult } from '../../../src/judge/exam/exam-result.ts'
import { examFindings } from '../../../src/judge/exam/exam-result.ts'
import { describeRule, examText } from '../../../src/judge/exam/text-reports.ts'
import { rules } from '../../../src/judge/rules/registry.ts'
import { examOf, hostileResult } from './hostile.ts'

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

const shown = (cases: CaseResult[], { isStrict = false, isVerbose = false } = {}) =>
  examText(examOf(cases, { isStrict }), { colours: false, isVerbose })
const unproved = { status: 'inconclusive', reason: 'it never fired' } as const

describe('the report on a terminal', () => {
  const text = shown([
    played('one', [found('R02', { times: 4 }), warning('R12')]),
    played('two', [found('R02'), warning('R12')]),
    played('three', [found('R02'), found('wrong-belief')]),
    played('four', [warning('R12'), warning('R18')]),
  ])

  it('the report on a terminal begins with the sum and with what to mend first', () => {
    expect(text.split('\n').slice(0, 2)).toEqual([
      'Not passed: 3 of 4 cases failed; 1 mistake and 2 warnings (seed 1, 2.0 s)',
      'Fix this first: R02, New transactionId after an error or a timeout. It shows in 3 of 3 failed cases.',
    ])
  })

  it('the report on a terminal has the run to reproduce below what to mend first', () => {
    const reproduce = 'npm start -- exam --only one'
    const lines = shown([played('one', [found('R02')], { reproduce })]).split('\n')
    expect(lines[2]).toBe(`  Reproduce: ${reproduce}`)
  })

  it('the report on a terminal shows a run once, also where it shows two mistakes best', () => {
    const lines = shown([played('one', [found('R02'), warning('R12')]), played('two', [warning('R18')])])
    expect(lines).toContain('\n  In one: About one.\n')
    expect(lines).toContain('\n  In one, as above:\n  - warning R12: ')
    expect(lines.match(/^ {2}Expected: /gm)).toHaveLength(2)
  })

  it('the report on a terminal tells each mistake once, the most frequent first, with where else it shows', () => {
    expect(text.match(/^(?:error|warning) \w+/gm)).toEqual(['error R02', 'warning R12', 'warning R18'])
    expect(text).toContain('\n  In one: About one.\n')
    expect(text).toContain('\n  Also in two, three\n')
  })

  it('the report on a terminal shows what was asked, told and true, equal lines in a row once', () => {
    const attempt = {
      ...hostileResult().cases[0]!.attempts[0]!,
      method: 'POST',
      path: '/',
      isDisturbed: false,
    }
    const repeat = (at: number, transactionId: string, told: string) => ({
      ...{ ...attempt, at, transactionId, told, truth: told },
    })
    const attempts = [repeat(0, 'x', '500'), repeat(1, 'x', '500'), repeat(3.5, 'y', '201 CREATED')]
    const lines = shown([played('one', [found('R02')], { attempts })])
    expect(lines).toContain(
      '      0.0 s  send, ID A → 500, 2 times in a row\n      3.5 s  send, ID B → 201 CREATED\n',
    )
  })

  it('the report on a terminal says with each mistake what to do about it, and how to see it again', () => {
    expect(text).toContain('(requests r1-1)\n  Do: what to do about R02.\n')
    expect(text).toContain('R18 says. (requests r1-1)\n  Do: what to do about R18.\n')
    expect(text.match(/Reproduce: play \w+$/gm)).toEqual([
      // Below what to mend first, and with each mistake.
      'Reproduce: play one',
      'Reproduce: play one',
      'Reproduce: play one',
      'Reproduce: play four',
    ])
  })

  it('the report on a terminal says that a finding cites more requests than it names', () => {
    const cited = (count: number) => Array.from({ length: count }, (_, at) => `r${at}-${at + 1}`)
    const lines = shown([played('few', [found('R02', { evidence: cited(11) })])])
    expect(lines).toContain('(requests r0-1, ')
    const many = shown([played('many', [found('R02', { evidence: cited(12) })])])
    expect(many).toContain('(first 12 requests r0-1, ')
  })

  it('the report on a terminal has a line for each case only if that is wanted', () => {
    const cases = [played('one', [found('R02')]), played('four', [])]
    expect(shown(cases)).not.toContain('four')
    expect(shown(cases, { isVerbose: true })).toMatch(/^four +passed/m)
  })

  it('the report on a terminal says how often something was found in a case', () => {
    expect(text).toContain('error R02: what R02 says. And 3 more times. (requests r1-1)')
  })

  it('the report on a terminal names what followed from a mistake with the mistake', () => {
    const lines = shown([played('three', [found('R02'), found('wrong-belief')])])
    expect(lines).toContain('- error R02: what R02 says. (requests r1-1)\n  - error wrong-belief: ')
    expect(lines.match(/^error/gm)).toHaveLength(1)
  })

  it.each([...rules.map(({ id }) => id), ...Object.keys(examFindings)])(
    'the report links finding %s to a heading that the documentation has',
    rule => {
      const { page, anchor } = describeRule(rule).reading
      const headings = readFileSync(`docs/${page}`, 'utf8').match(/^#+ .*$/gm) ?? []
      expect(headings.map(it => it.replace(/^#+ /, '').toLowerCase().replaceAll(' ', '-'))).toContain(anchor)
    },
  )

  it('the report on a terminal says where to read on', () => {
    expect(shown([played('one', [found('R02')])])).toContain('\n  Read: docs/conduct.md#r02\n')
  })

  it('the report on a terminal counts cases that are many', () => {
    const names = Array.from({ length: 30 }, (_, at) => `case-${at}`)
    expect(shown(names.map(name => played(name, [found('R02')])))).toMatch(
      /Also in 29 cases: case-1, .*, case-20, and 9 more$/m,
    )
  })
})

describe('a report in which nothing failed says why the exam is not passed:', () => {
  it.each<[what: string, cases: CaseResult[], isStrict: boolean, why: string | undefined]>([
    ['all passed', [played('a', [])], false, undefined],
    [
      'nothing passed',
      [played('a', [], { ...unproved, mayProveNothing: true })],
      false,
      'Nothing was proved.',
    ],
    [
      'one should have proved something',
      [played('a', []), played('b', [], unproved)],
      false,
      'b proved nothing, though every client that sends meets what happens there.',
    ],
    [
      'one was not to be met',
      [played('a', []), played('b', [], { ...unproved, mayProveNothing: true })],
      false,
      undefined,
    ],
    ['warnings', [played('a', [warning('R12')])], false, undefined],
    ['warnings that count', [played('a', [warning('R12')])], true, 'Warnings count with --strict.'],
  ])('a report in which nothing failed says why the exam is not passed: %s', (_, cases, isStrict, why) => {
    const [first, second] = shown(cases, { isStrict }).split('\n')
    expect(first!.startsWith('Not passed: ')).toBe(why !== undefined)
    if (why !== undefined) expect(second).toBe(why)
  })

  it('an exam with a failed case is not passed, whatever else passed', () => {
    const cases = [played('a', []), played('b', [found('R01')])]
    expect(examOf(cases)).toMatchObject({ passed: 1, failed: 1, isPassed: false })
    expect(examOf([cases[0]!]).isPassed).toBe(true)
  })
})
