import type { Moment } from '../rig/request-record.ts'
import { getOrMake } from '../store/maps.ts'
import type { Attempt } from './attempt.ts'
import type { ClientHistory } from './client-history.ts'
import type { VerdictAttempt, VerdictSending } from './verdict-shape.ts'

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

export function buildTimelines(history: ClientHistory): VerdictSending[] {
  /** Second deliveries made by the mock, by the ID of the first. */
  const twins = new Map(history.twins.map(twin => [twin.twinOf, twin]))
  const format = instantFormatter()
  const recordedIds = new Set(history.evidence.attempts.map(({ id }) => id))
  /** What was sent to lists by requests that are not on record any more. */
  const unrecorded = history.isComplete
    ? []
    : history.evidence.sent.filter(({ cause }) => !recordedIds.has(cause))
  return history.sendings.map(({ synchronizationId, transactions, basis, attempts }) => {
    const withTwin = (it: Attempt) => [it, twins.get(it.id)].filter(one => one !== undefined)
    const all = twins.size > 0 ? attempts.flatMap(withTwin) : attempts
    const ids = transactions.map(({ transactionId }) => transactionId ?? null)
    const others = unrecorded.filter(
      it =>
        it.synchronizationId === synchronizationId &&
        it.transactionId !== null &&
        ids.includes(it.transactionId),
    )
    const sent = [...all.flatMap(({ id }) => history.effects.get(id) ?? []), ...others]
    return {
      synchronizationId: synchronizationId ?? null,
      transactionIds: ids,
      basis,
      sent: sent.length,
      scheduled: sent.filter(({ status }) => status === 'scheduled').length,
      attempts: all.map((attempt, at) => toVerdictAttempt(attempt, all[at - 1], history, format)),
    }
  })
}

function toVerdictAttempt(
  attempt: Attempt,
  before: Attempt | undefined,
  history: ClientHistory,
  format: ReturnType<typeof instantFormatter>,
): VerdictAttempt {
  const { id, transactionId, twinOf, arrived, ended, clockEpoch, response, delivered, truth } = attempt
  return {
    requestId: id,
    transactionId: transactionId ?? null,
    by: twinOf !== undefined ? 'rig' : history.resends.has(attempt) ? 'transport' : 'client',
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
    receipt: twinOf === undefined ? history.knowledge.receipt(attempt) : 'none',
    truth: truth ? { status: truth.status, state: truth.state ?? null } : null,
    effects: (history.effects.get(id) ?? []).map(({ requestedAt, startsAt }) => ({ requestedAt, startsAt })),
    disturbance: attempt.disturbance ?? null,
  }
}
