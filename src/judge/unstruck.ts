import type { SpaceRig } from '../rig/space-rig.ts'

/** Something that was armed and never struck. */
export interface Unstruck {
  readonly what: 'scenario' | 'rule' | 'fault'
  /** Of the scenario; ID of a one-shot fault. */
  readonly name: string
  /** Which rule of the scenario, from 1; null for the whole. */
  readonly rule: number | null
}

/** What is armed in a space and has not struck so far. */
export function unstruckIn({ armed, chosen, faults }: SpaceRig): Unstruck[] {
  const unstruck: Unstruck[] = []
  for (const play of [...(armed ? [armed] : []), ...chosen.map(({ play }) => play)]) {
    const { name, rules } = play.scenario
    if (rules.length === 0) continue
    if (!play.hasStruck) unstruck.push({ what: 'scenario', name, rule: null })
    else
      for (const { rule, hits } of play.hits())
        if (hits === 0) unstruck.push({ what: 'rule', name, rule: rule + 1 })
  }
  for (const { id, hits } of faults.all())
    if (hits.hits === 0) unstruck.push({ what: 'fault', name: id, rule: null })
  return unstruck
}
