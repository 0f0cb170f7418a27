import type { Attempt } from './evidence.ts'
import { meantFor } from './hearing.ts'
import type { Knowledge } from './knowledge.ts'
import { stateAmong } from './standing.ts'

/** Attempts whose answers told something of what became of their transaction. Errors and silence tell nothing. */
export interface Tellers {
  /** That told a state, and left at once or were proved to be received. */
  readonly states: readonly Attempt[]
  /** Those of them that told CREATED. */
  readonly created: readonly Attempt[]
  /** That told something else, and left at once or were proved to be received. */
  readonly others: readonly Attempt[]
  /** Of which nobody can say whether they were received. */
  readonly doubtful: readonly Attempt[]
}

/** @param attempts in the order of arrival */
export function tellersAmong(attempts: readonly Attempt[], knowledge: Knowledge): Tellers {
  const tellers = {
    states: [] as Attempt[],
    created: [] as Attempt[],
    others: [] as Attempt[],
    doubtful: [] as Attempt[],
  }
  for (const attempt of attempts) {
    const meaning = meantFor(attempt)
    if (meaning === 'unknown') continue
    const receipt = knowledge.receipt(attempt)
    if (receipt === 'none') continue
    if (receipt === 'unknown') tellers.doubtful.push(attempt)
    else if (stateAmong(meaning)) tellers.states.push(attempt)
    else tellers.others.push(attempt)
    if (meaning === 'CREATED' && receipt !== 'unknown') tellers.created.push(attempt)
  }
  return tellers
}
