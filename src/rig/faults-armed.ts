import { type OperationId, operationIds } from '../service/operations.ts'
import { problems } from '../service/problem.ts'
import type { Attempt } from './attempt.ts'
import { limitOf } from './plan.ts'
import { type Decision, type Hits, Play } from './play.ts'
import type { Rule, Scenario, Step } from './scenarios/scenario.ts'

/** A rule that was armed by a control call and is used up by the requests that it strikes. */
export interface ArmedFault {
  readonly id: string
  readonly rule: Rule
  readonly hits: Hits
  /** How many strikes are left; Infinity where a duration ends it. */
  readonly left: number
}

/** So many that are used up stay to be read; beyond them the oldest are forgotten. */
const usedKept = 1_000

/** So many may wait for their requests at once. */
const mostArmed = 1_000
const tooMany = `${mostArmed} one-shot faults are armed in this space already, which is the most; disarm some, or let them strike, first`

/**
 * The one-shot faults of a space, in the order in which they were armed. Each step strikes as often as it says, whoever
 * comes; the steps of one rule follow one another as in a scenario. Those that are used up stay to be read.
 */
export class ArmedFaults {
  readonly #live = new Map<string, OneShot>()
  readonly #used = new Map<string, OneShot>()
  /** Those of `#live`, in their order: a request asks only those that are about its operation. */
  readonly #byOperation = new Map(operationIds.map(id => [id, new Set<OneShot>()]))
  #count = 0

  /** @throws Problem 409 when so many are armed that deciding would become slow */
  arm(given: Rule): ArmedFault {
    if (this.#live.size >= mostArmed) throw problems.notPossibleHere(tooMany)
    const shot = new OneShot(++this.#count, given)
    this.#live.set(shot.id, shot)
    for (const id of shot.operations) this.#byOperation.get(id)!.add(shot)
    return shot.shown()
  }

  claim(attempt: Attempt): Decision | undefined {
    for (const shot of this.#byOperation.get(attempt.operation)!) {
      const decision = shot.claim(attempt)
      if (!decision) continue
      if (shot.left === 0) this.#retire(shot)
      return decision
    }
    return undefined
  }

  strikesEarly(operation: Attempt['operation'], isEarly: (step: Step) => boolean): boolean {
    for (const { rule } of this.#byOperation.get(operation)!) if (rule.steps.some(isEarly)) return true
    return false
  }

  get(id: string): ArmedFault | undefined {
    return (this.#live.get(id) ?? this.#used.get(id))?.shown()
  }

  all(): ArmedFault[] {
    return [...this.#live.values(), ...this.#used.values()]
      .sort((one, other) => one.number - other.number)
      .map(shot => shot.shown())
  }

  /** @returns whether it was there */
  disarm(id: string): boolean {
    const shot = this.#live.get(id)
    if (!shot) return this.#used.delete(id)
    this.#unload(shot)
    return true
  }

  clear(): void {
    this.#live.clear()
    this.#used.clear()
    for (const shots of this.#byOperation.values()) shots.clear()
  }

  /** Whether there is none that could still strike. */
  get isEmpty(): boolean {
    return this.#live.size === 0
  }

  #unload(shot: OneShot): void {
    this.#live.delete(shot.id)
    for (const id of shot.operations) this.#byOperation.get(id)!.delete(shot)
  }

  #retire(shot: OneShot): void {
    this.#unload(shot)
    this.#used.set(shot.id, shot)
    if (this.#used.size <= usedKept) return
    const [oldest] = this.#used.keys()
    this.#used.delete(oldest!)
  }
}

class OneShot {
  readonly number: number
  readonly id: string
  readonly rule: Rule
  readonly play: Play

  constructor(number: number, given: Rule) {
    this.number = number
    this.id = `f${number}`
    this.rule = { ...given, steps: given.steps.map(once) }
    this.play = new Play(alone(this.id, this.rule))
  }

  get operations(): readonly OperationId[] {
    const { on } = this.rule
    return on === '*' ? operationIds : on
  }

  /** Other attempts than those that its first step struck begin with that step again, but it may be used up. */
  claim(attempt: Attempt): Decision | undefined {
    const { steps } = this.hits
    const canStrike = (step: Step) => {
      const index = this.rule.steps.indexOf(step)
      return steps[index]! < limitOf(this.rule.steps, index) && attempt.canStrike(step)
    }
    return this.play.claim({ ...attempt, canStrike }, 'one-shot fault')
  }

  get hits(): Hits {
    return this.play.hits()[0]!
  }

  get left(): number {
    const { steps } = this.rule
    const strikes = steps.reduce((sum, _, index) => sum + limitOf(steps, index), 0)
    return strikes - this.hits.hits
  }

  shown(): ArmedFault {
    const { id, rule, hits, left } = this
    return { id, rule, hits, left }
  }
}

/**
 * Whether a rule could strike and nobody would see it: every step gives the true answer, at once. A state counts as
 * something even if it is the usual one, since it spares the request a scenario behind this rule.
 */
export const changesNothing = ({ steps }: Rule): boolean =>
  steps.every(
    ({ phase, answer, state, delay, deliver, hold }) =>
      phase === 'after' && !answer && !state && !delay && !deliver && !hold,
  )

/** A step of a one-shot fault lasts for one attempt where nothing else is said. */
const once = (step: Step): Step =>
  step.times === undefined && step.for === undefined ? { ...step, times: 1 } : { ...step }

const alone = (id: string, rule: Rule): Scenario => ({
  name: id,
  source: 'one-shot fault',
  description: 'A fault armed by a control call',
  rules: [rule],
  expect: undefined,
  tags: [],
  dials: {},
  definition: { rules: [rule.written] },
})
