import type { Fixture } from '../store/rows.ts'
import type { Calls } from './calls.ts'
import { ClockControl } from './clock-control.ts'
import { ControlError } from './control-error.ts'
import { eventsIn, type SpaceEvent } from './events.ts'
import { FaultsControl } from './faults-control.ts'
import { MailingsControl } from './mailings-control.ts'
import type {
  Awaited,
  AwaitedFilter,
  Beginning,
  ClientEnd,
  Dials,
  ExplainedRequest,
  Hold,
  Platform,
  PlatformFilter,
  PlatformSending,
  RequestEntry,
  RequestFilter,
  ScenarioDefinition,
  ScenarioInForce,
  SidePort,
  SidePortMode,
  SpaceState,
  TurnedDials,
  Verdict,
} from './shapes.ts'

/** Somebody who may use a space. */
export interface Credentials {
  readonly user: string
  readonly password: string
}

/** Longest page of a list. */
const longestPage = '1000'
/** Longest list of the ledger. */
const longestLedger = '10000'

/**
 * One space as a tester turns and reads it: `mock.space('demo')`. Every call throws a ControlError whose message says
 * what is wrong and what is possible.
 */
export class SpaceControl {
  readonly name: string
  readonly clock: ClockControl
  readonly faults: FaultsControl
  readonly mailings: MailingsControl
  readonly #calls: Calls
  readonly #credentials: Credentials | undefined
  readonly #params: { readonly space: string }

  /** @param credentials of a user of the space, where they are known */
  constructor(calls: Calls, name: string, credentials: Credentials | undefined) {
    this.name = name
    this.clock = new ClockControl(calls, name)
    this.faults = new FaultsControl(calls, name)
    this.mailings = new MailingsControl(calls, name)
    this.#calls = calls
    this.#credentials = credentials
    this.#params = { space: name }
  }

  /** Name of a user of the space, for the client under test. @throws ControlError where none is known */
  get user(): string {
    return this.#known().user
  }

  /** Its password. @throws ControlError where none is known */
  get password(): string {
    return this.#known().password
  }

  /** Both as an Authorization header has them. @throws ControlError where none is known */
  get authorization(): string {
    const { user, password } = this.#known()
    const bytes = new TextEncoder().encode(`${user}:${password}`)
    return `Basic ${btoa(String.fromCharCode(...bytes))}`
  }

  /** How it stands. */
  state(): Promise<SpaceState> {
    return this.#calls.ask('GET /spaces/{space}', { params: this.#params })
  }

  /** Lets it begin as told, made if need be; a reset leads back to exactly this. */
  begin(beginning: Beginning = {}): Promise<SpaceState> {
    return this.#calls.ask('PUT /spaces/{space}', { params: this.#params, body: beginning as object })
  }

  /** Back to its beginning. */
  async reset(): Promise<void> {
    await this.#calls.ask('POST /spaces/{space}/reset', { params: this.#params })
  }

  /** Removes a private copy, or a space that a control call made. */
  async remove(): Promise<void> {
    await this.#calls.ask('DELETE /spaces/{space}', { params: this.#params })
  }

  /** Puts a scenario in force, its counts at zero. @param scenario its name, or a whole definition */
  arm(scenario: string | ScenarioDefinition): Promise<ScenarioInForce> {
    const body = typeof scenario === 'string' ? { name: scenario } : (scenario as Record<string, unknown>)
    return this.#calls.ask('PUT /spaces/{space}/scenario', { params: this.#params, body })
  }

  /** Lets it go on undisturbed by a scenario. */
  async disarm(): Promise<void> {
    await this.#calls.ask('DELETE /spaces/{space}/scenario', { params: this.#params })
  }

  /** The scenario in force, and what it has struck. */
  scenario(): Promise<ScenarioInForce> {
    return this.#calls.ask('GET /spaces/{space}/scenario', { params: this.#params })
  }

  /** What was asked and answered, the oldest first: all that match and are still on record. */
  async requests(filter: RequestFilter = {}): Promise<RequestEntry[]> {
    const found: RequestEntry[] = []
    for (;;) {
      const page = await this.#calls.ask('GET /spaces/{space}/requests', {
        params: this.#params,
        query: { ...asText(filter), since: text(found.at(-1)?.number ?? filter.since), limit: longestPage },
      })
      found.push(...page._embedded.requests)
      if (!page._links.next) return found
    }
  }

  /** One request, its answer explained. */
  request(id: string): Promise<ExplainedRequest> {
    return this.#calls.ask('GET /spaces/{space}/requests/{id}', { params: { ...this.#params, id } })
  }

  /**
   * Waits in the mock until so many requests match: one that has ended, within five seconds, unless told otherwise. Those
   * that came before count as well. Look at `met`: it does not throw when they do not come.
   */
  waitForRequests(filter: AwaitedFilter = {}, signal?: AbortSignal): Promise<Awaited> {
    const { count, timeout, state, ...rest } = filter
    return this.#calls.ask('GET /spaces/{space}/requests/wait', {
      params: this.#params,
      query: { ...asText(rest), since: text(filter.since), count: text(count), timeout, state },
      signal,
    })
  }

  /** Removes the requests that are on record; what they brought about stays. */
  async forgetRequests(): Promise<void> {
    await this.#calls.ask('DELETE /spaces/{space}/requests', { params: this.#params })
  }

  /**
   * What truly went out to lists since the space began, whatever clients were told: the platform's ledger has it.
   * @throws ControlError for more than ten thousand, which `platform()` sums up
   */
  async sent(filter: PlatformFilter = {}): Promise<PlatformSending[]> {
    const { complete, sendings } = await this.platform(filter)
    if (!complete)
      throw new ControlError(
        `more than ${longestLedger} sendings are on record in space "${this.name}": platform() sums them up`,
      )
    return sendings.filter(({ kind, status }) => kind === 'list' && status === 'sent')
  }

  /** What truly happened on the platform: mailings made, sendings gone out and scheduled, tests; and their sums. */
  platform(filter: PlatformFilter = {}): Promise<Platform> {
    return this.#calls.ask('GET /spaces/{space}/platform', {
      params: this.#params,
      query: { ...filter, limit: longestLedger },
    })
  }

  /** The judge's reading of what clients did here. @param end what only you know, now that the client has ended */
  verdict(end: ClientEnd = {}): Promise<Verdict> {
    return this.#calls.ask('GET /spaces/{space}/verdict', { params: this.#params, query: endQuery(end) })
  }

  /** The same for a person to read. */
  verdictText(end: ClientEnd = {}): Promise<string> {
    return this.#calls.text('GET /spaces/{space}/verdict', { params: this.#params, query: endQuery(end) })
  }

  /** The requests that steps hold. */
  async holds(): Promise<readonly Hold[]> {
    return (await this.#calls.ask('GET /spaces/{space}/holds', { params: this.#params }))._embedded.holds
  }

  /** Lets held requests go on. @returns how many; their work is done by then */
  async release(hold: string, count?: number): Promise<number> {
    const { released } = await this.#calls.ask('POST /spaces/{space}/holds/{name}/release', {
      params: { ...this.#params, name: hold },
      body: count === undefined ? {} : { count },
    })
    return released
  }

  /** How its dials stand. */
  dials(): Promise<Dials> {
    return this.#calls.ask('GET /spaces/{space}/dials', { params: this.#params })
  }

  /** Turns dials; those that are left out go back. */
  turn(dials: TurnedDials): Promise<Dials> {
    return this.#calls.ask('PUT /spaces/{space}/dials', { params: this.#params, body: dials })
  }

  /** Everything in it as a fixture, from which a mock can start. */
  async snapshot(): Promise<Fixture> {
    return (await this.#calls.ask('GET /spaces/{space}/snapshot', {
      params: this.#params,
    })) as unknown as Fixture
  }

  /** Goes on from a snapshot. */
  restore(snapshot: Fixture): Promise<SpaceState> {
    return this.#calls.ask('PUT /spaces/{space}/snapshot', {
      params: this.#params,
      body: snapshot as unknown as Record<string, unknown>,
    })
  }

  /** A port whose connections break before there is a request; the mock has to listen. Opens it, or switches it. */
  sidePort(mode: SidePortMode): Promise<SidePort> {
    return this.#calls.ask('PUT /spaces/{space}/side-port', { params: this.#params, body: { mode } })
  }

  /** Closes the side port. */
  async closeSidePort(): Promise<void> {
    await this.#calls.ask('DELETE /spaces/{space}/side-port', { params: this.#params })
  }

  /**
   * What happens here from now on. The mock listens for you when this resolves; leave the loop, or abort, to stop.
   * `for await (const { type, data } of await space.events()) …`
   */
  async events(signal?: AbortSignal): Promise<AsyncGenerator<SpaceEvent, void, void>> {
    const { response, what } = await this.#calls.open('GET /spaces/{space}/events', {
      params: this.#params,
      signal,
      accept: 'text/event-stream',
    })
    if (response.body) return eventsIn(response.body, signal)
    throw new ControlError(`${what} was answered without a body`)
  }

  #known(): Credentials {
    if (this.#credentials) return this.#credentials
    throw new ControlError(
      `no user of space "${this.name}" is known here; connect() takes users: [{ space, user, password }]`,
    )
  }
}

const text = (value: number | string | undefined) => (value === undefined ? undefined : String(value))

const asText = ({ status, since: _, ...rest }: RequestFilter) => ({ ...rest, status: text(status) })

const endQuery = ({ believes, expected, workers }: ClientEnd) => ({
  believes,
  expected: text(expected),
  workers: text(workers),
})
