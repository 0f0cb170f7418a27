import { clockRoutes } from './clock.ts'
import { operationRoutes } from './operations.ts'
import { resetRoutes } from './reset.ts'
import { rootRoute } from './root.ts'
import type { Route } from './route.ts'

/** Every control call but `/_mock/health`, in the order in which they are documented. */
export const routes: readonly Route[] = [
  rootRoute(() => routes),
  ...resetRoutes,
  ...clockRoutes,
  ...operationRoutes,
]
