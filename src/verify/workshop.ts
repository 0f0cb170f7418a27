import { CannotVerify } from './cannot-verify.ts'
import { type Exchange, isSuccess } from './exchange.ts'
import { isObject, member, text } from './hal.ts'
import { lacking } from './outcome.ts'
import type { Target } from './target.ts'
import { listIdsOf, type World } from './world.ts'

/** A list to which mailings may really go out: its recipients know that they are tested with. */
export interface SendTo {
  readonly customer: string
  readonly listId: number
}

export interface WorkshopOptions {
  readonly seed: number
  readonly sendTo?: SendTo | undefined
  /** Hears, before anything is created, what will be. */
  readonly announce?: ((lines: readonly string[]) => void) | undefined
}

/** A synchronization of our own. */
export interface Own {
  readonly id: string
  readonly mailingId: string | undefined
  readonly exchange: Exchange
}

/** A sending of our own. */
export interface Created {
  readonly exchange: Exchange
  readonly id: string
  readonly transactionId: string
  readonly synchronization: Own
}

/** So far ahead that nothing goes out before somebody has cancelled it. */
export const farDate = '2099-12-31T12:00:00.000Z'
/** An address at which nothing ever arrives (RFC 2606). */
export const nobody = 'verification@mailing-sync-mock.invalid'

/**
 * What verifying creates: synchronizations of its own and all else within them. Sendings are scheduled for a far date,
 * unless a list was named to which mailings may go out. Each thing is made when a check first needs it.
 */
export class Workshop {
  readonly world: World
  /** What was created, for whoever clears up: a line for each thing. */
  readonly made = new Set<string>()
  readonly sendTo: SendTo | undefined
  readonly #seed: number
  readonly #announce: WorkshopOptions['announce']
  readonly #undo: ((target: Target) => Promise<Exchange>)[] = []
  #transactions = 0

  constructor(world: World, { seed, sendTo, announce }: WorkshopOptions) {
    this.world = world
    this.#seed = seed
    this.sendTo = sendTo
    this.#announce = announce
  }

  /** Recognisable, the same for the same seed, and another one each time. */
  transactionId(): string {
    this.#transactions++
    return `verify-${this.#seed}.${this.#transactions}`
  }

  post(address: string, body: unknown, headers?: Readonly<Record<string, string>>): Promise<Exchange> {
    return this.send('POST', address, JSON.stringify(body), headers)
  }

  async send(
    method: string,
    address: string,
    body: string,
    headers?: Readonly<Record<string, string>>,
  ): Promise<Exchange> {
    await this.world.once('announced', async () => this.#announce?.(await this.plan()))
    return this.world.target.ask(method, address, { body, ...(headers && { headers }) })
  }

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
      `mailing-uploads to the same list, and test sendings to ${nobody}${this.sendTo ? ' and to its test-mail groups' : ''}`,
      'the accessible-lists configuration of a customer, which is put back afterwards as far as it can be',
    ]
  }

  get name(): string {
    return `Verification by mailing-sync-mock, seed ${this.#seed}`
  }

  /** Where things are made. */
  place(): Promise<SendTo & { readonly mailingId: string | undefined }> {
    return this.world.once('place', async () => {
      const { items } = await this.world.mailings()
      const approved = items.find(it => String(member(it, 'isApproved')) === 'true')
      const mailingId = text(approved, 'id')
      return { ...(this.sendTo ?? (await this.#firstList())), mailingId }
    })
  }

  /** @throws CannotVerify where the list that was named is plainly none of the customer's */
  async expectSendTo(): Promise<void> {
    if (!this.sendTo) return
    const { customer, listId } = this.sendTo
    const { exchange, items, next } = await this.world.lists(customer)
    const ids = items.map(it => member(it, 'id'))
    const isClear = next === undefined && ids.length > 0 && ids.every(it => /^[1-9]\d*$/.test(String(it)))
    if (exchange.status !== 404 && (!isClear || ids.map(Number).includes(listId))) return
    throw new CannotVerify(
      `--send-to is ${customer}/${listId}, but this user sees no such list; GET ${this.world.customerPath(customer, '/lists')} says what there is`,
    )
  }

  async #firstList(): Promise<SendTo> {
    for (const customer of await this.world.customerNames()) {
      const { items } = await this.world.lists(customer)
      const [listId] = listIdsOf(items)
      if (listId !== undefined) return { customer, listId }
    }
    return lacking('no customer has a list that the space may use')
  }

  /** A mailing synchronization of our own. */
  async synchronize(body: object): Promise<Exchange> {
    const { customer, listId } = await this.place()
    const exchange = await this.post(this.world.synchronizationsPath(), { customer, listId, ...body })
    if (!isSuccess(exchange)) return exchange
    const id = text(exchange.json, 'id')
    this.made.add(
      `mailing synchronization ${id ?? 'without ID'} with mailing ${text(exchange.json, 'mailingId') ?? 'without ID'}`,
    )
    this.world.note('synchronization', exchange, id)
    return exchange
  }

  /** Of an approved mailing: sendings can be created. @throws Lacking where none can be made */
  ready = (): Promise<Own> => this.#own('ready', async () => ({ mailingId: await this.approved() }))

  /** Of another one, to ask for what belongs to the first. */
  second = (): Promise<Own> => this.#own('second', async () => ({ mailingId: await this.approved() }))

  /** Of a new mailing, which has a draft only. */
  draft = (): Promise<Own> => this.#own('draft', async () => ({ mailingName: this.name }))

  async approved(): Promise<string> {
    return (await this.place()).mailingId ?? lacking('there is no approved mailing to send')
  }

  #own(name: string, body: () => Promise<object>): Promise<Own> {
    return this.world.once(`own ${name}`, async () => {
      const exchange = await this.synchronize(await body())
      const id = text(exchange.json, 'id')
      if (!isSuccess(exchange) || id === undefined)
        return lacking(`creating a mailing synchronization was answered ${exchange.status}`)
      return { id, mailingId: text(exchange.json, 'mailingId'), exchange }
    })
  }

  sendingsPath = ({ id }: Pick<Own, 'id'>): string => this.world.synchronizationPath(id, '/sendings')

  /** A sending that goes out at a far date, or whatever else the members say. */
  async create(own: Own, members: object, headers?: Readonly<Record<string, string>>): Promise<Exchange> {
    const exchange = await this.post(this.sendingsPath(own), { scheduleDate: farDate, ...members }, headers)
    this.keep(exchange, own)
    return exchange
  }

  /** Takes the answer to creating a sending for a sending that was seen. */
  keep(exchange: Exchange, { id }: Pick<Own, 'id'>): void {
    if (!isSuccess(exchange)) return
    this.made.add(`sending ${text(exchange.json, 'id') ?? 'without ID'} of mailing synchronization ${id}`)
    this.world.note('sending', exchange, id)
  }

  /** The first sending of our own. @throws Lacking where none can be made */
  first = (): Promise<Created> =>
    this.world.once('first sending', async () => {
      const synchronization = await this.ready()
      const transactionId = this.transactionId()
      const exchange = await this.create(synchronization, { transactionId, name: this.name })
      const id = text(exchange.json, 'id')
      if (!isSuccess(exchange) || id === undefined)
        return lacking(`creating a sending was answered ${exchange.status}, as 4.1 tells`)
      return { exchange, id, transactionId, synchronization }
    })

  /** The first sending's request again, with other members beside its transaction ID. */
  repeated = (): Promise<Exchange> =>
    this.world.once('repeated sending', async () => {
      const { synchronization, transactionId } = await this.first()
      return this.create(synchronization, {
        transactionId,
        name: 'Another name',
        scheduleDate: '2098-01-01T00:00:00.000Z',
      })
    })

  /** Puts a configuration; it becomes what it was when all is over. */
  async configure(customer: string, body: object): Promise<Exchange> {
    const address = this.world.configurationPath(customer)
    await this.world.once(`keep configuration of ${customer}`, async () => {
      const before = await this.world.target.get(address)
      if (isSuccess(before) && !isObject(before.json))
        return lacking('a configuration that cannot be read could not be put back')
      const { permitAll = true, permittedLists = [] } = (isSuccess(before) ? before.json : {}) as {
        permitAll?: unknown
        permittedLists?: unknown
      }
      const isThere = isSuccess(before)
      this.made.add(
        `accessible-lists configuration of "${customer}", ${isThere ? 'put back as it was' : 'which did not exist, and now permits all lists'}`,
      )
      const body = JSON.stringify({ permitAll, permittedLists })
      this.#undo.push(target => target.ask('PUT', address, { body }))
    })
    const exchange = await this.send('PUT', address, JSON.stringify(body))
    if (isSuccess(exchange) && exchange.text !== '') this.world.note('configuration', exchange)
    return exchange
  }

  /**
   * Puts back what can be put back.
   * @param target another way to it, where the usual one was interrupted
   * @returns whether all of it could
   */
  async close(target: Target = this.world.target): Promise<boolean> {
    let isRestored = true
    for (const undo of this.#undo.splice(0)) {
      const answer = await undo(target).catch(() => undefined)
      isRestored &&= answer !== undefined && isSuccess(answer)
    }
    return isRestored
  }
}
