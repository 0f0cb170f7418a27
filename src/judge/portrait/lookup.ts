import type { Decision } from './decisions.ts'
import type { PauseModel } from './pauses.ts'
import { type Condition, holds } from './tree.ts'

/** What a client does where some conditions hold. */
export interface TableRow {
  readonly when: readonly Condition[]
  /** Null where nothing is claimed. */
  readonly action: string | null
  readonly pause?: PauseModel | null | undefined
}

/** The row of a table that holds for a decision; undefined if there is none. */
export const findRow = <Row extends TableRow>(
  table: readonly { readonly name: string; readonly rows: readonly Row[] }[],
  { situation, features }: Pick<Decision, 'situation' | 'features'>,
): Row | undefined =>
  table.find(({ name }) => name === situation)?.rows.find(({ when }) => when.every(it => holds(it, features)))
