import type { LedgerSending } from '../rig/ledger-shape.ts'
import { bindingsIn } from './bindings.ts'
import type { ClientEnd } from './end.ts'
import type { Attempt, Evidence } from './evidence.ts'
import { type Gap, gapsIn } from './gaps.ts'
import { Knowledge } from './knowledge.ts'
import { type LogicalCase, sendingsIn, type Transaction } from './logical-sendings.ts'
import { isRead, type Seen, type Sightings, sightingsIn } from './looks.ts'
import { grouped, indexAfter } from './order.ts'
import { resendsIn } from './resends.ts'
import { type Switch, switchesIn } from './switches.ts'
import { type Tellers, tellersAmong } from './tellers.ts'

/** The evidence put in order: what rules look at. */
export class CaseFile {
  readonly evidence: Evidence
  readonly end: ClientEnd | undefined
  readonly knowledge: Knowledge
  /** Requests of the client itself: second deliveries that are our own doing are left out. */
  readonly attempts: readonly Attempt[]
  /** Those second deliveries. */
  readonly twins: readonly Attempt[]
  /** Requests that a client's HTTP machinery sent again without being asked. */
  readonly resends: ReadonlySet<Attempt>
  readonly sendings: readonly LogicalCase[]
  /** Those that were asked for more than once. */
  readonly repeated: readonly LogicalCase[]
  readonly switches: readonly Switch[]
  readonly #switchesOf = new Map<LogicalCase, readonly Switch[]>()
  /** By synchronization, in the order of arrival. */
  readonly #reads: ReadonlyMap<string | undefined, readonly Attempt[]>
  /** Number of the last request that shows that the client went on, and not with what. */
  readonly #lastSign: number
  readonly #gapsIn = new Map<readonly Attempt[], readonly Gap[]>()
  readonly #tellersIn = new Map<Transaction, Tellers>()
  #sightings: Sightings | undefined
  #effects: ReadonlyMap<string, readonly LedgerSending[]> | undefined
  #bindings: ReadonlyMap<Transaction, Attempt> | undefined

  constructor(evidence: Evidence, end: ClientEnd | undefined) {
    this.evidence = evidence
    this.end = end
    this.twins = evidence.attempts.filter(({ twinOf }) => twinOf !== undefined)
    const isOwn = ({ twinOf }: Attempt) => twinOf === undefined
    this.attempts = this.twins.length === 0 ? evidence.attempts : evidence.attempts.filter(isOwn)
    this.knowledge = new Knowledge(this.attempts, evidence.rate)
    const creations = this.attempts.filter(it => isCreation(it) && it.asked.isWhole)
    this.resends = resendsIn(creations)
    this.sendings = sendingsIn(creations, evidence, this.knowledge, end && this.expected)
    this.repeated = this.sendings.filter(({ attempts }) => attempts.length > 1)
    this.#reads = grouped(this.attempts.filter(isRead), ({ synchronizationId }) => synchronizationId)
    this.#lastSign = this.attempts.findLast(isSign)?.number ?? 0
    for (const sending of this.repeated) this.#switchesOf.set(sending, switchesIn(sending, this))
    this.switches = [...this.#switchesOf.values()].flat()
  }

  get expected(): number {
    return this.end?.expected ?? 1
  }

  /** Whether it is known that one worker made all requests, so that it knew whatever was told. */
  get hasOneWorker(): boolean {
    return this.end !== undefined && (this.end.workers ?? 1) === 1
  }

  /** Whether whoever made the later request was told what the earlier one was. */
  isSameWorker(earlier: Attempt, later: Attempt): boolean {
    return this.hasOneWorker || (earlier.connection !== 0 && earlier.connection === later.connection)
  }

  /** Whether every request is on record. */
  get isComplete(): boolean {
    return this.evidence.dropped === 0 && this.evidence.forgotten === 0
  }

  /** Whether every request between these two is on record. */
  isCompleteBetween(earlier: Attempt, later: Attempt): boolean {
    const { attempts } = this.evidence
    const between = indexAfter(attempts, later.number - 1) - indexAfter(attempts, earlier.number)
    return between === later.number - earlier.number - 1
  }

  /** Whether the client was killed and started again between two requests. */
  isRestartBetween(earlier: Attempt, later: Attempt): boolean {
    return (this.end?.restarts ?? []).some(at => at > earlier.arrived.real && at <= later.arrived.real)
  }

  /**
   * Whether the client went on after a request: it read sendings, or asked for one in a request that did not come whole,
   * so that nobody knows for which.
   */
  wentOnAfter({ number }: Attempt): boolean {
    return this.#lastSign > number
  }

  /** Requests between two others that read sendings of the same synchronization. */
  readsBetween(earlier: Attempt, later: Attempt): Attempt[] {
    const reads = this.#reads.get(earlier.synchronizationId) ?? []
    return reads.slice(indexAfter(reads, earlier.number), indexAfter(reads, later.number - 1))
  }

  /** What reads showed of a transaction, in their order. */
  sightingsOf(synchronizationId: string | undefined, transactionId: string): readonly Seen[] {
    this.#sightings ??= sightingsIn(this.#reads)
    return this.#sightings.get(synchronizationId)?.get(transactionId) ?? []
  }

  /** Attempts whose answers told something of what became of the transaction. */
  tellersIn(transaction: Transaction): Tellers {
    const known = this.#tellersIn.get(transaction)
    if (known) return known
    const tellers = tellersAmong(transaction.attempts, this.knowledge)
    this.#tellersIn.set(transaction, tellers)
    return tellers
  }

  /** The pauses in a series of attempts. */
  gapsIn(attempts: readonly Attempt[]): readonly Gap[] {
    const known = this.#gapsIn.get(attempts)
    if (known) return known
    const gaps = gapsIn(attempts, this)
    this.#gapsIn.set(attempts, gaps)
    return gaps
  }

  /** Each time that the client went on with another transaction of a sending. */
  switchesOf(sending: LogicalCase): readonly Switch[] {
    return this.#switchesOf.get(sending) ?? []
  }

  /** What truly goes out to lists, by the ID of the request that caused it. */
  get effects(): ReadonlyMap<string, readonly LedgerSending[]> {
    if (!this.#effects) {
      const toLists = this.evidence.ledger.sendings.filter(({ kind }) => kind === 'list')
      this.#effects = grouped(toLists, ({ cause }) => cause)
    }
    return this.#effects
  }

  /** The attempts that made a sending, by the transaction that they bound. */
  get bindings(): ReadonlyMap<Transaction, Attempt> {
    this.#bindings ??= bindingsIn(this)
    return this.#bindings
  }
}

const isCreation = ({ operation }: Attempt) => operation === 'createSending'

const isSign = (attempt: Attempt) => isRead(attempt) || (isCreation(attempt) && !attempt.asked.isWhole)
