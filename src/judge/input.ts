import type { LedgerSending } from '../rig/ledger.ts'
import type { Belief } from '../rig/scenarios/terms.ts'
import { getOrMake } from '../store/maps.ts'
import { goesToList } from '../store/platform-status.ts'
import type { Attempt, Evidence } from './evidence.ts'
import { groupBy, indexAfter, NestedMap } from './grouping.ts'
import {
  collectStateReports,
  findPauses,
  findTransactionChanges,
  indexObservations,
  isPartialRead,
  type Observation,
  type TransactionChange,
} from './history.ts'
import { isOver, Knowledge } from './knowledge.ts'
import type { VerdictView } from './verdict-shape.ts'

/** All attempts to send one mailing. */
export interface IntendedSending {
  readonly synchronizationId: string | undefined
  readonly attempts: readonly Attempt[]
  /** By transaction ID, in order of their first request; attempts without one are one group. */
  readonly transactions: readonly Transaction[]
  /**
   * `declared`: these are known to mean one mailing. `inferred`: they probably do. `single`: there is one transaction.
   */
  readonly basis: VerdictView['sendings'][number]['basis']
  /** Whether no request of it, as far as the platform knows, is missing from the record. */
  readonly isWhole: boolean
}

export interface Transaction {
  readonly transactionId: string | undefined
  readonly attempts: readonly Attempt[]
}

interface SendingGroup {
  readonly attempts: Attempt[]
  /** The first attempt whose answer CREATED probably reached the client. */
  knownCreated: Attempt | undefined
}

/** Milliseconds after which another transaction counts as another mailing. */
export const chainWindow = 15 * 60_000
/** The same after INDETERMINATE_FAILURE, after which the document forbids a new transaction without any time limit. */
const indeterminateWindow = 24 * 60 * 60_000

/**
 * Groups attempts into intended sendings.
 * @param meant how many mailings were to be sent; undefined if unknown
 * @param believesHanded whether CREATED that left whole and in time counts as received, where one mailing is only a guess
 */
function groupIntoSendings(
  creations: readonly Attempt[],
  evidence: Evidence,
  knowledge: Knowledge,
  meant: number | undefined,
  believesHanded: boolean,
): IntendedSending[] {
  const bySynchronization = groupBy(creations, ({ synchronizationId }) => synchronizationId)
  const unseen = causesOffRecord(evidence)
  const isDeclared = meant === 1
  const groupsOf = isDeclared
    ? (attempts: Attempt[]) => [{ attempts }]
    : hasOneForEach(creations, meant)
      ? groupByTransaction
      : (attempts: Attempt[]) => inferGroups(attempts, knowledge, believesHanded)
  return [...bySynchronization].flatMap(([synchronizationId, all]) =>
    groupsOf(all).map(({ attempts }): IntendedSending => {
      const transactions = groupByTransaction(attempts)
      return {
        synchronizationId,
        attempts,
        transactions,
        basis: isDeclared ? 'declared' : transactions.length > 1 ? 'inferred' : 'single',
        isWhole:
          unseen.size === 0 ||
          transactions.every(({ transactionId }) => !unseen.has(`${synchronizationId} ${transactionId}`)),
      }
    }),
  )
}

/** Whether there are at most as many transaction IDs as mailings: then each stands for one mailing. */
function hasOneForEach(creations: readonly Attempt[], meant: number | undefined): boolean {
  if (meant === undefined) return false
  // An ID is unique within its synchronization.
  const used = new Set(creations.map(it => `${it.synchronizationId} ${it.transactionId}`))
  return used.size <= meant && creations.every(({ transactionId }) => transactionId !== undefined)
}

/** Transactions whose first request is missing from the record. */
function causesOffRecord({ attempts, sendings }: Evidence): Set<string> {
  const onRecord = new Set(attempts.map(({ id }) => id))
  const unseen = new Set<string>()
  for (const { cause, synchronizationId, transactionId } of sendings)
    if (transactionId !== null && !onRecord.has(cause)) unseen.add(`${synchronizationId} ${transactionId}`)
  return unseen
}

/**
 * Infers what was intended. The same transaction ID is the same mailing. Another one, or none, counts as the same
 * mailing if the same payload is requested soon after, while the earlier one is not known to have been sent.
 * @param believesHanded as for `groupIntoSendings`
 */
function inferGroups(
  attempts: readonly Attempt[],
  knowledge: Knowledge,
  believesHanded: boolean,
): SendingGroup[] {
  const groups = new Set<SendingGroup>()
  const byTransaction = new Map<string, SendingGroup>()
  const latest = new NestedMap<SendingGroup>()
  for (const attempt of attempts) {
    const { transactionId, user, asked } = attempt
    const { payload } = asked
    // A client that sends several mailings at a time asks for something else in between.
    const alike = payload && latest.entry(user, payload.scheduleDate, payload.name, payload.subject)
    const own = transactionId === undefined ? undefined : byTransaction.get(transactionId)
    const known = own ?? groupToContinue(alike?.value, attempt, knowledge, believesHanded)
    const group = known ?? { attempts: [], knownCreated: undefined }
    groups.add(group)
    group.attempts.push(attempt)
    if (!group.knownCreated && knowledge.knownAtEnd(attempt) === 'CREATED') group.knownCreated = attempt
    if (alike) alike.value = group
    if (transactionId !== undefined) byTransaction.set(transactionId, group)
  }
  return [...groups]
}

function groupToContinue(
  group: SendingGroup | undefined,
  attempt: Attempt,
  knowledge: Knowledge,
  believesHanded: boolean,
): SendingGroup | undefined {
  if (!group) return undefined
  const { attempts, knownCreated } = group
  const last = attempts.at(-1)!
  const window = knowledge.knownAtEnd(last) === 'INDETERMINATE_FAILURE' ? indeterminateWindow : chainWindow
  const isSoon = Math.abs(attempt.arrived.clock - last.arrived.clock) <= window
  const isDone =
    knownCreated && (believesHanded || knowledge.knownBefore(knownCreated, attempt) === 'CREATED')
  // Overlapping requests probably mean two mailings.
  return isSoon && !isDone && isOver(last, attempt) ? group : undefined
}

function groupByTransaction(attempts: readonly Attempt[]): Transaction[] {
  // Usually there is only one: it shares the array with its sending, so that derived data is computed once.
  const [{ transactionId }] = attempts as readonly [Attempt]
  if (attempts.every(it => it.transactionId === transactionId)) return [{ transactionId, attempts }]
  const byId = groupBy(attempts, it => it.transactionId)
  return [...byId].map(([transactionId, attempts]) => ({ transactionId, attempts }))
}

/** Milliseconds within which only an HTTP library can have sent the same bytes again, unless the clock was moved. */
const resendDelay = 50

/**
 * Requests that a client's HTTP library repeated by itself after its connection broke: the same bytes at once, on
 * another connection. A library does so once; more in a row are the client's own loop. Repeats that the application did
 * not know about are not held against it.
 * @param creations in order of arrival
 */
function findResends(creations: readonly Attempt[], rate: number): ReadonlySet<Attempt> {
  const resends = new Set<Attempt>()
  const hot = new Set<Attempt>()
  const last = new NestedMap<Attempt>()
  for (const attempt of creations) {
    const same = last.entry(attempt.target, attempt.userAgent, attempt.asked.bytes)
    const before = same.value
    same.value = attempt
    if (!before || !isImmediateRepeat(before, attempt, rate)) continue
    hot.add(attempt)
    if (!hot.has(before)) resends.add(attempt)
    else resends.delete(before)
  }
  return resends
}

const isImmediateRepeat = (before: Attempt, attempt: Attempt, rate: number): boolean =>
  attempt.connection !== 0 &&
  before.connection !== attempt.connection &&
  (before.delivered === 'cut' || before.delivered === 'none') &&
  isOver(before, attempt) &&
  attempt.arrived.real - before.ended!.real < resendDelay &&
  attempt.arrived.clock - before.ended!.clock < resendDelay * Math.max(1, rate)

/** The evidence in the form that rules read. */
export class JudgeInput {
  readonly evidence: Evidence
  readonly end: ClientEnd | undefined
  /** Mailings that were to be sent in the space; undefined if unknown. */
  readonly meant: number | undefined
  readonly knowledge: Knowledge
  /** IDs of the sendings that requests have created. */
  readonly ownSendings: ReadonlySet<string>
  /** Requests of the client itself, without second deliveries made by the mock. */
  readonly attempts: readonly Attempt[]
  readonly twins: readonly Attempt[]
  /** Requests that the client's HTTP library repeated by itself. */
  readonly resends: ReadonlySet<Attempt>
  /** Attempts to create a sending that arrived completely, in order of arrival. */
  readonly creations: readonly Attempt[]
  readonly sendings: readonly IntendedSending[]
  readonly repeated: readonly IntendedSending[]
  readonly transactionChanges: readonly TransactionChange[]
  /** Requests that read sendings, and may have told something, by synchronization, in order of arrival. */
  readonly #reads: ReadonlyMap<string | undefined, readonly Attempt[]>
  /** Number of the last request that shows that the client continued, without showing with which sending. */
  readonly #lastSign: number
  readonly #observations: NestedMap<Observation[]>
  /** What is actually sent to lists, by the ID of the request that caused it. */
  readonly effects: ReadonlyMap<string, readonly LedgerSending[]>
  /** IDs of the requests that made a sending. */
  readonly causes: ReadonlySet<string>
  /** Attempts whose answers said something about the outcome of the transaction. */
  readonly stateReportsOf = remember(({ attempts }: Transaction) =>
    collectStateReports(attempts, this.knowledge),
  )
  readonly pausesIn = remember((attempts: readonly Attempt[]) => findPauses(attempts, this))
  readonly transactionChangesOf = remember((sending: IntendedSending) =>
    findTransactionChanges(sending, this),
  )

  constructor(evidence: Evidence, end?: ClientEnd, expected?: number, trusts = false) {
    this.evidence = evidence
    this.end = end
    this.meant = end ? (end.expected ?? 1) : expected
    this.ownSendings = new Set(evidence.sendings.map(({ id }) => id))
    this.twins = evidence.attempts.filter(({ twinOf }) => twinOf !== undefined)
    this.attempts = evidence.attempts.filter(({ twinOf }) => twinOf === undefined)
    this.knowledge = new Knowledge(this.attempts, evidence.rate, trusts)
    this.creations = this.attempts.filter(it => isCreation(it) && it.asked.isWhole)
    this.resends = findResends(this.creations, evidence.rate)
    this.sendings = groupIntoSendings(this.creations, evidence, this.knowledge, this.meant, !end)
    this.repeated = this.sendings.filter(({ attempts }) => attempts.length > 1)
    const reads = this.attempts.filter(isRead)
    this.#reads = groupBy(reads, ({ synchronizationId }) => synchronizationId)
    this.#lastSign = this.attempts.findLast(it => isActivity(it, this.ownSendings))?.number ?? 0
    this.#observations = indexObservations(reads, evidence)
    this.effects = groupBy(evidence.ledger.sendings.filter(goesToList), ({ cause }) => cause)
    this.causes = new Set(evidence.sendings.map(({ cause }) => cause))
    this.transactionChanges = this.repeated.flatMap(this.transactionChangesOf)
  }

  /** Whether one worker is known to have made all requests, so that it knew every answer. */
  get hasOneWorker(): boolean {
    return this.end !== undefined && (this.end.workers ?? 1) === 1
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
    return this.#lastSign > number
  }

  readsBetween(earlier: Attempt, later: Attempt): Attempt[] {
    const reads = this.#reads.get(earlier.synchronizationId) ?? []
    return reads.slice(indexAfter(reads, earlier.number), indexAfter(reads, later.number - 1))
  }

  /** What reads showed about a transaction, in order. */
  observationsOf(synchronizationId: string | undefined, transactionId: string): readonly Observation[] {
    return this.#observations.entry(synchronizationId, transactionId).value ?? []
  }
}

function remember<Key extends object, Value>(make: (key: Key) => Value): (key: Key) => Value {
  const known = new Map<Key, Value>()
  return key => getOrMake(known, key, make)
}

const isCreation = ({ operation }: Attempt) => operation === 'createSending'

/** An error or silence tells a client nothing about its sendings. */
const isRead = ({ isReadOfState, delivered, response }: Attempt) =>
  isReadOfState && delivered !== 'none' && !(response && response.status >= 400)

const isActivity = (attempt: Attempt, own: ReadonlySet<string>) =>
  (isRead(attempt) &&
    !(isPartialRead(attempt) && !attempt.response?.sightings?.some(it => own.has(it.sendingId)))) ||
  (isCreation(attempt) && !attempt.asked.isWhole)

/**
 * What only the person or program that ran the client knows: that it ended, and what it believes. Without it, questions
 * about the end stay open, and so does everything that depends on which requests mean the same mailing.
 */
export interface ClientEnd {
  readonly believes: Belief
  /** Mailings that it had to send in this space, 0 for none; 1 by default. */
  readonly expected?: number
  readonly task?: AssignedTask
  /** Workers that ran at the same time; 1 by default. An answer to one of them may be unknown to another. */
  readonly workers?: number
  /** When it was killed and started again, in milliseconds of real time, as in the journal. */
  readonly restarts?: readonly number[]
  /** Whether it was stopped instead of ending by itself: then it did not give up. */
  readonly stopped?: boolean
  /** Hosts other than the service's to which it sent the credentials. */
  readonly leakedTo?: readonly string[]
}

/** What a client was told to send. Other synchronizations and other times were not intended. */
export interface AssignedTask {
  readonly synchronizationId: string
  /** A date-time; undefined when the client could choose. */
  readonly scheduleDate: string | undefined
}
