import type { SendingState } from '../store/rows.ts'
import type { CaseFile } from './case-file.ts'
import type { Attempt } from './evidence.ts'
import type { Meaning } from './hearing.ts'
import type { Transaction } from './logical-sendings.ts'
import { isRead } from './looks.ts'

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
export function standingOf(
  { transactionId, attempts }: Transaction,
  later: Attempt,
  file: CaseFile,
): Standing {
  const { knowledge } = file
  let state: SendingState | undefined
  let teller: Attempt | undefined
  let heardLast: Meaning | undefined
  let isUnsure = false
  for (const attempt of attempts) {
    if (attempt.number >= later.number) break
    heardLast = knowledge.heard(attempt, later)
    const told = stateAmong(heardLast)
    if (told) [state, teller] = [told, attempt]
    const maybe = knowledge.mayHaveHeard(attempt, later)
    if (heardLast !== undefined) isUnsure &&= told === undefined
    else if (maybe !== undefined && maybe !== 'unknown') isUnsure = true
  }
  for (const read of file.between(attempts[0]!, later).filter(isRead)) {
    if (teller && read.number < teller.number) continue
    const seen = read.told?.sightings?.find(it => it.transactionId === transactionId)
    if (seen && transactionId !== undefined && knowledge.heard(read, later))
      [state, teller, isUnsure] = [seen.state, read, false]
  }
  return { state, teller, heardLast, isUnsure }
}

/** The state that an answer tells, if it tells one. */
export const stateAmong = (meaning: Meaning | undefined): SendingState | undefined =>
  meaning === undefined || meaning === 'refused' || meaning === 'limited' || meaning === 'unknown'
    ? undefined
    : meaning
