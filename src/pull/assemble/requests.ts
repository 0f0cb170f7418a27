import {
  type List,
  type Mailing,
  type MailingUpload,
  type PlanStep,
  type PlatformMailing,
  type PlatformSending,
  type Sending,
  type Synchronization,
  sendingState,
} from '../../store/rows.ts'
import { member, text } from '../../verify/hal.ts'
import type { Findings, SendingFound, SynchronizationFound } from '../findings.ts'
import type { Reader } from './reader.ts'
import type { World } from './world.ts'

/** What rows of the platform say of who caused them. */
const cause = 'pulled'

/** A synchronization with what it ties together. */
interface Tied {
  readonly synchronization: Synchronization
  readonly mailing: Mailing
  readonly list: List
}

/** Synchronizations, what was made through them, and what that must have come to on the platform. */
export class Requests {
  readonly synchronizations: Synchronization[] = []
  readonly mailingUploads: MailingUpload[] = []
  readonly sendings: Sending[] = []
  readonly #platformMailings = new Map<number, PlatformMailing>()
  readonly #platformSendings = new Map<number, PlatformSending>()
  /** When the sending began that a list's recipients are known from. */
  readonly #knownSince = new Map<List, string>()
  readonly #mailings: ReadonlyMap<string, Mailing>
  readonly #world: World
  readonly #reader: Reader
  #highestMailing: number
  #highestSending: number

  constructor(findings: Findings, mailings: readonly Mailing[], world: World, reader: Reader) {
    this.#mailings = new Map(mailings.map(it => [it.id, it]))
    this.#world = world
    this.#reader = reader
    const targets = findings.synchronizations.flatMap(it => [
      it.upload,
      ...it.sendings.map(({ value }) => value),
    ])
    const highest = (path: string) =>
      targets.reduce<number>((most, it) => Math.max(most, reader.number(it, path) ?? 0), 0)
    this.#highestMailing = highest('target.mailingId')
    this.#highestSending = highest('target.sendingId')
    const tied = findings.synchronizations.map(found => ({ found, ...this.#tie(found) }))
    for (const { found, list } of tied) this.#learnRecipients(found, list)
    for (const { found, ...it } of tied) this.#add(found, it)
  }

  /** By their numbers, since the platform's IDs are chronological. */
  get platformMailings(): PlatformMailing[] {
    return [...this.#platformMailings.values()].sort((a, b) => a.id - b.id)
  }

  get platformSendings(): PlatformSending[] {
    return [...this.#platformSendings.values()].sort((a, b) => a.id - b.id)
  }

  #tie({ value }: SynchronizationFound): Tied {
    const list = this.#world.listOf(value)
    const mailing = this.#mailings.get(this.#reader.uuid('mailings', member(value, 'mailingId')))!
    const creationDate = this.#reader.certainDate(value, 'creationDate')
    const synchronization: Synchronization = {
      id: this.#reader.uuid('synchronizations', member(value, 'id')),
      creationDate,
      modificationDate: this.#reader.certainDate(value, 'modificationDate', creationDate),
      mailingId: mailing.id,
      customer: list.customer,
      listId: list.id,
      mailingUploadsModificationDate: this.#reader.date(value, 'mailingUploadsModificationDate'),
      sendingsModificationDate: this.#reader.date(value, 'sendingsModificationDate'),
    }
    return { synchronization, mailing, list }
  }

  /** What a list has now is what its latest sending went to. */
  #learnRecipients({ sendings }: SynchronizationFound, list: List): void {
    for (const { statistics } of sendings) {
      const { startsAt, recipients } = this.#begun(statistics)
      if (startsAt === null || recipients === undefined || startsAt < (this.#knownSince.get(list) ?? ''))
        continue
      this.#knownSince.set(list, startsAt)
      this.#world.setRecipients(list, recipients)
    }
  }

  /** What statistics tell of a sending that has begun. */
  #begun(statistics: unknown): { startsAt: string | null; recipients: number | undefined } {
    const figures = member(statistics, 'sendingStatistics')
    const count = member(figures, 'recipientsCount')
    return {
      startsAt: figures === undefined ? null : this.#reader.date(figures, 'startDate'),
      recipients: Number.isSafeInteger(count) && Number(count) >= 0 ? Number(count) : undefined,
    }
  }

  #add({ upload, sendings }: SynchronizationFound, tied: Tied): void {
    this.synchronizations.push(tied.synchronization)
    if (upload !== undefined) this.#addUpload(upload, tied)
    for (const sending of sendings) this.#addSending(sending, tied)
  }

  #addUpload(value: unknown, tied: Tied): void {
    const creationDate = this.#reader.certainDate(
      value,
      'creationDate',
      tied.synchronization.mailingUploadsModificationDate,
    )
    const platformMailingId = this.#reader.number(value, 'target.mailingId') ?? ++this.#highestMailing
    this.mailingUploads.push({
      id: this.#reader.uuid('mailing-uploads', member(value, 'id')),
      synchronizationId: tied.synchronization.id,
      creationDate,
      modificationDate: this.#reader.certainDate(value, 'modificationDate', creationDate),
      platformMailingId,
    })
    this.#putMailing(platformMailingId, 'mailing-upload', creationDate, null, tied)
  }

  #addSending({ value, statistics }: SendingFound, tied: Tied): void {
    const state = sendingState.safeParse(text(value, 'state')).data
    if (state === undefined) {
      this.#reader.notes.add('a sending with a state that the document does not know is not here')
      return
    }
    const isCreated = state === 'CREATED'
    const told = this.#reader.number(value, 'target.sendingId')
    const sendingId = told ?? (isCreated ? ++this.#highestSending : null)
    const mailingId =
      this.#reader.number(value, 'target.mailingId') ?? (sendingId === null ? null : ++this.#highestMailing)
    const creationDate = this.#reader.certainDate(value, 'creationDate')
    const scheduleDate = this.#reader.date(value, 'scheduleDate')
    this.sendings.push({
      id: this.#reader.uuid('sendings', member(value, 'id')),
      synchronizationId: tied.synchronization.id,
      creationDate,
      scheduleDate,
      transactionId: text(value, 'transactionId') ?? null,
      name: null,
      subject: null,
      plan: [stepOf(state, mailingId, sendingId)],
      step: 0,
      stepSince: creationDate,
      stepAttempts: 1,
      platformMailingId: mailingId,
      platformSendingId: sendingId,
      cause,
    })
    if (mailingId === null) return
    this.#putMailing(mailingId, 'sending', creationDate, sendingId === null ? null : creationDate, tied)
    if (sendingId === null || this.#platformSendings.has(sendingId)) return
    const { startsAt, recipients } = this.#begun(statistics)
    this.#platformSendings.set(sendingId, {
      id: sendingId,
      platformMailingId: mailingId,
      kind: 'list',
      recipients: (startsAt === null ? undefined : recipients) ?? tied.list.recipients,
      addresses: null,
      requestedAt: creationDate,
      startsAt: startsAt ?? scheduleDate ?? creationDate,
      cause,
    })
  }

  #putMailing(
    id: number,
    origin: PlatformMailing['origin'],
    createdAt: string,
    approvedAt: string | null,
    { synchronization, mailing }: Tied,
  ): void {
    if (this.#platformMailings.has(id)) return
    const { draft, approved } = mailing
    // An upload takes the latest version, a sending the approved one.
    const version = (origin === 'sending' ? (approved ?? draft) : (draft ?? approved))!
    this.#platformMailings.set(id, {
      id,
      origin,
      customer: synchronization.customer,
      listId: synchronization.listId,
      name: version.name,
      subject: version.subject,
      mailingId: mailing.id,
      version: version.number,
      createdAt,
      approvedAt,
      cause,
    })
  }
}

/** A pulled sending stays as it was: nobody knows what would have become of it. */
function stepOf(state: PlanStep['state'], mailingId: number | null, sendingId: number | null): PlanStep {
  if (state === 'CREATED') return { state }
  if (sendingId !== null) return { state, truth: 'sent' }
  return mailingId === null ? { state } : { state, partial: true }
}
