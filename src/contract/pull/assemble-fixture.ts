import { formatNumber } from '../../store/format.ts'
import { getOrMake } from '../../store/maps.ts'
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
import { memberAt, textAt } from '../verify/unknown-json.ts'
import {
  assembleCustomers,
  assembleMailings,
  type MutableList,
  numberAt,
  ValueReader,
} from './assemble-content.ts'
import type { Findings, Notes } from './crawl.ts'

const cause = 'pulled'

interface TiedRows {
  readonly synchronization: Synchronization
  readonly mailing: Mailing
  readonly list: List
}

type SynchronizationFound = Findings['synchronizations'][number]

/** Synchronizations, their sendings and uploads, and the platform rows that follow from these. */
function assembleSynchronizations(
  found: Findings['synchronizations'],
  mailings: ReadonlyMap<string, Mailing>,
  listOf: (synchronization: unknown) => MutableList,
  reader: ValueReader,
) {
  const synchronizations: Synchronization[] = []
  const mailingUploads: MailingUpload[] = []
  const sendings: Sending[] = []
  const platformMailings = new Map<number, PlatformMailing>()
  const platformSendings = new Map<number, PlatformSending>()
  /** The start of the sending from which a list's recipients are known. */
  const knownSince = new Map<List, string>()
  const targets = found.flatMap(it => [it.upload, ...it.sendings.map(({ value }) => value)])
  const highest = (path: string) =>
    targets.reduce<number>((most, it) => Math.max(most, numberAt(it, path) ?? 0), 0)
  let highestMailing = highest('target.mailingId')
  let highestSending = highest('target.sendingId')
  /** By its name and number, the customer that has an ID of the platform first. */
  const owners = new Map<string, string>()
  const replaced = new Map<string, number>()

  /** An ID on the platform. A fixture has one platform, so what another customer has under the same ID gets a new one. */
  function targetId(name: 'mailingId' | 'sendingId', value: unknown, { customer }: Synchronization) {
    const given = numberAt(value, `target.${name}`)
    if (given === undefined || getOrMake(owners, `${name} ${given}`, () => customer) === customer)
      return given
    return getOrMake(replaced, `${name} ${given} ${customer}`, () => {
      reader.notes.add('an ID of the platform that two customers share was replaced')
      return name === 'mailingId' ? ++highestMailing : ++highestSending
    })
  }

  function tie({ value }: SynchronizationFound) {
    const list = listOf(value)
    const mailing = mailings.get(reader.uuid('mailings', memberAt(value, 'mailingId')))!
    const creationDate = reader.certainDate(value, 'creationDate')
    const synchronization: Synchronization = {
      id: reader.uuid('synchronizations', memberAt(value, 'id')),
      creationDate,
      modificationDate: reader.certainDate(value, 'modificationDate', creationDate),
      mailingId: mailing.id,
      customer: list.customer,
      listId: list.id,
      mailingUploadsModificationDate: reader.date(value, 'mailingUploadsModificationDate'),
      sendingsModificationDate: reader.date(value, 'sendingsModificationDate'),
    }
    return { synchronization, mailing, list }
  }

  /** When a sending began, and to how many. */
  function readStart(statistics: unknown) {
    const figures = memberAt(statistics, 'sendingStatistics')
    const count = memberAt(figures, 'recipientsCount')
    return {
      startsAt: figures === undefined ? null : reader.date(figures, 'startDate'),
      recipients: Number.isSafeInteger(count) && Number(count) >= 0 ? Number(count) : undefined,
    }
  }

  /** The present recipients of a list are those of its latest sending. */
  function learnRecipients({ sendings }: SynchronizationFound, list: MutableList): void {
    for (const { statistics } of sendings) {
      const { startsAt, recipients } = readStart(statistics)
      if (startsAt === null || recipients === undefined || startsAt < (knownSince.get(list) ?? '')) continue
      knownSince.set(list, startsAt)
      list.recipients = recipients
    }
  }

  function addUpload(value: unknown, tied: TiedRows): void {
    const { id: synchronizationId, mailingUploadsModificationDate } = tied.synchronization
    const creationDate = reader.certainDate(value, 'creationDate', mailingUploadsModificationDate)
    const platformMailingId = targetId('mailingId', value, tied.synchronization) ?? ++highestMailing
    mailingUploads.push({
      id: reader.uuid('mailing-uploads', memberAt(value, 'id'), synchronizationId),
      synchronizationId,
      creationDate,
      modificationDate: reader.certainDate(value, 'modificationDate', creationDate),
      platformMailingId,
    })
    putMailing(platformMailingId, 'mailing-upload', creationDate, null, tied)
  }

  function addSending({ value, statistics }: SynchronizationFound['sendings'][number], tied: TiedRows): void {
    const state = sendingState.safeParse(textAt(value, 'state')).data
    if (state === undefined) {
      reader.notes.addLoss('a sending with a state that the document does not know is not here')
      return
    }
    const told = targetId('sendingId', value, tied.synchronization)
    const sendingId = told ?? (state === 'CREATED' ? ++highestSending : null)
    const mailingId =
      targetId('mailingId', value, tied.synchronization) ?? (sendingId === null ? null : ++highestMailing)
    const creationDate = reader.certainDate(value, 'creationDate')
    const scheduleDate = reader.date(value, 'scheduleDate')
    sendings.push({
      id: reader.uuid('sendings', memberAt(value, 'id'), tied.synchronization.id),
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
    putMailing(mailingId, 'sending', creationDate, sendingId === null ? null : creationDate, tied)
    if (sendingId === null || platformSendings.has(sendingId)) return
    const { startsAt, recipients } = readStart(statistics)
    platformSendings.set(sendingId, {
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

  function putMailing(
    id: number,
    origin: PlatformMailing['origin'],
    createdAt: string,
    approvedAt: string | null,
    { synchronization: { customer, listId }, mailing }: TiedRows,
  ): void {
    if (platformMailings.has(id)) return
    const { id: mailingId, draft, approved } = mailing
    // An upload takes the latest version, a sending the approved one.
    const { number, name, subject } = (origin === 'sending' ? (approved ?? draft) : (draft ?? approved))!
    platformMailings.set(id, {
      id,
      origin,
      customer,
      listId,
      name,
      subject,
      mailingId,
      version: number,
      createdAt,
      approvedAt,
      cause,
    })
  }

  const tied = found.map(it => ({ it, ...tie(it) }))
  for (const { it, list } of tied) learnRecipients(it, list)
  for (const { it, ...rows } of tied) {
    synchronizations.push(rows.synchronization)
    if (it.upload !== undefined) addUpload(it.upload, rows)
    for (const sending of it.sendings) addSending(sending, rows)
  }
  // By ID, since the platform's IDs are chronological.
  const byId = <Row extends { readonly id: number }>(rows: ReadonlyMap<number, Row>) =>
    [...rows.values()].sort((a, b) => a.id - b.id)
  return {
    synchronizations,
    mailingUploads,
    sendings,
    platformMailings: byId(platformMailings),
    platformSendings: byId(platformSendings),
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
  const { listOf, ...customersAndLists } = assembleCustomers(findings, reader)
  const mailings = assembleMailings(findings, reader)
  return {
    $format: formatNumber,
    space,
    description,
    users: [{ name: space, password: space, rights: ['read', 'write'] }],
    ...customersAndLists,
    mailings: [...mailings.values()],
    ...assembleSynchronizations(findings.synchronizations, mailings, listOf, reader),
  }
}
