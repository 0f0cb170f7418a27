import type { OperationId } from '../../service/operations.ts'
import { countStepAttempt, type StepProgress } from '../../service/steps.ts'
import { makeRoomFor } from '../../store/maps.ts'
import type { MemoryShare } from '../../store/memory-budget.ts'
import type { PlanStep } from '../../store/rows.ts'
import type { ScenarioAttempt } from '../request-facts.ts'
import { matchesCondition } from './conditions.ts'
import type { Decision, Rule, Step } from './scenario.ts'
import { isFinal, planFrom, stateOfStep } from './step-plan.ts'
import type { SelectedBy } from './terms.ts'

/** How often a rule and its steps have been applied. */
export interface Hits {
  readonly rule: number
  readonly on: Rule['on']
  readonly hits: number
  readonly steps: readonly number[]
}

/** Maximum number of progress counts for a rule; the oldest are forgotten and start again. */
const maxCountsPerRule = 100_000

export class RuleState {
  readonly #progress = new Map<string, StepProgress>()
  /** Plans that do not depend on the progress within their step. */
  readonly #plans: (readonly PlanStep[])[] = []
  readonly steps: number[]
  readonly index: number
  readonly rule: Rule
  #hits = 0
  readonly #usesUpSteps: boolean
  readonly #memory: MemoryShare

  /** @param usesUpSteps whether a step ends for all series of attempts together, not for each of them */
  constructor(rule: Rule, index: number, memory: MemoryShare, usesUpSteps = false) {
    this.#memory = memory
    this.rule = rule
    this.index = index
    this.#usesUpSteps = usesUpSteps
    this.steps = rule.steps.map(() => 0)
  }

  /** Claims and counts the step for this attempt. Undefined if the rule does not apply, or no longer applies. */
  claim(attempt: ScenarioAttempt, scenario: string, by: SelectedBy): Decision | undefined {
    const { rule } = this
    if (!rule.when.every(condition => matchesCondition(condition, attempt))) return undefined
    if (rule.chance !== undefined && attempt.fraction(`rule ${this.index}`) >= rule.chance) return undefined
    const key = progressKey(rule, attempt)
    const before = this.#progress.get(key)
    const from = before ?? { step: 0, attempts: 0, since: attempt.now }
    const progress = countStepAttempt(rule.steps, from, attempt.now, 'stops')
    if (!progress) return undefined
    const step = rule.steps[progress.step]!
    const isUsedUp =
      this.#usesUpSteps && this.steps[progress.step]! >= (step.times ?? Number.POSITIVE_INFINITY)
    if (isUsedUp || !canApply(step, attempt)) return undefined
    if (!before) makeRoomFor(key, this.#progress, maxCountsPerRule, this.#memory)
    this.#progress.set(key, progress)
    this.#hits++
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

  /** Whether the duration of its last step is over, where attempts are counted over the whole space. */
  hasEnded(now: () => number): boolean {
    const { per, steps } = this.rule
    const [progress] = this.#progress.values()
    if (!progress || per !== 'space' || steps.every(it => it.for === undefined)) return false
    return countStepAttempt(steps, progress, now(), 'stops') === undefined
  }

  get hits(): Hits {
    return { rule: this.index, on: this.rule.on, hits: this.#hits, steps: [...this.steps] }
  }

  #plan(progress: StepProgress, now: number): readonly PlanStep[] {
    const { steps } = this.rule
    const { step } = progress
    const state = stateOfStep(steps[step]!)
    // The rest of such a step is part of the plan.
    if (state && !isFinal(state)) return planFrom(steps, progress, now)
    this.#plans[step] ??= planFrom(steps, progress, now)
    return this.#plans[step]
  }
}

/** Whether a rule is about this operation. */
export const appliesTo = ({ on }: Rule, operation: OperationId) => on === '*' || on.includes(operation)

/** Whether a rule may apply to this operation before the request's body is read. */
export const canApplyBeforeBody = (rule: Rule, operation: OperationId): boolean =>
  rule.appliesBeforeBody && appliesTo(rule, operation)

/** Whether the fault of the step, if it has one, can be applied to this attempt. */
function canApply({ answer }: Step, { isBodyRead, isConnectionReused }: ScenarioAttempt): boolean {
  const applies = answer && 'fault' in answer ? answer.fault.applies : undefined
  if (!isBodyRead) return applies === 'before body'
  return applies !== 'on reused connection' || isConnectionReused
}

function progressKey(rule: Rule, attempt: ScenarioAttempt): string {
  if (rule.per === 'space') return ''
  if (rule.per === 'transaction' && attempt.transactionId !== undefined)
    return `${attempt.facts.synchronizationId} ${attempt.transactionId}`
  return attempt.facts.payloadKey()
}

/**
 * Whether a rule would have no visible effect: every step gives the true answer at once. A state always counts as an
 * effect, even the usual one, since it protects the request from the scenario behind this rule.
 */
export const hasNoEffect = ({ steps }: Rule): boolean =>
  steps.every(
    ({ phase, answer, state, delay, deliver, hold }) =>
      phase === 'after' && !answer && !state && !delay && !deliver && !hold,
  )
