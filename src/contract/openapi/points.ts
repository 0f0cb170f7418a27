import { type Clause, clauses } from '../clauses.ts'
import type { Json } from './deployment.ts'

const known = new Map(clauses.map(clause => [clause.id, clause]))

/** @throws an error for an ID that is no clause of the register: a slip of ours */
export function clause(id: string): Clause {
  const found = known.get(id)
  if (!found) throw new Error(`"${id}" is no clause of the fidelity register`)
  return found
}

export const isClause = (id: string): boolean => known.has(id)

/**
 * How sure we are of a point of the document, by which clause, and the dial that turns it.
 * @param further clauses that say more about it, such as what becomes of it in a corner
 */
export function point(id: string, further: readonly string[] = []): Json {
  const dials = [id, ...further].map(it => clause(it).dial).filter(dial => dial !== undefined)
  return {
    'x-clause': id,
    'x-fidelity': clause(id).standing,
    ...(further.length > 0 && {
      'x-further': Object.fromEntries(further.map(it => [it, clause(it).standing])),
    }),
    ...(dials.length > 0 && { 'x-dial': [...new Set(dials)] }),
  }
}

/** A point with what its clauses say. */
export const told = (id: string, further: readonly string[] = []): Json => ({
  description: [id, ...further].map(it => clause(it).says).join(' '),
  ...point(id, further),
})
