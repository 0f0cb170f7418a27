import { z } from 'zod'
import { beliefs } from '../../rig/scenarios/terms.ts'
import { platformStatuses } from '../../store/platform-status.ts'
import { strict } from '../../store/validation-messages.ts'
import { portrait } from '../portrait/portrait-shape.ts'
import { severities } from '../terms.ts'
import type { ExamCase } from './cases.ts'
import type { ClientCall } from './client.ts'

/** The shape of an exam's result: for the JSON report, its JSON Schema, the control API and types. */

const count = z.int().nonnegative()
const seconds = z.number().describe("Seconds on the service's clock since the case began")
export const belief = z.enum(beliefs)

const attempt = z
  .strictObject({
    id: z.string().describe('Of the request'),
    at: seconds.describe("When it arrived, in seconds of the service's clock since the case began"),
    until: seconds.nullable().describe('When its response had left, or was never going to; null for never'),
    method: z.string(),
    path: z.string(),
    operation: z.string().nullable(),
    transactionId: z.string().nullable(),
    told: z.string().describe('What the client was told, in words'),
    truth: z.string().describe('What was true, in words'),
    isDisturbed: z.boolean().describe('Whether the scenario disturbed it'),
    isCreation: z.boolean().describe('Whether it asks for a sending'),
  })
  .describe('One request of the client')

const effect = z
  .strictObject({
    at: seconds,
    what: z.enum([...platformStatuses, 'unsent mailing']),
    cause: z.string().describe('ID of the request that brought it about'),
    transactionId: z.string().nullable(),
  })
  .describe('Something that truly happened on the platform')

const finding = z.strictObject({
  rule: z.string().describe('ID of a rule of conduct, such as R02, or name of what the exam itself found'),
  severity: z.enum(severities),
  status: z.enum(['guilty', 'open']).describe('open: it cannot be known'),
  sentence: z.string(),
  clause: z.string().nullable().describe("Of the service's document"),
  remedy: z.string().describe('What to change in the client'),
  evidence: z.array(z.string()).describe('IDs of requests'),
  times: z.int().min(1).describe('How often it was found in the case; the sentence is about the first'),
})

export const findingShape = finding.extend({
  known: z
    .string()
    .optional()
    .describe('Why it is accepted for now and does not count, if --known has an entry for it'),
})

/** Of a client that has sent nothing: what it is given, and what it has to do with it. */
const whatToDo =
  'Send one mailing to MAILING_SYNC_URL as MAILING_SYNC_USER with MAILING_SYNC_PASSWORD, for MAILING_SYNC_SYNCHRONIZATION_ID (a module: to url, as user with password, for synchronizationId)'

/** Findings of the exam itself, besides the rules of conduct: what each means, and what to change in the client. */
export const examFindings = {
  'sent-too-often': {
    means: 'it was sent more often than wanted',
    remedy: 'Repeat with the same transactionId until a response shows a final state.',
  },
  'wrong-belief': {
    means: 'the client reports that it sent, and it did not; or that it did not send, and it did',
    remedy: 'Report "sent" after CREATED, "not sent" after FAILED or a refusal, and "unknown" otherwise.',
  },
  guessed: {
    means: 'its belief is right, but no response supports it',
    remedy: 'Report only what a response has said, and "unknown" otherwise.',
  },
  unaware: {
    means: 'it was sent, and the client does not know',
    remedy:
      'Repeat with the same transactionId until a response says CREATED, with status 200 as well as 201.',
  },
  'given-up': {
    means: 'nothing was sent, although the next attempt would have succeeded',
    remedy:
      'Repeat with the same transactionId and growing pauses until a response shows a final state, and after FAILED with a new one.',
  },
  'environment-ignored': {
    means:
      'it used another synchronization than the given one, or claims that it sent and no request arrived',
    remedy: 'Take address, user, password and synchronization from the environment of the command.',
  },
  'wrong-time': {
    means: 'it is sent at another time than the given date',
    remedy: 'Send the given date unchanged as scheduleDate, with its time zone.',
  },
  'never-ended': {
    means: 'it was killed at the time limit while it was not just pausing',
    remedy:
      'Give each request a deadline that covers the headers and the body of its response, and end after the last attempt.',
  },
  flooded: {
    means: 'it was killed after 500 requests',
    remedy: 'Wait longer after each attempt, and end after a maximum time.',
  },
  crashed: {
    means: 'a signal or an uncaught exception ended it',
    remedy: 'Handle the error, and report what is known of the sending.',
  },
  'no-belief': {
    means: 'its function ended without saying what it believes',
    remedy: 'Return "sent", "not-sent" or "unknown" from the function of the client.',
  },
  'ended-at-start': {
    means: 'it ended before it sent anything',
    remedy: `${whatToDo}; run by hand with these variables, it prints what is in the way.`,
  },
  silent: {
    means: 'it ran until the time limit without sending anything',
    remedy: `${whatToDo}; run by hand with these variables, it shows what it waits for.`,
  },
} as const

export type ExamFindingName = keyof typeof examFindings

const statuses = ['passed', 'failed', 'inconclusive'] as const

/** A case as it is judged, whatever is known of the client before. */
export const caseVerdict = z.strictObject({
  name: z.string(),
  description: z.string(),
  tags: z.array(z.string()),
  status: z
    .enum(statuses)
    .describe('inconclusive: it proved nothing, since the fault never fired or cannot be judged'),
  reason: z.string().nullable().describe('Why it is inconclusive, or was not seen to its end'),
  mayProveNothing: z
    .boolean()
    .describe('Whether a client that does everything right may never meet the disturbance'),
  realSeconds: z.number().nonnegative().describe('How long it took'),
  expected: z
    .strictObject({ sent: count, belief })
    .nullable()
    .describe('What a client that keeps to the document reaches'),
  reached: z.strictObject({ sent: count.describe('How many sendings were sent or will be'), belief }),
  struck: z.boolean().nullable().describe('Whether the disturbance fired; null where there is none'),
  findings: z.array(finding),
  attempts: z.array(attempt),
  attemptsLeftOut: count.describe('Requests that are not shown because they were too many'),
  effects: z.array(effect),
  brokenConnections: count.describe(
    'Connections that were broken, or never answered, before a request could come over them',
  ),
  harm: z.string().nullable().describe('What it would have done to recipients or to records, in words'),
  client: z.strictObject({
    exitCode: z.int().nullable(),
    signal: z.string().nullable(),
    error: z.string().nullable(),
    output: z.string(),
  }),
  reproduce: z.string().nullable().describe('A command line that plays exactly this case'),
})

export const caseResult = caseVerdict.extend({
  status: z
    .enum([...statuses, 'known'])
    .describe(
      'inconclusive: it proved nothing, since the fault never fired or cannot be judged; known: it would have failed, and --known accepts all for which it would',
    ),
  findings: z.array(findingShape),
  capsule: z
    .string()
    .optional()
    .describe('The file in which its space can be opened, with --capsules and where something was found'),
})

const knownEntry = z.strictObject({
  line: z.int().describe('Where the entry begins in its file'),
  rule: z.string(),
  place: z
    .strictObject({ kind: z.enum(['case', 'plan']), glob: z.string() })
    .nullable()
    .describe('One of the names of the entry; null if it accepts the rule wherever it is broken'),
  reason: z.string(),
  expires: z.string().nullable(),
  state: z
    .enum(['happens', 'stale', 'undecided', 'expired'])
    .describe(
      'stale: all that it names was played, proved something, and does not show it; undecided: nothing shows it, and not all was played or proved something; expired: it counts no more',
    ),
  places: z.array(z.string()).describe('Names of the cases and plans in which it was accepted'),
})

const level = z.strictObject({
  depth: count.describe('Troubles of each plan'),
  plans: count.describe('Plans of this depth in all'),
  played: count.describe('Plans that were played, each a distinct run'),
  covered: count
    .nullable()
    .describe(
      'Plans whose later troubles the client never reaches, so that a shorter one that was played shows the same; null if that is not known',
    ),
  failed: count.describe('Plans played that show an error'),
  isComplete: z
    .boolean()
    .describe('Whether every plan of this depth is covered, or was played and proved something'),
})

const exploration = z.strictObject({
  troubles: count.describe('Kinds of trouble'),
  levels: z.array(level),
  runs: count.describe(
    'Plans that were played in all, also to make another one smaller, without repetitions',
  ),
  realWaits: count.describe(
    'Plans in which a client that asks for its waits had to wait in real time all the same, such as for a response that never comes',
  ),
  inconclusive: count.describe(
    'Plans that proved nothing, also when played alone: the client was still pausing at its time limit, or came back too soon to have read a response, or this machine was late',
  ),
  unproved: z
    .string()
    .nullable()
    .describe('The first of them by name, and why it proved nothing; null for none'),
  schedules: z
    .boolean()
    .describe(
      'false if the client sends at once although it is given a date; then no more plans with a date are played',
    ),
  divergence: z
    .strictObject({ plan: z.string(), longer: z.string(), runs: z.array(z.array(z.string())).length(2) })
    .nullable()
    .describe('Two runs that should begin alike and do not: the client is not deterministic'),
  coverage: z
    .array(z.string())
    .describe(
      'A line for each kind of trouble at the first attempt: a letter for it alone, with a date, and with two mailings, then one for each kind at the second attempt. p: passed, w: warning, f: failed, i: inconclusive, c: covered, -: not played',
    ),
  chances: z
    .record(z.string(), count)
    .describe('Number of runs in which each rule of conduct could have been broken'),
})

const plan = z.strictObject({
  name: z.string().describe('Of the smallest plan in which it shows'),
  troubles: z.array(z.string()).describe('Names of its troubles, one for each attempt in turn'),
  found: count.describe('Plans played that show the same'),
  confirmed: z
    .int()
    .min(0)
    .max(3)
    .nullable()
    .describe(
      'How many of three repetitions showed it again; null if it ended before, and the plan may not be the smallest',
    ),
  isFlaky: z.boolean().describe('Whether a repetition did not show it'),
  speed: z.number().describe("Of the service's clock in the repetitions"),
  scenario: z.record(z.string(), z.unknown()).describe('The plan as a scenario file, with what to expect'),
  passing: z
    .strictObject({ name: z.string(), words: z.string() })
    .nullable()
    .optional()
    .describe('The plan most like it that the client passes; null for none'),
  lanes: z
    .strictObject({
      lines: z.array(
        z.strictObject({
          at: z.number().describe("Seconds on the service's clock since the run began"),
          worker: z.int().min(1).max(2),
          what: z.string().describe('What it did, or what happened to it'),
        }),
      ),
      both: z
        .int()
        .nullable()
        .describe(
          'Position of the line from which on both workers took the mailing for theirs; null for none',
        ),
    })
    .optional()
    .describe('What two workers did in this order, with --workers 2'),
})

const orders = z.strictObject({
  workers: z.literal(2),
  runs: count.describe('Orders of the steps of two workers that were played'),
  skipped: count.describe(
    'Times that another order was not played, or not to its end, since it differs from one that was played only in the order of steps that commute',
  ),
  lost: count.describe(
    'Orders that could not be followed, since the client did something else after the same steps: nothing is held against it there',
  ),
  inconclusive: count.describe('Orders that proved nothing'),
  plans: z.array(
    z.strictObject({
      plan: z.string(),
      runs: count,
      skipped: count,
      lost: count,
      isComplete: z.boolean(),
      failed: count.describe('Orders that show an error'),
      inconclusive: count,
    }),
  ),
  divergence: z
    .string()
    .nullable()
    .describe(
      'How two runs differ that should be alike: the client is not deterministic; null for none. In virtual time alone it fails the exam',
    ),
})

const cause = z.strictObject({
  rule: z.string().describe('ID of a rule of conduct, or name of what the exam finds by itself'),
  severity: findingShape.shape.severity,
  finding: findingShape,
  case: caseResult.describe('What happened where it shows best, request by request'),
  cases: z.array(z.string()).describe('Names of the cases that show it, in the order in which they ran'),
  plan: plan.nullable().describe('The smallest plan that shows it; null if only cases do'),
})

export const examResult = z.strictObject({
  version: z.literal(1).describe('Of this form'),
  client: z.string().describe('What was examined'),
  seed: z.int(),
  speed: z.number().describe("Of the service's clock; 1 in virtual time"),
  depth: count.describe('Maximum number of troubles in a plan; with 0 only the cases are played'),
  began: z.iso.datetime({ precision: 3 }).nullable().describe('null in virtual time'),
  realSeconds: z.number().nonnegative().describe('0 in virtual time'),
  isWhole: z.boolean().describe('Whether everything that was asked for was played'),
  ended: z.string().nullable().describe('What ended it early'),
  passed: count.describe('Cases, as in the two counts that follow'),
  failed: count,
  inconclusive: count,
  notPlayed: count.describe('Cases that were asked for and not played, since the exam was ended early'),
  isPassed: z
    .boolean()
    .describe(
      'Whether the client passed: every case was played, no case and no plan failed, some passed, and none proved nothing that could have. A budget that ended it early fails nothing',
    ),
  warnings: count.describe('Causes that are good practice but break no sentence of the document'),
  known: z
    .strictObject({
      file: z.string(),
      cases: count.describe('Cases that would have failed without it'),
      entries: z.array(knownEntry),
    })
    .optional()
    .describe('What --known accepts, and what became of it'),
  edition: z
    .strictObject({
      number: z.int(),
      unscored: z
        .array(z.strictObject({ edition: z.int(), case: caseResult }))
        .describe('Cases of newer editions, which count nowhere else'),
    })
    .optional()
    .describe('The edition that was asked for with --edition'),
  causes: z.array(cause).describe('What was found, each once, what explains most first'),
  cases: z.array(caseResult),
  exploration: exploration.nullable().describe('The plans of trouble; null if none was asked for'),
  orders: orders.optional().describe('The orders of two workers, with --workers 2'),
  portrait: portrait
    .nullable()
    .describe('What the client does after each kind of answer; null if no run shows anything of it'),
})

const isCertain =
  (wanted: CaseFinding['severity']) =>
  ({ severity, status, known }: Pick<CaseFinding, 'severity' | 'status' | 'known'>): boolean =>
    severity === wanted && status === 'guilty' && known === undefined

/** Whether a finding is certain, breaks a rule of the document, and is not accepted as known. */
export const isProvedError = isCertain('error')
/** The same of one that breaks no rule of the document. */
export const isWarning = isCertain('warning')
/** Whether it is certain and not held against the client. */
export const isInformation = isCertain('information')

/** A result without some of its findings. @param reason why it proves nothing else */
export function withoutFindings(
  result: CaseResult,
  isDropped: (finding: CaseFinding) => boolean,
  reason: string,
): CaseResult {
  const findings = result.findings.filter(it => !isDropped(it))
  const isFailed = findings.some(isProvedError)
  return { ...result, findings, status: isFailed ? 'failed' : 'inconclusive', reason }
}

/** Findings that show, where nothing is disturbed, that the client does not work at all. */
export const brokenClient: ReadonlySet<string> = new Set<ExamFindingName>([
  'environment-ignored',
  'never-ended',
  'flooded',
  'crashed',
  'no-belief',
  'ended-at-start',
  'silent',
])

/** Whether the client ended, crashed or was stopped before it sent anything to the given address. */
export const isFailedStart = ({ findings, attempts, brokenConnections }: CaseResult): boolean =>
  attempts.length + brokenConnections === 0 && findings.some(({ rule }) => brokenClient.has(rule))

/** Whether a case proved nothing although every client that sends meets its disturbance. */
export const isUnproved = ({ status, mayProveNothing }: CaseResult): boolean =>
  status === 'inconclusive' && !mayProveNothing

export type CaseVerdict = z.infer<typeof caseVerdict>
export type CaseResult = z.infer<typeof caseResult>
export type CaseFinding = z.infer<typeof findingShape>
export type AttemptShown = z.infer<typeof attempt>
export type EffectShown = z.infer<typeof effect>
export type ExamResult = z.infer<typeof examResult>
export type KnownResult = NonNullable<ExamResult['known']>
export type KnownEntryResult = z.infer<typeof knownEntry>
export type Exploration = z.infer<typeof exploration>
export type Cause = z.infer<typeof cause>

export const examJsonSchema = () => ({
  title: 'Result of an exam of mailing-sync-mock',
  ...z.toJSONSchema(examResult),
})

const name = z.string().min(1).max(100)

/** Options of an exam whose client is run by the caller. */
export const sessionOptions = strict({
  only: z
    .array(name)
    .min(1)
    .max(1000)
    .optional()
    .describe('Names of cases; `*` stands for any characters, `?` for one'),
  tags: z.array(name).min(1).max(100).optional().describe('A case needs one of them'),
  slow: z
    .boolean()
    .default(false)
    .describe('Also cases in which a client has to wait for minutes; names bring them in as well'),
  depth: z
    .int()
    .min(0)
    .max(1)
    .default(0)
    .describe(
      '1: also plans of one trouble each, but for those in which the client is killed or sends twice',
    ),
  seed: z.int().min(0).default(1).describe('Where IDs, figures and chances come from'),
  speed: z
    .number()
    .min(1)
    .max(1000)
    .default(1)
    .describe("How many times as fast as real time the service's clock runs"),
})

export type SessionOptions = z.infer<typeof sessionOptions>

/** A case that is available without the command exam. */
export const offeredCase = caseVerdict.pick({ name: true, description: true, tags: true }).extend({
  isSlow: z
    .boolean()
    .describe('A client has to wait for minutes in it: it is handed out only with `slow`, or by its name'),
  isPlan: z.boolean().describe('A plan of one trouble: it is handed out only with `depth` 1'),
})

export type OfferedCase = z.infer<typeof offeredCase>

/** An exam without a child process: the caller runs the client for each case and reports how it ended. */
export interface OpenExam {
  readonly id: string
  /** In milliseconds of real time. */
  readonly began: number
  readonly options: SessionOptions
  readonly cases: readonly OpenCase[]
}

export interface OpenCase
  extends Pick<ExamCase, 'name' | 'description' | 'tags'>,
    Pick<ClientCall, 'user' | 'password' | 'synchronizationId' | 'scheduleDate'> {
  readonly space: string
  readonly result: CaseResult | undefined
}

/** A refused request. The message is one sentence for the caller. */
export class ExamRefusal extends Error {
  override readonly name = 'ExamRefusal'
}
