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

/** Every repeat that carries something else than the attempt that made its sending: the service ignores it silently. */
export function* changedRepeats(
  file: CaseFile,
  isChanged: (binding: Attempt, repeat: Attempt) => boolean,
): Iterable<ChangedRepeat> {
  if (file.repeated.length === 0) return
  const causes = new Map(
    file.evidence.sendings.map(it => [`${it.synchronizationId} ${it.transactionId}`, it.cause]),
  )
  for (const sending of file.repeated)
    for (const transaction of sending.transactions) {
      const { transactionId, attempts } = transaction
      if (transactionId === undefined) continue
      const cause = causes.get(`${sending.synchronizationId} ${transactionId}`)
      const binding = attempts.find(({ id }) => id === cause)
      if (!binding) continue
      for (const repeat of attempts) {
        if (repeat === binding || isNoRepeat(repeat, binding) || !isChanged(binding, repeat)) continue
        const isAfterCreated = attempts.some(it => file.knowledge.heard(it, repeat) === 'CREATED')
        yield { sending, transaction, binding, repeat, isAfterCreated }
      }
    }
}

/** What the service would not take is no repeat of anything; nor is what was lost before anything was bound. */
const isNoRepeat = ({ truth, number }: Attempt, binding: Attempt) =>
  truth === undefined ? number < binding.number : truth.status >= 400 && truth.status < 500
