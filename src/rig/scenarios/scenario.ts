import type { DialValues } from '../../service/dials.ts'
import type { OperationId } from '../../service/operations.ts'
import type { SendingState } from '../../store/rows.ts'

/**
 * A scenario as the engine plays it: checked, with durations in milliseconds. `schema.ts` reads files and control calls
 * into this; nothing else makes one.
 */
export interface Scenario {
  readonly name: string
  /** Where it comes from, for messages: a file, the loss matrix, a control call. */
  readonly source: string
  readonly description: string
  readonly rules: readonly Rule[]
  /** What an examined client must reach. */
  readonly expect: Expectation | undefined
  readonly tags: readonly string[]
  /** Dials turned while it is in force; `seeded` turns all of them from the space's seed. */
  readonly dials: Partial<DialValues> | 'seeded'
  /** The whole as it was written: what people are shown, and may give again. */
  readonly definition: Written
}

/** A part of a scenario in the form of a file: durations with their units, nothing that was left out. */
export type Written = Readonly<Record<string, unknown>>

export interface Expectation {
  /** How many sendings really go out, in all. */
  readonly sent: number
  /** What the client must believe at its end. */
  readonly belief: 'sent' | 'not-sent' | 'unknown'
}

export interface Rule {
  readonly on: '*' | readonly OperationId[]
  readonly when: readonly Condition[]
  readonly per: Per
  /**
   * Above 0, at most 1: on which share of the attempts it applies, drawn from the space's seed. An attempt on which it
   * does not apply is not counted, and goes on to the next rule. Undefined: on all.
   */
  readonly chance?: number
  /** At least one; the last stays for ever unless it is limited by `times`, after which the rule no longer applies. */
  readonly steps: readonly Step[]
  /** As it was written, with as many steps. */
  readonly written: Written & { readonly steps: readonly Written[] }
}

/**
 * What counts attempts. `transaction`: requests to one synchronization with one transactionId; where there is none,
 * as `client-request`. `client-request`: requests with the same operation, path and payload, whatever transactionId
 * they carry. `space`: every request that the rule applies to.
 */
export type Per = 'transaction' | 'client-request' | 'space'

/** Names of what a condition looks at; `header:NAME`, `query:NAME` and `body:MEMBER` look at one of many. */
export type Subject =
  | 'transactionId'
  | 'synchronizationId'
  | 'user'
  | 'path'
  | `header:${string}`
  | `query:${string}`
  | `body:${string}`

/** All parts that are given must hold. There are no regular expressions: one could block the process. */
export interface Condition {
  readonly subject: Subject
  readonly present?: boolean
  readonly equals?: string | number | boolean
  readonly prefix?: string
  /** `*` stands for any characters, `?` for one. */
  readonly glob?: string
  /** Numbers or date-times; both ends included. */
  readonly from?: number | string
  readonly to?: number | string
}

/** How far the work has gone when the step's answer is given instead of the true one. */
export type Phase = 'before' | 'bound' | 'partial' | 'after'

/** What happens on one attempt: what the platform does, and what the client is told. */
export interface Step {
  /** Of a sending: by default CREATED, in phase `bound` PENDING, in phase `partial` FAILED. None in phase `before`. */
  readonly state: SendingState | undefined
  /** Always given for INDETERMINATE_FAILURE. */
  readonly truth: 'sent' | 'not-sent' | undefined
  /** Attempts; where neither this nor `for` is given 1, and for the last step no end. */
  readonly times: number | undefined
  /** Milliseconds of the space's clock. */
  readonly for: number | undefined
  readonly phase: Phase
  /** Undefined: the true answer in phase `after`, the 500 problem in the earlier ones. */
  readonly answer: AnswerSpec | FaultSpec | undefined
  readonly delay: Delay | undefined
  /**
   * `late`: the work is done only after the delay, even if the client has left. `twice`: as a proxy that re-sends; the
   * client sees the second answer.
   */
  readonly deliver: 'late' | 'twice' | undefined
  /** Stops before the work until a control call releases this name. */
  readonly hold: string | undefined
}

/** An answer in place of the true one. */
export interface AnswerSpec {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /**
   * Seconds; or so many milliseconds from now as an HTTP-date (real time: the client's own clock reads it), below 0 for
   * a date in the past; or the header's text as it stands, for odd values.
   */
  readonly retryAfter: number | { readonly dateIn: number } | { readonly text: string } | undefined
  readonly body: 'problem' | 'gateway-html' | 'empty' | { readonly text: string }
}

/** A fault by its name, with settings that its own file has checked. */
export interface FaultSpec {
  readonly fault: string
  readonly settings: unknown
}

/** Milliseconds of the space's clock, drawn from the space's seed where there is a choice. */
export type Delay =
  | number
  | { readonly min: number; readonly max: number }
  /** Log-normal. */
  | { readonly median: number; readonly p99: number }
