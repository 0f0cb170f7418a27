import type { Space } from '../store/space.ts'
import type { Scenario } from './scenarios/scenario.ts'
import { keptSettings } from './settings.ts'

/** Finds scenarios by name. */
export interface Scenarios {
  /** A scenario that was read before, at once. */
  loaded(name: string): Scenario | undefined
  /** @throws an error whose message lists the names there are */
  get(name: string): Promise<Scenario>
}

/** The scenario of this name: at once where it has been read before. */
export const named = (scenarios: Scenarios, name: string): Scenario | Promise<Scenario> =>
  scenarios.loaded(name) ?? scenarios.get(name)

/**
 * The scenario that a space has in force when it is opened: its own setting, or that of all spaces.
 * @param usual name of the scenario of spaces that have no setting of their own
 * @param warn hears of a setting that leads to no scenario any more
 */
export function scenarioAtOpening(
  space: Space,
  scenarios: Scenarios,
  usual: string | undefined,
  warn: (sentence: string) => void,
): Scenario | undefined | Promise<Scenario | undefined> {
  const { scenario: own } = keptSettings(space.data.tables)
  if (own === null) return undefined
  const known = typeof own === 'object' ? defined(own) : find(scenarios, own ?? usual)
  if (!(known instanceof Promise)) return known
  return known.catch(error => {
    warn(`space ${space.name} has no scenario in force: ${(error as Error).message}`)
    return undefined
  })
}

const find = (scenarios: Scenarios, name: string | undefined) =>
  name === undefined ? undefined : named(scenarios, name)

/** A scenario that a control call gave whole. */
export async function defined(definition: object): Promise<Scenario> {
  const { scenarioFrom } = await import('./scenarios/read.ts')
  return scenarioFrom(definition, 'own-definition', 'the definition given for this space')
}
