import { Commits } from './commits.ts'
import { type Content, type Rows, type TableName, type Tables, tableNames } from './content.ts'
import { type Appender, type Files, noFiles } from './files.ts'
import { formatNumber } from './format.ts'
import type { KeptContents } from './kept-contents.ts'
import { type Entry, readLog, toLine } from './log.ts'
import { type Snapshot, sizeOf, snapshotDatabase } from './snapshot.ts'
import { StorageError } from './storage-error.ts'

/** Rows to put, by table: one save puts all of them or none. */
export type Changes = { readonly [Name in TableName]?: readonly Rows[Name][] }

/** Finds a content by its digest. Undefined when there is none. */
export type Contents = (digest: string) => Promise<Content | undefined>

/**
 * After so many bytes of log a snapshot is taken in the background, so that a start stays short. Never before the log
 * has outgrown the last snapshot: a large space would be written again and again for little that is new.
 */
const leastLogBeforeSnapshot = 4 << 20
/** And never later than after so many: a file of more than 2 GiB cannot be read in one piece. */
const mostLogBeforeSnapshot = 1 << 30

/**
 * The rows of one space, kept as its content (shared, immutable) plus its changes: a snapshot and, beside it, a log
 * of what came later. `save` is the only way to change anything.
 */
export class SpaceData {
  readonly name: string
  #files: Files
  readonly #contents: Contents
  readonly #kept: KeptContents
  readonly #fileName: string
  readonly #database: ReturnType<typeof snapshotDatabase>
  #content: Content
  #seed: number
  #tables: Tables
  #seq = 0
  #origin = 0
  #segment = 1
  #log: Appender | undefined
  readonly #commits = new Commits()
  /** Whether the log has something that the snapshot has not. */
  #isAhead = false
  /** Characters of log since a snapshot was last tried. */
  #logged = 0
  #isClosed = false
  #snapping: Promise<void> | undefined

  private constructor(
    name: string,
    fileName: string,
    content: Content,
    seed: number,
    files: Files,
    contents: Contents,
    kept: KeptContents,
    database = snapshotDatabase(files, `spaces/${fileName}.json`, name),
  ) {
    this.name = name
    this.#fileName = fileName
    this.#files = files
    this.#contents = contents
    this.#kept = kept
    this.#content = content
    this.#seed = seed
    this.#tables = content.tables()
    this.#database = database
  }

  /**
   * Opens a space: as its files have it, or from `content` when it has none.
   * @param fileName a name for its files, unlike any other space's
   * @throws StorageError when its files are damaged
   */
  static async open(
    name: string,
    fileName: string,
    content: Content,
    seed: number,
    files: Files,
    contents: Contents,
    warn: (sentence: string) => void,
    kept: KeptContents,
  ): Promise<SpaceData> {
    const data = new SpaceData(name, fileName, content, seed, files, contents, kept)
    if (files.persistent) await data.#load(warn)
    return data
  }

  get tables(): Tables {
    return this.#tables
  }

  get content(): Content {
    return this.#content
  }

  /** Where the space's chance comes from: as it was when the space began, or at its last reset. */
  get seed(): number {
    return this.#seed
  }

  /** Number of the last save. */
  get seq(): number {
    return this.#seq
  }

  /** Number of the save that was the last reset: what was handed out before it (cursors, tokens) is void. */
  get origin(): number {
    return this.#origin
  }

  /** How many saves there were since the space's beginning: the source of everything that must not repeat in it. */
  get age(): number {
    return this.#seq - this.#origin + (this.#content.beginning?.age ?? 0)
  }

  /**
   * When all that shows here is safe; undefined when it is. Who answers from what is on record waits for it. It rejects
   * where changes had to be taken back.
   */
  get pending(): Promise<void> | undefined {
    return this.#commits.pending
  }

  /**
   * Puts rows, all or none. They are visible when this returns; the promise resolves when they are as safe as the store
   * is asked to make them. Only then may a client be told. Undefined where that is so at once.
   * @throws StorageError, as a rejection, when they cannot be recorded; then nothing was changed, or it was taken back
   */
  save(changes: Changes): Promise<void> | undefined {
    const entry = { seq: this.#seq + 1, put: changes as Record<string, readonly object[]> }
    if (!this.#files.persistent) {
      this.#apply(entry)
      return undefined
    }
    try {
      return this.#record(entry)
    } catch (error) {
      return Promise.reject(error)
    }
  }

  /**
   * Back to the beginning, from this content and seed.
   * @returns what holds the space from now on. A request that is still in this one ends as if it had come to its end
   * before: it leaves no trace in what follows
   * @throws StorageError when it cannot be recorded; then nothing was changed
   */
  begunAnew(content: Content, seed: number): SpaceData {
    const { name } = this
    this.#commits.finishNow()
    const isRecorded = this.#seq > 0 || content !== this.#content || seed !== this.#seed
    // Here, not in what follows: should the log be broken, it is this space that has to be written anew.
    if (isRecorded && this.#files.persistent) this.#writable()
    const next = new SpaceData(
      name,
      this.#fileName,
      content,
      seed,
      this.#files,
      this.#contents,
      this.#kept,
      this.#database,
    )
    next.#seq = this.#seq
    next.#origin = this.#origin
    next.#segment = this.#segment
    next.#log = this.#log
    next.#isAhead = this.#isAhead
    next.#logged = this.#logged
    next.#snapping = this.#snapping?.finally(() => {
      next.#snapping = undefined
    })
    if (isRecorded) next.#reset(content, seed)
    this.#log = undefined
    this.#files = noFiles
    return next
  }

  /** Writes the snapshot, so that the readable file holds everything, and lets go of the files. */
  async close(): Promise<void> {
    try {
      await this.#snapping
      this.#commits.finishNow()
      if (this.#isAhead && this.#files.persistent) await this.#snap()
    } finally {
      this.#isClosed = true
      this.#log?.close()
    }
  }

  /** Removes the files: the space never was. A request that is still in it ends without leaving a trace. */
  async remove(): Promise<void> {
    await this.#snapping
    try {
      this.#commits.finishNow()
    } catch {
      // Whoever waits for these changes has been told, and they are to go anyway.
    }
    this.#log?.close()
    this.#log = undefined
    const files = this.#files
    const theirs = [...this.#segments(), this.#snapshotName]
    this.#files = noFiles
    files.remove(theirs)
    this.#kept.removed(theirs)
  }

  get #logName(): string {
    return `spaces/${this.#fileName}.${this.#segment}.log.jsonl`
  }

  get #snapshotName(): string {
    return `spaces/${this.#fileName}.json`
  }

  /** Everything in it as a fixture file. */
  toFixture() {
    return this.#tables.toFixture(this.name, this.#content.users)
  }

  /** @throws StorageError while the log cannot be written */
  #record(entry: Entry): Promise<void> {
    const log = this.#writable()
    const line = this.#lineOf(entry, this.#content, this.#seed)
    const before = this.#seq
    const undo: (() => void)[] = []
    const done = this.#commits.add(log, line, () => {
      for (const takeBack of undo.toReversed()) takeBack()
      this.#seq = before
    })
    this.#seq = entry.seq
    for (const table in entry.put)
      for (const row of entry.put[table]!)
        undo.push(this.#tables.putForNow(table as TableName, row, entry.seq))
    this.#recorded(line)
    return done
  }

  /** Nobody can be in the space before it has begun, so this one does not wait for others. */
  #reset(content: Content, seed: number): void {
    const entry: Entry = { seq: this.#seq + 1, reset: true }
    if (!this.#files.persistent) {
      this.#apply(entry)
      return
    }
    const line = this.#lineOf(entry, content, seed)
    this.#commits.add(this.#log!, line, () => {})
    this.#commits.finishNow()
    this.#apply(entry)
    this.#recorded(line)
  }

  /** @throws StorageError while the log cannot be written */
  #writable(): Appender {
    if (this.#isClosed) throw new StorageError(`space ${this.name} has been closed`)
    this.#log ??= this.#files.appender(this.#logName)
    const { broken } = this.#log
    if (broken === undefined) return this.#log
    // What is in memory is what was acknowledged: with that a new file is begun.
    this.#snapInBackground()
    throw new StorageError(`${broken}; until the data is written anew, nothing can be changed`)
  }

  #lineOf(entry: Entry, content: Content, seed: number): string {
    if (this.#seq > 0 && !entry.reset) return toLine(entry)
    // What a reset leaves behind goes with the log that names it: a snapshot is due all the sooner.
    this.#logged += this.#kept.keep(content, this.#logName)
    return toLine({ ...entry, content: content.digest, seed })
  }

  #recorded(line: string): void {
    this.#isAhead = true
    this.#logged += line.length
    const enough = Math.min(
      Math.max(leastLogBeforeSnapshot, 2 * sizeOf(this.#database)),
      mostLogBeforeSnapshot,
    )
    if (this.#logged > enough) this.#snapInBackground()
  }

  #apply(entry: Entry): void {
    this.#seq = entry.seq
    if (entry.reset) {
      this.#origin = entry.seq
      this.#tables = this.#content.tables()
    }
    for (const table in entry.put)
      for (const row of entry.put[table]!) this.#tables.put(table as TableName, row, entry.seq)
  }

  /** A snapshot that fails costs nothing but a longer start: the log still has everything. */
  #snapInBackground(): void {
    this.#snapping ??= this.#snap()
      .catch(() => {})
      .finally(() => {
        this.#snapping = undefined
      })
  }

  /**
   * Writes the snapshot of this moment, while requests go on to a new log; then the logs that it covers are removed. Beside a log
   * that is broken none is begun before: what was refused might be in it.
   */
  async #snap(): Promise<void> {
    this.#commits.finishNow()
    // The space may begin anew while this is written, and then keeps nothing here any more: these logs are covered all the same.
    const files = this.#files
    const covered = this.#segments()
    const isBroken = this.#log?.broken !== undefined
    const snapshot = this.#snapshot()
    this.#database.data = snapshot
    if (!isBroken) this.#beginSegment()
    this.#isAhead = false
    try {
      await this.#database.write()
    } catch (error) {
      this.#isAhead = true
      throw error
    }
    this.#kept.replaced(this.#snapshotName, snapshot.$content)
    files.remove(covered)
    this.#kept.removed(covered)
    if (isBroken) this.#beginSegment()
  }

  #beginSegment(): void {
    this.#log?.close()
    this.#log = undefined
    this.#segment++
    this.#logged = 0
  }

  #snapshot(): Snapshot {
    const changes = tableNames
      .map(name => [name, this.#tables[name].frozenChanges()] as const)
      .filter(([, { count }]) => count > 0)
      .map(([name, rows]) => [name, rows.each()] as const)
    return {
      $format: formatNumber,
      $space: this.name,
      $seq: this.#seq,
      $origin: this.#origin,
      $content: this.#content.digest,
      $seed: this.#seed,
      changes,
    }
  }

  #segments(): string[] {
    const number = (name: string) => Number(name.split('.').at(-3))
    return this.#files
      .list(`spaces/${this.#fileName}`)
      .filter(name => name.endsWith('.log.jsonl'))
      .sort((a, b) => number(a) - number(b))
  }

  async #load(warn: (sentence: string) => void): Promise<void> {
    await this.#database.read()
    const snapshot = this.#database.data
    if (snapshot.$content) await this.#startFrom(snapshot.$content, snapshot.$seed)
    this.#seq = snapshot.$seq
    this.#origin = snapshot.$origin
    for (const [table, rows] of snapshot.changes)
      for (const { row, sequence } of rows) this.#tables.put(table, row, sequence)

    const segments = this.#segments()
    for (const segment of segments) {
      const { entries, size } = readLog(this.#files, segment, segment === segments.at(-1), warn)
      this.#logged += size
      for (const entry of entries) {
        if (entry.seq <= this.#seq) continue
        if (entry.seq !== this.#seq + 1)
          throw new StorageError(
            `${this.#files.place(segment)} goes on at change ${entry.seq}, but before it only ${this.#seq} are there: a file is missing or older than the others. Restore it, or remove the space's files to start it from its fixture again`,
          )
        if (entry.content !== undefined) await this.#startFrom(entry.content, entry.seed!)
        this.#apply(entry)
        this.#isAhead = true
      }
    }
    const last = segments.at(-1)
    if (last) this.#segment = Number(last.split('.').at(-3)) + 1
  }

  async #startFrom(digest: string, seed: number): Promise<void> {
    this.#seed = seed
    if (digest === this.#content.digest) return
    const content = await this.#contents(digest)
    if (!content)
      throw new StorageError(
        `the content that space ${this.name} started from is missing (${this.#files.place(`fixtures/${digest}.json`)}); restore the file, or remove the space's files to start it from its fixture again`,
      )
    this.#content = content
    this.#tables = content.tables()
  }
}
