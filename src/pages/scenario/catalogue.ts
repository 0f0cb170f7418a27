import type { Tools } from '../../rig/control/route.ts'
import { lossNames } from '../../rig/scenarios/loss-matrix.ts'
import type { Scenario } from '../../rig/scenarios/scenario.ts'

/** Every scenario there is: the user's, the packaged ones and the loss matrix. */
export interface Catalogue {
  readonly scenarios: readonly Scenario[]
  /** What is wrong with files as they are now, in sentences. */
  readonly problems: readonly string[]
  /** All tags, sorted. */
  readonly tags: readonly string[]
}

/** Reads the catalogue; a file that is broken is among its problems. */
export async function readCatalogue({ scenarios: library }: Pick<Tools, 'scenarios'>): Promise<Catalogue> {
  const problems = new Set(library.problems())
  const scenarios: Scenario[] = []
  for (const name of [...library.names(), ...lossNames])
    try {
      scenarios.push(await library.get(name))
    } catch (error) {
      problems.add((error as Error).message)
    }
  const tags = [...new Set(scenarios.flatMap(it => it.tags))].sort()
  return { scenarios, problems: [...problems], tags }
}

/**
 * The scenarios in which every word of a text is found.
 * @param words in the name, the description or a tag, in any order; those with them all in the name come first
 */
export function found(
  { scenarios }: Pick<Catalogue, 'scenarios'>,
  words: string | undefined,
  tag: string | undefined,
): Scenario[] {
  const wanted = words?.toLowerCase().split(/\s+/).filter(Boolean) ?? []
  const has = (text: string) => wanted.every(word => text.toLowerCase().includes(word))
  const matching = scenarios.filter(
    ({ name, description, tags }) =>
      (tag === undefined || tags.includes(tag)) && has([name, ...tags, description].join('\n')),
  )
  return [...matching.filter(({ name }) => has(name)), ...matching.filter(({ name }) => !has(name))]
}
