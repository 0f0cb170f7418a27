import type { ControlForms } from '../control/call-table.ts'
import type { Fixture } from '../store/rows.ts'
import {
  type ControlCalls,
  ControlError,
  type ControlTransport,
  createControlCalls,
  readEvents,
  requireObject,
} from './control-calls.ts'
import type {
  ArmedFault,
  Awaited,
  AwaitedFilter,
  Beginning,
  ClientEnd,
  ClockState,
  Dials,
  Edit,
  EditorMailing,
  ExplainedRequest,
  FaultRule,
  Faults,
  Hold,
  ListedMailing,
  Platform,
  PlatformFilter,
  PlatformSending,
  RequestEntry,
  RequestFilter,
  ScenarioDefinition,
  ScenarioInForce,
  ScenarioName,
  ScenarioShown,
  SidePort,
  SidePortMode,
  SpaceEvent,
  SpaceState,
  TurnedDials,
  Verdict,
} from './control-types.ts'

type ClockChange = ControlForms['POST /spaces/{space}/clock']['body']

/** The clock of a space. Work that becomes due when the clock moves is done before the call returns. */
export interface ClockControl extends ReturnType<typeof createClockControl> {}

function createClockControl(calls: ControlCalls) {
  const change = (body: ClockChange): Promise<ClockState> =>
    calls.request('POST /spaces/{space}/clock', { body })
  const state = (): Promise<ClockState> => calls.request('GET /spaces/{space}/clock')
  return {
    /** The state of the clock. */
    state: (): Promise<ClockState> => state(),
    /** The space's time. */
    now: async (): Promise<Date> => new Date((await state()).now),
    /** Moves the clock forward. @param duration with its unit: `5m`, `1h30m`, `PT5M` */
    advance: (duration: string): Promise<ClockState> => change({ advance: duration }),
    /** Sets the clock to a time, which may be in the past. */
    set: (time: Date | string): Promise<ClockState> => change({ set: toTimeText(time) }),
    /** Stops the clock, at a time if one is given. */
    freeze: (at?: Date | string): Promise<ClockState> =>
      change({ freeze: true, ...(at !== undefined && { set: toTimeText(at) }) }),
    /** Continues at the previous rate. */
    resume: (): Promise<ClockState> => change({ resume: true }),
    /** Changes the rate. @param seconds of the space per real second, from 0.001 to 1000000 */
    rate: (seconds: number): Promise<ClockState> => change({ rate: seconds }),
  }
}

const toTimeText = (time: Date | string): string => (typeof time === 'string' ? time : time.toISOString())

/** The one-shot faults of a space. Each is used up by the requests that it applies to, and has priority over scenarios. */
export interface FaultsControl extends ReturnType<typeof createFaultsControl> {}

const createFaultsControl = (calls: ControlCalls) => ({
  /** Arms a fault. Use its `id` to check later whether it was applied. */
  arm: (rule: FaultRule): Promise<ArmedFault> =>
    calls.request('POST /spaces/{space}/faults', { body: rule as Record<string, unknown> }),
  /** All faults, including used ones; `neverStruck` counts those that were never applied. */
  list: (): Promise<Faults> => calls.request('GET /spaces/{space}/faults'),
  /** One fault. */
  get: (id: string): Promise<ArmedFault> =>
    calls.request('GET /spaces/{space}/faults/{id}', { params: { id } }),
  /** Disarms one fault, or all. */
  disarm: (id?: string): Promise<void> =>
    id === undefined
      ? calls.request('DELETE /spaces/{space}/faults')
      : calls.request('DELETE /spaces/{space}/faults/{id}', { params: { id } }),
})

/** The mailings of a space in the editor, where a person approves and edits them. The service has no call for this. */
export interface MailingsControl extends ReturnType<typeof createMailingsControl> {}

const createMailingsControl = (calls: ControlCalls) => ({
  /** All that match, in the order of their creation. */
  async list(
    filter: { readonly isApproved?: boolean; readonly hasDraft?: boolean; readonly name?: string } = {},
  ): Promise<ListedMailing[]> {
    requireObject('mailings.list', filter, { name: 'Spring letter' })
    const found: ListedMailing[] = []
    for (;;) {
      const query = { ...filter, after: found.at(-1)?.id, limit: maxPageLength }
      const page = await calls.request('GET /spaces/{space}/mailings', { query })
      found.push(...page._embedded.mailings)
      if (!page._links.next) return found
    }
  },
  /** One mailing, with its synchronizations. */
  get: (id: string): Promise<EditorMailing> =>
    calls.request('GET /spaces/{space}/mailings/{id}', { params: { id } }),
  /** Approves the draft; later sendings use it. Only a reset undoes this. */
  approve: (id: string): Promise<EditorMailing> =>
    calls.request('POST /spaces/{space}/mailings/{id}/approve', { params: { id } }),
  /** Makes a new draft from the approved version. Members that are left out keep their values. */
  draft: (id: string, changes: Edit = {}): Promise<EditorMailing> =>
    calls.request('POST /spaces/{space}/mailings/{id}/draft', { params: { id }, body: changes }),
  /** Changes the draft, or makes one with these changes. */
  edit: (id: string, changes: Edit): Promise<EditorMailing> =>
    calls.request('POST /spaces/{space}/mailings/{id}/edit', { params: { id }, body: changes }),
  /** Deletes a mailing. Only a reset undoes this. */
  remove: (id: string): Promise<void> =>
    calls.request('DELETE /spaces/{space}/mailings/{id}', { params: { id } }),
})

/** What a person deletes and renames on the platform. Only a reset brings back what was deleted. */
export interface ListsControl extends ReturnType<typeof createListsControl> {}

const createListsControl = (calls: ControlCalls) => ({
  remove: (id: number): Promise<void> =>
    calls.request('DELETE /spaces/{space}/lists/{id}', { params: { id: String(id) } }),
  rename: (id: number, name: string): Promise<void> =>
    calls.request('PUT /spaces/{space}/lists/{id}/name', { params: { id: String(id) }, body: { name } }),
})

/** Customers of the platform; with one, its lists are deleted. */
export interface CustomersControl extends ReturnType<typeof createCustomersControl> {}

const createCustomersControl = (calls: ControlCalls) => ({
  remove: (name: string): Promise<void> =>
    calls.request('DELETE /spaces/{space}/customers/{name}', { params: { name } }),
  rename: (name: string, to: string): Promise<void> =>
    calls.request('PUT /spaces/{space}/customers/{name}/name', { params: { name }, body: { name: to } }),
})

/** The service has no operation that deletes a synchronization. */
export interface SynchronizationsControl extends ReturnType<typeof createSynchronizationsControl> {}

const createSynchronizationsControl = (calls: ControlCalls) => ({
  remove: (id: string): Promise<void> =>
    calls.request('DELETE /spaces/{space}/synchronizations/{id}', { params: { id } }),
})

export interface Credentials {
  readonly user: string
  readonly password: string
}

const maxPageLength = 1_000
const maxLedgerLength = 10_000

/** Credentials of a user of a space. With getters of a class, which nothing calls that copies or prints a space. */
class SpaceUser {
  readonly #space: string
  readonly #known: Credentials | undefined

  constructor(space: string, known: Credentials | undefined) {
    this.#space = space
    this.#known = known
  }

  /** Name of a user of the space, for the client under test. @throws ControlError if none is known */
  get user(): string {
    return this.#credentials.user
  }

  /** The user's password. @throws ControlError if none is known */
  get password(): string {
    return this.#credentials.password
  }

  /** The credentials as an Authorization header. @throws ControlError if none are known */
  get authorization(): string {
    const bytes = new TextEncoder().encode(`${this.user}:${this.password}`)
    return `Basic ${btoa(String.fromCharCode(...bytes))}`
  }

  get #credentials(): Credentials {
    if (this.#known) return this.#known
    throw new ControlError(
      `no user of space "${this.#space}" is known here; connect() takes users: [{ space, user, password }]`,
    )
  }
}

/** The control API of one space. A refused call throws a ControlError that says what is wrong and what is possible. */
export interface SpaceControl extends ReturnType<typeof createSpaceControl> {}

/** @param calls bound to the space @param known credentials of a user of the space, if known */
function createSpaceControl(calls: ControlCalls, name: string, known: Credentials | undefined) {
  const clock: ClockControl = createClockControl(calls)
  const faults: FaultsControl = createFaultsControl(calls)
  const mailings: MailingsControl = createMailingsControl(calls)
  const lists: ListsControl = createListsControl(calls)
  const customers: CustomersControl = createCustomersControl(calls)
  const synchronizations: SynchronizationsControl = createSynchronizationsControl(calls)
  const platform = async (call: string, filter: PlatformFilter): Promise<Platform> => {
    requireObject(call, filter, { synchronizationId: '…' })
    return calls.request('GET /spaces/{space}/platform', { query: { ...filter, limit: maxLedgerLength } })
  }
  return Object.assign(new SpaceUser(name, known), {
    name,
    clock,
    faults,
    mailings,
    lists,
    customers,
    synchronizations,
    /** The state of the space. */
    state: (): Promise<SpaceState> => calls.request('GET /spaces/{space}'),
    /** Starts the space from the given state, creating it if needed. A reset returns to exactly this state. */
    begin: (beginning: Beginning = {}): Promise<SpaceState> =>
      calls.request('PUT /spaces/{space}', { body: beginning as object }),
    /** Returns to the initial state. */
    reset: (): Promise<void> => calls.request('POST /spaces/{space}/reset'),
    /** Removes a private space, or a space created by a control call. */
    remove: (): Promise<void> => calls.request('DELETE /spaces/{space}'),
    /** Puts a scenario in force and sets its counts to zero. @param scenario its name, or a whole definition */
    arm(scenario: ScenarioName | ScenarioDefinition): Promise<ScenarioInForce> {
      const body = typeof scenario === 'string' ? { name: scenario } : (scenario as Record<string, unknown>)
      return calls.request('PUT /spaces/{space}/scenario', { body })
    },
    /** Removes the scenario in force. */
    disarm: (): Promise<void> => calls.request('DELETE /spaces/{space}/scenario'),
    /** The scenario in force and its hits. */
    scenario: (): Promise<ScenarioInForce> => calls.request('GET /spaces/{space}/scenario'),
    /** All recorded requests that match, oldest first. */
    async requests(filter: RequestFilter = {}): Promise<RequestEntry[]> {
      requireObject('requests', filter, { operation: 'createSending' })
      const found: RequestEntry[] = []
      for (;;) {
        const page = await calls.request('GET /spaces/{space}/requests', {
          query: { ...filter, since: found.at(-1)?.number ?? filter.since, limit: maxPageLength },
        })
        found.push(...page._embedded.requests)
        if (!page._links.next) return found
      }
    },
    /** One request, with its response explained. */
    request: (id: string): Promise<ExplainedRequest> =>
      calls.request('GET /spaces/{space}/requests/{id}', { params: { id } }),
    /**
     * Waits in the mock until `count` requests match. By default: one finished request, within five seconds. Earlier
     * requests count, too. Check `met`: the call does not throw after a timeout.
     */
    waitForRequests: async (filter: AwaitedFilter = {}, signal?: AbortSignal): Promise<Awaited> => {
      const query = requireObject('waitForRequests', filter, { count: 2 })
      return calls.request('GET /spaces/{space}/requests/wait', { query, signal })
    },
    /** Removes the recorded requests; their effects stay. */
    forgetRequests: (): Promise<void> => calls.request('DELETE /spaces/{space}/requests'),
    /**
     * What was actually sent to lists since the space began, from the platform's ledger, whatever clients were told.
     * @throws ControlError for more than ten thousand sendings; `platform()` gives their sums
     */
    async sent(filter: PlatformFilter = {}): Promise<PlatformSending[]> {
      const { complete, sendings } = await platform('sent', filter)
      if (complete) return sendings.filter(({ kind, status }) => kind === 'list' && status === 'sent')
      throw new ControlError(
        `more than ${maxLedgerLength} sendings are on record in space "${name}": platform() sums them up`,
      )
    },
    /** What actually happened on the platform: mailings, sent and scheduled sendings, test sendings, and their sums. */
    platform: (filter: PlatformFilter = {}): Promise<Platform> => platform('platform', filter),
    /** The judge's verdict on the clients. @param end what only you know about the end of the client */
    async verdict(end: ClientEnd = {}): Promise<Verdict> {
      const query = requireObject('verdict', end, { believes: 'sent' })
      return calls.request('GET /spaces/{space}/verdict', { query }) as Promise<Verdict>
    },
    /** The verdict as text for people. */
    async verdictText(end: ClientEnd = {}): Promise<string> {
      const query = requireObject('verdictText', end, { believes: 'sent' })
      return calls.text('GET /spaces/{space}/verdict', { query })
    },
    /** All that happened in the space, as the text of a file: `mailing-sync-mock open` shows it on another machine. */
    capsule: (): Promise<string> => calls.text('GET /spaces/{space}/capsule'),
    /** The requests that are held by scenario steps. */
    holds: async (): Promise<readonly Hold[]> =>
      (await calls.request('GET /spaces/{space}/holds'))._embedded.holds,
    /** Releases held requests. @returns how many; their work is done when this resolves */
    async release(hold: string, count?: number): Promise<number> {
      const { released } = await calls.request('POST /spaces/{space}/holds/{name}/release', {
        params: { name: hold },
        body: count === undefined ? {} : { count },
      })
      return released
    },
    /** The dials of the space. */
    dials: (): Promise<Dials> => calls.request('GET /spaces/{space}/dials'),
    /** Sets dials; dials that are left out return to their defaults. */
    turn: (dials: TurnedDials): Promise<Dials> => calls.request('PUT /spaces/{space}/dials', { body: dials }),
    /** The whole content as a fixture, from which a mock can start. */
    snapshot: async (): Promise<Fixture> =>
      (await calls.request('GET /spaces/{space}/snapshot')) as unknown as Fixture,
    /** Continues from a snapshot. */
    restore: (snapshot: Fixture): Promise<SpaceState> =>
      calls.request('PUT /spaces/{space}/snapshot', { body: snapshot as unknown as Record<string, unknown> }),
    /** Opens a side port, whose connections fail before a request, or changes its mode. The mock must be listening. */
    sidePort: (mode: SidePortMode): Promise<SidePort> =>
      calls.request('PUT /spaces/{space}/side-port', { body: { mode } }),
    /** Closes the side port. */
    closeSidePort: (): Promise<void> => calls.request('DELETE /spaces/{space}/side-port'),
    /**
     * Events of the space from now on. The subscription is active when this resolves. Leave the loop or abort to stop.
     * `for await (const { type, data } of await space.events()) …`
     */
    async events(signal?: AbortSignal): Promise<AsyncGenerator<SpaceEvent, void, void>> {
      const call = { signal, accept: 'text/event-stream' }
      const { response, what } = await calls.open('GET /spaces/{space}/events', call)
      if (response.body) return readEvents(response.body, signal)
      throw new ControlError(`${what} was answered without a body`)
    },
  })
}

export interface User extends Credentials {
  /** Name of the space in its fixture. */
  readonly space: string
}

export const beginningMembers = ['fixture', 'seed', 'clock', 'scenario', 'dials']

/** Options of a private space. */
export interface PrivateSpace extends Beginning {
  /** The space to copy; by default the first one with a known user. */
  readonly of?: string
  /** The part after the plus, such as the name of the test. */
  readonly name?: string
}

export interface ControlSettings extends ControlTransport {
  /** One user for each space, with all rights. */
  readonly users: readonly User[]
  /** Returns a unique name for a private space without one. */
  readonly uniqueName: () => string
}

/** The control API of a mock, in the same process or over HTTP. */
export interface MockControl extends ReturnType<typeof createMockControl> {}

export function createMockControl({ users, uniqueName, ...transport }: ControlSettings) {
  const calls = createControlCalls(transport)
  const defaultSpace = users[0]?.space ?? 'demo'
  function space(name = defaultSpace): SpaceControl {
    const [home = name] = name.split('+', 1)
    const known = users.find(user => user.space === home)
    const suffix = name.slice(home.length)
    return createSpaceControl(
      createControlCalls(transport, name),
      name,
      known && { user: known.user + suffix, password: known.password },
    )
  }
  return {
    /** A space by its name, `demo` or `demo+anything`. Sends nothing until one of its methods is called. */
    space: (name?: string) => space(name),
    /** A new space for a single test, with its own credentials. Replaces a space of the same name. */
    async privateSpace(given: PrivateSpace = {}): Promise<SpaceControl> {
      const { of, name, ...beginning } = requireObject('privateSpace', given, { name: 'checkout' })
      // The mock's own message could not list the members that only this call has.
      const wrong = Object.keys(beginning).find(key => !beginningMembers.includes(key))
      if (wrong !== undefined)
        throw new ControlError(
          `privateSpace: unknown key "${wrong}"; possible: of, name, ${beginningMembers.join(', ')}`,
        )
      const made = space(`${of ?? defaultSpace}+${name ?? uniqueName()}`)
      await made.begin(beginning)
      return made
    },
    /** The open spaces. */
    spaces: async (): Promise<readonly SpaceState[]> => (await calls.request('GET /spaces'))._embedded.spaces,
    /** Resets every space and removes private spaces. */
    reset: (): Promise<void> => calls.request('POST /reset'),
    /** The scenario catalogue. */
    scenarios: async (): Promise<readonly ScenarioShown[]> =>
      (await calls.request('GET /scenarios'))._embedded.scenarios as readonly ScenarioShown[],
    /** One scenario, including those of the loss matrix. */
    scenario: (name: string): Promise<ScenarioShown> =>
      calls.request('GET /scenarios/{name}', { params: { name } }) as Promise<ScenarioShown>,
  }
}
