import { z } from 'zod'
import { problems } from '../../service/problem.ts'
import { defined } from '../beginning.ts'
import { UnknownScenario } from '../scenarios/library.ts'
import type { Scenario } from '../scenarios/scenario.ts'
import { ScenarioError } from '../scenarios/scenario-error.ts'
import { scenarioFile } from '../scenarios/schema.ts'
import type { Tools } from './route.ts'
import { component } from './shapes.ts'

/** The keys of a definition. */
export const definitionKeys: readonly string[] = Object.keys(scenarioFile.shape)

/** A scenario by its name, or the definition of one. */
export const scenarioForm = z.union([z.string(), component('Scenario', 'A scenario, as a file has it')], {
  error: 'expected the name of a scenario, or the definition of one',
})

/**
 * The scenario that a control call names or defines.
 * @param field what the messages call it; empty for the whole body
 * @throws Problem 400 telling what is wrong and what there is
 */
export async function givenScenario(
  { scenarios }: Tools,
  given: string | object,
  field: string,
): Promise<Scenario> {
  if (typeof given === 'object') refuseHollow(given, field)
  try {
    return await (typeof given === 'string' ? scenarios.get(given) : defined(given))
  } catch (error) {
    if (typeof given === 'string') throw wrongName(error, field)
    throw wrongScenario(error, field)
  }
}

/** A definition that says nothing of what is to happen is more likely a slip than a wish. @throws Problem 400 */
function refuseHollow(given: object, field: string): void {
  const keys = Object.keys(given)
  // A call of its own takes a name in this form, so that it is a likely slip.
  if (keys.join() === 'name' && 'name' in given && field !== '')
    throw problems.field(field, `a name stands here as it is: ${JSON.stringify(given.name)}`)
  const seen = hollow(given)
  if (seen === undefined) return
  const sentence = `expected the name of a scenario, or a definition with rules or dials; seen: ${seen}`
  throw field === '' ? problems.validation([], [sentence]) : problems.field(field, sentence)
}

/** What a definition holds that says nothing of what is to happen; undefined for one that does. */
export function hollow(given: object): string | undefined {
  const says = ['rules', 'dials']
  const keys = Object.keys(given)
  if (keys.some(key => says.includes(key) || !definitionKeys.includes(key))) return undefined
  return keys.length === 0 ? 'nothing' : `only ${keys.join(', ')}`
}

/** Why there is no scenario of a name, in a few words. */
export const whyNot = (error: unknown): string =>
  error instanceof UnknownScenario ? error.brief : (error as Error).message

/** Each thing that is wrong with a scenario of that name, or that there is none. */
const wrongName = (error: unknown, field: string) =>
  problems.validation(
    (error instanceof ScenarioError ? error.problems : [whyNot(error)]).map(problem => ({ field, problem })),
  )

/**
 * What a checked scenario or rule says is wrong with it, as members of the body.
 * @param error anything else is given back
 * @param within a path that the caller put around what was given, left out of the names of members
 */
export function wrongScenario(error: unknown, field: string, within = ''): unknown {
  if (!(error instanceof ScenarioError)) return error
  const found = error.members.map(({ field: path, problem }) => {
    const shown =
      within !== '' && path.startsWith(within) ? path.slice(within.length).replace(/^\./, '') : path
    return { field: [field, shown].filter(Boolean).join('.'), problem }
  })
  return problems.validation(
    found.filter(it => it.field !== ''),
    found.filter(it => it.field === '').map(it => it.problem),
  )
}
