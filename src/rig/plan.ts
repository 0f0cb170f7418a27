import type { PlanStep, SendingState } from '../store/rows.ts'
import type { Step } from './scenarios/scenario.ts'

const terminal: ReadonlySet<SendingState> = new Set(['CREATED', 'FAILED', 'INDETERMINATE_FAILURE'])

/** The state that a step leaves a sending in; phase `before` leaves none, since nothing is processed. */
export function stateOfStep({ state, phase }: Step): SendingState | undefined {
  if (phase === 'before') return undefined
  return state ?? (phase === 'bound' ? 'PENDING' : phase === 'partial' ? 'FAILED' : 'CREATED')
}

/**
 * The states that a sending passes through when an attempt at this point of the steps creates it: what is left of the
 * present step, then the later ones up to the first terminal state.
 * @param at the present step, how many attempts it has had, this one included, and when it began
 * @param now milliseconds on the space's clock
 */
export function planFrom(
  steps: readonly Step[],
  at: { readonly step: number; readonly attempts: number; readonly since: number },
  now: number,
): readonly PlanStep[] {
  const plan: PlanStep[] = []
  for (let index = at.step; index < steps.length; index++) {
    const step = steps[index]!
    const state = stateOfStep(step)
    if (!state) continue
    const isPresent = index === at.step
    const limit = limitOf(steps, index)
    const times = isPresent ? limit - at.attempts + 1 : limit
    const lasts = step.for !== undefined && isPresent ? step.for - (now - at.since) : step.for
    const isTerminal = terminal.has(state)
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
  // The rule comes to its end before the sending does: from then on it is undisturbed.
  if (last && (last.times !== undefined || last.for !== undefined)) plan.push({ state: 'CREATED' })
  return plan
}

/** Whether the plan from this step on is the same whenever it is reached: how much of it is left means nothing then. */
export function followsFromStep(step: Step): boolean {
  const state = stateOfStep(step)
  return state === undefined || terminal.has(state)
}

/** For how many attempts a step lasts. */
export function limitOf(steps: readonly Step[], index: number): number {
  const { times, for: lasts } = steps[index]!
  if (times !== undefined) return times
  return lasts === undefined && index < steps.length - 1 ? 1 : Number.POSITIVE_INFINITY
}
