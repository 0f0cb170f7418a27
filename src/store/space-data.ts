import { type Content, type Rows, type TableName, type Tables, tableNames } from './content.ts'
import { type Appender, type Files, noFiles } from './files.ts'
import { formatNumber } from './format.ts'
import { type Entry, readLog, toLine } from './log.ts'
import { type KeptRow, type Snapshot, sealed, sizeOf, snapshotDatabase } from './snapshot.ts'
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

/**
 * The rows of one space, kept as its content (shared, immutable) plus its changes: a snapshot and, beside it, a log
 * of what came later. `save` is the only way to change anything.
 */
export class SpaceData {
  readonly name: string
  #files: Files
  readonly #contents: Contents
  readonly #fileName: string
  readonly #database: ReturnType<typeof snapshotDatabase>
  #content: Content
  #seed: number
  #tables: Tables
  #seq = 0
  #origin = 0
  #segment = 1
  #log: Appender | undefined
  #unsnapped = false
  #snapping: Promise<void> | undefined

  private constructor(
    name: string,
    fileName: string,
    content: Content,
    seed: number,
    files: Files,
    contents: Contents,
    database = snapshotDatabase(files, `spaces/${fileName}.json`, name),
  ) {
    this.name = name
    this.#fileName = fileName
    this.#files = files
    this.#contents = contents
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
  ): Promise<SpaceData> {
    const data = new SpaceData(name, fileName, content, seed, files, contents)
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
   * Puts rows, all or none. They are on record and visible when this returns; the promise resolves when they are as
   * safe as the store is asked to make them. Only then may a client be told.
   * @throws StorageError when they cannot be recorded; then nothing was changed
   */
  async save(changes: Changes): Promise<void> {
    this.#record({ seq: this.#seq + 1, put: changes as Record<string, readonly object[]> })
  }

  /**
   * Back to the beginning, from this content and seed.
   * @returns what holds the space from now on. A request that is still in this one ends as if it had come to its end
   * before: it leaves no trace in what follows
   * @throws StorageError when it cannot be recorded; then nothing was changed
   */
  begunAnew(content: Content, seed: number): SpaceData {
    const { name } = this
    const next = new SpaceData(
      name,
      this.#fileName,
      content,
      seed,
      this.#files,
      this.#contents,
      this.#database,
    )
    next.#seq = this.#seq
    next.#origin = this.#origin
    next.#segment = this.#segment
    next.#log = this.#log
    if (this.#seq > 0 || content !== this.#content || seed !== this.#seed)
      next.#record({ seq: this.#seq + 1, reset: true }, content, seed)
    next.#snapping = this.#snapping?.finally(() => {
      next.#snapping = undefined
    })
    this.#log = undefined
    this.#files = noFiles
    return next
  }

  /** Writes the snapshot, so that the readable file holds everything, and lets go of the files. */
  async close(): Promise<void> {
    await this.#snapping
    if (this.#unsnapped && this.#files.persistent) await this.#snap()
    this.#log?.close()
  }

  /** Removes the files: the space never was. A request that is still in it ends without leaving a trace. */
  async remove(): Promise<void> {
    await this.#snapping?.catch(() => {})
    this.#log?.close()
    for (const segment of this.#segments()) this.#files.remove(segment)
    this.#files.remove(`spaces/${this.#fileName}.json`)
    this.#log = undefined
    this.#files = noFiles
  }

  /** Everything in it as a fixture file. */
  toFixture() {
    return this.#tables.toFixture(this.name, this.#content.users)
  }

  #record(entry: Entry, content = this.#content, seed = this.#seed): void {
    const first = this.#seq === 0 || entry.reset
    if (first) this.#files.keep(contentName(content), () => content.json)
    this.#log ??= this.#files.appender(`spaces/${this.#fileName}.${this.#segment}.log.jsonl`)
    this.#log.append(() => toLine(first ? { ...entry, content: content.digest, seed } : entry))
    this.#content = content
    this.#seed = seed
    this.#apply(entry)
    this.#unsnapped = true
    if (this.#log.size > Math.max(leastLogBeforeSnapshot, 2 * sizeOf(this.#database)) && !this.#snapping)
      // A snapshot that fails costs nothing but a longer start: the log still has everything.
      this.#snapping = this.#snap()
        .catch(() => {})
        .finally(() => {
          this.#snapping = undefined
        })
  }

  #apply(entry: Entry): void {
    this.#seq = entry.seq
    if (entry.reset) {
      this.#origin = entry.seq
      this.#tables = this.#content.tables()
    }
    for (const [table, rows] of Object.entries(entry.put ?? {}))
      for (const row of rows) this.#tables.put(table as TableName, row, entry.seq)
  }

  async #snap(): Promise<void> {
    const covered = this.#segments()
    this.#log?.close()
    this.#log = undefined
    this.#segment++
    this.#unsnapped = false
    this.#database.data = this.#snapshot()
    try {
      await this.#database.write()
    } catch (error) {
      this.#unsnapped = true
      throw error
    }
    for (const segment of covered) this.#files.remove(segment)
  }

  #snapshot(): Snapshot {
    const changes: Snapshot['changes'] = {}
    for (const name of tableNames) {
      const rows = [...this.#tables[name].changes()].map(
        ({ row, sequence }): KeptRow => ({ $seq: sequence, ...row }),
      )
      if (rows.length > 0) changes[name] = rows
    }
    return sealed({
      $format: formatNumber,
      $space: this.name,
      $seq: this.#seq,
      $origin: this.#origin,
      $content: this.#content.digest,
      $seed: this.#seed,
      changes,
    })
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
    for (const [table, rows] of Object.entries(snapshot.changes))
      for (const { $seq, ...row } of rows) this.#tables.put(table as TableName, row, $seq)

    const segments = this.#segments()
    for (const segment of segments)
      for (const entry of readLog(this.#files, segment, segment === segments.at(-1), warn)) {
        if (entry.seq <= this.#seq) continue
        if (entry.seq !== this.#seq + 1)
          throw new StorageError(
            `${this.#files.place(segment)} goes on at change ${entry.seq}, but before it only ${this.#seq} are there: a file is missing or older than the others. Restore it, or remove the space's files to start it from its fixture again`,
          )
        if (entry.content !== undefined) await this.#startFrom(entry.content, entry.seed!)
        this.#apply(entry)
        this.#unsnapped = true
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

export const contentName = (content: { digest: string }) => `fixtures/${content.digest}.json`
