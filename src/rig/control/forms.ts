import type { clockRoutes } from './clock.ts'
import type { dialRoutes } from './dials.ts'
import type { eventRoutes } from './events.ts'
import type { examRoutes } from './exams.ts'
import type { faultKindRoutes } from './fault-kinds.ts'
import type { faultRoutes } from './faults.ts'
import type { holdRoutes } from './holds.ts'
import type { mailingRoutes } from './mailings.ts'
import type { operationRoutes } from './operations.ts'
import type { pactRoutes } from './pact.ts'
import type { platformRoutes } from './platform.ts'
import type { requestRoutes } from './requests.ts'
import type { resetRoutes } from './reset.ts'
import type { scenarioRoutes } from './scenario.ts'
import type { scenariosRoutes } from './scenarios.ts'
import type { sidePortRoutes } from './side-port.ts'
import type { snapshotRoutes } from './snapshot.ts'
import type { spaceRoutes } from './spaces.ts'
import type { verdictRoutes } from './verdict.ts'

type Known = (
  | typeof clockRoutes
  | typeof dialRoutes
  | typeof eventRoutes
  | typeof examRoutes
  | typeof faultKindRoutes
  | typeof faultRoutes
  | typeof holdRoutes
  | typeof mailingRoutes
  | typeof operationRoutes
  | typeof pactRoutes
  | typeof platformRoutes
  | typeof requestRoutes
  | typeof resetRoutes
  | typeof scenarioRoutes
  | typeof scenariosRoutes
  | typeof sidePortRoutes
  | typeof snapshotRoutes
  | typeof spaceRoutes
  | typeof verdictRoutes
)[number]

/** What clients of the control API give and get, by method and path: as the routes themselves check it. */
export type ControlForms = {
  [Each in Known as `${Each['method']} ${Each['path']}`]: NonNullable<Each['form']>
}
