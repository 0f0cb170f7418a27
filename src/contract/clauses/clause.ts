import type { Claim, Standing } from '../../service/claim.ts'
import type { DialName } from '../../service/dials.ts'
import type { OperationId } from '../../service/operations.ts'

export type { Standing } from '../../service/claim.ts'

/** A claim of the service, and the operations that it concerns; all if absent. */
export interface Clause extends Claim {
  readonly operations?: readonly OperationId[]
}

type WriteClause = (id: string, says: string, operations?: readonly OperationId[], dial?: DialName) => Clause

const clauseWriter =
  (standing: Standing): WriteClause =>
  (id, says, operations, dial) => ({
    id,
    says,
    standing,
    ...(operations && { operations }),
    ...(dial !== undefined && { dial }),
  })

/** As the functions of the same name in service/claim.ts, for what holds for all operations or for several. */
export const specified = clauseWriter('specified')
export const documented = clauseWriter('documented')
export const houseStyle = clauseWriter('house style')
export const assumed = clauseWriter('assumed')
