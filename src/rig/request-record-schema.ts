import { z } from 'zod'
import { operationIds } from '../service/operations.ts'
import { platformOrigins } from '../store/format.ts'
import { planStep, sendingState, truth } from '../store/rows.ts'
import { phases, selectionReasons } from './scenarios/terms.ts'
import { type UnfitTls, unfitTls } from './side-ports.ts'

/* The shape of a request record as JSON. On its own, since only the control API needs it, and a start without it is faster. */

const dateTime = z.iso.datetime({ precision: 3 })
const count = z.int().nonnegative()
const sha256 = z.string().length(64)

const moment = z
  .strictObject({
    real: dateTime.describe("The machine's time"),
    clock: dateTime.describe("The space's time"),
  })
  .describe('A moment on both clocks')

const headers = z
  .record(z.string(), z.union([z.string(), z.array(z.string())]))
  .describe('Credentials and whatever looks like a token are hidden')

const text = z
  .strictObject({
    text: z.string(),
    encoding: z.enum(['utf8', 'base64']).describe('base64 for what is no UTF-8'),
    bytes: count.describe('Of the whole body'),
    isCut: z.boolean().describe('Whether only its beginning was kept'),
  })
  .describe('A body')

const answer = z.strictObject({
  status: z.int(),
  state: sendingState.nullable().describe('Of the sending in it'),
  headers,
  body: text.nullable(),
})

export const delivery = z.enum(['open', 'handed', 'cut', 'none', 'aborted', 'server-stopped'])

export const selectedBy = z.enum(selectionReasons)

const decision = z.strictObject({
  scenario: z.string().describe('Name of the scenario, or ID of the one-shot fault'),
  by: selectedBy,
  rule: z.int().positive().describe('Which of its rules, from 1'),
  step: z.int().positive().describe('Which step of the rule, from 1'),
  attempt: z.int().positive().describe('Which attempt in this step, from 1'),
  phase: z.enum(phases).describe('How far the work had gone'),
  state: sendingState.nullable().describe('As the step says it; null where it does not'),
  truth: truth.nullable().describe('As the step says it; null where it does not'),
  fault: z.string().nullable().describe('Name of the fault that disturbed the response'),
  plan: z.array(planStep).describe('The states of a sending that this request creates'),
})

const effect = z.discriminatedUnion('what', [
  z.strictObject({
    what: z.literal('mailing'),
    platformMailingId: z.int(),
    origin: z.enum(platformOrigins),
    at: dateTime,
  }),
  z.strictObject({
    what: z.literal('sending'),
    platformSendingId: z.int(),
    platformMailingId: z.int(),
    kind: z.enum(['list', 'test']),
    recipients: count,
    at: dateTime.describe('When the platform was told to send'),
    startsAt: dateTime.describe('When it goes out; later than `at` when it is scheduled'),
  }),
])

export const requestRecordSchema = z
  .strictObject({
    id: z.string().describe('As X-Mock-Request-Id tells it'),
    number: z.int().positive().describe("Counts the space's requests, from 1, also those that were dropped"),
    connection: z
      .strictObject({
        number: z.int().positive().describe('Counts the connections of the mock, from 1'),
        position: z.int().positive().describe('Which request on its connection, from 1'),
        remotePort: z.int().nullable(),
        unfitTls: z
          .enum(Object.keys(unfitTls) as [UnfitTls])
          .optional()
          .describe(
            'Only over a side port with such a fault of TLS: the client sent its credentials over a connection that it had to refuse',
          ),
      })
      .nullable()
      .describe('Null for a request without a socket'),
    user: z.string().describe('Its name in the fixture, without what a private space adds to it'),
    operation: z.enum(operationIds).nullable().describe('Null for what the service does not have'),
    method: z.string(),
    target: z.string().describe('Path and query'),
    synchronizationId: z.string().nullable(),
    transactionId: z.string().nullable().describe('That a sending was to be created with'),
    headers,
    body: text
      .extend({
        sha256: sha256.describe('Of the bytes as they came'),
        payloadSha256: sha256
          .nullable()
          .describe(
            'Of the JSON with sorted members and without white space, transactionId left out: equal for equal payloads. Null for what is no JSON object',
          ),
      })
      .nullable()
      .describe('Null where there was none, or it has not come'),
    arrived: moment.describe('When its head was there, on both clocks'),
    read: moment.nullable().describe('When the last byte of its body was there'),
    ended: moment
      .nullable()
      .describe('When its response had left, or was never going to; null while it is open'),
    left: moment
      .nullable()
      .describe(
        'When its client left while a delay or a hold kept it waiting; its work may still have been done later. Null if it did not leave, or nothing kept it waiting',
      ),
    clockEpoch: count.describe(
      'How often the clock had been moved by hand before it arrived; a restart that kept the journal counts as well',
    ),
    decision: decision.nullable().describe('What a scenario or a one-shot fault did to it'),
    truth: answer.nullable().describe('The true response; null where the service was never asked'),
    told: answer
      .extend({
        informational: z
          .array(z.strictObject({ status: z.int(), headers }))
          .optional()
          .describe('Only where a fault sent responses (1xx) before it'),
      })
      .nullable()
      .describe(
        'What was meant for the client, with the headers that a fault on the wire set; `delivered` tells whether it got it',
      ),
    delivered: delivery.describe(
      'How the response left. handed: whole, which is no proof that it was received; cut: a fault left part of it out or broke the connection; none: a fault withheld it; aborted: the client left first; server-stopped: the mock was stopped first; open: not yet',
    ),
    received: z
      .literal(false)
      .optional()
      .describe(
        'Only where the response left whole and the client then reset the connection: it had not read the whole response. Or, with `delivered: server-stopped`, where the mock was killed as the response left: it is not known whether it was read. Absence proves nothing',
      ),
    bytesSent: count.describe('That left for the client, head included where there was a socket'),
    effects: z
      .array(effect)
      .describe('What it brought about on the platform, also later, by further attempts or by the clock'),
    twinOf: z.string().nullable().describe('The request that `deliver: twice` delivered again as this one'),
    twin: z.string().nullable().describe('Its second delivery, made by `deliver: twice`'),
  })
  .describe('One request, what was done about it, and what the client was told')

/** A record as JSON: what `GET …/requests` shows. */
export type RequestRecordView = z.infer<typeof requestRecordSchema>
