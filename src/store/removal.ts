import type { Removable } from './rows.ts'

/** The row, unless there is none or it was deleted. */
export const unlessRemoved = <Row extends Removable>(row: Row | undefined): Row | undefined =>
  row?.removedAt === undefined ? row : undefined
