import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { readySynchronization } from '../judge/exam/cases.ts'
import { type Client, type ClientFunction, functionClient } from '../judge/exam/client.ts'
import { clientName } from '../judge/exam/run-exam.ts'
import { machineDelay } from '../judge/exam/timing.ts'
import {
  type ExplorationOptions,
  type ExplorationResult,
  type ExploreProgress,
  explorePlans,
  Player,
  type PlayerOptions,
} from '../judge/explore/explore.ts'
import { type Plan, planOfName } from '../judge/explore/plans.ts'
import { realNow, VirtualTime } from '../judge/explore/virtual-time.ts'
import { seededChance } from '../rig/chance.ts'
import { shorten } from '../store/validation-messages.ts'
import { type AssembledMock, assembleMock } from './assemble-mock.ts'

/** Options of an exploration for a test suite. */
export interface ExploreOptions extends ExploreSettings {
  /** Sends one mailing as the call says and returns its belief. */
  readonly client: ClientFunction
}

interface ExploreSettings {
  /** Maximum number of troubles in a plan; 2 by default. */
  readonly depth?: number
  /** Source of IDs, chances and samples; 1 by default. */
  readonly seed?: number
  /** Milliseconds of real time after which no more plans are begun. */
  readonly budget?: number | undefined
  /** Maximum number of plans of each depth from 3 on; 1,000 by default. */
  readonly sample?: number
  /** Whether warnings count as failures. */
  readonly strict?: boolean
  readonly signal?: AbortSignal
  readonly onProgress?: (progress: ExploreProgress) => void
  /** Names of plans that are played first. */
  readonly first?: readonly string[]
  /** Names of the only plans that are played, without making them smaller. */
  readonly only?: readonly string[] | undefined
  /** A command line that plays only this plan. */
  readonly reproduce?: (plan: Plan) => string
}

/** Options of an exploration of a client that is a command. */
export interface ExploreCommandOptions extends ExploreSettings {
  readonly client: Client
  /** Speed of the service's clock. */
  readonly speed: number
  readonly jobs?: number | undefined
  /** Milliseconds that the client may take for a plan. */
  readonly timeout?: number | undefined
}

/** When every run begins in virtual time, on its own clock. */
const beginning = Date.UTC(2030, 0, 7, 9)
const oneMinute = 60_000
/** Milliseconds of the service's clock that a client may take: fifteen minutes of recreations (spec 8), and more. */
const longestRun = 40 * oneMinute
const journalLimit = 2_000

/**
 * Plays every combination of troubles up to a depth to a client in this process, in virtual time: while it runs, the
 * timers, the clocks, the random numbers and `fetch` of this thread are those of the exploration.
 * @throws TypeError for an invalid client, and for a name of no plan
 */
export async function exploreInProcess({ client, ...settings }: ExploreOptions): Promise<ExplorationResult> {
  if (typeof client !== 'function') throw new TypeError('client: expected a function that sends one mailing')
  const time = new VirtualTime(beginning)
  let mock: AssembledMock | undefined
  const restore = time.install({
    fetch: (input, init) => mock!.fetch(input as Request, init),
    chance: seededChance(settings.seed ?? 1, 'client'),
  })
  try {
    return await exploreClient(settings, {
      start: async made => {
        mock = made
        return 'http://localhost'
      },
      client: killable(functionClient(client), time),
      speed: 1,
      jobs: 1,
      limit: longestRun,
      // A run is never broken off: it takes no time.
      signal: new AbortController().signal,
      delayMeter: () => () => 0,
      isExact: true,
      during: work => {
        time.restart()
        return time.during(work())
      },
    })
  } finally {
    restore()
    await mock?.close()
  }
}

/**
 * The same for a command, over sockets and in real time, many plans at a time.
 * @throws CommandError, and TypeError for a name of no plan
 */
export async function exploreCommandClient(options: ExploreCommandOptions): Promise<ExplorationResult> {
  const { client, speed, jobs = availableParallelism() * 4, timeout } = options
  let mock: AssembledMock | undefined
  try {
    return await exploreClient(options, {
      start: async made => {
        mock = made
        const { port } = await made.listen()
        return `http://127.0.0.1:${port}`
      },
      client,
      speed,
      jobs,
      limit: timeout ?? Math.max(oneMinute, longestRun / speed),
      signal: options.signal ?? new AbortController().signal,
      delayMeter: machineDelay,
      isExact: false,
      during: work => work(),
    })
  } finally {
    await mock?.close()
  }
}

interface Setup
  extends Pick<PlayerOptions, 'client' | 'speed' | 'limit' | 'signal' | 'delayMeter' | 'isExact' | 'during'>,
    Pick<ExplorationOptions, 'jobs'> {
  /** @returns the base URL of the mock */
  readonly start: (mock: AssembledMock) => Promise<string>
}

async function exploreClient(
  settings: ExploreSettings,
  { start, jobs, ...setup }: Setup,
): Promise<ExplorationResult> {
  const { depth = 2, seed = 1, sample = 1_000, budget, first = [], only, reproduce } = settings
  const unknown = [...first, ...(only ?? [])].find(name => !planOfName(name))
  if (unknown !== undefined) throw new TypeError(`first: there is no plan "${shorten(unknown, 80)}"`)
  const began = realNow()
  const place = existsSync('/dev/shm') ? '/dev/shm' : tmpdir()
  const directory = await mkdtemp(join(place, 'mailing-sync-explore-'))
  try {
    const mock = await assembleMock({ seed, hints: false, journal: journalLimit, logLevel: 'error' }, false)
    const url = await start(mock)
    const [content] = mock.contents
    const player = new Player({
      ...setup,
      host: { tools: mock, url, home: content!.fixture.space },
      synchronizationId: readySynchronization(content!),
      seed,
      directory,
      reproduce,
    })
    return await explorePlans(player, {
      client: clientName(setup.client),
      depth,
      seed,
      sample,
      jobs,
      isStrict: settings.strict ?? false,
      signal: settings.signal ?? new AbortController().signal,
      isOver: (times = 1) => budget !== undefined && realNow() - began > budget * times,
      first,
      only,
      reproduce,
      onProgress: settings.onProgress,
    })
  } finally {
    await rm(directory, { recursive: true, force: true, maxRetries: 3 })
  }
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
