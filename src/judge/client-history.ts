import type { LedgerSending } from '../rig/ledger.ts'
import { getOrMake } from '../store/maps.ts'
import type { SendingState } from '../store/rows.ts'
import { type Attempt, saysState } from './attempt.ts'
import { Endings } from './endings.ts'
import type { Evidence } from './evidence.ts'
import { groupBy, indexAfter } from './grouping.ts'
import { groupIntoSendings, type IntendedSending, type Transaction } from './intended-sendings.ts'
import { findPauses, findResends } from './intervals.ts'
import { Knowledge } from './knowledge.ts'
import type { ClientEnd, KnownClient } from './terms.ts'
import {
  collectStateReports,
  findTransactionChanges,
  indexObservations,
  isPartialRead,
  type Observation,
  type TransactionChange,
} from './transaction-changes.ts'

/** What a client did in a space and what it knew, as rules ask for it. What only some of them need is found when it is asked for. */
export class ClientHistory {
  readonly evidence: Evidence
  readonly end: ClientEnd | undefined
  /** Mailings that were to be sent in the space; undefined if unknown. */
  readonly meant: number | undefined
  /** Workers that ran at the same time; undefined if unknown. */
  readonly workers: number | undefined
  /** Requests of the client itself, without second deliveries made by the mock. */
  readonly attempts: readonly Attempt[]
  /** Second deliveries made by the mock. */
  readonly twins: readonly Attempt[]
  /** Attempts to create a sending that arrived completely, in order of arrival. */
  readonly creations: readonly Attempt[]
  readonly knowledge: Knowledge
  readonly endings: Endings
  /** Requests that the client's HTTP library repeated by itself. */
  readonly resends: ReadonlySet<Attempt>
  readonly sendings: readonly IntendedSending[]

  readonly #ownSendings = once(() => new Set(this.evidence.sendings.map(({ id }) => id)))
  readonly #causes = once(() => new Set(this.evidence.sendings.map(({ cause }) => cause)))
  readonly #effects = once(() => groupBy(this.evidence.sent, ({ cause }) => cause))
  readonly #repeated = once(() => this.sendings.filter(({ attempts }) => attempts.length > 1))
  readonly #transactionChanges = once(() => this.repeated.flatMap(this.transactionChangesOf))
  /** Requests that read sendings, and may have told something, in order of arrival. */
  readonly #reads = once(() => this.attempts.filter(isRead))
  readonly #readsOf = once(() => groupBy(this.#reads(), ({ synchronizationId }) => synchronizationId))
  readonly #observations = once(() => indexObservations(this.#reads(), this.evidence))
  readonly #lastActivity = once(() => this.attempts.findLast(it => isActivity(it, this.ownSendings)))

  /** Attempts whose answers said something about the outcome of the transaction. */
  readonly stateReportsOf = remember(({ attempts }: Transaction) =>
    collectStateReports(attempts, this.knowledge),
  )
  readonly pausesIn = remember((attempts: readonly Attempt[]) => findPauses(attempts, this))
  readonly transactionChangesOf = remember((sending: IntendedSending) =>
    findTransactionChanges(sending, this),
  )

  /**
   * @param known what is known of the client where its end is not
   * @param trusts whether each answer that left at once was read, however soon the next request came
   */
  constructor(evidence: Evidence, end?: ClientEnd, known: KnownClient = {}, trusts = false) {
    this.evidence = evidence
    this.end = end
    // If requests are missing, they may have been for other mailings.
    this.meant = end ? (end.expected ?? (this.isComplete ? 1 : undefined)) : known.expected
    this.workers = end ? (end.workers ?? 1) : known.workers
    this.attempts = evidence.attempts.filter(({ twinOf }) => twinOf === undefined)
    this.twins = evidence.attempts.filter(({ twinOf }) => twinOf !== undefined)
    this.creations = this.attempts.filter(it => it.creates === 'sending' && it.request.isWhole)
    this.knowledge = new Knowledge(this.attempts, evidence.rate, trusts)
    this.endings = new Endings(this.attempts, evidence, this.knowledge)
    this.resends = findResends(this.creations, evidence.rate)
    this.sendings = groupIntoSendings(this)
  }

  /** IDs of the sendings that requests have created. */
  get ownSendings(): ReadonlySet<string> {
    return this.#ownSendings()
  }

  /** IDs of the requests that made a sending. */
  get causes(): ReadonlySet<string> {
    return this.#causes()
  }

  /** What is actually sent to lists, by the ID of the request that caused it. */
  get effects(): ReadonlyMap<string, readonly LedgerSending[]> {
    return this.#effects()
  }

  /** Intended sendings with more than one attempt. */
  get repeated(): readonly IntendedSending[] {
    return this.#repeated()
  }

  get transactionChanges(): readonly TransactionChange[] {
    return this.#transactionChanges()
  }

  /** Whether one worker is known to have made all requests, so that it knew every answer. */
  get hasOneWorker(): boolean {
    return this.workers === 1
  }

  /** Whether the worker that made the later request also got the answer to the earlier one. */
  isSameWorker(earlier: Attempt, later: Attempt): boolean {
    return this.hasOneWorker || (earlier.connection !== 0 && earlier.connection === later.connection)
  }

  get isComplete(): boolean {
    return this.evidence.dropped === 0 && this.evidence.forgotten === 0
  }

  isCompleteBetween(earlier: Attempt, later: Attempt): boolean {
    const { attempts } = this.evidence
    const between = indexAfter(attempts, later.number - 1) - indexAfter(attempts, earlier.number)
    return between === later.number - earlier.number - 1
  }

  isRestartBetween(earlier: Attempt, later: Attempt): boolean {
    return (this.end?.restarts ?? []).some(at => at >= earlier.arrived.real && at <= later.arrived.real)
  }

  /**
   * Whether the client continued after a request: it has read sendings, or asked for a sending in a request that did not
   * arrive completely, so that its transaction is unknown.
   */
  isActiveAfter({ number }: Attempt): boolean {
    return (this.#lastActivity()?.number ?? 0) > number
  }

  /** Whether an answer shows one of the client's own sendings in this state; undefined if it is not on record whole. */
  showsState({ isReadOfState, response }: Attempt, state: SendingState): boolean | undefined {
    if (!response) return false
    const { sightings, sendingId = '' } = response
    // A client that has ended a sending means another one.
    const isMeant = (id: string) => !this.endings.isKnown(id)
    if (isReadOfState)
      return sightings?.some(
        it => it.state === state && this.ownSendings.has(it.sendingId) && isMeant(it.sendingId),
      )
    return saysState(response, state) && isMeant(sendingId)
  }

  readsBetween(earlier: Attempt, later: Attempt): Attempt[] {
    const reads = this.#readsOf().get(earlier.synchronizationId) ?? []
    return reads.slice(indexAfter(reads, earlier.number), indexAfter(reads, later.number - 1))
  }

  /** What reads showed about a transaction, in order. */
  observationsOf(synchronizationId: string | undefined, transactionId: string): readonly Observation[] {
    return this.#observations().entry(synchronizationId, transactionId).value ?? []
  }
}

function once<Value>(make: () => Value): () => Value {
  let result: { readonly value: Value } | undefined
  return () => {
    result ??= { value: make() }
    return result.value
  }
}

function remember<Key extends object, Value>(make: (key: Key) => Value): (key: Key) => Value {
  const results = new Map<Key, Value>()
  return key => getOrMake(results, key, make)
}

/** An error or a timeout tells a client nothing about its sendings. */
const isRead = ({ isReadOfState, delivered, response }: Attempt) =>
  isReadOfState && delivered !== 'none' && !(response && response.status >= 400)

const isActivity = (attempt: Attempt, own: ReadonlySet<string>) =>
  (isRead(attempt) &&
    !(isPartialRead(attempt) && !attempt.response?.sightings?.some(it => own.has(it.sendingId)))) ||
  (attempt.creates === 'sending' && !attempt.request.isWhole)
