import { existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import type { CaseHost } from '../judge/exam/case-host.ts'
import { type Client, type ClientFunction, functionClient } from '../judge/exam/client.ts'
import { casePlayer, type Player } from '../judge/exam/player.ts'
import { longestRun } from '../judge/exam/run-exam.ts'
import { makeTemporaryFolder } from '../judge/exam/temporary-folder.ts'
import { VirtualTime } from '../judge/explore/virtual-time.ts'
import { seededChance } from '../rig/chance.ts'
import { type AssembledMock, assembleMock } from './assemble-mock.ts'
import { VirtualNetwork } from './virtual-network.ts'

/** When every run begins in virtual time, on its own clock. */
export const beginning = Date.UTC(2030, 0, 7, 9)
export const journalLimit = 2_000

export interface VirtualExamOptions {
  readonly seed: number
  readonly scenarios: string | undefined
  /** Parent of a folder for what clients keep. */
  readonly place: string
  /** Whether runs that show something leave a capsule. */
  readonly keepsCapsules?: boolean | undefined
}

/** In memory, where the system has such a folder. */
export const usualPlace = () => (existsSync('/dev/shm') ? '/dev/shm' : tmpdir())

/**
 * Gives a player in virtual time, which is in force in this thread until the work has ended.
 * @param load called in virtual time, so that what a module takes at its beginning belongs to it
 * @throws the error of the work, or one that says that the client waits for something that never comes
 */
export async function inVirtualTime<Result>(
  load: () => Promise<ClientFunction>,
  { seed, scenarios, place, keepsCapsules }: VirtualExamOptions,
  work: (player: Player, mock: AssembledMock) => Promise<Result>,
): Promise<Result> {
  const time = new VirtualTime(beginning)
  let mock: AssembledMock | undefined
  const network = new VirtualNetwork(request => mock!.fetch(request))
  const restore = time.install({
    fetch: input => network.fetch(input as Request),
    chance: seededChance(seed, 'client'),
  })
  try {
    const client = await time.during(load(), true)
    await using folder = await makeTemporaryFolder(place, 'mailing-sync-exam-')
    await using own = await assembleMock(
      { seed, scenarios, hints: false, journal: journalLimit, logLevel: 'error' },
      false,
      { hasReport: false },
    )
    mock = own
    const { openSidePort, openRedirectTarget, address: url } = network
    const home = own.contents[0]!.fixture.space
    const player = casePlayer({
      host: {
        ...{ tools: own, url, home, openSidePort, openRedirectTarget },
        // Meanwhile modules are loaded, which waits for no timer.
        ...(keepsCapsules && { capsuleOf: (...asked) => time.byHand(() => capsuleOf(own, ...asked)) }),
      },
      isExact: true,
      client: killable(functionClient(client), time),
      directory: folder.path,
      ...{ seed, speed: 1 },
      // Everything may take long: it takes no time.
      limitOf: () => longestRun({ isPlan: true }),
      // A run is never broken off.
      signal: new AbortController().signal,
      startDelayMeter: () => () => 0,
      during: work => {
        time.restart()
        return time.during(work())
      },
    })
    return await work(player, own)
  } finally {
    restore()
  }
}

/** The capsule of a space of a mock whose client has ended so, as the text of a file. */
export async function capsuleOf(
  { control }: Pick<AssembledMock, 'control'>,
  ...[space, { believes, expected = 1 }]: Parameters<NonNullable<CaseHost['capsuleOf']>>
): Promise<string> {
  const address = `http://mock/_mock/spaces/${encodeURIComponent(space)}/capsule?believes=${believes}&expected=${expected}`
  return (await control(new Request(address))).text()
}

/** Milliseconds of virtual time that a client takes to start, so that a restart lies between two attempts. */
const startTime = 100

/** A function of which nothing goes on when its signal aborts, so that it can be killed like a process. */
const killable = (client: Client, time: VirtualTime): Client => ({
  ...client,
  isProcess: true,
  run: async (call, mayBeKilled = false) => {
    await new Promise(resolve => setTimeout(resolve, startTime))
    return time.runClient(call.signal, mayBeKilled, () => client.run(call))
  },
})
