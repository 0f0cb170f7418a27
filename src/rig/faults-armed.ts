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

/** The one-shot faults of a space, in the order in which they were armed. Those that are used up stay to be read. */
export class ArmedFaults {
  readonly #armed = new Map<string, { play: Play; rule: Rule }>()
  #count = 0

  arm(given: Rule): ArmedFault {
    const id = `f${++this.#count}`
    const rule = { ...given, steps: given.steps.map(once) }
    this.#armed.set(id, { rule, play: new Play(alone(id, rule)) })
    return this.get(id)!
  }

  claim(attempt: Attempt): Decision | undefined {
    for (const { play } of this.#armed.values()) {
      const decision = play.claim(attempt, 'one-shot fault')
      if (decision) return decision
    }
    return undefined
  }

  strikesEarly(operation: Attempt['operation'], isEarly: (step: Step) => boolean): boolean {
    return [...this.#armed.values()].some(({ play }) => play.strikesEarly(operation, isEarly))
  }

  get(id: string): ArmedFault | undefined {
    const armed = this.#armed.get(id)
    if (!armed) return undefined
    const { rule, play } = armed
    const hits = play.hits()[0]!
    const strikes = rule.steps.reduce((sum, _, index) => sum + limitOf(rule.steps, index), 0)
    return { id, rule, hits, left: strikes - hits.hits }
  }

  all(): ArmedFault[] {
    return [...this.#armed.keys()].map(id => this.get(id)!)
  }

  /** @returns whether it was there */
  disarm(id: string): boolean {
    return this.#armed.delete(id)
  }

  clear(): void {
    this.#armed.clear()
  }

  get isEmpty(): boolean {
    return this.#armed.size === 0
  }
}

/** A step of a one-shot fault lasts for one attempt where nothing else is said. */
const once = (step: Step): Step =>
  step.times === undefined && step.for === undefined ? { ...step, times: 1 } : step

const alone = (id: string, rule: Rule): Scenario => ({
  name: id,
  source: 'one-shot fault',
  description: 'A fault armed by a control call',
  rules: [rule],
  expect: undefined,
  tags: [],
  dials: {},
})
