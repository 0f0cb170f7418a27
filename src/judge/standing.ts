import type { SendingState } from '../store/rows.ts'
import type { CaseFile } from './case-file.ts'
import type { Attempt } from './evidence.ts'
import type { Meaning } from './hearing.ts'
import type { Transaction } from './logical-sendings.ts'
import { indexAfter } from './order.ts'

/** What a client knew of a transaction at some time. */
export interface Standing {
  /** The last state that it was told; undefined for none. */
  readonly state: SendingState | undefined
  /** The answer that told it. */
  readonly teller: Attempt | undefined
  /** What it knew of the answer to the last attempt. */
  readonly heardLast: Meaning | undefined
  /** Whether it may have known more. */
  readonly isUnsure: boolean
}

/** What the client knew of a transaction when it made a later request. */
export function standingOf(transaction: Transaction, later: Attempt, file: CaseFile): Standing {
  const { knowledge } = file
  const { transactionId, attempts } = transaction
  const own = indexAfter(attempts, later.number - 1)
  const heardLast = own === 0 ? undefined : knowledge.heard(attempts[own - 1]!, later)
  let state: SendingState | undefined
  let teller: Attempt | undefined
  let isUnsure = false
  // The last that it was told counts, so that is looked for from the end.
  const tellers = file.tellersIn(transaction)
  for (let at = indexAfter(tellers, later.number - 1) - 1; at >= 0 && !teller; at--) {
    const attempt = tellers[at]!
    const heard = knowledge.heard(attempt, later)
    state = stateAmong(heard)
    if (state) teller = attempt
    else if (heard === undefined && knowledge.mayHaveHeard(attempt, later)) isUnsure = true
  }
  if (transactionId === undefined) return { state, teller, heardLast, isUnsure }
  const seen = file.sightingsOf(later.synchronizationId, transactionId)
  const since = Math.max(attempts[0]!.number, teller?.number ?? 0)
  for (let at = seen.length - 1; at >= 0 && seen[at]!.read.number > since; at--) {
    const { read, state } = seen[at]!
    if (read.number < later.number && knowledge.heard(read, later))
      return { state, teller: read, heardLast, isUnsure: false }
  }
  return { state, teller, heardLast, isUnsure }
}

/** The state that an answer tells, if it tells one. */
export const stateAmong = (meaning: Meaning | undefined): SendingState | undefined =>
  meaning === undefined || meaning === 'refused' || meaning === 'limited' || meaning === 'unknown'
    ? undefined
    : meaning
