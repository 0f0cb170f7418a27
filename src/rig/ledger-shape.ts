import { z } from 'zod'

/** How the ledger is shown: the JSON of `GET …/platform`, for the OpenAPI document and for the types here. */

const dateTime = z.iso.datetime({ precision: 3 })
const count = z.int().nonnegative()

const belonging = {
  synchronizationId: z
    .string()
    .nullable()
    .describe('Null where only a request knew it that the journal has no more'),
  transactionId: z.string().nullable(),
  sendingId: z.string().nullable().describe('The sending of the service that it belongs to'),
}

const mailing = z.strictObject({
  platformMailingId: z.int(),
  origin: z.enum(['sending', 'mailing-upload', 'test-sending']),
  isOrphan: z
    .boolean()
    .describe('Made for a sending and never sent, with nothing left in its plan that would send it'),
  ...belonging,
  customer: z.string(),
  listId: z.int(),
  name: z.string(),
  subject: z.string(),
  mailingId: z.string().describe('The editor mailing that its content comes from'),
  version: z.int().describe('Which version of it'),
  createdAt: dateTime,
  approvedAt: dateTime.nullable(),
  cause: z.string().describe('ID of the request that caused it'),
})

const sending = z.strictObject({
  platformSendingId: z.int(),
  platformMailingId: z.int(),
  kind: z.enum(['list', 'test']),
  status: z
    .enum(['sent', 'scheduled'])
    .describe("Scheduled while the space's clock has not reached startsAt"),
  ...belonging,
  subject: z.string(),
  recipients: count,
  addresses: z.array(z.string()).nullable().describe('Of a test sending'),
  requestedAt: dateTime,
  startsAt: dateTime,
  cause: z.string().describe('ID of the request that caused it'),
})

export const ledgerShape = {
  summary: z.strictObject({
    sent: count.describe('Sendings to lists that have gone out'),
    scheduled: count.describe('Sendings to lists that go out later'),
    orphans: count.describe('Platform mailings made for a sending and never sent'),
    byTransaction: z.array(
      z.strictObject({
        synchronizationId: z.string().nullable(),
        transactionId: z.string().nullable(),
        sent: count,
        scheduled: count,
        orphans: count,
      }),
    ),
  }),
  mailings: z.array(mailing),
  sendings: z.array(sending),
}

export type LedgerMailing = z.infer<typeof mailing>
export type LedgerSending = z.infer<typeof sending>
export interface Ledger {
  readonly summary: z.infer<typeof ledgerShape.summary>
  readonly mailings: LedgerMailing[]
  readonly sendings: LedgerSending[]
}
