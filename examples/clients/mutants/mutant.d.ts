import type { Policy } from '../reference/policy.d.ts'

/** The reference client with one decision made wrongly. */
export interface Mutant {
  /** Such as `M1`. */
  readonly id: string
  /** What it does wrong. */
  readonly fault: string
  /**
   * The rules of conduct that it breaks, the one that it stands for first; with none of them it keeps to the rules and is
   * merely unaware of the truth.
   */
  readonly rules: readonly string[]
  /** A scenario in which it shows; where it takes a restart or two mailings, the name of that case. */
  readonly scenario: string
  /** What is other than in the reference client. */
  readonly policy: Partial<Policy>
}
