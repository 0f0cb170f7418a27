import { z } from 'zod'
import type { Scenario } from '../../rig/scenarios/scenario.ts'
import type { SpaceRig } from '../../rig/space-rig.ts'

/* What an exam does in the space of a case, beside what the client does: on record as control calls are, so that a capsule has it. */

/** In place of the path of a control call. */
export const examPath = '/exam'

export const caseChange = z.union([
  z.strictObject({
    arm: z.string().nullable().describe('Name of the scenario that is in force from now on; null for none'),
  }),
  z.strictObject({ release: z.string().describe('Name of a hold') }),
  z.strictObject({ advance: z.number().describe('Milliseconds by which the clock is moved') }),
  z.strictObject({ reach: z.number().describe('Time to which the clock is moved, unless it is later') }),
])
export type CaseChange = z.output<typeof caseChange>

/** Makes a change in the space of a case. @param scenario of the name in it */
export async function changeCase(rig: SpaceRig, change: CaseChange, scenario?: Scenario): Promise<void> {
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
  if ('arm' in change) rig.scenarios.arm(scenario)
  else if ('release' in change) await rig.holds.release(change.release)
  else if ('advance' in change) await rig.moveClock(now => now + change.advance)
  else await rig.moveClock(now => Math.max(now, change.reach))
  journal.history.endChange(record, 204, rig.clock.now())
}
