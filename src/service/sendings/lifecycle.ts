import { statusOfSending } from '../../store/platform-status.ts'
import type {
  PlanStep,
  PlatformMailing,
  PlatformSending,
  Sending,
  SendingState,
  Synchronization,
} from '../../store/rows.ts'
import type { Changes, ReadableSpace, Space } from '../../store/space-data.ts'
import type { DialValues } from '../dials.ts'
import { makePlatformMailing, makePlatformSending } from '../platform.ts'
import { formatDateTime, laterOf } from '../response.ts'
import { countStepAttempt, reachedSteps, type StepProgress } from '../steps.ts'

/**
 * A sending stores its plan (the states to pass through) and its position after the last attempt. Its present state is
 * derived from that and the clock. So there are no timers, and a restart changes nothing. Spec section 3.
 */

/** The plan without a scenario: sent or scheduled at once (spec 3). */
export const undisturbedPlan: readonly PlanStep[] = [{ state: 'CREATED' }]

/**
 * Whether the platform gets a sending in this step, which may be stopped before it goes out. It does with CREATED, with
 * other states not, unless the plan says so.
 */
export const sendsInStep = ({ state, truth }: PlanStep): boolean =>
  truth === undefined ? state === 'CREATED' : truth !== 'not-sent'

const storedProgress = ({ step, stepAttempts, stepSince }: Sending): StepProgress => ({
  step,
  attempts: stepAttempts,
  since: Date.parse(stepSince),
})

const withProgress = (sending: Sending, { step, attempts, since }: StepProgress): Sending => ({
  ...sending,
  step,
  stepSince: formatDateTime(since),
  stepAttempts: attempts,
})

/** The positions that the clock has passed since the last attempt. The present one is last. */
const positionsUntil = (sending: Sending, now: number): StepProgress[] =>
  reachedSteps(sending.plan, storedProgress(sending), now, 'stays')

/** The state of the sending now. @param now milliseconds since 1970 */
export function stateOf(sending: Sending, now: number): SendingState {
  // The usual case: nothing to derive.
  if (sending.step === sending.plan.length - 1) return sending.plan[sending.step]!.state
  return sending.plan[positionsUntil(sending, now).at(-1)!.step]!.state
}

/**
 * The sending as its clients know it. Until it is CREATED or FAILED, nothing of it shows on the platform, whatever was
 * sent: the answers must not tell what INDETERMINATE_FAILURE leaves open (spec 3).
 */
export const toKnownSending = (sending: Sending, state: SendingState, dials: DialValues): Sending =>
  state === 'CREATED' ||
  state === 'FAILED' ||
  sending.platformMailingId === null ||
  dials['target-of-indeterminate'] === 'as-is'
    ? sending
    : { ...sending, platformMailingId: null, platformSendingId: null }

/**
 * Counts one more attempt with the sending's transaction ID.
 * @returns the same sending if that changes nothing, and whether this attempt, and not the clock, moved it to its step
 */
export function countAttempt(sending: Sending, now: number): { sending: Sending; isNewStep: boolean } {
  const { plan } = sending
  // Attempts in the last step are not counted: there is nothing to save for them.
  if (sending.step === plan.length - 1) return { sending, isNewStep: false }
  const from = storedProgress(sending)
  const after = countStepAttempt(plan, from, now, 'stays')!
  const isNewStep = after.step !== reachedSteps(plan, from, now, 'stays').at(-1)!.step
  return { sending: withProgress(sending, after), isNewStep }
}

/** What has to be saved because the plan has reached another step, or something has happened on the platform. */
export interface AdvancedSending {
  readonly sending: Sending
  readonly effect: Effect
}

/** Made on the platform: a mailing, and its sending unless the work stopped between the two. */
interface Effect {
  readonly mailing?: PlatformMailing
  readonly sending?: PlatformSending
}

const noEffect: Effect = {}

/**
 * Advances the platform to what has happened by now according to the plan, at the time at which it happened,
 * and the sending to its present step. A state that was shown stays, even if the clock is set back. Spec
 * 4.1/2: a mailing with all content of the approved version, approved, and sent or scheduled.
 * @param broughtBy the attempt that moved the sending to the step in which it is stored, if one did
 */
export function advanceSending(
  space: Space,
  sending: Sending,
  now: number,
  broughtBy?: string,
): AdvancedSending {
  // The usual case: nothing is left to do.
  if (sending.platformSendingId !== null && sending.step === sending.plan.length - 1)
    return { sending, effect: noEffect }
  const positions = positionsUntil(sending, now)
  const after = advancePlatform(space, sending, positions, broughtBy)
  if (positions.length === 1) return after
  return { ...after, sending: withProgress(after.sending, positions.at(-1)!) }
}

function advancePlatform(
  space: Space,
  sending: Sending,
  positions: readonly StepProgress[],
  broughtBy: string | undefined,
): AdvancedSending {
  if (sending.platformSendingId !== null) return { sending, effect: noEffect }
  let orphan: PlatformMailing | undefined
  for (const position of positions) {
    const step = sending.plan[position.step]!
    const at = position === positions[0] ? sending.stepSince : formatDateTime(position.since)
    if (sendsInStep(step)) {
      const by = position === positions[0] ? broughtBy : undefined
      return sendOnPlatform(space, sending, { at, by, truth: step.truth }, orphan)
    }
    if (step.partial && sending.platformMailingId === null) orphan ??= makeMailing(space, sending, at)
  }
  if (!orphan) return { sending, effect: noEffect }
  return { sending: { ...sending, platformMailingId: orphan.id }, effect: { mailing: orphan } }
}

/** The mailing that a sending makes on the platform. @param at when it is made */
function makeMailing(space: Space, sending: Sending, at: string, approvedAt?: string): PlatformMailing {
  const { tables } = space.data
  const { cause, name, subject } = sending
  const synchronization = tables.synchronizations.get(sending.synchronizationId)!
  const content = tables.mailings.get(synchronization.mailingId)!.approved!
  return makePlatformMailing(space, synchronization, {
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
 * The sending after the platform has sent it.
 * @param moment when it was sent, the later attempt that brought it about, if one did, and what becomes of it
 * @param orphan the mailing that an earlier step of the same call made
 */
function sendOnPlatform(
  space: Space,
  sending: Sending,
  {
    at,
    by,
    truth,
  }: { readonly at: string; readonly by: string | undefined; readonly truth: PlanStep['truth'] },
  orphan: PlatformMailing | undefined,
): AdvancedSending {
  const { platformMailings } = space.data.tables
  const made =
    orphan ??
    (sending.platformMailingId === null ? undefined : platformMailings.get(sending.platformMailingId))
  const mailing = made ? { ...made, approvedAt: at } : makeMailing(space, sending, at, at)
  const startsAt = laterOf(sending.scheduleDate ?? at, at)
  const { cause } = sending
  const stoppedAt = truth === 'stopped' ? at : truth === 'never-starts' ? startsAt : undefined
  const onPlatform = makePlatformSending(space, {
    mailing,
    startsAt,
    stoppedAt,
    now: at,
    cause,
    broughtBy: by,
  })
  return {
    sending: { ...sending, platformMailingId: mailing.id, platformSendingId: onPlatform.id },
    effect: { mailing, sending: onPlatform },
  }
}

/** The rows to save. @param synchronization its synchronization, if that changes as well */
export function changedRows(
  { sending, effect }: AdvancedSending,
  synchronization?: Synchronization,
): Changes {
  const rows: { -readonly [Name in keyof Changes]: Changes[Name] } = { sendings: [sending] }
  if (effect.mailing) rows.platformMailings = [effect.mailing]
  if (effect.sending) rows.platformSendings = [effect.sending]
  if (synchronization) rows.synchronizations = [synchronization]
  return rows
}

/**
 * Saves what has happened by the clock alone, in the order in which it happened. The platform goes on even if
 * no request arrives.
 * @param now milliseconds since 1970
 */
export function advanceDueSendings(space: Space, now: number): void {
  const { tables } = space.data
  const moved: { id: string; since: number }[] = []
  for (const id of tables.unfinished) {
    const sending = tables.sendings.get(id)!
    const positions = positionsUntil(sending, now)
    if (positions.length === 1) continue
    const sent = positions.find(({ step }) => sendsInStep(sending.plan[step]!))
    moved.push({ id, since: (sent ?? positions.at(-1)!).since })
  }
  moved.sort((one, other) => one.since - other.since)
  for (const { id } of moved)
    space.data.save(changedRows(advanceSending(space, tables.sendings.get(id)!, now)))
}

/**
 * What time alone will bring, in no order: when (in milliseconds since 1970, on the space's clock), the state that the sending
 * gets (undefined where it starts), and whether the mailing is sent then. Only rows that changed since the beginning: the
 * initial sendings are over.
 */
export function* upcomingChanges({ data }: ReadableSpace, now: number) {
  const { sendings, platformSendings } = data.tables
  for (const { row: sending } of sendings.changes()) {
    const { plan, step, stepSince, platformSendingId } = sending
    const [{ for: lasts } = {}, next] = plan.slice(step)
    const at = Date.parse(stepSince) + (lasts ?? Number.NaN)
    if (next && at > now) yield { sending, at, state: next.state, sends: sendsInStep(next) }
    const sent = platformSendingId === null ? undefined : platformSendings.get(platformSendingId)
    if (sent && statusOfSending(sent, now) === 'scheduled' && sent.stoppedAt === undefined)
      yield { sending, at: Date.parse(sent.startsAt), state: undefined, sends: true }
  }
}
