import type { CaseFile } from './case-file.ts'
import type { Attempt } from './evidence.ts'
import { isOver } from './knowledge.ts'
import type { LogicalCase, Transaction } from './logical-sendings.ts'
import { type Look, looksBetween } from './looks.ts'
import { type Standing, standingOf } from './standing.ts'

/**
 * When a client went on with another transaction ID, or without one. `silence`: without knowing what had become of the
 * earlier one. `collection`: the same, after it looked in a collection that leaves the earlier one out. `restart`: the
 * same, after it had been killed and started again. The others: when it knew that.
 */
export type SwitchKind =
  | 'silence'
  | 'collection'
  | 'restart'
  | 'PENDING'
  | 'CREATED'
  | 'FAILED'
  | 'INDETERMINATE_FAILURE'

export interface Switch {
  readonly kind: SwitchKind
  readonly sending: LogicalCase
  readonly from: Transaction
  readonly to: Transaction
  /** The last request of the earlier transaction before. */
  readonly last: Attempt
  /** The first request of the later transaction. */
  readonly first: Attempt
  /** The answer that told the state. */
  readonly teller: Attempt | undefined
  /** The look into the collection. */
  readonly look: Attempt | undefined
  /** The requests that show it, in their order. */
  readonly requests: readonly Attempt[]
}

/** Each time that a client went on with another transaction of the same sending. */
export function switchesIn(sending: LogicalCase, file: CaseFile): Switch[] {
  const { transactions, attempts } = sending
  if (transactions.length === 1) return []
  const transactionOf = new Map(transactions.map(it => [it.transactionId, it]))
  const switches: Switch[] = []
  for (const [at, first] of attempts.entries()) {
    const to = transactionOf.get(first.transactionId)!
    const last = attempts[at - 1]
    if (to.attempts[0] !== first || !last) continue
    const from = transactionOf.get(last.transactionId)!
    const made = switchBetween(sending, from, to, last, first, file)
    if (made) switches.push(made)
  }
  return switches
}

function switchBetween(
  sending: LogicalCase,
  from: Transaction,
  to: Transaction,
  last: Attempt,
  first: Attempt,
  file: CaseFile,
): Switch | undefined {
  // What is still under way is a matter of overlapping, not of what was learnt.
  if (!isOver(last, first)) return undefined
  const standing = standingOf(from, first, file)
  const looks = looksBetween(last, first, from.transactionId, file)
  const kind = kindOf(standing, looks, file.isRestartBetween(last, first))
  if (!kind) return undefined
  const { teller } = standing
  const look = looks.find(({ isPartial }) => isPartial)?.attempt
  const shown = new Set([teller, last, look, first].filter(it => it !== undefined))
  const requests = [...shown].sort((one, other) => one.number - other.number)
  return { kind, sending, from, to, last, first, teller, look, requests }
}

/** Undefined where the document has nothing against it, or it cannot be told. */
function kindOf(standing: Standing, looks: readonly Look[], isRestart: boolean): SwitchKind | undefined {
  const { state, heardLast, isUnsure } = standing
  if (isUnsure) return undefined
  if (state === 'FAILED') return 'FAILED'
  if (isRestart) return 'restart'
  if (state !== undefined) return state
  // A refusal is about the request as it was; nothing was bound by it. 429 comes before any work.
  if (heardLast === 'refused' || heardLast === 'limited') return undefined
  // Whoever has looked through all of them, or perhaps has, knows what the judge may not.
  if (looks.some(({ isPartial }) => !isPartial)) return undefined
  return looks.length > 0 ? 'collection' : 'silence'
}
