import { z } from 'zod'
import type { SkippingClock } from '../../rig/clock.ts'
import type { Scenario } from '../../rig/scenarios/scenario.ts'
import type { SpaceRig } from '../../rig/space-rig.ts'

/* What an exam does in the space of a case, beside what the client does: on record as control calls are, so that a capsule has it. */

/** In place of the path of a control call. */
export const examPath = '/exam'

export const caseChange = z.union([
  z.strictObject({
    arm: z.string().nullable().describe('Name of the scenario that is in force from now on; null for none'),
  }),
  z.strictObject({ follow: z.literal('waits').describe('From now on waits are skipped') }),
  z.strictObject({ release: z.string().describe('Name of a hold') }),
  z.strictObject({ advance: z.number().describe('Milliseconds by which the clock is moved') }),
  z.strictObject({ reach: z.number().describe('Time to which the clock is moved, unless it is later') }),
])
export type CaseChange = z.output<typeof caseChange>

/** Makes a change in the space of a case; what needs no time is done at once. @param parts what the change only names */
export async function changeCase(
  rig: SpaceRig,
  change: CaseChange,
  parts: { readonly scenario?: Scenario | undefined; readonly time?: SkippingClock } = {},
): Promise<void> {
  const { journal, space } = rig
  const record = journal.history.beginChange({
    method: 'POST',
    path: examPath,
    body: change,
    by: 'the exam',
    ...rig.now(),
    after: journal.count,
    age: space.data.age,
  })
  if ('arm' in change) rig.scenarios.arm(parts.scenario)
  else if ('follow' in change) rig.clock.follow(parts.time!)
  else if ('release' in change) await rig.holds.release(change.release)
  else if ('advance' in change) await rig.moveClock(now => now + change.advance)
  else await rig.moveClock(now => Math.max(now, change.reach))
  journal.history.endChange(record, 204, rig.clock.now())
}
