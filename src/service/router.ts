import type { Result, Router } from 'hono/router'
import { RegExpRouter } from 'hono/router/reg-exp-router'
import { SmartRouter } from 'hono/router/smart-router'
import { TrieRouter } from 'hono/router/trie-router'
import { getPath } from 'hono/utils/url'
import type { Operation } from './operation.ts'
import { type OperationId, operationIds, operations } from './operations.ts'

/**
 * Maximum number of cached paths for each method, and their maximum length: a client that invents paths
 * cannot fill the memory.
 */
const maxCachedPaths = 1_000
const maxCachedPathLength = 300

/** A cache by method and path. Clients ask for few resources, and often. */
export class PathCache<Found extends object> {
  readonly #methods: ReadonlyMap<string, Map<string, Found>>

  /** @param methods whose paths are cached */
  constructor(...methods: readonly string[]) {
    this.#methods = new Map(methods.map(method => [method, new Map()]))
  }

  /** @param find called for an unknown path; its result is cached */
  get(method: string, path: string, find: () => Found): Found {
    const known = path.length > maxCachedPathLength ? undefined : this.#methods.get(method)
    const before = known?.get(path)
    if (before) return before
    const found = find()
    if (known) {
      if (known.size >= maxCachedPaths) known.clear()
      known.set(path, found)
    }
    return found
  }
}

/** An operation and the values of its path variables. */
export interface RecognisedOperation {
  readonly id: OperationId
  readonly params: Readonly<Record<string, string>>
}

/** All paths of an operation. @param segment the platform segment of integration paths */
export const pathsOf = (operation: Operation, segment: string): string[] =>
  [operation.path, ...(operation.alsoAt ?? [])].map(path => path.replace(':platform', segment))

/** A path split into its parts, with its operation. */
interface Pattern {
  readonly id: OperationId
  readonly method: Operation['method']
  readonly parts: readonly string[]
}

/** By platform segment. Cached, since every disturbed request needs them. */
const patternsBySegment = new Map<string, readonly Pattern[]>()

function patternsOf(segment: string): readonly Pattern[] {
  let known = patternsBySegment.get(segment)
  if (!known) {
    known = operationIds.flatMap(id => {
      const operation: Operation = operations[id]
      return pathsOf(operation, segment).map(path => ({
        id,
        method: operation.method,
        parts: path.split('/'),
      }))
    })
    patternsBySegment.set(segment, known)
  }
  return known
}

/** By platform segment. */
const cachesBySegment = new Map<string, PathCache<{ readonly it: RecognisedOperation | undefined }>>()

/**
 * The operation that a request is for. HEAD counts as GET.
 * @param path without a query, as the request has it
 */
export function recogniseOperation(
  method: string,
  path: string,
  segment: string,
): RecognisedOperation | undefined {
  const asked = method === 'HEAD' ? 'GET' : method
  let known = cachesBySegment.get(segment)
  if (!known) {
    known = new PathCache('GET', 'POST')
    cachesBySegment.set(segment, known)
  }
  return known.get(asked, path, () => ({ it: matchOperation(asked, path, segment) })).it
}

function matchOperation(asked: string, path: string, segment: string): RecognisedOperation | undefined {
  const seen = path.split('/')
  for (const { id, method, parts } of patternsOf(segment)) {
    const params = method === asked ? matchPath(parts, seen) : undefined
    if (params) return { id, params }
  }
  return undefined
}

/** The methods of a path, without HEAD and OPTIONS. */
export function methodsAt(path: string, segment: string): Set<string> {
  const seen = path.split('/')
  const there = patternsOf(segment).filter(({ parts }) => matchPath(parts, seen))
  return new Set(there.map(({ method }) => method))
}

function matchPath(pattern: readonly string[], seen: readonly string[]): Record<string, string> | undefined {
  if (pattern.length !== seen.length) return undefined
  const params: Record<string, string> = {}
  for (let at = 0; at < pattern.length; at++) {
    const part = pattern[at]!
    const given = seen[at]!
    if (!part.startsWith(':')) {
      if (part !== given) return undefined
    } else if (given === '') return undefined
    else params[part.slice(1)] = decodeSegment(given)
  }
  return params
}

/** Unchanged if it cannot be decoded: the service refuses it later. */
function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}

/** Hono's routers behind a cache: a look-up takes a third of the time of matching. */
export class CachingRouter<T> implements Router<T> {
  readonly name = 'RememberingRouter'
  readonly #inner = new SmartRouter<T>({ routers: [new RegExpRouter<T>(), new TrieRouter<T>()] })
  readonly #known = new PathCache<Result<T>>('GET', 'POST')

  add(method: string, path: string, handler: T): void {
    this.#inner.add(method, path, handler)
  }

  match(method: string, path: string): Result<T> {
    return this.#known.get(method, path, () => this.#inner.match(method, path))
  }
}

/** Path of a request without its query. Faster than hono's `getPath` for plain addresses. */
export function requestPath(request: Request): string {
  const { url } = request
  if (url.includes('%') || url.includes('#')) return getPath(request)
  const start = url.indexOf('/', url.indexOf('://') + 3)
  const end = url.indexOf('?', start)
  return end < 0 ? url.slice(start) : url.slice(start, end)
}

/** A path with parameters in braces, as routers need it: `/spaces/{space}` becomes `/spaces/:space`. */
export const toRouterPath = (path: string): string => path.replaceAll(/\{(\w+)\}/g, ':$1')

/** The reverse: a path with its parameters in braces, as documents show it. */
export const toPathTemplate = (path: string): string => path.replaceAll(/:(\w+)/g, '{$1}')
