import { createHash } from 'node:crypto'
import type { Files } from './files.ts'
import { formatNumber } from './format.ts'
import { getOrMake } from './maps.ts'
import { weigh, weighDefinition } from './memory-budget.ts'
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
import { Base, BaseIndex, type ChangedRow, type Index, Table } from './table.ts'

/**
 * The tables that a save may write to, each with the key of its rows. Users are given by the fixture and stay. The
 * types of rows and tables follow from this.
 */
const keys = {
  customers: (row: Customer) => row.name,
  lists: (row: List) => row.id,
  accessibleLists: (row: AccessibleLists) => row.customer,
  mailings: (row: Mailing) => row.id,
  synchronizations: (row: Synchronization) => row.id,
  mailingUploads: (row: MailingUpload) => row.id,
  sendings: (row: Sending) => row.id,
  platformMailings: (row: PlatformMailing) => row.id,
  platformSendings: (row: PlatformSending) => row.id,
  testSynchronizations: (row: TestSynchronization) => row.id,
  settings: (row: Setting) => row.name,
}
type Keys = typeof keys
export type TableName = keyof Keys
export const tableNames = Object.keys(keys) as TableName[]
export type Rows = { [Name in TableName]: Parameters<Keys[Name]>[0] }
type Bases = { readonly [Name in TableName]: Base<ReturnType<Keys[Name]>, Rows[Name]> }
type AllTables = { readonly [Name in TableName]: Table<ReturnType<Keys[Name]>, Rows[Name]> }

/** Separates the two halves of a transaction's key; neither a UUID nor a transaction ID contains it. */
const transactionKey = (synchronizationId: string, transactionId: string) =>
  `${synchronizationId} ${transactionId}`

const isUnfinished = ({ plan, step }: Sending) => step < plan.length - 1

/** The tables whose IDs are skipped, with the member of a sending that tells whether it has one. */
const skippable = [
  ['platformMailings', 'platformMailingId'],
  ['platformSendings', 'platformSendingId'],
] as const

const firstPlatformIds = { platformMailings: 100001, platformSendings: 500001 }
type PlatformIds = typeof firstPlatformIds

/** How a space continues after a snapshot or a control call that sets its content: the settings row `beginning`. */
export interface ContentOrigin {
  readonly seed: number
  /** Number of saves before the snapshot. New rows get different IDs than the existing ones. */
  readonly age: number
  /** Whether a control call set it for one space. A reset then returns to it, not to the space's fixture. */
  readonly isGiven: boolean
  /** The next IDs on the platform, since the rows of a snapshot do not show which were left out. */
  readonly nextIds?: PlatformIds | undefined
}

/** The settings row that lets a fixture continue where its snapshot was taken. */
export const toBeginningRow = ({ nextIds, ...origin }: ContentOrigin): Setting => ({
  name: 'beginning',
  value: { ...origin, ...(nextIds && { nextIds }) },
})

/** Reads the row `beginning` of a fixture's settings. */
export function readBeginning(settings: readonly Setting[]): ContentOrigin | undefined {
  const value = settings.find(({ name }) => name === 'beginning')?.value
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  const { seed, age, isGiven, nextIds } = value
  if (!Number.isSafeInteger(seed) || !Number.isSafeInteger(age)) return undefined
  const ids = nextIds as PlatformIds | undefined
  const isWhole = Number.isSafeInteger(ids?.platformMailings) && Number.isSafeInteger(ids?.platformSendings)
  return {
    seed: seed as number,
    age: age as number,
    isGiven: isGiven === true,
    ...(isWhole && { nextIds: ids }),
  }
}

/** The values by which rows are found, besides their keys: the table, and the value of a row. */
const groups = {
  synchronizationsOfMailing: ['synchronizations', (row: Synchronization) => row.mailingId],
  uploadsOfSynchronization: ['mailingUploads', (row: MailingUpload) => row.synchronizationId],
  sendingsOfSynchronization: [
    'sendings',
    ({ synchronizationId, hidden }: Sending) => (hidden ? null : synchronizationId),
  ],
  sendingsOfTransaction: [
    'sendings',
    ({ synchronizationId, transactionId }: Sending) =>
      transactionId === null ? null : transactionKey(synchronizationId, transactionId),
  ],
} as const
type IndexName = keyof typeof groups
const indexNames = Object.keys(groups) as IndexName[]
type Indexes = { readonly [Name in IndexName]: BaseIndex<Rows[(typeof groups)[Name][0]]> }
type AllIndexes = { readonly [Name in IndexName]: Index<Rows[(typeof groups)[Name][0]]> }

type AnyTable = Table<unknown, object>

const fromNames = <Name extends string>(names: readonly Name[], value: (name: Name) => unknown): unknown =>
  Object.fromEntries(names.map(name => [name, value(name)]))

/** A fixture prepared for sharing between spaces: rows by key, indexes, digest. Immutable. */
export class Content {
  readonly fixture: Fixture
  readonly users: readonly User[]
  readonly bases: Bases
  readonly indexes: Indexes
  readonly unfinished: readonly string[]
  /** Undefined for a hand-written fixture. */
  readonly beginning: ContentOrigin | undefined
  #digest: string | undefined
  /** Whether a list was deleted. */
  readonly hasRemovedLists: boolean
  readonly #isAlike: boolean

  /** @param alike a content that may differ only in its settings; its rows and indexes are then shared */
  constructor(fixture: Fixture, alike?: Content) {
    this.fixture = fixture
    this.beginning = readBeginning(fixture.settings ?? [])
    this.users = fixture.users
    const isAlike =
      alike !== undefined &&
      tableNames.every(name => name === 'settings' || fixture[name] === alike.fixture[name])
    this.#isAlike = isAlike
    this.bases = fromNames(tableNames, name =>
      isAlike && name !== 'settings'
        ? alike.bases[name]
        : new Base<unknown, object>(fixture[name] ?? [], keys[name] as (row: object) => unknown),
    ) as Bases
    this.indexes = isAlike
      ? alike.indexes
      : (fromNames(
          indexNames,
          name => new BaseIndex<never>(fixture[groups[name][0]] as never[], groups[name][1]),
        ) as Indexes)
    this.hasRemovedLists = isAlike ? alike.hasRemovedLists : fixture.lists.some(it => it.removedAt)
    this.unfinished = isAlike ? alike.unfinished : fixture.sendings.filter(isUnfinished).map(({ id }) => id)
  }

  /** Bytes of what it does not share with another content, roughly. */
  get ownBytes(): number {
    const { settings, ...others } = this.fixture
    return weighDefinition(settings) + (this.#isAlike ? 0 : weigh(others))
  }

  /**
   * SHA-256 of the fixture's JSON. Identifies the content that a space's changes are relative to. Computed on demand: it is
   * slow for a large fixture and not needed in memory.
   */
  get digest(): string {
    this.#digest ??= createHash('sha256').update(this.json).digest('hex')
    return this.#digest
  }

  /** The fixture as JSON; made on demand, since few spaces write it. */
  get json(): string {
    return JSON.stringify(this.fixture)
  }
}

/** The tables of one space and their indexes, made from `keys` and `groups`, and look-ups across them. */
export class Tables extends (Object as unknown as new () => AllTables & AllIndexes) {
  /** IDs of sendings whose plan has steps left, so that time alone may still change them. */
  readonly unfinished: Set<string>
  /**
   * How many platform IDs are left out: those of what would exist if every sending that ended in INDETERMINATE_FAILURE had
   * been sent. Without gaps for them, the next ID would tell whether it was.
   */
  readonly #skippedIds = { platformMailings: 0, platformSendings: 0 }
  readonly #firstIds: PlatformIds
  /** Whether a list may have been deleted. Usually none was, and nobody has to look a list up for that. */
  hasRemovedLists: boolean
  /** Counts the bytes of all rows that differ from the content, roughly. */
  readonly changed = { bytes: 0 }

  constructor({ bases, indexes, unfinished, beginning, hasRemovedLists }: Content) {
    super()
    this.hasRemovedLists = hasRemovedLists
    this.#firstIds = beginning?.nextIds ?? firstPlatformIds
    this.unfinished = new Set(unfinished)
    // One by one: through entries it takes twice as long, and half of the time of a reset.
    const own = this as unknown as Record<string, AnyTable | Index<object>>
    for (const name of tableNames) own[name] = new Table(bases[name] as Base<unknown, object>, this.changed)
    for (const name of indexNames)
      own[name] = (own[groups[name][0]] as AnyTable).index(indexes[name] as BaseIndex<object>)
  }

  /** The sending that holds this transaction ID within the synchronization (spec 4.1, body rules). */
  sendingOfTransaction(synchronizationId: string, transactionId: string): Sending | undefined {
    const key = transactionKey(synchronizationId, transactionId)
    // The latest, since a later sending may reuse an expired transaction ID.
    const position = this.sendingsOfTransaction.last(key)
    return position === undefined ? undefined : this.sendings.at(position)
  }

  /** The ID of the next platform mailing or sending. IDs are consecutive but for the skipped ones. */
  nextPlatformId(table: keyof PlatformIds): number {
    return this[table].nextNumber(this.#firstIds[table], this.#skippedIds[table])
  }

  /** Adds a row, or replaces the one with its key. @returns what the row replaced, for `takeBack` */
  put(table: TableName, row: object, sequence: number): ChangedRow<object> | undefined {
    const before = (this[table] as AnyTable).put(row, sequence)
    if (table === 'sendings') this.#trackSending(row as Sending, before?.row as Sending | undefined)
    else if (table === 'lists') this.hasRemovedLists ||= (row as List).removedAt !== undefined
    return before
  }

  /** Undoes the put of a row. Later changes have to be undone first. @param before what the put returned */
  takeBack(table: TableName, row: object, before: ChangedRow<object> | undefined): void {
    ;(this[table] as AnyTable).takeBack(row, before)
    if (table === 'sendings') this.#trackSending(before?.row as Sending | undefined, row as Sending)
  }

  /** Puts a row that was read from a file. @throws Error saying what this version cannot have written */
  restore(table: string, row: unknown, sequence: number): void {
    if (!tableNames.some(name => name === table)) throw new Error(`unknown table ${JSON.stringify(table)}`)
    if (typeof row !== 'object' || row === null) throw new Error(`expected a row of ${table}`)
    const key = (this[table as TableName] as AnyTable).keyOf(row)
    if (typeof key !== 'string' && typeof key !== 'number') throw new Error(`a row of ${table} has no key`)
    this.put(table as TableName, row, sequence)
  }

  /** A sending has come in place of another one, or of none; without `sending` it has gone. */
  #trackSending(sending: Sending | undefined, before: Sending | undefined): void {
    const { id, plan } = (sending ?? before)!
    if (sending && isUnfinished(sending)) this.unfinished.add(id)
    else if (this.unfinished.size > 0) this.unfinished.delete(id)
    if (plan.at(-1)!.state !== 'INDETERMINATE_FAILURE') return
    for (const [table, member] of skippable) {
      const isSkipped = (row: Sending | undefined) => row && !isUnfinished(row) && row[member] === null
      this.#skippedIds[table] += Number(isSkipped(sending) ?? false) - Number(isSkipped(before) ?? false)
    }
  }

  /** The whole content as a fixture. */
  toFixture(space: string, users: readonly User[]): Fixture {
    const rows = Object.fromEntries(tableNames.map(name => [name, [...this[name].rows()]]))
    return { $format: formatNumber, space, users: [...users], ...rows } as unknown as Fixture
  }
}

export const contentFileName = (digest: string) => `fixtures/${digest}.json`

/**
 * The contents on disk that spaces started from, with the files that refer to them. A content without references is
 * removed; otherwise they would grow with every snapshot that is restored. This covers only contents written in this run,
 * since older ones may have references in files that are not read yet.
 */
export class ContentFiles {
  readonly #files: Files
  readonly #isPermanent: (digest: string) => boolean
  /** Files that refer to a content, by its digest. */
  readonly #namedBy = new Map<string, Set<string>>()
  /** Digests of the contents that a file refers to, by file. */
  readonly #names = new Map<string, Set<string>>()

  /** @param isLasting whether a content stays without references, such as one that every new space starts from */
  constructor(files: Files, isLasting: (digest: string) => boolean = () => false) {
    this.#files = files
    this.#isPermanent = isLasting
  }

  /**
   * Writes a content, unless it exists, for a file that will refer to it.
   * @returns the number of characters written that may be removed again
   * @throws StorageError when it cannot be written
   */
  retain(content: Content, by: string): number {
    const { digest } = content
    let written = 0
    this.#files.writeOnce(contentFileName(digest), () => {
      const { json } = content
      written = json.length
      return json
    })
    const goes = written > 0 && !this.#isPermanent(digest)
    if (goes) this.#namedBy.set(digest, new Set())
    this.#addReference(digest, by)
    return goes ? written : 0
  }

  /** Records that a file now refers to this content only, or to none. */
  setReference(file: string, digest: string | undefined): void {
    if (digest !== undefined) this.#addReference(digest, file)
    for (const other of this.#names.get(file) ?? []) if (other !== digest) this.#dropReference(other, file)
  }

  /** Removes files that may refer to contents. @throws StorageError when one of them cannot be removed */
  removeReferring(files: readonly string[]): void {
    this.#files.remove(files)
    for (const file of files) this.setReference(file, undefined)
  }

  #addReference(digest: string, file: string): void {
    const files = this.#namedBy.get(digest)
    if (!files) return
    files.add(file)
    getOrMake(this.#names, file, () => new Set()).add(digest)
  }

  #dropReference(digest: string, file: string): void {
    const digests = this.#names.get(file)!
    digests.delete(digest)
    if (digests.size === 0) this.#names.delete(file)
    const files = this.#namedBy.get(digest)!
    files.delete(file)
    if (files.size > 0) return
    this.#namedBy.delete(digest)
    try {
      this.#files.remove([contentFileName(digest)])
    } catch {
      // A file that is left over does no harm.
    }
  }
}
