import { clockRoutes } from './clock.ts'
import { dialRoutes } from './dials.ts'
import { eventRoutes } from './events.ts'
import { examRoutes } from './exams.ts'
import { faultKindRoutes } from './fault-kinds.ts'
import { faultRoutes } from './faults.ts'
import { holdRoutes } from './holds.ts'
import { mailingRoutes } from './mailings.ts'
import { openApiRoute } from './openapi.ts'
import { operationRoutes } from './operations.ts'
import { pactRoutes } from './pact.ts'
import { platformRoutes } from './platform.ts'
import { requestRoutes } from './requests.ts'
import { resetRoutes } from './reset.ts'
import { rootRoute } from './root.ts'
import type { Route } from './route.ts'
import { scenarioRoutes } from './scenario.ts'
import { scenariosRoutes } from './scenarios.ts'
import { serviceOpenApiRoutes } from './service-openapi.ts'
import { sidePortRoutes } from './side-port.ts'
import { snapshotRoutes } from './snapshot.ts'
import { spaceRoutes } from './spaces.ts'
import { verdictRoutes } from './verdict.ts'

/** Every control call but `/_mock/health`, in the order in which they are documented. */
export const routes: readonly Route[] = [
  rootRoute(() => routes),
  ...resetRoutes,
  ...spaceRoutes,
  ...snapshotRoutes,
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
  openApiRoute(() => routes),
]
