import type { CaseResult, ExamResult } from '../../../src/judge/exam/exam-result.ts'
import { summarizeExam } from '../../../src/judge/exam/run-exam.ts'

/** What a client may send or print to do harm where a report is looked at. */
export const hostileText =
  "</script><svg/onload=alert(1)>\"onmouseover=alert(2) 'x' & ]]> {{7*7}} \u001b[2J\u001b]0;gone\u0007 \u202eright to left \u2028 \u0000 \ud800 end"

/** A result with hostile text wherever a client, or a scenario of somebody, can put it. */
export function hostileResult(change: Partial<CaseResult> = {}): ExamResult {
  const it: CaseResult = {
    name: 'a-case',
    description: hostileText,
    tags: ['a-tag'],
    status: 'failed',
    reason: hostileText,
    mayProveNothing: false,
    realSeconds: 1.5,
    expected: { sent: 1, belief: 'sent' },
    reached: { sent: 2, belief: 'unknown' },
    struck: true,
    findings: [
      {
        rule: 'R02',
        severity: 'error',
        status: 'guilty',
        sentence: hostileText,
        clause: '4.1/8',
        evidence: ['r1-1'],
        remedy: 'Stop.',
        times: 3,
      },
    ],
    attempts: [
      {
        id: 'r1-1',
        at: 0,
        until: 1,
        method: 'POST',
        path: hostileText,
        operation: 'createSending',
        transactionId: hostileText,
        told: hostileText,
        truth: hostileText,
        isDisturbed: true,
        isCreation: true,
      },
      {
        id: 'r1-2',
        at: 2,
        until: null,
        method: hostileText,
        path: hostileText,
        operation: null,
        transactionId: null,
        told: hostileText,
        truth: hostileText,
        isDisturbed: false,
        isCreation: false,
      },
    ],
    attemptsLeftOut: 0,
    brokenConnections: 2,
    effects: [{ at: 0.5, what: 'sent', cause: 'r1-1', transactionId: hostileText }],
    harm: hostileText,
    client: { exitCode: null, signal: null, error: hostileText, output: hostileText },
    reproduce: hostileText,
    ...change,
  }
  const [finding] = it.findings
  const cause = {
    rule: 'R02',
    severity: 'error',
    finding: finding!,
    case: it,
    cases: [it.name],
    plan: null,
  } as const
  return {
    version: 1,
    client: hostileText,
    seed: 1,
    speed: 1,
    depth: 0,
    began: '2026-11-01T10:00:00.000Z',
    realSeconds: 2,
    isWhole: true,
    ended: hostileText,
    passed: 0,
    failed: 1,
    inconclusive: 0,
    notPlayed: 0,
    isPassed: false,
    warnings: 0,
    exploration: null,
    portrait: null,
    edition: { number: 1, unscored: [] },
    known: {
      file: hostileText,
      cases: 0,
      entries: [
        {
          ...{
            line: 1,
            rule: 'R18',
            reason: hostileText,
            expires: null,
            state: 'happens',
            places: ['a-case'],
          },
          place: { kind: 'case', glob: hostileText },
        },
      ],
    },
    causes: finding ? [{ ...cause, cases: [...cause.cases] }] : [],
    cases: [it, { ...it, name: 'another-case', status: 'inconclusive', mayProveNothing: true }],
  }
}

/** The result of an exam of two workers, with a mistake in an order in which this text stands wherever a client's own can. */
export function ordersOf(text: string): ExamResult & { readonly orders: NonNullable<ExamResult['orders']> } {
  const { causes, ...result } = hostileResult()
  const plan = {
    ...{ name: 'two-workers:told-failed@3start', troubles: ['told-failed'], found: 2, confirmed: 3 },
    ...{ isFlaky: false, speed: 1, scenario: {} },
    lanes: {
      lines: [
        { at: 0, worker: 1, what: 'starts' },
        { at: 0.5, worker: 2, what: text },
      ],
      both: 1,
    },
  }
  const counts = { runs: 5, skipped: 7, lost: 0, failed: 2, inconclusive: 0 }
  const plans = [
    { plan: 'two-workers:undisturbed', ...counts, isComplete: true },
    { plan: 'two-workers:told-failed', ...counts, isComplete: false },
  ]
  return {
    ...result,
    cases: [],
    causes: causes.map(it => ({ ...it, cases: [], plan })),
    orders: { workers: 2, runs: 10, skipped: 14, lost: 0, inconclusive: 0, divergence: text, plans },
  }
}

/** The result of an exam with these cases. */
export const examOf = (
  cases: readonly CaseResult[],
  more: Partial<Parameters<typeof summarizeExam>[1]> = {},
): ExamResult =>
  summarizeExam(cases, {
    ...{ client: 'a', seed: 1, speed: 1, depth: 0, began: '2026-11-01T10:00:00.000Z', realSeconds: 2 },
    ...{
      ended: null,
      notPlayed: 0,
      exploration: null,
      portrait: null,
      ofPlans: [],
      isStrict: false,
      isBrokenOff: false,
    },
    ...more,
  })
