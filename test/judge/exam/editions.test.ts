import { expect, test } from 'vitest'
import { findDeviations, freeze, presentEdition } from '../../../scripts/make-editions.ts'
import { checkEdition, type Edition, readEditions, scoreEdition } from '../../../src/judge/exam/editions.ts'
import { type CaseFinding, type CaseResult, examResult } from '../../../src/judge/exam/exam-result.ts'
import { examText, junitReport } from '../../../src/judge/exam/text-reports.ts'
import { runExam } from '../../../src/lib/run-exam.ts'
import { htmlReport } from '../../../src/pages/exam-report.tsx'
import { examOf, hostileResult } from './hostile.ts'

test('every case, trouble, mode and rule belongs to an edition, and asks what it asked when that was frozen', async () => {
  const deviations = findDeviations(await readEditions(), await presentEdition())
  const advice =
    'a frozen case keeps what it asks: give the changed one a new name; what is new gets an edition by "npm run generate -- --edition <number>"'
  expect(deviations, advice).toEqual([])
})

const first: Edition = {
  ...{ edition: 1, cases: { one: 'a', two: 'b' }, troubles: { '500': 'c' }, modes: ['once'] },
  ...{ rules: { R01: 'error' }, findings: ['silent'] },
}
const { edition: _, ...present } = first

test.each<[what: string, change: Partial<typeof present>, deviations: string[]]>([
  ['nothing', {}, []],
  [
    'a case that asks something else',
    { cases: { one: 'a', two: 'x' } },
    ['cases: two of edition 1 has changed'],
  ],
  ['a case that has gone', { cases: { one: 'a' } }, ['cases: two of edition 1 has gone']],
  ['a case without an edition', { cases: { ...first.cases, three: 'd' } }, ['cases: three is of no edition']],
  [
    'a trouble that does something else',
    { troubles: { '500': 'x' } },
    ['troubles: 500 of edition 1 has changed'],
  ],
  ['a rule that weighs more', { rules: { R01: 'warning' } }, ['rules: R01 of edition 1 has changed']],
  ['a mode that has gone', { modes: [] }, ['modes: once of edition 1 has gone']],
  ['a finding without an edition', { findings: ['silent', 'loud'] }, ['findings: loud is of no edition']],
])('a deviation from the frozen editions is told: %s', (__, change, deviations) => {
  expect(findDeviations([first], { ...present, ...change })).toEqual(deviations)
})

test('an edition is frozen with all that no earlier one has, and the earlier ones stay as they are', () => {
  const later = { ...present, cases: { one: 'changed', three: 'd' } }
  expect(freeze([first], 2, later)).toEqual([
    first,
    { edition: 2, cases: { three: 'd' }, troubles: {}, modes: [], rules: {}, findings: [] },
  ])
  expect(() => freeze([first], 3, later)).toThrow('edition 3 is neither the last one nor the next of 1')
  expect(() => freeze(freeze([first], 2, later), 1, later)).toThrow('edition 1 is neither')
})

const second: Edition = {
  ...{ edition: 2, cases: { new: 'e', newer: 'f' }, troubles: {}, modes: [] },
  ...{ rules: { R02: 'error' }, findings: ['loud'] },
}
const editions = [first, second]

const finding = (rule: string): CaseFinding => ({
  ...{ rule, severity: 'error', status: 'guilty', sentence: `${rule} was broken.`, clause: null },
  ...{ evidence: ['r1-1'], remedy: 'Stop.', times: 1 },
})
const played = (name: string, findings: CaseFinding[] = []): CaseResult => ({
  ...hostileResult().cases[0]!,
  ...{ name, description: name, findings, reason: null, harm: null, reproduce: null },
  status: findings.length > 0 ? 'failed' : 'passed',
})
const scored = (number: number, cases: CaseResult[]) => {
  const { cases: counted, ...rest } = scoreEdition({ cases, ofPlans: [] }, editions, number)
  return examOf(counted, rest)
}
const cases = [
  played('one'),
  played('new', [finding('R01')]),
  played('newer', [finding('R01')]),
  played('own'),
]

test('cases of newer editions do not count, and the report says how many would fail', () => {
  const result = scored(1, cases)
  expect(result).toMatchObject({ isPassed: true, passed: 2, failed: 0, edition: { number: 1 } })
  expect(examResult.parse(result)).toEqual(result)
  const text = examText(result, { colours: false, isVerbose: true })
  expect(text).toContain('\n2 cases of edition 2 would fail: new, newer\n')
  expect(junitReport(result)).toContain('tests="4" failures="0" errors="0" skipped="2"')
  expect(junitReport(result)).toContain('<skipped message="of edition 2, not scored: failed"/>')
  expect(htmlReport(result)).toContain('Not scored, since newer than edition 1 (2)')
})

test('the newest edition counts every case', () => {
  expect(scored(2, cases)).toMatchObject({ isPassed: false, passed: 2, failed: 2, edition: { unscored: [] } })
})

test('an exam in which only newer cases passed proves nothing', () => {
  expect(scored(1, [played('new')]).isPassed).toBe(false)
})

test.each(['R02', 'loud'])(
  'what breaks the newer rule %s is told, and fails no case of an older edition',
  rule => {
    const [one, two] = scored(1, [
      played('one', [finding(rule)]),
      played('two', [finding(rule), finding('R01')]),
    ]).cases
    expect(one).toMatchObject({ status: 'passed', findings: [{ rule, severity: 'information' }] })
    expect(one!.findings[0]!.sentence).toBe(`${rule} was broken. (Of edition 2.)`)
    expect(two!.status).toBe('failed')
  },
)

test('an edition that there is not is refused before anything is played', async () => {
  expect(() => checkEdition(editions, 3)).toThrow('--edition: there is no edition 3; possible: 1, 2')
  await expect(runExam({ client: async () => 'unknown', edition: 0 })).rejects.toThrow(
    'there is no edition 0',
  )
})

test('a whole edition is played as before, whatever it is called', async () => {
  const client = async () => 'not-sent' as const
  const result = await runExam({ client, only: ['happy-path'], edition: 1 })
  expect(result.cases.map(({ name }) => name)).toEqual(['happy-path'])
  expect(result.edition).toEqual({ number: 1, unscored: [] })
})
