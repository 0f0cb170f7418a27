import type { OperationId } from '../service/operations.ts'
import type { PlanStep } from '../store/rows.ts'
import type { Attempt } from './attempt.ts'
import { holds } from './conditions.ts'
import { makeRoom } from './make-room.ts'
import { followsFromStep, limitOf, planFrom } from './plan.ts'
import type { Rule, Scenario, Step } from './scenarios/scenario.ts'

/** What applies to one attempt: the step that was claimed for it, and the plan of a sending that it creates. */
export interface Decision {
  readonly scenario: string
  /** Why this scenario: `header`, `transactionId`, `test synchronization`, `space` or `one-shot fault`. */
  readonly by: Selection
  /** Index of the rule in the scenario. */
  readonly rule: number
  /** Index of the step in the rule. */
  readonly stepIndex: number
  /** Which attempt of this step this is, from 1. */
  readonly attempt: number
  readonly step: Step
  readonly plan: readonly PlanStep[]
}

export type Selection = 'header' | 'transactionId' | 'test synchronization' | 'space' | 'one-shot fault'

/** How often a rule and its steps have struck. */
export interface Hits {
  readonly rule: number
  readonly on: Rule['on']
  readonly hits: number
  readonly steps: readonly number[]
}

/** So many counts of attempts are kept for a rule; beyond them the oldest begin anew. */
const countsPerRule = 100_000

/** How far the attempts of one kind have come in a rule's steps. */
interface Progress {
  step: number
  attempts: number
  /** When the step began, milliseconds on the space's clock. */
  since: number
}

class RulePlay {
  readonly #progress = new Map<string, Progress>()
  /** Plans that are the same whenever their step is reached. */
  readonly #plans: (readonly PlanStep[])[] = []
  readonly steps: number[]
  readonly index: number
  readonly rule: Rule
  hits = 0

  constructor(rule: Rule, index: number) {
    this.rule = rule
    this.index = index
    this.steps = rule.steps.map(() => 0)
  }

  /** The step for this attempt, counted. Undefined when the rule does not apply, or no longer. */
  claim(attempt: Attempt, scenario: string, by: Selection): Decision | undefined {
    const { rule } = this
    if (!rule.when.every(condition => holds(condition, attempt))) return undefined
    if (rule.chance !== undefined && attempt.fraction(`rule ${this.index}`) >= rule.chance) return undefined
    const key = keyOf(rule, attempt)
    const before = this.#progress.get(key)
    const progress = arrived(rule.steps, before, attempt.now)
    if (!progress) return undefined
    const step = rule.steps[progress.step]!
    if (!attempt.canStrike(step)) return undefined
    this.#keep(key, before, progress)
    this.hits++
    this.steps[progress.step]!++
    return {
      scenario,
      by,
      rule: this.index,
      stepIndex: progress.step,
      attempt: progress.attempts,
      step,
      plan: this.#plan(progress, attempt.now),
    }
  }

  #keep(key: string, before: Progress | undefined, progress: Progress): void {
    if (before) {
      // In place: what replaces another lives long enough to be moved, and its room has to be looked up again.
      before.step = progress.step
      before.attempts = progress.attempts
      before.since = progress.since
      return
    }
    makeRoom(this.#progress, countsPerRule)
    this.#progress.set(key, progress)
  }

  #plan(progress: Progress, now: number): readonly PlanStep[] {
    const { steps } = this.rule
    const { step } = progress
    if (!followsFromStep(steps[step]!)) return planFrom(steps, progress, now)
    this.#plans[step] ??= planFrom(steps, progress, now)
    return this.#plans[step]
  }
}

/** A scenario in force, with its counts. */
export class Play {
  readonly scenario: Scenario
  readonly #rules: readonly RulePlay[]
  readonly #byOperation = new Map<OperationId, readonly RulePlay[]>()

  constructor(scenario: Scenario) {
    this.scenario = scenario
    this.#rules = scenario.rules.map((rule, index) => new RulePlay(rule, index))
  }

  /** The first rule that applies, its step claimed. Nothing is awaited, so simultaneous attempts get different ones. */
  claim(attempt: Attempt, by: Selection): Decision | undefined {
    for (const rule of this.#rulesOf(attempt.operation)) {
      const claimed = rule.claim(attempt, this.scenario.name, by)
      if (claimed) return claimed
    }
    return undefined
  }

  hits(): Hits[] {
    return this.#rules.map(({ rule, index, hits, steps }) => ({
      rule: index,
      on: rule.on,
      hits,
      steps: [...steps],
    }))
  }

  /** Whether a rule that changes anything has struck: a test whose fault never fired proves nothing. */
  get hasStruck(): boolean {
    return this.#rules.some(({ hits }) => hits > 0)
  }

  #rulesOf(operation: OperationId): readonly RulePlay[] {
    let rules = this.#byOperation.get(operation)
    if (!rules) {
      rules = this.#rules.filter(({ rule }) => isAbout(rule, operation))
      this.#byOperation.set(operation, rules)
    }
    return rules
  }
}

const isAbout = ({ on }: Rule, operation: OperationId) => on === '*' || on.includes(operation)

/** Whether a step of the scenario may strike this operation before the request's body is read. */
export const strikesEarly = (
  { rules }: Pick<Scenario, 'rules'>,
  operation: OperationId,
  isEarly: (step: Step) => boolean,
): boolean => rules.some(rule => isAbout(rule, operation) && rule.steps.some(isEarly))

function keyOf(rule: Rule, attempt: Attempt): string {
  if (rule.per === 'space') return ''
  if (rule.per === 'transaction' && attempt.transactionId !== undefined)
    return `${attempt.synchronizationId} ${attempt.transactionId}`
  return attempt.payloadKey()
}

/**
 * Where one more attempt stands. The rule is that of a sending's plan (service/sendings/lifecycle.ts), so that what is
 * told and what is true go in step.
 */
function arrived(steps: readonly Step[], before: Progress | undefined, now: number): Progress | undefined {
  let { step, attempts, since } = before ?? { step: 0, attempts: 0, since: now }
  const isLast = () => step === steps.length - 1
  for (let lasts = steps[step]!.for; lasts !== undefined && since + lasts <= now; lasts = steps[step]!.for) {
    if (isLast()) return undefined
    step++
    since += lasts
    attempts = 0
  }
  if (attempts >= limitOf(steps, step)) {
    if (isLast()) return undefined
    step++
    since = now
    attempts = 0
  }
  return { step, attempts: attempts + 1, since }
}
