import { type AssembledMock, type AssemblyOptions, assembleMock, type BasicMock } from './assemble-mock.ts'
import { requireObject } from './control-calls.ts'
import { createMockControl, type MockControl, type User } from './control-client.ts'
import type { ScenarioName, TurnedDials } from './control-types.ts'
import { checkCall, checkOptions, explainListenError, settings } from './settings.ts'

const { port, host, tls } = settings

/** The defaults are those of the command line. */
export interface MockOptions extends Omit<AssemblyOptions, 'dials' | 'scenario'> {
  /** Choices where the document is silent, by the names of the dials. */
  readonly dials?: TurnedDials
  /** The scenario that is in force in every space from its beginning. */
  readonly scenario?: ScenarioName
}

/** A mock in this process, with its control. `await using` closes it. */
export interface Mock extends BasicMock, Pick<MockControl, 'space' | 'privateSpace'> {
  /** The control API, without a socket. */
  readonly control: MockControl
}

/**
 * A mailing synchronization service for tests and development.
 * @throws FixtureError for content that cannot be used, StorageError for data that cannot be used
 */
export async function createMock(given: MockOptions = {}): Promise<Mock> {
  // What was checked is what is used.
  const options: AssemblyOptions = { ...requireObject('createMock', portAsOption(given), { frozen: true }) }
  checkOptions({ ...options })
  const mock = await assembleMock(options, false)
  let copies = 0
  const control = createMockControl({
    // Host names of one label are always allowed.
    url: 'http://mock',
    token: options.token,
    users: mostPrivilegedUsers(mock),
    fetch: request => mock.control(request),
    uniqueName: () => `private-${++copies}`,
  })
  return {
    fetch: mock.fetch,
    async listen(given) {
      const place = { ...requireObject('mock.listen', given, { port: 4025 }) }
      checkCall('mock.listen', place, { port, host, tls })
      return mock.listen(place).catch(error => {
        throw explainListenError(error)
      })
    },
    reset: mock.reset,
    close: mock.close,
    control,
    space: control.space,
    privateSpace: control.privateSpace,
    [Symbol.asyncDispose]: () => mock.close(),
  }
}

/** A port where options belong: the check of options says whose it is. */
const portAsOption = (given: unknown): object =>
  typeof given === 'object' || !/^\d+$/.test(String(given)) ? (given as object) : { port: given }

/** For each space the user with the most rights. */
const mostPrivilegedUsers = ({ contents }: AssembledMock): User[] =>
  contents.map(({ fixture }) => {
    const [best] = [...fixture.users].sort((a, b) => b.rights.length - a.rights.length)
    return { space: fixture.space, user: best!.name, password: best!.password }
  })
