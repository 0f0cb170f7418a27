import { type ExampleRequest, requestOf } from '../src/contract/examples/example.ts'
import { examples } from '../src/contract/examples/examples.ts'
import { ids } from '../src/contract/examples/fixture-ids.ts'
import { type AssembledMock, assembleMock } from '../src/lib/assemble-mock.ts'
import { ManualClock } from '../src/rig/clock.ts'
import { ScenarioLibrary } from '../src/rig/scenarios/library.ts'
import type { Scenario } from '../src/rig/scenarios/scenario.ts'
import type { SelectionChannel } from '../src/rig/scenarios/selection.ts'
import type { SpaceRig } from '../src/rig/space-rig.ts'
import type { DialValues } from '../src/service/dials.ts'
import { type OperationId, operationIds, operations } from '../src/service/operations.ts'
import { Content } from '../src/store/content.ts'
import type { Files } from '../src/store/files.ts'
import { defaultFixture, readFixtures } from '../src/store/fixtures.ts'
import type { Fixture } from '../src/store/rows.ts'
import type { Space } from '../src/store/space-data.ts'
import type { Spaces } from '../src/store/spaces.ts'
import { noteMock } from './capsule/replayed.ts'

export { ids }

/** When the tests happen: after everything in the default fixture but what is scheduled for 2035. */
export const now = '2026-11-01T10:00:00.000Z'

export const halType = 'application/hal+json'
export const synchronizationsPath = '/integrations/mailing-platform/mailing-synchronizations'
export const customersPath = '/integrations/mailing-platform/accessible-customers'

/** The operations that read. */
export const readIds = operationIds.filter(id => operations[id].method === 'GET')

/** The request of an example of an operation, by default of the first one, which succeeds. */
export const exampleRequest = (id: OperationId, example = examples[id][0]!): ExampleRequest =>
  requestOf(id, example, 'mailing-platform')

export const synchronizationPath = (id: string, rest = '') => `${synchronizationsPath}/${id}${rest}`

// biome-ignore lint/suspicious/noExplicitAny: the JSON of a response is what the test is about
export type Json = any

/** The JSON of a fetched answer, for a test to look into. */
export const jsonOf = async (response: Response): Promise<Json> => response.json()

/** An answer as a test looks at it. */
export interface Seen {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  readonly json: Json
}

export interface User {
  get(path: string, headers?: Record<string, string>): Promise<Seen>
  post(path: string, body?: unknown, headers?: Record<string, string>): Promise<Seen>
  put(path: string, body?: unknown, headers?: Record<string, string>): Promise<Seen>
  play(request: ExampleRequest, headers?: Record<string, string>): Promise<Seen>
  send(method: string, path: string, init?: RequestInit & { headers?: Record<string, string> }): Promise<Seen>
}

export interface TestMock {
  /** Puts it behind a socket, which the test closes. */
  readonly listen: AssembledMock['listen']
  readonly fetch: AssembledMock['fetch']
  readonly clock: ManualClock
  readonly spaces: Spaces
  /** Speaks as a user; the password is the default fixture's. */
  as(user: string): User
  space(name?: string): Space
  /** What a tester turns and reads in a space that is open. */
  rig(name?: string): SpaceRig
}

export interface TestMockOptions {
  readonly fixture?: (base: Fixture) => Fixture
  readonly files?: Files
  readonly seed?: number
  readonly names?: { relationPrefix: string; platformSegment: string }
  readonly address?: { publicUrl?: string; allowedHosts?: string[]; trustProxy?: boolean }
  readonly origin?: string
  readonly rateLimit?: number
  /** Limits for private spaces; without it there are none. */
  readonly copies?: { readonly count: number; readonly idle: number }
  readonly scenario?: (name: string) => Scenario
  /** Whether answers carry X-Mock headers; off unless a test is about them. */
  readonly hints?: boolean
  /** The ways in which requests choose scenarios; all unless given. */
  readonly channels?: readonly SelectionChannel[]
  /** Dials turned from their defaults, for all spaces. */
  readonly dials?: Partial<DialValues>
  /** What is answered, where the control API has a port of its own. */
  readonly part?: 'all' | 'service' | 'control'
  /** Hears of errors that are the mock's own; without it they fail the test. */
  readonly report?: (error: unknown) => void
}

export const basic = (user: string, password = 'demo') =>
  `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`

/** Read once for all mocks of a process: neither is ever changed. A scenario that was read before is found at once. */
const defaults = readFixtures(defaultFixture).then(([fixture]) => deepFrozen(fixture!))
export const packagedScenarios = ScenarioLibrary.open()

function deepFrozen<Value>(value: Value): Value {
  if (typeof value !== 'object' || value === null) return value
  for (const inner of Object.values(value)) deepFrozen(inner)
  return Object.freeze(value)
}

/** A fresh mock in this process, on a clock that stands still until it is moved. */
export async function startMock(options: TestMockOptions = {}): Promise<TestMock> {
  const { fixture = base => base, seed = 1, origin = 'http://localhost' } = options
  const clock = new ManualClock(now)
  const { scenario, part = 'all', copies, names, files } = options
  const assembled = await assembleMock(
    {
      clock,
      seed,
      logLevel: 'silent',
      hints: options.hints ?? false,
      hasControlPort: part !== 'all',
      ...names,
      ...options.address,
      ...(copies && { spaceLimit: copies.count, spaceIdle: copies.idle }),
      ...(options.rateLimit !== undefined && { rateLimit: options.rateLimit }),
      ...(options.channels && { selection: options.channels }),
      ...(options.dials && { dials: options.dials }),
      ...(files && { data: 'of the test' }),
    },
    false,
    {
      contents: [new Content(fixture(await defaults))],
      scenarios: scenario
        ? {
            get: async name => scenario(name),
            loaded: scenario,
            has: () => true,
            names: () => [],
            problems: () => [],
          }
        : await packagedScenarios,
      openFiles: async () => files!,
      report:
        options.report ??
        (error => {
          throw error
        }),
    },
  )
  const { spaces, rigs, listen } = assembled
  const fetch = part === 'control' ? assembled.control : assembled.fetch
  const send = async (
    authorization: string,
    method: string,
    path: string,
    init: RequestInit = {},
  ): Promise<Seen> => {
    const url = path.startsWith('http') ? path : origin + path
    const headers = { authorization, ...(init.headers as Record<string, string>) }
    const response = await fetch(new Request(url, { ...init, method, headers }))
    const text = await response.text()
    const isJson = /json/.test(response.headers.get('content-type') ?? '') && text !== ''
    return {
      status: response.status,
      headers: response.headers,
      text,
      json: isJson ? JSON.parse(text) : undefined,
    }
  }
  const as = (user: string): User => {
    const call =
      (method: string) =>
      (path: string, body: unknown, headers: Record<string, string> = {}) =>
        send(basic(user), method, path, {
          body:
            typeof body === 'string' || body instanceof Uint8Array
              ? (body as string)
              : JSON.stringify(body ?? {}),
          headers: { 'content-type': halType, ...headers },
        })
    return {
      get: (path, headers = {}) => send(basic(user), 'GET', path, { headers }),
      post: call('POST'),
      put: call('PUT'),
      play: ({ method, target, headers, body }, more) =>
        send(basic(user), method, target, {
          headers: { ...headers, ...more },
          ...(body !== undefined && { body }),
        }),
      send: (method, path, init) => send(basic(user), method, path, init),
    }
  }
  const space = (name = 'demo') => spaces.getOpen(name)!
  let isTouched = options.report !== undefined
  noteMock({ mock: assembled, isTouched: () => isTouched })
  /** Whoever has the inner parts may change them, of which no record knows. */
  const touched = <Value>(value: Value): Value => {
    isTouched = true
    return value
  }
  return {
    ...{ listen, fetch, clock, as },
    get spaces() {
      return touched(spaces)
    },
    space: name => touched(space(name)),
    rig: name => touched(rigs.ready(space(name))!),
  }
}
