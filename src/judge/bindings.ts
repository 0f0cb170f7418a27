import type { CaseFile } from './case-file.ts'
import type { Attempt } from './evidence.ts'
import type { LogicalCase, Transaction } from './logical-sendings.ts'

/** A repeat whose payload is not that of the attempt that bound its transaction ID. */
export interface ChangedRepeat {
  readonly sending: LogicalCase
  readonly transaction: Transaction
  readonly binding: Attempt
  readonly repeat: Attempt
  /** Whether the client knew already that the transaction was CREATED. */
  readonly isAfterCreated: boolean
}

/** The attempts that made a sending, by the transaction that they bound, where it was asked for again. */
export function bindingsIn(file: CaseFile): Map<Transaction, Attempt> {
  const causes = new Set(file.evidence.sendings.map(({ cause }) => cause))
  const bindings = new Map<Transaction, Attempt>()
  for (const { transactions } of file.repeated)
    for (const transaction of transactions) {
      const { transactionId, attempts } = transaction
      if (transactionId === undefined || attempts.length === 1) continue
      // An ID that has expired is bound once more.
      const binding = attempts.findLast(({ id }) => causes.has(id))
      if (binding) bindings.set(transaction, binding)
    }
  return bindings
}

/** Every repeat that carries something else than the attempt that made its sending: the service ignores it silently. */
export function* changedRepeats(
  file: CaseFile,
  isChanged: (binding: Attempt, repeat: Attempt) => boolean,
): Iterable<ChangedRepeat> {
  for (const sending of file.repeated)
    for (const transaction of sending.transactions) {
      const binding = file.bindings.get(transaction)
      if (!binding) continue
      for (const repeat of transaction.attempts) {
        if (repeat === binding || isNoRepeat(repeat, binding) || !isChanged(binding, repeat)) continue
        const isAfterCreated = createdBefore(transaction, repeat, file) !== undefined
        yield { sending, transaction, binding, repeat, isAfterCreated }
      }
    }
}

/** The first attempt by which the client knew that the transaction was CREATED when it made a later request. */
export function createdBefore(transaction: Transaction, later: Attempt, file: CaseFile): Attempt | undefined {
  for (const teller of file.tellersIn(transaction).created) {
    if (teller.number >= later.number) return undefined
    if (file.knowledge.heard(teller, later)) return teller
  }
  return undefined
}

/** What the service would not take is no repeat of anything; nor is what was lost before anything was bound. */
const isNoRepeat = ({ truth, number }: Attempt, binding: Attempt) =>
  truth === undefined ? number < binding.number : truth.status >= 400 && truth.status < 500
