import { type App, type AppOptions, createApp } from './app.ts'
import { processFetch } from './in-process.ts'
import { type Limits, usualLimits } from './limits.ts'
import { createLog, type LogLevel } from './log.ts'
import { named, scenarioAtOpening } from './rig/beginning.ts'
import { seededChance } from './rig/chance.ts'
import { realClock } from './rig/clock.ts'
import { reloadScenarios } from './rig/hot-reload.ts'
import { type JournalLimits, usualLimits as usualJournal } from './rig/journal.ts'
import { clockOf, Rigs } from './rig/rigs.ts'
import { ScenarioLibrary } from './rig/scenarios/library.ts'
import { wrongSetting } from './rig/settings-check.ts'
import { SidePorts } from './rig/side-ports.ts'
import type { Listening } from './server.ts'
import { readDials } from './service/dials.ts'
import type { Content } from './store/content.ts'
import { type Durability, diskFiles, noFiles } from './store/files.ts'
import { checkFixture, defaultFixture, FixtureError, readFixtures, toContents } from './store/fixtures.ts'
import { missingPassword } from './store/passwords.ts'
import type { Fixture } from './store/rows.ts'
import type { Clock } from './store/space.ts'
import { Spaces } from './store/spaces.ts'

/** Each has the default that the command line has. */
export interface MockOptions extends Partial<Limits> {
  /** What the spaces start with: a file, a directory of files, or the content itself. */
  readonly fixtures?: string | Fixture | readonly Fixture[]
  /** Where the data is kept. Without it, in memory. */
  readonly data?: string
  /**
   * What a change outlives once it is answered: `os`, the end of the process however it comes; `fsync`, of the machine's
   * power as well, for some milliseconds each. `os` unless given.
   */
  readonly durability?: Durability
  /** Where everything that looks random comes from. */
  readonly seed?: number
  /** More content by table, such as `{ mailings: 10_000 }`. */
  readonly generate?: Readonly<Record<string, number>>
  readonly relationPrefix?: string
  readonly platformSegment?: string
  readonly publicUrl?: string
  readonly allowedHosts?: readonly string[]
  readonly trustProxy?: boolean
  /** Requests a minute for each space. Without it, no limit. */
  readonly rateLimit?: number
  readonly logLevel?: LogLevel
  /** What the clocks of all spaces run from; the process's own unless given. */
  readonly clock?: Clock
  /** The time at which the clock of a space begins, as a date-time; unless given, that of `clock`. */
  readonly now?: string
  /** Whether the clocks stand still until they are moved. */
  readonly frozen?: boolean
  /** A folder with scenarios of one's own. */
  readonly scenarios?: string
  /** Name of the scenario that is in force in every space from its beginning. */
  readonly scenario?: string
  /** What to do where the document is silent, by the names of the dials. */
  readonly dials?: Readonly<Record<string, string>>
  /** Whether answers carry X-Mock-Request-Id, X-Mock-Scenario and X-Mock-Hint; they do unless this is false. */
  readonly hints?: boolean
  /** Whether control calls are answered on a port of their own only. */
  readonly hasControlPort?: boolean
  /** Asked for on every control call but health, when given: `Authorization: Bearer` or `X-Mock-Token`. */
  readonly token?: string
  /** Requests that the journal of a space keeps, with 16 KiB for each on average; 1000 unless given. */
  readonly journal?: number
  /** Private copies of spaces at most; 2000 unless given. */
  readonly spaceLimit?: number
  /** Milliseconds that a private copy may be unused; an hour unless given. */
  readonly spaceIdle?: number
}

/** A mock as such; the library's has the typed control besides. */
export interface BareMock {
  /** Answers a request without a socket. */
  fetch(input: Request | string | URL, init?: RequestInit): Promise<Response>
  /** Answers over HTTP as well, on loopback and a free port unless told otherwise. */
  listen(options?: { port?: number; host?: string }): Promise<Listening>
  /** Every space back to its beginning. */
  reset(): Promise<void>
  /** Stops listening, saves, lets go of the data. */
  close(): Promise<void>
}

/** A mock with what it started from, for whoever introduces it. */
export interface CreatedMock extends BareMock {
  /** Answers a control call without a socket, wherever control calls are answered otherwise. */
  control(request: Request): Promise<Response>
  readonly contents: readonly Content[]
  readonly spaces: Spaces
  readonly rigs: Rigs
  readonly scenarios: ScenarioLibrary
  /** Answers control calls on a port of their own. */
  listenForControl(options?: { port?: number; host?: string }): Promise<Listening>
  /** Takes edited scenarios over from now on. */
  watchScenarios(): Promise<void>
}

/**
 * Puts the parts together.
 * @param ownsProcess whether the process is nothing else, so that the HTTP adapter may put its own globals in place
 * @param openFiles opens the data directory; tests put a disk that fails below it
 */
export async function create(
  options: MockOptions,
  ownsProcess: boolean,
  openFiles: typeof diskFiles = diskFiles,
): Promise<CreatedMock> {
  const { seed = 1, clock = realClock, data, logLevel = 'warn' } = options
  const log = createLog(logLevel)
  const limits = limitsOf(options)
  const contents = toContents(await startingContent(options, seed))
  const names = {
    relationPrefix: options.relationPrefix ?? 'svc',
    platformSegment: options.platformSegment ?? 'mailing-platform',
  }
  const library = await ScenarioLibrary.open({ folder: options.scenarios })
  await checkScenarioNames(options, contents, library)
  const dials = readDials(options.dials ?? {})
  // Last of what may refuse a start, since it makes a directory.
  const files = data === undefined ? noFiles : await openFiles(data, options.durability)
  const rigs = new Rigs({
    names,
    limits: limitsFor(options.journal),
    holdLimit: limits.holdLimit,
    dials,
    scenarioOf: space => scenarioAtOpening(space, library, options.scenario, log.warn),
  })
  let spaces: Spaces
  try {
    spaces = await Spaces.open({
      contents,
      files,
      clock: clockOf(clock, startOf(options)),
      copies: {
        count: options.spaceLimit ?? usualCopies.count,
        idle: options.spaceIdle ?? usualCopies.idle,
        unused: space => rigs.known(space)?.unused ?? 0,
      },
      gone: space => rigs.end(space),
      seed,
      chance: (space, own) => seededChance(own, space),
      warn: log.warn,
    })
  } catch (error) {
    await files.close()
    throw error
  }
  const sidePorts = new SidePorts()
  let servicePort: number | undefined
  const parts: Omit<AppOptions, 'part'> = {
    spaces,
    scenarios: library,
    sidePorts,
    ...(options.token !== undefined && { token: options.token }),
    names,
    rigs,
    servicePort: () => servicePort,
    scenario: name => named(library, name),
    hints: options.hints ?? true,
    address: {
      publicUrl: options.publicUrl?.replace(/\/+$/, ''),
      allowedHosts: options.allowedHosts ?? [],
      trustProxy: options.trustProxy ?? false,
    },
    rateLimit: options.rateLimit ?? 0,
    bodyLimit: limits.bodyLimit,
    report: error => log.error('a request could not be processed', error),
  }
  const app = createApp({ ...parts, part: options.hasControlPort ? 'service' : 'all' })
  const controlApp = options.hasControlPort ? createApp({ ...parts, part: 'control' }) : app
  const listening = new Set<Listening>()
  async function listenWith(answer: App, port: number, host: string): Promise<Listening> {
    const { listen } = await import('./server.ts')
    const server = await listen(answer, { port, host, log, ownsProcess, limits })
    listening.add(server)
    return server
  }
  return {
    contents,
    spaces,
    rigs,
    scenarios: library,
    fetch: processFetch(app),
    control: processFetch(controlApp),
    async listen({ port = 0, host = '127.0.0.1' } = {}) {
      const server = await listenWith(app, port, host)
      servicePort = server.port
      sidePorts.serveBy(server.openSidePort)
      return server
    },
    listenForControl: ({ port = 0, host = '127.0.0.1' } = {}) =>
      listenWith(options.hasControlPort ? controlApp : createApp({ ...parts, part: 'control' }), port, host),
    watchScenarios: () => reloadScenarios(library, spaces, rigs, log),
    reset: () => spaces.reset(),
    async close() {
      await sidePorts.closeAll()
      await Promise.all([...listening].map(server => server.close()))
      await library.close()
      await spaces.close()
    },
  }
}

/** @throws UnknownScenario or FixtureError for a name that nothing has: it would never strike, and nobody would see why */
async function checkScenarioNames(
  { scenario }: MockOptions,
  contents: readonly Content[],
  library: ScenarioLibrary,
): Promise<void> {
  if (scenario !== undefined) await library.get(scenario)
  for (const { fixture } of contents) {
    const scenarios = { has: (name: string) => library.has(name), get: (name: string) => library.get(name) }
    const wrong = await wrongSetting(fixture, scenarios)
    if (wrong)
      throw new FixtureError(`the fixture of space ${fixture.space}: ${wrong.path}: ${wrong.problem}`)
  }
}

/** An option that is there and undefined counts as not given. */
function limitsOf(options: MockOptions): Limits {
  const entries = Object.entries(usualLimits).map(([name, usual]) => [
    name,
    options[name as keyof Limits] ?? usual,
  ])
  return Object.fromEntries(entries) as Limits
}

/** Whoever asks for more requests than usual gets room for their bodies too, and would otherwise have them dropped. */
const limitsFor = (entries = usualJournal.entries): JournalLimits => ({
  entries,
  bytes: usualJournal.bytes * Math.max(1, entries / usualJournal.entries),
})

const usualCopies = { count: 2_000, idle: 3_600_000 }

/** How the clocks of spaces begin. */
function startOf({ now, frozen }: MockOptions): { space?: number; rate?: number } {
  return { ...(now !== undefined && { space: Date.parse(now) }), ...(frozen && { rate: 0 }) }
}

async function startingContent(options: MockOptions, seed: number): Promise<Fixture[]> {
  const { fixtures = defaultFixture, generate: counts } = options
  const given =
    typeof fixtures === 'string'
      ? await readFixtures(fixtures)
      : await Promise.all([fixtures].flat().map(fixture => checkFixture(fixture, 'the given fixture')))
  for (const fixture of given) {
    const missing = missingPassword(fixture)
    if (missing) throw new FixtureError(`the fixture of space ${fixture.space}: ${missing}`)
  }
  if (!counts || Object.keys(counts).length === 0) return given
  const { generate } = await import('./store/generate/generate.ts')
  return Promise.all(given.map(fixture => generate(fixture, counts, seed)))
}
