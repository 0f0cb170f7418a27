import type {
  PlanStep,
  PlatformMailing,
  PlatformSending,
  Sending,
  SendingState,
  Synchronization,
} from '../../store/rows.ts'
import type { Space } from '../../store/space.ts'
import type { Changes } from '../../store/space-data.ts'
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

/** What must be put on record because the plan has come to another step, or something has happened on the platform. */
export interface Settled {
  readonly sending: Sending
  readonly effect: Effect
}

/** Made on the platform: a mailing, and its sending unless the work stopped between the two. */
interface Effect {
  readonly mailing?: PlatformMailing
  readonly sending?: PlatformSending
}

const nothing: Effect = {}

/**
 * Brings the platform up to what the plan says has happened by now, at the time at which it happened, and the sending to
 * the step that it shows: what was told once stays so, even if the clock is set back.
 * Spec 4.1/2: a mailing with all content of the approved version, approved, and sent or scheduled.
 */
export function settled(space: Space, sending: Sending, now: number): Settled {
  // Nearly every sending: nothing is to come.
  if (sending.platformSendingId !== null && sending.step === sending.plan.length - 1)
    return { sending, effect: nothing }
  const standings = reached(sending, now)
  const after = brought(space, sending, standings)
  if (standings.length === 1) return after
  const { step, stepSince, stepAttempts } = standings.at(-1)!
  return { ...after, sending: { ...after.sending, step, stepSince, stepAttempts } }
}

/** What has happened on the platform on the way through these standings. */
function brought(space: Space, sending: Sending, standings: readonly Standing[]): Settled {
  if (sending.platformSendingId !== null) return { sending, effect: nothing }
  let orphan: PlatformMailing | undefined
  for (const standing of standings) {
    const step = sending.plan[standing.step]!
    if (isSent(step)) return sent(space, sending, standing.stepSince, orphan)
    if (step.partial && sending.platformMailingId === null)
      orphan ??= mailingOf(space, sending, standing.stepSince)
  }
  if (!orphan) return { sending, effect: nothing }
  return { sending: { ...sending, platformMailingId: orphan.id }, effect: { mailing: orphan } }
}

/** The mailing that a sending makes on the platform. @param at when that is */
function mailingOf(space: Space, sending: Sending, at: string, approvedAt?: string): PlatformMailing {
  const { tables } = space.data
  const { cause, name, subject } = sending
  const synchronization = tables.synchronizations.get(sending.synchronizationId)!
  const content = tables.mailings.get(synchronization.mailingId)!.approved!
  return platformMailing(space, synchronization, {
    origin: 'sending',
    content,
    name,
    subject,
    now: at,
    cause,
    approvedAt,
  })
}

/**
 * The sending once the platform has sent it.
 * @param at when that was
 * @param orphan the mailing that an earlier step made in the same breath
 */
function sent(space: Space, sending: Sending, at: string, orphan: PlatformMailing | undefined): Settled {
  const { platformMailings } = space.data.tables
  const made =
    orphan ??
    (sending.platformMailingId === null ? undefined : platformMailings.get(sending.platformMailingId))
  const mailing = made ? { ...made, approvedAt: at } : mailingOf(space, sending, at, at)
  const startsAt = later(sending.scheduleDate ?? at, at)
  const onPlatform = platformSending(space, { mailing, startsAt, now: at, cause: sending.cause })
  return {
    sending: onPlatformAs(sending, mailing.id, onPlatform.id),
    effect: { mailing, sending: onPlatform },
  }
}

/** Member by member: a copy made by spreading has a shape of its own, and is many times as dear. */
const onPlatformAs = (sending: Sending, platformMailingId: number, platformSendingId: number): Sending => ({
  id: sending.id,
  synchronizationId: sending.synchronizationId,
  creationDate: sending.creationDate,
  scheduleDate: sending.scheduleDate,
  transactionId: sending.transactionId,
  name: sending.name,
  subject: sending.subject,
  plan: sending.plan,
  step: sending.step,
  stepSince: sending.stepSince,
  stepAttempts: sending.stepAttempts,
  platformMailingId,
  platformSendingId,
  cause: sending.cause,
})

/**
 * The rows that a settled sending puts.
 * @param synchronization its synchronization, where that changes with it
 */
export function settledRows({ sending, effect }: Settled, synchronization?: Synchronization): Changes {
  const rows: { -readonly [Name in keyof Changes]: Changes[Name] } = { sendings: [sending] }
  if (effect.mailing) rows.platformMailings = [effect.mailing]
  if (effect.sending) rows.platformSendings = [effect.sending]
  if (synchronization) rows.synchronizations = [synchronization]
  return rows
}

/**
 * Puts on record what the clock alone has brought about, in the order in which it happened: the platform goes on
 * whether or not anybody looks.
 * @param now milliseconds since 1970
 */
export async function settleDue(space: Space, now: number): Promise<void> {
  const { tables } = space.data
  const moved: { id: string; since: string }[] = []
  for (const id of tables.unfinished) {
    const sending = tables.sendings.get(id)!
    const { step, stepSince } = present(sending, now)
    if (step !== sending.step) moved.push({ id, since: sentSince(sending, now) ?? stepSince })
  }
  moved.sort((a, b) => (a.since < b.since ? -1 : a.since > b.since ? 1 : 0))
  for (const { id } of moved)
    await space.data.save(settledRows(settled(space, tables.sendings.get(id)!, now)))
}

/** When the clock alone has brought the sending to a step in which the platform sends. */
const sentSince = (sending: Sending, now: number): string | undefined =>
  reached(sending, now).find(({ step }) => isSent(sending.plan[step]!))?.stepSince
