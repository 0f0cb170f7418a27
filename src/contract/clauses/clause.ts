import { type Claim, claimOf, type Standing } from '../../service/claim.ts'
import type { OperationId } from '../../service/operations.ts'

/** A claim of the service, and the operations that it concerns; all if absent. */
export interface Clause extends Claim {
  readonly operations?: readonly OperationId[]
}

/** @param says what each clause says, by its ID */
const clauseWriter =
  (standing: Standing) =>
  (says: Readonly<Record<string, string>>, operations?: readonly OperationId[]): Clause[] =>
    Object.entries(says).map(([id, sentence]) => ({
      ...claimOf(id, sentence, standing),
      ...(operations && { operations }),
    }))

/** As the functions of the same name in service/claim.ts, for what holds for all operations or for several. */
export const specified = clauseWriter('specified')
export const documented = clauseWriter('documented')
export const houseStyle = clauseWriter('house style')
export const assumed = clauseWriter('assumed')
