import { type OperationId, operationIds } from '../../service/operations.ts'
import { problems } from '../../service/problem.ts'
import { countStepAttempt, type StepProgress } from '../../service/steps.ts'
import { getOrMake, makeRoomFor } from '../../store/maps.ts'
import type { Account } from '../../store/memory-budget.ts'
import type { PlanStep, SendingState } from '../../store/rows.ts'
import type { ScenarioAttempt } from '../request-facts.ts'
import type { SelectedBy } from '../request-record.ts'
import type { Condition, Rule, Scenario, Step } from './scenario.ts'

export function matchesCondition(condition: Condition, attempt: ScenarioAttempt): boolean {
  const value = subjectValue(condition.subject, attempt)
  const { present, equals, prefix, glob, from, to } = condition
  if (present !== undefined && present !== (value !== undefined && value !== null)) return false
  if (equals !== undefined && !isEqual(value, equals)) return false
  if (prefix !== undefined && !(typeof value === 'string' && value.startsWith(prefix))) return false
  if (glob !== undefined && !(typeof value === 'string' && matchesGlob(glob, value))) return false
  if (from !== undefined && !(compare(value, from) >= 0)) return false
  if (to !== undefined && !(compare(value, to) <= 0)) return false
  return true
}

export function subjectValue(subject: Condition['subject'], attempt: ScenarioAttempt): unknown {
  const { facts } = attempt
  if (subject === 'transactionId') return attempt.transactionId
  if (subject === 'synchronizationId') return facts.synchronizationId
  if (subject === 'user') return attempt.user
  if (subject === 'path') return facts.path
  const name = subject.slice(subject.indexOf(':') + 1)
  if (subject.startsWith('header:')) return attempt.header(name.toLowerCase())
  if (subject.startsWith('query:')) return facts.query(name)
  return facts.member(name)
}

/** Headers and queries are texts. JSON does not keep how a number is written, so it equals each text that stands for it. */
function isEqual(value: unknown, expected: string | number | boolean): boolean {
  if (typeof expected === 'number') return numberOf(value) === expected
  const isScalar = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
  return isScalar && String(value) === String(expected)
}

/** Compares numbers as numbers and date-times as times; NaN, which is in no range, for anything else. */
function compare(value: unknown, bound: number | string): number {
  if (typeof bound === 'number') return numberOf(value) - bound
  return timeOf(value) - Date.parse(bound)
}

function numberOf(value: unknown): number {
  if (typeof value === 'number') return value
  return typeof value === 'string' && value.trim() !== '' ? Number(value) : Number.NaN
}

/** `Date.parse` accepts nearly anything, even the text "5"; a date-time begins with its date. */
const timeOf = (value: unknown): number =>
  typeof value === 'string' && /^\d{4}-\d\d-\d\dT/.test(value) ? Date.parse(value) : Number.NaN

/** Maximum length of a text that a glob can match; a longer text matches none. */
export const maxGlobTextLength = 4_096
export const maxGlobLength = 200
export const maxGlobStars = 8

/**
 * `*` matches any characters, `?` matches one. The worst case takes time proportional to the product of both lengths,
 * since only the last star is retried. Both lengths are bounded (the glob when a scenario is read), because a comparison
 * blocks all other requests and a body may have a megabyte.
 */
export function matchesGlob(glob: string, text: string): boolean {
  if (text.length > maxGlobTextLength) return false
  let at = 0
  let inText = 0
  let star = -1
  let resumeAt = 0
  while (inText < text.length) {
    if (glob[at] === '*') {
      star = at++
      resumeAt = inText
    } else if (at < glob.length && (glob[at] === '?' || glob[at] === text[inText])) {
      at++
      inText++
    } else if (star >= 0) {
      at = star + 1
      inText = ++resumeAt
    } else return false
  }
  while (glob[at] === '*') at++
  return at === glob.length
}

const terminalStates: ReadonlySet<SendingState> = new Set(['CREATED', 'FAILED', 'INDETERMINATE_FAILURE'])

/** The state of a sending after a step; none in phase `before`, since nothing is processed. */
export function stateOfStep({ state, phase }: Step): SendingState | undefined {
  if (phase === 'before') return undefined
  return state ?? (phase === 'bound' ? 'PENDING' : phase === 'partial' ? 'FAILED' : 'CREATED')
}

/**
 * The states of a sending that an attempt at this point of the steps creates: the rest of the current step, then the later
 * steps up to the first terminal state.
 * @param at the current step, its number of attempts including this one, and when it began
 * @param now milliseconds on the space's clock
 */
export function planFrom(steps: readonly Step[], at: StepProgress, now: number): readonly PlanStep[] {
  const plan: PlanStep[] = []
  for (let index = at.step; index < steps.length; index++) {
    const step = steps[index]!
    const state = stateOfStep(step)
    if (!state) continue
    const isPresent = index === at.step
    const limit = step.times ?? Number.POSITIVE_INFINITY
    const times = isPresent ? limit - at.attempts + 1 : limit
    const lasts = step.for !== undefined && isPresent ? step.for - (now - at.since) : step.for
    const isTerminal = terminalStates.has(state)
    plan.push({
      state,
      ...(step.truth && { truth: step.truth }),
      ...(step.phase === 'partial' && { partial: true as const }),
      ...(!isTerminal && Number.isFinite(times) && { times }),
      ...(!isTerminal && lasts !== undefined && { for: lasts }),
    })
    if (isTerminal) return plan
  }
  const last = plan.at(-1)
  // The rule ends before the sending is final: from then on the sending is undisturbed.
  if (last && (last.times !== undefined || last.for !== undefined)) plan.push({ state: 'CREATED' })
  return plan
}

/** The decision for one attempt: the step that was claimed for it, and the plan of a sending that it creates. */
export interface Decision {
  readonly scenario: string
  /** Why this scenario: `header`, `transactionId`, `test synchronization`, `space` or `one-shot fault`. */
  readonly by: SelectedBy
  /** Index of the rule in the scenario. */
  readonly rule: number
  readonly stepIndex: number
  /** Which attempt of this step this is, from 1. */
  readonly attempt: number
  readonly step: Step
  readonly plan: readonly PlanStep[]
}

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
  readonly #account: Account

  /** @param usesUpSteps whether a step ends for all series of attempts together, not for each of them */
  constructor(rule: Rule, index: number, account: Account, usesUpSteps = false) {
    this.#account = account
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
    if (!before) makeRoomFor(key, this.#progress, maxCountsPerRule, this.#account)
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
    if (state && !terminalStates.has(state)) return planFrom(steps, progress, now)
    this.#plans[step] ??= planFrom(steps, progress, now)
    return this.#plans[step]
  }
}

/** Bytes of a scenario in force with its dials, without what it counts; roughly. */
const scenarioBytes = 3_000

/** A scenario in force, with its progress and hit counts. */
export class ActiveScenario {
  readonly scenario: Scenario
  /** Whether it was in force before the mock was started, or its space opened: then its counts are not all. */
  readonly isContinued: boolean
  readonly #rules: readonly RuleState[]
  readonly #byOperation = new Map<OperationId, readonly RuleState[]>()
  readonly #account: Account

  /** @param account of its own */
  constructor(scenario: Scenario, account: Account, isContinued = false) {
    this.scenario = scenario
    this.isContinued = isContinued
    this.#account = account
    account.add(scenarioBytes)
    this.#rules = scenario.rules.map((rule, index) => new RuleState(rule, index, account))
  }

  end(): void {
    this.#account.close()
  }

  /** Claims a step of the first rule that applies. Nothing is awaited, so simultaneous attempts get different steps. */
  claim(attempt: ScenarioAttempt, by: SelectedBy): Decision | undefined {
    const rules = getOrMake(this.#byOperation, attempt.operation, operation =>
      this.#rules.filter(({ rule }) => appliesTo(rule, operation)),
    )
    for (const rule of rules) {
      const claimed = rule.claim(attempt, this.scenario.name, by)
      if (claimed) return claimed
    }
    return undefined
  }

  hits(): Hits[] {
    return this.#rules.map(rule => rule.hits)
  }

  /** Whether a rule has been applied: a test whose fault never fired proves nothing. */
  get hasApplied(): boolean {
    return this.#rules.some(({ hits }) => hits.hits > 0)
  }
}

const appliesTo = ({ on }: Rule, operation: OperationId) => on === '*' || on.includes(operation)

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

export type OneShotFaultView = Pick<OneShotFault, 'id' | 'rule' | 'hits' | 'left'>

/** Maximum number of used-up faults that are kept; the oldest are forgotten first. */
const maxUsed = 1_000

const maxArmed = 1_000
const tooManyArmed = `${maxArmed} one-shot faults are armed in this space already, which is the most; disarm some, or let them fire, first`

/**
 * The one-shot faults of a space, in the order in which they were armed. Each step applies as often as it says, to any
 * matching request; the steps of one rule follow one another as in a scenario. Used-up faults can still be read.
 */
export class OneShotFaults {
  readonly #live = new Map<string, OneShotFault>()
  readonly #used = new Map<string, OneShotFault>()
  /** The faults of `live` in the same order, by operation. */
  readonly #byOperation = new Map(operationIds.map(id => [id, new Set<OneShotFault>()]))
  #count = 0
  readonly #account: Account
  readonly #now: () => number

  /** @param now the time of the space, in milliseconds */
  constructor(account: Account, now: () => number) {
    this.#account = account
    this.#now = now
  }

  /** Those that can still apply. */
  get live(): ReadonlyMap<string, OneShotFault> {
    for (const shot of this.#live.values()) if (shot.hasEnded(this.#now)) this.#retire(shot)
    return this.#live
  }

  /** @throws Problem 409 when the maximum number is armed: more would make every decision slow */
  arm(given: Rule): OneShotFaultView {
    if (this.live.size >= maxArmed) throw problems.notPossibleHere(tooManyArmed)
    const shot = new OneShotFault(++this.#count, given, this.#account)
    this.#live.set(shot.id, shot)
    for (const id of shot.operations) this.#byOperation.get(id)!.add(shot)
    return shot
  }

  claim(attempt: ScenarioAttempt): Decision | undefined {
    for (const shot of this.#byOperation.get(attempt.operation)!) {
      const decision = shot.claim(attempt, shot.id, 'one-shot fault')
      if (!decision) continue
      if (shot.left === 0) this.#retire(shot)
      return decision
    }
    return undefined
  }

  canApplyBeforeBody(operation: OperationId): boolean {
    for (const { rule } of this.#byOperation.get(operation)!)
      if (canApplyBeforeBody(rule, operation)) return true
    return false
  }

  get(id: string): OneShotFaultView | undefined {
    return this.live.get(id) ?? this.#used.get(id)
  }

  all(): OneShotFaultView[] {
    return [...this.live.values(), ...this.#used.values()].sort((one, other) => one.number - other.number)
  }

  /** @returns whether it was there */
  disarm(id: string): boolean {
    const shot = this.live.get(id)
    if (!shot) return this.#used.delete(id)
    this.#unload(shot)
    return true
  }

  clear(): void {
    this.#live.clear()
    this.#used.clear()
    for (const shots of this.#byOperation.values()) shots.clear()
    this.#account.set(0)
  }

  #unload(shot: OneShotFault): void {
    this.#live.delete(shot.id)
    for (const id of shot.operations) this.#byOperation.get(id)!.delete(shot)
  }

  #retire(shot: OneShotFault): void {
    shot.isRetired = true
    this.#unload(shot)
    this.#used.set(shot.id, shot)
    const [oldest] = this.#used.keys()
    if (this.#used.size > maxUsed) this.#used.delete(oldest!)
  }
}

/** A rule that was armed by a control call and is used up by the requests that it applies to. */
class OneShotFault extends RuleState {
  readonly number: number
  readonly id: string
  isRetired = false

  constructor(number: number, rule: Rule, account: Account) {
    // An attempt with a new key begins at the first step again, which may be used up.
    super(rule, 0, account, true)
    this.number = number
    this.id = `f${number}`
  }

  get operations(): readonly OperationId[] {
    const { on } = this.rule
    return on === '*' ? operationIds : on
  }

  /** How many times it still applies; Infinity while a duration has not ended it. */
  get left(): number {
    if (this.isRetired) return 0
    return this.rule.steps.reduce((sum, { times = Number.POSITIVE_INFINITY }) => sum + times, -this.hits.hits)
  }
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
