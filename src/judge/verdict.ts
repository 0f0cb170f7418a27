import { CaseFile } from './case-file.ts'
import type { ClientEnd } from './end.ts'
import type { Evidence } from './evidence.ts'
import { findingsIn } from './findings.ts'
import { type Harm, harmIn } from './harm.ts'
import type { RuleId, Severity } from './rules/rule.ts'
import { type LogicalSending, timelinesOf } from './timeline.ts'
import type { Unstruck } from './unstruck.ts'

export type { ClientEnd } from './end.ts'
export type { Harm, HarmFinding, HarmKind } from './harm.ts'
export type { RuleId, Severity } from './rules/rule.ts'
export { asText } from './text.ts'
export type { LogicalSending, TimelineAttempt } from './timeline.ts'
export type { Unstruck } from './unstruck.ts'

/** The judge's reading of what happened in one space. */
export interface Verdict {
  readonly space: string
  /**
   * `guilty`: a rule was broken, by an error or a warning. `open`: it cannot be known whether one was. `innocent`: none
   * was.
   */
  readonly outcome: 'innocent' | 'guilty' | 'open'
  /** What was meant to be sent, each with its attempts: what was told and what was true. */
  readonly sendings: readonly LogicalSending[]
  /** The gravest first. */
  readonly findings: readonly Finding[]
  /** What came of it for recipients and records, apart from who is to blame. */
  readonly harm: Harm
  /** Disturbances that were armed and never struck: of what they were to show, this verdict shows nothing. */
  readonly unstruck: readonly Unstruck[]
  /** Whether every request was on record. */
  readonly complete: boolean
  /** Requests that had to make room, or were removed from the record on purpose. */
  readonly missing: number
}

export interface Finding {
  readonly rule: RuleId
  readonly title: string
  readonly severity: Severity
  /** `open`: it looks like it, but the server cannot know. */
  readonly status: 'guilty' | 'open'
  /** What was done, with figures. */
  readonly sentence: string
  /** IDs of the requests that show it. */
  readonly evidence: readonly string[]
  /** Where the rule stands. */
  readonly clause: string
}

/**
 * Reads the evidence against the rules of conduct. It says `guilty` only where nothing else can explain what was seen.
 * @param end what whoever ran the client knows of its end
 */
export function judge(evidence: Evidence, end?: ClientEnd): Verdict {
  const file = new CaseFile(evidence, end)
  const findings = findingsIn(file)
  const accusations = findings.filter(({ severity }) => severity !== 'information')
  const isGuilty = accusations.some(({ status }) => status === 'guilty')
  const isOpen = accusations.length > 0 || !file.isComplete
  return {
    space: evidence.space,
    outcome: isGuilty ? 'guilty' : isOpen ? 'open' : 'innocent',
    sendings: timelinesOf(file),
    findings,
    harm: harmIn(file),
    unstruck: evidence.unstruck,
    complete: file.isComplete,
    missing: evidence.dropped + evidence.forgotten,
  }
}
