import type { Expectation, Scenario } from '../../rig/scenarios/scenario.ts'
import type { Stretch } from './door.ts'

/** One situation that a client is put into, in a space of its own. */
export interface ExamCase {
  /** Lower-case letters, digits and hyphens; unlike any other case's. */
  readonly name: string
  readonly description: string
  readonly tags: readonly string[]
  /** In force in the space of the case, unless the synchronization brings it along. */
  readonly scenario: Scenario | undefined
  /** The same, where it leads to another host. @param host name and port */
  readonly leadingTo: ((host: string) => Scenario) | undefined
  readonly synchronizationId: string
  /** Whether it has no disturbance that could strike. */
  readonly isUndisturbed: boolean
  /** Whether a client that does everything right may never meet its disturbance. */
  readonly isAvoidable: boolean
  /** What a client that keeps to the document reaches. Without it only conduct is judged. */
  readonly expect: Expectation | undefined
  readonly course: Course
  /** Whether the client is given a date to send at. */
  readonly isScheduled: boolean
  /** Milliseconds by which the space's clock is ahead of the client's, below 0 for behind. */
  readonly clockAhead: number
  /** Milliseconds from the client's present to the date that it is given. */
  readonly scheduleIn: number
  /** Whether the service's clock goes past that date as soon as the first attempt has been answered, or never will be. */
  readonly datePasses: boolean
  /** What the first connections meet, at a port of the case's own; undefined where they reach the service at once. */
  readonly door: readonly Stretch[] | undefined
}

/**
 * How often and when the client is started. `once`: a single time. `restarted`: it is killed after its first attempt
 * and started again with what it stored; `asked` when the attempt has been worked on, `told` when it has been answered.
 * `second-worker`: another one is started with the same store while the first waits for its answer. `two-mailings`: one
 * after the other, each with a store of its own, to send another mailing.
 */
export type Course =
  | { readonly kind: 'once' }
  | { readonly kind: 'restarted'; readonly killedWhen: 'asked' | 'told' }
  | { readonly kind: 'second-worker' }
  | { readonly kind: 'two-mailings' }

/** Tags of cases in which a client has to wait for minutes, or that are many. */
export const slowTags: readonly string[] = ['slow', 'five-minutes', 'fifteen-minutes']

export const isSlow = ({ tags }: ExamCase): boolean => tags.some(tag => slowTags.includes(tag))

/** Whether only a program that can be killed and started again can be put into it. */
export const needsProcess = ({ course }: ExamCase): boolean =>
  course.kind === 'restarted' || course.kind === 'second-worker'

/** Whether it takes more than a client that is started once and asks the mock itself. */
export const needsRunner = (exam: ExamCase): boolean =>
  exam.course.kind !== 'once' || exam.door !== undefined || exam.leadingTo !== undefined
