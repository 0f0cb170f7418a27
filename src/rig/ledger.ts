import { z } from 'zod'
import { sendsInStep, stateOf } from '../service/sendings/lifecycle.ts'
import { platformOrigins } from '../store/format.ts'
import { getOrMake } from '../store/maps.ts'
import {
  countStatuses,
  type PlatformStatus,
  platformStatuses,
  statusOfSending,
} from '../store/platform-status.ts'
import type { PlatformMailing, Sending, SendingState } from '../store/rows.ts'
import type { SpaceView } from './space-view.ts'
import { platformStatusWords } from './words.ts'

export interface LedgerFilter {
  readonly synchronizationId?: string | undefined
  readonly transactionId?: string | undefined
  /** Includes what the fixture put on the platform at the beginning. */
  readonly seeded?: boolean | undefined
}

type Owner = Pick<LedgerMailing, 'synchronizationId' | 'transactionId' | 'sendingId'>

/**
 * What really happened on the platform since the space began, whatever the clients were told. Reads what is recorded, so
 * call `advancePlatform` first.
 */
export function ledgerOf(rig: SpaceView, filter: LedgerFilter = {}): Ledger {
  const { tables } = rig.space.data
  const now = rig.clock.now()
  const belonging = new OwnerIndex(rig)
  const isWanted = ({ synchronizationId, transactionId }: Owner) =>
    (filter.synchronizationId === undefined || synchronizationId === filter.synchronizationId) &&
    (filter.transactionId === undefined || transactionId === filter.transactionId)

  const sendings: LedgerSending[] = []
  const sentMailings = new Set<number>()
  for (const row of tables.platformSendings.rows()) sentMailings.add(row.platformMailingId)
  for (const row of rowsOf(tables.platformSendings, filter)) {
    const mailing = tables.platformMailings.get(row.platformMailingId)!
    const of = belonging.of(mailing)
    if (!isWanted(of)) continue
    sendings.push({
      platformSendingId: row.id,
      platformMailingId: row.platformMailingId,
      kind: row.kind,
      status: statusOfSending(row, now),
      ...of,
      subject: mailing.subject,
      recipients: row.recipients,
      addresses: row.addresses,
      requestedAt: row.requestedAt,
      startsAt: row.startsAt,
      cause: row.cause,
    })
  }
  const mailings: LedgerMailing[] = []
  for (const row of rowsOf(tables.platformMailings, filter)) {
    const of = belonging.of(row)
    if (!isWanted(of)) continue
    const { id, origin } = row
    mailings.push({
      platformMailingId: id,
      origin,
      isOrphan: origin === 'sending' && !sentMailings.has(id) && !belonging.willBeSent(row, now),
      ...of,
      customer: row.customer,
      listId: row.listId,
      name: row.name,
      subject: row.subject,
      mailingId: row.mailingId,
      version: row.version,
      createdAt: row.createdAt,
      approvedAt: row.approvedAt,
      cause: row.cause,
    })
  }
  return {
    // Computed on demand: it takes as long as all the rest and is rarely used.
    get summary() {
      return summarize(mailings, sendings)
    },
    mailings,
    sendings,
  }
}

type Rows<Row extends object> = { rows(): Iterable<Row>; changes(): Iterable<{ row: Row }> }

function* rowsOf<Row extends object>(table: Rows<Row>, { seeded }: LedgerFilter): Generator<Row> {
  if (seeded) yield* table.rows()
  else for (const { row } of table.changes()) yield row
}

/** Finds the sending that a platform mailing belongs to, or else the request. */
class OwnerIndex {
  readonly #sendings = new Map<number, Sending>()
  readonly #uploads = new Map<number, string>()
  readonly #rig: SpaceView
  #asked: Map<string, string | undefined> | undefined

  constructor(rig: SpaceView) {
    this.#rig = rig
    const { tables } = rig.space.data
    for (const sending of tables.sendings.rows())
      if (sending.platformMailingId !== null) this.#sendings.set(sending.platformMailingId, sending)
    for (const { platformMailingId, synchronizationId } of tables.mailingUploads.rows())
      this.#uploads.set(platformMailingId, synchronizationId)
  }

  of({ id, cause }: PlatformMailing): Owner {
    const sending = this.#sendings.get(id)
    const synchronizationId =
      sending?.synchronizationId ?? this.#uploads.get(id) ?? this.#synchronizationAsked(cause) ?? null
    return {
      synchronizationId,
      transactionId: sending?.transactionId ?? null,
      sendingId: sending && !sending.hidden ? sending.id : null,
    }
  }

  /** Whether the plan of its sending still contains a step that sends it. */
  willBeSent({ id }: PlatformMailing, now: number): boolean {
    const sending = this.#sendings.get(id)
    if (!sending || stateOf(sending, now) !== 'PENDING') return false
    return sending.plan.slice(sending.step).some(sendsInStep)
  }

  /** Test sendings, and mailings without a sending, are known by their request only. */
  #synchronizationAsked(cause: string): string | undefined {
    const { journal, reader } = this.#rig
    this.#asked ??= new Map(journal.entries().map(it => [it.id, reader.synchronizationId(it)]))
    return this.#asked.get(cause)
  }
}

type Transaction = Ledger['summary']['byTransaction'][number]

/** Test sendings reach no recipient of a list: they are listed but not counted. */
function summarize(
  mailings: readonly LedgerMailing[],
  sendings: readonly LedgerSending[],
): Ledger['summary'] {
  const transactions = new Map<string, Transaction>()
  const of = ({ synchronizationId, transactionId }: Owner): Transaction => {
    const key = `${synchronizationId} ${transactionId}`
    return getOrMake(transactions, key, () => ({
      synchronizationId,
      transactionId,
      ...countStatuses([]),
      orphans: 0,
    }))
  }
  const toLists = sendings.filter(({ kind }) => kind === 'list')
  for (const sending of toLists) of(sending)[sending.status]++
  for (const mailing of mailings) if (mailing.isOrphan) of(mailing).orphans++
  return {
    ...countStatuses(toLists.map(({ status }) => status)),
    orphans: mailings.filter(({ isOrphan }) => isOrphan).length,
    byTransaction: [...transactions.values()],
  }
}

/** The JSON of `GET …/platform`, for the OpenAPI document and for the types here. */

const dateTime = z.iso.datetime({ precision: 3 })
const count = z.int().nonnegative()

const ownerShape = {
  synchronizationId: z
    .string()
    .nullable()
    .describe('Null where only a request knew it that the journal has no more'),
  transactionId: z.string().nullable(),
  sendingId: z
    .string()
    .nullable()
    .describe('The sending of the service that it belongs to; null where no response shows it'),
}

const mailingSchema = z.strictObject({
  platformMailingId: z.int(),
  origin: z.enum(platformOrigins),
  isOrphan: z
    .boolean()
    .describe('Made for a sending and never sent, with nothing left in its plan that would send it'),
  ...ownerShape,
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

const sendingSchema = z.strictObject({
  platformSendingId: z.int(),
  platformMailingId: z.int(),
  kind: z.enum(['list', 'test']),
  status: z
    .enum(platformStatuses)
    .describe(
      "Scheduled while the space's clock has not reached startsAt; stopped if the platform stopped it before it went out",
    ),
  ...ownerShape,
  subject: z.string(),
  recipients: count,
  addresses: z.array(z.string()).nullable().describe('Of a test sending'),
  requestedAt: dateTime,
  startsAt: dateTime,
  cause: z.string().describe('ID of the request that caused it'),
})

/** A count for each status. */
const countsOf = (schemaOf: (status: PlatformStatus) => typeof count) =>
  Object.fromEntries(platformStatuses.map(it => [it, schemaOf(it)])) as Record<PlatformStatus, typeof count>

export const ledgerShape = {
  summary: z.strictObject({
    ...countsOf(status => count.describe(platformStatusWords[status].counted)),
    orphans: count.describe('Platform mailings made for a sending and never sent'),
    byTransaction: z.array(
      z.strictObject({
        synchronizationId: z.string().nullable(),
        transactionId: z.string().nullable(),
        ...countsOf(() => count),
        orphans: count,
      }),
    ),
  }),
  mailings: z.array(mailingSchema),
  sendings: z.array(sendingSchema),
}

export type LedgerMailing = z.infer<typeof mailingSchema>
export type LedgerSending = z.infer<typeof sendingSchema>
export interface Ledger {
  readonly summary: z.infer<typeof ledgerShape.summary>
  readonly mailings: LedgerMailing[]
  readonly sendings: LedgerSending[]
}

/** A sending that a request created, with its state of now. */
export type CreatedSending = Pick<Sending, 'id' | 'synchronizationId' | 'transactionId' | 'cause'> & {
  readonly state: SendingState
}

/** The sendings that requests have created since the space began and answers show, in that order. */
export function createdSendings({ space, clock }: SpaceView): CreatedSending[] {
  const now = clock.now()
  return space.data.tables.sendings.changes().flatMap(({ row }) => {
    const { id, synchronizationId, transactionId, cause, hidden } = row
    return hidden ? [] : [{ id, synchronizationId, transactionId, state: stateOf(row, now), cause }]
  })
}
