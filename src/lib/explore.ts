import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readySynchronization } from '../judge/exam/cases.ts'
import { type Client, type ClientFunction, functionClient } from '../judge/exam/client.ts'
import {
  type ExplorationResult,
  type ExploreProgress,
  explorePlans,
  Player,
} from '../judge/explore/explore.ts'
import { planOfName } from '../judge/explore/plans.ts'
import { realNow, VirtualTime } from '../judge/explore/virtual-time.ts'
import { seededChance } from '../rig/chance.ts'
import { shorten } from '../store/validation-messages.ts'
import { type AssembledMock, assembleMock } from './assemble-mock.ts'

/** Options of an exploration for a test suite. */
export interface ExploreOptions {
  /** Sends one mailing as the call says and returns its belief. */
  readonly client: ClientFunction
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
}

/** When every run begins, on its own clock. */
const beginning = Date.UTC(2030, 0, 7, 9)
/** Milliseconds of virtual time that a client may take. */
const virtualLimit = 40 * 60_000
const journalLimit = 2_000

/**
 * Plays every combination of troubles up to a depth to a client in this process, in virtual time: while it runs, the
 * timers, the clocks, the random numbers and `fetch` of this thread are those of the exploration.
 * @throws TypeError for an invalid client, and for a name of no plan
 */
export async function exploreInProcess(options: ExploreOptions): Promise<ExplorationResult> {
  const { client, depth = 2, seed = 1, sample = 1_000, budget, strict = false, first = [] } = options
  if (typeof client !== 'function') throw new TypeError('client: expected a function that sends one mailing')
  const unknown = first.find(name => !planOfName(name))
  if (unknown !== undefined) throw new TypeError(`first: there is no plan "${shorten(unknown, 80)}"`)
  const signal = options.signal ?? new AbortController().signal
  const began = realNow()
  const time = new VirtualTime(beginning)
  const place = existsSync('/dev/shm') ? '/dev/shm' : tmpdir()
  const directory = await mkdtemp(join(place, 'mailing-sync-explore-'))
  let mock: AssembledMock | undefined
  const restore = time.install({
    fetch: (input, init) => mock!.fetch(input as Request, init),
    chance: seededChance(seed, 'client'),
  })
  try {
    mock = await assembleMock(
      { seed, hints: false, journal: journalLimit, logLevel: 'error', scenarios: undefined },
      false,
    )
    const [content] = mock.contents
    const player = new Player({
      host: { tools: mock, url: 'http://localhost', home: content!.fixture.space },
      client: killable(functionClient(client), time),
      synchronizationId: readySynchronization(content!),
      seed,
      speed: 1,
      limit: virtualLimit,
      // A run is never broken off: it takes no time.
      signal: new AbortController().signal,
      directory,
      delayMeter: () => () => 0,
      isExact: true,
      during: work => {
        time.restart()
        return time.during(work())
      },
    })
    return await explorePlans(player, {
      client: 'a function',
      depth,
      seed,
      sample,
      jobs: 1,
      isStrict: strict,
      signal,
      isOver: () => budget !== undefined && realNow() - began > budget,
      first,
      onProgress: options.onProgress,
    })
  } finally {
    restore()
    await mock?.close()
    await rm(directory, { recursive: true, force: true, maxRetries: 3 })
  }
}

/** A function of which nothing goes on when its signal aborts, so that it can be killed like a process. */
const killable = (client: Client, time: VirtualTime): Client => ({
  ...client,
  isProcess: true,
  run: call => time.runClient(call.signal, call.case.includes('killed'), () => client.run(call)),
})
