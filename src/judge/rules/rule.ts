import type { Attempt } from '../attempt.ts'
import type { ClientHistory } from '../client-history.ts'
import type { IntendedSending } from '../intended-sendings.ts'
import type { RuleId, Severity } from '../terms.ts'

/**
 * What a finding depends on besides the requests themselves. `request`: nothing else. `worker`: the worker that
 * repeated is the one that got the answer. `intent`: the requests mean one mailing, and the same worker made them.
 * `end`: the client has ended.
 */
export type Dependency = 'request' | 'worker' | 'intent' | 'end'

/** One rule of conduct for clients. */
export interface Rule {
  readonly id: RuleId
  /** What a client did that broke it. */
  readonly title: string
  /** Its source: a section of the service's document, or of an RFC. */
  readonly clause: string
  readonly severity: Severity
  readonly dependsOn: Dependency
  /** How it is detected. */
  readonly detection: string
  /** What looks like it but is not held against a client. */
  readonly exceptions: string
  /** What to change in a client that broke it: one sentence that begins with a verb. */
  readonly remedy: string
  /** Whether missing requests could only make it look better than it was. */
  readonly survivesLoss?: true
  find(history: ClientHistory): Iterable<Suspicion>
}

/** Indicates that a rule seems to be broken. */
export interface Suspicion {
  readonly sentence: string
  readonly evidence: readonly Attempt[]
  readonly sending?: IntendedSending | undefined
  /** These if they differ from the rule's. */
  readonly severity?: Severity
  readonly remedy?: string
  /** An answer, and the later request that is said to have ignored it. */
  readonly ignoredAnswer?: { readonly answer: Attempt; readonly later: Attempt } | undefined
  /** Whether it cannot be known, whatever it depends on. */
  readonly isOpen?: boolean
  /** Why it cannot be known, whatever it depends on: the last sentence of the finding. */
  readonly openBecause?: string | false
}

/** Checks the type of a rule. It keeps its ID in the type, so that a table of all rules can be checked for completeness. */
export const defineRule = <Id extends RuleId>(rule: Rule & { readonly id: Id }): typeof rule => rule
