import { formatNumber } from '../../store/content.ts'
import {
  type Fixture,
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
import { memberAt, textAt } from '../verify/exchange.ts'
import { assembleMailings, CustomerRows, type MutableList, ValueReader } from './assemble-content.ts'
import type { Findings, Notes } from './crawl.ts'

const cause = 'pulled'

interface TiedRows {
  readonly synchronization: Synchronization
  readonly mailing: Mailing
  readonly list: List
}

type SynchronizationFound = Findings['synchronizations'][number]

/** Synchronizations, their sendings and uploads, and the platform rows that follow from these. */
class SynchronizationRows {
  readonly synchronizations: Synchronization[] = []
  readonly mailingUploads: MailingUpload[] = []
  readonly sendings: Sending[] = []
  readonly #platformMailings = new Map<number, PlatformMailing>()
  readonly #platformSendings = new Map<number, PlatformSending>()
  /** The start of the sending from which a list's recipients are known. */
  readonly #knownSince = new Map<List, string>()
  readonly #mailings: ReadonlyMap<string, Mailing>
  readonly #world: CustomerRows
  readonly #reader: ValueReader
  #highestMailing: number
  #highestSending: number

  constructor(findings: Findings, mailings: readonly Mailing[], world: CustomerRows, reader: ValueReader) {
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
    for (const { found, ...rows } of tied) {
      this.synchronizations.push(rows.synchronization)
      if (found.upload !== undefined) this.#addUpload(found.upload, rows)
      for (const sending of found.sendings) this.#addSending(sending, rows)
    }
  }

  /** By ID, since the platform's IDs are chronological. */
  get platformMailings(): PlatformMailing[] {
    return [...this.#platformMailings.values()].sort((a, b) => a.id - b.id)
  }

  get platformSendings(): PlatformSending[] {
    return [...this.#platformSendings.values()].sort((a, b) => a.id - b.id)
  }

  #tie({ value }: SynchronizationFound) {
    const list = this.#world.listOf(value)
    const mailing = this.#mailings.get(this.#reader.uuid('mailings', memberAt(value, 'mailingId')))!
    const creationDate = this.#reader.certainDate(value, 'creationDate')
    const synchronization: Synchronization = {
      id: this.#reader.uuid('synchronizations', memberAt(value, 'id')),
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

  /** The present recipients of a list are those of its latest sending. */
  #learnRecipients({ sendings }: SynchronizationFound, list: MutableList): void {
    for (const { statistics } of sendings) {
      const { startsAt, recipients } = this.#begun(statistics)
      if (startsAt === null || recipients === undefined || startsAt < (this.#knownSince.get(list) ?? ''))
        continue
      this.#knownSince.set(list, startsAt)
      list.recipients = recipients
    }
  }

  #begun(statistics: unknown) {
    const figures = memberAt(statistics, 'sendingStatistics')
    const count = memberAt(figures, 'recipientsCount')
    return {
      startsAt: figures === undefined ? null : this.#reader.date(figures, 'startDate'),
      recipients: Number.isSafeInteger(count) && Number(count) >= 0 ? Number(count) : undefined,
    }
  }

  #addUpload(value: unknown, tied: TiedRows): void {
    const creationDate = this.#reader.certainDate(
      value,
      'creationDate',
      tied.synchronization.mailingUploadsModificationDate,
    )
    const platformMailingId = this.#reader.number(value, 'target.mailingId') ?? ++this.#highestMailing
    this.mailingUploads.push({
      id: this.#reader.uuid('mailing-uploads', memberAt(value, 'id')),
      synchronizationId: tied.synchronization.id,
      creationDate,
      modificationDate: this.#reader.certainDate(value, 'modificationDate', creationDate),
      platformMailingId,
    })
    this.#putMailing(platformMailingId, 'mailing-upload', creationDate, null, tied)
  }

  #addSending({ value, statistics }: SynchronizationFound['sendings'][number], tied: TiedRows): void {
    const state = sendingState.safeParse(textAt(value, 'state')).data
    if (state === undefined) {
      this.#reader.notes.addLoss('a sending with a state that the document does not know is not here')
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
      id: this.#reader.uuid('sendings', memberAt(value, 'id')),
      synchronizationId: tied.synchronization.id,
      creationDate,
      scheduleDate,
      transactionId: textAt(value, 'transactionId') ?? null,
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
    { synchronization, mailing }: TiedRows,
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

/** A pulled sending keeps its state, since its further course is unknown. */
function stepOf(state: PlanStep['state'], mailingId: number | null, sendingId: number | null): PlanStep {
  if (state === 'CREATED') return { state }
  if (sendingId !== null) return { state, truth: 'sent' }
  return mailingId === null ? { state } : { state, partial: true }
}

interface FixtureOptions {
  /** Name of the space and of its user; the password is the same. */
  readonly space: string
  readonly description: string
  /** Whether generated IDs must not reveal the IDs that they replace. */
  readonly hidesIds: boolean
  readonly notes: Notes
}

/** Makes the fixture that starts the mock with the findings. The same findings give the same bytes. */
export function assembleFixture(
  findings: Findings,
  { space, description, hidesIds, notes }: FixtureOptions,
): Fixture {
  const reader = new ValueReader(notes, hidesIds)
  const world = new CustomerRows(findings, reader)
  const mailings = assembleMailings(findings, reader)
  const requests = new SynchronizationRows(findings, mailings, world, reader)
  return {
    $format: formatNumber,
    space,
    description,
    users: [{ name: space, password: space, rights: ['read', 'write'] }],
    customers: world.customers,
    lists: world.lists,
    accessibleLists: world.accessibleLists,
    mailings,
    synchronizations: requests.synchronizations,
    mailingUploads: requests.mailingUploads,
    sendings: requests.sendings,
    platformMailings: requests.platformMailings,
    platformSendings: requests.platformSendings,
  }
}
