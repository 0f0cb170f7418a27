import type { OperationId } from '../../service/operations.ts'
import type { MemoryBudget } from '../../store/memory-budget.ts'
import type { ScenarioAttempt } from '../request-facts.ts'
import { ActiveScenario } from './active-scenario.ts'
import type { OneShotFaults } from './one-shot-faults.ts'
import { canApplyBeforeBody } from './rule-state.ts'
import type { Decision, Scenario, SelectedScenario } from './scenario.ts'
import type { SelectedBy } from './terms.ts'

/** Maximum number of scenarios of a space that requests name themselves. */
export const maxChosenScenarios = 1_000

/** A scenario that requests chose themselves, with its counts. */
export interface ChosenScenario {
  readonly by: SelectedBy
  readonly active: ActiveScenario
}

/**
 * The scenarios of a space: the one in force for all requests, and those that requests or test synchronizations choose.
 * One-shot faults come before both.
 */
export class SpaceScenarios {
  readonly #faults: OneShotFaults
  readonly #budget: MemoryBudget
  readonly #onChange: () => void
  readonly #chosen = new Map<string, ChosenScenario>()
  #active: ActiveScenario | undefined

  /** @param onChange called when another scenario is in force */
  constructor(faults: OneShotFaults, budget: MemoryBudget, onChange: () => void) {
    this.#faults = faults
    this.#budget = budget
    this.#onChange = onChange
  }

  /** The scenario in force for the whole space. */
  get active(): ActiveScenario | undefined {
    return this.#active
  }

  get chosen(): readonly ChosenScenario[] {
    return [...this.#chosen.values()]
  }

  /** The scenario in force, and those that were chosen. */
  get all(): readonly ActiveScenario[] {
    const chosen = this.chosen.map(({ active }) => active)
    return this.#active ? [this.#active, ...chosen] : chosen
  }

  /**
   * Puts a scenario in force for the whole space with counts of zero; undefined removes it. Not stored: see the settings of
   * the space.
   * @param isContinued whether it was in force before, so that its counts are not all
   */
  arm(scenario: Scenario | undefined, isContinued = false): void {
    this.#active?.end()
    this.#active =
      scenario && new ActiveScenario(scenario, this.#budget.share('scenarios'), isContinued, true)
    this.#onChange()
  }

  /** Whether a scenario is in force or a one-shot fault is armed: a request that names no scenario can be disturbed. */
  get isAnyArmed(): boolean {
    return this.#active !== undefined || this.#faults.live.size > 0
  }

  /** Whether a step may apply to this operation before the request's body is read. */
  canApplyBeforeBody(operation: OperationId, selected: SelectedScenario | undefined): boolean {
    if (this.#faults.canApplyBeforeBody(operation)) return true
    const { rules = [] } = selected?.scenario ?? this.#active?.scenario ?? {}
    return rules.some(rule => canApplyBeforeBody(rule, operation))
  }

  /** Claims the step for this attempt; nothing is awaited between the choice and the count. */
  claim(attempt: ScenarioAttempt, selected: SelectedScenario | undefined): Decision | undefined {
    const decision = this.#faults.live.size === 0 ? undefined : this.#faults.claim(attempt)
    if (decision) return decision
    const active = selected ? this.#choose(selected, attempt.facts.synchronizationId) : this.#active
    return active?.claim(attempt, selected?.by ?? 'space')
  }

  end(): void {
    for (const active of this.all) active.end()
  }

  #choose({ scenario, by }: SelectedScenario, synchronizationId: string | undefined): ActiveScenario {
    const key = `${by}\n${by === 'test synchronization' ? synchronizationId : ''}\n${scenario.name}`
    const earlier = this.#chosen.get(key)?.active
    if (earlier?.scenario === scenario) return earlier
    earlier?.end()
    if (this.#chosen.size >= maxChosenScenarios) {
      for (const { active } of this.#chosen.values()) active.end()
      this.#chosen.clear()
    }
    const active = new ActiveScenario(scenario, this.#budget.share('scenarios'))
    this.#chosen.set(key, { by, active })
    return active
  }
}
