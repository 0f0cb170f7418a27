import { begin } from '../../rig/control/beginnings.ts'
import type { Tools } from '../../rig/control/route.ts'
import { setting } from '../../rig/settings.ts'
import type { SpaceRig } from '../../rig/space-rig.ts'
import { homeOf } from '../../store/space-names.ts'
import type { ClientCall } from './client.ts'
import type { ExamCase } from './exam-case.ts'

/** Where cases are played: a mock, and how a client reaches it. */
export interface Stage {
  readonly tools: Pick<Tools, 'spaces' | 'rigs'>
  /** Base URL of the service, without a slash at the end. */
  readonly url: string
  /** The space whose private copies the cases are played in. */
  readonly home: string
}

export interface StageSettings {
  readonly seed: number
  /** So many times as fast as real time the clock of a case runs. */
  readonly speed: number
}

/** A case that is ready for its client. */
export interface Staged {
  readonly exam: ExamCase
  readonly rig: SpaceRig
  readonly call: Omit<ClientCall, 'state' | 'signal'>
}

/** A home that none of its users may send anything in. */
export class NobodyMaySend extends Error {
  override readonly name = 'NobodyMaySend'
}

/**
 * Lets a private copy begin anew for a case.
 * @param tag what stands behind the plus in the names of space and user
 * @throws NobodyMaySend
 */
export async function staged(
  exam: ExamCase,
  tag: string,
  stage: Stage,
  { seed, speed }: StageSettings,
): Promise<Staged> {
  const { spaces } = stage.tools
  const content = spaces.beginning(homeOf(stage.home))!
  const user = content.users.find(({ rights }) => rights.includes('write'))
  if (!user) throw new NobodyMaySend(`no user of space "${stage.home}" has the right to write`)
  const rig = await begin(stage.tools, `${stage.home}+${tag}`, {
    fixture: content.fixture,
    seed,
    age: 0,
    settings: [setting('clock', { rate: speed, pace: speed })],
  })
  // A scenario that is in force in all spaces has no place in a case.
  rig.arm(exam.scenario)
  const present = rig.clock.now()
  if (exam.clockAhead !== 0) await rig.moveClock(now => now + exam.clockAhead)
  return {
    exam,
    rig,
    call: {
      case: exam.name,
      url: stage.url,
      user: `${user.name}+${tag}`,
      password: user.password,
      synchronizationId: exam.synchronizationId,
      scheduleDate: exam.isScheduled ? new Date(present + exam.scheduleIn).toISOString() : undefined,
      speed,
    },
  }
}

/**
 * Lets everything come to its end that the case has begun: what is held is released, what is late or planned happens.
 * Then the ledger tells what truly went out.
 */
export async function playedOut({ rig }: Staged): Promise<void> {
  for (const name of rig.holds.counts().keys()) await rig.holds.release(name)
  await rig.moveClock(now => now + longestPlan)
}

/** Milliseconds after which no scenario of the catalogue has anything left to do. */
const longestPlan = 20 * 60_000
