import { type Operation, type OperationId, operationIds, operations } from './operations.ts'
import { RememberedPaths } from './remembered-paths.ts'

/** An operation with what its path's variables stand for. */
export interface Recognised {
  readonly id: OperationId
  readonly params: Readonly<Record<string, string>>
}

/** All paths at which an operation is answered. @param segment the platform segment of integration paths */
export const pathsOf = (operation: Operation, segment: string): string[] =>
  [operation.path, ...(operation.alsoAt ?? [])].map(path => path.replace(':platform', segment))

/** A path in parts, with its operation. */
interface Pattern {
  readonly id: OperationId
  readonly method: Operation['method']
  readonly parts: readonly string[]
}

/** By platform segment: every disturbed request asks, and taking paths apart costs more than all the rest of it. */
const patterns = new Map<string, readonly Pattern[]>()

function patternsOf(segment: string): readonly Pattern[] {
  let known = patterns.get(segment)
  if (!known) {
    known = operationIds.flatMap(id => {
      const operation: Operation = operations[id]
      return pathsOf(operation, segment).map(path => ({
        id,
        method: operation.method,
        parts: path.split('/'),
      }))
    })
    patterns.set(segment, known)
  }
  return known
}

/** By platform segment. */
const recognised = new Map<string, RememberedPaths<{ readonly it: Recognised | undefined }>>()

/**
 * Which operation a request is for. HEAD counts as GET.
 * @param path without a query, as it stands in the request
 */
export function operationAt(method: string, path: string, segment: string): Recognised | undefined {
  const asked = method === 'HEAD' ? 'GET' : method
  let known = recognised.get(segment)
  if (!known) {
    known = new RememberedPaths('GET', 'POST')
    recognised.set(segment, known)
  }
  return known.get(asked, path, () => ({ it: recognise(asked, path, segment) })).it
}

function recognise(asked: string, path: string, segment: string): Recognised | undefined {
  const seen = path.split('/')
  for (const { id, method, parts } of patternsOf(segment)) {
    const params = method === asked ? match(parts, seen) : undefined
    if (params) return { id, params }
  }
  return undefined
}

/** The methods that a path can be asked with, without HEAD and OPTIONS. */
export function methodsAt(path: string, segment: string): Set<string> {
  const seen = path.split('/')
  const there = patternsOf(segment).filter(({ parts }) => match(parts, seen))
  return new Set(there.map(({ method }) => method))
}

function match(pattern: readonly string[], seen: readonly string[]): Record<string, string> | undefined {
  if (pattern.length !== seen.length) return undefined
  const params: Record<string, string> = {}
  for (let at = 0; at < pattern.length; at++) {
    const part = pattern[at]!
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
