import type { Moment } from '../rig/request-record.ts'
import { getOrMake } from '../store/maps.ts'
import { goesToList } from '../store/platform-status.ts'
import type { Attempt } from './evidence.ts'
import type { JudgeInput } from './input.ts'
import type { VerdictView } from './verdict-shape.ts'

/** The last part of an instant, by milliseconds. */
const thousandths = Array.from({ length: 1_000 }, (_, nth) => `${String(nth).padStart(3, '0')}Z`)

/** Formats times in ISO 8601. Texts are cached per second because formatting a date is slow. */
function instantFormatter(): (moment: Moment) => { readonly real: string; readonly clock: string } {
  /** Text up to the dot, by second. */
  const seconds = new Map<number, string>()
  const secondText = (second: number) => new Date(second * 1_000).toISOString().slice(0, -'000Z'.length)
  const instant = (time: number) => {
    const second = Math.floor(time / 1_000)
    return getOrMake(seconds, second, secondText) + thousandths[Math.floor(time) - second * 1_000]
  }
  return ({ real, clock }) => ({ real: instant(real), clock: instant(clock) })
}

/** One intended mailing, with all attempts to send it. */
export type LogicalSending = VerdictView['sendings'][number]
/** One attempt: the request, the response to the client, and the truth. */
export type TimelineAttempt = LogicalSending['attempts'][number]

export function buildTimelines(file: JudgeInput): LogicalSending[] {
  /** Second deliveries made by the mock, by the ID of the first. */
  const twins = new Map(file.twins.map(twin => [twin.twinOf, twin]))
  const format = instantFormatter()
  const known = new Set(file.evidence.attempts.map(({ id }) => id))
  /** What was sent to lists by requests that are not on record any more. */
  const unrecorded = file.isComplete
    ? []
    : file.evidence.ledger.sendings.filter(it => goesToList(it) && !known.has(it.cause))
  return file.sendings.map(({ synchronizationId, transactions, basis, attempts }) => {
    const withTwin = (it: Attempt) => [it, twins.get(it.id)].filter(one => one !== undefined)
    const all = twins.size > 0 ? attempts.flatMap(withTwin) : attempts
    const ids = transactions.map(({ transactionId }) => transactionId ?? null)
    const others = unrecorded.filter(
      it =>
        it.synchronizationId === synchronizationId &&
        it.transactionId !== null &&
        ids.includes(it.transactionId),
    )
    return {
      synchronizationId: synchronizationId ?? null,
      transactionIds: ids,
      basis,
      sent: all.reduce((sum, { id }) => sum + (file.effects.get(id)?.length ?? 0), others.length),
      attempts: all.map((attempt, at) => toTimelineAttempt(attempt, all[at - 1], file, format)),
    }
  })
}

function toTimelineAttempt(
  attempt: Attempt,
  before: Attempt | undefined,
  file: JudgeInput,
  format: ReturnType<typeof instantFormatter>,
): TimelineAttempt {
  const { id, transactionId, twinOf, arrived, ended, clockEpoch, response, delivered, truth } = attempt
  return {
    requestId: id,
    transactionId: transactionId ?? null,
    by: twinOf !== undefined ? 'rig' : file.resends.has(attempt) ? 'transport' : 'client',
    arrived: format(arrived),
    ended: ended ? format(ended) : null,
    pause: before?.ended ? Math.round(arrived.clock - before.ended.clock) : null,
    clockMoved: before !== undefined && before.clockEpoch !== clockEpoch,
    told: response
      ? {
          status: response.status,
          state: response.state ?? response.stateText ?? null,
          retryAfter: response.retryAfter ?? null,
        }
      : null,
    delivered,
    receipt: twinOf === undefined ? file.knowledge.receipt(attempt) : 'none',
    truth: truth ? { status: truth.status, state: truth.state ?? null } : null,
    effects: (file.effects.get(id) ?? []).map(({ requestedAt, startsAt }) => ({ requestedAt, startsAt })),
    disturbance: attempt.disturbance ?? null,
  }
}
