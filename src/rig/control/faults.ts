import { z } from 'zod'
import { halResponse } from '../../service/hal.ts'
import { problems } from '../../service/problem.ts'
import { type ArmedFault, changesNothing } from '../faults-armed.ts'
import { ruleFrom } from '../scenarios/read.ts'
import type { Rule } from '../scenarios/scenario.ts'
import type { SpaceRig } from '../space-rig.ts'
import { ruleView, shownRule } from './play-view.ts'
import { type Incoming, route } from './route.ts'
import { wrongScenario } from './scenario-form.ts'
import { component, document } from './shapes.ts'

const faultDocument = document({
  id: z.string(),
  ...ruleView,
  left: z.int().nullable().describe('How often it may still strike; null where a duration ends it'),
})

const also = { 404: 'There is no such space' }

export const faultRoutes = [
  route({
    id: 'listFaults',
    method: 'GET',
    path: '/spaces/{space}/faults',
    rel: 'faults',
    summary: 'The one-shot faults of a space, also those that are used up',
    answer: document({
      armed: z.int().describe('Those that may still strike'),
      neverStruck: z.int().describe('Those that have not struck once: such a test proves nothing'),
      _embedded: z.strictObject({ faults: z.array(faultDocument) }),
    }),
    also,
    async handle(call) {
      const rig = await call.rig()
      const all = rig.faults.all()
      return {
        armed: all.filter(({ left }) => left > 0).length,
        neverStruck: all.filter(({ hits }) => hits.hits === 0).length,
        _embedded: { faults: all.map(fault => shown(call, rig, fault)) },
        _links: {
          self: call.spaceLink(rig.space.name, '/faults'),
          space: call.spaceLink(rig.space.name),
          'fault-kinds': call.link('/faults'),
        },
      }
    },
  }),
  route({
    id: 'armFault',
    method: 'POST',
    path: '/spaces/{space}/faults',
    summary: 'Arms a fault that is used up by the requests that it strikes',
    description:
      'A rule of a scenario; where it has no steps, what stands beside `on` is its one step. Attempts are counted per space unless `per` says otherwise, and a step lasts for one attempt unless `times` or `for` says otherwise. It goes before every scenario. One that changes nothing is refused: it would count as struck. A reset or a restart disarms it.',
    body: component('Rule', 'A rule of a scenario, or one with its only step inline'),
    example: { on: 'createSending', phase: 'after', answer: { fault: 'reset' } },
    answer: faultDocument,
    also: { 201: 'It is armed', 409: 'As many as can be are armed already', ...also },
    async handle(call) {
      const rule = ruleOf(call.body)
      const rig = await call.rig()
      const document = shown(call, rig, rig.faults.arm(rule))
      rig.tellTurned()
      return halResponse(document, 201, document._links.self!.href)
    },
  }),
  route({
    id: 'disarmFaults',
    method: 'DELETE',
    path: '/spaces/{space}/faults',
    summary: 'Disarms all one-shot faults of a space and forgets their counts',
    also,
    async handle(call) {
      const rig = await call.rig()
      rig.faults.clear()
      rig.tellTurned()
      return undefined
    },
  }),
  route({
    id: 'getFault',
    method: 'GET',
    path: '/spaces/{space}/faults/{id}',
    rel: 'fault',
    summary: 'One one-shot fault, and how often it has struck',
    answer: faultDocument,
    also: { 404: 'There is no such space or fault' },
    async handle(call) {
      const rig = await call.rig()
      const fault = rig.faults.get(call.params.id)
      if (!fault) throw missing(rig, call.params.id)
      return shown(call, rig, fault)
    },
  }),
  route({
    id: 'disarmFault',
    method: 'DELETE',
    path: '/spaces/{space}/faults/{id}',
    summary: 'Disarms a one-shot fault and forgets its counts',
    also: { 404: 'There is no such space or fault' },
    async handle(call) {
      const rig = await call.rig()
      if (!rig.faults.disarm(call.params.id)) throw missing(rig, call.params.id)
      rig.tellTurned()
      return undefined
    },
  }),
]

const ofRule = new Set(['on', 'when', 'per', 'chance', 'steps'])
const source = 'the body'

/** @throws Problem 400 naming the member that is wrong */
function ruleOf(body: Readonly<Record<string, unknown>>): Rule {
  const isShort = !('steps' in body)
  const rest = Object.entries(body).filter(([key]) => !ofRule.has(key))
  const kept = Object.entries(body).filter(([key]) => ofRule.has(key))
  const long = { per: 'space', ...Object.fromEntries(kept), steps: [Object.fromEntries(rest)] }
  const rule = checkedRule(isShort ? long : { per: 'space', ...body }, isShort ? 'steps[0]' : '')
  if (!changesNothing(rule)) return rule
  if (isShort) throw problems.validation([], [nothingToStrike])
  throw problems.field('steps', nothingToStrike)
}

/** It would count as struck, and a test would take that for proof. */
const nothingToStrike =
  'this changes nothing: in phase after, with the true answer, at once, no request is disturbed; expected an answer, an earlier phase, a state, a delay, deliver or hold'

/** @param within see `wrongScenario` */
function checkedRule(given: object, within: string): Rule {
  try {
    return ruleFrom(given, source)
  } catch (error) {
    throw wrongScenario(error, '', within)
  }
}

function missing({ faults }: SpaceRig, id: string) {
  const ids = faults.all().map(it => it.id)
  const there = ids.length > 0 ? `there are ${ids.join(', ')}` : 'none is armed'
  return problems.notFound(`fault ${JSON.stringify(id.slice(0, 60))}; ${there}`)
}

const shown = (
  call: Incoming,
  { space }: SpaceRig,
  { id, rule, hits, left }: ArmedFault,
): z.input<typeof faultDocument> => ({
  id,
  ...shownRule(rule, hits),
  left: Number.isFinite(left) ? left : null,
  _links: {
    self: call.spaceLink(space.name, `/faults/${id}`),
    faults: call.spaceLink(space.name, '/faults'),
  },
})
