import { z } from 'zod'
import { Problem, problems } from '../../service/problem.ts'
import { findNearest, shorten } from '../../store/validation-messages.ts'
import { route, type SpaceCall } from '../route.ts'
import { document, members, parseOrRefuse } from '../schemas.ts'
import { resetSpace } from '../spaces.ts'
import { type ProviderState, Scene } from './scene.ts'
import { providerStates } from './states.ts'

const parametersIn = (name: string) => name.split('{').length - 1

/** All names, those with fewer parameters first: "is scheduled" must not match as a state of a sending. */
const namePatterns = providerStates
  .flatMap(state => [state.name, ...state.alsoNamed].map(name => ({ state, name, form: patternOf(name) })))
  .sort((one, other) => parametersIn(one.name) - parametersIn(other.name))

/** A state, and the parameters in its name. @throws Problem 400 with the closest name, and all names */
export function matchState(given: string): { state: ProviderState; named: Readonly<Record<string, string>> } {
  const text = given.trim().replaceAll(/\s+/g, ' ')
  // A name given with its braces matches as it is; its parameters are given separately.
  const exact = namePatterns.find(({ name }) => name.toLowerCase() === text.toLowerCase())
  if (exact) return { state: exact.state, named: {} }
  for (const { state, form } of namePatterns) {
    const found = form.exec(text)
    if (found) return { state, named: unquote(found.groups ?? {}) }
  }
  const names = namePatterns.map(({ name }) => name)
  const meant = findNearest(text, names)
  const listed = providerStates.flatMap(({ name }) => (name === '' ? [] : [`"${name}"`])).join(', ')
  const shown = JSON.stringify(shorten(text, 100))
  const question = meant === undefined ? 'there' : `did you mean "${meant}"? There`
  throw problems.field(
    'state',
    `there is no state ${shown}; ${question} are ${listed}; GET /_mock/pact/provider-states describes them`,
  )
}

function patternOf(name: string): RegExp {
  const plain = (part: string) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)
  const parts = name.split(/\{(\w+)\}/).map((part, at) => (at % 2 ? `(?<${part}>\\S+|"[^"]+")` : plain(part)))
  return new RegExp(`^${parts.join('')}$`, 'i')
}

/** A parameter that contains blanks is quoted. */
const unquote = (groups: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(groups).map(([name, text]) => [name, text.replace(/^"(.*)"$/, '$1')]))

/** @throws Problem 400 */
function checkParams(state: ProviderState, given: object): object {
  return parseOrRefuse(z.strictObject({ params: state.params }), { params: given }).params
}

const text = z.string({ error: 'expected text' })

/** As verifiers send it: the Rust and JVM verifiers without `consumer` and `states`, the Ruby verifier with both. */
const stateChange = members({
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

const stateShape = z.strictObject({
  name: z.string().describe('As a pact names it; what is in braces may stand there itself'),
  alsoNamed: z.array(z.string()),
  description: z.string(),
  params: z.record(z.string(), z.strictObject({ description: z.string(), isRequired: z.boolean() })),
  values: z.record(z.string(), z.string()).describe('What is given back, each with what it is'),
})

export const pactRoutes = [
  route('GET /pact/provider-states', 'listProviderStates', {
    rel: 'provider-states',
    summary: 'The states that a pact may name in its interactions',
    answer: document({ _embedded: z.strictObject({ 'provider-states': z.array(stateShape) }) }),
    handle: call => ({
      _embedded: { 'provider-states': providerStates.map(toStateView) },
      _links: {
        self: call.link('/pact/provider-states'),
        'set-up': { ...call.link('/spaces/{space}/pact/provider-states'), templated: true as const },
      },
    }),
  }),
  route('POST /spaces/{space}/pact/provider-states', 'setUpProviderState', {
    rel: 'set-up-provider-state',
    summary: 'Brings a space into a state that an interaction of a pact begins from',
    description:
      'What a Pact verifier calls by itself, as its provider-states-setup-url. The space is reset first, unless only other states were set up since: those of one interaction add up. A teardown resets it. The response has the values that the state gives, for values that a pact takes from provider states.',
    body: stateChange,
    example: {
      state: 'a sending exists',
      params: { transactionId: 'order-4711', state: 'PENDING' },
      action: 'setup',
    },
    answer: z
      .record(z.string(), z.union([z.string(), z.number()]))
      .describe('Values of the state, by name; none after a teardown'),
    answerType: 'application/json',
    async handle(call) {
      if (call.body.action === 'teardown') {
        await resetSpace(call)
        return {}
      }
      try {
        return await provideState(call, call.body)
      } catch (error) {
        // Verifiers show the status alone.
        if (error instanceof Problem)
          call.tools.warn(`state "${shorten(call.body.state, 100)}" of a pact was refused: ${error.message}`)
        throw error
      }
    },
  }),
]

/** Brings the space of a call into a state, after the earlier states of the same interaction. @throws Problem 400 */
async function provideState(call: SpaceCall, { state: name, params }: z.output<typeof stateChange>) {
  const rig = await call.rig()
  const { provided } = rig
  // A refused state also ends the interaction: its request will not come.
  rig.provided = undefined
  const { state, named } = matchState(name)
  // An interaction is over when a request has come in, or when another one begins that has no state.
  const before = state.name !== '' && provided?.requests === rig.journal.count ? provided.values : undefined
  for (const [parameter, text] of Object.entries(named)) {
    const value = params?.[parameter]
    if (value !== undefined && (Object(value) === value || String(value) !== text))
      throw problems.field(
        `params.${parameter}`,
        `the state says ${JSON.stringify(text)}, and the parameter ${JSON.stringify(value)}`,
      )
  }
  const given = { ...params, ...named }
  checkParams(state, given)
  const place = before ? rig : await resetSpace(call)
  call.noteChange(place)
  const taken = Object.entries(before ?? {}).filter(([parameter]) => state.takes.includes(parameter))
  const checked = checkParams(state, { ...Object.fromEntries(taken), ...given })
  const values = state.setUp(new Scene(place), checked as never)
  await place.space.data.durable
  place.provided = { requests: place.journal.count, values: { ...before, ...values } }
  return values
}

const toStateView = ({ name, alsoNamed, description, params, values }: (typeof providerStates)[number]) => ({
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
