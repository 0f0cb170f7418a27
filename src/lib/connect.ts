import { ControlError, parseBase, requireObject } from './control-calls.ts'
import { createMockControl, type MockControl, type User } from './control-client.ts'

export { ControlError } from './control-calls.ts'
export type * from './exported-types.ts'

/** How to reach a mock in another process. */
export interface ConnectOptions {
  /** Address of its control API without `/_mock`: the mock's port or its control port. */
  readonly url: string | URL
  /** The `--token` that it was started with. */
  readonly token?: string
  /** One user for each space, for the credentials of spaces; the user of the default content if not given. */
  readonly users?: readonly User[]
  /** `fetch` for control calls; the global one if not given. */
  readonly fetch?: (request: Request) => Promise<Response>
}

/** The user of the default content. Its password is public. */
const defaultUsers: readonly User[] = [{ space: 'demo', user: 'demo', password: 'demo' }]

/** The control API of a mock in another process; sends nothing by itself. @throws TypeError, ControlError */
export function connect(given: ConnectOptions): MockControl {
  const place = given instanceof URL ? given.href : given
  requireObject('connect', place, { url: 'http://localhost:4025' })
  const { url, token, users = defaultUsers, fetch = request => globalThis.fetch(request), ...others } = given
  // Callers may not use types. The names are few: no other module is loaded to find the nearest one.
  for (const name of Object.keys(others))
    throw new ControlError(`connect: unknown key "${name}"; possible: url, token, users, fetch`)
  return createMockControl({
    url: parseBase(String(url)),
    token,
    users,
    fetch,
    // Other processes may use the same mock.
    uniqueName: () => crypto.randomUUID(),
  })
}
