import type { Attempt, Told } from './evidence.ts'

/**
 * What a careful client takes an answer for, had it received it. A state; `refused`: a client error; `limited`: too
 * early, nothing was done; `unknown`: anything else, a server error, a redirect, or a success without a sending in it.
 */
export type Meaning =
  | 'PENDING'
  | 'CREATED'
  | 'FAILED'
  | 'INDETERMINATE_FAILURE'
  | 'refused'
  | 'limited'
  | 'unknown'

export function meaningOf({ status, state }: Told): Meaning {
  if (state !== undefined) return state
  // 408 says that the request did not come whole; 425 and 429 that it came too early.
  if (status < 400 || status >= 500 || status === 408) return 'unknown'
  return status === 425 || status === 429 ? 'limited' : 'refused'
}

/** What the client was meant to be told; `unknown` for nothing. */
export const meantFor = ({ told }: Attempt): Meaning => (told ? meaningOf(told) : 'unknown')
