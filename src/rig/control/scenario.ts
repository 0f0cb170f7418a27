import { z } from 'zod'
import { problems } from '../../service/problem.ts'
import { nearest } from '../../store/nearest.ts'
import { unknownKey } from '../../store/unknown-keys.ts'
import type { Scenario } from '../scenarios/scenario.ts'
import { setting } from '../settings.ts'
import type { SpaceRig } from '../space-rig.ts'
import { playView, shownPlay } from './play-view.ts'
import { type Incoming, route } from './route.ts'
import { definitionKeys, givenScenario } from './scenario-form.ts'
import { component, document, members } from './shapes.ts'

const inForce = document({
  scenario: z.strictObject(playView).nullable().describe('In force for the whole space; null for none'),
  chosen: z
    .array(
      z.strictObject({
        by: z.enum(['header', 'transactionId', 'test synchronization', 'space', 'one-shot fault']),
        ...playView,
      }),
    )
    .describe('Those that requests or test synchronizations chose, each with counts of its own'),
})

const also = { 404: 'There is no such space' }

export const scenarioRoutes = [
  route({
    id: 'getScenario',
    method: 'GET',
    path: '/spaces/{space}/scenario',
    rel: 'scenario',
    summary: 'The scenario in force in a space, and what it has struck',
    answer: inForce,
    also,
    handle: async call => shown(call, await call.rig()),
  }),
  route({
    id: 'putScenario',
    method: 'PUT',
    path: '/spaces/{space}/scenario',
    summary: 'Puts a scenario in force in a space, its counts at zero',
    description:
      'By its name, or by a whole definition in the form of a scenario file. It stays over a restart.',
    body: z.union([
      members({ name: z.string().describe('Name of a scenario') }),
      component('Scenario', 'A scenario, as a file has it'),
    ]),
    example: { name: 'reset-after' },
    answer: inForce,
    also,
    async handle(call) {
      const given = nameOrDefinition(call.body)
      const field = typeof given === 'string' ? 'name' : ''
      const scenario = await givenScenario(call.tools, given, field)
      const rig = await call.rig()
      await putInForce(rig, scenario, given)
      return shown(call, rig)
    },
  }),
  route({
    id: 'deleteScenario',
    method: 'DELETE',
    path: '/spaces/{space}/scenario',
    summary: 'Lets a space go on undisturbed',
    also,
    async handle(call) {
      await putInForce(await call.rig(), undefined, null)
      return undefined
    },
  }),
]

/** @throws Problem 400 when a name is not alone, or no name */
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
  throw problems.field('name', `expected the name of a scenario; seen: ${JSON.stringify(body.name)}`)
}

/** A definition knows no name, so its own check would not come upon what was meant. */
function refuseMisspeltName(keys: readonly string[]): void {
  const possible = ['name', ...definitionKeys]
  const meant = keys.filter(key => !definitionKeys.includes(key) && nearest(key, possible) === 'name')
  if (meant.length > 0)
    throw problems.validation(
      [],
      meant.map(key => unknownKey(key, possible)),
    )
}

/** On record first: what is told must hold after a restart too. */
async function putInForce(
  rig: SpaceRig,
  scenario: Scenario | undefined,
  given: string | object | null,
): Promise<void> {
  await rig.space.data.save({ settings: [setting('scenario', given)] })
  rig.arm(scenario)
}

const shown = (call: Incoming, rig: SpaceRig): z.input<typeof inForce> => ({
  scenario: rig.armed ? shownPlay(rig.armed) : null,
  chosen: rig.chosen.map(({ by, play }) => ({ by, ...shownPlay(play) })),
  _links: {
    self: call.spaceLink(rig.space.name, '/scenario'),
    space: call.spaceLink(rig.space.name),
    scenarios: call.link('/scenarios'),
  },
})
