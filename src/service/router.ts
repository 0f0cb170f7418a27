import { TrieRouter } from 'hono/router/trie-router'
import { tryDecodeURIComponent } from 'hono/utils/url'
import { getOrMake } from '../store/maps.ts'
import type { Operation } from './operation.ts'
import { type OperationId, operationIds, operations } from './operations.ts'
import { requestPath } from './request-input.ts'

/**
 * Maximum number of cached paths for each method, and their maximum length: a client that invents paths
 * cannot fill the memory.
 */
const maxCachedPaths = 1_000
const maxCachedPathLength = 300

/** An operation and the values of its path variables. */
export interface RecognisedOperation {
  readonly id: OperationId
  readonly params: Readonly<Record<string, string>>
}

/** All paths of an operation. @param segment the platform segment of integration paths */
export const pathsOf = (operation: Operation, segment: string): string[] =>
  [operation.path, ...(operation.alsoAt ?? [])].map(path => path.replace(':platform', segment))

/** The paths of the operations with one platform segment. */
interface Routes {
  readonly router: TrieRouter<OperationId>
  /** By method, then path. Clients ask for few resources, and often; a look-up takes a third of the time of matching. */
  readonly known: ReadonlyMap<string, Map<string, RecognisedOperation | null>>
}

const routesBySegment = new Map<string, Routes>()

function makeRoutes(segment: string): Routes {
  const router = new TrieRouter<OperationId>()
  for (const id of operationIds)
    for (const path of pathsOf(operations[id], segment)) router.add(operations[id].method, path, id)
  return { router, known: new Map(['GET', 'POST'].map(method => [method, new Map()])) }
}

/** The operation that a request is for. HEAD counts as GET. @param target path, with or without a query */
export function recogniseOperation(
  method: string,
  target: string,
  segment: string,
): RecognisedOperation | undefined {
  const path = requestPath(target)
  const asked = method === 'HEAD' ? 'GET' : method
  const routes = getOrMake(routesBySegment, segment, makeRoutes)
  const known = path.length > maxCachedPathLength ? undefined : routes.known.get(asked)
  const before = known?.get(path)
  if (before !== undefined) return before ?? undefined
  const found = matchOperation(asked, path, segment)
  if (known && known.size >= maxCachedPaths) known.clear()
  known?.set(path, found ?? null)
  return found
}

function matchOperation(method: string, path: string, segment: string): RecognisedOperation | undefined {
  const [[found]] = getOrMake(routesBySegment, segment, makeRoutes).router.match(method, path)
  if (!found) return undefined
  const params = Object.entries(found[1]).map(([name, text]) => [name, tryDecodeURIComponent(String(text))])
  return { id: found[0], params: Object.fromEntries(params) }
}

/** The methods of a path, in the order of the operations, without HEAD and OPTIONS. @param path as `requestPath` gives it */
export function methodsAt(path: string, segment: string): Set<string> {
  const isThere = (id: OperationId) => matchOperation(operations[id].method, path, segment)?.id === id
  return new Set(operationIds.filter(isThere).map(id => operations[id].method))
}

/** A path with parameters in braces, as routers need it: `/spaces/{space}` becomes `/spaces/:space`. */
export const toRouterPath = (path: string): string => path.replaceAll(/\{(\w+)\}/g, ':$1')

/** The reverse: a path with its parameters in braces, as documents show it. */
export const toPathTemplate = (path: string): string => path.replaceAll(/:(\w+)/g, '{$1}')
