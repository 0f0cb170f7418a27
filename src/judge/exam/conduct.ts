import type { CaseFinding } from '../../rig/exam-shape.ts'
import type { SpaceRig } from '../../rig/space-rig.ts'
import { evidenceOf } from '../evidence.ts'
import { type ClientEnd, type Finding, judge } from '../verdict.ts'

/** What the rules of conduct say of a case. */
export interface Conduct {
  readonly findings: CaseFinding[]
  /** What came of it for recipients and records, in words; null for none. */
  readonly harm: string | null
  /** Whether every request was on record. */
  readonly complete: boolean
}

/** The verdict on a client that has ended. */
export async function conductOf(rig: SpaceRig, end: ClientEnd): Promise<Conduct> {
  const verdict = judge(await evidenceOf(rig), end)
  const harm = verdict.harm.findings.map(({ sentence }) => sentence).join(' ')
  return {
    findings: verdict.findings.map(shown),
    harm: harm === '' ? null : harm,
    complete: verdict.complete,
  }
}

const shown = ({ rule, severity, status, sentence, clause, evidence }: Finding): CaseFinding => ({
  rule,
  severity,
  status,
  sentence,
  clause,
  evidence: [...evidence],
})
