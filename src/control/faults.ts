import { z } from 'zod'
import { faultGroups } from '../rig/faults/fault.ts'
import { faults } from '../rig/faults/fault-registry.ts'
import type { OneShotFaultView } from '../rig/scenarios/one-shot-faults.ts'
import { ruleFrom } from '../rig/scenarios/read.ts'
import { hasNoEffect } from '../rig/scenarios/rule-state.ts'
import type { Rule } from '../rig/scenarios/scenario.ts'
import { answerMembers, stepMembers } from '../rig/scenarios/schema.ts'
import type { RigView } from '../rig/space-view.ts'
import { problems } from '../service/problem.ts'
import { describeUnknownKey } from '../store/validation-messages.ts'
import { createdAnswer, route, type SpaceCall } from './route.ts'
import { ruleShape, scenarioProblem, toRuleView } from './scenarios.ts'
import { component, document, validationProblem } from './schemas.ts'

const faultDocument = document({
  id: z.string(),
  ...ruleShape,
  left: z.int().nullable().describe('How often it may still fire; null where a duration ends it'),
})

export const faultRoutes = [
  route('GET /spaces/{space}/faults', 'listFaults', {
    rel: 'faults',
    summary: 'The one-shot faults of a space, also those that are used up',
    answer: document({
      armed: z.int().describe('Those that may still fire'),
      neverStruck: z.int().describe('Those that have not fired once: such a test proves nothing'),
      _embedded: z.strictObject({ faults: z.array(faultDocument) }),
    }),
    async handle(call) {
      const rig = await call.rig()
      const all = rig.faults.all()
      return {
        armed: rig.faults.live.size,
        neverStruck: all.filter(({ hits }) => hits.hits === 0).length,
        _embedded: { faults: all.map(fault => toFaultDocument(call, fault)) },
        _links: { ...call.spaceLinks('/faults', 'space'), 'fault-kinds': call.link('/faults') },
      }
    },
  }),
  route('POST /spaces/{space}/faults', 'armFault', {
    summary: 'Arms a fault that is used up by the requests that it disturbs',
    description:
      'A rule of a scenario; where it has no steps, what stands beside `on` is its one step. Attempts are counted per space unless `per` says otherwise, and a step lasts for one attempt unless `times` or `for` says otherwise. It goes before every scenario. One that changes nothing is refused: it would count as struck. A reset or a restart disarms it.',
    body: component('Rule', 'A rule of a scenario, or one with its only step inline'),
    example: { on: 'createSending', phase: 'after', answer: { fault: 'reset' } },
    answer: faultDocument,
    also: { 201: 'It is armed', 409: 'As many as can be are armed already' },
    async handle(call) {
      const rule = readRule(call.body)
      const rig = await call.rig()
      const fault = rig.faults.arm(rule)
      return createdAnswer(toFaultDocument(call, fault))
    },
  }),
  route('DELETE /spaces/{space}/faults', 'disarmFaults', {
    summary: 'Disarms all one-shot faults of a space and forgets their counts',
    async handle(call) {
      const rig = await call.rig()
      rig.faults.clear()
    },
  }),
  route('GET /spaces/{space}/faults/{id}', 'getFault', {
    rel: 'fault',
    summary: 'One one-shot fault, and how often it has fired',
    answer: faultDocument,
    also: { 404: 'There is no such space or fault' },
    async handle(call) {
      const rig = await call.rig()
      const fault = rig.faults.get(call.params.id)
      if (!fault) throw unknownFault(rig, call.params.id)
      return toFaultDocument(call, fault)
    },
  }),
  route('DELETE /spaces/{space}/faults/{id}', 'disarmFault', {
    summary: 'Disarms a one-shot fault and forgets its counts',
    also: { 404: 'There is no such space or fault' },
    async handle(call) {
      const rig = await call.rig()
      if (!rig.faults.disarm(call.params.id)) throw unknownFault(rig, call.params.id)
    },
  }),
]

const ruleMembers = ['on', 'when', 'per', 'chance', 'steps']
const shortMembers = [...ruleMembers.slice(0, -1), 'answer', ...stepMembers]

/** @throws Problem 400 naming the member that is wrong */
function readRule(body: Readonly<Record<string, unknown>>): Rule {
  const isShort = !('steps' in body)
  const rest = Object.entries(body).filter(([key]) => !ruleMembers.includes(key))
  const [unknown] = rest.find(([key]) => !shortMembers.includes(key)) ?? []
  if (isShort && unknown !== undefined && !answerMembers.some(key => key in body))
    throw problems.validation([], [describeUnknownKey(unknown, shortMembers)])
  const kept = Object.entries(body).filter(([key]) => ruleMembers.includes(key))
  const given = isShort ? { ...Object.fromEntries(kept), steps: [Object.fromEntries(rest)] } : body
  let rule: Rule
  try {
    rule = ruleFrom({ per: 'space', ...given }, 'the body')
  } catch (error) {
    throw scenarioProblem(error, '', isShort ? 'steps[0]' : '')
  }
  if (!hasNoEffect(rule)) return rule
  throw validationProblem([{ field: isShort ? '' : 'steps', problem: noEffectText }])
}

/** It would count as applied, and a test would take that for proof. */
const noEffectText =
  'this changes nothing: in phase after, with the true response, at once, no request is disturbed; expected an answer, an earlier phase, a state, a delay, deliver or hold'

function unknownFault({ faults }: RigView, id: string) {
  const ids = faults.all().map(it => it.id)
  const there = ids.length > 0 ? `there are ${ids.join(', ')}` : 'none is armed'
  return problems.notFound(`fault ${JSON.stringify(id.slice(0, 60))}; ${there}`)
}

const toFaultDocument = (
  call: SpaceCall,
  { id, rule, hits, left }: OneShotFaultView,
): z.input<typeof faultDocument> => ({
  id,
  ...toRuleView(rule, hits),
  left: Number.isFinite(left) ? left : null,
  _links: call.spaceLinks(`/faults/${id}`, 'faults'),
})

const kind = z.strictObject({
  name: z.string().describe('As a scenario writes it: answer: { fault: NAME }'),
  group: z.enum(faultGroups),
  description: z.string().describe('What the client sees'),
  onlyInPhaseBefore: z.boolean().describe('It fires before the body of the request is read'),
  onlyReusedConnection: z.boolean().describe('It fires only on a connection that has carried a request'),
  settings: z.record(z.string(), z.unknown()).describe('JSON Schema of what may stand beside its name'),
})

export const faultKindRoutes = [
  route('GET /faults', 'listFaultKinds', {
    rel: 'fault-kinds',
    summary: 'The faults that a scenario or a one-shot fault can name',
    answer: document({ _embedded: z.strictObject({ faults: z.array(kind) }) }),
    handle: call => ({
      _embedded: {
        faults: [...faults.values()].map(({ name, group, description, applies, settings }) => ({
          name,
          group,
          description,
          onlyInPhaseBefore: applies === 'before body',
          onlyReusedConnection: applies === 'on reused connection',
          settings: z.toJSONSchema(settings, { io: 'input', unrepresentable: 'any' }) as Record<
            string,
            unknown
          >,
        })),
      },
      _links: { self: call.link('/faults') },
    }),
  }),
]
