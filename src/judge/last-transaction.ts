import type { Attempt } from './evidence.ts'
import type { LogicalCase, Transaction } from './logical-sendings.ts'

/** The last request of a sending, and the transaction that it belongs to. */
export function lastOf({ attempts, transactions }: LogicalCase): {
  readonly transaction: Transaction
  readonly last: Attempt
} {
  const last = attempts.at(-1)!
  return { last, transaction: transactions.find(it => it.attempts.includes(last))! }
}
