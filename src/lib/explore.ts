import { existsSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { readySynchronization } from '../judge/exam/cases.ts'
import { type Client, type ClientFunction, functionClient } from '../judge/exam/client.ts'
import { makeTemporaryFolder } from '../judge/exam/temporary-folder.ts'
import { machineDelay } from '../judge/exam/timing.ts'
import {
  type ExplorationOptions,
  type ExplorationResult,
  explorePlans,
  type PlanPlayer,
  type PlayerOptions,
  planPlayer,
} from '../judge/explore/explore.ts'
import { planOfName, troublesByName } from '../judge/explore/plans.ts'
import { realNow, VirtualTime } from '../judge/explore/virtual-time.ts'
import { seededChance } from '../rig/chance.ts'
import { UserError } from '../store/user-error.ts'
import { findNearest, shorten } from '../store/validation-messages.ts'
import { type AssembledMock, assembleMock } from './assemble-mock.ts'

/** Options of an exploration for a test suite. */
export interface ExploreOptions extends ExploreSettings {
  /**
   * Sends one mailing as the call says and returns its belief. The URL of a file stands for the default export of that
   * module, which is played in several threads.
   */
  readonly client: ClientFunction | URL
}

interface ExploreSettings
  extends Partial<
    Pick<
      ExplorationOptions,
      'depth' | 'seed' | 'sample' | 'signal' | 'onProgress' | 'first' | 'only' | 'reproduce'
    >
  > {
  /** Milliseconds of real time after which no more plans are begun. */
  readonly budget?: number | undefined
  /** Whether warnings count as failures. */
  readonly strict?: boolean
  /** Plans at a time; by the number of processors by default. A function is played one at a time. */
  readonly jobs?: number | undefined
}

export interface ExploreCommandOptions extends ExploreSettings {
  readonly client: Client
  /** Speed of the service's clock. */
  readonly speed: number
  /** Milliseconds that the client may take for a plan. */
  readonly timeout?: number | undefined
}

/** When every run begins in virtual time, on its own clock. */
const beginning = Date.UTC(2030, 0, 7, 9)
/** The mock's in virtual time. */
const address = 'http://localhost'
const oneMinute = 60_000
/** Milliseconds of the service's clock that a client may take: fifteen minutes of recreations (spec 8), and more. */
const longestRun = 40 * oneMinute
const journalLimit = 2_000

/**
 * Plays every combination of troubles up to a depth to a client in this process, in virtual time: while it runs, the
 * timers, the clocks, the random numbers and `fetch` of its thread are those of the exploration. A function is played in
 * the calling thread, a module in threads of its own.
 * @throws TypeError for an invalid client; UserError for a name of no plan, and for a module that cannot be explored
 */
export async function exploreInProcess({ client, ...settings }: ExploreOptions): Promise<ExplorationResult> {
  if (client instanceof URL) {
    const { modulePlayers } = await import('./module-players.ts')
    const { jobs = availableParallelism(), seed = 1, reproduce } = settings
    await using folder = await makePlace()
    await using players = modulePlayers(
      { module: client.href, seed, place: folder.path },
      { reproduce, signal: settings.signal },
    )
    return await exploreWith(players, { ...settings, jobs }, relative('', fileURLToPath(client)))
  }
  if (typeof client !== 'function') throw new TypeError('client: expected a function that sends one mailing')
  const loaded = async () => client
  return await inVirtualTime(loaded, settings, player =>
    exploreWith(player, { ...settings, jobs: 1 }, functionClient(client).name),
  )
}

/**
 * Gives a player of plans in virtual time, which is in force in this thread until the work has ended.
 * @param load called in virtual time, so that what a module takes at its beginning belongs to it
 */
export async function inVirtualTime<Result>(
  load: () => Promise<ClientFunction>,
  { seed = 1, reproduce }: Pick<ExploreSettings, 'seed' | 'reproduce'>,
  work: (player: PlanPlayer) => Promise<Result>,
  place?: string,
): Promise<Result> {
  const time = new VirtualTime(beginning)
  let mock: AssembledMock | undefined
  const restore = time.install({
    fetch: async input => {
      const { url } = input as Request
      if (new URL(url).origin === address) return mock!.fetch(input as Request)
      throw new TypeError('fetch failed', { cause: new Error(`there is only ${address} here, not ${url}`) })
    },
    chance: seededChance(seed, 'client'),
  })
  try {
    const client = await time.during(load(), true)
    return await withPlayer(
      {
        start: async made => {
          mock = made
          return address
        },
        seed,
        reproduce,
        client: killable(functionClient(client), time),
        speed: 1,
        limit: longestRun,
        // A run is never broken off: it takes no time.
        signal: new AbortController().signal,
        delayMeter: () => () => 0,
        isExact: true,
        during: work => {
          time.restart()
          return time.during(work())
        },
      },
      work,
      place,
    )
  } finally {
    restore()
  }
}

/** The same for a command, over sockets and in real time. @throws CommandError, and UserError for a name of no plan */
export async function exploreCommandClient(options: ExploreCommandOptions): Promise<ExplorationResult> {
  const { client, speed, jobs = availableParallelism() * 4, timeout, seed = 1, reproduce } = options
  return await withPlayer(
    {
      start: async mock => `http://127.0.0.1:${(await mock.listen()).port}`,
      seed,
      reproduce,
      client,
      speed,
      limit: timeout ?? Math.max(oneMinute, longestRun / speed),
      signal: options.signal ?? new AbortController().signal,
      delayMeter: machineDelay,
      isExact: false,
      during: work => work(),
    },
    player => exploreWith(player, { ...options, jobs }, client.name),
  )
}

interface Setup extends Omit<PlayerOptions, 'host' | 'synchronizationId' | 'directory'> {
  /** @returns the base URL of the mock */
  readonly start: (mock: AssembledMock) => Promise<string>
}

/** @param place parent of a folder for what clients keep; in memory by default, where the system has such folders */
const makePlace = (place = existsSync('/dev/shm') ? '/dev/shm' : tmpdir()) =>
  makeTemporaryFolder(place, 'mailing-sync-explore-')

async function withPlayer<Result>(
  { start, ...setup }: Setup,
  work: (player: PlanPlayer) => Promise<Result>,
  place?: string,
): Promise<Result> {
  await using folder = await makePlace(place)
  await using mock = await assembleMock(
    { seed: setup.seed, hints: false, journal: journalLimit, logLevel: 'error' },
    false,
  )
  const url = await start(mock)
  const [content] = mock.contents
  const host = { tools: mock, url, home: content!.fixture.space }
  const synchronizationId = readySynchronization(content!)
  return await work(planPlayer({ ...setup, host, synchronizationId, directory: folder.path }))
}

async function exploreWith(
  player: PlanPlayer,
  settings: ExploreSettings & Pick<ExplorationOptions, 'jobs'>,
  client: string,
): Promise<ExplorationResult> {
  const { depth = 2, seed = 1, sample = 1_000, budget, first = [], only, strict = false } = settings
  for (const [name, plans] of Object.entries({ first, only }))
    if (typeof plans === 'string') throw new TypeError(`${name}: expected a list, such as ['${plans}']`)
  const wrong = [...first, ...(only ?? [])].find(name => !planOfName(name))
  if (wrong !== undefined) {
    const unknown = wrong.split(/[:+]/).find(part => !troublesByName.has(part)) ?? ''
    const near = findNearest(unknown, [...troublesByName.keys()])
    const meant = near === undefined ? '' : `did you mean "${near}"? `
    throw new UserError(
      `there is no plan "${shorten(wrong)}"; ${meant}docs/explore.md says how they are named`,
    )
  }
  const began = realNow()
  return await explorePlans(player, {
    ...settings,
    client,
    depth,
    seed,
    sample,
    first,
    isStrict: strict,
    signal: settings.signal ?? new AbortController().signal,
    isOver: (times = 1) => budget !== undefined && realNow() - began > budget * times,
  })
}

/** Milliseconds of virtual time that a client takes to start, so that a restart lies between two attempts. */
const startTime = 100

/** A function of which nothing goes on when its signal aborts, so that it can be killed like a process. */
const killable = (client: Client, time: VirtualTime): Client => ({
  ...client,
  isProcess: true,
  run: async call => {
    await new Promise(resolve => setTimeout(resolve, startTime))
    return time.runClient(call.signal, call.case.includes('killed'), () => client.run(call))
  },
})
