import { begin } from '../../rig/control/beginnings.ts'
import type { Tools } from '../../rig/control/route.ts'
import { setting } from '../../rig/settings.ts'
import type { SideMode, SidePort } from '../../rig/side-port.ts'
import type { SpaceRig } from '../../rig/space-rig.ts'
import { homeOf } from '../../store/space-names.ts'
import type { ClientCall } from './client.ts'
import { Door } from './door.ts'
import { Elsewhere } from './elsewhere.ts'
import type { ExamCase } from './exam-case.ts'
import { firstAttempt } from './first-attempt.ts'

/** Where cases are played: a mock, and how a client reaches it. */
export interface Stage {
  readonly tools: Pick<Tools, 'spaces' | 'rigs'>
  /** Base URL of the service, without a slash at the end. */
  readonly url: string
  /** The space whose private copies the cases are played in. */
  readonly home: string
  /** Opens another port that leads to the mock; undefined where clients can only reach its own. */
  readonly openSidePort?: ((mode: SideMode) => Promise<SidePort>) | undefined
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
  /** Where the client's first connections meet trouble. */
  readonly door: Door | undefined
  /** The other host that its scenario leads to. */
  readonly elsewhere: Elsewhere | undefined
}

/** A home that none of its users may send anything in. */
export class NobodyMaySend extends Error {
  override readonly name = 'NobodyMaySend'
}

/**
 * Lets a private copy begin anew for a case.
 * @param tag what stands behind the plus in the names of space and user
 * @throws NobodyMaySend, or an error when a port of its own cannot be opened
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
  const elsewhere = exam.leadingTo && (await Elsewhere.open())
  // A scenario that is in force in all spaces has no place in a case.
  rig.arm(elsewhere ? exam.leadingTo!(elsewhere.host) : exam.scenario)
  const present = rig.clock.now()
  if (exam.clockAhead !== 0) await rig.moveClock(now => now + exam.clockAhead)
  if (exam.datePasses) void passed(rig, present + exam.scheduleIn)
  const door = exam.door && stage.openSidePort && (await Door.open(exam.door, stage.openSidePort, speed))
  return {
    exam,
    rig,
    door,
    elsewhere,
    call: {
      case: exam.name,
      url: door ? atPort(stage.url, door.port) : stage.url,
      user: `${user.name}+${tag}`,
      password: user.password,
      synchronizationId: exam.synchronizationId,
      scheduleDate: exam.isScheduled ? new Date(present + exam.scheduleIn).toISOString() : undefined,
      speed,
    },
  }
}

/** Closes the ports that a case has opened. */
export async function cleared({ door, elsewhere }: Staged): Promise<void> {
  await Promise.all([door?.close(), elsewhere?.close()])
}

/** Lets a date pass on the service's clock once the first attempt has been answered, or never will be. */
async function passed(rig: SpaceRig, date: number): Promise<void> {
  const isTold = await firstAttempt(rig, 'told', new Promise(() => {}))
  if (isTold) await rig.moveClock(now => Math.max(now, date + minute))
}

const minute = 60_000

function atPort(url: string, port: number): string {
  const other = new URL(url)
  other.port = String(port)
  return other.origin
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
const longestPlan = 20 * minute
