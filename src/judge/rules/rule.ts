import type { CaseFile } from '../case-file.ts'
import type { Attempt } from '../evidence.ts'
import type { LogicalCase } from '../logical-sendings.ts'

export type RuleId = `R${'0' | '1' | '2'}${'0' | '1' | '2' | '3' | '4' | '5' | '6' | '7' | '8' | '9'}` | 'R30'

export type Severity = 'error' | 'warning' | 'information'

/**
 * What a finding rests on beside the requests themselves. `request`: nothing else. `worker`: that whoever repeated is
 * who was told. `intent`: that the requests mean one mailing, and who was told. `end`: that the client has ended.
 */
export type Rests = 'request' | 'worker' | 'intent' | 'end'

/** One rule of conduct for clients. */
export interface Rule {
  readonly id: RuleId
  /** What somebody did who broke it. */
  readonly title: string
  /** Where it comes from: a section of the service's document, or of an RFC. */
  readonly clause: string
  readonly severity: Severity
  readonly rests: Rests
  /** How it is seen. */
  readonly detection: string
  /** What looks like it and is not held against anybody. */
  readonly spared: string
  /** Whether requests that are missing from the record could only make it look better than it was. */
  readonly survivesLoss?: true
  find(file: CaseFile): Iterable<Suspicion>
}

/** That a rule seems to have been broken. */
export interface Suspicion {
  readonly sentence: string
  readonly evidence: readonly Attempt[]
  readonly sending?: LogicalCase | undefined
  /** Where it differs from the rule's. */
  readonly severity?: Severity
  /** An answer, and the request that it is said to have ignored. */
  readonly told?: { readonly answer: Attempt; readonly later: Attempt } | undefined
  /** Whether it cannot be known, whatever it rests on. */
  readonly isOpen?: boolean
}

/** Keeps what every rule has in its place. */
export const defineRule = (rule: Rule): Rule => rule
