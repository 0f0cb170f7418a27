import { isSent, stateOf } from '../service/sendings/lifecycle.ts'
import type { PlatformMailing, PlatformSending, Sending } from '../store/rows.ts'
import type { Ledger, LedgerMailing, LedgerSending } from './ledger-shape.ts'
import type { SpaceRig } from './space-rig.ts'

export interface LedgerFilter {
  readonly synchronizationId?: string | undefined
  readonly transactionId?: string | undefined
  /** With what the fixture had on its platform from the beginning. */
  readonly seeded?: boolean | undefined
}

/** What a platform row belongs to. */
interface Belonging {
  readonly synchronizationId: string | null
  readonly transactionId: string | null
  readonly sendingId: string | null
}

/**
 * What truly happened on the platform since the space began, whatever clients were told. As it is on record:
 * `SpaceRig.settle` comes first.
 */
export function ledgerOf(rig: SpaceRig, filter: LedgerFilter = {}): Ledger {
  const { tables } = rig.space.data
  const now = rig.clock.now()
  const belonging = new Belongings(rig)
  const isWanted = ({ synchronizationId, transactionId }: Belonging) =>
    (filter.synchronizationId === undefined || synchronizationId === filter.synchronizationId) &&
    (filter.transactionId === undefined || transactionId === filter.transactionId)

  const sendings: LedgerSending[] = []
  const sentMailings = new Set<number>()
  for (const row of tables.platformSendings.rows()) sentMailings.add(row.platformMailingId)
  for (const row of rowsOf(tables.platformSendings, filter)) {
    const mailing = tables.platformMailings.get(row.platformMailingId)!
    const of = belonging.of(mailing)
    if (isWanted(of)) sendings.push(shownSending(row, mailing, of, now))
  }
  const mailings: LedgerMailing[] = []
  for (const row of rowsOf(tables.platformMailings, filter)) {
    const of = belonging.of(row)
    const isOrphan = row.origin === 'sending' && !sentMailings.has(row.id) && !belonging.willBeSent(row, now)
    if (isWanted(of)) mailings.push(shownMailing(row, of, isOrphan))
  }
  return {
    // Few ask for it, and it takes as long as all the rest.
    get summary() {
      return summary(mailings, sendings)
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

/** Finds the sending, or failing that the request, that a platform mailing belongs to. */
class Belongings {
  readonly #sendings = new Map<number, Sending>()
  readonly #uploads = new Map<number, string>()
  readonly #rig: SpaceRig
  #asked: Map<string, string> | undefined

  constructor(rig: SpaceRig) {
    this.#rig = rig
    const { tables } = rig.space.data
    for (const sending of tables.sendings.rows())
      if (sending.platformMailingId !== null) this.#sendings.set(sending.platformMailingId, sending)
    for (const { platformMailingId, synchronizationId } of tables.mailingUploads.rows())
      this.#uploads.set(platformMailingId, synchronizationId)
  }

  of({ id, cause }: PlatformMailing): Belonging {
    const sending = this.#sendings.get(id)
    if (sending)
      return {
        synchronizationId: sending.synchronizationId,
        transactionId: sending.transactionId,
        sendingId: sending.id,
      }
    const synchronizationId = this.#uploads.get(id) ?? this.#synchronizationAsked(cause) ?? null
    return { synchronizationId, transactionId: null, sendingId: null }
  }

  /** Whether the plan of its sending leads to where the platform sends it. */
  willBeSent({ id }: PlatformMailing, now: number): boolean {
    const sending = this.#sendings.get(id)
    if (!sending || stateOf(sending, now) !== 'PENDING') return false
    return sending.plan.slice(sending.step).some(isSent)
  }

  /** Test sendings, and mailings that no sending was made of, are known by their request alone. */
  #synchronizationAsked(cause: string): string | undefined {
    if (!this.#asked) {
      this.#asked = new Map()
      for (const entry of this.#rig.journal.entries()) {
        const synchronizationId = this.#rig.reader.synchronizationId(entry)
        if (synchronizationId !== undefined) this.#asked.set(entry.id, synchronizationId)
      }
    }
    return this.#asked.get(cause)
  }
}

// Member by member: an object that is made by spreading others is many times as dear.
const shownMailing = (row: PlatformMailing, of: Belonging, isOrphan: boolean): LedgerMailing => ({
  platformMailingId: row.id,
  origin: row.origin,
  isOrphan,
  synchronizationId: of.synchronizationId,
  transactionId: of.transactionId,
  sendingId: of.sendingId,
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

const shownSending = (
  row: PlatformSending,
  mailing: PlatformMailing,
  of: Belonging,
  now: number,
): LedgerSending => ({
  platformSendingId: row.id,
  platformMailingId: row.platformMailingId,
  kind: row.kind,
  status: Date.parse(row.startsAt) > now ? 'scheduled' : 'sent',
  synchronizationId: of.synchronizationId,
  transactionId: of.transactionId,
  sendingId: of.sendingId,
  subject: mailing.subject,
  recipients: row.recipients,
  addresses: row.addresses && [...row.addresses],
  requestedAt: row.requestedAt,
  startsAt: row.startsAt,
  cause: row.cause,
})

type Transaction = Ledger['summary']['byTransaction'][number]

/** Test sendings go to nobody's recipients: they are listed, not counted. */
function summary(mailings: readonly LedgerMailing[], sendings: readonly LedgerSending[]): Ledger['summary'] {
  const toLists = sendings.filter(({ kind }) => kind === 'list')
  const transactions = new Map<string, Transaction>()
  const of = ({ synchronizationId, transactionId }: Belonging): Transaction => {
    const key = `${synchronizationId} ${transactionId}`
    const known = transactions.get(key)
    if (known) return known
    const fresh = { synchronizationId, transactionId, sent: 0, scheduled: 0, orphans: 0 }
    transactions.set(key, fresh)
    return fresh
  }
  for (const sending of toLists) of(sending)[sending.status]++
  for (const mailing of mailings) if (mailing.isOrphan) of(mailing).orphans++
  return {
    sent: toLists.filter(({ status }) => status === 'sent').length,
    scheduled: toLists.filter(({ status }) => status === 'scheduled').length,
    orphans: mailings.filter(({ isOrphan }) => isOrphan).length,
    byTransaction: [...transactions.values()],
  }
}
