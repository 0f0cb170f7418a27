import { z } from 'zod'
import { halResponse } from '../../service/hal.ts'
import { problems } from '../../service/problem.ts'
import type { Setting } from '../../store/rows.ts'
import { homeOf } from '../../store/space-names.ts'
import { setting } from '../settings.ts'
import { begin, checkSettings, givenFixture } from './beginnings.ts'
import { rate, time } from './clock-state.ts'
import { turnedDials } from './dial-shapes.ts'
import { largeBody } from './incoming-json.ts'
import { type Incoming, route, type Tools } from './route.ts'
import { givenScenario, scenarioForm } from './scenario-form.ts'
import { component, document, members } from './shapes.ts'
import { shownSpace, spaceDocument } from './space-document.ts'
import { refuseSpaceName } from './space-name.ts'

const beginning = members({
  fixture: z
    .union([z.string(), component('Fixture', 'A fixture, as a file has it')], {
      error: 'expected the name of a space, or a fixture',
    })
    .optional()
    .describe("Name of a space whose fixture to begin with, or a fixture; without it the space's own"),
  seed: z.int().min(0).optional().describe('Where IDs and figures come from'),
  clock: members({
    now: time.optional().describe('The time at its beginning'),
    frozen: z.boolean().optional().describe('Whether it stands still'),
    rate: rate.optional().describe('Seconds of the space for each real second'),
  }).optional(),
  scenario: scenarioForm
    .optional()
    .describe('Name or definition of the scenario in force from the beginning'),
  dials: turnedDials.optional(),
})

type Given = z.output<typeof beginning>

const notThere = { 404: 'There is no such space' }

export const spaceRoutes = [
  route({
    id: 'listSpaces',
    method: 'GET',
    path: '/spaces',
    rel: 'spaces',
    summary: 'The spaces that are open, and what became of private copies',
    answer: document({
      evicted: z.int().describe('Private copies that had to make room since the start'),
      limits: z
        .strictObject({
          copies: z.int().describe('Private copies at most'),
          idleSeconds: z.number().describe('How long a private copy may be unused'),
        })
        .nullable()
        .describe('Null where there are none'),
      _embedded: z.strictObject({ spaces: z.array(spaceDocument) }),
    }),
    async handle(call) {
      const { spaces, rigs } = call.tools
      const open = spaces.names().flatMap(name => spaces.opened(name) ?? [])
      const ready = await Promise.all(open.map(space => rigs.of(space)))
      // Some may have been removed in the meantime; from here on nothing is awaited.
      const shown = ready.filter(({ space }) => spaces.opened(space.name) === space)
      const limits = spaces.copyLimits
      return {
        evicted: spaces.evicted,
        limits: limits ? { copies: limits.count, idleSeconds: limits.idle / 1000 } : null,
        _embedded: { spaces: shown.map(rig => shownSpace(call, rig)) },
        _links: {
          self: call.link('/spaces'),
          space: { ...call.link('/spaces/{space}'), templated: true as const },
        },
      }
    },
  }),
  route({
    id: 'getSpace',
    method: 'GET',
    path: '/spaces/{space}',
    rel: 'space',
    summary: 'One space',
    answer: spaceDocument,
    also: notThere,
    handle: async call => shownSpace(call, await call.rig()),
  }),
  route({
    id: 'putSpace',
    method: 'PUT',
    path: '/spaces/{space}',
    summary: 'Lets a space begin as the body says, made if need be',
    description:
      'What was in it is gone, requests that wait in it are let go. This is its beginning from now on: a reset leads back to it, also after a restart. With {} it begins as its fixture has it. A name that no fixture has becomes a space of its own, with the users of the given fixture; any other space keeps its users.',
    body: beginning,
    longestBody: largeBody,
    example: { clock: { now: '2026-03-01T09:30:00Z', frozen: true }, scenario: 'happy-path' },
    answer: spaceDocument,
    also: { 201: 'It was not there before' },
    async handle(call) {
      const { space: name } = call.params
      const wasThere = call.tools.spaces.opened(name) !== undefined
      const rig = await begin(call.tools, name, await asked(call, call.body))
      const shown = shownSpace(call, rig)
      return wasThere ? shown : halResponse(shown, 201, call.spaceLink(name).href)
    },
  }),
  route({
    id: 'deleteSpace',
    method: 'DELETE',
    path: '/spaces/{space}',
    summary: 'Removes a private copy, or a space that a control call made, with everything in it',
    description:
      'When its user comes again, a private copy begins anew. Requests that wait in it are let go.',
    also: { ...notThere, 409: 'It is of a fixture that the mock was started with' },
    async handle(call) {
      const { space } = await call.rig()
      const { spaces, sidePorts } = call.tools
      if (spaces.homes().includes(space.name) && !spaces.made(space.name))
        throw problems.notPossibleHere(
          `Space "${space.name}" is of a fixture that the mock was started with and stays; POST to its reset brings it back to its beginning`,
        )
      if (!(await spaces.remove(space.name))) throw problems.notFound(`space "${space.name}" any more`)
      await sidePorts.close(space.name)
      return undefined
    },
  }),
]

async function asked(call: Incoming<{ readonly space: string }>, given: Given) {
  const { tools, params } = call
  const fixture = await fixtureFor(tools, params.space, given.fixture)
  const settings: Setting[] = []
  if (given.clock) settings.push(setting('clock', keptClock(given.clock)))
  if (given.scenario !== undefined) {
    await givenScenario(tools, given.scenario, 'scenario')
    settings.push(setting('scenario', given.scenario))
  }
  if (given.dials) settings.push(setting('dials', given.dials))
  return { fixture, settings, seed: given.seed ?? tools.spaces.seed, age: 0 }
}

async function fixtureFor(tools: Tools, name: string, given: Given['fixture']) {
  const { spaces } = tools
  if (typeof given === 'object') {
    const fixture = await givenFixture(given, 'fixture')
    await checkSettings(tools, fixture, 'fixture.')
    return fixture
  }
  const source = given ?? name
  const wrong = refuseSpaceName(source, spaces)
  if (given === undefined && wrong !== undefined)
    throw problems.field(
      'fixture',
      `there is no space ${wrong}. A space of another name is made from a fixture with users of its own`,
    )
  if (wrong !== undefined) throw problems.field('fixture', `there is no fixture of space ${wrong}`)
  return spaces.beginning(homeOf(source))!.fixture
}

/** As a space's settings keep a clock that begins anew with the space. */
function keptClock({ now, frozen, rate = 1 }: NonNullable<Given['clock']>) {
  return { ...(now !== undefined && { space: now }), rate: frozen ? 0 : rate, pace: rate }
}
