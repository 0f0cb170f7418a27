import type { SendingState } from '../../store/rows.ts'
import type { CaseFile } from '../case-file.ts'
import type { Attempt } from '../evidence.ts'
import type { Suspicion } from './rule.ts'
import { idOf, times } from './sentences.ts'

/**
 * Transactions that went on after the client was told this state under them.
 * @param why the rest of the sentence
 */
export function* sameIdAfter(state: SendingState, file: CaseFile, why: string): Iterable<Suspicion> {
  for (const sending of file.repeated)
    for (const transaction of sending.transactions) {
      if (transaction.transactionId === undefined) continue
      const { teller, repeats } = after(state, transaction.attempts, file)
      if (!teller || repeats.length === 0) continue
      yield {
        sending,
        evidence: [teller, ...repeats],
        told: { answer: teller, later: repeats[0]! },
        sentence: `${teller.id} was told ${state} under ${idOf(transaction)}, ${why}; the same came again ${times(repeats.length)}.`,
      }
    }
}

function after(state: SendingState, attempts: readonly Attempt[], file: CaseFile) {
  let teller: Attempt | undefined
  const repeats: Attempt[] = []
  for (const attempt of attempts) {
    if (teller && file.knowledge.heard(teller, attempt) && !file.isRestartBetween(teller, attempt)) {
      if (!file.resends.has(attempt)) repeats.push(attempt)
    } else if (!teller && file.knowledge.known(attempt) === state) teller = attempt
  }
  return { teller, repeats }
}
