import { z } from 'zod'
import { dialNames, dials } from '../../service/dials.ts'
import { type OperationId, operationIds } from '../../service/operations.ts'
import { sendingState, truth } from '../../store/rows.ts'
import { strict } from '../../store/unknown-keys.ts'
import { longestGlob, longestGlobbed, mostStars } from '../conditions.ts'
import { duration } from '../duration.ts'
import type { Fault } from '../faults/fault.ts'
import { faults } from '../faults/registry.ts'
import { contradictions } from './contradictions.ts'
import { notPossible } from './sentences.ts'

/**
 * A scenario file: the one definition that checks files and control calls, types them, and gives the JSON Schema that
 * editors complete from and the tables of docs/scenarios.md.
 */

const oneLine = (most: number) =>
  z
    .string()
    .max(most)
    // A line break in a header would begin another header, or another answer.
    .regex(
      /^[\t\x20-\x7e\x80-\xff]*$/,
      'expected one line of text, without line breaks and control characters',
    )

const attempts = z.int().min(1).max(1_000_000)
const longestDelay = 24 * 60 * 60 * 1000
const lasting = duration.refine(length => length > 0, 'expected a duration longer than 0')
const waiting = duration.refine(length => length <= longestDelay, 'expected a delay of at most 24h')

const subjects = ['transactionId', 'synchronizationId', 'user', 'path'] as const
const manySubjects = ['header:NAME', 'query:NAME', 'body:MEMBER']
const subject = z
  .string()
  .regex(
    new RegExp(
      String.raw`^(?:${subjects.join('|')}|header:[!#$%&'*+.^_\`|~0-9A-Za-z-]{1,100}|(?:query|body):.{1,100})$`,
    ),
    {
      error: ({ input }) => notPossible(input, [...subjects, ...manySubjects]),
    },
  )

const bound = z.union([z.number(), z.iso.datetime({ offset: true })], {
  error: 'expected a number, or a date-time with its zone such as 2026-03-01T09:30:00Z',
})
const starsIn = (glob: string) => glob.split('*').length - 1
const condition = strict({
  present: z.boolean().optional().describe('Whether it must be there; null in a body counts as not there'),
  equals: z
    .union([z.string().max(1000), z.number(), z.boolean()], {
      error: 'expected a text, a number, true or false',
    })
    .optional()
    .describe('Exactly this; here also the words present and absent'),
  prefix: z.string().min(1).max(1000).optional().describe('A text that begins with this'),
  glob: z
    .string()
    .min(1)
    .max(longestGlob)
    .refine(glob => starsIn(glob) <= mostStars, {
      error: ({ input }) => `expected at most ${mostStars} stars; seen: ${starsIn(String(input))}`,
    })
    .optional()
    .describe(
      `A text of this form: \`*\` stands for any characters, \`?\` for one; at most ${mostStars} stars. A text of more than ${longestGlobbed} characters matches none. There are no regular expressions`,
    ),
  from: bound.optional().describe('A number or date-time not below this'),
  to: bound.optional().describe('A number or date-time not above this'),
})
const looked = z.union([z.string().max(1000), z.number(), z.boolean(), condition], {
  error: 'expected present, absent, a value, or some of equals, prefix, glob, from, to, present',
})

const delay = z.union(
  [
    waiting,
    strict({ min: waiting.describe('The shortest'), max: waiting.describe('The longest') }),
    strict({
      median: waiting.describe('Half of the delays are shorter'),
      p99: waiting.describe('One of a hundred is longer'),
    }),
  ],
  { error: 'expected a duration such as 2s, or min and max, or median and p99' },
)

/** Node frames an answer itself; a scenario that wants a wrong frame takes the fault for it. */
const framing = ['connection', 'content-length', 'transfer-encoding', 'keep-alive', 'trailer', 'upgrade']
const headerName = z
  .string()
  .regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/, 'expected the name of a header: letters, digits and hyphens')
  .refine(name => !framing.includes(name.toLowerCase()), {
    error: ({ input }) =>
      `${input} frames the answer and is not for a scenario to set; faults such as truncate or close damage the frame`,
  })

const retryAfter = z.union(
  [
    z.int().min(0),
    strict({ dateIn: duration.describe('So long from now, as an HTTP-date in real time') }),
    strict({ dateAgo: duration.describe('So long before now, as an HTTP-date in real time') }),
    strict({ text: oneLine(200).describe('The value as it stands, for odd ones') }),
  ],
  { error: 'expected whole seconds, or one of dateIn: 10s, dateAgo: 10s, text: soon' },
)

const ownAnswer = strict({
  status: z.int().min(200).max(599).describe('Three digits; informational ones are the fault early-hints'),
  headers: z
    .record(headerName, oneLine(8000))
    .refine(all => Object.keys(all).length <= 50, 'expected at most 50 headers')
    .optional()
    .describe(
      'Further headers; those that frame an answer (Connection, Content-Length, Transfer-Encoding) are refused',
    ),
  retryAfter: retryAfter.optional().describe('The Retry-After header: seconds, a date, or a text'),
  body: z
    .union([z.enum(['problem', 'gateway-html', 'empty']), strict({ text: z.string().max(65_536) })], {
      error: 'expected problem, gateway-html, empty, or text: with the body itself',
    })
    .optional()
    .describe(
      '`problem` (the default from status 400 on) is problem+json, `gateway-html` the page of a proxy, `empty` (the default below 400) no body, `text:` any text',
    ),
})

/** Its settings beside its name, checked by the fault's own schema. @throws Error for a fault whose settings cannot be */
function faultAnswer(fault: Fault) {
  const { settings, name, description } = fault
  if (!(settings instanceof z.ZodObject) || settings.def.checks?.length)
    throw new Error(
      `the settings of fault ${name} are no plain object schema, so they cannot stand beside its name`,
    )
  return strict({ fault: z.literal(name).describe(description), ...(settings as z.ZodObject).shape })
    .transform(({ fault, ...rest }) => ({ fault, settings: rest as unknown }))
    .meta({ title: name, description })
}

const [firstFault, ...otherFaults] = [...faults.values()].map(faultAnswer)
const struck = z.discriminatedUnion('fault', [firstFault!, ...otherFaults])

const step = strict({
  state: sendingState
    .optional()
    .describe(
      'The state of the sending, for createSending. By default CREATED, in phase bound PENDING, in phase partial FAILED; none in phase before. A sending that has reached CREATED, FAILED or INDETERMINATE_FAILURE keeps it, whatever later steps say',
    ),
  truth: truth
    .optional()
    .describe(
      'What the platform really does. Follows from the state, but for INDETERMINATE_FAILURE, where it must be said',
    ),
  times: attempts
    .optional()
    .describe(
      'For so many attempts. Without `times` and `for`: one attempt, and the last step stays for ever',
    ),
  for: lasting
    .optional()
    .describe(
      "For so long on the space's clock, from the step's first attempt. With `times` too: whichever ends first. Phase bound without either lasts 5s",
    ),
  phase: z
    .enum(['before', 'bound', 'partial', 'after'])
    .optional()
    .describe(
      'How far the work goes before the answer is given: `before` nothing is done, `bound` the transactionId is taken and the work goes on, `partial` a platform mailing exists and is not sent, `after` (the default) everything is done',
    ),
  answer: z
    .union([ownAnswer, struck], { error: 'expected an answer with its status, or a fault by its name' })
    .optional()
    .describe(
      'What the client gets instead of the true answer: status, headers, retryAfter, body; or a fault with its settings. Without it phase after gives the true answer and the others a problem with status 500',
    ),
  delay: delay
    .optional()
    .describe("Waits before the answer, on the space's clock; a choice is drawn from the space's seed"),
  deliver: z
    .enum(['late', 'twice'])
    .optional()
    .describe(
      '`late`: the work is done only after the delay, even if the client has left. `twice`: as by a proxy that sends again; the client sees the second answer',
    ),
  hold: z
    .string()
    .regex(
      /^[A-Za-z0-9._-]{1,100}$/,
      'expected a name of letters, digits, dots, hyphens and underscores, at most 100',
    )
    .optional()
    .describe('Stops before the work until a control call releases this name'),
})

const operation = z.enum(operationIds as [OperationId, ...OperationId[]])
const rule = strict({
  on: z
    .union([z.enum(['*', ...operationIds] as ['*', ...OperationId[]]), z.array(operation).min(1)], {
      error: 'expected an operation, a list of operations, or "*"',
    })
    .describe('The operation that it is about, a list of them, or "*" for all'),
  when: z
    .record(subject, looked)
    .refine(all => Object.keys(all).length <= 20, 'expected at most 20 conditions')
    .optional()
    .describe(
      'Conditions that must all hold, by what they look at: transactionId, synchronizationId, user, path, header:NAME, query:NAME, body:MEMBER. Each is present, absent, a value, or parts such as prefix or from',
    ),
  per: z
    .enum(['transaction', 'client-request', 'space'])
    .optional()
    .describe(
      'What counts attempts. `transaction` (the default): requests to one synchronization with one transactionId, and where there is none as client-request. `client-request`: requests with the same operation, path and payload, whatever their transactionId. `space`: every request that the rule applies to',
    ),
  chance: z
    .number()
    .gt(0)
    .max(1)
    .optional()
    .describe(
      "On which share of the attempts it applies, drawn from the space's seed; the others are not counted",
    ),
  steps: z
    .array(step)
    .min(1)
    .max(200)
    .describe(
      'What happens on one attempt after the other. After a last step with `times` or `for` the rule no longer applies',
    ),
})

const dialSettings = strict(
  Object.fromEntries(
    dialNames.map(name => [
      name,
      z
        .enum(Object.keys(dials[name].values) as [string, ...string[]])
        .optional()
        .describe(dials[name].description),
    ]),
  ),
)

const shape = strict({
  $schema: z.string().max(1000).optional().describe('For editors'),
  description: z.string().max(2000).optional().describe('What happens, for people'),
  rules: z
    .array(rule)
    .max(100)
    .optional()
    .describe('For each request the first rule that applies strikes; without any nothing is disturbed'),
  expect: strict({
    sent: z.int().min(0).max(1000).describe('How many sendings really go out, in all'),
    belief: z.enum(['sent', 'not-sent', 'unknown']).describe('What the client must believe at its end'),
  })
    .optional()
    .describe(
      "What a correct client reaches in the end, when all that is due on the space's clock has happened",
    ),
  tags: z
    .array(z.string().regex(/^[a-z0-9-]{1,40}$/, 'expected a tag of lower-case letters, digits and hyphens'))
    .max(20)
    .optional()
    .describe('To choose scenarios by'),
  dials: z
    .union([z.literal('seeded'), dialSettings], { error: 'expected dials with their values, or seeded' })
    .optional()
    .describe("Dials turned while it is in force, by name; `seeded` turns all of them from the space's seed"),
})

/** A scenario file as it was checked: durations in milliseconds, fault settings read by their faults. */
export type ScenarioFile = z.output<typeof shape>
export type RuleFile = NonNullable<ScenarioFile['rules']>[number]
export type StepFile = RuleFile['steps'][number]

export const scenarioFile = shape.check(context => {
  // What is wrong already would only be told a second time.
  if (context.issues.length > 0) return
  for (const { path, problem } of contradictions(context.value, faults)) {
    context.issues.push({ code: 'custom', path: [...path], message: problem, input: context.value })
  }
})

/** The same as JSON Schema, for editors and for the control API's description. */
export function scenarioJsonSchema() {
  return {
    title: 'Scenario of mailing-sync-mock: a named disturbance of the service',
    ...z.toJSONSchema(shape, { io: 'input' }),
  }
}
