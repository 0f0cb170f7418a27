import type { Capsule, CapsuleRequest } from '../../control/capsule/capsule-file.ts'
import type { OpenedFile } from '../../control/tools.ts'
import { createLog } from '../../http/logger.ts'
import { stepKinds } from '../../rig/history.ts'
import { ScenarioLibrary, type Scenarios } from '../../rig/scenarios/library.ts'
import type { Scenario } from '../../rig/scenarios/scenario.ts'
import type { SpaceRig } from '../../rig/space-rig.ts'
import { Content } from '../../store/content.ts'
import { homeOf } from '../../store/tenant-directory.ts'
import { UserError } from '../../store/user-error.ts'
import { type AssembledMock, assembleMock } from '../assemble-mock.ts'
import type { Difference } from './difference.ts'
import { Player } from './player.ts'
import { RecordedTime } from './recorded-time.ts'

/** A space that was played again, in a mock of its own. */
export interface ReplayedSpace extends AsyncDisposable {
  readonly mock: AssembledMock
  readonly rig: SpaceRig
  /** The first difference; undefined if all came out as it was recorded. */
  readonly difference: Difference | undefined
  /** Lets the space live on from here, in real time. */
  goLive(): void
}

/** How far to play: to the end, until a request has ended, or until just before it has arrived. */
export interface ReplayEnd {
  readonly at?: string | undefined
  readonly before?: string | undefined
}

/**
 * Plays the space of a capsule again and compares each step with what was recorded. Where the capsule has no steps, the space is as it
 * was at the end, without its requests.
 * @param opened what its pages show of the file that they are of
 * @throws UserError for a request that the capsule does not have
 */
export async function replayCapsule(
  capsule: Capsule,
  end: ReplayEnd = {},
  opened?: OpenedFile,
): Promise<ReplayedSpace> {
  const last = lastStep(capsule, end)
  try {
    return await playUntil(capsule, last, opened)
  } catch (error) {
    if (error instanceof UserError) throw error
    // What is in the file was checked in form only.
    throw new UserError(`the capsule cannot be played again: ${(error as Error).message}`)
  }
}

async function playUntil(
  capsule: Capsule,
  last: number,
  opened: OpenedFile | undefined,
): Promise<ReplayedSpace> {
  const { at, calendarLead } = capsule.beginning
  const time = new RecordedTime(at[1], at[0], calendarLead)
  const scenarios = await capsuleScenarios(capsule)
  const mock = await assembleCapsule(capsule, time, scenarios, opened)
  try {
    const player = await Player.start(capsule, mock, time, scenarios)
    if (capsule.history.lost === null) await player.play(last)
    else if (!player.rig.clock.isFrozen) time.move(player.rig.clock, capsule.takenAt[1], capsule.takenAt[0])
    return {
      mock,
      get rig() {
        return player.rig
      },
      difference: player.difference,
      goLive: () => player.goLive(),
      [Symbol.asyncDispose]: () => mock.close(),
    }
  } catch (error) {
    await mock.close()
    throw error
  }
}

/** How many steps to play. @throws UserError */
function lastStep({ history, requests }: Capsule, { at, before }: ReplayEnd): number {
  const id = at ?? before
  if (id === undefined) return history.steps.length
  if (history.lost !== null)
    throw new UserError(`the capsule shows only its end, not the time of ${id}: ${history.lost}`)
  const request = findRequest(requests, id)
  const kind = at === undefined ? 'opened' : 'closed'
  const index = history.steps.findIndex(
    ([code, number]) => stepKinds[code] === kind && number === request.number,
  )
  if (index < 0) return history.steps.length
  return at === undefined ? index : index + 1
}

/** The request of an ID, `r0-12`, or a number, `r12` or `12`. @throws UserError that says which there are */
export function findRequest(requests: readonly CapsuleRequest[], given: string): CapsuleRequest {
  const number = /^r?(\d{1,9})$/.exec(given)?.[1]
  const request = requests.find(it => it.id === given || String(it.number) === number)
  if (request) return request
  const there =
    requests.length === 0 ? 'it has none' : `they run from ${requests[0]!.id} to ${requests.at(-1)!.id}`
  throw new UserError(`there is no request ${JSON.stringify(given.slice(0, 40))} in the capsule; ${there}`)
}

async function assembleCapsule(
  capsule: Capsule,
  time: RecordedTime,
  scenarios: Scenarios,
  opened: OpenedFile | undefined,
): Promise<AssembledMock> {
  const { environment, beginning, state, space } = capsule
  const { seed, dials, selection, publicUrl, pagesUrl, rateLimit, scenario, now, ...others } = environment
  const content = new Content({ ...(state ?? beginning.fixture), space: homeOf(space) })
  return assembleMock(
    {
      ...others,
      dials: dials as never,
      selection: selection as never,
      // Of a space that began with another seed.
      seed: beginning.seed ?? seed,
      clock: time,
      memoryLimit: 4_096,
      trustProxy: opened !== undefined,
      ...(publicUrl !== null && opened === undefined && { publicUrl }),
      ...(pagesUrl !== null && { pagesUrl }),
      ...(rateLimit !== null && { rateLimit }),
      ...(scenario !== null && { scenario }),
      ...(now !== null && { now }),
      // All of them were in the journal.
      journal: Math.max(environment.journal, capsule.requests.length),
    },
    false,
    { contents: [content], scenarios, log: createLog('silent'), opened },
  )
}

/** The scenarios that were in force, and the packaged ones. */
async function capsuleScenarios({ scenarios: definitions }: Capsule): Promise<Scenarios> {
  const library = await ScenarioLibrary.open({})
  const { scenarioFrom } = await import('../../rig/scenarios/read.ts')
  const own = new Map<string, Scenario>()
  for (const [name, definition] of Object.entries(definitions))
    try {
      own.set(name, scenarioFrom(definition, name, 'the capsule'))
    } catch (error) {
      throw new UserError(
        `this version cannot read scenario ${JSON.stringify(name)} of the capsule: ${(error as Error).message}`,
      )
    }
  return {
    get: async name => own.get(name) ?? library.get(name),
    loaded: name => own.get(name) ?? library.loaded(name),
    has: name => own.has(name) || library.has(name),
    names: () => library.names(),
    problems: () => [],
  }
}
