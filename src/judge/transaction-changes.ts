import type { SendingState } from '../store/rows.ts'
import type { Attempt } from './attempt.ts'
import type { Evidence } from './evidence.ts'
import { indexAfter, NestedMap } from './grouping.ts'
import type { IntendedSending, Transaction } from './intended-sendings.ts'
import { endingBefore, interpretResponse, type Knowledge, type Meaning } from './knowledge.ts'

/** What a client knew and read. */
interface Client {
  readonly evidence: Evidence
  readonly knowledge: Knowledge
  isRestartBetween(earlier: Attempt, later: Attempt): boolean
  readsBetween(earlier: Attempt, later: Attempt): readonly Attempt[]
  observationsOf(synchronizationId: string | undefined, transactionId: string): readonly Observation[]
  stateReportsOf(transaction: Transaction): StateReports
}

/**
 * Reads between two requests of a client that may have told it something. One that is partial omits sendings that are not
 * CREATED, so that it proves nothing (spec 3/2); one without a transactionId has no other state (spec 3/1). A page counts
 * with the first one, and that only if all that follow were read: new sendings are on the last one, or by a dial on the first.
 */
function findReadsBetween(
  earlier: Attempt,
  later: Attempt,
  transactionId: string | undefined,
  client: Client,
) {
  const reads = client.readsBetween(earlier, later)
  const readToEnd = new Set<string | undefined>([undefined])
  for (const { target, response } of reads.toReversed())
    if (readToEnd.has(response?.nextCursor)) readToEnd.add(cursorOf(target))
  return reads.flatMap(attempt => {
    const { target, response } = attempt
    const isPartial = isPartialRead(attempt) && transactionId !== undefined
    // A sending that it shows was seen, whatever it omits.
    const isSeen = response?.sightings?.some(it => it.transactionId === transactionId)
    const isEnough = isPartial || client.evidence.isNewestFirst || readToEnd.has(response?.nextCursor)
    const isPage = cursorOf(target) !== undefined || !isEnough
    if (!isSeen && (isPage || isFollowedRedirect(attempt, earlier))) return []
    return [{ attempt, isPartial: isPartial && !isSeen }]
  })
}

/** Whether a read of the collection leaves out all that is not CREATED, by what it asks for, or goes on with a page of it. */
export const isPartialRead = ({ operation, target }: Attempt): boolean =>
  // Any other value is true, in the spelling of a dial, or refused.
  operation === 'listSendings' && !/[?&]includeAllStates(?!=[Ff]|\w)/.test(target)

const cursorOf = (target: string) => /[?&]cursor=([^&]+)/.exec(target)?.[1]

/** The HTTP library followed a redirect; the client did not ask for it. */
const isFollowedRedirect = ({ method, target }: Attempt, { response, target: from }: Attempt): boolean =>
  method === 'GET' && target === from && response !== undefined && [301, 302, 303].includes(response.status)

/** The state of a transaction's sending as a read with this number showed it. */
export interface Observation {
  readonly read: Attempt
  readonly number: number
  readonly state: SendingState
}

export function indexObservations(
  reads: Iterable<Attempt>,
  { sendings }: Evidence,
): NestedMap<Observation[]> {
  const observations = new NestedMap<Observation[]>()
  const transactions = new Map(sendings.map(it => [it.id, it.transactionId ?? undefined]))
  for (const read of reads)
    for (const { sendingId, transactionId: named, state } of read.response?.sightings ?? []) {
      const transactionId = named ?? transactions.get(sendingId)
      if (transactionId === undefined) continue
      const place = observations.entry(read.synchronizationId, transactionId)
      place.value ??= []
      // Only the first of several in one answer counts.
      if (place.value.at(-1)?.read !== read) place.value.push({ read, number: read.number, state })
    }
  return observations
}

/**
 * What the client knew about a transaction when it made a later request: the last state that it got, the attempt whose
 * answer had it, the last attempt that may have bound it, whether it may have known more, and from which answer, if no
 * answer of the transaction allowed another one.
 */
function clientBeliefAt(transaction: Transaction, later: Attempt, client: Client) {
  const { knowledge } = client
  const { transactionId, attempts } = transaction
  const last = attempts[indexAfter(attempts, later.number - 1) - 1]
  const { states, others, doubtful, isForbidden } = client.stateReportsOf(transaction)
  const teller = findLastBefore(later, states, it => knowledge.knownBefore(it, later) !== undefined)
  const isHasty = [states, others].some(it => isUncertainSince(teller, it, later, knowledge))
  const isUnsure = isHasty || isUncertainSince(teller, doubtful, later, knowledge)
  // What a read showed since then is newer.
  const { number: since } = teller ?? attempts[0]!
  const observation =
    transactionId !== undefined &&
    findLastBefore(
      later,
      client.observationsOf(later.synchronizationId, transactionId),
      ({ read }) => knowledge.knownBefore(read, later) !== undefined,
      since,
    )
  return {
    state: observation ? observation.state : teller?.response?.state,
    stateReport: observation ? observation.read : teller,
    undecided: last && findUndecided(attempts, last, it => knowledge.knownBefore(it, later)),
    isUnsure: isUnsure && !observation,
    doubt: !isHasty && isForbidden ? findLastBefore(later, doubtful, () => true) : undefined,
  }
}

/** After these another transaction for the same mailing is as wrong as after silence. */
const forbidding: ReadonlySet<Meaning> = new Set(['CREATED', 'PENDING', 'INDETERMINATE_FAILURE'])

/** With these an attempt is refused before its transactionId is looked up: they tell nothing of earlier attempts. */
const refusedUnread: ReadonlySet<number> = new Set([401, 403, 425, 429])

/** The last attempt that may have bound the transaction; undefined if the client knew from refusals that none did. */
function findUndecided(
  attempts: readonly Attempt[],
  last: Attempt,
  meaningOf: (it: Attempt) => Meaning | undefined,
) {
  for (let at = indexAfter(attempts, last.number) - 1; at >= 0; at--) {
    const attempt = attempts[at]!
    const meaning = meaningOf(attempt)
    if (meaning !== 'refused' && meaning !== 'limited') return attempt
    if (!refusedUnread.has(attempt.response!.status)) return undefined
  }
  return undefined
}

/** The last one before a later request for which something holds. @param since number of a request that it comes after */
function findLastBefore<Item extends { readonly number: number }>(
  later: Attempt,
  items: readonly Item[],
  holds: (item: Item) => boolean,
  since = 0,
): Item | undefined {
  for (let at = indexAfter(items, later.number - 1) - 1; at >= 0 && items[at]!.number > since; at--)
    if (holds(items[at]!)) return items[at]
  return undefined
}

/** Whether it is uncertain if the client got a later answer. */
function isUncertainSince(
  teller: Attempt | undefined,
  answers: readonly Attempt[],
  later: Attempt,
  knowledge: Knowledge,
): boolean {
  for (let at = indexAfter(answers, later.number - 1) - 1; at >= 0; at--) {
    const answer = answers[at]!
    if (teller && answer.number <= teller.number) return false
    if (knowledge.knownBefore(answer, later) === undefined) {
      if (knowledge.maybeKnownBefore(answer, later)) return true
    } else if (knowledge.isUnmissable(answer, later)) return false
  }
  return false
}

/**
 * Why a client continued with another transaction ID, or without one. `silence`: it did not know the outcome of the
 * earlier one. `collection`: the same, after it read a collection that omits the earlier one. `restart`: the same,
 * after it was killed and started again. The others: it knew this state.
 */
export type TransactionChangeKind = 'silence' | 'collection' | 'restart' | SendingState

export function findTransactionChanges(sending: IntendedSending, client: Client) {
  const { transactions, attempts } = sending
  if (transactions.length === 1) return []
  const transactionOf = new Map(transactions.map(it => [it.transactionId, it]))
  return attempts.slice(1).flatMap((first, at) => {
    const before = attempts[at]!
    const to = transactionOf.get(first.transactionId)!
    // Overlapping requests have a rule of their own.
    if (to.attempts[0] !== first || endingBefore(before, first) === 'running') return []
    const from = transactionOf.get(before.transactionId)!
    const belief = clientBeliefAt(from, first, client)
    const { stateReport, undecided: last = before } = belief
    const looks = findReadsBetween(last, first, from.transactionId, client)
    const kind = transactionChangeKind(belief, looks, client.isRestartBetween(last, first))
    const endings = [before, last].map(it => endingBefore(it, first))
    if (!kind || endings.includes('running')) return []
    const partialRead = looks.find(({ isPartial }) => isPartial)?.attempt
    const proofs = new Set([stateReport, last, partialRead, first].filter(it => it !== undefined))
    /** What proves it, in order. */
    const requests = [...proofs].sort((one, other) => one.number - other.number)
    const openBecause = endings.includes('perhaps')
      ? `It is open, because ${before.id} may still have been running: that its client had left it was noticed after ${first.id} had come.`
      : belief.isUnsure &&
        `It is open, because the response to ${belief.doubt!.id} may have come just as the client gave up.`
    return { kind, sending, from, to, last, first, stateReport, partialRead, requests, openBecause }
  })
}

export type TransactionChange = Readonly<ReturnType<typeof findTransactionChanges>[number]>

/** Undefined if the document allows it, or if it cannot be decided. */
function transactionChangeKind(
  { state, undecided, isUnsure, doubt }: ReturnType<typeof clientBeliefAt>,
  looks: ReturnType<typeof findReadsBetween>,
  isRestart: boolean,
): TransactionChangeKind | undefined {
  if (isUnsure) return doubt && !isRestart && looks.length === 0 ? 'silence' : undefined
  if (state === 'FAILED') return 'FAILED'
  // A refusal concerns the request as it was and binds nothing.
  if (state === undefined && !undecided) return undefined
  if (isRestart) return 'restart'
  if (state !== undefined) return state
  // A client that read all sendings, or may have, knows more than the judge.
  if (looks.some(({ isPartial }) => !isPartial)) return undefined
  return looks.length > 0 ? 'collection' : 'silence'
}

/**
 * Attempts by what their answers said about the outcome of their transaction. Errors and silence say nothing.
 * @param attempts in order of arrival
 */
export function collectStateReports(attempts: readonly Attempt[], knowledge: Knowledge) {
  const telling = attempts.filter(it => interpretResponse(it) !== 'unknown')
  const received = telling.filter(it => knowledge.knownAtEnd(it) !== undefined)
  const states = received.filter(({ response }) => response!.state !== undefined)
  return {
    /** With a state; left at once or proved to be received. */
    states,
    /** Those of them with CREATED. */
    created: states.filter(({ response }) => response!.state === 'CREATED'),
    /** With another meaning; left at once or proved to be received. */
    others: received.filter(({ response }) => response!.state === undefined),
    /** Those that may not have been received. */
    doubtful: telling.filter(it => knowledge.receipt(it) === 'unknown'),
    /** Whether none of all these allows another transaction for the same mailing. */
    isForbidden: telling.every(it => forbidding.has(interpretResponse(it))),
  }
}

export type StateReports = ReturnType<typeof collectStateReports>

/** The first attempt from which the client knew, before it made a later request, that the transaction was CREATED. */
export function knownCreatedBefore(
  transaction: Transaction,
  later: Attempt,
  client: Client,
): Attempt | undefined {
  for (const teller of client.stateReportsOf(transaction).created) {
    if (teller.number >= later.number) return undefined
    if (client.knowledge.knownBefore(teller, later)) return teller
  }
  return undefined
}
