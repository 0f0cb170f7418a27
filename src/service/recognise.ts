import { type Operation, type OperationId, operationIds, operations } from './operations.ts'

/** An operation with what its path's variables stand for. */
export interface Recognised {
  readonly id: OperationId
  readonly params: Readonly<Record<string, string>>
}

/** All paths at which an operation is answered. @param segment the platform segment of integration paths */
export const pathsOf = (operation: Operation, segment: string): string[] =>
  [operation.path, ...(operation.alsoAt ?? [])].map(path => path.replace(':platform', segment))

/**
 * Which operation a request is for. HEAD counts as GET.
 * @param path without a query, as it stands in the request
 */
export function operationAt(method: string, path: string, segment: string): Recognised | undefined {
  const asked = method === 'HEAD' ? 'GET' : method
  const seen = path.split('/')
  for (const id of operationIds) {
    const operation: Operation = operations[id]
    if (operation.method !== asked) continue
    for (const pattern of pathsOf(operation, segment)) {
      const params = match(pattern.split('/'), seen)
      if (params) return { id, params }
    }
  }
  return undefined
}

/** The methods that a path can be asked with, without HEAD and OPTIONS. */
export function methodsAt(path: string, segment: string): Set<string> {
  const seen = path.split('/')
  const known = operationIds.map((id): Operation => operations[id])
  const there = known.filter(operation =>
    pathsOf(operation, segment).some(pattern => match(pattern.split('/'), seen)),
  )
  return new Set(there.map(({ method }) => method))
}

function match(pattern: readonly string[], seen: readonly string[]): Record<string, string> | undefined {
  if (pattern.length !== seen.length) return undefined
  const params: Record<string, string> = {}
  for (const [at, part] of pattern.entries()) {
    const given = seen[at]!
    if (!part.startsWith(':')) {
      if (part !== given) return undefined
    } else if (given === '') return undefined
    else params[part.slice(1)] = decoded(given)
  }
  return params
}

/** As written where it cannot be decoded: the service refuses that itself. */
function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}
