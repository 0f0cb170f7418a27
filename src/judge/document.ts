import type { SpaceRig } from '../rig/space-rig.ts'
import type { ClientEnd } from './end.ts'
import { evidenceOf } from './evidence.ts'
import { rules } from './rules/registry.ts'
import type { Rule } from './rules/rule.ts'
import { asText, judge, type Verdict } from './verdict.ts'

/** The verdict on a space, the same in words, and the rules that it was held against. */
export async function verdictOf(
  rig: SpaceRig,
  end: ClientEnd | undefined,
): Promise<{ readonly verdict: Verdict; readonly text: () => string; readonly rules: readonly Rule[] }> {
  const verdict = judge(await evidenceOf(rig), end)
  return { verdict, text: () => asText(verdict), rules }
}
