import { TrieRouter } from 'hono/router/trie-router'
import { tryDecodeURIComponent } from 'hono/utils/url'
import { getOrMake } from '../store/maps.ts'
import {
  getAccessibleCustomer,
  getAccessibleLists,
  getCustomerList,
  listAccessibleCustomers,
  listCustomerLists,
  putAccessibleLists,
} from './customers.ts'
import { defaultDials } from './dials.ts'
import { createMailingUpload, getMailingUpload } from './mailing-uploads.ts'
import { getMailing, listMailings } from './mailings.ts'
import { answersOf, type Operation } from './operation.ts'
import { createTestSending, getPreview, listTestMailGroups, listTestProfiles } from './previews-and-tests.ts'
import { requestPath } from './request-input.ts'
import { type AnyForm, type Collection, isCollection } from './resource.ts'
import { createSending, getSending, getSendingStatistics, listSendings } from './sendings/routes.ts'
import {
  createMailingSynchronization,
  getMailingSynchronization,
  listMailingSynchronizations,
} from './synchronizations.ts'

/** All operations of the service, in the order of the API document. Router, register and documents read this table. */
export const operations = {
  createSending,
  getSending,
  listSendings,
  getSendingStatistics,
  getMailingSynchronization,
  createMailingSynchronization,
  listMailingSynchronizations,
  getPreview,
  listTestProfiles,
  listTestMailGroups,
  createMailingUpload,
  getMailingUpload,
  createTestSending,
  listMailings,
  getMailing,
  listAccessibleCustomers,
  getAccessibleCustomer,
  listCustomerLists,
  getCustomerList,
  putAccessibleLists,
  getAccessibleLists,
} satisfies Record<string, Operation>

export type OperationId = keyof typeof operations
export const operationIds = Object.keys(operations) as OperationId[]

/** The operations that read what a sending has below its address, such as its statistics. */
export const partsOfSending: readonly OperationId[] = operationIds.filter(
  id => operations[id].method === 'GET' && operations[id].path.startsWith(`${operations.getSending.path}/`),
)

/** What the answer of an operation shows, where nothing is chosen otherwise; undefined without a body. */
export const shownBy = (id: OperationId): AnyForm | Collection | undefined =>
  answersOf(operations[id], defaultDials).find(({ shows }) => shows)?.shows

/** All forms of all resources and their collections, in the order in which operations show them. */
export const resources: readonly (AnyForm | Collection)[] = [
  ...new Set(
    operationIds
      .flatMap(id => answersOf(operations[id], defaultDials))
      .flatMap(({ shows }) => (shows ? (isCollection(shows) ? [shows.item, shows] : [shows]) : [])),
  ),
]

/** Maximum number of cached paths for each method, and their maximum length: inventing paths cannot fill the memory. */
const maxCachedPaths = 1_000
const maxCachedPathLength = 300

export interface RecognisedOperation {
  readonly id: OperationId
  readonly params: Readonly<Record<string, string>>
}

/** All paths of an operation. @param segment the platform segment of integration paths */
export const pathsOf = (operation: Operation, segment: string): string[] =>
  [operation.path, ...(operation.alsoAt ?? [])].map(path => path.replace(':platform', segment))

/** Values of the variables of a path, by their names. */
export type PathVariables = Readonly<Record<string, string | number>>

/** A path with its variables filled in. @throws Error for a variable without a value */
export const fillPath = (path: string, variables: PathVariables): string =>
  path.replaceAll(/:(\w+)/g, (_, name: string) => {
    const value = variables[name]
    if (value === undefined) throw new Error(`there is no value for "${name}" in ${path}`)
    return encodeURIComponent(value)
  })

/** The path of an operation with its variables filled in. @param segment the platform segment of integration paths */
export const pathTo = (id: OperationId, segment: string, variables: PathVariables = {}): string =>
  fillPath(operations[id].path, { ...variables, platform: segment })

type Routes = ReturnType<typeof makeRoutes>

const routesBySegment = new Map<string, Routes>()

function makeRoutes(segment: string) {
  const router = new TrieRouter<OperationId>()
  for (const id of operationIds)
    for (const path of pathsOf(operations[id], segment)) router.add(operations[id].method, path, id)
  // By method, then path. Clients ask for few resources, and often; a look-up takes a third of the time of matching.
  const newCache = () => new Map<string, RecognisedOperation | null>()
  return { router, known: new Map(['GET', 'POST'].map(method => [method, newCache()])) }
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
  const found = matchOperation(routes, asked, path)
  if (known && known.size >= maxCachedPaths) known.clear()
  known?.set(path, found ?? null)
  return found
}

function matchOperation({ router }: Routes, method: string, path: string): RecognisedOperation | undefined {
  const [[found]] = router.match(method, path)
  if (!found) return undefined
  const params = Object.entries(found[1]).map(([name, text]) => [name, tryDecodeURIComponent(String(text))])
  return { id: found[0], params: Object.fromEntries(params) }
}

/** The methods of a path, in the order of the operations, without HEAD and OPTIONS. @param path as `requestPath` gives it */
export function methodsAt(path: string, segment: string): Set<string> {
  const routes = getOrMake(routesBySegment, segment, makeRoutes)
  const isThere = (id: OperationId) => matchOperation(routes, operations[id].method, path)?.id === id
  return new Set(operationIds.filter(isThere).map(id => operations[id].method))
}

/** A path with parameters in braces, as routers need it: `/spaces/{space}` becomes `/spaces/:space`. */
export const toRouterPath = (path: string): string => path.replaceAll(/\{(\w+)\}/g, ':$1')

/** The reverse: a path with its parameters in braces, as documents show it. */
export const toPathTemplate = (path: string): string => path.replaceAll(/:(\w+)/g, '{$1}')
