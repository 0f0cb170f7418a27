import type { SendingState } from '../store/rows.ts'
import type { CaseFile } from './case-file.ts'
import type { Attempt } from './evidence.ts'
import { Instants } from './instants.ts'
import type { Receipt } from './knowledge.ts'
import type { LogicalCase } from './logical-sendings.ts'

/** One mailing that was meant to be sent, with everything that was tried for it. */
export interface LogicalSending {
  readonly synchronizationId: string | null
  /** In the order in which they were used; null for requests without one. */
  readonly transactionIds: readonly (string | null)[]
  /** `single`: one transaction. `declared`: it was said that these mean one mailing. `inferred`: it looks so. */
  readonly basis: LogicalCase['basis']
  /** How many truly went out. */
  readonly sent: number
  readonly attempts: readonly TimelineAttempt[]
}

/** One attempt: what was asked, what was told, and what was true. */
export interface TimelineAttempt {
  readonly requestId: string
  readonly transactionId: string | null
  /** `client`; `transport`: sent again by the client's HTTP machinery; `rig`: our own second delivery. */
  readonly by: 'client' | 'transport' | 'rig'
  /** ISO 8601, on both clocks. */
  readonly arrived: { readonly real: string; readonly clock: string }
  /** When it was over for its client; null while it is open. */
  readonly ended: { readonly real: string; readonly clock: string } | null
  /** Milliseconds on the space's clock since the exchange before it ended; negative where they overlap. */
  readonly pause: number | null
  /** Whether somebody moved the clock by hand since the attempt before. */
  readonly clockMoved: boolean
  readonly told: {
    readonly status: number
    readonly state: string | null
    readonly retryAfter: string | null
  } | null
  readonly delivered: Attempt['delivered']
  /** How sure it is that the client received it. */
  readonly receipt: Receipt
  readonly truth: { readonly status: number; readonly state: SendingState | null } | null
  /** Sendings that this request brought about, at once or later. */
  readonly effects: readonly { readonly requestedAt: string; readonly startsAt: string }[]
  /** What disturbed it. */
  readonly disturbance: {
    readonly scenario: string
    readonly rule: number
    readonly step: number
    readonly phase: string
    readonly fault: string | null
  } | null
}

/** What was meant to be sent, each with its attempts in the order of arrival. */
export function timelinesOf(file: CaseFile): LogicalSending[] {
  const twins = new Map<string, Attempt>()
  for (const twin of file.twins) twins.set(twin.twinOf!, twin)
  const instants = new Instants()
  return file.sendings.map(sending => timelineOf(sending, { file, twins, instants }))
}

/** What all timelines are made from. */
interface About {
  readonly file: CaseFile
  /** Our own second deliveries, by what they repeat. */
  readonly twins: ReadonlyMap<string, Attempt>
  readonly instants: Instants
}

function timelineOf(
  { synchronizationId, transactions, basis, attempts }: LogicalCase,
  about: About,
): LogicalSending {
  const { file, twins } = about
  const withTwin = (attempt: Attempt) => [attempt, twins.get(attempt.id)].filter(it => it !== undefined)
  const all = attempts.some(({ id }) => twins.has(id)) ? attempts.flatMap(withTwin) : attempts
  return {
    synchronizationId: synchronizationId ?? null,
    transactionIds: transactions.map(({ transactionId }) => transactionId ?? null),
    basis,
    sent: all.reduce((sum, { id }) => sum + (file.effects.get(id)?.length ?? 0), 0),
    attempts: all.map((attempt, at) => shown(attempt, all[at - 1], about)),
  }
}

function shown(attempt: Attempt, before: Attempt | undefined, { file, instants }: About): TimelineAttempt {
  const { id, transactionId, twinOf, arrived, ended, epoch, told, delivered, truth, decision } = attempt
  return {
    requestId: id,
    transactionId: transactionId ?? null,
    by: twinOf !== undefined ? 'rig' : file.resends.has(attempt) ? 'transport' : 'client',
    arrived: instants.both(arrived),
    ended: ended ? instants.both(ended) : null,
    pause: before?.ended ? Math.round(arrived.clock - before.ended.clock) : null,
    clockMoved: before !== undefined && before.epoch !== epoch,
    told: told
      ? {
          status: told.status,
          state: told.state ?? told.stateText ?? null,
          retryAfter: told.retryAfter ?? null,
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
          fault: decision.fault ?? null,
        }
      : null,
  }
}
