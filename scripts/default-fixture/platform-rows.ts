import { mailingId, sendingId, synchronizationId, uploadId } from '../../src/contract/examples/fixture-ids.ts'
import type {
  List,
  Mailing,
  MailingUpload,
  PlatformMailing,
  PlatformSending,
  Sending,
  Version,
} from '../../src/store/rows.ts'
import * as history from './history.ts'
import { lists } from './world.ts'

/** The list that a synchronization of the history writes to. */
export const listOf = (row: history.PastSynchronization): List => lists.find(it => it.id === row.listId)!

/** Rows of the past: each request leaves its own row and what it made on the platform. */
export class PlatformRows {
  readonly uploads: MailingUpload[] = []
  readonly sendings: Sending[] = []
  readonly mailings: PlatformMailing[] = []
  readonly platformSendings: PlatformSending[] = []
  /** Left out for an INDETERMINATE_FAILURE that was not sent, so that the IDs after it do not tell. */
  readonly #skippedIds = { mailings: 0, sendings: 0 }
  readonly #editorMailings: readonly Mailing[]

  constructor(editorMailings: readonly Mailing[]) {
    this.#editorMailings = editorMailings
  }

  upload(row: history.PastUpload): void {
    const { synchronization, mailing } = this.#target(row.synchronization)
    this.uploads.push({
      id: uploadId(row.no),
      synchronizationId: synchronizationId(row.synchronization),
      creationDate: row.created,
      modificationDate: row.modified,
      platformMailingId: this.#addMailing(synchronization, {
        origin: 'mailing-upload',
        version: (mailing.draft ?? mailing.approved)!,
        createdAt: row.created,
        approvedAt: null,
      }),
    })
  }

  send(row: history.PastSending): void {
    const { synchronization, mailing } = this.#target(row.synchronization)
    const last = row.plan.at(-1)!
    const sent = last.state === 'CREATED' || last.truth === 'sent'
    const schedule = row.schedule ?? null
    const version = mailing.approved!
    const platformMailingId =
      sent || row.orphan
        ? this.#addMailing(synchronization, {
            origin: 'sending',
            version: { ...version, name: row.name ?? version.name, subject: row.subject ?? version.subject },
            createdAt: row.created,
            approvedAt: sent ? row.created : null,
          })
        : null
    if (last.state === 'INDETERMINATE_FAILURE' && !sent) {
      this.#skippedIds.sendings++
      if (platformMailingId === null) this.#skippedIds.mailings++
    }
    this.sendings.push({
      id: sendingId(row.no),
      synchronizationId: synchronizationId(row.synchronization),
      creationDate: row.created,
      scheduleDate: schedule,
      transactionId: row.transactionId,
      name: row.name ?? null,
      subject: row.subject ?? null,
      plan: row.plan,
      step: row.plan.length - 1,
      stepSince: row.since ?? row.created,
      stepAttempts: row.attempts ?? 1,
      platformMailingId,
      platformSendingId: sent
        ? this.#addSending(synchronization, platformMailingId!, row.created, schedule)
        : null,
      cause: 'fixture',
    })
  }

  #target(no: number) {
    const synchronization = history.synchronizations.find(it => it.no === no)!
    const mailing = this.#editorMailings.find(it => it.id === mailingId(synchronization.mailing))!
    return { synchronization, mailing }
  }

  #addMailing(
    synchronization: history.PastSynchronization,
    {
      origin,
      version,
      createdAt,
      approvedAt,
    }: Pick<PlatformMailing, 'origin' | 'createdAt' | 'approvedAt'> & {
      version: Version
    },
  ): number {
    const id = 100_001 + this.mailings.length + this.#skippedIds.mailings
    this.mailings.push({
      id,
      origin,
      customer: listOf(synchronization).customer,
      listId: synchronization.listId,
      name: version.name,
      subject: version.subject,
      mailingId: mailingId(synchronization.mailing),
      version: version.number,
      createdAt,
      approvedAt,
      cause: 'fixture',
    })
    return id
  }

  #addSending(
    synchronization: history.PastSynchronization,
    platformMailingId: number,
    requestedAt: string,
    schedule: string | null,
  ): number {
    const id = 500_001 + this.platformSendings.length + this.#skippedIds.sendings
    this.platformSendings.push({
      id,
      platformMailingId,
      kind: 'list',
      recipients: listOf(synchronization).recipients,
      addresses: null,
      requestedAt,
      startsAt: schedule ?? requestedAt,
      cause: 'fixture',
    })
    return id
  }
}
