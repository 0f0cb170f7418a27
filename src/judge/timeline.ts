import type { LedgerSending } from '../rig/ledger.ts'
import type { Moment } from '../rig/request-record.ts'
import { getOrMake } from '../store/maps.ts'
import type { Attempt } from './evidence.ts'
import type { IntendedSending, JudgeInput } from './input.ts'
import type { VerdictView } from './verdict-shape.ts'

/** The last part of an instant, by milliseconds. */
const thousandths = Array.from({ length: 1_000 }, (_, nth) => `${String(nth).padStart(3, '0')}Z`)

const secondText = (second: number) => new Date(second * 1_000).toISOString().slice(0, -'000Z'.length)

/** Formats times in ISO 8601. Texts are cached per second because formatting a date is slow. */
export class InstantFormatter {
  /** Text up to the dot, by second. */
  readonly #seconds = new Map<number, string>()

  format({ real, clock }: Moment): { readonly real: string; readonly clock: string } {
    return { real: this.#instant(real), clock: this.#instant(clock) }
  }

  #instant(time: number): string {
    const milliseconds = Math.floor(time)
    const second = Math.floor(milliseconds / 1_000)
    return getOrMake(this.#seconds, second, secondText) + thousandths[milliseconds - second * 1_000]
  }
}

/** One intended mailing, with all attempts to send it. */
export type LogicalSending = VerdictView['sendings'][number]
/** One attempt: the request, the response to the client, and the truth. */
export type TimelineAttempt = LogicalSending['attempts'][number]

/** The intended sendings, each with its attempts in order of arrival. */
export function buildTimelines(file: JudgeInput): LogicalSending[] {
  const twins = new Map<string, Attempt>()
  for (const twin of file.twins) twins.set(twin.twinOf!, twin)
  const instants = new InstantFormatter()
  const known = new Set(file.evidence.attempts.map(({ id }) => id))
  const unrecorded = file.isComplete
    ? []
    : file.evidence.ledger.sendings.filter(({ kind, cause }) => kind === 'list' && !known.has(cause))
  return file.sendings.map(sending => buildTimeline(sending, { file, twins, instants, unrecorded }))
}

interface TimelineSources {
  readonly file: JudgeInput
  /** Second deliveries made by the mock, by the ID of the first. */
  readonly twins: ReadonlyMap<string, Attempt>
  readonly instants: InstantFormatter
  /** What was sent to lists by requests that are not on record any more. */
  readonly unrecorded: readonly LedgerSending[]
}

function buildTimeline(
  { synchronizationId, transactions, basis, attempts }: IntendedSending,
  about: TimelineSources,
): LogicalSending {
  const { file, twins, unrecorded } = about
  const withTwin = (attempt: Attempt) => [attempt, twins.get(attempt.id)].filter(it => it !== undefined)
  const all = attempts.some(({ id }) => twins.has(id)) ? attempts.flatMap(withTwin) : attempts
  return {
    synchronizationId: synchronizationId ?? null,
    transactionIds: transactions.map(({ transactionId }) => transactionId ?? null),
    basis,
    sent:
      all.reduce((sum, { id }) => sum + (file.effects.get(id)?.length ?? 0), 0) +
      unrecorded.filter(
        it =>
          it.synchronizationId === synchronizationId &&
          transactions.some(
            ({ transactionId }) => transactionId !== undefined && transactionId === it.transactionId,
          ),
      ).length,
    attempts: all.map((attempt, at) => toTimelineAttempt(attempt, all[at - 1], about)),
  }
}

function toTimelineAttempt(
  attempt: Attempt,
  before: Attempt | undefined,
  { file, instants }: TimelineSources,
): TimelineAttempt {
  const { id, transactionId, twinOf, arrived, ended, clockEpoch, response, delivered, truth, decision } =
    attempt
  return {
    requestId: id,
    transactionId: transactionId ?? null,
    by: twinOf !== undefined ? 'rig' : file.resends.has(attempt) ? 'transport' : 'client',
    arrived: instants.format(arrived),
    ended: ended ? instants.format(ended) : null,
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
    disturbance: decision
      ? {
          scenario: decision.scenario,
          rule: decision.rule,
          step: decision.step,
          phase: decision.phase,
          fault: decision.fault,
        }
      : null,
  }
}
