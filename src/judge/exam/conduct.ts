import type { CaseFinding } from '../../rig/exam-shape.ts'
import type { SpaceRig } from '../../rig/space-rig.ts'
import { evidenceOf } from '../evidence.ts'
import type { TimelineAttempt } from '../timeline.ts'
import { type ClientEnd, type Finding, judge } from '../verdict.ts'

/** What the rules of conduct say of a case. */
export interface Conduct {
  /** One for each rule, the gravest first. */
  readonly findings: CaseFinding[]
  /** What came of it for recipients and records, in words; null for none. */
  readonly harm: string | null
  /** Whether every request was on record. */
  readonly complete: boolean
  /** The client's attempts to create sendings, in the order of arrival. */
  readonly creations: readonly Asked[]
}

export interface Asked extends TimelineAttempt {
  readonly synchronizationId: string | null
}

/** So many requests are named as evidence: more would prove no more. */
const named = 12

/** The verdict on a client that has ended. */
export async function conductOf(rig: SpaceRig, end: ClientEnd): Promise<Conduct> {
  const verdict = judge(await evidenceOf(rig), end)
  const harm = verdict.harm.findings.map(({ sentence }) => sentence).join(' ')
  return {
    findings: gathered(verdict.findings),
    harm: harm === '' ? null : harm,
    complete: verdict.complete,
    creations: verdict.sendings
      .flatMap(({ synchronizationId, attempts }) => attempts.map(it => ({ ...it, synchronizationId })))
      .filter(({ by }) => by !== 'rig')
      .sort((one, other) => Date.parse(one.arrived.real) - Date.parse(other.arrived.real)),
  }
}

/** What is found again and again is told once. */
function gathered(findings: readonly Finding[]): CaseFinding[] {
  const all = new Map<string, Finding[]>()
  for (const found of findings) {
    const kind = `${found.rule} ${found.severity} ${found.status}`
    all.set(kind, [...(all.get(kind) ?? []), found])
  }
  return [...all.values()].map(([first, ...more]) => ({
    rule: first!.rule,
    severity: first!.severity,
    status: first!.status,
    sentence: first!.sentence,
    clause: first!.clause,
    evidence: [...new Set([first!, ...more].flatMap(({ evidence }) => evidence))].slice(0, named),
    times: 1 + more.length,
  }))
}
