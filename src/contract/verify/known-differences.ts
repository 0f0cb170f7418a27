import type { VerifyResult } from './verify-result.ts'

/** What a known-file has. Entries without a clause are not for verifications. */
interface KnownClauses {
  /** The file, for messages. */
  readonly source: string
  readonly entries: readonly {
    readonly line: number
    readonly clause?: string
    readonly reason: string
    readonly expires?: string
    readonly isExpired: boolean
  }[]
}

/**
 * The result of a verification in which known differences are no failures, and entries of clauses that hold again are. What differs
 * only since a known clause does is known with it.
 */
export function acceptDifferences(result: VerifyResult, { source, entries }: KnownClauses): VerifyResult {
  const ofClauses = entries.flatMap(({ clause, ...entry }) =>
    clause === undefined ? [] : [{ ...entry, clause }],
  )
  const reasonOf = (clause: string) => ofClauses.find(it => it.clause === clause && !it.isExpired)?.reason
  const clauses = result.clauses.map(it => {
    const known = it.status === 'differs' ? (reasonOf(it.clause) ?? reasonOf(it.see ?? '')) : undefined
    return known === undefined ? it : { ...it, known }
  })
  const holds = new Set(clauses.filter(({ status }) => status === 'holds').map(({ clause }) => clause))
  const stale = ofClauses.filter(it => !it.isExpired && holds.has(it.clause))
  const hasFailed = stale.length > 0 || clauses.some(it => it.status === 'differs' && it.known === undefined)
  return {
    ...result,
    verdict: result.verdict === 'incomplete' ? 'incomplete' : hasFailed ? 'differs' : 'faithful',
    known: {
      file: source,
      stale: stale.map(({ line, clause, reason }) => ({ line, clause, reason })),
      expired: ofClauses
        .filter(({ isExpired }) => isExpired)
        .map(({ line, clause, expires = '' }) => ({ line, clause, expires })),
    },
    clauses,
  }
}
