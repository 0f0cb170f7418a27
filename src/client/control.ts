import { ControlError } from './control-error.ts'
import { MockControl, type User } from './mock-control.ts'

export type { ClockControl } from './clock-control.ts'
export { ControlError, type InvalidMember } from './control-error.ts'
export type { RequestEvent, SpaceEvent } from './events.ts'
export type { FaultsControl } from './faults-control.ts'
export type { MailingsControl } from './mailings-control.ts'
export type { MockControl, PrivateSpace, User } from './mock-control.ts'
export type * from './shapes.ts'
export type { Credentials, SpaceControl } from './space-control.ts'

/** Where a mock in another process is. */
export interface ConnectOptions {
  /** Address of its control API without `/_mock`: where the mock listens, or its control port. */
  readonly url: string | URL
  /** What it was started with as `--token`. */
  readonly token?: string
  /** Users that spaces give their credentials from, one for each space; the one of the default content unless given. */
  readonly users?: readonly User[]
  /** What control calls go out with; the global `fetch` unless given. */
  readonly fetch?: (request: Request) => Promise<Response>
}

/** The user of the content that a mock starts with unless told otherwise. Its password is public. */
const usualUsers: readonly User[] = [{ space: 'demo', user: 'demo', password: 'demo' }]

/**
 * The control API of a mock in another process: a container, a CI service. Nothing is asked before a method is called.
 * @throws ControlError for what is no address
 */
export function connect({ url, token, users = usualUsers, fetch = usualFetch }: ConnectOptions): MockControl {
  return new MockControl({
    url: baseOf(String(url)),
    token,
    users,
    fetch,
    // Other processes may be at work in the same mock.
    freshName: () => crypto.randomUUID(),
  })
}

const usualFetch = (request: Request): Promise<Response> => globalThis.fetch(request)

function baseOf(given: string): string {
  const url = URL.canParse(given) ? new URL(given) : undefined
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:')
    throw new ControlError(`"${given}" is no address of a mock; expected one such as http://localhost:4025`)
  if (url.username !== '' || url.password !== '')
    throw new ControlError('the address of a mock has no credentials in it; connect() takes a token')
  return (url.origin + url.pathname).replace(/(?:\/_mock)?\/*$/, '')
}
