import { getPathNoStrict } from 'hono/utils/url'
import { z } from 'zod'
import { nearestOf } from '../rig/hints.ts'
import { readRequestBytes } from '../rig/request-body.ts'
import { operationIds, operations, toPathTemplate } from '../service/operations.ts'
import { problems } from '../service/problem.ts'
import { halResponse } from '../service/response.ts'
import { memoryKinds } from '../store/memory-budget.ts'
import { right } from '../store/rows.ts'
import { clockRoutes } from './clock.ts'
import { dialRoutes } from './dials.ts'
import { eventRoutes } from './events.ts'
import { examRoutes } from './exams.ts'
import { faultKindRoutes, faultRoutes } from './faults.ts'
import { holdRoutes } from './holds.ts'
import { mailingRoutes } from './mailings.ts'
import { openApiRoute, serviceOpenApiRoutes } from './openapi.ts'
import { pactRoutes } from './pact/pact.ts'
import { platformRoutes } from './platform.ts'
import { requestRoutes } from './requests.ts'
import { type ControlCall, IncomingCall, type Route, route } from './route.ts'
import { createRouter, type RoutedRequest } from './router.ts'
import { scenarioRoutes, scenariosRoutes } from './scenarios.ts'
import { defaultBodyLimit, document, type Link, members, parseOrRefuse, readJsonBody } from './schemas.ts'
import { sidePortRoutes } from './side-port.ts'
import { spaceRoutes } from './spaces.ts'
import type { ControlTools } from './tools.ts'
import { verdictRoutes } from './verdict.ts'

const operation = z.strictObject({
  operationId: z.string(),
  method: z.enum(['GET', 'POST', 'PUT']),
  path: z.string().describe('Parameters in braces'),
  section: z.string().nullable().describe("Of the service's document; null where another document has it"),
  right: right.describe('What a user must be allowed'),
})

const operationRoutes = [
  route('GET /operations', 'listOperations', {
    rel: 'operations',
    summary: 'The operations of the service',
    answer: document({ _embedded: z.strictObject({ operations: z.array(operation) }) }),
    handle: call => ({
      _embedded: {
        operations: operationIds.map(operationId => {
          const { method, path, section, right } = operations[operationId]
          return {
            operationId,
            method,
            path: toPathTemplate(path.replace(':platform', call.tools.names.platformSegment)),
            section: section === 'S' ? null : section,
            right,
          }
        }),
      },
      _links: { self: call.link('/operations') },
    }),
  }),
]

/** `GET /_mock`: links to everything, templated if they need a name. */
const rootRoute = route('GET /', 'getRoot', {
  rel: 'self',
  summary: 'Links to everything there is',
  answer: document({}),
  handle: call => ({
    _links: {
      ...Object.fromEntries(
        routes.flatMap(it => (it.rel === undefined ? [] : [[it.rel, templatedLink(call.base, it)]])),
      ),
      health: { href: `${call.base}/_mock/health`, title: 'Whether the mock is ready' },
      ...(call.tools.authority !== undefined && {
        ca: { href: `${call.base}/_mock/ca.pem`, title: 'What clients of HTTPS have to trust' },
      }),
    },
  }),
})

function templatedLink(base: string, { path, query, summary }: Route): Link {
  const names = query instanceof z.ZodObject ? Object.keys(query.shape) : []
  const asked = names.length > 0 ? `{?${names.join(',')}}` : ''
  const href = `${base}/_mock${path === '/' ? '' : path}${asked}`
  return { href, ...(href.includes('{') && { templated: true as const }), title: summary }
}

const memoryRoute = route('GET /memory', 'getMemory', {
  rel: 'memory',
  summary: 'What memory the mock uses, by kind, and the limit of it',
  description:
    'Above the limit the oldest entries of journals go; when that is not enough, new spaces, changes, held requests and long bodies are refused with 503.',
  answer: document({
    limitBytes: z.int().describe('As --memory-limit has it'),
    usedBytes: z.int().describe('Roughly, in all'),
    full: z.boolean().describe('Whether demands are refused'),
    madeRoom: z.int().describe('How often journals and caches dropped something to make room'),
    kinds: z
      .record(z.enum(memoryKinds), z.int())
      .describe(
        'Bytes by kind: requests in progress, journals, cached answers, counts of scenarios, open spaces, changed rows, event streams, exams',
      ),
  }),
  handle(call) {
    const { limit, used, isFull, madeRoom, kinds } = call.tools.rigs.budget.use()
    return {
      limitBytes: limit,
      usedBytes: used,
      full: isFull,
      madeRoom,
      kinds,
      _links: { self: call.link('/memory') },
    }
  },
})

const clientRoutes = [
  ...spaceRoutes,
  ...scenarioRoutes,
  ...faultRoutes,
  ...clockRoutes,
  ...dialRoutes,
  ...holdRoutes,
  ...mailingRoutes,
  ...eventRoutes,
  ...sidePortRoutes,
  ...scenariosRoutes,
  ...faultKindRoutes,
  ...requestRoutes,
  ...platformRoutes,
  ...verdictRoutes,
  ...pactRoutes,
  ...examRoutes,
  ...operationRoutes,
  ...serviceOpenApiRoutes,
]

/** All control calls except `/_mock/health`, in the order of the documentation. */
export const routes: readonly Route[] = [rootRoute, ...clientRoutes, memoryRoute, openApiRoute(() => routes)]

/** Input and output of control calls for clients, by method and path, derived from the routes' schemas. */
export type ControlForms = {
  [Each in (typeof clientRoutes)[number] as NonNullable<Each['name']>]: NonNullable<Each['form']>
}

export function createCalls(tools: ControlTools) {
  const answer = createRouter(routes, async (route, routed) => {
    const memory = tools.rigs.budget.share('requests')
    if (route.body) {
      const bytes = bodyFactor * bodyLength(routed.call, route)
      if (bytes > bodyFactor * smallBody) tools.rigs.budget.demand(bytes)
      memory.add(bytes)
    }
    const answer = await handle(route, routed).finally(() => memory.close())
    // The answer may contain rows whose save is still pending and may yet fail.
    await tools.spaces.getOpen(routed.params.space ?? '')?.data.durable
    if (answer instanceof Response) return answer
    return answer === undefined ? new Response(null, { status: 204 }) : halResponse(answer as object)
  })
  async function handle(route: Route, { request, call, params, query }: RoutedRequest) {
    // Node loses what follows on a connection when the body of a request with Upgrade, as Java sends it, comes after the answer.
    if (!route.body && bodyLength(call, route) > 0) await readRequestBytes(request, defaultBodyLimit)
    const parts = {
      params,
      query: parseOrRefuse(route.query ?? noParameters, query),
      body: route.body
        ? parseOrRefuse(route.body, await readJsonBody(request, route.longestBody))
        : undefined,
    }
    return route.handle(new IncomingCall<unknown>(tools, request, call, parts))
  }
  return { answer, refuse: refuseUnknown, has: isCall }
}

const noParameters = members({})

/** How much more memory than its bytes a body takes while it is read and checked; measured. */
const bodyFactor = 8
/** Bytes of a body that is taken at any time: those of calls that give memory back, such as a reset, are small. */
const smallBody = 4_096

/** The announced length of a body in bytes; the maximum if it comes in pieces. */
function bodyLength({ header }: ControlCall, { longestBody = defaultBodyLimit }: Route): number {
  const most = header('transfer-encoding') === undefined ? Number(header('content-length') ?? 0) : longestBody
  return Math.min(most, longestBody)
}

/** Answers OPTIONS. @throws Problem 405 or 404 */
function refuseUnknown(request: Request): Response {
  const path = getPathNoStrict(request)
  const allow = allowedMethods(path)
  if (allow === undefined) {
    // A mistyped path must not lead to a call that changes something.
    const reads = routes.flatMap(it => (it.method === 'GET' ? [`/_mock${it.path}`] : []))
    const near = nearestOf(path, reads)
    const meant = near === undefined ? '' : `did you mean ${near}? `
    throw problems.notFound(`control call or page at ${path}; ${meant}GET /_mock lists what there is`)
  }
  if (request.method !== 'OPTIONS') throw problems.methodNotAllowed(request.method, allow)
  return new Response(null, { status: 204, headers: { Allow: allow } })
}

const isCall = (request: Request): boolean =>
  allowedMethods(getPathNoStrict(request))?.split(', ').includes(request.method) ?? false

/** What is answered before there are control calls. */
const openPaths = ['/health', '/ca.pem']

/** Made once: making them for a call took a third of the time of a reset. */
const pathForms = [...openPaths.map(path => ({ method: 'GET', path })), ...routes].map(
  ({ method, path }) => ({ method, form: pathForm(path) }),
)

/** The methods of a path for the header Allow; undefined when no control call has it. */
function allowedMethods(path: string): string | undefined {
  const found = pathForms.filter(({ form }) => form.test(path))
  if (found.length === 0) return undefined
  const methods = found.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method]))
  return [...new Set(methods), 'OPTIONS'].join(', ')
}

function pathForm(path: string): RegExp {
  return new RegExp(`^/_mock${path === '/' ? '' : path.replaceAll(/\{\w+\}/g, '[^/]+')}/?$`)
}
