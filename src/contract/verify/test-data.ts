import { CannotVerify } from './cannot-verify.ts'
import { type Exchange, isRefused, isSuccess } from './exchange.ts'
import { cannotCheck } from './outcome.ts'
import type { AskOptions, Target } from './target.ts'
import { listIdsOf, type TargetReader } from './target-reader.ts'
import { describeValue, isTrue, memberAt, textAt } from './unknown-json.ts'

/** A list to which mailings may really be sent: its recipients know that it is used for tests. */
export interface SendTo {
  readonly customer: string
  readonly listId: number
}

interface TestDataOptions {
  readonly seed: number
  readonly sendTo?: SendTo | undefined
  /** Called with what will be created, before anything is. */
  readonly announce?: ((lines: readonly string[]) => void) | undefined
}

interface OwnSynchronization {
  readonly id: string
  readonly mailingId: string | undefined
  readonly exchange: Exchange
}

/** A date far in the future: a person can cancel the sending before it goes out. */
export const farDate = '2099-12-31T12:00:00.000Z'
/** No sending is created for an earlier time. */
const farFromNow = Date.parse('2090-01-01')
/** An address that receives nothing (RFC 2606). */
export const invalidAddress = 'verification@mailing-sync-mock.invalid'

interface CreateOptions {
  /** Where; by default in the synchronization that is ready. */
  readonly own?: Pick<OwnSynchronization, 'id'>
  readonly headers?: AskOptions['headers']
}

/**
 * Creates the data that checks need: synchronizations of its own and everything else within them. Sendings
 * are scheduled for a far date, unless a list was named to which mailings may be sent. Each thing is created
 * when a check first needs it.
 */
export class TestData {
  readonly reader: TargetReader
  /** What was created, one line for each thing, for cleaning up. */
  readonly created = new Set<string>()
  readonly sendTo: SendTo | undefined
  /** Of the editor mailings that are made. */
  readonly name: string
  readonly #seed: number
  readonly #announce: TestDataOptions['announce']
  /** By customer, whose configuration was changed. */
  readonly #changed = new Map<string, ChangedConfiguration>()
  #transactions = 0
  /** The first sending, which shows whether dates are kept. */
  #first: { readonly syncId: string; readonly id: string } | undefined
  /** A sending that was created otherwise than for its date. */
  #unscheduled: { readonly id: string | undefined; readonly sentence: string } | undefined

  constructor(reader: TargetReader, { seed, sendTo, announce }: TestDataOptions) {
    this.reader = reader
    this.#seed = seed
    this.name = `Verification by mailing-sync-mock, seed ${seed}`
    this.sendTo = sendTo
    this.#announce = announce
  }

  /** A new transaction ID: recognisable, and the same for the same seed. */
  transactionId(): string {
    this.#transactions++
    return `verify-${this.#seed}.${this.#transactions}`
  }

  post(address: string, body: unknown, headers: AskOptions['headers'] = {}): Promise<Exchange> {
    return this.send('POST', address, JSON.stringify(body), headers)
  }

  /** Sends a request that may change something; the first one is announced. */
  async send(
    method: string,
    address: string,
    body: string,
    headers: AskOptions['headers'] = {},
  ): Promise<Exchange> {
    await this.#announcePlan()
    return this.reader.target.ask(method, address, { body, headers })
  }

  #announcePlan = () => this.reader.once('announced', async () => this.#announce?.(await this.plan()))

  /** What will be created, in words. */
  async plan(): Promise<string[]> {
    const { customer, listId, mailingId } = await this.place()
    const when = this.sendTo
      ? 'at once to this list, and for 2099'
      : 'all scheduled for the end of 2099; cancel them there'
    return [
      `some mailing synchronizations with list ${listId} of customer "${customer}"; their editor mailings are called "${this.name}"`,
      ...(mailingId === undefined
        ? []
        : [`sendings of mailing ${mailingId} with transaction IDs verify-${this.#seed}.…, ${when}`]),
      `mailing-uploads to the same list, and test sendings to ${invalidAddress}${this.sendTo ? ' and to its test-mail groups' : ''}`,
    ]
  }

  /** The customer, list and mailing for the test data. */
  place(): Promise<SendTo & { readonly mailingId: string | undefined }> {
    return this.reader.once('place', async () => {
      const { items } = await this.reader.mailings()
      const approved = items.find(it => isTrue(it, 'isApproved'))
      const mailingId = textAt(approved, 'id')
      return { ...(this.sendTo ?? (await this.#firstList())), mailingId }
    })
  }

  /** @throws CannotVerify if the customer plainly does not have the named list */
  async expectSendTo(): Promise<void> {
    if (!this.sendTo) return
    const { customer, listId } = this.sendTo
    const { exchange, items, next } = await this.reader.lists(customer)
    const ids = items.map(it => memberAt(it, 'id'))
    const isClear = next === undefined && ids.length > 0 && ids.every(it => /^[1-9]\d*$/.test(String(it)))
    if (exchange.status !== 404 && (!isClear || ids.map(Number).includes(listId))) return
    throw new CannotVerify(
      `--send-to is ${customer}/${listId}, but this user sees no such list; GET ${this.reader.path('listCustomerLists', { customer })} says what there is`,
    )
  }

  async #firstList(): Promise<SendTo> {
    for (const customer of await this.reader.customerNames()) {
      const { items } = await this.reader.lists(customer)
      const [listId] = listIdsOf(items)
      if (listId !== undefined) return { customer, listId }
    }
    return cannotCheck('no customer has a list that the space may use')
  }

  /** Asks for a synchronization in our place, unless the body names another one, and records what is created. */
  async synchronize(body: object): Promise<Exchange> {
    const { customer, listId } = await this.place()
    const exchange = await this.post(this.reader.synchronizationsPath(), { customer, listId, ...body })
    if (!isSuccess(exchange)) return exchange
    const id = textAt(exchange.json, 'id')
    this.created.add(
      `mailing synchronization ${id ?? 'without ID'} with mailing ${textAt(exchange.json, 'mailingId') ?? 'without ID'}`,
    )
    this.reader.noteResource('synchronization', exchange, id)
    return exchange
  }

  #ofApproved = async () => ({ mailingId: await this.approvedMailingId() })

  /** A synchronization of an approved mailing: sendings can be created. @throws CannotCheck if none can be created */
  readySynchronization = () => this.#ownSynchronization('ready', this.#ofApproved)

  /** A second one, to request resources of the first under it. */
  secondSynchronization = () => this.#ownSynchronization('second', this.#ofApproved)

  /** A synchronization of a new mailing, which has only a draft. */
  draftSynchronization = () => this.#ownSynchronization('draft', async () => ({ mailingName: this.name }))

  /** The mailing that sendings are made of. @throws CannotCheck if none is approved */
  async approvedMailingId(): Promise<string> {
    return (await this.place()).mailingId ?? cannotCheck('there is no approved mailing to send')
  }

  #ownSynchronization(name: string, body: () => Promise<object>): Promise<OwnSynchronization> {
    return this.reader.once(`own ${name}`, async () => {
      const exchange = await this.synchronize(await body())
      const id = textAt(exchange.json, 'id')
      if (!isSuccess(exchange) || id === undefined)
        return cannotCheck(`creating a mailing synchronization was answered ${exchange.status}`)
      return { id, mailingId: textAt(exchange.json, 'mailingId'), exchange }
    })
  }

  sendingsPath = ({ id }: Pick<OwnSynchronization, 'id'>): string =>
    this.reader.path('listSendings', { syncId: id })

  /**
   * Creates a sending for a far date, unless the members say otherwise.
   * @throws CannotCheck if an earlier one was not scheduled: without a list to send to, no more may go out
   */
  async create(members: object, { own, headers }: CreateOptions = {}): Promise<Exchange> {
    const at = own ?? (await this.readySynchronization())
    await this.#expectUnsent()
    const exchange = await this.post(this.sendingsPath(at), { scheduleDate: farDate, ...members }, headers)
    this.note('sending', exchange, at.id)
    if (!isSuccess(exchange)) return exchange
    const id = textAt(exchange.json, 'id')
    this.#noteDate(id, 'scheduleDate', memberAt(exchange.json, 'scheduleDate'))
    if (this.#first || id === undefined) return exchange
    this.#first = { syncId: at.id, id }
    const statistics = await this.reader.statistics(at.id, id)
    if (this.sendTo) return exchange
    const read = await this.reader.sending(at.id, id)
    if (isSuccess(read)) this.#noteDate(id, 'scheduleDate', memberAt(read.json, 'scheduleDate'))
    this.#noteStart(statistics)
    return exchange
  }

  /** Looks again at the first sending, which may have started by now. @throws CannotCheck if any was not scheduled */
  async #expectUnsent(): Promise<void> {
    if (this.sendTo) return
    const { path, target } = this.reader
    if (this.#first) this.#noteStart(await target.get(path('getSendingStatistics', this.#first)))
    if (this.#unscheduled !== undefined)
      cannotCheck(`${this.#unscheduled.sentence}, so that more could be sent: name a list with --send-to`)
  }

  #noteStart({ json }: Exchange): void {
    const startDate = textAt(json, 'sendingStatistics.startDate')
    if (startDate !== undefined) this.#noteDate(this.#first!.id, 'startDate', startDate)
  }

  /** Notes a sending that has another date than the one that it was asked for. */
  #noteDate(id: string | undefined, name: string, date: unknown): void {
    const isNoted = id !== undefined && this.#unscheduled?.id === id
    if (isNoted || Date.parse(String(date)) > farFromNow) return
    const sentence = `sending ${id ?? 'without ID'} was asked for a date, but its ${name} is ${describeValue(date)}`
    this.#unscheduled = { id, sentence }
    this.created.add(`${sentence}: it may have been sent`)
  }

  /** Asks for a test sending. */
  async sendTest(body: object): Promise<Exchange> {
    const { id } = await this.readySynchronization()
    return this.post(this.reader.path('createTestSending', { syncId: id }), body)
  }

  /** Asks for a mailing-upload, and records what is created. */
  async upload({ id }: OwnSynchronization): Promise<Exchange> {
    const exchange = await this.post(this.reader.path('createMailingUpload', { syncId: id }), {})
    this.note('mailing-upload', exchange, id)
    return exchange
  }

  /** Two mailing-uploads of one synchronization, the later one last. */
  twoUploads = () =>
    this.reader.once('two uploads', async () => {
      const own = await this.readySynchronization()
      return { own, one: await this.upload(own), other: await this.upload(own) }
    })

  /** Records what an answer says to be created in a synchronization. */
  note(kind: 'sending' | 'mailing-upload', exchange: Exchange, syncId: string): void {
    if (!isSuccess(exchange)) return
    const id = textAt(exchange.json, 'id') ?? 'without ID'
    this.created.add(`${kind} ${id} of mailing synchronization ${syncId}`)
    this.reader.noteResource(kind, exchange, syncId)
  }

  /** The answer to creating the first sending. */
  firstAnswer = () =>
    this.reader.once('first sending', async () => {
      const synchronization = await this.readySynchronization()
      const transactionId = this.transactionId()
      const exchange = await this.create({ transactionId, name: this.name })
      return { exchange, transactionId, synchronization }
    })

  /** The first sending. @throws CannotCheck if none can be created */
  firstSending = async () => {
    const made = await this.firstAnswer()
    const id = textAt(made.exchange.json, 'id')
    if (!isSuccess(made.exchange) || id === undefined)
      return cannotCheck(`creating a sending was answered ${made.exchange.status}, as 4.1 tells`)
    return { ...made, id }
  }

  /** The answer to creating a sending without a transaction ID. */
  sendingWithoutId = (): Promise<Exchange> =>
    this.reader.once('sending without transaction ID', () => this.create({}))

  /** Repeats the first sending's request with other members beside its transaction ID. */
  repeatedSending = (): Promise<Exchange> =>
    this.reader.once('repeated sending', async () => {
      const { transactionId } = await this.firstSending()
      return this.create({ transactionId, name: 'Another name', scheduleDate: '2098-01-01T00:00:00.000Z' })
    })

  /** Puts a configuration. `putBack` restores the original one. */
  async putConfiguration(customer: string, body: object): Promise<Exchange> {
    const address = this.reader.configurationPath(customer)
    const isFirst = !this.#changed.has(customer)
    const changed = await this.reader.once(`keep configuration of ${customer}`, async () => {
      const before = await this.reader.target.get(address)
      const { permitAll, permittedLists } = isSuccess(before)
        ? ((before.json ?? {}) as Record<string, unknown>)
        : { permitAll: true, permittedLists: [] }
      if (permitAll !== true && !(permitAll === false && Array.isArray(permittedLists)))
        return cannotCheck('a configuration that cannot be read could not be put back')
      const what = `accessible-lists configuration of "${customer}"`
      const [later, left] = isSuccess(before)
        ? ['which is put back afterwards', 'put back as it was']
        : [
            'which has none: it cannot be removed again, and will permit all lists',
            'which did not exist, and now permits all lists',
          ]
      await this.#announcePlan()
      this.#announce?.([`${what}, ${later}`, `a mailing synchronization with a list of "${customer}"`])
      return { address, body: JSON.stringify({ permitAll, permittedLists }), what, left: `${what}, ${left}` }
    })
    this.#changed.set(customer, changed)
    this.created.add(changed.left)
    const exchange = await this.send('PUT', address, JSON.stringify(body))
    // A refusal changed nothing. Without an answer it may have.
    if (isFirst && isRefused(exchange)) {
      this.#changed.delete(customer)
      this.created.delete(changed.left)
    }
    if (isSuccess(exchange) && exchange.text !== '') this.reader.noteResource('configuration', exchange)
    return exchange
  }

  /**
   * Restores configurations; what could not be restored is told among what was created, with how to do it.
   * @param target another connection, if the usual one was interrupted
   */
  async putBack(target: Target = this.reader.target): Promise<void> {
    for (const { address, body, what, left } of this.#changed.values()) {
      const put = () => target.ask('PUT', address, { body }).catch(() => undefined)
      let answer = await put()
      // A fault may pass, as with reads.
      if (answer !== undefined && answer.status >= 500) answer = await put()
      if (answer !== undefined && isSuccess(answer)) continue
      this.created.delete(left)
      this.created.add(`${what} is not as it was, and could not be put back: PUT ${body} to ${address}`)
    }
    this.#changed.clear()
  }
}

/** A configuration that is not as it was. */
interface ChangedConfiguration {
  readonly address: string
  /** What makes it as it was. */
  readonly body: string
  /** In words, and what becomes of it. */
  readonly what: string
  readonly left: string
}
