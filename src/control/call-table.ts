import { z } from 'zod'
import { callEndpoint } from './call-endpoint.ts'
import { capsuleRoutes } from './capsule/routes.ts'
import { clockRoutes } from './clock.ts'
import { customerRoutes } from './customers.ts'
import { dialRoutes } from './dials.ts'
import type { Endpoint } from './endpoint.ts'
import { eventRoutes } from './events.ts'
import { examRoutes } from './exams.ts'
import { faultKindRoutes, faultRoutes } from './faults.ts'
import { holdRoutes } from './holds.ts'
import { kitRoutes } from './kits.ts'
import { listRoutes } from './lists.ts'
import { mailingRoutes } from './mailings.ts'
import { memoryRoute } from './memory.ts'
import { metricsRoute } from './metrics.ts'
import { authorityCall, healthCall } from './open-calls.ts'
import { openApiRoute, serviceOpenApiRoutes } from './openapi.ts'
import { operationRoutes } from './operations.ts'
import { pactRoutes } from './pact/pact.ts'
import { platformRoutes } from './platform.ts'
import { reportRoutes } from './report.ts'
import { requestRoutes } from './requests.ts'
import { type Route, route } from './route.ts'
import { scenarioRoutes, scenariosRoutes } from './scenarios.ts'
import { document, type Link } from './schemas.ts'
import { sidePortRoutes } from './side-port.ts'
import { spaceRoutes } from './spaces.ts'
import { synchronizationRoutes } from './synchronizations.ts'
import type { ControlTools } from './tools.ts'
import { verdictRoutes } from './verdict.ts'

/** `GET /_mock`: links to everything, templated if they need a name. */
const rootRoute = route('GET /', 'getRoot', {
  rel: 'self',
  summary: 'Links to everything there is',
  answer: document({}),
  handle: call => ({
    _links: {
      ...Object.fromEntries(
        routes.flatMap(it =>
          it.rel === undefined || (it.rel === metricsRoute.rel && !call.tools.metrics)
            ? []
            : [[it.rel, templatedLink(call.base, it)]],
        ),
      ),
      health: { ...call.link(healthCall.path), title: healthCall.title },
      ...(call.tools.authority !== undefined && {
        ca: { ...call.link(authorityCall.path), title: authorityCall.title },
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

const clientRoutes = [
  ...spaceRoutes,
  ...scenarioRoutes,
  ...faultRoutes,
  ...clockRoutes,
  ...dialRoutes,
  ...holdRoutes,
  ...mailingRoutes,
  ...listRoutes,
  ...customerRoutes,
  ...synchronizationRoutes,
  ...eventRoutes,
  ...sidePortRoutes,
  ...scenariosRoutes,
  ...faultKindRoutes,
  ...requestRoutes,
  ...platformRoutes,
  ...verdictRoutes,
  ...reportRoutes,
  ...capsuleRoutes,
  ...pactRoutes,
  ...examRoutes,
  ...operationRoutes,
  ...kitRoutes,
  ...serviceOpenApiRoutes,
]

/** All control calls except the open ones, in the order of the documentation. */
export const routes: readonly Route[] = [
  rootRoute,
  ...clientRoutes,
  memoryRoute,
  metricsRoute,
  openApiRoute(() => routes),
]

/** Input and output of control calls for clients, by method and path, derived from the routes' schemas. */
export type ControlForms = {
  [Each in (typeof clientRoutes)[number] as NonNullable<Each['name']>]: NonNullable<Each['form']>
}

/** What answers all control calls except the open ones. */
export const createCalls = (tools: ControlTools): readonly Endpoint[] =>
  routes.map(route => callEndpoint(route, tools))
