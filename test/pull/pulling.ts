import { type PullOptions, type PullResult, pull } from '../../src/contract/pull/pull.ts'
import type { Fetch } from '../../src/contract/verify/target.ts'
import type { Fixture } from '../../src/store/rows.ts'
import {
  customersPath,
  startMock,
  synchronizationPath,
  synchronizationsPath,
  type TestMock,
  type TestMockOptions,
} from '../mock.ts'

export const base = 'http://localhost'

/** A default fixture without the synchronizations on which scenarios are in force: nine of ten, all alike. */
export function undisturbed({ testSynchronizations = [], ...fixture }: Fixture): Fixture {
  const disturbed = new Set(testSynchronizations.map(({ id }) => id))
  return { ...fixture, synchronizations: fixture.synchronizations.filter(({ id }) => !disturbed.has(id)) }
}

/** Time that passes only where somebody waits for it. */
export function ownTime() {
  let now = 0
  const waits: number[] = []
  return {
    waits,
    now: () => now,
    wait: async (milliseconds: number, signal: AbortSignal) => {
      signal.throwIfAborted()
      waits.push(milliseconds)
      now += milliseconds
    },
  }
}

/** Pulls what answers by `fetch`, without waiting in earnest. */
export const pulledBy = (fetch: Fetch, options: Partial<PullOptions> = {}): Promise<PullResult> => {
  const { now, wait } = ownTime()
  return pull({ url: base, user: 'demo', password: 'demo', fetch, now, wait, ...options })
}

/** Asks a mock without a socket. */
export const fetchOf =
  (mock: TestMock): Fetch =>
  (url, init) =>
    mock.fetch(new Request(url, init))

export const pulledFrom = (mock: TestMock, options: Partial<PullOptions> = {}): Promise<PullResult> =>
  pulledBy(fetchOf(mock), options)

/** A mock that starts with what was pulled. */
export const startedWith = ({ fixture }: PullResult, options: TestMockOptions = {}): Promise<TestMock> =>
  startMock({ ...options, fixture: () => fixture })

/** Every address of the service that a fixture gives something to. */
export function addressesOf(fixture: Fixture): string[] {
  const flags = ['', '?isApproved=true', '?isApproved=false', '?hasDraft=true', '?hasDraft=false']
  return [
    ...flags.map(query => `/mailings${query}`),
    ...fixture.mailings.map(({ id }) => `/mailings/${id}`),
    synchronizationsPath,
    ...fixture.synchronizations.flatMap(({ id }) =>
      [
        '',
        '/sendings',
        '/sendings?includeAllStates=true',
        '/mailing-uploads/latest',
        '/preview',
        '/preview?kind=draft',
        '/preview?kind=lastApproved',
        '/test-profiles',
        '/test-mail-groups',
      ].map(rest => synchronizationPath(id, rest)),
    ),
    ...fixture.sendings.flatMap(({ id, synchronizationId }) =>
      ['', '/statistics'].map(rest => synchronizationPath(synchronizationId, `/sendings/${id}${rest}`)),
    ),
    customersPath,
    ...fixture.customers.flatMap(({ name }) =>
      ['', '/lists', '/lists?showAllLists=true', '/configuration/accessible-lists'].map(
        rest => `${customersPath}/${encodeURIComponent(name)}${rest}`,
      ),
    ),
    ...fixture.lists.map(
      ({ id, customer }) => `${customersPath}/${encodeURIComponent(customer)}/lists/${id}`,
    ),
  ]
}

/** All answers at these addresses, by address. */
export async function answersOf(mock: TestMock, addresses: readonly string[]): Promise<Map<string, string>> {
  const answers = new Map<string, string>()
  const { users } = mock.space().data.content.fixture
  const demo = mock.as(users[0]!.name)
  for (const address of addresses) {
    const { status, text } = await demo.get(address)
    answers.set(address, `${status} ${text}`)
  }
  return answers
}
