import type { Faker } from '@faker-js/faker'
import type {
  Fixture,
  List,
  Mailing,
  MailingUpload,
  PlatformMailing,
  PlatformSending,
  Sending,
  Synchronization,
  Version,
} from '../rows.ts'
import { instant, pointsIn, type Span } from './dates.ts'

type Order = Readonly<{ faker: Faker; count: number }>
type Target = { synchronization: Synchronization; mailing: Mailing; list: List }

const cause = 'generated'
const later = (date: string, other: string | null) => (other !== null && other > date ? other : date)

/**
 * Plays so many uploads and sendings on a fixture's synchronizations, each with what it leaves on the platform.
 * They go to the fresh synchronizations; only without a fitting one among those, to the ones that were there.
 * @throws Error when there is nothing to upload or to send
 */
export function addRequests(
  all: Fixture,
  fresh: readonly Synchronization[],
  span: Span,
  uploads: Order,
  sendings: Order,
): Fixture {
  if (uploads.count === 0 && sendings.count === 0) return all
  const play = new Play(all, span)
  const approved = new Set(all.mailings.filter(it => it.approved).map(it => it.id))
  const ready = (it: Synchronization) => approved.has(it.mailingId)
  const firstFilled = (...choices: (readonly Synchronization[])[]) => choices.find(it => it.length > 0) ?? []
  const toUpload = firstFilled(fresh, all.synchronizations)
  const toSend = firstFilled(fresh.filter(ready), all.synchronizations.filter(ready))
  if (uploads.count > 0 && toUpload.length === 0) {
    throw new Error(
      `mailing-uploads=${uploads.count} needs a synchronization, and space "${all.space}" has none: add synchronizations=1 or more`,
    )
  }
  if (sendings.count > 0 && toSend.length === 0) {
    throw new Error(
      `sendings=${sendings.count} needs a synchronization whose mailing is approved, and space "${all.space}" has none: add mailings=1,synchronizations=1 or more`,
    )
  }
  const requests = [
    ...pointsIn(span, uploads.count, uploads.faker).map(at => ({
      at,
      make: () => play.upload(uploads.faker, toUpload, at),
    })),
    ...pointsIn(span, sendings.count, sendings.faker).map(at => ({
      at,
      make: () => play.send(sendings.faker, toSend, at),
    })),
  ]
  // The platform numbers its mailings as they come, whoever asks for them.
  for (const request of requests.sort((one, other) => one.at - other.at)) request.make()
  return play.result()
}

class Play {
  readonly #all: Fixture
  readonly #span: Span
  readonly #synchronizations: Map<string, Synchronization>
  readonly #mailings: Map<string, Mailing>
  readonly #lists: Map<number, List>
  readonly #uploads: MailingUpload[] = []
  readonly #sendings: Sending[] = []
  readonly #platformMailings: PlatformMailing[] = []
  readonly #platformSendings: PlatformSending[] = []
  #lastMailing: number
  #lastSending: number

  constructor(all: Fixture, span: Span) {
    this.#all = all
    this.#span = span
    this.#synchronizations = new Map(all.synchronizations.map(it => [it.id, it]))
    this.#mailings = new Map(all.mailings.map(it => [it.id, it]))
    this.#lists = new Map(all.lists.map(it => [it.id, it]))
    this.#lastMailing = all.platformMailings.reduce((most, { id }) => Math.max(most, id), 100_000)
    this.#lastSending = all.platformSendings.reduce((most, { id }) => Math.max(most, id), 500_000)
  }

  upload(faker: Faker, choice: readonly Synchronization[], at: number): void {
    const target = this.#target(faker.helpers.arrayElement(choice).id)
    const created = instant(at)
    const modified = faker.datatype.boolean({ probability: 0.8 }) ? created : instant(this.#after(faker, at))
    this.#uploads.push({
      id: faker.string.uuid(),
      synchronizationId: target.synchronization.id,
      creationDate: created,
      modificationDate: modified,
      platformMailingId: this.#addMailing(target, {
        origin: 'mailing-upload',
        version: (target.mailing.draft ?? target.mailing.approved)!,
        createdAt: created,
        approvedAt: null,
      }),
    })
    this.#modify(target.synchronization, modified, {
      mailingUploadsModificationDate: later(modified, target.synchronization.mailingUploadsModificationDate),
    })
  }

  send(faker: Faker, choice: readonly Synchronization[], at: number): void {
    const target = this.#target(faker.helpers.arrayElement(choice).id)
    const created = instant(at)
    const id = faker.string.uuid()
    const version = target.mailing.approved!
    const name = faker.datatype.boolean({ probability: 0.1 }) ? `${version.name}, resent` : null
    const schedule = faker.datatype.boolean({ probability: 0.2 }) ? instant(this.#after(faker, at)) : null
    const platformMailingId = this.#addMailing(target, {
      origin: 'sending',
      version: { ...version, name: name ?? version.name },
      createdAt: created,
      approvedAt: created,
    })
    this.#lastSending++
    this.#platformSendings.push({
      id: this.#lastSending,
      platformMailingId,
      kind: 'list',
      recipients: target.list.recipients,
      addresses: null,
      requestedAt: created,
      startsAt: schedule ?? created,
      cause,
    })
    this.#sendings.push({
      id,
      synchronizationId: target.synchronization.id,
      creationDate: created,
      scheduleDate: schedule,
      // From the row's own ID: unique without looking at the others.
      transactionId: faker.datatype.boolean({ probability: 0.9 })
        ? `letter-${created.slice(0, 10)}-${id.replaceAll('-', '')}`
        : null,
      name,
      subject: null,
      plan: [{ state: 'CREATED' }],
      step: 0,
      stepSince: created,
      stepAttempts: 1,
      platformMailingId,
      platformSendingId: this.#lastSending,
      cause,
    })
    this.#modify(target.synchronization, created, { sendingsModificationDate: created })
  }

  result(): Fixture {
    const all = this.#all
    return {
      ...all,
      synchronizations: [...this.#synchronizations.values()],
      mailingUploads: [...all.mailingUploads, ...this.#uploads],
      sendings: [...all.sendings, ...this.#sendings],
      platformMailings: [...all.platformMailings, ...this.#platformMailings],
      platformSendings: [...all.platformSendings, ...this.#platformSendings],
    }
  }

  #target(id: string): Target {
    const synchronization = this.#synchronizations.get(id)!
    const mailing = this.#mailings.get(synchronization.mailingId)!
    return { synchronization, mailing, list: this.#lists.get(synchronization.listId)! }
  }

  #after(faker: Faker, at: number): number {
    return faker.number.int({ min: at + 1, max: this.#span.to + 1 })
  }

  /** The base's rows belong to the caller, so a changed row is a new one. */
  #modify(row: Synchronization, date: string, change: Partial<Synchronization>): void {
    const modificationDate = later(date, row.modificationDate)
    this.#synchronizations.set(row.id, { ...row, ...change, modificationDate })
  }

  #addMailing(
    { synchronization, list }: Target,
    made: Pick<PlatformMailing, 'origin' | 'createdAt' | 'approvedAt'> & { version: Version },
  ): number {
    const { version, ...rest } = made
    this.#lastMailing++
    this.#platformMailings.push({
      id: this.#lastMailing,
      ...rest,
      customer: list.customer,
      listId: list.id,
      name: version.name,
      subject: version.subject,
      mailingId: synchronization.mailingId,
      version: version.number,
      cause,
    })
    return this.#lastMailing
  }
}
