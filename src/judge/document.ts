import type { SpaceRig } from '../rig/space-rig.ts'
import type { ClientEnd } from './end.ts'
import { evidenceOf } from './evidence.ts'
import { asText, judge, type Verdict } from './verdict.ts'

/** The verdict on a space, and the same in words. */
export async function verdictOf(
  rig: SpaceRig,
  end: ClientEnd | undefined,
): Promise<{ readonly verdict: Verdict; readonly text: () => string }> {
  const verdict = judge(await evidenceOf(rig), end)
  return { verdict, text: () => asText(verdict) }
}
