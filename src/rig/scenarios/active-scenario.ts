import type { OperationId } from '../../service/operations.ts'
import { getOrMake } from '../../store/maps.ts'
import { type MemoryShare, weighDefinition } from '../../store/memory-budget.ts'
import type { ScenarioAttempt } from '../request-facts.ts'
import { appliesTo, type Hits, RuleState } from './rule-state.ts'
import type { Decision, Scenario } from './scenario.ts'
import type { SelectedBy } from './terms.ts'

/** Bytes of a scenario in force with its dials, without what it counts; roughly. */
const scenarioBytes = 3_000

/** A scenario in force, with its progress and hit counts. */
export class ActiveScenario {
  readonly scenario: Scenario
  /** Whether it was in force before the mock was started, or its space opened: then its counts are not all. */
  readonly isContinued: boolean
  readonly #rules: readonly RuleState[]
  readonly #byOperation = new Map<OperationId, readonly RuleState[]>()
  readonly #memory: MemoryShare

  /** @param memory of its own @param isOwn whether its definition is nowhere else, as when a control call gave it */
  constructor(scenario: Scenario, memory: MemoryShare, isContinued = false, isOwn = false) {
    this.scenario = scenario
    this.isContinued = isContinued
    this.#memory = memory
    memory.add(scenarioBytes + (isOwn ? weighDefinition(scenario.definition) : 0))
    this.#rules = scenario.rules.map((rule, index) => new RuleState(rule, index, memory))
  }

  end(): void {
    this.#memory.close()
  }

  /** Claims a step of the first rule that applies. Nothing is awaited, so simultaneous attempts get different steps. */
  claim(attempt: ScenarioAttempt, by: SelectedBy): Decision | undefined {
    const rules = getOrMake(this.#byOperation, attempt.operation, operation =>
      this.#rules.filter(({ rule }) => appliesTo(rule, operation)),
    )
    for (const rule of rules) {
      const decision = rule.claim(attempt, this.scenario.name, by)
      if (decision) return decision
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
