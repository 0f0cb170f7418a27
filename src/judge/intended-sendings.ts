import type { Attempt } from './attempt.ts'
import type { Endings } from './endings.ts'
import type { Evidence } from './evidence.ts'
import { groupBy, NestedMap } from './grouping.ts'
import { endingBefore, type Knowledge } from './knowledge.ts'
import type { Basis, ClientEnd } from './terms.ts'

/** All attempts to send one mailing. */
export interface IntendedSending {
  readonly synchronizationId: string | undefined
  readonly attempts: readonly Attempt[]
  /** By transaction ID, in order of their first request; attempts without one are one group. */
  readonly transactions: readonly Transaction[]
  readonly basis: Basis
  /** Whether no request of it, as far as the platform knows, is missing from the record. */
  readonly isWhole: boolean
}

export interface Transaction {
  readonly transactionId: string | undefined
  readonly attempts: readonly Attempt[]
}

/** What a client asked for, and what is known of it. */
interface Client {
  readonly evidence: Evidence
  /** Attempts to create a sending that arrived completely, in order of arrival. */
  readonly creations: readonly Attempt[]
  readonly knowledge: Knowledge
  readonly endings: Endings
  /** How many mailings were to be sent; undefined if unknown. */
  readonly meant: number | undefined
  readonly end: ClientEnd | undefined
}

/** Milliseconds after which another transaction counts as another mailing. */
export const chainWindow = 15 * 60_000
/** The same after INDETERMINATE_FAILURE, after which the document forbids a new transaction without any time limit. */
const indeterminateWindow = 24 * 60 * 60_000

/** Groups attempts into intended sendings. A sending that the client ended, and asked for anew, was intended twice. */
export function groupIntoSendings(client: Client): IntendedSending[] {
  const { creations, meant } = client
  const bySynchronization = groupBy(creations, ({ synchronizationId }) => synchronizationId)
  const unrecorded = transactionsOffRecord(client.evidence)
  const isDeclared = meant === 1
  const group = isDeclared ? splitAtEndings : identifiesEachMailing(client) ? groupByTransaction : inferGroups
  return [...bySynchronization].flatMap(([synchronizationId, ofOne]) =>
    group(ofOne, client).map(({ attempts }): IntendedSending => {
      const transactions = groupByTransaction(attempts)
      return {
        synchronizationId,
        attempts,
        transactions,
        basis: isDeclared ? 'declared' : transactions.length > 1 ? 'inferred' : 'single',
        isWhole:
          unrecorded.size === 0 ||
          transactions.every(({ transactionId }) => !unrecorded.has(`${synchronizationId} ${transactionId}`)),
      }
    }),
  )
}

/** Whether there are at most as many transaction IDs as mailings: then each stands for one mailing. */
function identifiesEachMailing({ creations, meant, endings }: Client): boolean {
  if (meant === undefined) return false
  const ofMailings = creations.filter(it => !endings.mayBeKnown(it))
  // An ID is unique within its synchronization.
  const ids = new Set(ofMailings.map(it => `${it.synchronizationId} ${it.transactionId}`))
  return ids.size <= meant && creations.every(({ transactionId }) => transactionId !== undefined)
}

/** Transactions whose first request is missing from the record. */
function transactionsOffRecord({ attempts, sendings }: Evidence): Set<string> {
  const onRecord = new Set(attempts.map(({ id }) => id))
  const unrecorded = new Set<string>()
  for (const { cause, synchronizationId, transactionId } of sendings)
    if (transactionId !== null && !onRecord.has(cause))
      unrecorded.add(`${synchronizationId} ${transactionId}`)
  return unrecorded
}

interface Group {
  readonly attempts: Attempt[]
}

/** All attempts are for one mailing, unless the client knew that its sending had ended and asked for another one. */
function splitAtEndings(attempts: readonly Attempt[], { endings }: Client): Group[] {
  const groups: Group[] = []
  const byTransaction = new Map<string, Group>()
  for (const attempt of attempts) {
    const { transactionId } = attempt
    const latest = groups.at(-1)
    const continued = latest && !endings.mayBeKnown(latest.attempts.at(-1)!, attempt) ? latest : undefined
    const own = transactionId === undefined ? undefined : byTransaction.get(transactionId)
    const group: Group = own ?? continued ?? { attempts: [] }
    if (group.attempts.length === 0) groups.push(group)
    group.attempts.push(attempt)
    if (transactionId !== undefined) byTransaction.set(transactionId, group)
  }
  return groups
}

interface InferredGroup extends Group {
  /** The first attempt whose answer CREATED probably reached the client. */
  created: Attempt | undefined
}

/**
 * Infers what was intended. The same transaction ID is the same mailing. Another one, or none, counts as the same
 * mailing if the same payload is requested soon after, while the earlier one is not known to have been sent.
 */
function inferGroups(attempts: readonly Attempt[], client: Client): Group[] {
  const groups = new Set<InferredGroup>()
  const byTransaction = new Map<string, InferredGroup>()
  const latest = new NestedMap<InferredGroup>()
  const lastOf = new Map(attempts.map(({ transactionId, number }) => [transactionId, number]))
  for (const attempt of attempts) {
    const { transactionId, user } = attempt
    const { payload } = attempt.request
    // A client that sends several mailings at a time asks for something else in between.
    const alike = payload && latest.entry(user, payload.scheduleDate, ...Object.values(payload.content))
    const own = transactionId === undefined ? undefined : byTransaction.get(transactionId)
    const group = own ??
      groupToContinue(alike?.value, attempt, lastOf, client) ?? { attempts: [], created: undefined }
    groups.add(group)
    group.attempts.push(attempt)
    if (!group.created && client.knowledge.knownAtEnd(attempt) === 'CREATED') group.created = attempt
    if (alike) alike.value = group
    if (transactionId !== undefined) byTransaction.set(transactionId, group)
  }
  return [...groups]
}

/** @param lastOf the number of the last attempt of each transaction */
function groupToContinue(
  group: InferredGroup | undefined,
  attempt: Attempt,
  lastOf: ReadonlyMap<string | undefined, number>,
  { knowledge, endings, end }: Client,
): InferredGroup | undefined {
  if (!group) return undefined
  const { attempts, created } = group
  const last = attempts.at(-1)!
  const window = knowledge.knownAtEnd(last) === 'INDETERMINATE_FAILURE' ? indeterminateWindow : chainWindow
  const isSoon = Math.abs(attempt.arrived.clock - last.arrived.clock) <= window
  // Where one mailing is only a guess, CREATED that left whole and in time counts as received.
  const isDone = created && (!end || knowledge.knownBefore(created, attempt) === 'CREATED')
  return isSoon && !isDone && isFollowedBy(last, attempt, lastOf) && !endings.mayBeKnown(last, attempt)
    ? group
    : undefined
}

/** Milliseconds; a client waits so long for an answer before it gives up. Requests for two mailings are often closer. */
const shortestPatience = 100

/**
 * Whether an attempt may have come in place of another try of an earlier one. Overlapping requests probably mean two
 * mailings, and whoever goes on with the earlier transaction afterwards means two.
 */
function isFollowedBy(
  earlier: Attempt,
  attempt: Attempt,
  lastOf: ReadonlyMap<string | undefined, number>,
): boolean {
  const ending = endingBefore(earlier, attempt)
  const { transactionId } = earlier
  if (transactionId !== undefined && lastOf.get(transactionId)! > attempt.number) return false
  if (ending !== 'perhaps') return ending !== 'running'
  return transactionId !== undefined && attempt.arrived.real - earlier.arrived.real >= shortestPatience
}

function groupByTransaction(attempts: readonly Attempt[]): Transaction[] {
  // Usually there is only one: it shares the array with its sending, so that derived data is computed once.
  const [{ transactionId }] = attempts as readonly [Attempt]
  if (attempts.every(it => it.transactionId === transactionId)) return [{ transactionId, attempts }]
  const byId = groupBy(attempts, it => it.transactionId)
  return [...byId].map(([transactionId, ofOne]) => ({ transactionId, attempts: ofOne }))
}

export function lastAttemptOf({ attempts, transactions }: IntendedSending) {
  const last = attempts.at(-1)!
  return { last, transaction: transactions.find(it => it.attempts.includes(last))! }
}
