import { fillPath, type OperationId, operations, pathTo } from '../../service/operations.ts'

export { type OperationId, pathTo }

export type Variables = Readonly<Record<string, string>>

/** The path of an operation from that of another one on, which it begins with: `/lists` of a customer. */
export const pathBelow = (parent: OperationId, id: OperationId, variables: Variables = {}): string =>
  fillPath(operations[id].path.slice(operations[parent].path.length), variables)
