import { RunRecord } from '../control/run-record.ts'
import type { MakeMock } from '../control/service-description.ts'
import { type AddressSettings, isAllowedHost, ownBasePaths, ownHostNames } from '../http/address.ts'
import { type AppOptions, createApp, createRequestHandler } from '../http/app.ts'
import { createInProcessFetch } from '../http/in-process-transport.ts'
import { createLog, type Log } from '../http/logger.ts'
import type { ListeningServer } from '../http/server.ts'
import type { App } from '../http/transport.ts'
import { seededChance } from '../rig/chance.ts'
import { realClock, SpaceClock, type StoredClock } from '../rig/clock.ts'
import { type JournalLimits, defaultJournalLimits as usualJournal } from '../rig/journal.ts'
import type { RequestHandler } from '../rig/request-handler.ts'
import { Rigs, resetAll } from '../rig/rigs.ts'
import { ScenarioLibrary, type Scenarios } from '../rig/scenarios/library.ts'
import type { Scenario } from '../rig/scenarios/scenario.ts'
import { SidePorts } from '../rig/side-ports.ts'
import { findWrongSetting, readSettings, scenarioFromDefinition, settingRow } from '../rig/space-settings.ts'
import { profiles, readDials } from '../service/dials.ts'
import { Content } from '../store/content.ts'
import type { diskFiles } from '../store/disk-files.ts'
import { type Files, noFiles } from '../store/files.ts'
import {
  checkFixture,
  defaultFixture,
  endFixtureBefore,
  FixtureError,
  latestDateOf,
  readFixtures,
} from '../store/fixtures.ts'
import { MemoryBudget, mebibyte } from '../store/memory-budget.ts'
import type { Fixture } from '../store/rows.ts'
import type { Clock, Space, SpaceData } from '../store/space-data.ts'
import { Spaces } from '../store/spaces.ts'
import { findHiddenPassword } from '../store/tenant-directory.ts'
import { UserError } from '../store/user-error.ts'
import type { Https } from '../tls/https.ts'
import { reloadScenarios } from './reload-scenarios.ts'
import { type SettingOptions, withDefaults } from './settings.ts'

/** The defaults are those of the command line. */
export interface AssemblyOptions extends Partial<SettingOptions> {
  /** Initial content of the spaces: a file, a directory of files, or the content itself. */
  readonly fixtures?: string | Fixture | readonly Fixture[]
  /** Directory for the data. In memory when not given. */
  readonly data?: string
  /** Generated rows by table, such as `{ mailings: 10_000 }`. */
  readonly generate?: Readonly<Record<string, number>>
  /** Base clock of all spaces; the system clock by default. */
  readonly clock?: Clock
  /** Whether control calls are answered only on a separate port. */
  readonly hasControlPort?: boolean
  /** Whether HTTPS is served beside HTTP, at another call of `listen`. */
  readonly hasTlsPort?: boolean
}

/** Where a mock listens. */
export interface ListenPlace {
  /** 0, the default, chooses a free one. */
  readonly port?: number
  /** `localhost`, which is both loopback addresses, by default. */
  readonly host?: string
  /** Whether it speaks HTTPS there; as the option `tls` says by default. */
  readonly tls?: boolean
}

/** A mock without the typed control client, which the library adds. `await using` closes it. */
export interface BasicMock extends AsyncDisposable {
  /** Answers a request without a socket. */
  fetch(input: Request | string | URL, init?: RequestInit): Promise<Response>
  /** Answers over HTTP, too; on loopback and a free port by default. */
  listen(options?: ListenPlace): Promise<ListeningServer>
  /** Every space back to its beginning. */
  reset(): Promise<void>
  /** Stops listening, saves and releases the data directory. */
  close(): Promise<void>
}

/** A mock with its parts, for the command line, the exam and tests. */
export interface AssembledMock extends BasicMock {
  /** Answers a control call without a socket, also with a separate control port. */
  control(request: Request): Promise<Response>
  readonly contents: readonly Content[]
  readonly spaces: Spaces
  readonly rigs: Rigs
  readonly run: RunRecord
  readonly scenarios: ScenarioLibrary
  /** Answers requests of the service whose space is known. */
  readonly requests: RequestHandler
  /** Answers control calls on a port of their own. */
  listenForControl(options?: ListenPlace): Promise<ListeningServer>
  /** What it serves HTTPS with, if it does. */
  readonly https: Https | undefined
  /** Reloads edited scenarios from now on. */
  watchScenarios(): Promise<void>
}

/** Parts that tests put in place of the usual ones. */
export interface ReplacedParts {
  /** In place of lines on standard error. */
  readonly log?: Log
  /** Opens the data directory. */
  readonly openFiles?: typeof diskFiles
  /** Initial content, in place of fixtures. */
  readonly contents?: readonly Content[]
  /** Where requests and spaces find scenarios. */
  readonly scenarios?: Scenarios
  /** Whether verdicts are taken of spaces that go, for a report on the run; true by default. An exam has its own. */
  readonly hasReport?: boolean
  /** Called with internal errors, which the log has otherwise. */
  readonly report?: AppOptions['report']
  /** The capsule whose pages are shown. */
  readonly opened?: AppOptions['opened']
}

const openDisk: typeof diskFiles = async (...place) =>
  (await import('../store/disk-files.ts')).diskFiles(...place)

/** @param ownsProcess whether the HTTP adapter may replace globals */
export async function assembleMock(
  options: AssemblyOptions,
  ownsProcess: boolean,
  replaced: ReplacedParts = {},
): Promise<AssembledMock> {
  const { clock = realClock, data, hasControlPort } = options
  const settings = withDefaults(options)
  const { seed, relationPrefix, platformSegment } = settings
  if (settings.journalOnDisk) checkKeptJournal(data, settings.journal)
  if (settings.spaceKeep !== undefined && data === undefined)
    throw new UserError('--space-keep needs --data, the directory from which private spaces are removed')
  const log = replaced.log ?? createLog(settings.logLevel)
  const start: Partial<StoredClock> = {
    ...(options.now !== undefined && { space: Date.parse(options.now) }),
    ...(options.frozen && { rate: 0 }),
  }
  const contents =
    replaced.contents ?? (await loadContents(options, seed, start.space ?? clock.now(), log.warn))
  const names = { relationPrefix, platformSegment }
  const library = await ScenarioLibrary.open({ folder: options.scenarios })
  const { openFiles = openDisk, scenarios = library, hasReport = true } = replaced
  await checkScenarioNames(options, contents, scenarios)
  const dials = readDials({ ...(settings.profile && profiles[settings.profile].dials), ...settings.dials })
  const known = options.known === undefined ? undefined : await readKnown(options.known)
  // The last step that can refuse a start, since it creates a directory.
  const files = data === undefined ? noFiles : await openFiles(data, settings.durability)
  const memory = new MemoryBudget(settings.memoryLimit * mebibyte, log.warn)
  const address = {
    publicUrl: settings.publicUrl?.replace(/\/+$/, ''),
    pagesUrl: settings.pagesUrl?.replace(/\/+$/, ''),
    allowedHosts: settings.allowedHosts.map(it => it.toLowerCase()),
    trustProxy: settings.trustProxy,
  }
  const rigs = new Rigs({
    names,
    pagesUrl: address.pagesUrl,
    memory,
    limits: journalLimits(settings.journal),
    journals: { files, areKept: settings.journalOnDisk, warn: log.warn },
    holdLimit: settings.holdLimit,
    hidesTestSynchronizations: settings.hideTestSynchronizations,
    dials,
    scenarioOf: space => scenarioAtOnce(initialScenario(space, settings.scenario), scenarios),
    readScenario: space =>
      readScenario(initialScenario(space, settings.scenario), scenarios).catch(error => {
        log.warn(`space ${space.name} has no scenario in force: ${(error as Error).message}`)
        return undefined
      }),
  })
  const run = new RunRecord(rigs)
  const sidePorts = new SidePorts()
  let spaces: Spaces
  let https: Https | undefined
  try {
    https = await prepareHttps(options, address, files, memory, log.warn)
    spaces = await Spaces.open({
      contents,
      memory,
      files,
      clock: clockFactory(clock, start),
      copies: {
        count: settings.spaceLimit,
        idle: settings.spaceIdle,
        kept: settings.spaceKeep,
        useOf: space => rigs.useOfCopy(space),
      },
      onEnd: (space, why, next) => {
        const rig = rigs.known(space)
        if (rig && hasReport && why !== 'closed') run.take(rig, why)
        rigs.end(space, next !== undefined)
        if (!next) sidePorts.end(space.name)
      },
      seed,
      chance: (space, own) => seededChance(own, space),
      warn: log.warn,
    })
    if (files.stems('content').length > 0) {
      const { readContents } = await import('./readable-contents.ts')
      await readContents({ spaces, rigs, scenarios: library }, files, settings.acceptEdits, log.info)
    }
    if (settings.spaceKeep !== undefined) {
      const removed = await spaces.removePrivate(() => false, Date.now() - settings.spaceKeep)
      if (removed > 0)
        log.info(`private spaces removed that nobody had used for so long (--space-keep): ${removed}`)
    }
    // What is wrong with a journal is said at the start.
    for (const name of spaces.names()) {
      const space = spaces.getOpen(name)
      if (space && rigs.hasKept(space)) await rigs.of(space)
    }
  } catch (error) {
    await files.close()
    throw error
  }
  let serviceUrl: string | undefined
  const basePaths = ownBasePaths(address, names.platformSegment)
  const parts: Omit<AppOptions, 'part'> = {
    spaces,
    scenarios,
    sidePorts,
    token: settings.token,
    names,
    rigs,
    run,
    known,
    metrics: settings.metrics,
    serviceUrl: () => serviceUrl,
    authority: https?.ca,
    makeMock,
    opened: replaced.opened,
    environment: {
      seed,
      dials,
      relationPrefix,
      platformSegment,
      publicUrl: address.publicUrl ?? null,
      pagesUrl: address.pagesUrl ?? null,
      selection: [...settings.selection],
      hints: settings.hints,
      rateLimit: settings.rateLimit ?? null,
      holdLimit: settings.holdLimit,
      bodyLimit: settings.bodyLimit,
      journal: settings.journal,
      hideTestSynchronizations: settings.hideTestSynchronizations,
      scenario: settings.scenario ?? null,
      now: options.now ?? null,
      frozen: options.frozen ?? false,
    },
    warn: log.warn,
    channels: new Set(settings.selection),
    hints: settings.hints,
    address,
    rateLimit: settings.rateLimit,
    bodyLimit: settings.bodyLimit,
    report: replaced.report ?? (error => log.error('a request could not be processed', error)),
  }
  const requests = createRequestHandler(parts)
  const app = createApp({ ...parts, part: hasControlPort ? 'service' : 'all' }, requests)
  const controlApp = hasControlPort ? createApp({ ...parts, part: 'control' }) : app
  let isClosed = false
  const fetchOf = (given: App) => {
    const fetch = createInProcessFetch(given, wires, basePaths)
    return async (input: Request | string | URL, init?: RequestInit): Promise<Response> => {
      if (isClosed) throw new TypeError('fetch failed', { cause: new Error('the mock is closed') })
      return fetch(input, init)
    }
  }
  async function close(): Promise<void> {
    isClosed = true
    for (const wire of wires) wire.stop()
    await sidePorts.closeAll()
    await Promise.all([...listening].map(server => server.close()))
    await library.close()
    if (files.persistent) {
      const { writeContents } = await import('./readable-contents.ts')
      await writeContents({ spaces, rigs }, files, log.warn)
    }
    await spaces.close()
  }
  const listening = new Set<ListeningServer>()
  const wires = new Set<{ stop(): void }>()
  async function listenWith(
    answer: App,
    { port = 0, host = 'localhost', tls = settings.tls }: ListenPlace = {},
  ): Promise<ListeningServer> {
    const { listen } = await import('../http/server.ts')
    const options = { port, host, basePaths, log, ownsProcess, limits: settings, https, isSecure: tls }
    const server = await listen(answer, options)
    listening.add(server)
    if (!isClosed) return server
    await server.close()
    throw new UserError('the mock is closed')
  }
  return {
    contents,
    spaces,
    rigs,
    run,
    scenarios: library,
    requests,
    fetch: fetchOf(app),
    control: fetchOf(controlApp),
    https,
    async listen(place) {
      const server = await listenWith(app, place)
      serviceUrl = server.url
      sidePorts.setOpener(server.openSidePort)
      return server
    },
    listenForControl: place =>
      listenWith(hasControlPort ? controlApp : createApp({ ...parts, part: 'control' }), place),
    watchScenarios: () => reloadScenarios(library, spaces, rigs, log),
    reset: () => resetAll({ spaces, rigs }),
    close,
    [Symbol.asyncDispose]: close,
  }
}

/** What a known-file accepts. @throws UserError */
const readKnown = async (file: string) => (await import('./known-file.ts')).readKnownFile(file)

/** @throws UserError when there is no place for the journals, or nothing to keep */
function checkKeptJournal(data: string | undefined, entries: number): void {
  if (data === undefined)
    throw new UserError('--journal-on-disk needs --data, the directory in which the journals are kept')
  if (entries === 0)
    throw new UserError('--journal-on-disk does nothing with --journal 0, which keeps no requests')
}

/** Makes the mock whose responses are the examples of the OpenAPI document. */
export const makeMock: MakeMock = settings => assembleMock(settings, false)

/** HTTPS, loaded only if it is asked for. @throws UserError for unusable certificates, and options without effect */
async function prepareHttps(
  { tls = false, hasTlsPort = false, tlsCert, tlsKey }: AssemblyOptions,
  address: AddressSettings,
  files: Files,
  memory: MemoryBudget,
  warn: (sentence: string) => void,
): Promise<Https | undefined> {
  if ((tlsCert === undefined) !== (tlsKey === undefined))
    throw new UserError('--tls-cert and --tls-key are given together, or neither of them')
  if (!tls && !hasTlsPort) {
    if (tlsCert === undefined) return undefined
    throw new UserError('--tls-cert does nothing without --tls or --tls-port')
  }
  const { openHttps } = await import('../tls/https.ts')
  return openHttps({
    files,
    own: tlsCert === undefined ? undefined : { cert: tlsCert, key: tlsKey! },
    hostNames: [...address.allowedHosts, ...ownHostNames(address)],
    isAllowed: name => isAllowedHost(name, address),
    memory,
    warn,
  })
}

/** @throws UnknownScenario or FixtureError for an unknown scenario name, which would otherwise silently have no effect */
async function checkScenarioNames(
  { scenario }: AssemblyOptions,
  contents: readonly Content[],
  scenarios: Scenarios,
): Promise<void> {
  if (scenario !== undefined) await scenarios.get(scenario)
  for (const { fixture } of contents) {
    const wrong = await findWrongSetting(fixture, scenarios)
    if (wrong)
      throw new FixtureError(`the fixture of space ${fixture.space}: ${wrong.path}: ${wrong.problem}`)
  }
}

/** The room for bodies grows with the number of requests; otherwise their bodies would be dropped. */
const journalLimits = (entries: number): JournalLimits => ({
  entries,
  bytes: usualJournal.bytes * Math.max(1, entries / usualJournal.entries),
})

type InitialScenario = ReturnType<typeof readSettings>['scenario']

/** With which scenario a space opens: a name, a definition, or null for none. @param usual without a setting of its own */
function initialScenario(space: Space, usual: string | undefined): InitialScenario {
  const { scenario = usual } = readSettings(space.data.tables)
  return scenario
}

/** The scenario if nothing has to be read for it. */
const scenarioAtOnce = (initial: InitialScenario, scenarios: Scenarios) =>
  initial === null || initial === undefined
    ? undefined
    : (typeof initial === 'string' && scenarios.loaded(initial)) || 'unread'

async function readScenario(initial: InitialScenario, scenarios: Scenarios): Promise<Scenario | undefined> {
  if (initial === null || initial === undefined) return undefined
  return typeof initial === 'string' ? scenarios.get(initial) : scenarioFromDefinition(initial)
}

/**
 * The clock of a space according to its settings. A running clock that begins at a given time is saved, so that a restart
 * does not set it back.
 * @param usual what it begins with as far as the space has no setting of its own
 */
const clockFactory =
  (source: Clock, usual: Partial<StoredClock> = {}) =>
  (data: SpaceData): SpaceClock => {
    const own = readSettings(data.tables).clock
    // A clock that was saved is whole.
    const stored = own?.source === undefined ? { ...usual, ...own } : own
    const clock = new SpaceClock(source, stored)
    const isNew = stored.space !== undefined && stored.source === undefined
    if (isNew && !clock.isFrozen)
      try {
        data.save({ settings: [settingRow('clock', clock.stored)] })
      } catch {
        // The first change in the space fails too, and its caller gets the error.
      }
    return clock
  }

/** The packaged fixture ends before `start`, milliseconds since 1970; a date after that in others is told. */
async function loadContents(
  options: AssemblyOptions,
  seed: number,
  start: number,
  warn: (message: string) => void,
): Promise<Content[]> {
  const { fixtures = defaultFixture, generate: counts } = options
  const given =
    typeof fixtures === 'string'
      ? await readFixtures(fixtures)
      : await Promise.all(
          [fixtures].flat().map(fixture => {
            if (typeof fixture !== 'string') return checkFixture(fixture, 'the given fixture')
            throw new FixtureError(`fixtures: a path stands alone, not in a list: fixtures: '${fixture}'`)
          }),
        )
  if (given.length === 0) throw new FixtureError('fixtures: the list is empty; expected at least one fixture')
  const isPackaged = fixtures === defaultFixture
  for (const fixture of given) {
    const missing = findHiddenPassword(fixture)
    if (missing) throw new FixtureError(`the fixture of space ${fixture.space}: ${missing}`)
    if (!isPackaged && latestDateOf(fixture) > start)
      warn(
        `the fixture of space ${fixture.space} goes on until ${new Date(latestDateOf(fixture)).toISOString()}, after the start of its clock: what is made then is not the latest`,
      )
  }
  const ended = isPackaged ? given.map(fixture => endFixtureBefore(fixture, start)) : given
  if (!counts || Object.keys(counts).length === 0) return ended.map(fixture => new Content(fixture))
  const { generate } = await import('./generate.ts')
  return Promise.all(ended.map(async fixture => new Content(await generate(fixture, counts, seed))))
}
