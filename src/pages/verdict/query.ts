import type { z } from 'zod'
import type { verdictQuery } from '../../rig/control/verdict.ts'

export type VerdictQuery = z.output<typeof verdictQuery>
/** What only they know who ran the client, as an address tells it. */
export type End = Pick<VerdictQuery, 'believes' | 'expected' | 'workers'>

/** What only they know who ran the client, to go on with it elsewhere. Nothing where nobody has told it. */
export const endPairs = ({ believes, expected, workers }: End): Record<string, string> =>
  believes ? { believes, expected: String(expected), workers: String(workers) } : {}

/** A query of an address, with its question mark; empty for nothing. */
export function searchOf(pairs: Readonly<Record<string, string>>): string {
  const text = new URLSearchParams(pairs).toString()
  return text === '' ? '' : `?${text}`
}
