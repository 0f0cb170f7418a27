import type { StepProgress } from '../../service/steps.ts'
import type { PlanStep, SendingState } from '../../store/rows.ts'
import type { Step } from './scenario.ts'

/** Whether a sending never leaves this state. */
export const isFinal = (state: SendingState): boolean => state !== 'PENDING'

/** The state of a sending after a step; none in phase `before`, since nothing is processed. */
export function stateOfStep({ state, phase }: Step): SendingState | undefined {
  if (phase === 'before') return undefined
  return state ?? (phase === 'bound' ? 'PENDING' : phase === 'partial' ? 'FAILED' : 'CREATED')
}

/**
 * The states of a sending that an attempt at this point of the steps creates: the rest of the current step, then the later
 * steps up to the first final state.
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
    const isLast = isFinal(state)
    plan.push({
      state,
      ...(step.truth && { truth: step.truth }),
      ...(step.phase === 'partial' && { partial: true as const }),
      ...(!isLast && Number.isFinite(times) && { times }),
      ...(!isLast && lasts !== undefined && { for: lasts }),
    })
    if (isLast) return plan
  }
  const last = plan.at(-1)
  // The rule ends before the sending is final: from then on the sending is undisturbed.
  if (last && (last.times !== undefined || last.for !== undefined)) plan.push({ state: 'CREATED' })
  return plan
}
