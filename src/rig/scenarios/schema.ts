import { z } from 'zod'
import { dialNames, dials } from '../../service/dials.ts'
import { type OperationId, operationIds } from '../../service/operations.ts'
import type { StepLimits } from '../../service/steps.ts'
import { maxGlobLength, maxGlobStars, maxGlobTextLength } from '../../store/glob.ts'
import { type SendingState, sendingState, truth } from '../../store/rows.ts'
import { strict } from '../../store/validation-messages.ts'
import { duration } from '../duration.ts'
import type { Fault } from '../faults/fault.ts'
import { faults } from '../faults/fault-registry.ts'
import { beliefs, phases } from './terms.ts'
import { notPossibleText } from './zod-issues.ts'

/** Notes that a combination of valid parts is invalid as a whole. */
type Report = (problem: string, ...path: (string | number)[]) => void

function findContradictions({ rules = [] }: ScenarioFile, report: Report): void {
  for (const [index, rule] of rules.entries()) {
    const ofRule: Report = (problem, ...path) => report(problem, 'rules', index, ...path)
    checkReachable(rules, index, ofRule)
    checkConditions(rule, ofRule)
    for (const [at, step] of rule.steps.entries()) {
      const ofStep: Report = (problem, ...path) => ofRule(problem, 'steps', at, ...path)
      checkState(rule, step, ofStep)
      checkAnswer(step, ofStep)
      checkDelivery(step, ofStep)
      checkFault(rule, step, ofStep)
    }
    checkSequence(rule, ofRule)
  }
}

/** A rule after one that takes every request forever. */
function checkReachable(rules: readonly RuleFile[], index: number, report: Report): void {
  const { on } = rules[index]!
  const earlier = rules.slice(0, index).findIndex(rule => {
    const { times, for: lasts } = stepLimits(rule.steps.at(-1)!)
    const takesAll = Object.keys(rule.when ?? {}).length === 0 && rule.chance === undefined
    return takesAll && times === undefined && lasts === undefined && covers(rule.on, on)
  })
  if (earlier >= 0)
    report(
      `it can never apply: rules[${earlier}] takes every request that it is about, for ever; put it in front, or limit that rule`,
    )
}

const covers = (one: RuleFile['on'], other: RuleFile['on']) =>
  one === '*' || (other !== '*' && listed(other).every(operation => listed(one).includes(operation)))
const listed = <Name extends string>(on: Name | Name[]): Name[] => (Array.isArray(on) ? on : [on])

function checkConditions({ when = {} }: RuleFile, report: Report): void {
  for (const [subject, condition] of Object.entries(when)) {
    const wrong = typeof condition === 'object' ? conditionProblem(condition) : undefined
    if (wrong !== undefined) report(wrong, 'when', subject)
  }
}

function conditionProblem(parts: z.output<typeof condition>): string | undefined {
  const { from, to, present, equals } = parts
  const names = Object.keys(parts)
  if (names.length === 0)
    return 'a condition without any part; expected equals, prefix, glob, from, to or present'
  if (present === false && names.length > 1)
    return `what is not present has no ${names.find(it => it !== 'present')}`
  if (from === undefined || to === undefined) return undefined
  if (typeof from !== typeof to) return 'from and to must both be numbers or both date-times'
  const isEmpty = typeof from === 'number' ? from > Number(to) : Date.parse(from) > Date.parse(String(to))
  if (isEmpty) return `nothing lies between from ${from} and to ${to}`
  return equals === undefined ? undefined : 'equals leaves nothing for from and to'
}

/** Possible states of a sending after a phase; the first is the default. */
const statesOfPhase: Readonly<Record<'bound' | 'partial', readonly SendingState[]>> = {
  bound: ['PENDING'],
  partial: ['FAILED', 'INDETERMINATE_FAILURE', 'PENDING'],
}
/** What may be true in a state; the first is the default. INDETERMINATE_FAILURE has none. */
const truthsOfState: Readonly<Record<SendingState, readonly NonNullable<StepFile['truth']>[]>> = {
  CREATED: ['sent', 'never-starts', 'stopped'],
  FAILED: ['not-sent'],
  PENDING: ['not-sent'],
  INDETERMINATE_FAILURE: ['sent', 'not-sent'],
}

const isOnCreateOnly = ({ on }: RuleFile) => listed(on).every(operation => operation === 'createSending')

function checkState(rule: RuleFile, { state, truth, phase = 'after' }: StepFile, report: Report): void {
  const ofSendings = [state && 'state', truth && 'truth'].filter(key => key !== undefined)
  if (phase === 'bound' || phase === 'partial') ofSendings.push('phase')
  const isCreate = isOnCreateOnly(rule)
  if (!isCreate || phase === 'before') {
    for (const key of ofSendings) {
      const what = key === 'phase' ? `phase ${phase}` : key
      report(
        isCreate
          ? `in phase before nothing is done, so there is no ${key} to tell`
          : `${what} describes a sending that is created, so the rule must be on createSending only`,
        key,
      )
    }
    return
  }
  const possible = phase === 'after' ? undefined : statesOfPhase[phase]
  const visible = state ?? possible?.[0] ?? 'CREATED'
  const possibleTruths = truthsOfState[visible]
  if (possible && !possible.includes(visible))
    report(`phase ${phase} leaves no ${visible}; possible: ${possible.join(', ')}`, 'state')
  else if (visible === 'INDETERMINATE_FAILURE') {
    if (!truth || !possibleTruths.includes(truth))
      report('INDETERMINATE_FAILURE needs its truth: sent or not-sent', truth ? 'truth' : 'state')
    else if (phase === 'partial' && truth === 'sent')
      report('in phase partial nothing is sent; for truth sent leave the phase out', 'truth')
  } else if (truth && !possibleTruths.includes(truth)) {
    const real =
      visible === 'CREATED' ? 'sent, or stopped, or never-starts at its time' : `always ${possibleTruths[0]}`
    report(`${visible} is ${real}; only INDETERMINATE_FAILURE may be either`, 'truth')
  }
}

/** A final state cannot be followed by another state for the same transaction. */
function checkSequence(rule: RuleFile, report: Report): void {
  if ((rule.per ?? 'transaction') !== 'transaction' || !isOnCreateOnly(rule)) return
  let final: { state: SendingState; truth: StepFile['truth']; index: number } | undefined
  for (const [index, { state, truth, phase = 'after' }] of rule.steps.entries()) {
    if (phase === 'before') continue
    const visible = state ?? (phase === 'after' ? undefined : statesOfPhase[phase][0])
    if (final) {
      const isSame = visible === undefined || (visible === final.state && truth === final.truth)
      const contrary = `${visible} can never be shown: with per: transaction the sending is ${final.state} since steps[${final.index}] and stays so; to count across transaction IDs use per: client-request`
      if (!isSame) report(contrary, 'steps', index, state ? 'state' : 'phase')
      continue
    }
    const reached = visible ?? 'CREATED'
    if (reached !== 'PENDING') final = { state: reached, truth, index }
  }
}

function checkAnswer({ answer, delay }: StepFile, report: Report): void {
  if (answer && 'status' in answer) {
    const { status, body = 'empty', headers = {}, retryAfter } = answer
    const hasNoBody = status === 204 || status === 205 || status === 304
    if (hasNoBody && body !== 'empty')
      report(`a response with status ${status} has no body; expected empty`, 'answer', 'body')
    const header = Object.keys(headers).find(name => name.toLowerCase() === 'retry-after')
    if (header !== undefined && retryAfter !== undefined)
      report('it is given here and as retryAfter; say it once', 'answer', 'headers', header)
  }
  if (typeof delay === 'object') {
    const [low, high, names] =
      'min' in delay ? [delay.min, delay.max, 'min and max'] : [delay.median, delay.p99, 'median and p99']
    if (low > high) report(`${names} are the wrong way round`, 'delay')
    if (low === 0 && 'median' in delay) report('expected a median longer than 0', 'delay')
  }
}

function checkDelivery({ deliver, delay, phase = 'after' }: StepFile, report: Report): void {
  if (deliver && phase !== 'after')
    report(`deliver needs phase after; in phase ${phase} nothing is delivered`, 'deliver')
  else if (deliver === 'late' && delay === undefined)
    report('deliver: late needs a delay, which says how late', 'deliver')
}

function checkFault(
  { per = 'transaction', when = {} }: RuleFile,
  { answer, phase = 'after' }: StepFile,
  report: Report,
): void {
  if (!answer || !('fault' in answer)) return
  const { fault: name } = answer
  const ofFault = (problem: string) => report(problem, 'answer', 'fault')
  const applies = faults.get(name)?.applies
  if (applies === 'on reused connection' && phase !== 'before' && phase !== 'after')
    ofFault(`${name} needs phase before or after, not ${phase}`)
  if (applies !== 'before body') return
  const why = `${name} strikes before the request's body is read`
  if (phase !== 'before') ofFault(`${why}: it needs phase before`)
  if (per !== 'space') ofFault(`${why}, so attempts of a transaction cannot be counted: it needs per: space`)
  const looksInside = Object.keys(when).find(
    subject => subject === 'transactionId' || subject.startsWith('body:'),
  )
  if (looksInside !== undefined) ofFault(`${why}: the rule cannot have a condition on ${looksInside}`)
}

/** The limits of a step: without any, phase `bound` lasts five seconds and the others have none here. */
export function stepLimits({ phase, times, for: lasts }: StepFile): StepLimits {
  const isOpen = times === undefined && lasts === undefined
  return { times, for: phase === 'bound' && isOpen ? boundDuration : lasts }
}

/** Milliseconds. */
const boundDuration = 5000

/** A scenario file: the one definition that checks and types it, and gives JSON Schema and tables of docs/scenarios.md. */

const oneLine = (most: number) =>
  z
    .string()
    .max(most)
    // A line break in a header would start another header, or another answer.
    .regex(
      /^[\t\x20-\x7e\x80-\xff]*$/,
      'expected one line of text in Latin-1, without line breaks and control characters',
    )

/** A member that may be left out. */
const optional = <Schema extends z.ZodType>(schema: Schema, description: string) =>
  schema.optional().describe(description)

const attempts = z.int().min(1).max(1_000_000)
const longestDelay = 24 * 60 * 60 * 1000
const stepDuration = duration.refine(length => length > 0, 'expected a duration longer than 0')
const delayDuration = duration.refine(length => length <= longestDelay, 'expected a delay of at most 24h')

/** By what attempts are counted. */
export const attemptScopes = ['transaction', 'client-request', 'space'] as const
export const subjects = ['transactionId', 'synchronizationId', 'user', 'path'] as const
const manySubjects = ['header:NAME', 'query:NAME', 'body:MEMBER']
const subject = z
  .string()
  .regex(
    new RegExp(
      String.raw`^(?:${subjects.join('|')}|header:[!#$%&'*+.^_\`|~0-9A-Za-z-]{1,100}|(?:query|body):.{1,100})$`,
    ),
    { error: ({ input }) => notPossibleText(input, [...subjects, ...manySubjects]) },
  )

/** Beyond it a number that is read from JSON has lost its last digits. */
const isExact = (number: number) => Math.abs(number) <= Number.MAX_SAFE_INTEGER
const exactNumber = z
  .number()
  .refine(isExact, 'a number beyond 2^53 loses its last digits; write it in quotation marks')
const bound = z.union(
  [z.number().refine(isExact, 'expected a number up to 2^53'), z.iso.datetime({ offset: true })],
  {
    error: 'expected a number, or a date-time with its zone such as 2026-03-01T09:30:00Z',
  },
)
const starsIn = (glob: string) => glob.split('*').length - 1
const condition = strict({
  present: optional(z.boolean(), 'Whether it must be there; null in a body counts as not there'),
  equals: optional(
    z.union([z.string().max(1000), exactNumber, z.boolean()], {
      error: 'expected a text, a number, true or false',
    }),
    'Exactly this; use it for the words present and absent, too, if they are the value. A number fits each text that stands for it',
  ),
  prefix: optional(z.string().min(1).max(1000), 'A text that begins with this'),
  glob: optional(
    z
      .string()
      .min(1)
      .max(maxGlobLength)
      .refine(glob => starsIn(glob) <= maxGlobStars, {
        error: ({ input }) => `expected at most ${maxGlobStars} stars, got ${starsIn(String(input))}`,
      }),
    `A text of this form: \`*\` stands for any characters, \`?\` for one; at most ${maxGlobStars} stars. A text of more than ${maxGlobTextLength} characters matches none. There are no regular expressions`,
  ),
  from: optional(bound, 'A number or date-time not below this'),
  to: optional(bound, 'A number or date-time not above this'),
})
const conditionOrValue = z.union([z.string().max(1000), exactNumber, z.boolean(), condition], {
  error: 'expected present, absent, a value, or some of equals, prefix, glob, from, to, present',
})

const delay = z.union(
  [
    delayDuration,
    strict({ min: delayDuration.describe('The shortest'), max: delayDuration.describe('The longest') }),
    strict({
      median: delayDuration.describe('Half of the delays are shorter'),
      p99: delayDuration.describe('One of a hundred is longer'),
    }),
  ],
  { error: 'expected a duration such as 2s, or min and max, or median and p99' },
)

/** Node frames an answer itself; wrong framing is the business of faults. */
const framing = ['connection', 'content-length', 'transfer-encoding', 'keep-alive', 'trailer', 'upgrade']
const headerName = z
  .string()
  .regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/, 'expected the name of a header: letters, digits and hyphens')
  .refine(name => !framing.includes(name.toLowerCase()), {
    error: ({ input }) =>
      `${input} frames the response and is not for a scenario to set; faults such as truncate or close damage the frame`,
  })

const retryAfter = z.union(
  [
    z.int().min(0),
    strict({ dateIn: duration.describe('So long from now, as an HTTP-date in real time') }),
    strict({ dateAgo: duration.describe('So long before now, as an HTTP-date in real time') }).transform(
      ({ dateAgo }) => ({ dateIn: -dateAgo }),
    ),
    strict({ text: oneLine(200).describe('The value as it stands, for odd ones') }),
  ],
  { error: 'expected whole seconds, or one of dateIn: 10s, dateAgo: 10s, text: soon' },
)

const bodyForms = 'expected problem, gateway-html, empty, or { text: … } with the body itself'

const ownAnswer = strict({
  status: z
    .int()
    .min(200)
    .max(599)
    .describe('Three digits, from 200 to 599; for an informational response use the fault early-hints'),
  headers: optional(
    z
      .record(headerName, oneLine(8000))
      .refine(all => Object.keys(all).length <= 50, 'expected at most 50 headers'),
    'Further headers; those that frame a response (Connection, Content-Length, Transfer-Encoding) are refused',
  ),
  retryAfter: optional(
    retryAfter,
    'The Retry-After header: seconds, a date (`{ dateIn: 10s }`, `{ dateAgo: 10s }`), or any text (`{ text: soon }`)',
  ),
  body: optional(
    z.union(
      [
        z.enum(['problem', 'gateway-html', 'empty'], { error: bodyForms }),
        strict({ text: z.string().max(65_536) }),
      ],
      { error: bodyForms },
    ),
    '`problem` (the default from status 400 on) is problem+json, `gateway-html` the page of a proxy, `empty` (the default below 400) no body, `{ text: … }` any text',
  ),
  by: optional(
    z.enum(['service', 'proxy']),
    'Who is meant to give this answer: the `service` itself, or a `proxy` on the way (the default). This decides whether a client may repeat a refusal unchanged (rule R14)',
  ),
})

/** A fault with its settings beside its name. @throws Error if the settings are no plain object schema */
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
const anyFaultAnswer = z.discriminatedUnion('fault', [firstFault!, ...otherFaults])

const step = strict({
  state: optional(
    sendingState,
    'The state of the sending, for createSending. By default CREATED, in phase bound PENDING, in phase partial FAILED; none in phase before. A sending that has reached CREATED, FAILED or INDETERMINATE_FAILURE keeps it, whatever later steps say',
  ),
  truth: optional(
    truth,
    'What the platform really does. It follows from the state, except for INDETERMINATE_FAILURE, where it must be given. CREATED is no guarantee: the sending may never start, or be stopped on the platform before it starts',
  ),
  times: optional(
    attempts,
    'How many attempts the step lasts. Without `times` and `for`: one attempt; the last step has no end',
  ),
  for: optional(
    stepDuration,
    "How long the step lasts on the space's clock, from its first attempt. With `times` too: whichever ends first. Phase bound without either lasts 5s",
  ),
  phase: optional(
    z.enum(phases),
    'How far the work goes before the response is given: `before` nothing is done, `bound` the transactionId is taken and the work goes on, `partial` a platform mailing exists and is not sent, `after` (the default) everything is done',
  ),
  answer: optional(
    z.union([ownAnswer, anyFaultAnswer], {
      error: 'expected a response with its status, or a fault by its name',
    }),
    'What the client gets instead of the true answer: status, headers, retryAfter, body; or a fault with its settings. Without it phase after gives the true response and the others a problem with status 500',
  ),
  delay: optional(
    delay,
    "Waits before the response, on the space's clock: a duration, or a choice that is drawn from the space's seed, `{ min: 1s, max: 3s }` or `{ median: 400ms, p99: 5s }`",
  ),
  deliver: optional(
    z.enum(['late', 'twice']),
    '`late`: the work is done only after the delay, even if the client has left. `twice`: as by a proxy that sends again; the client sees the second response',
  ),
  hold: optional(
    z
      .string()
      .regex(
        /^[A-Za-z0-9._-]{1,100}$/,
        'expected a name of letters, digits, dots, hyphens and underscores, at most 100',
      ),
    'Stops before the work until a control call releases this name',
  ),
})

/** Members of a step that are often written into its answer by mistake. */
export const stepMembers: readonly string[] = Object.keys(step.shape).filter(name => name !== 'answer')
/** Members of an answer that are often written beside it. */
export const answerMembers: readonly string[] = ['fault', ...Object.keys(ownAnswer.shape)]

const operation = z.enum(operationIds as [OperationId, ...OperationId[]])
const rule = strict({
  on: z
    .union([z.enum(['*', ...operationIds] as ['*', ...OperationId[]]), z.array(operation).min(1)], {
      error: 'expected an operation, a list of operations, or "*"',
    })
    .describe('The operation that it is about, a list of them, or "*" for all'),
  when: optional(
    z
      .record(subject, conditionOrValue)
      .refine(all => Object.keys(all).length <= 20, 'expected at most 20 conditions'),
    'Conditions that must all hold. Each key says what its condition looks at: transactionId, synchronizationId, user, path, header:NAME, query:NAME, body:MEMBER. Each condition is present, absent, a value, or an object with members such as prefix or from',
  ),
  per: optional(
    z.enum(attemptScopes),
    'What counts attempts. `transaction` (the default): requests to one synchronization with one transactionId; requests without a transactionId are counted as with `client-request`. `client-request`: requests with the same operation, path and payload, whatever their transactionId. `space`: every request that the rule applies to',
  ),
  chance: optional(
    z.number().gt(0).max(1),
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
      optional(z.enum(Object.keys(dials[name].values) as [string, ...string[]]), dials[name].description),
    ]),
  ),
)

const scenarioShape = strict({
  $schema: optional(z.string().max(1000), 'For editors'),
  description: optional(z.string().max(2000), 'What happens, for people'),
  rules: optional(
    z.array(rule).max(100),
    'For each request the first rule that applies fires; without any nothing is disturbed',
  ),
  expect: optional(
    strict({
      sent: z.int().min(0).max(1000).describe('How many sendings really go out, in all'),
      belief: z.enum(beliefs).describe('What the client must believe at its end'),
    }),
    "What a correct client reaches in the end, when all that is due on the space's clock has happened",
  ),
  tags: optional(
    z
      .array(
        z.string().regex(/^[a-z0-9-]{1,40}$/, 'expected a tag of lower-case letters, digits and hyphens'),
      )
      .max(20),
    'To choose scenarios by',
  ),
  dials: optional(
    z.union([z.literal('seeded'), dialSettings], { error: 'expected dials with their values, or seeded' }),
    "Dials turned while it is in force, by name; `seeded` turns all of them from the space's seed",
  ),
})

/** A checked scenario file: durations in milliseconds, fault settings parsed by their schemas. */
export type ScenarioFile = z.output<typeof scenarioShape>
export type RuleFile = NonNullable<ScenarioFile['rules']>[number]
export type StepFile = RuleFile['steps'][number]

export const scenarioFile = scenarioShape.check(context => {
  // Other problems would only be reported twice.
  if (context.issues.length > 0) return
  findContradictions(context.value, (message, ...path) =>
    context.issues.push({ code: 'custom', path, message, input: context.value }),
  )
})

/** The same as JSON Schema, for editors and for the control API's description. */
export function scenarioJsonSchema() {
  return {
    title: 'Scenario of mailing-sync-mock: a named disturbance of the service',
    ...z.toJSONSchema(scenarioShape, { io: 'input' }),
  }
}
