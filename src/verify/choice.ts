import { nearest } from '../store/nearest.ts'
import { CannotVerify } from './cannot-verify.ts'

/**
 * The clauses that patterns choose: `4.1` and everything of that section, `7/*` by its letters; all without patterns.
 * @throws CannotVerify for a pattern that chooses nothing
 */
export function chosenClauses(ids: readonly string[], patterns: readonly string[]): ReadonlySet<string> {
  if (patterns.length === 0) return new Set(ids)
  return new Set(
    patterns.flatMap(pattern => {
      const found = ids.filter(id => isChosen(id, pattern))
      if (found.length > 0) return found
      const near = nearest(pattern, ids)
      throw new CannotVerify(
        `--filter ${JSON.stringify(pattern)} chooses no clause.${near === undefined ? '' : ` Did you mean ${JSON.stringify(near)}?`} verify --list shows all`,
      )
    }),
  )
}

function isChosen(id: string, pattern: string): boolean {
  if (pattern.includes('*')) return glob(id, pattern.split('*'))
  return id === pattern || (id.startsWith(pattern) && /^[ /.]/.test(id.slice(pattern.length)))
}

/** Pieces in their order, the first at the beginning and the last at the end. */
function glob(id: string, [first = '', ...rest]: readonly string[]): boolean {
  if (!id.startsWith(first)) return false
  let at = first.length
  for (const [n, piece] of rest.entries()) {
    const found = n === rest.length - 1 ? id.length - piece.length : id.indexOf(piece, at)
    if (found < at || !id.startsWith(piece, found)) return false
    at = found + piece.length
  }
  return true
}
