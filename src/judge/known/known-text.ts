import { stringify } from 'yaml'
import { type KnownEntry, missingReason, type Place } from './known-findings.ts'

const head = `# What is accepted for now, as docs/known-findings.md tells. Written by --write-known, which keeps reasons and dates and
# writes comments anew. An entry without a reason is refused. Above each entry: what fails the exam (error), or only one
# with --strict (warning); of a clause what it says.`

/** An entry as it stands in a known-file. */
export type WrittenEntry = Partial<Record<'rule' | 'clause' | 'reason' | 'expires', string>> &
  Partial<Record<Place['kind'], readonly string[]>>

export const toWritten = ({ rule, clause, places, reason, expires }: KnownEntry): WrittenEntry => ({
  ...(rule !== undefined && { rule }),
  ...(clause !== undefined && { clause }),
  ...(places && { [places.kind]: places.globs.toSorted() }),
  reason,
  ...(expires !== undefined && { expires }),
})

/** Rules before clauses. */
const sortKey = ({ rule = '~', clause, case: cases, plan, reason }: WrittenEntry) =>
  JSON.stringify([rule, clause, cases, plan, reason])

/** The text of a known-file. @param commentOf the line above an entry; undefined for none */
export function knownText(
  entries: readonly WrittenEntry[],
  commentOf: (entry: WrittenEntry) => string | undefined,
): string {
  const sorted = entries.toSorted((one, other) => (sortKey(one) < sortKey(other) ? -1 : 1))
  const linesOf = (entry: WrittenEntry) => {
    const comment = commentOf(entry)
    return [
      '',
      ...(comment === undefined ? [] : [`# ${comment}`]),
      stringify([entry], { lineWidth: 0 }).trimEnd(),
    ]
  }
  return [head, ...sorted.flatMap(linesOf), ...(sorted.length === 0 ? ['[]'] : []), ''].join('\n')
}

/**
 * The text of a known-file for a verification.
 * @param earlier the entries of the file as it was; those of clauses that hold again go
 * @param commentOf what a clause says
 */
export function knownClausesText(
  clauses: readonly { readonly clause: string; readonly status: string; readonly see?: string | null }[],
  earlier: readonly KnownEntry[],
  commentOf: (clause: string) => string,
): string {
  const holds = new Set(clauses.filter(({ status }) => status === 'holds').map(({ clause }) => clause))
  const kept = earlier.filter(({ clause }) => clause === undefined || !holds.has(clause))
  const accepted = new Set(kept.map(({ clause }) => clause))
  // What differs only because another clause does is accepted with that one.
  const added = clauses.filter(
    ({ clause, status, see }) => status === 'differs' && !accepted.has(clause) && (see ?? null) === null,
  )
  return knownText(
    [...kept.map(toWritten), ...added.map(({ clause }) => ({ clause, reason: missingReason }))],
    ({ clause }) => (clause === undefined ? undefined : commentOf(clause)),
  )
}
