import { z } from 'zod'
import { selectedBy } from '../rig/request-record-schema.ts'
import type { ActiveScenario } from '../rig/scenarios/active-scenario.ts'
import type { Hits } from '../rig/scenarios/rule-state.ts'
import { type Rule, type Scenario, ScenarioError } from '../rig/scenarios/scenario.ts'
import { attemptScopes, scenarioFile } from '../rig/scenarios/schema.ts'
import { beliefs } from '../rig/scenarios/terms.ts'
import type { SpaceRig } from '../rig/space-rig.ts'
import { scenarioFromDefinition, settingRow } from '../rig/space-settings.ts'
import type { RigView } from '../rig/space-view.ts'
import { operationIds } from '../service/operations.ts'
import { problems } from '../service/problem.ts'
import { describeAlternatives, findNearest, shorten } from '../store/validation-messages.ts'
import { type IncomingCall, route, type SpaceCall } from './route.ts'
import { component, document, memberPath, members, validationProblem } from './schemas.ts'
import type { ControlTools } from './tools.ts'

const anything = z.record(z.string(), z.unknown())

export const ruleShape = {
  on: z.union([z.enum(['*', ...operationIds]), z.array(z.enum(operationIds))]),
  when: anything.optional().describe('Conditions, all of which must hold'),
  per: z.enum(attemptScopes).optional(),
  chance: z.number().optional(),
  hits: z.int().describe('How often it fired'),
  steps: z
    .array(z.looseObject({ hits: z.int().describe('How often it fired') }))
    .describe('Each as a file has it, durations with their units'),
}

const scenarioShape = {
  name: z.string(),
  source: z.string().describe('Where it comes from'),
  description: z.string(),
  tags: z.array(z.string()),
  expect: z
    .strictObject({ sent: z.int(), belief: z.enum(beliefs) })
    .nullable()
    .describe('What a correct client reaches'),
  struck: z.boolean().describe('Whether any rule has: a test whose fault never fired proves nothing'),
  rules: z.array(z.strictObject(ruleShape)),
  definition: component('Scenario', 'The whole in the form of a file: a PUT takes it as it is'),
}

export function toRuleView({ written }: Rule, found?: Hits): z.input<z.ZodObject<typeof ruleShape>> {
  const steps = written.steps.map((step, at) => ({ hits: found?.steps[at] ?? 0, ...step }))
  return { ...written, hits: found?.hits ?? 0, steps } as never
}

/** @param hits of its rules; none by default */
function toScenarioView(scenario: Scenario, hits: readonly Hits[] = []) {
  const { name, source, description, tags, expect = null, rules, definition } = scenario
  return {
    name,
    source,
    description,
    tags: [...tags],
    expect,
    struck: hits.some(it => it.hits > 0),
    rules: rules.map((rule, at) => toRuleView(rule, hits[at])),
    definition,
  }
}

const toActiveScenarioView = (active: ActiveScenario) => toScenarioView(active.scenario, active.hits())

const definitionKeys: readonly string[] = Object.keys(scenarioFile.shape)

const definitionShape = component('Scenario', 'A scenario, as a file has it')

export const scenarioOrName = z.union([z.string(), definitionShape], {
  error: 'expected the name of a scenario, or the definition of one',
})

/** The scenario that a call names or defines. @param field for messages; empty for the whole body @throws Problem 400 */
export async function resolveScenario(
  { scenarios }: Pick<ControlTools, 'scenarios'>,
  given: string | object,
  field: string,
) {
  if (typeof given === 'object') refuseEmptyDefinition(given, field)
  try {
    return await (typeof given === 'string' ? scenarios.get(given) : scenarioFromDefinition(given))
  } catch (error) {
    if (typeof given === 'object') throw scenarioProblem(error, field)
    // Everything that is wrong with the scenario of that name, or that it does not exist.
    const found = error instanceof ScenarioError ? error.problems : [(error as Error).message]
    throw problems.validation(found.map(problem => ({ field, problem })))
  }
}

/** Refuses a definition without any effect, which is probably a mistake. @throws Problem 400 */
function refuseEmptyDefinition(given: object, field: string): void {
  const keys = Object.keys(given)
  // Another call takes a name in this form, so this is a likely mistake.
  if (keys.join() === 'name' && 'name' in given && field !== '')
    throw problems.field(field, `a name stands here as it is: ${JSON.stringify(given.name)}`)
  const seen = emptyContent(given)
  if (seen === undefined) return
  const problem = `expected the name of a scenario, or a definition with rules or dials, got ${seen}`
  throw validationProblem([{ field, problem }])
}

/** The content of a definition without any effect; undefined for a definition with one. */
function emptyContent(given: object): string | undefined {
  const says = ['rules', 'dials']
  const keys = Object.keys(given)
  if (keys.some(key => says.includes(key) || !definitionKeys.includes(key))) return undefined
  return keys.length === 0 ? 'nothing' : `only ${keys.join(', ')}`
}

/**
 * The problems of a scenario or rule as members of the body.
 * @param error any other error is returned unchanged
 * @param within a path that the caller put around the given value, left out of the names of members
 */
export function scenarioProblem(error: unknown, field: string, within = ''): unknown {
  if (!(error instanceof ScenarioError)) return error
  return validationProblem(
    error.members.map(({ field: path, problem }) => {
      const shown =
        within !== '' && path.startsWith(within) ? path.slice(within.length).replace(/^\./, '') : path
      return { field: memberPath(field, shown), problem }
    }),
  )
}

const { struck: _, ...rest } = scenarioShape
const scenarioDocument = document({
  ...rest,
  testSynchronizations: z
    .array(z.strictObject({ space: z.string(), id: z.string() }))
    .describe('Synchronizations on which it is always in force, in the fixtures of the spaces'),
})

const maxProblems = 20

/** A definition without any effect is valid in a file, but a PUT refuses it. */
function emptyDefinitionProblem(definition: object) {
  const seen = emptyContent(definition)
  const problem = `expected rules or dials, got ${seen}`
  return seen === undefined ? [] : [{ place: { line: 1, column: 1 }, problem }]
}

export const scenariosRoutes = [
  route('GET /scenarios', 'listScenarios', {
    rel: 'scenarios',
    summary: 'The scenarios there are; those of the loss matrix are found by name',
    answer: document({
      problems: z.array(z.string()).describe('What is wrong with files as they are now'),
      _embedded: z.strictObject({ scenarios: z.array(scenarioDocument) }),
    }),
    async handle(call) {
      const { scenarios } = call.tools
      const all: Scenario[] = []
      const broken = new Set(scenarios.problems())
      for (const name of scenarios.names())
        try {
          all.push(await scenarios.get(name))
        } catch (error) {
          broken.add((error as Error).message)
        }
      return {
        problems: [...broken],
        _embedded: { scenarios: all.map(scenario => toScenarioDocument(call, scenario)) },
        _links: {
          self: call.link('/scenarios'),
          scenario: { ...call.link('/scenarios/{name}'), templated: true as const },
        },
      }
    },
  }),
  route('POST /scenarios/check', 'checkScenario', {
    rel: 'check-scenario',
    summary: 'Tells what is wrong with the text of a scenario, and puts nothing in force',
    description:
      'The text is YAML, as in a file, or JSON. What is wrong is no error of the call: it is answered with 200 either way.',
    body: members({ text: z.string({ error: 'expected the text of a scenario' }) }),
    example: { text: 'rules:\n  - on: createSending\n    steps: [{ state: PENDING }]\n' },
    answer: document({
      problems: z
        .array(
          z.strictObject({
            line: z.int().describe('From 1'),
            column: z.int().describe('From 1'),
            problem: z.string(),
          }),
        )
        .describe(`In the order of the text, ${maxProblems} at most; none for one that can be put in force`),
      more: z.int().describe('How many further problems there are'),
      definition: component('Scenario', 'The text as a value, which a PUT takes; null when it is wrong')
        .nullable()
        .describe('The text as a value, which PUT /spaces/{space}/scenario takes; null when it is wrong'),
    }),
    async handle(call) {
      const { checkScenarioText } = await import('../rig/scenarios/read.ts')
      const read = checkScenarioText(call.body.text)
      const problems = 'problems' in read ? read.problems : emptyDefinitionProblem(read.definition)
      return {
        problems: problems.slice(0, maxProblems).map(({ place, problem }) => ({ ...place, problem })),
        more: Math.max(0, problems.length - maxProblems),
        definition: 'problems' in read || problems.length > 0 ? null : read.definition,
        _links: { self: call.link('/scenarios/check'), scenarios: call.link('/scenarios') },
      }
    },
  }),
  route('GET /scenarios/{name}', 'getScenarioByName', {
    rel: 'scenario-by-name',
    summary: 'One scenario',
    answer: scenarioDocument,
    also: { 404: 'There is no such scenario' },
    async handle(call) {
      try {
        return toScenarioDocument(call, await call.tools.scenarios.get(call.params.name))
      } catch (error) {
        throw problems.notFound((error as Error).message.replace(/^there is no /, ''))
      }
    },
  }),
]

function toScenarioDocument(call: IncomingCall, scenario: Scenario): z.input<typeof scenarioDocument> {
  const { spaces } = call.tools
  const { struck: _, ...view } = toScenarioView(scenario)
  const testSynchronizations = spaces.directory
    .names()
    .flatMap(space =>
      (spaces.directory.contentOf(space)?.fixture.testSynchronizations ?? [])
        .filter(it => it.scenario === scenario.name)
        .map(({ id }) => ({ space, id })),
    )
  return {
    ...view,
    testSynchronizations,
    _links: { self: call.link(`/scenarios/${encodeURIComponent(scenario.name)}`) },
  }
}

const inForce = document({
  scenario: z.strictObject(scenarioShape).nullable().describe('In force for the whole space; null for none'),
  chosen: z
    .array(
      z.strictObject({
        by: selectedBy,
        ...scenarioShape,
      }),
    )
    .describe('Those that requests or test synchronizations chose, each with counts of its own'),
})

export const scenarioRoutes = [
  route('GET /spaces/{space}/scenario', 'getScenario', {
    rel: 'scenario',
    summary: 'The scenario in force in a space, and how often it fired',
    answer: inForce,
    handle: async call => toScenarioInForce(call, await call.rig()),
  }),
  route('PUT /spaces/{space}/scenario', 'putScenario', {
    summary: 'Puts a scenario in force in a space, its counts at zero',
    description:
      'By its name, or by a whole definition in the form of a scenario file. It stays over a restart.',
    body: z.union([members({ name: z.string().describe('Name of a scenario') }), definitionShape]),
    example: { name: 'reset-after' },
    answer: inForce,
    async handle(call) {
      const given = nameOrDefinition(call.body)
      const field = typeof given === 'string' ? 'name' : ''
      const scenario = await resolveScenario(call.tools, given, field)
      const rig = await call.rig()
      await putInForce(rig, scenario, given)
      return toScenarioInForce(call, rig)
    },
  }),
  route('DELETE /spaces/{space}/scenario', 'deleteScenario', {
    summary: 'Deactivates the scenario of a space',
    async handle(call) {
      await putInForce(await call.rig(), undefined, null)
    },
  }),
]

/** @throws Problem 400 when a name is combined with other members, or is not a text */
function nameOrDefinition(body: Readonly<Record<string, unknown>>): string | object {
  if (!('name' in body)) {
    refuseMisspeltName(Object.keys(body))
    return body
  }
  const others = Object.keys(body).filter(key => key !== 'name')
  if (others.length > 0)
    throw problems.field(
      'name',
      `a name stands alone, and a definition has none; seen beside it: ${others.join(', ')}`,
    )
  if (typeof body.name === 'string') return body.name
  throw problems.field('name', `expected the name of a scenario, got ${JSON.stringify(body.name)}`)
}

/** A definition has no member `name`, so its own check would not find what was meant by another key. */
function refuseMisspeltName(keys: readonly string[]): void {
  const possible = ['name', ...definitionKeys]
  const isNear = (key: string) => findNearest(key, possible) === 'name'
  const meant = keys.filter(key => !definitionKeys.includes(key) && (key === 'scenario' || isNear(key)))
  const unknownKey = (key: string) =>
    `unknown key "${shorten(key)}";${describeAlternatives('name', possible)}`
  if (meant.length > 0) throw validationProblem(meant.map(key => ({ field: '', problem: unknownKey(key) })))
}

/** Saved first: the answer must also be true after a restart. */
async function putInForce(rig: SpaceRig, scenario: Scenario | undefined, given: string | object | null) {
  const { data } = rig.space
  data.save({ settings: [settingRow('scenario', given)] })
  await data.durable
  rig.scenarios.arm(scenario)
}

const toScenarioInForce = (call: SpaceCall, rig: RigView): z.input<typeof inForce> => ({
  scenario: rig.scenarios.active ? toActiveScenarioView(rig.scenarios.active) : null,
  chosen: rig.scenarios.chosen.map(({ by, active }) => ({ by, ...toActiveScenarioView(active) })),
  _links: { ...call.spaceLinks('/scenario', 'space'), scenarios: call.link('/scenarios') },
})
