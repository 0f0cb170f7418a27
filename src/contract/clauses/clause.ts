import type { Claim, Standing } from '../../service/claim.ts'
import { type DialName, dials } from '../../service/dials.ts'
import type { OperationId } from '../../service/operations.ts'

export type { Standing } from '../../service/claim.ts'

/** A claim of the service, and the operations that it concerns; all if absent. */
export interface Clause extends Claim {
  readonly operations?: readonly OperationId[]
}

/** Clauses that a dial changes, besides the one that the dial itself names. */
const alsoChanged: Readonly<Record<string, DialName>> = {
  '8 rate limit': 'rate-limit',
  'S rate limit headers': 'rate-limit',
  'S 429': 'rate-limit',
  'S problem members': 'error-body',
  'S general error': 'error-body',
  'S validation members': 'error-body',
  'S 400': 'invalid-input-status',
  'S foreign cursor': 'stale-cursor-status',
}

function dialOf(id: string): DialName | undefined {
  const own = (Object.keys(dials) as DialName[]).find(name => dials[name].clause === id)
  return own ?? alsoChanged[id]
}

/** @param says what each clause says, by its ID */
const clauseWriter =
  (standing: Standing) =>
  (says: Readonly<Record<string, string>>, operations?: readonly OperationId[]): Clause[] =>
    Object.entries(says).map(([id, sentence]) => {
      const dial = dialOf(id)
      return { id, says: sentence, standing, ...(operations && { operations }), ...(dial && { dial }) }
    })

/** As the functions of the same name in service/claim.ts, for what holds for all operations or for several. */
export const specified = clauseWriter('specified')
export const documented = clauseWriter('documented')
export const houseStyle = clauseWriter('house style')
export const assumed = clauseWriter('assumed')
