import { tryDecodeURIComponent } from 'hono/utils/url'
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
import { answersOf, type Operation, type PathVariables } from './operation.ts'
import { PathRouter } from './path-router.ts'
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

export interface RecognisedOperation {
  readonly id: OperationId
  readonly params: PathVariables
}

/** All paths of an operation. @param segment the platform segment of integration paths */
export const pathsOf = ({ path, alsoAt = [] }: Operation, segment = ':platform'): string[] =>
  [path, ...alsoAt.map(it => it.path)].map(it => it.replace(':platform', segment))

/** Values with which the variables of a path are filled in, by their names. */
export type PathValues = Readonly<Record<string, string | number>>

/** A path with its variables filled in. @throws Error for a variable without a value */
export const fillPath = (path: string, values: PathValues): string =>
  path.replaceAll(/:(\w+)/g, (_, name: string) => {
    const value = values[name]
    if (value === undefined) throw new Error(`there is no value for "${name}" in ${path}`)
    return encodeURIComponent(value)
  })

/** The path of an operation with its variables filled in. @param segment the platform segment of integration paths */
export const pathTo = (id: OperationId, segment: string, values: PathValues = {}): string =>
  fillPath(operations[id].path, { ...values, platform: segment })

/** All mocks of a process have it: what it keeps follows from the operations alone. */
const router = new PathRouter<OperationId>()
for (const id of operationIds)
  for (const path of pathsOf(operations[id])) router.add(operations[id].method, path, id)

/**
 * The operation that a request is for. HEAD counts as GET.
 * @param target path, with or without a query
 * @param segment the platform segment of integration paths
 */
export function recogniseOperation(
  method: string,
  target: string,
  segment: string,
): RecognisedOperation | undefined {
  const [[match], texts] = router.match(method === 'HEAD' ? 'GET' : method, requestPath(target))
  if (!match) return undefined
  const [id, places] = match
  const params: Record<string, string> = {}
  for (const name in places) {
    const place = places[name]!
    const raw = texts ? texts[place as number]! : String(place)
    const text = raw.includes('%') ? tryDecodeURIComponent(raw) : raw
    if (name !== 'platform') params[name] = text
    else if (text !== segment) return undefined
  }
  return { id, params }
}

/** The methods of a path, in the order of the operations, without HEAD and OPTIONS. */
export function methodsAt(path: string, segment: string): Set<string> {
  const isThere = (id: OperationId) => recogniseOperation(operations[id].method, path, segment)?.id === id
  return new Set(operationIds.filter(isThere).map(id => operations[id].method))
}

/** A path with parameters in braces, as routers need it: `/spaces/{space}` becomes `/spaces/:space`. */
export const toRouterPath = (path: string): string => path.replaceAll(/\{(\w+)\}/g, ':$1')

/** The reverse: a path with its parameters in braces, as documents show it. */
export const toPathTemplate = (path: string): string => path.replaceAll(/:(\w+)/g, '{$1}')
