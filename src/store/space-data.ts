import { type Content, contentFileName, type Rows, type TableName, Tables, tableNames } from './content.ts'
import { DamageError, reason, StorageError } from './disk.ts'
import { type Appender, type Files, noFiles } from './files.ts'
import { storeFormat } from './format.ts'
import {
  begunName,
  formatLine,
  GroupCommit,
  initialChecksum,
  type LogEntry,
  type LogHeader,
  readLog,
  segmentOf,
} from './log.ts'
import { openSnapshot, type Snapshot, snapshotSize } from './snapshot.ts'
import type { ChangedRow } from './table.ts'
import type { TenantDirectory } from './tenant-directory.ts'

/** Rows to save, by table. One save stores all of them or none. */
export type Changes = { readonly [Name in TableName]?: readonly Rows[Name][] }

export interface SpaceStorage {
  readonly files: Files
  /** Common beginning of the names of its files, which no other space has. */
  readonly stem: string
  /** The contents that spaces start from. */
  readonly contents: Pick<TenantDirectory, 'contentFiles' | 'findContent'>
}

/**
 * Minimum size of the log before a snapshot is taken in the background, so that a start stays short. The log must also have
 * outgrown the last snapshot; otherwise a large space would be written again and again for few changes.
 */
const minLogBeforeSnapshot = 4 << 20
/** Maximum size of the log before a snapshot: a file of more than 2 GiB cannot be read in one piece. */
const maxLogBeforeSnapshot = 1 << 30

/**
 * The rows of one space: its shared, immutable content plus its changes, which are a snapshot and a log of later changes.
 * `save` is the only way to change anything.
 */
export class SpaceData {
  readonly name: string
  readonly #storage: SpaceStorage
  #files: Files
  readonly #database: ReturnType<typeof openSnapshot>
  #content: Content
  #seed: number
  #tables: Tables
  #seq = 0
  #origin = 0
  #segment = 1
  /** Checksum of the last line of the log. */
  #chain: number
  #log: Appender | undefined
  readonly #commits = new GroupCommit()
  /** Whether the log has changes that are not in the snapshot. */
  #isAhead = false
  /** Characters of log since the last attempt at a snapshot. */
  #logged = 0
  #isClosed = false
  #writingSnapshot: Promise<void> | undefined
  /** Called with the bytes of the rows that differ from the content, whenever they change. */
  onRows: ((bytes: number) => void) | undefined

  private constructor(
    name: string,
    storage: SpaceStorage,
    content: Content,
    seed: number,
    database = openSnapshot(storage.files, `${storage.stem}.json`, name),
  ) {
    this.name = name
    this.#storage = storage
    this.#files = storage.files
    this.#content = content
    this.#seed = seed
    this.#tables = new Tables(content)
    this.#database = database
    this.#chain = initialChecksum(name)
  }

  /** Opens a space from its files, or from `content` if it has none. @throws StorageError when its files are damaged */
  static async open(
    name: string,
    storage: SpaceStorage,
    content: Content,
    seed: number,
    warn: (sentence: string) => void,
  ): Promise<SpaceData> {
    const data = new SpaceData(name, storage, content, seed)
    if (storage.files.persistent) await data.#load(warn)
    return data
  }

  get tables(): Tables {
    return this.#tables
  }

  get content(): Content {
    return this.#content
  }

  /** Seed of the space's chance, as of its start or last reset. */
  get seed(): number {
    return this.#seed
  }

  get seq(): number {
    return this.#seq
  }

  /** Number of the save that was the last reset. Cursors and tokens from before are invalid. */
  get origin(): number {
    return this.#origin
  }

  /** Number of saves since the space began. Source of IDs, which must not repeat in it. */
  get age(): number {
    return this.#seq - this.#origin + (this.#content.beginning?.age ?? 0)
  }

  /** Counts saves from here on as in a space whose last reset was this save. Of a space in memory that is being opened. */
  continueFrom(origin: number): void {
    this.#seq += origin
    this.#origin += origin
  }

  /**
   * Resolves when all rows that can be read now have the configured durability; undefined if they have it. Whoever shows
   * rows waits for it first. Rejects with a StorageError if they could not be recorded: then they are undone.
   */
  get durable(): Promise<void> | undefined {
    return this.#commits.durable
  }

  /**
   * Saves all rows or none. They can be read when this returns, and are durable when `durable` resolves.
   * @throws StorageError when they cannot be recorded; then nothing is changed
   */
  save(changes: Changes): void {
    const entry = { seq: this.#seq + 1, put: changes as Record<string, readonly object[]> }
    if (this.#files.persistent) this.#record(entry)
    else this.#apply(entry)
  }

  /**
   * Restarts the space from this content and seed.
   * @returns the data of the space from now on. Requests that still use the old data have no effect on the new one
   * @throws StorageError when it cannot be recorded; then nothing is changed
   */
  restart(content: Content, seed: number): SpaceData {
    this.#commits.flush()
    const isRecorded = this.#seq > 0 || content !== this.#content || seed !== this.#seed
    // Check the log here: if it is broken, the snapshot of this space has to be written, not that of the next one.
    if (isRecorded && this.#files.persistent) this.#writableLog()
    const next = new SpaceData(this.name, this.#storage, content, seed, this.#database)
    next.#files = this.#files
    next.#seq = this.#seq
    next.#origin = this.#origin
    next.#segment = this.#segment
    next.#chain = this.#chain
    next.#log = this.#log
    next.#isAhead = this.#isAhead
    next.#logged = this.#logged
    next.#writingSnapshot = this.#writingSnapshot?.finally(() => {
      next.#writingSnapshot = undefined
    })
    if (isRecorded) next.#reset(content, seed)
    this.#log = undefined
    this.#files = noFiles
    return next
  }

  /** Writes the snapshot, so that the readable file has everything, and closes the files. */
  async close(): Promise<void> {
    try {
      await this.#writingSnapshot
      this.#commits.flush()
      if (this.#isAhead && this.#files.persistent) await this.#writeSnapshot()
    } finally {
      this.#isClosed = true
      this.#log?.close()
    }
  }

  /** Removes the files of the space. Requests that still use it have no effect. */
  async remove(): Promise<void> {
    await this.#writingSnapshot
    try {
      this.#commits.flush()
    } catch {
      // The waiters have the rejection, and the changes are removed anyway.
    }
    this.#log?.close()
    this.#log = undefined
    const theirs = this.#files.list(this.#storage.stem)
    this.#files = noFiles
    this.#storage.contents.contentFiles.removeReferring(theirs)
  }

  get #logName(): string {
    return `${this.#storage.stem}.${this.#segment}.log.jsonl`
  }

  get #snapshotName(): string {
    return `${this.#storage.stem}.json`
  }

  /** The whole content as a fixture. */
  toFixture() {
    return this.#tables.toFixture(this.name, this.#content.users)
  }

  /** @throws StorageError while the log cannot be written */
  #record(entry: LogEntry): void {
    const log = this.#writableLog()
    const before = this.#seq
    const chainBefore = this.#chain
    const line = this.#formatEntry(entry, this.#content, this.#seed)
    const tables = this.#tables
    const replaced: (ChangedRow<object> | undefined)[] = []
    this.#commits.add(log, line, () => {
      for (const [table, row] of rowsOf(entry).reverse()) tables.takeBack(table, row, replaced.pop())
      this.onRows?.(this.#tables.changed.bytes)
      this.#seq = before
      this.#chain = chainBefore
    })
    this.#seq = entry.seq
    for (const table in entry.put)
      for (const row of entry.put[table]!) replaced.push(tables.put(table as TableName, row, entry.seq))
    this.onRows?.(tables.changed.bytes)
    this.#noteLogged(line)
  }

  /** Runs before the space can be used, so it does not wait for other changes. */
  #reset(content: Content, seed: number): void {
    const entry: LogEntry = { seq: this.#seq + 1, reset: true }
    if (!this.#files.persistent) {
      this.#apply(entry)
      return
    }
    const line = this.#formatEntry(entry, content, seed)
    this.#commits.add(this.#log!, line, () => {})
    this.#commits.flush()
    this.#apply(entry)
    this.#noteLogged(line)
  }

  /** @throws StorageError while the log cannot be written */
  #writableLog(): Appender {
    if (this.#isClosed) throw new StorageError(`space ${this.name} has been closed`)
    this.#log ??= this.#beginLog()
    const { broken } = this.#log
    if (broken === undefined) return this.#log
    // The memory has what was acknowledged: a new snapshot is written from it.
    this.#writeSnapshotInBackground()
    throw new StorageError(`${broken}; until the data is written again, nothing can be changed`)
  }

  get #header(): LogHeader {
    return { $format: storeFormat, $space: this.name, $segment: this.#segment, $after: this.#seq }
  }

  #beginLog(): Appender {
    const { line, sum } = formatLine(this.#header, this.#chain)
    const log = this.#files.appender(this.#logName, line)
    this.#chain = sum
    return log
  }

  #formatEntry(entry: LogEntry, content: Content, seed: number): string {
    const isRelative = this.#seq > 0 && !entry.reset
    // A content is removed together with the log that refers to it, so it counts towards the next snapshot.
    if (!isRelative) this.#logged += this.#storage.contents.contentFiles.retain(content, this.#logName)
    const { line, sum } = formatLine(
      isRelative ? entry : { ...entry, content: content.digest, seed },
      this.#chain,
    )
    this.#chain = sum
    return line
  }

  #noteLogged(line: string): void {
    this.#isAhead = true
    this.#logged += line.length
    const enough = Math.min(
      Math.max(minLogBeforeSnapshot, 2 * snapshotSize(this.#database)),
      maxLogBeforeSnapshot,
    )
    if (this.#logged > enough) this.#writeSnapshotInBackground()
  }

  /** @param how `restore` for an entry that was read from a file */
  #apply(entry: LogEntry, how: 'put' | 'restore' = 'put'): void {
    this.#seq = entry.seq
    if (entry.reset) {
      this.#origin = entry.seq
      this.#tables = new Tables(this.#content)
    }
    for (const table in entry.put)
      for (const row of entry.put[table]!) this.#tables[how](table as TableName, row, entry.seq)
    this.onRows?.(this.#tables.changed.bytes)
  }

  /** A failed snapshot only makes the next start slower: the log still has everything. */
  #writeSnapshotInBackground(): void {
    this.#writingSnapshot ??= this.#writeSnapshot()
      .catch(() => {})
      .finally(() => {
        this.#writingSnapshot = undefined
      })
  }

  /**
   * Writes a snapshot of the current state while further changes go to a new log, then removes the logs that it covers. If
   * the log is broken, the new one begins only afterwards, since the broken one may contain refused changes.
   */
  async #writeSnapshot(): Promise<void> {
    this.#commits.flush()
    // The last note that a log has begun stays: it says that there has to be a snapshot.
    const covered = [...this.#namesOf('jsonl'), ...this.#namesOf('begun').slice(0, -1)]
    const isBroken = this.#log?.broken !== undefined
    const snapshot = this.#takeSnapshot()
    this.#database.data = snapshot
    if (!isBroken) this.#beginSegment()
    this.#isAhead = false
    try {
      await this.#database.write()
    } catch (error) {
      this.#isAhead = true
      throw error
    }
    this.#storage.contents.contentFiles.setReference(this.#snapshotName, snapshot.$content)
    this.#storage.contents.contentFiles.removeReferring(covered)
    if (isBroken) this.#beginSegment()
  }

  #beginSegment(): void {
    this.#log?.close()
    this.#log = undefined
    this.#segment++
    this.#logged = 0
  }

  #takeSnapshot(): Snapshot {
    const changes = tableNames
      .map(name => [name, this.#tables[name].changes()] as const)
      .filter(([, { length }]) => length > 0)
    return {
      $format: storeFormat,
      $space: this.name,
      $seq: this.#seq,
      $origin: this.#origin,
      $content: this.#content.digest,
      $seed: this.#seed,
      $segment: this.#segment + 1,
      $chain: this.#chain,
      changes,
    }
  }

  /** The names of the space's logs, or of the notes that they have begun, in their order. */
  #namesOf(ending: 'jsonl' | 'begun'): string[] {
    return this.#files
      .list(this.#storage.stem)
      .filter(name => name.endsWith(`.log.${ending}`))
      .sort((a, b) => segmentOf(a) - segmentOf(b))
  }

  async #load(warn: (sentence: string) => void): Promise<void> {
    await this.#database.read()
    const snapshot = this.#database.data
    if (snapshot.$content) await this.#startFrom(snapshot.$content, snapshot.$seed)
    this.#seq = snapshot.$seq
    this.#origin = snapshot.$origin
    this.#chain = snapshot.$chain
    this.#segment = snapshot.$segment
    let file = this.#snapshotName
    let place: number | undefined
    try {
      for (const [table, rows] of snapshot.changes)
        for (const { row, sequence, line } of rows) {
          place = line
          this.#tables.restore(table, row, sequence)
        }
      const begun = this.#namesOf('begun')
      const last = Math.max(0, ...[...this.#namesOf('jsonl'), ...begun].map(segmentOf))
      for (; this.#segment <= last; this.#segment++) {
        file = this.#logName
        place = 1
        const isLast = this.#segment === last
        const isBegun = begun.includes(begunName(file))
        const log = readLog(this.#files, file, this.#header, this.#chain, { isLast, isBegun }, warn)
        this.#logged += log.size
        this.#chain = log.sum
        for (const entry of log.entries) {
          place++
          if (entry.content !== undefined) await this.#startFrom(entry.content, entry.seed!)
          this.#apply(entry, 'restore')
          this.#isAhead = true
        }
      }
    } catch (error) {
      if (error instanceof StorageError) throw error
      throw new DamageError(
        `${this.#files.pathOf(file)}, line ${place}`,
        `this version cannot read it (${reason(error)})`,
      )
    }
  }

  async #startFrom(digest: string, seed: number): Promise<void> {
    this.#seed = seed
    if (digest === this.#content.digest) return
    const content = await this.#storage.contents.findContent(digest)
    if (!content)
      throw new StorageError(
        `the content that space ${this.name} started from is missing (${this.#files.pathOf(contentFileName(digest))}); restore the file, or remove the space's files to start it from its fixture again`,
      )
    this.#content = content
    this.#tables = new Tables(content)
  }
}

/** The rows that an entry puts, in order, each with its table. */
const rowsOf = ({ put = {} }: LogEntry): [TableName, object][] =>
  Object.entries(put).flatMap(([table, rows]) =>
    rows.map((row): [TableName, object] => [table as TableName, row]),
  )

export interface Clock {
  /** Milliseconds since 1970. */
  now(): number
}

/** The random values of a space: each one follows from the seed, the space's name and its purpose. */
export interface Chance {
  /** @param number distinguishes UUIDs of one kind; consecutive numbers are fastest */
  uuid(kind: string, number?: number): string
  /** At least 0, below 1. */
  fraction(...purpose: (string | number)[]): number
  /** A secret of the space, such as the key that signs its cursors. */
  secret(purpose: string): string
}

/** A tenant for readers of its rows. */
export interface ReadableSpace {
  readonly name: string
  readonly data: Pick<SpaceData, 'tables' | 'content' | 'seed' | 'origin' | 'age' | 'toFixture'>
  readonly clock: Clock
  readonly chance: Chance
  /** Whether it is a private space that made room for others before, and has been opened again. */
  readonly hasMadeRoom: boolean
}

/** A tenant: its data, clock and chance. Two tenants share only immutable data. */
export interface Space extends ReadableSpace {
  readonly data: SpaceData
}
