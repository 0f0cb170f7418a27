import { writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import type { ClientFunction } from '../../../src/judge/exam/client.ts'
import type {
  CaseFinding,
  CaseResult,
  Cause,
  ExamResult,
  Exploration,
} from '../../../src/judge/exam/exam-result.ts'
import { examResult } from '../../../src/judge/exam/exam-result.ts'
import { examText, junitReport } from '../../../src/judge/exam/text-reports.ts'
import { troubles } from '../../../src/judge/explore/plans.ts'
import { acceptKnown, writeKnown } from '../../../src/judge/known/exam-gate.ts'
import { readKnownFindings } from '../../../src/judge/known/known-findings.ts'
import { runExam } from '../../../src/lib/run-exam.ts'
import { htmlReport } from '../../../src/pages/exam-report.tsx'
import { basic, halType, synchronizationPath } from '../../mock.ts'
import { temporaryDirectory } from '../../process.ts'
import { examOf, hostileResult, hostileText, ordersOf } from '../exam/hostile.ts'

const read = (text: string, isDraft = false) =>
  readKnownFindings(text, { source: 'known.yaml', today: '2026-03-31', isDraft })

const finding = (rule: string, more: Partial<CaseFinding> = {}): CaseFinding => ({
  ...{ rule, severity: 'error', status: 'guilty', sentence: `${rule} was broken.`, clause: null },
  ...{ evidence: ['r1-1'], remedy: 'Stop.', times: 1 },
  ...more,
})
const warning = (rule: string) => finding(rule, { severity: 'warning' })

function played(name: string, findings: CaseFinding[] = [], more: Partial<CaseResult> = {}): CaseResult {
  const isFailed = findings.some(({ severity, status }) => severity === 'error' && status === 'guilty')
  return {
    ...hostileResult().cases[0]!,
    ...{
      name,
      description: name,
      findings,
      reason: null,
      harm: null,
      status: isFailed ? 'failed' : 'passed',
    },
    ...more,
  }
}
const unproved = (name: string, mayProveNothing = false) =>
  played(name, [], { status: 'inconclusive', reason: 'it never fired', mayProveNothing })

type Found = Parameters<typeof acceptKnown>[0]
const foundIn = (cases: CaseResult[], more: Partial<Found> = {}): Found => ({
  ...{ cases, ofPlans: [], exploration: null },
  ...more,
})
/** What an exam comes to in which this was found. */
const reviewed = (found: Found, text: string, names: readonly string[], isWhole = true): ExamResult => {
  const { cases, ...rest } = acceptKnown(found, read(text), names)
  return examOf(cases, { exploration: found.exploration, ...rest, isBrokenOff: !isWhole })
}
/** The same of cases alone. @param left names of cases that a choice of names left out */
const accepted = (text: string, cases: CaseResult[], left: readonly string[] = []) =>
  reviewed(foundIn(cases), text, [...cases.map(({ name }) => name), ...left])
const states = ({ known }: ExamResult) => known!.entries.map(({ state }) => state)

const r02 = '- {rule: R02, reason: "mended in May"}'

test('a case in which all that counts is known does not fail, and is counted by itself', () => {
  const result = accepted(r02, [played('one', [finding('R02')]), played('two')])
  expect(result).toMatchObject({ isPassed: true, passed: 1, failed: 0, known: { cases: 1 } })
  expect(result.cases.map(({ status }) => status)).toEqual(['known', 'passed'])
  expect(result.cases[0]!.findings[0]).toMatchObject({ rule: 'R02', known: 'mended in May' })
  expect(examResult.parse(result)).toEqual(result)
})

test('an exam of nothing but known cases is passed', () => {
  expect(accepted(r02, [played('one', [finding('R02')])]).isPassed).toBe(true)
})

test('a case fails for what is not listed beside what is', () => {
  const result = accepted(r02, [played('one', [finding('R02'), finding('R18')])])
  expect(result).toMatchObject({ isPassed: false, failed: 1, known: { cases: 0 } })
})

test('what only follows from a known mistake does not fail a case', () => {
  const [one] = accepted(r02, [played('one', [finding('R02'), finding('sent-too-often')])]).cases
  expect(one).toMatchObject({ status: 'known', findings: [{}, { known: 'follows from R02' }] })
  const [other] = accepted(r02, [
    played('one', [finding('R02'), finding('R18'), finding('sent-too-often')]),
  ]).cases
  expect(other).toMatchObject({ status: 'failed' })
})

test('what the exam finds where no rule is broken needs an entry of its own', () => {
  const cases = [played('one', [finding('R02')]), played('two', [finding('sent-too-often')])]
  expect(accepted(r02, cases).cases[1]).toMatchObject({ status: 'failed' })
})

test('an entry of one case accepts nothing in another one', () => {
  const text = '- {rule: R02, case: one, reason: x}'
  const result = accepted(text, [played('one', [finding('R02')]), played('two', [finding('R02')])])
  expect(result.cases.map(({ status }) => status)).toEqual(['known', 'failed'])
})

test('a known warning is not counted, so that --strict does not fail for it', () => {
  expect(
    accepted('- {rule: R12, reason: x}', [played('one', [warning('R12'), warning('R18')])]),
  ).toMatchObject({
    isPassed: true,
    warnings: 1,
  })
})

test('an exam that was not played to its end is not passed, whatever is known', () => {
  const result = reviewed(foundIn([played('one', [finding('R02')])]), r02, ['one', 'two'], false)
  expect(result.isPassed).toBe(false)
})

const ofCases = '- {rule: R02, case: [one, two], reason: x}'

test.each<[what: string, text: string, cases: CaseResult[], left: string[], expected: string[]]>([
  ['no longer happens', r02, [played('one'), played('two')], [], ['stale']],
  ['happens in one case of several', r02, [played('one'), played('two', [finding('R02')])], [], ['happens']],
  [
    'is of a case in which another rule is broken',
    ofCases,
    [played('one', [finding('R18')])],
    ['two'],
    ['stale', 'undecided'],
  ],
  [
    'is of two cases, of which one is mended',
    ofCases,
    [played('one'), played('two', [finding('R02')])],
    [],
    ['stale', 'happens'],
  ],
  [
    'is of a case that was not chosen',
    ofCases,
    [played('one', [finding('R02')])],
    ['two'],
    ['happens', 'undecided'],
  ],
  ['is of no case, where cases were chosen', r02, [played('one')], ['two'], ['undecided']],
  ['is of a case that proved nothing', ofCases, [unproved('one'), played('two')], [], ['undecided', 'stale']],
  [
    'is of a case that may prove nothing',
    ofCases,
    [unproved('one', true), played('two')],
    [],
    ['undecided', 'stale'],
  ],
  [
    'is of all cases, of which one may prove nothing',
    r02,
    [unproved('one', true), played('two')],
    [],
    ['stale'],
  ],
  [
    'is of all cases, of which one should have proved something',
    r02,
    [unproved('one'), played('two')],
    [],
    ['undecided'],
  ],
  ['is of all cases, and nothing was proved', r02, [unproved('one', true)], [], ['undecided']],
  ['may still happen', r02, [played('one', [finding('R02', { status: 'open' })])], [], ['happens']],
  ['is a remark now', r02, [played('one', [finding('R02', { severity: 'information' })])], [], ['happens']],
  [
    'is of a client that does not even start',
    r02,
    [played('one', [finding('ended-at-start')])],
    [],
    ['undecided'],
  ],
  [
    'has a glob of cases that were not all played',
    '- {rule: R02, case: t*, reason: x}',
    [played('two')],
    ['three'],
    ['undecided'],
  ],
  [
    'has a glob of cases that were played',
    '- {rule: R02, case: t*, reason: x}',
    [played('two'), played('three')],
    ['one'],
    ['stale'],
  ],
  ['is of plans', '- {rule: R02, plan: 500-sent, reason: x}', [played('one')], [], ['undecided']],
  ['has expired', '- {rule: R02, reason: x, expires: 2026-03-30}', [played('one')], [], ['expired']],
])('the state of an entry that %s', (_, text, cases, left, expected) => {
  const result = accepted(text, cases, left)
  expect(states(result)).toEqual(expected)
  expect(result.isPassed && expected.includes('stale')).toBe(false)
})

test('a stale entry fails an exam in which nothing else does', () => {
  expect(accepted(r02, [played('one')])).toMatchObject({ isPassed: false, failed: 0, passed: 1 })
})

test('what an expired entry accepted fails again', () => {
  const result = accepted('- {rule: R02, reason: x, expires: 2026-03-30}', [played('one', [finding('R02')])])
  expect(result).toMatchObject({ isPassed: false, failed: 1 })
})

const all = accepted(
  `${r02}\n- {rule: R18, case: one, reason: x}\n- {rule: R05, reason: y, expires: 2026-03-01}`,
  [played('one', [finding('R02')]), played('two', [finding('R02'), finding('R05')])],
)

test('the table lists what is known with its reason, what must be removed, and what has expired', () => {
  const text = examText(all, { colours: false, isVerbose: true })
  expect(text).toMatch(/^one +known +1\.5 s/m)
  expect(text).toContain('\nKnown, so it does not fail (known.yaml):\n  R02 in one, two: mended in May\n')
  expect(text).toContain('\nNo longer happens, so it must be removed:\n  known.yaml:2: R18 in one\n')
  expect(text).toContain('\nExpired, so it counts no more:\n  known.yaml:3: R05, on 2026-03-01\n')
  expect(text).toMatch(/^Not passed: 1 of 2 cases failed, 1 known; 1 mistake /)
  expect(text).not.toMatch(/^(error|Fix this first:) R02/m)
})

test('the table says why an exam with nothing but a stale entry is not passed', () => {
  const text = examText(accepted(r02, [played('one')]), { colours: false, isVerbose: false })
  expect(text).toContain('\nknown.yaml accepts what no longer happens.\n')
})

test('JUnit skips a known case with the reason, and has a failed test for a stale entry', () => {
  const junit = junitReport(all)
  expect(junit).toContain('tests="3" failures="2" errors="0" skipped="1"')
  expect(junit).toContain('<skipped message="known: R02: mended in May"/>')
  expect(junit).toMatch(/name="known\.yaml:2: R18 in one">\s*<failure type="stale"/)
})

test('the HTML report shows known cases apart, with the reason, and hostile text in it as text', () => {
  const text = `- {rule: R02, reason: ${JSON.stringify(hostileText.replaceAll(/[^ -~]/g, ''))}}`
  const html = htmlReport(accepted(text, [played('one', [finding('R02')])]))
  expect(html).toContain('<h2>Known (1)</h2>')
  expect(html).toContain('R02 in one: &lt;/script&gt;')
  expect(html).not.toContain('<svg/onload')
  expect(html).not.toContain('What is wrong')
})

/** An exploration of depth 1 that has played every plan. */
const exploration: Exploration = {
  ...{
    troubles: troubles.length,
    runs: 100,
    inconclusive: 0,
    unproved: null,
    realWaits: 0,
    schedules: true,
    divergence: null,
    chances: {},
  },
  levels: [{ depth: 0, plans: 3, played: 3, covered: 0, failed: 0, isComplete: true }],
  coverage: troubles.map(({ name }) => (name === '500-sent' ? 'f' : 'p').repeat(3)),
}
const planCause = (rule: string, name: string): Cause => ({
  ...{ rule, severity: 'error', finding: finding(rule), case: played(name, [finding(rule)]), cases: [] },
  plan: {
    ...{ name, troubles: name.split('+'), found: 3, confirmed: 3, isFlaky: false, speed: 1, scenario: {} },
  },
})
const ofPlans = [planCause('R02', '500-sent')]

test('a mistake that a plan shows does not fail an exam if its plan is listed, and does if another one is', () => {
  const found = foundIn([played('one')], { ofPlans, exploration })
  const result = reviewed(found, '- {rule: R02, plan: 500-sent, reason: x}', ['one'])
  expect(result).toMatchObject({ isPassed: true, causes: [] })
  expect(result.known!.entries).toMatchObject([{ state: 'happens', places: ['500-sent'] }])
  expect(reviewed(found, '- {rule: R02, plan: 502-sent, reason: x}', ['one'])).toMatchObject({
    isPassed: false,
    causes: [{ rule: 'R02' }],
  })
})

test('a plan that shows only what followed from a mistake is accepted by an entry of either', () => {
  const attached = { ...planCause('sent-too-often', 'two-mailings:500-sent'), rule: 'R02' }
  const found = foundIn([played('one')], { ofPlans: [attached], exploration })
  for (const rule of ['R02', 'sent-too-often']) {
    const text = `- {rule: ${rule}, plan: "two-mailings:500-sent", reason: x}`
    const result = reviewed(found, text, ['one'])
    expect(result).toMatchObject({ isPassed: true, causes: [], known: { entries: [{ state: 'happens' }] } })
    expect(writeKnown(found, read(text), ['one'])).toContain(`rule: ${rule}`)
    expect(writeKnown(found, read(text), ['one'])).not.toContain('to be filled in')
  }
})

test('a mistake that cases and a plan show fails for the plan alone where only the cases are listed', () => {
  const found = foundIn([played('one', [finding('R02')])], { ofPlans, exploration })
  const result = reviewed(found, '- {rule: R02, case: one, reason: x}', ['one'])
  expect(result.causes).toMatchObject([{ rule: 'R02', cases: [], plan: { name: '500-sent' } }])
  expect(reviewed(found, r02, ['one'])).toMatchObject({ isPassed: true, causes: [] })
})

test.each<[what: string, text: string, more: Partial<Found>, state: string]>([
  ['of a plan that was played and shows nothing', '- {rule: R02, plan: 502-sent, reason: x}', {}, 'stale'],
  ['of a plan that shows something else', '- {rule: R18, plan: 500-sent, reason: x}', { ofPlans }, 'stale'],
  [
    'of a plan that shows the same as a smaller one',
    '- {rule: R02, plan: 500-sent, reason: x}',
    { ofPlans: [planCause('R02', 'told-pending')] },
    'undecided',
  ],
  [
    'of a plan that was not played',
    '- {rule: R02, plan: 500-sent, reason: x}',
    { exploration: null },
    'undecided',
  ],
  ['of plans, where all were played', '- {rule: R18, plan: "*", reason: x}', { ofPlans }, 'stale'],
  [
    'of plans, where not all were played',
    '- {rule: R18, plan: "*", reason: x}',
    { exploration: { ...exploration, inconclusive: 1 } },
    'undecided',
  ],
  [
    'of no place, where not all plans were played',
    r02,
    { exploration: { ...exploration, inconclusive: 1 } },
    'undecided',
  ],
  ['of no place, where a plan alone shows it', r02, { ofPlans }, 'happens'],
  ['of no place, where all was played', r02, {}, 'stale'],
])('the state of an entry %s', (_, text, more, state) => {
  const found = foundIn([played('one')], { exploration, ...more })
  expect(states(reviewed(found, text, ['one']))).toEqual([state])
})

test('--write-known writes plans apart from cases', () => {
  const text = writeKnown(foundIn([played('one', [finding('R02')])], { ofPlans, exploration }), empty, [
    'one',
  ])
  expect(read(text, true).entries.map(({ rule, places }) => [rule, places])).toEqual([
    ['R02', { kind: 'case', globs: ['one'] }],
    ['R02', { kind: 'plan', globs: ['500-sent'] }],
  ])
})

const empty = { source: 'known.yaml', entries: [] }
const found = foundIn([
  played('two', [finding('R02'), finding('sent-too-often'), warning('R12')]),
  played('one', [finding('R02'), finding('R18', { status: 'open' })]),
  played('three'),
])
const names = ['one', 'two', 'three']

test('--write-known writes an entry for each rule that was broken, with its cases and without a reason', () => {
  const text = writeKnown(found, empty, names)
  expect(text.slice(text.indexOf('\n\n') + 2)).toBe(`# error: New transactionId after an error or a timeout
- rule: R02
  case:
    - one
    - two
  reason: to be filled in

# warning: Payload changed on a repeat
- rule: R12
  case:
    - two
  reason: to be filled in
`)
  expect(() => read(text)).toThrow('known.yaml:10:11: reason: say why')
})

test('what --write-known writes accepts all that was found, as soon as it has reasons', () => {
  const known = writeKnown(found, empty, names).replaceAll('to be filled in', 'mended in May')
  const result = reviewed(found, known, names)
  expect(result).toMatchObject({ isPassed: true, failed: 0, warnings: 0, known: { cases: 2 } })
  expect(new Set(states(result))).toEqual(new Set(['happens']))
})

test('--write-known keeps reasons and dates, adds what is new, and removes what no longer happens', () => {
  const earlier = read(
    `- {clause: 4.1/5, reason: c}
- {rule: R02, case: [one, three], reason: a, expires: 2027-01-01}
- {rule: R18, reason: "not any more"}
- {rule: R12, case: "t*", reason: b}
- {rule: R05, case: four, reason: "not played"}`,
    true,
  )
  const { entries } = read(writeKnown(found, earlier, [...names, 'four']), true)
  expect(entries.map(({ line: _, isExpired: __, ...it }) => it)).toEqual([
    { rule: 'R02', places: { kind: 'case', globs: ['one'] }, reason: 'a', expires: '2027-01-01' },
    { rule: 'R02', places: { kind: 'case', globs: ['two'] }, reason: 'to be filled in' },
    { rule: 'R05', places: { kind: 'case', globs: ['four'] }, reason: 'not played' },
    { rule: 'R12', places: { kind: 'case', globs: ['t*'] }, reason: 'b' },
    // A choice of cases says nothing of a whole cause.
    { rule: 'R18', reason: 'not any more' },
    { clause: '4.1/5', reason: 'c' },
  ])
})

test('--write-known writes the same text again where nothing has changed', () => {
  const text = writeKnown(found, empty, names)
  expect(writeKnown(found, read(text, true), names)).toBe(text)
})

test('--write-known of a client without a mistake writes an empty list', () => {
  const text = writeKnown(foundIn([played('one')]), empty, ['one'])
  expect(read(text).entries).toEqual([])
})

/** Repeats after an error: with the same transactionId, or, which is the planted mistake, with a new one each time. */
const clientWith =
  (isMended: boolean): ClientFunction =>
  async ({ url, user, password, synchronizationId }) => {
    for (let attempt = 1; attempt <= 3; attempt++) {
      const response = await fetch(url + synchronizationPath(synchronizationId, '/sendings'), {
        method: 'POST',
        headers: { authorization: basic(user, password), 'content-type': halType },
        body: JSON.stringify({ transactionId: isMended ? 'the-same' : `attempt-${attempt}` }),
      })
      if (response.ok) return 'sent'
    }
    return 'unknown'
  }

async function examine(isMended: boolean, text: string) {
  using folder = temporaryDirectory()
  const known = folder.at('known.yaml')
  writeFileSync(known, text)
  return await runExam({ client: clientWith(isMended), only: ['error-500-after', 'happy-path'], known })
}

const planted = '- {rule: R02, case: error-500-after, reason: "mended in May"}'

test('a client with one planted mistake passes an exam that knows of it, and fails as stale when it is mended', async () => {
  const before = await examine(false, planted)
  expect(before).toMatchObject({ isPassed: true, passed: 1, failed: 0, known: { cases: 1 } })
  const after = await examine(true, planted)
  expect(after).toMatchObject({ isPassed: false, passed: 2, failed: 0 })
  expect(states(after)).toEqual(['stale'])
})

test('a known-file that cannot be read is refused before anything is played', async () => {
  let calls = 0
  const client = async () => {
    calls++
    return 'unknown' as const
  }
  using folder = temporaryDirectory()
  const known = folder.at('none.yaml')
  await expect(runExam({ client, known })).rejects.toThrow(`cannot read ${known}: `)
  writeFileSync(known, '- {rule: R02, case: error-500-aftr, reason: x}')
  await expect(runExam({ client, known })).rejects.toThrow(
    `${known}:1:21: case: there is no case "error-500-aftr"; did you mean "error-500-after"?`,
  )
  expect(calls).toBe(0)
})

/** What an exam of two workers finds. */
function foundInOrders(found: readonly string[], isComplete = true): Found {
  const { causes, orders } = ordersOf('a text')
  const plans = orders.plans.map(it => ({ ...it, isComplete }))
  const ofPlans = causes.filter(() => found.length > 0).map(it => ({ ...it, rule: found[0]! }))
  return foundIn([], { ofPlans, orders: { ...orders, divergence: null, plans } })
}

test('an entry for every order of a plan accepts whichever is the smallest one', () => {
  const text = '- {rule: R02, plan: "two-workers:told-failed@*", reason: x}'
  const { ofPlans, known } = acceptKnown(foundInOrders(['R02']), read(text), [])
  expect(ofPlans).toEqual([])
  expect(known!.entries[0]).toMatchObject({ state: 'happens', places: ['two-workers:told-failed@3start'] })
})

test.each([
  ['stale', 'all orders of its plan were played', true],
  ['undecided', 'some orders of its plan were not played', false],
])('an entry of orders is %s if none shows it and %s', (state, _, isComplete) => {
  const text = '- {rule: R02, plan: "two-workers:told-failed@*", reason: x}'
  expect(acceptKnown(foundInOrders([], isComplete), read(text), []).known!.entries[0]).toMatchObject({
    state,
  })
})

test('a list that is written of orders names every order of a plan', () => {
  expect(writeKnown(foundInOrders(['R02']), read('[]', true), [])).toContain('two-workers:told-failed@*')
})
