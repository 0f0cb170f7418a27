import { createHash } from 'node:crypto'
import { formatNumber } from './format.ts'
import type {
  AccessibleLists,
  Customer,
  Fixture,
  List,
  Mailing,
  MailingUpload,
  PlatformMailing,
  PlatformSending,
  Sending,
  Setting,
  Synchronization,
  TestSynchronization,
  User,
} from './rows.ts'
import { Base, BaseIndex, type Index, Table } from './table.ts'

/** The tables that a save may write to, with their row types. Users are given by the fixture and stay. */
export interface Rows {
  customers: Customer
  lists: List
  accessibleLists: AccessibleLists
  mailings: Mailing
  synchronizations: Synchronization
  mailingUploads: MailingUpload
  sendings: Sending
  platformMailings: PlatformMailing
  platformSendings: PlatformSending
  testSynchronizations: TestSynchronization
  settings: Setting
}
export type TableName = keyof Rows
export const tableNames = [
  'customers',
  'lists',
  'accessibleLists',
  'mailings',
  'synchronizations',
  'mailingUploads',
  'sendings',
  'platformMailings',
  'platformSendings',
  'testSynchronizations',
  'settings',
] as const satisfies readonly TableName[]

/** Separates the two halves of a transaction's key; neither a UUID nor a transaction ID contains it. */
const transactionKey = (synchronizationId: string, transactionId: string) =>
  `${synchronizationId} ${transactionId}`

const isUnfinished = ({ plan, step }: Sending) => step < plan.length - 1

/** How a space goes on that was kept whole, or given by a control call: the row `beginning` of its settings. */
export interface Beginning {
  readonly seed: number
  /** How many saves there had been when it was kept: what is made from now on gets other IDs than what is there. */
  readonly age: number
  /** Whether a control call gave it to one space, so that a reset leads back to it and not to the space's fixture. */
  readonly isGiven: boolean
}

/** The row that makes a fixture go on where it was kept. */
export const beginningRow = (beginning: Beginning): Setting => ({
  name: 'beginning',
  value: { ...beginning },
})

/** The beginning that stands in the settings of a fixture. */
export function beginningIn(settings: readonly Setting[]): Beginning | undefined {
  const value = settings.find(({ name }) => name === 'beginning')?.value
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  const { seed, age, isGiven } = value
  if (!Number.isSafeInteger(seed) || !Number.isSafeInteger(age)) return undefined
  return { seed: seed as number, age: age as number, isGiven: isGiven === true }
}

const settingsBase = ({ settings = [] }: Fixture) => new Base(settings, (row: Setting) => row.name)

const basesOf = (fixture: Fixture) => ({
  customers: new Base(fixture.customers, (row: Customer) => row.name),
  lists: new Base(fixture.lists, (row: List) => row.id),
  accessibleLists: new Base(fixture.accessibleLists, (row: AccessibleLists) => row.customer),
  mailings: new Base(fixture.mailings, (row: Mailing) => row.id),
  synchronizations: new Base(fixture.synchronizations, (row: Synchronization) => row.id),
  mailingUploads: new Base(fixture.mailingUploads, (row: MailingUpload) => row.id),
  sendings: new Base(fixture.sendings, (row: Sending) => row.id),
  platformMailings: new Base(fixture.platformMailings, (row: PlatformMailing) => row.id),
  platformSendings: new Base(fixture.platformSendings, (row: PlatformSending) => row.id),
  testSynchronizations: new Base(fixture.testSynchronizations ?? [], (row: TestSynchronization) => row.id),
  settings: settingsBase(fixture),
})

const indexesOf = (fixture: Fixture) => ({
  listsOfCustomer: new BaseIndex(fixture.lists, (row: List) => row.customer),
  synchronizationsOfMailing: new BaseIndex(fixture.synchronizations, (row: Synchronization) => row.mailingId),
  uploadsOfSynchronization: new BaseIndex(
    fixture.mailingUploads,
    (row: MailingUpload) => row.synchronizationId,
  ),
  sendingsOfSynchronization: new BaseIndex(fixture.sendings, (row: Sending) => row.synchronizationId),
  sendingOfTransaction: new BaseIndex(fixture.sendings, (row: Sending) =>
    row.transactionId === null ? null : transactionKey(row.synchronizationId, row.transactionId),
  ),
})

/** A fixture made ready to be shared: its rows by key, its indexes, its digest. Immutable. */
export class Content {
  readonly fixture: Fixture
  readonly users: readonly User[]
  readonly bases: ReturnType<typeof basesOf>
  readonly indexes: ReturnType<typeof indexesOf>
  readonly unfinished: readonly string[]
  /** Undefined for a fixture that somebody wrote. */
  readonly beginning: Beginning | undefined
  #digest: string | undefined

  /** @param alike a content that may have the same rows but for its settings; then they are shared, not indexed again */
  constructor(fixture: Fixture, alike?: Content) {
    this.fixture = fixture
    this.beginning = beginningIn(fixture.settings ?? [])
    this.users = fixture.users
    const isAlike =
      alike && tableNames.every(name => name === 'settings' || fixture[name] === alike.fixture[name])
    this.bases = isAlike ? { ...alike.bases, settings: settingsBase(fixture) } : basesOf(fixture)
    this.indexes = isAlike ? alike.indexes : indexesOf(fixture)
    this.unfinished = isAlike ? alike.unfinished : fixture.sendings.filter(isUnfinished).map(({ id }) => id)
  }

  /**
   * SHA-256 of the fixture's JSON: names the content that a space's changes are relative to. Made when asked for, since it
   * takes as long as the fixture is large, and nobody asks for it in memory.
   */
  get digest(): string {
    this.#digest ??= createHash('sha256').update(this.json).digest('hex')
    return this.#digest
  }

  /** The fixture as a file; made when asked for, since few spaces ever write it. */
  get json(): string {
    return JSON.stringify(this.fixture)
  }

  /** Fresh tables over this content, with the indexes that the service looks things up by. */
  tables(): Tables {
    return new Tables(this)
  }
}

/** The tables of one space and the look-ups across them. */
export class Tables {
  readonly customers: Table<string, Customer>
  readonly lists: Table<number, List>
  readonly accessibleLists: Table<string, AccessibleLists>
  readonly mailings: Table<string, Mailing>
  readonly synchronizations: Table<string, Synchronization>
  readonly mailingUploads: Table<string, MailingUpload>
  readonly sendings: Table<string, Sending>
  readonly platformMailings: Table<number, PlatformMailing>
  readonly platformSendings: Table<number, PlatformSending>
  readonly testSynchronizations: Table<string, TestSynchronization>
  readonly settings: Table<string, Setting>
  readonly listsOfCustomer: Index<List>
  readonly synchronizationsOfMailing: Index<Synchronization>
  readonly uploadsOfSynchronization: Index<MailingUpload>
  readonly sendingsOfSynchronization: Index<Sending>
  readonly #sendingOfTransaction: Index<Sending>

  /** IDs of sendings whose plan has steps left: what the clock alone may still change. */
  readonly unfinished: Set<string>

  constructor({ bases, indexes, unfinished }: Content) {
    this.unfinished = new Set(unfinished)
    this.customers = new Table(bases.customers)
    this.lists = new Table(bases.lists)
    this.accessibleLists = new Table(bases.accessibleLists)
    this.mailings = new Table(bases.mailings)
    this.synchronizations = new Table(bases.synchronizations)
    this.mailingUploads = new Table(bases.mailingUploads)
    this.sendings = new Table(bases.sendings)
    this.platformMailings = new Table(bases.platformMailings)
    this.platformSendings = new Table(bases.platformSendings)
    this.testSynchronizations = new Table(bases.testSynchronizations)
    this.settings = new Table(bases.settings)
    this.listsOfCustomer = this.lists.index(indexes.listsOfCustomer)
    this.synchronizationsOfMailing = this.synchronizations.index(indexes.synchronizationsOfMailing)
    this.uploadsOfSynchronization = this.mailingUploads.index(indexes.uploadsOfSynchronization)
    this.sendingsOfSynchronization = this.sendings.index(indexes.sendingsOfSynchronization)
    this.#sendingOfTransaction = this.sendings.index(indexes.sendingOfTransaction)
  }

  /** The sending that holds this transaction ID within the synchronization (spec 4.1, body rules). */
  sendingOfTransaction(synchronizationId: string, transactionId: string): Sending | undefined {
    const key = transactionKey(synchronizationId, transactionId)
    // The latest: a transaction ID that was forgotten is taken again by a later sending.
    const position = this.#sendingOfTransaction.last(key)
    return position === undefined ? undefined : this.sendings.at(position)
  }

  put(table: TableName, row: object, sequence: number): void {
    if (table === 'sendings') this.#follow(row as Sending)
    ;(this[table] as Table<unknown, object>).put(row, sequence)
  }

  /**
   * Like `put`, for a change that may yet fail.
   * @returns what takes it back; whatever was put later has to be taken back before
   */
  putForNow(table: TableName, row: object, sequence: number): () => void {
    const takeBack = (this[table] as Table<unknown, object>).putForNow(row, sequence)
    if (table !== 'sendings') return takeBack
    const { id } = row as Sending
    const wasUnfinished = this.unfinished.has(id)
    this.#follow(row as Sending)
    return () => {
      takeBack()
      if (wasUnfinished) this.unfinished.add(id)
      else this.unfinished.delete(id)
    }
  }

  #follow(sending: Sending): void {
    if (isUnfinished(sending)) this.unfinished.add(sending.id)
    // Nearly always there is nothing to take out, and asking for the size is cheaper than looking.
    else if (this.unfinished.size > 0) this.unfinished.delete(sending.id)
  }

  /** Everything as a fixture file, so that a space can be saved and started from. */
  toFixture(space: string, users: readonly User[]): Fixture {
    const rows = Object.fromEntries(tableNames.map(name => [name, [...this[name].rows()]]))
    return { $format: formatNumber, space, users: [...users], ...rows } as unknown as Fixture
  }
}
