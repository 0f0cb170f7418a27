import type { DialValues } from '../../service/dials.ts'
import type { OperationId } from '../../service/operations.ts'
import type { InvalidField } from '../../service/problem.ts'
import type { StepLimits } from '../../service/steps.ts'
import type { PlanStep } from '../../store/rows.ts'
import { UserError } from '../../store/user-error.ts'
import type { Fault } from '../faults/fault.ts'
import type { RuleFile, ScenarioFile, StepFile, subjects } from './schema.ts'
import type { Phase, SelectedBy } from './terms.ts'

/** A scenario as the engine uses it: checked, durations in milliseconds. Only `read.ts` makes it, of files and values. */
export interface Scenario {
  readonly name: string
  /** Its origin, for messages: a file, the loss matrix, a control call. */
  readonly source: string
  readonly description: string
  readonly rules: readonly Rule[]
  /** What an examined client must reach. */
  readonly expect: Expectation | undefined
  readonly tags: readonly string[]
  /** Dials set while it is in force; `seeded` sets all of them from the space's seed. */
  readonly dials: Partial<DialValues> | 'seeded'
  /** The scenario as written: shown to people, and accepted as input again. */
  readonly definition: WrittenForm
}

/** A part of a scenario as written in a file: durations with units, no defaults filled in. */
export type WrittenForm = Readonly<Record<string, unknown>>

export type Expectation = Readonly<NonNullable<ScenarioFile['expect']>>

export interface Rule {
  readonly on: '*' | readonly OperationId[]
  readonly when: readonly Condition[]
  /** Which requests count as attempts of one series. */
  readonly per: NonNullable<RuleFile['per']>
  /**
   * Above 0, at most 1: the share of attempts to which it applies, drawn from the space's seed. Other attempts are not
   * counted and go on to the next rule. Undefined: all attempts.
   */
  readonly chance?: number
  /** At least one. The last one stays forever unless `times` limits it; the rule no longer applies after that. */
  readonly steps: readonly Step[]
  /** Whether one of its steps applies before the body of a request is read. */
  readonly appliesBeforeBody: boolean
  /** The rule as written, with the same number of steps. */
  readonly written: WrittenForm & { readonly steps: readonly WrittenForm[] }
}

/** What a condition checks; `header:NAME`, `query:NAME` and `body:MEMBER` name one of many. */
export type Subject = (typeof subjects)[number] | `header:${string}` | `query:${string}` | `body:${string}`

/** All given parts must match. There are no regular expressions, since one could block the process. */
export interface Condition extends Readonly<Extract<NonNullable<RuleFile['when']>[string], object>> {
  readonly subject: Subject
}

/** What happens on one attempt: what the platform does, and what the client gets. */
export interface Step
  extends Readonly<Pick<StepFile, 'state' | 'truth' | 'delay' | 'deliver' | 'hold'>>,
    StepLimits {
  readonly phase: Phase
  /** Undefined: the true answer in phase `after`, the 500 problem in the earlier ones. */
  readonly answer: AnswerSpec | FaultSpec | undefined
}

type OwnAnswer = Extract<NonNullable<StepFile['answer']>, { status: number }>

/** An answer in place of the true one. */
export interface AnswerSpec {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: NonNullable<OwnAnswer['body']>
  readonly by?: OwnAnswer['by']
  /**
   * Seconds; or milliseconds from now, sent as an HTTP-date in real time, since the client compares it with its own clock
   * (negative for a date in the past); or the literal text of the header, for odd values.
   */
  readonly retryAfter: OwnAnswer['retryAfter']
}

/** A fault with settings that its own schema has checked. */
export interface FaultSpec {
  readonly fault: Fault
  readonly settings: unknown
}

/** Milliseconds of the space's clock, drawn from the space's seed where there is a choice. `p99` is log-normal. */
export type Delay = NonNullable<StepFile['delay']>

/** The scenario that applies to a request, and why it is this one. */
export interface SelectedScenario {
  readonly scenario: Scenario
  readonly by: SelectedBy
}

/** The decision for one attempt: the step that was claimed for it, and the plan of a sending that it creates. */
export interface Decision {
  readonly scenario: string
  readonly by: SelectedBy
  /** Index of the rule in the scenario. */
  readonly rule: number
  readonly stepIndex: number
  /** Which attempt of this step this is, from 1. */
  readonly attempt: number
  readonly step: Step
  readonly plan: readonly PlanStep[]
}

/** An invalid scenario. Each problem is a sentence with the position, the value found and what is possible. */
export class ScenarioError extends UserError {
  override readonly name = 'ScenarioError'
  readonly problems: readonly string[]
  /** The same problems by member, such as `rules[0].steps[1].phase`; none if the scenario came from a file. */
  readonly members: readonly InvalidField[]

  constructor(problems: readonly string[], members: readonly InvalidField[] = []) {
    const more = problems.length > maxProblems ? [`and ${problems.length - maxProblems} more problems`] : []
    const listed = [...problems.slice(0, maxProblems), ...more]
    super(listed.join('\n'))
    this.problems = listed
    this.members = [
      ...members.slice(0, maxProblems),
      ...(members.length > 0 ? more.map(problem => ({ field: '', problem })) : []),
    ]
  }
}

const maxProblems = 20
