import type { Attempt } from './attempt.ts'
import { limitOf } from './plan.ts'
import { type Decision, type Hits, Play, strikesEarly } from './play.ts'
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

/**
 * The one-shot faults of a space, in the order in which they were armed. Each step strikes as often as it says, whoever
 * comes; the steps of one rule follow one another as in a scenario. Those that are used up stay to be read.
 */
export class ArmedFaults {
  readonly #live = new Map<string, OneShot>()
  readonly #used = new Map<string, OneShot>()
  #count = 0

  arm(given: Rule): ArmedFault {
    const shot = new OneShot(++this.#count, given)
    this.#live.set(shot.id, shot)
    return shot.shown()
  }

  claim(attempt: Attempt): Decision | undefined {
    for (const shot of this.#live.values()) {
      const decision = shot.claim(attempt)
      if (!decision) continue
      if (shot.left === 0) this.#retire(shot)
      return decision
    }
    return undefined
  }

  strikesEarly(operation: Attempt['operation'], isEarly: (step: Step) => boolean): boolean {
    return strikesEarly({ rules: [...this.#live.values()].map(({ rule }) => rule) }, operation, isEarly)
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
    return this.#live.delete(id) || this.#used.delete(id)
  }

  clear(): void {
    this.#live.clear()
    this.#used.clear()
  }

  /** Whether there is none that could still strike. */
  get isEmpty(): boolean {
    return this.#live.size === 0
  }

  #retire(shot: OneShot): void {
    this.#live.delete(shot.id)
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
