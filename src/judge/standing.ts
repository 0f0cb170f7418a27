import type { SendingState } from '../store/rows.ts'
import type { CaseFile } from './case-file.ts'
import type { Attempt } from './evidence.ts'
import { type Meaning, meantFor } from './hearing.ts'
import type { Knowledge } from './knowledge.ts'
import type { Transaction } from './logical-sendings.ts'
import type { Seen } from './looks.ts'
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
  const last = lastBefore(attempts, later)
  const heardLast = last && knowledge.heard(last, later)
  const { states, others, doubtful } = file.tellersIn(transaction)
  // The last that it was told counts, so everything is looked for from the end.
  let at = indexAfter(states, later.number - 1) - 1
  while (at >= 0 && !knowledge.heard(states[at]!, later)) at--
  const teller = states[at]
  const isUnsure = [states, others, doubtful].some(it => isDoubtSince(teller, it, later, knowledge))
  const seen =
    transactionId === undefined ? undefined : seenSince(teller ?? attempts[0]!, transactionId, later, file)
  if (seen) return { state: seen.state, teller: seen.read, heardLast, isUnsure: false }
  return { state: teller && stateAmong(meantFor(teller)), teller, heardLast, isUnsure }
}

const lastBefore = (attempts: readonly Attempt[], { number }: Attempt): Attempt | undefined =>
  attempts[indexAfter(attempts, number - 1) - 1]

/** Whether the client may have been told more since, and may not. */
function isDoubtSince(
  teller: Attempt | undefined,
  answers: readonly Attempt[],
  later: Attempt,
  knowledge: Knowledge,
): boolean {
  for (let at = indexAfter(answers, later.number - 1) - 1; at >= 0; at--) {
    const answer = answers[at]!
    if (teller && answer.number <= teller.number) return false
    if (knowledge.heard(answer, later) === undefined) {
      if (knowledge.mayHaveHeard(answer, later)) return true
    } else if (knowledge.isSettled(answer, later)) return false
  }
  return false
}

/** The last that reads showed of it. */
function seenSince(
  { number: since }: Attempt,
  transactionId: string,
  later: Attempt,
  file: CaseFile,
): Seen | undefined {
  const seen = file.sightingsOf(later.synchronizationId, transactionId)
  for (let at = indexAfter(seen, later.number - 1) - 1; at >= 0 && seen[at]!.number > since; at--)
    if (file.knowledge.heard(seen[at]!.read, later)) return seen[at]
  return undefined
}

/** The state that an answer tells, if it tells one. */
export const stateAmong = (meaning: Meaning | undefined): SendingState | undefined =>
  meaning === undefined || meaning === 'refused' || meaning === 'limited' || meaning === 'unknown'
    ? undefined
    : meaning
