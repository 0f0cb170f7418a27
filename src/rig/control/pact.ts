import { z } from 'zod'
import type { Values } from '../pact/provider-state.ts'
import { providerStates } from '../pact/registry.ts'
import { providedBefore, setUp, wanted } from '../pact/set-up.ts'
import { keepBegunClock } from './beginnings.ts'
import { type Incoming, route } from './route.ts'
import { document, members } from './shapes.ts'

const text = z.string({ error: 'expected text' })

/** As verifiers send it: those in Rust and for the JVM without `consumer` and `states`, that in Ruby with both. */
const change = members({
  consumer: text.optional().describe('Name of the consumer; states are the same for all'),
  state: text.max(1_000).describe('Name of the state; empty where the interaction has none'),
  states: z.array(text).optional().describe('The same once more; verifiers ask for several one by one'),
  params: z
    .record(z.string(), z.unknown(), { error: 'expected an object' })
    .nullable()
    .optional()
    .describe('Parameters of the state; GET /_mock/pact/provider-states lists them'),
  action: z
    .enum(['setup', 'teardown'])
    .optional()
    .describe('setup before the request of an interaction, which is usual; teardown after it'),
}).refine(({ state, states }) => !states || states.every(it => it === state), {
  path: ['states'],
  error: 'expected the same as state, and no other: several states are asked for one by one',
})

const shownState = z.strictObject({
  name: z.string().describe('As a pact names it; what is in braces may stand there itself'),
  alsoNamed: z.array(z.string()),
  description: z.string(),
  params: z.record(z.string(), z.strictObject({ description: z.string(), isRequired: z.boolean() })),
  values: z.record(z.string(), z.string()).describe('What is given back, each with what it is'),
})

export const pactRoutes = [
  route({
    id: 'listProviderStates',
    method: 'GET',
    path: '/pact/provider-states',
    rel: 'provider-states',
    summary: 'The states that a pact may name in its interactions',
    answer: document({ _embedded: z.strictObject({ 'provider-states': z.array(shownState) }) }),
    handle: call => ({
      _embedded: { 'provider-states': providerStates.map(shown) },
      _links: {
        self: call.link('/pact/provider-states'),
        'set-up': { ...call.link('/spaces/{space}/pact/provider-states'), templated: true as const },
      },
    }),
  }),
  route({
    id: 'setUpProviderState',
    method: 'POST',
    path: '/spaces/{space}/pact/provider-states',
    rel: 'set-up-provider-state',
    summary: 'Brings a space into a state that an interaction of a pact begins from',
    description:
      'What a Pact verifier calls by itself, as its provider-states-setup-url. The space begins anew first, unless only other states were set up since: those of one interaction add up. A teardown lets it begin anew. The answer has the values that the state gives, for values that a pact takes from provider states.',
    body: change,
    example: {
      state: 'a sending exists',
      params: { transactionId: 'order-4711', state: 'PENDING' },
      action: 'setup',
    },
    answer: z
      .record(z.string(), z.union([z.string(), z.number()]))
      .describe('Values of the state, by name; none after a teardown'),
    answerType: 'application/json',
    also: { 404: 'There is no such space' },
    async handle(call) {
      if (call.body.action === 'teardown') {
        await begunAnew(call)
        return Response.json({})
      }
      return Response.json(await provided(call, call.body))
    },
  }),
]

type OfSpace = Incoming<{ readonly space: string }>

async function provided(call: OfSpace, { state, params }: z.output<typeof change>): Promise<Values> {
  const rig = await call.rig()
  const before = providedBefore(rig)
  // A state that is refused ends the interaction, too: its request will not come.
  rig.provided = undefined
  const asked = wanted({ state, params: params ?? {} })
  return setUp(before ? rig : await begunAnew(call), asked, before ?? {})
}

async function begunAnew(call: OfSpace) {
  const { spaces, rigs } = call.tools
  const { space } = await call.rig()
  const rig = await rigs.of(await spaces.resetOne(space.name))
  await keepBegunClock(rig)
  return rig
}

const shown = ({ name, alsoNamed, description, params, values }: (typeof providerStates)[number]) => ({
  name,
  alsoNamed: [...alsoNamed],
  description,
  params: Object.fromEntries(
    Object.entries(params.shape as Record<string, z.ZodType>).map(([parameter, schema]) => [
      parameter,
      { description: schema.description ?? '', isRequired: !schema.safeParse(undefined).success },
    ]),
  ),
  values: { ...values },
})
