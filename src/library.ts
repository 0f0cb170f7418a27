import { MockControl, type PrivateSpace, type User } from './client/mock-control.ts'
import type { SpaceControl } from './client/space-control.ts'
import { type BareMock, type CreatedMock, create, type MockOptions } from './create.ts'

/** A mock in this process, with its control. `await using` closes it. */
export interface Mock extends BareMock, AsyncDisposable {
  /** Everything that a tester turns and reads, without a socket. */
  readonly control: MockControl
  /** One space of it; `demo` unless told otherwise. Private copies are `demo+anything`. */
  space(name?: string): SpaceControl
  /** A space for one test alone, with credentials of its own. */
  privateSpace(options?: PrivateSpace): Promise<SpaceControl>
}

/** See `createMock`. */
export async function createLibraryMock(options: MockOptions): Promise<Mock> {
  const mock = await create(options, false)
  let copies = 0
  const control = new MockControl({
    // Host names of one label are always allowed.
    url: 'http://mock',
    token: options.token,
    users: usersOf(mock),
    fetch: request => mock.control(request),
    freshName: () => `private-${++copies}`,
  })
  return {
    fetch: mock.fetch,
    listen: mock.listen,
    reset: mock.reset,
    close: mock.close,
    control,
    space: name => control.space(name),
    privateSpace: given => control.privateSpace(given),
    [Symbol.asyncDispose]: () => mock.close(),
  }
}

/** Of each space the user who may do most. */
const usersOf = ({ contents }: CreatedMock): User[] =>
  contents.map(({ fixture }) => {
    const [best] = [...fixture.users].sort((a, b) => b.rights.length - a.rights.length)
    return { space: fixture.space, user: best!.name, password: best!.password }
  })
