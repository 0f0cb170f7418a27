import type { Attempt, Evidence } from './evidence.ts'
import { isOver, type Knowledge } from './knowledge.ts'
import { Nested } from './nested.ts'
import { grouped } from './order.ts'

/** All attempts to get one mailing sent. */
export interface LogicalCase {
  readonly synchronizationId: string | undefined
  /** In the order of arrival. */
  readonly attempts: readonly Attempt[]
  /** By transaction ID, in the order in which they began; those without one are one group. */
  readonly transactions: readonly Transaction[]
  /** `declared`: it is known that these mean one mailing. `inferred`: it looks so. `single`: there is one transaction. */
  readonly basis: 'declared' | 'inferred' | 'single'
  /** Whether its first request is on record, as far as the platform knows of any. */
  readonly isWhole: boolean
}

export interface Transaction {
  readonly transactionId: string | undefined
  readonly attempts: readonly Attempt[]
}

interface Growing {
  readonly attempts: Attempt[]
  /** The first one whose answer told, and probably reached, the client that it is done. */
  created: Attempt | undefined
}

/** Milliseconds after which another transaction is taken for another mailing. */
const chained = 15 * 60_000
/** The same after INDETERMINATE_FAILURE, after which the document forbids it without any limit. */
const forbidden = 24 * 60 * 60_000

/**
 * Groups attempts into sendings that were meant.
 * @param meant how many mailings were to be sent; undefined where nobody has said so
 */
export function sendingsIn(
  creations: readonly Attempt[],
  evidence: Evidence,
  knowledge: Knowledge,
  meant: number | undefined,
): LogicalCase[] {
  const bySynchronization = grouped(creations, ({ synchronizationId }) => synchronizationId)
  const unseen = causesOffRecord(evidence)
  const isDeclared = meant === 1
  const groupsOf = isDeclared
    ? (attempts: Attempt[]) => [{ attempts }]
    : hasOneForEach(creations, meant)
      ? transactionsIn
      : (attempts: Attempt[]) => chains(attempts, knowledge)
  return [...bySynchronization].flatMap(([synchronizationId, attempts]) => {
    return groupsOf(attempts).map((group): LogicalCase => {
      const transactions = transactionsIn(group.attempts)
      return {
        synchronizationId,
        attempts: group.attempts,
        transactions,
        basis: isDeclared ? 'declared' : transactions.length > 1 ? 'inferred' : 'single',
        isWhole:
          unseen.size === 0 ||
          transactions.every(({ transactionId }) => !unseen.has(`${synchronizationId} ${transactionId}`)),
      }
    })
  })
}

/** Whether there are no more transaction IDs than mailings: then each stands for a mailing of its own. */
function hasOneForEach(creations: readonly Attempt[], meant: number | undefined): boolean {
  if (meant === undefined) return false
  // An ID is unique within its synchronization.
  const used = new Set(creations.map(it => `${it.synchronizationId} ${it.transactionId}`))
  return used.size <= meant && creations.every(({ transactionId }) => transactionId !== undefined)
}

/** Transactions that began with a request that is not on record. */
function causesOffRecord({ attempts, sendings }: Evidence): Set<string> {
  const onRecord = new Set(attempts.map(({ id }) => id))
  const unseen = new Set<string>()
  for (const { cause, synchronizationId, transactionId } of sendings)
    if (transactionId !== null && !onRecord.has(cause)) unseen.add(`${synchronizationId} ${transactionId}`)
  return unseen
}

/**
 * Nobody says what was meant. The same transaction ID is the same mailing; another one, or none, is taken for the same
 * if the same is asked for soon after, while the earlier one is not known to have been sent.
 */
function chains(attempts: readonly Attempt[], knowledge: Knowledge): Growing[] {
  const groups: Growing[] = []
  const byTransaction = new Map<string, Growing>()
  const latest = new Nested<Growing>()
  for (const attempt of attempts) {
    const { transactionId } = attempt
    const own = transactionId === undefined ? undefined : byTransaction.get(transactionId)
    // Whoever sends several mailings at a time asks for something else in between.
    const alike = sameAsked(attempt, latest)
    const known = own ?? continued(alike?.value, attempt, knowledge)
    if (known) known.attempts.push(attempt)
    const group = known ?? begun(groups, attempt)
    if (!group.created && knowledge.known(attempt) === 'CREATED') group.created = attempt
    if (alike) alike.value = group
    if (transactionId !== undefined) byTransaction.set(transactionId, group)
  }
  return groups
}

/** What was asked for with the same payload by the same user; undefined where the payload is not known. */
function sameAsked({ user, asked }: Attempt, latest: Nested<Growing>): Nested<Growing> | undefined {
  const { payload } = asked
  return payload && latest.at(user, payload.scheduleDate, payload.name, payload.subject)
}

function begun(groups: Growing[], attempt: Attempt): Growing {
  const group: Growing = { attempts: [attempt], created: undefined }
  groups.push(group)
  return group
}

function continued(group: Growing | undefined, attempt: Attempt, knowledge: Knowledge): Growing | undefined {
  const last = group?.attempts.at(-1)
  if (!group || !last) return undefined
  const window = knowledge.known(last) === 'INDETERMINATE_FAILURE' ? forbidden : chained
  const isSoon = Math.abs(attempt.arrived.clock - last.arrived.clock) <= window
  const isDone = group.created !== undefined && knowledge.heard(group.created, attempt) === 'CREATED'
  // What is under way at the same time is likely to be meant twice.
  const isParallel = !isOver(last, attempt)
  return isSoon && !isDone && !isParallel ? group : undefined
}

function transactionsIn(attempts: readonly Attempt[]): Transaction[] {
  // Most have one only; the series that it and its sending have in common is read once.
  const [{ transactionId }] = attempts as readonly [Attempt]
  if (attempts.every(it => it.transactionId === transactionId)) return [{ transactionId, attempts }]
  const byId = grouped(attempts, it => it.transactionId)
  return [...byId].map(([transactionId, attempts]) => ({ transactionId, attempts }))
}
