import { z } from 'zod'
import { problems } from '../../service/problem.ts'
import type { Scenario } from '../scenarios/scenario.ts'
import { playView, shownScenario } from './play-view.ts'
import { type Incoming, route } from './route.ts'
import { hollow, whyNot } from './scenario-form.ts'
import { component, document, members } from './shapes.ts'

const { struck: _, ...rest } = playView
const scenarioDocument = document({
  ...rest,
  testSynchronizations: z
    .array(z.strictObject({ space: z.string(), id: z.string() }))
    .describe('Synchronizations on which it is always in force, in the fixtures of the spaces'),
})

const mostTold = 20

/** What a PUT would refuse, though a file may be so. */
function nothingSaid(definition: object) {
  const seen = hollow(definition)
  if (seen === undefined) return []
  const problem = `expected rules or dials; seen: ${seen}`
  return [{ place: { line: 1, column: 1 }, problem }]
}

export const scenariosRoutes = [
  route({
    id: 'listScenarios',
    method: 'GET',
    path: '/scenarios',
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
        _embedded: { scenarios: all.map(scenario => shown(call, scenario)) },
        _links: {
          self: call.link('/scenarios'),
          scenario: { ...call.link('/scenarios/{name}'), templated: true as const },
        },
      }
    },
  }),
  route({
    id: 'checkScenario',
    method: 'POST',
    path: '/scenarios/check',
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
        .describe(`In the order of the text, ${mostTold} at most; none for one that can be put in force`),
      more: z.int().describe('How many further problems there are'),
      definition: component('Scenario', 'The text as a value, which a PUT takes; null when it is wrong')
        .nullable()
        .describe('The text as a value, which PUT /spaces/{space}/scenario takes; null when it is wrong'),
    }),
    async handle(call) {
      const { checkText } = await import('../scenarios/read.ts')
      const read = checkText(call.body.text)
      const problems = 'problems' in read ? read.problems : nothingSaid(read.definition)
      return {
        problems: problems.slice(0, mostTold).map(({ place, problem }) => ({ ...place, problem })),
        more: Math.max(0, problems.length - mostTold),
        definition: 'problems' in read || problems.length > 0 ? null : read.definition,
        _links: { self: call.link('/scenarios/check'), scenarios: call.link('/scenarios') },
      }
    },
  }),
  route({
    id: 'getScenarioByName',
    method: 'GET',
    path: '/scenarios/{name}',
    rel: 'scenario-by-name',
    summary: 'One scenario',
    answer: scenarioDocument,
    also: { 404: 'There is no such scenario' },
    async handle(call) {
      try {
        return shown(call, await call.tools.scenarios.get(call.params.name))
      } catch (error) {
        throw problems.notFound(whyNot(error).replace(/^there is no /, ''))
      }
    },
  }),
]

function shown(call: Incoming, scenario: Scenario): z.input<typeof scenarioDocument> {
  const { spaces } = call.tools
  const { struck: _, ...view } = shownScenario(scenario)
  const testSynchronizations = spaces
    .homes()
    .flatMap(space =>
      (spaces.beginning(space)?.fixture.testSynchronizations ?? [])
        .filter(it => it.scenario === scenario.name)
        .map(({ id }) => ({ space, id })),
    )
  return {
    ...view,
    testSynchronizations,
    _links: { self: call.link(`/scenarios/${encodeURIComponent(scenario.name)}`) },
  }
}
