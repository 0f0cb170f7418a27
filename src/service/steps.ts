/**
 * The one machine for steps. A rule of a scenario and the plan of a sending are both a list of steps that end by attempts
 * or by time, so that answers and truth move on together.
 */

/** When a step ends. A missing limit does not end it. */
export interface StepLimits {
  readonly times?: number | undefined
  /** Milliseconds of the space's clock. */
  readonly for?: number | undefined
}

/** A position in a list of steps. */
export interface StepProgress {
  readonly step: number
  readonly attempts: number
  /** When the step began, in milliseconds since 1970. */
  readonly since: number
}

/** Whether the limits of the last step count: the last state of a sending stays, the last step of a rule stops. */
export type LastStep = 'stays' | 'stops'

/** The steps that time alone has reached since `from`, the present one last. Empty if the last step has ended. */
export function reachedSteps(
  steps: readonly StepLimits[],
  from: StepProgress,
  now: number,
  last: LastStep,
): StepProgress[] {
  const reached = [from]
  for (let at = from; ; ) {
    const isLast = at.step === steps.length - 1
    const lasts = isLast && last === 'stays' ? undefined : steps[at.step]!.for
    if (lasts === undefined || at.since + lasts > now) return reached
    if (isLast) return []
    at = { step: at.step + 1, attempts: 0, since: at.since + lasts }
    reached.push(at)
  }
}

/** The position after one more attempt. Undefined if the last step has ended. */
export function countStepAttempt(
  steps: readonly StepLimits[],
  from: StepProgress,
  now: number,
  last: LastStep,
): StepProgress | undefined {
  const present = reachedSteps(steps, from, now, last).at(-1)
  if (!present) return undefined
  const { step, attempts, since } = present
  const isLast = step === steps.length - 1
  const isOver = attempts >= (steps[step]!.times ?? Number.POSITIVE_INFINITY)
  if (isOver && !isLast) return { step: step + 1, attempts: 1, since: now }
  if (isOver && last === 'stops') return undefined
  return { step, attempts: attempts + 1, since }
}
