import { type OperationId, operationIds } from '../../service/operations.ts'
import { problems } from '../../service/problem.ts'
import { type MemoryShare, weighDefinition } from '../../store/memory-budget.ts'
import type { ScenarioAttempt } from '../request-facts.ts'
import { canApplyBeforeBody, RuleState } from './rule-state.ts'
import type { Decision, Rule } from './scenario.ts'

export type OneShotFaultView = Pick<OneShotFault, 'id' | 'rule' | 'hits' | 'left'>

/** Maximum number of used-up faults that are kept; the oldest are forgotten first. */
const maxUsed = 1_000

const maxArmed = 1_000
const tooManyArmed = `${maxArmed} one-shot faults are armed in this space already, and no more are allowed; disarm some, or let them fire, first`

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
  readonly #memory: MemoryShare
  readonly #now: () => number
  readonly #onChange: () => void

  /** @param now the time of the space, in milliseconds @param onChange called when a fault is armed or removed */
  constructor(memory: MemoryShare, now: () => number, onChange: () => void) {
    this.#memory = memory
    this.#now = now
    this.#onChange = onChange
  }

  /** Those that can still apply. */
  get live(): ReadonlyMap<string, OneShotFault> {
    for (const shot of this.#live.values()) if (shot.hasEnded(this.#now)) this.#retire(shot)
    return this.#live
  }

  /**
   * @throws Problem 409 when the maximum number is armed: more would make every decision slow; MemoryFullError when there is no room
   * for its definition
   */
  arm(rule: Rule): OneShotFaultView {
    if (this.live.size >= maxArmed) throw problems.notPossibleHere(tooManyArmed)
    const bytes = weighDefinition(rule.written)
    this.#memory.demand(bytes)
    this.#memory.add(bytes)
    const shot = new OneShotFault(++this.#count, rule, this.#memory, bytes)
    this.#live.set(shot.id, shot)
    for (const id of shot.operations) this.#byOperation.get(id)!.add(shot)
    this.#onChange()
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
    const shot = this.live.get(id) ?? this.#used.get(id)
    if (!shot) return false
    this.#unload(shot)
    this.#forget(shot)
    this.#onChange()
    return true
  }

  clear(): void {
    this.#live.clear()
    this.#used.clear()
    for (const shots of this.#byOperation.values()) shots.clear()
    this.#memory.set(0)
    this.#onChange()
  }

  #unload(shot: OneShotFault): void {
    this.#live.delete(shot.id)
    for (const id of shot.operations) this.#byOperation.get(id)!.delete(shot)
  }

  #retire(shot: OneShotFault): void {
    shot.isRetired = true
    this.#unload(shot)
    this.#used.set(shot.id, shot)
    const [oldest] = this.#used.values()
    if (this.#used.size > maxUsed) this.#forget(oldest!)
  }

  #forget({ id, bytes }: OneShotFault): void {
    this.#used.delete(id)
    this.#memory.add(-bytes)
  }
}

/** A rule that was armed by a control call and is used up by the requests that it applies to. */
class OneShotFault extends RuleState {
  readonly number: number
  readonly id: string
  /** Of its definition. */
  readonly bytes: number
  isRetired = false

  constructor(number: number, rule: Rule, memory: MemoryShare, bytes: number) {
    // An attempt with a new key begins at the first step again, which may be used up.
    super(rule, 0, memory, true)
    this.number = number
    this.id = `f${number}`
    this.bytes = bytes
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
