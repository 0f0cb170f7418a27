import { type OperationId, operations } from '../../service/operations.ts'

export type { OperationId }

export type Variables = Readonly<Record<string, string>>

const fillIn = (path: string, variables: Variables): string =>
  path.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(variables[name]!))

/** The path of an operation. @param segment the platform segment of integration paths */
export const pathTo = (id: OperationId, segment: string, variables: Variables = {}): string =>
  fillIn(operations[id].path.replace(':platform', segment), variables)

/** The path of an operation from that of another one on, which it begins with: `/lists` of a customer. */
export const pathBelow = (parent: OperationId, id: OperationId, variables: Variables = {}): string =>
  fillIn(operations[id].path.slice(operations[parent].path.length), variables)
