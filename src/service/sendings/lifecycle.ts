import type { PlanStep, PlatformMailing, PlatformSending, Sending, SendingState } from '../../store/rows.ts'
import type { Changes } from '../../store/space-data.ts'
import type { Space } from '../../store/spaces.ts'
import { platformMailing, platformSending } from '../platform.ts'
import { instant, later } from '../time.ts'

/**
 * A sending stores its plan, the states to pass through, and where in it the last attempt left it. What it shows is
 * derived from that and the clock: no timer owns the truth, and a restart changes nothing. Spec section 3.
 */

/** Undisturbed: sent or scheduled at once (spec 3). */
export const undisturbed: readonly PlanStep[] = [{ state: 'CREATED' }]

/** What the platform really does in this step. CREATED means sent; anything else is not, unless the plan says so. */
export const isSent = (step: PlanStep): boolean =>
  (step.truth ?? (step.state === 'CREATED' ? 'sent' : 'not-sent')) === 'sent'

type Standing = Pick<Sending, 'step' | 'stepSince' | 'stepAttempts'>

/** The steps that the clock has reached since the last attempt, the present one last. */
function reached(sending: Sending, now: number): Standing[] {
  const standings: Standing[] = [sending]
  for (let { step, stepSince } = sending; step < sending.plan.length - 1; ) {
    const lasts = sending.plan[step]!.for
    const end = lasts === undefined ? Number.POSITIVE_INFINITY : Date.parse(stepSince) + lasts
    if (end > now) break
    step++
    stepSince = instant(end)
    standings.push({ step, stepSince, stepAttempts: 0 })
  }
  return standings
}

const present = (sending: Sending, now: number): Standing => reached(sending, now).at(-1)!

/** The state that the sending shows now. @param now milliseconds since 1970 */
export function stateOf(sending: Sending, now: number): SendingState {
  // Nearly every sending: nothing to derive.
  if (sending.step === sending.plan.length - 1) return sending.plan[sending.step]!.state
  return sending.plan[present(sending, now).step]!.state
}

/** The sending after one more attempt with its transaction ID. The same object when that changes nothing. */
export function attempted(sending: Sending, now: number): Sending {
  const standing = present(sending, now)
  const { times } = sending.plan[standing.step]!
  const isLast = standing.step === sending.plan.length - 1
  if (isLast && standing.step === sending.step) return sending
  if (!isLast && times !== undefined && standing.stepAttempts >= times)
    return { ...sending, step: standing.step + 1, stepSince: instant(now), stepAttempts: 1 }
  const { step, stepSince, stepAttempts } = standing
  return { ...sending, step, stepSince, stepAttempts: stepAttempts + 1 }
}

/** What must be put on record because the plan has come to a step in which the platform sends. */
export interface Settled {
  readonly sending: Sending
  readonly effect: { readonly mailing: PlatformMailing; readonly sending: PlatformSending } | undefined
}

/**
 * Brings the platform up to what the plan says has happened by now, at the time at which it happened.
 * Spec 4.1/2: a mailing with all content of the approved version, approved, and sent or scheduled.
 */
export function settled(space: Space, sending: Sending, now: number): Settled {
  if (sending.platformSendingId !== null) return { sending, effect: undefined }
  for (const standing of reached(sending, now))
    if (isSent(sending.plan[standing.step]!)) return sent(space, sending, standing.stepSince)
  return { sending, effect: undefined }
}

/** The sending once the platform has sent it. @param at when that was */
function sent(space: Space, sending: Sending, at: string): Settled {
  const { tables } = space.data
  const { cause, name, subject } = sending
  const synchronization = tables.synchronizations.get(sending.synchronizationId)!
  const content = tables.mailings.get(synchronization.mailingId)!.approved!
  const order = { origin: 'sending', content, name, subject, now: at, approvedAt: at, cause } as const
  const mailing = platformMailing(space, synchronization, order)
  const startsAt = later(sending.scheduleDate ?? at, at)
  const effect = { mailing, sending: platformSending(space, { mailing, startsAt, now: at, cause }) }
  return {
    sending: { ...sending, platformMailingId: mailing.id, platformSendingId: effect.sending.id },
    effect,
  }
}

/** The rows that a settled sending puts. */
export const settledRows = ({ sending, effect }: Settled): Changes =>
  effect
    ? { sendings: [sending], platformMailings: [effect.mailing], platformSendings: [effect.sending] }
    : { sendings: [sending] }
