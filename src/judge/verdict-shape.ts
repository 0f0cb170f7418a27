import { z } from 'zod'
import { delivery } from '../rig/request-record-schema.ts'
import { beliefs } from '../rig/scenarios/terms.ts'
import { sendingState } from '../store/rows.ts'
import { bases, type RuleId, receipts, severities } from './terms.ts'

/** The shape of a verdict: the JSON of `GET …/verdict`, made by the judge. */

const count = z.int().nonnegative()
const dateTime = z.iso.datetime({ precision: 3 })
const requestIds = z.array(z.string()).readonly().describe('IDs of requests')
const moment = z.strictObject({
  real: dateTime.describe("The machine's time"),
  clock: dateTime.describe("The space's time"),
})

const attempt = z.strictObject({
  requestId: z.string(),
  transactionId: z.string().nullable(),
  by: z
    .enum(['client', 'transport', 'rig'])
    .describe(
      "transport: perhaps sent again by the client's HTTP machinery, without being asked; rig: second delivery of `deliver: twice`",
    ),
  arrived: moment,
  ended: moment
    .nullable()
    .describe('When it was over for its client, who may have left before; null while it is under way'),
  pause: z
    .int()
    .nullable()
    .describe(
      "Milliseconds of the space's clock since the exchange before it ended; negative where they overlap",
    ),
  clockMoved: z.boolean().describe('Whether the clock was moved by hand since the attempt before'),
  told: z
    .strictObject({ status: z.int(), state: z.string().nullable(), retryAfter: z.string().nullable() })
    .nullable()
    .describe('What was meant for the client'),
  delivered: delivery,
  receipt: z
    .enum(receipts)
    .describe(
      'How sure it is that the client received it. proved: it used the connection again, or an ID that stood only there; handed: it left whole; unknown: perhaps just as the client gave up; none: it did not leave whole',
    ),
  truth: z.strictObject({ status: z.int(), state: sendingState.nullable() }).nullable(),
  effects: z
    .array(z.strictObject({ requestedAt: dateTime, startsAt: dateTime }))
    .readonly()
    .describe('Sendings that it brought about, at once or later'),
  disturbance: z
    .strictObject({
      scenario: z.string(),
      rule: count,
      step: count,
      phase: z.string(),
      fault: z.string().nullable(),
    })
    .nullable(),
})

const sending = z.strictObject({
  synchronizationId: z.string().nullable(),
  transactionIds: z.array(z.string().nullable()).readonly(),
  basis: z
    .enum(bases)
    .describe(
      'single: one transaction; declared: it was said that these mean one mailing; inferred: it looks so',
    ),
  sent: count.describe('How many were sent, or will be'),
  scheduled: count.describe('How many of these have not gone out yet'),
  attempts: z.array(attempt).readonly(),
})

const finding = z.strictObject({
  rule: z.string().describe('ID of the rule of conduct, such as R02'),
  title: z.string(),
  severity: z.enum(severities),
  status: z.enum(['guilty', 'open']).describe('open: it looks like it, but the server cannot know'),
  sentence: z.string(),
  evidence: requestIds,
  clause: z.string().describe("Section of the service's document, or of an RFC"),
  remedy: z.string().describe('What to change in the client'),
  known: z
    .string()
    .optional()
    .describe(
      'Why it is accepted for now, if the mock was started with --known. Such a finding does not count',
    ),
})

const harm = z.strictObject({
  findings: z
    .array(
      z.strictObject({
        kind: z.enum(['DOUBLE', 'ASTRAY', 'LOST', 'GIVEN-UP', 'UNAWARE', 'CONTENT', 'TIME', 'ORPHAN']),
        status: z.enum(['certain', 'open']),
        sentence: z.string(),
        evidence: requestIds,
        surplus: count
          .optional()
          .describe(
            'How many were sent beyond those that were meant, where several were meant or they were of several synchronizations',
          ),
      }),
    )
    .readonly()
    .describe('None means that there was no harm, as far as requests are on record'),
  sent: count.describe('Sendings to lists that were sent, or will be'),
  scheduled: count.describe('How many of these have not gone out yet'),
  stopped: count.describe(
    'Sendings to lists beside these that the platform stopped, so that they never go out',
  ),
  expected: count.nullable().describe('How many were meant; null where it was not said'),
  believes: z.enum(beliefs).nullable(),
})

export const verdictShape = {
  space: z.string(),
  outcome: z
    .enum(['innocent', 'guilty', 'open'])
    .describe(
      'guilty: an error or a warning is proved that is not accepted as known; open: the server cannot know',
    ),
  failure: z
    .string()
    .nullable()
    .describe(
      'Why a test with this client should fail at its end: it broke a rule, did harm although the end was said, is suspected, or met nothing of what was armed. Null where it should not. The kits and the fixture of the library fail for it',
    ),
  suspicion: z
    .string()
    .nullable()
    .describe(
      'Why one mailing seems to have been sent twice, or can be. Null where neither is so, where it was said how the client ended and how many were meant and no rule stays suspected for one too many, or where no more were sent than were expected.',
    ),
  hint: z
    .string()
    .optional()
    .describe(
      'Why the verdict says less than it could: the client asked for no sending, as with wrong credentials, a request came so soon after a response, on another connection, that the client may not have read it, or sendings were asked for before the record of requests began',
    ),
  note: z
    .string()
    .optional()
    .describe(
      'What the mock accepts and another deployment may refuse, such as dates without milliseconds. It is no finding',
    ),
  findings: z.array(finding).readonly().describe('The gravest first'),
  harm: harm.describe('What came of it, proved by the ledger, whatever the cause'),
  sendings: z
    .array(sending)
    .readonly()
    .describe('What was meant to be sent, with every attempt: told against true'),
  unstruck: z
    .array(
      z.strictObject({
        what: z.enum(['scenario', 'rule', 'fault']),
        name: z.string(),
        rule: count.nullable(),
      }),
    )
    .readonly()
    .describe('Disturbances that were armed and never fired'),
  complete: z.boolean().describe('Whether every request was on record'),
  earlier: count.describe(
    'Sendings to lists from before the record of requests began: a restart keeps sendings, and no requests',
  ),
  missing: count.describe('Requests dropped to make room, or removed from the record on purpose'),
  loss: z
    .string()
    .optional()
    .describe('Where requests are missing: how many were dropped or removed, and what keeps them'),
}

const verdict = z.strictObject(verdictShape)
export type VerdictView = z.infer<typeof verdict>

/** One intended mailing, with all attempts to send it. */
export type VerdictSending = VerdictView['sendings'][number]
/** One attempt: the request, the response to the client, and the truth. */
export type VerdictAttempt = VerdictSending['attempts'][number]

export type Finding = VerdictView['findings'][number] & { readonly rule: RuleId }

export type Verdict = Omit<VerdictView, 'findings'> & { readonly findings: readonly Finding[] }
