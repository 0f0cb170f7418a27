import { scenarioFrom } from '../../rig/scenarios/read.ts'
import type { Expectation, Scenario, WrittenForm } from '../../rig/scenarios/scenario.ts'
import { caseOfScenario, type ExamCase } from '../exam/cases.ts'
import type { RuleId } from '../terms.ts'

/**
 * What is true when an attempt meets trouble. `nothing`: it was not processed. The others: the transactionId is bound,
 * and the sending is in this state; INDETERMINATE_FAILURE in both worlds.
 */
const truths = {
  nothing: { words: 'nothing was done', step: { phase: 'before' } },
  pending: { words: 'the sending is PENDING', step: { state: 'PENDING' } },
  failed: { words: 'the sending is FAILED', step: { state: 'FAILED' } },
  'unsure-not-sent': {
    words: 'the sending is INDETERMINATE_FAILURE and was not sent',
    step: { state: 'INDETERMINATE_FAILURE', truth: 'not-sent' },
  },
  'unsure-sent': {
    words: 'the sending is INDETERMINATE_FAILURE and was sent',
    step: { state: 'INDETERMINATE_FAILURE', truth: 'sent' },
  },
  sent: { words: 'the mailing was sent', step: { state: 'CREATED' } },
} as const

type Truth = keyof typeof truths

/** Which rules a trouble gives a chance to fire, by what the client learns from it. */
const chances = {
  unknown: ['R01', 'R02', 'R11', 'R12', 'R15', 'R22', 'R24'],
  PENDING: ['R03', 'R09', 'R10', 'R12', 'R24'],
  FAILED: ['R06', 'R07', 'R08', 'R24'],
  INDETERMINATE_FAILURE: ['R04', 'R05', 'R24'],
  CREATED: ['R23'],
  refused: ['R14', 'R26'],
  limited: ['R18'],
} satisfies Record<string, readonly RuleId[]>

interface TroubleForm {
  /** What the client learns about its sending. */
  readonly told?: keyof typeof chances
  /** Whether the client is killed when this attempt has been processed, and started again. */
  readonly kills?: boolean
  /** Whether it meets more than one attempt, or clients may rightly end it in different ways. */
  readonly isOpenEnded?: boolean
  readonly answer?: WrittenForm
  /** What else it adds to the step of what is true. */
  readonly step?: WrittenForm
  /** Rules that it gives a chance to fire, besides those of what the client learns. */
  readonly more?: readonly RuleId[]
}

/**
 * One kind of trouble: a class of disturbances that a client cannot tell apart and that leave the same truth behind. One
 * form stands for all of its class.
 * @param name lower-case letters, digits and hyphens; unique
 * @param words a sentence about the attempt that meets it
 */
function trouble(name: string, truth: Truth, words: string, form: TroubleForm) {
  const { answer, step, more = [], told = 'unknown', kills = false, isOpenEnded = false } = form
  return {
    ...{ name, words, truth, told, kills, isOpenEnded },
    step: { ...truths[truth].step, ...(answer && { answer }), ...step },
    /** Rules of conduct that it gives a chance to fire. */
    chances: [...chances[told], ...more] as const,
  }
}

export type Trouble = Readonly<ReturnType<typeof trouble>>

/** Trouble with an answer: what is true ends its name and its words. */
const answered = (name: string, truth: Truth, words: string, form: TroubleForm) =>
  trouble(`${name}-${truth}`, truth, `${words}, and ${truths[truth].words}`, form)

/** Forms of an answer that says nothing of the sending, the simplest first. */
const lossForms: readonly [name: string, words: string, answer: WrittenForm, more?: readonly RuleId[]][] = [
  ['500', 'is answered 500', { status: 500 }],
  ['502', "gets a gateway's page, 502", { status: 502, body: 'gateway-html' }],
  ['503', 'is answered 503 with Retry-After: 120', { status: 503, retryAfter: 120 }, ['R18']],
  ['reset', 'loses its connection', { fault: 'reset' }],
  ['hang', 'gets no response over an open connection', { fault: 'hang' }, ['R17']],
  ['cut', 'gets the head of a response, then its body breaks off', { fault: 'truncate' }],
  [
    'stall',
    'gets the head of a response and half of its body, then nothing more',
    { fault: 'stall' },
    ['R17'],
  ],
  ['json', 'gets a whole response with half of the JSON', { fault: 'malformed-json' }],
]

/** Without an effect the true answer is a 500, and damaging that shows a client nothing new. */
const formsOfNothing: readonly string[] = ['500', '502', '503', 'reset', 'hang']

const lost = (Object.keys(truths) as Truth[]).flatMap(truth =>
  lossForms
    .filter(([name]) => truth !== 'nothing' || formsOfNothing.includes(name))
    .map(([name, words, answer, more = []]) => answered(name, truth, words, { answer, more })),
)

/**
 * All kinds of trouble, the weakest first: shrinking replaces a trouble by an earlier one of this list where the client
 * still fails in the same way.
 */
export const troubles: readonly Trouble[] = [
  trouble('told-pending', 'pending', 'is told PENDING', { told: 'PENDING' }),
  trouble('told-failed', 'failed', 'is told FAILED', { told: 'FAILED' }),
  trouble('told-unsure-not-sent', 'unsure-not-sent', 'is told INDETERMINATE_FAILURE, and it was not sent', {
    told: 'INDETERMINATE_FAILURE',
  }),
  trouble('told-unsure-sent', 'unsure-sent', 'is told INDETERMINATE_FAILURE, and it was sent', {
    told: 'INDETERMINATE_FAILURE',
  }),
  ...lost,
  answered('empty', 'sent', 'is answered 201 without a body', { answer: { fault: 'empty-201' } }),
  answered('unknown-state', 'sent', 'is told a state that does not exist', {
    answer: { fault: 'unknown-state' },
  }),
  answered('foreign', 'sent', "gets another client's sending", { answer: { fault: 'foreign-sending' } }),
  answered('maintenance', 'nothing', 'gets a maintenance page, 200', { answer: { fault: 'html-200' } }),
  answered('redirect-301', 'nothing', 'is redirected, 301, to its own address', {
    answer: { fault: 'redirect-301' },
    more: ['R25'],
  }),
  answered('redirect-307', 'nothing', 'is redirected, 307, to its own address', {
    answer: { fault: 'redirect-307' },
  }),
  answered('limited', 'nothing', 'is answered 429 with Retry-After: 120', {
    answer: { status: 429, retryAfter: 120 },
    told: 'limited',
  }),
  answered('refused', 'nothing', 'is refused by the service, 400', {
    answer: { status: 400, by: 'service' },
    told: 'refused',
  }),
  answered('unauthorized', 'nothing', 'is refused for its credentials, 401', {
    answer: { status: 401, by: 'service' },
    told: 'refused',
  }),
  answered('blocked', 'nothing', "gets a gateway's page, 403", {
    answer: { status: 403, body: 'gateway-html' },
    told: 'refused',
  }),
  trouble('twice-sent', 'sent', 'is delivered twice by a proxy, and told CREATED', {
    step: { deliver: 'twice' },
    told: 'CREATED',
  }),
  ...[29, 61].map(seconds =>
    trouble(`slow-${seconds}s-sent`, 'sent', `is told CREATED after ${seconds} seconds`, {
      step: { delay: `${seconds}s` },
      more: ['R17'],
      isOpenEnded: true,
    }),
  ),
  trouble('drip-sent', 'sent', 'is told CREATED in pieces, one every ten seconds', {
    answer: { fault: 'drip', every: '10s', bytes: 200 },
    more: ['R17'],
    isOpenEnded: true,
  }),
  trouble('late-sent', 'sent', 'is held up for 35 seconds on its way and then processed', {
    step: { deliver: 'late', delay: '35s' },
    more: ['R17'],
    isOpenEnded: true,
  }),
  trouble(
    'pending-40s',
    'pending',
    'begins 40 seconds in which PENDING is told; then it is sent even without another attempt',
    { step: { for: '40s' }, told: 'PENDING', isOpenEnded: true },
  ),
  trouble('pending-10m', 'pending', 'begins ten minutes in which PENDING is told', {
    step: { for: '10m' },
    told: 'PENDING',
    more: ['R16'],
    isOpenEnded: true,
  }),
  trouble('500-7-times-nothing', 'nothing', 'and the six after it are answered 500, and nothing is done', {
    answer: { status: 500 },
    step: { times: 7 },
    more: ['R16', 'R27'],
    isOpenEnded: true,
  }),
  trouble(
    '500-for-4m-nothing',
    'nothing',
    'begins four minutes in which every attempt is answered 500 and nothing is done',
    { answer: { status: 500 }, step: { for: '4m' }, more: ['R16', 'R27'], isOpenEnded: true },
  ),
  trouble('failed-5-times', 'failed', 'and the four after it are answered FAILED', {
    step: { times: 5 },
    told: 'FAILED',
    isOpenEnded: true,
  }),
  ...(['nothing', 'pending', 'failed', 'sent'] as const).map(truth =>
    answered('killed', truth, 'gets no response before the client is killed and started again', {
      answer: { fault: 'hang' },
      more: ['R29'],
      kills: true,
    }),
  ),
]

export const troublesByName: ReadonlyMap<string, Trouble> = new Map(troubles.map(it => [it.name, it]))
export const rankOf = (it: Trouble): number => troubles.indexOf(it)

/**
 * How the client is run. `scheduled`: it gets a date to send at. `two-mailings`: it sends one mailing after the other,
 * each with its own state.
 */
export const modes = ['once', 'scheduled', 'two-mailings'] as const
export type Mode = (typeof modes)[number]

/** Troubles for the attempts in turn, the first for the first one; the attempts after the last trouble are undisturbed. */
export interface Plan {
  readonly mode: Mode
  readonly troubles: readonly Trouble[]
}

/** Such as `500-sent+told-failed`, `undisturbed`, or `scheduled:reset-nothing`; the same for the same plan. */
export const planName = ({ mode, troubles: them }: Plan): string =>
  (mode === 'once' ? '' : `${mode}:`) + (them.map(({ name }) => name).join('+') || 'undisturbed')

export function planOfName(name: string): Plan | undefined {
  const [, prefix, list] = /^(?:([a-z-]+):)?(.+)$/.exec(name) ?? []
  const mode = prefix === undefined ? 'once' : modes.find(it => it === prefix)
  const them = list === 'undisturbed' ? [] : (list ?? '').split('+').map(it => troublesByName.get(it))
  return mode && them.every(it => it !== undefined) ? { mode, troubles: them } : undefined
}

/** The part of a name that makes it no plan's, with what may stand there; undefined for the name of a plan. */
export function findWrongTrouble(name: string) {
  if (planOfName(name)) return undefined
  const [, prefix, list = name] = /^([a-z-]+):(.*)$/.exec(name) ?? []
  if (prefix !== undefined && !modes.some(it => it === prefix)) return { name: prefix, possible: modes }
  const wrong = list.split('+').find(it => !troublesByName.has(it)) ?? list
  return { name: wrong, possible: [...troublesByName.keys(), 'undisturbed'] }
}

/** The name of the scenario file of a plan, without its extension; no other plan has the same. */
export const fileOfPlan = (plan: Plan): string => planName(plan).replace(':', '---').replaceAll('+', '--')

/** The plan of a scenario file's name; undefined for a file of another origin. */
export const planOfFile = (name: string): Plan | undefined =>
  planOfName(name.replace('---', ':').replaceAll('--', '+'))

export const extended = ({ mode, troubles: them }: Plan, more: Trouble): Plan => ({
  mode,
  troubles: [...them, more],
})

/** Depth to which a mode is explored: what only another way of running shows does not depend on many troubles. */
export const depthOf = (mode: Mode, depth: number): number => (mode === 'once' ? depth : Math.min(depth, 1))

/** The troubles that can begin or continue a plan of this mode. @param isKillable whether the client can be killed */
export const troublesOf = (mode: Mode, isKillable = true): readonly Trouble[] =>
  troubles.filter(it =>
    it.kills
      ? isKillable && mode !== 'two-mailings'
      : mode !== 'two-mailings' || reachedBy([it])?.belief === 'sent',
  )

/** Number of plans with so many troubles. @param isKillable whether the client can be killed */
export const countPlans = (depth: number, isKillable = true): number =>
  modes.reduce(
    (sum, mode) => sum + (depth <= depthOf(mode, depth) ? troublesOf(mode, isKillable).length ** depth : 0),
    0,
  )

/** All plans with no trouble or one. */
export const singlePlans = (): Plan[] =>
  modes.flatMap(mode => [{ mode, troubles: [] }, ...troublesOf(mode).map(it => ({ mode, troubles: [it] }))])

/** How dangerous a plan looks, for the order of exploration: an effect that the client does not know weighs most. */
export const dangerOf = ({ troubles: them }: Plan): number =>
  them.reduce((sum, { truth, told }) => {
    if (told !== 'unknown' || truth === 'nothing') return sum + 1
    return sum + (truth === 'sent' ? 4 : 3)
  }, 0)

/** What a client that keeps to the document reaches; undefined where the document leaves it open. */
export function expectationOf({ mode, troubles: them }: Plan): Expectation | undefined {
  // Two mailings are meant, so both must be sent.
  return mode === 'two-mailings' ? { sent: 2, belief: 'sent' } : reachedBy(them)
}

/** Number of new transactionIds that the document allows after FAILED (spec 8). */
const recreations = 3

/** Follows a right client through the troubles. */
function reachedBy(them: readonly Trouble[]): Expectation | undefined {
  if (them.some((it, at) => it.isOpenEnded && (at < them.length - 1 || !isAtLeastSent(it)))) return undefined
  let bound: Truth | undefined
  let failed = 0
  let isUnsure = false
  for (const it of [...them, undefined]) {
    const isFinal = bound !== undefined && bound !== 'pending'
    if (it?.truth !== 'nothing' && !isFinal) bound = it?.truth ?? 'sent'
    if (it && (it.told === 'unknown' || it.told === 'limited')) {
      isUnsure = true
      continue
    }
    if (it?.told === 'refused') return isUnsure ? undefined : { sent: 0, belief: 'not-sent' }
    if (bound === 'sent') return { sent: 1, belief: 'sent' }
    if (bound === 'unsure-sent') return { sent: 1, belief: 'unknown' }
    if (bound === 'unsure-not-sent') return { sent: 0, belief: 'unknown' }
    isUnsure = bound === 'pending'
    if (bound !== 'failed') continue
    if (failed++ === recreations) return { sent: 0, belief: 'not-sent' }
    bound = undefined
  }
  // The last state is final, or the client has taken a new transactionId: the next attempts are undisturbed.
  return { sent: 1, belief: 'sent' }
}

/** Slow answers and PENDING that ends by itself: a client that waits and one that repeats reach the same. */
const isAtLeastSent = ({ truth, name }: Trouble) => truth === 'sent' || name === 'pending-40s'

/** The scenario of a plan, in the form of a file. An exam that plays it sends one mailing, and kills no client. */
export function scenarioOfPlan(plan: Plan): WrittenForm {
  const expect = reachedBy(plan.troubles)
  const isMore = plan.mode === 'two-mailings' || plan.troubles.some(({ kills }) => kills)
  return {
    description: planWords(plan) + (isMore ? ' Only an exam with --plan plays all of it.' : ''),
    rules:
      plan.troubles.length === 0
        ? []
        : [
            {
              on: 'createSending',
              // After FAILED a right client goes on with a new transactionId: attempts are counted, whatever their ID.
              per: 'space',
              steps: [
                ...plan.troubles.map(({ step }) => ('for' in step ? step : { times: 1, ...step })),
                { state: 'CREATED' },
              ],
            },
          ],
    ...(expect && { expect }),
    tags: ['explored', ...(plan.mode === 'scheduled' ? ['scheduled'] : [])],
  }
}

const ordinals = ['first', 'second', 'third', 'fourth', 'fifth', 'sixth', 'seventh', 'eighth']

export function planWords({ mode, troubles: them }: Plan): string {
  const attempts = them.map(({ words }, at) => `The ${ordinals[at] ?? `${at + 1}th`} attempt ${words}.`)
  const run = {
    once: '',
    scheduled: 'The client gets a date to send at. ',
    'two-mailings': 'The client sends two mailings, one after the other. ',
  }[mode]
  return run + (attempts.length === 0 ? 'Nothing is disturbed.' : attempts.join(' '))
}

export function caseOfPlan(plan: Plan, synchronizationId: string): ExamCase {
  const form = { ...scenarioOfPlan(plan), expect: expectationOf(plan) }
  const scenario: Scenario = scenarioFrom(form, planName(plan), 'the exploration')
  const killedAt = plan.troubles.flatMap(({ kills }, at) => (kills ? [at] : []))
  return {
    ...caseOfScenario(scenario, synchronizationId),
    description: planWords(plan),
    isPlan: true,
    isAvoidable: true,
    isScheduled: plan.mode === 'scheduled',
    ...(plan.mode === 'two-mailings' && { runPlan: { kind: 'two-mailings' } }),
    ...(killedAt.length > 0 && { runPlan: { kind: 'restarted', killedWhen: 'asked', steps: killedAt } }),
  }
}
