import { z } from 'zod'
import { problems } from '../../service/problem.ts'
import type { Scenario } from '../scenarios/scenario.ts'
import { playView, shownScenario } from './play-view.ts'
import { type Incoming, route } from './route.ts'
import { whyNot } from './scenario-form.ts'
import { document } from './shapes.ts'

const { struck: _, ...rest } = playView
const scenarioDocument = document({
  ...rest,
  testSynchronizations: z
    .array(z.strictObject({ space: z.string(), id: z.string() }))
    .describe('Synchronizations on which it is always in force, in the fixtures of the spaces'),
})

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
