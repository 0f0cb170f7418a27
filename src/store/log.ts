import { dirname } from 'node:path'
import { setImmediate } from 'node:timers'
import { crc32 } from 'node:zlib'
import { type Disk, reason, StorageError, syncDirectory, syncDirectoryInBackground } from './disk.ts'
import type { Appender, Durability, Files } from './files.ts'

/** One acknowledged change of a space: changed rows, or a reset. */
export interface LogEntry {
  readonly seq: number
  /** Digest of the content that this and the following entries are relative to; in the first entry and in resets. */
  readonly content?: string
  /** The seed of the space from here on, beside `content`. */
  readonly seed?: number
  readonly reset?: true
  readonly put?: Readonly<Record<string, readonly object[]>>
}

/** Length of `{"crc":"0123abcd",`. It is fixed, so that the checksum covers the text after it. */
const checksumLength = '{"crc":"00000000",'.length

export const formatChecksum = (sum: number) => sum.toString(16).padStart(8, '0')

const checksum = (text: string | Buffer) => formatChecksum(crc32(text))

export function formatEntry(entry: LogEntry): string {
  const rest = JSON.stringify(entry).slice(1)
  return `{"crc":"${checksum(rest)}",${rest}\n`
}

/**
 * Reads a log. An unfinished last line of the last segment was never acknowledged: it is cut off, with a warning. A whole
 * line with a wrong checksum was acknowledged: this is damage and is never repaired silently.
 *
 * @throws StorageError with file and byte offset
 */
export function readLog(
  files: Files,
  name: string,
  isLast: boolean,
  warn: (sentence: string) => void,
): { readonly entries: LogEntry[]; readonly size: number } {
  const bytes = files.read(name)
  if (!bytes) return { entries: [], size: 0 }
  const entries: LogEntry[] = []
  let start = 0
  while (start < bytes.length) {
    const end = bytes.indexOf(0x0a, start)
    if (end < 0 && !isLast)
      throw new StorageError(
        `${files.pathOf(name)}, byte ${start}: this line has no end, though a later log follows; restore the file, or remove the space's files to start it from its fixture again`,
      )
    if (end < 0) {
      // An unfinished line is a prefix. A complete line without its end was damaged later.
      if (matchesChecksum(bytes.subarray(start, -1)))
        throw new StorageError(
          `${files.pathOf(name)}, byte ${bytes.length - 1}: expected the end of the line; restore the file, or remove the space's files to start it from its fixture again`,
        )
      warn(
        `${files.pathOf(name)}: cut the unfinished last line (${bytes.length - start} bytes from byte ${start})`,
      )
      files.cut(name, start)
      break
    }
    entries.push(parseEntry(bytes.subarray(start, end), `${files.pathOf(name)}, byte ${start}`))
    start = end + 1
  }
  return { entries, size: bytes.length }
}

function matchesChecksum(line: Buffer): boolean {
  const head = line.subarray(0, checksumLength).toString('latin1')
  return head === `{"crc":"${checksum(line.subarray(checksumLength))}",`
}

function parseEntry(line: Buffer, place: string): LogEntry {
  if (!matchesChecksum(line))
    throw new StorageError(
      `${place}: this line does not match its checksum; restore the file, or remove the space's files to start it from its fixture again`,
    )
  const { crc: _, ...entry } = JSON.parse(line.toString('utf8')) as LogEntry & { crc: string }
  return entry
}

/**
 * One segment of a log on disk. The file is created with the first line and must be new, so that nothing is written
 * through an existing link.
 */
export class LogFile implements Appender {
  readonly #path: string
  readonly #disk: Disk
  readonly #isSynced: boolean
  #file: number | undefined
  #size = 0
  /** Number of synced bytes. */
  #syncedSize = 0
  #broken: string | undefined
  #closing = false
  /** Number of running syncs; the file is closed after the last one. */
  #syncing = 0

  constructor(path: string, disk: Disk, durability: Durability) {
    this.#path = path
    this.#disk = disk
    this.#isSynced = durability === 'fsync'
  }

  get size(): number {
    return this.#size
  }

  get broken(): string | undefined {
    return this.#broken
  }

  append(lines: string): void {
    if (this.#closing) throw new StorageError(`${this.#path} has been closed`)
    if (this.#broken) throw new StorageError(this.#broken)
    const bytes = Buffer.from(lines)
    try {
      this.#file ??= this.#disk.openSync(this.#path, 'ax')
      for (let written = 0; written < bytes.length; ) {
        const more = this.#disk.writeSync(this.#file, bytes, written)
        if (more === 0) throw new Error('the system took no more of it')
        written += more
      }
      this.#checkSize(this.#size + bytes.length)
      this.#size += bytes.length
    } catch (error) {
      this.#truncate(this.#size)
      throw new StorageError(`cannot append to ${this.#path}: ${reason(error)}`)
    }
  }

  sync(): Promise<void> | undefined {
    return this.#isSynced && this.#syncedSize < this.#size ? this.#syncInBackground() : undefined
  }

  /** @throws StorageError also after a sync that failed in the background: nothing of this file is safe any more */
  syncNow(): void {
    if (this.#broken) throw new StorageError(this.#broken)
    if (!this.#isSynced || this.#syncedSize >= this.#size) return
    try {
      if (this.#syncedSize === 0) syncDirectory(this.#disk, dirname(this.#path))
      this.#disk.fdatasyncSync(this.#file!)
      this.#syncedSize = this.#size
    } catch (error) {
      throw this.#syncError(error)
    }
  }

  close(): void {
    this.#closing = true
    if (this.#syncing > 0 || this.#file === undefined) return
    const file = this.#file
    this.#file = undefined
    this.#disk.closeSync(file)
  }

  async #syncInBackground(): Promise<void> {
    const size = this.#size
    this.#syncing++
    try {
      if (this.#syncedSize === 0) await syncDirectoryInBackground(this.#disk, dirname(this.#path))
      await this.#disk.fdatasync(this.#file!)
      this.#syncedSize = Math.max(this.#syncedSize, size)
    } catch (error) {
      throw this.#syncError(error)
    } finally {
      this.#syncing--
      if (this.#closing) this.close()
    }
  }

  /**
   * After a failed sync the content of the disk is unknown, and the system may report the next sync as a success. So this
   * file is not used again.
   */
  #syncError(error: unknown): StorageError {
    this.#truncate(this.#syncedSize)
    this.#broken ??= `${this.#path} could not be synced: ${reason(error)}`
    return new StorageError(this.#broken)
  }

  /** Some systems report more bytes than they wrote, and other programs may remove or cut the file. */
  #checkSize(expected: number): void {
    const { size, nlink } = this.#stat() ?? { size: expected, nlink: 1 }
    if (nlink === 0) {
      this.#broken = `${this.#path} has been removed`
      throw new Error('it has been removed')
    }
    if (size === expected) return
    if (size < this.#size) this.#broken = `${this.#path} has been cut to ${size} bytes by another program`
    throw new Error(`it is ${size} bytes long, expected ${expected}`)
  }

  /** Size and link count of the file, if available. Without them the written lines are accepted. */
  #stat(): { readonly size: number; readonly nlink: number } | undefined {
    try {
      return this.#disk.fstatSync(this.#file!)
    } catch {
      return undefined
    }
  }

  /** Removes a partial write: half a line would damage later lines, and a refused change must never appear. */
  #truncate(size: number): void {
    if (this.#file === undefined || this.#broken) return
    try {
      this.#disk.ftruncateSync(this.#file, size)
      this.#size = size
    } catch (error) {
      this.#broken = `${this.#path} can no longer be written: ${reason(error)}`
    }
  }
}

/** Changes that become durable together. */
interface Batch {
  lines: string
  /** Undo functions of the changes, in their order. */
  readonly undo: (() => void)[]
  readonly done: Promise<void>
  readonly resolve: () => void
  readonly reject: (error: unknown) => void
}

function newBatch(): Batch {
  let resolve = () => {}
  let reject: Batch['reject'] = () => {}
  const done = new Promise<void>((yes, no) => {
    resolve = yes
    reject = no
  })
  // Every waiter gets the rejection; avoid an unhandled one when there is none.
  done.catch(() => {})
  return { lines: '', undo: [], done, resolve, reject }
}

/**
 * Group commit. All changes within one turn of the event loop, or during a running sync, go to the log in one piece and
 * become durable at the same moment. They are visible in memory before that, so that the next request finds them. If the
 * disk fails, they are undone, the last one first, and every waiter gets the rejection.
 */
export class GroupCommit {
  #log: Appender | undefined
  #waiting: Batch | undefined
  #syncing: Batch | undefined

  /** Resolves when all changes so far are durable; undefined if they are. Rejects if they had to be undone. */
  get pending(): Promise<void> | undefined {
    return (this.#waiting ?? this.#syncing)?.done
  }

  /**
   * @param undo undoes the change, which is visible from now on
   * @returns resolves when the change is durable
   */
  add(log: Appender, line: string, undo: () => void): Promise<void> {
    this.#log = log
    if (!this.#waiting) {
      this.#waiting = newBatch()
      if (!this.#syncing) setImmediate(() => this.#commit())
    }
    this.#waiting.lines += line
    this.#waiting.undo.push(undo)
    return this.#waiting.done
  }

  /**
   * Makes all changes durable before it returns.
   * @throws StorageError when they had to be undone
   */
  flush(): void {
    const waiting = this.#waiting
    const securing = this.#syncing
    if (!waiting && !securing) return
    if (waiting) this.#append(waiting)
    try {
      this.#log!.syncNow()
    } catch (error) {
      this.#fail([securing, waiting], error)
      throw error
    }
    this.#waiting = undefined
    this.#syncing = undefined
    securing?.resolve()
    waiting?.resolve()
  }

  /** @throws StorageError; then the batch is undone. A batch with a running sync is in the log already, and stays. */
  #append(batch: Batch): void {
    try {
      this.#log!.append(batch.lines)
    } catch (error) {
      this.#fail([batch], error)
      throw error
    }
  }

  #commit(): void {
    const batch = this.#waiting
    if (!batch || this.#syncing) return
    try {
      this.#append(batch)
    } catch {
      return // the waiters have the rejection
    }
    this.#waiting = undefined
    const securing = this.#log!.sync()
    if (!securing) {
      batch.resolve()
      return
    }
    this.#syncing = batch
    // After a synchronous flush in the meantime there are no waiters left; the log itself records a failure.
    const isOver = () => this.#syncing !== batch
    securing.then(
      () => {
        if (isOver()) return
        this.#syncing = undefined
        batch.resolve()
        this.#commit()
      },
      error => {
        if (!isOver()) this.#fail([batch, this.#waiting], error)
      },
    )
  }

  #fail(batches: readonly (Batch | undefined)[], error: unknown): void {
    const failed = batches.filter(batch => batch !== undefined)
    if (failed.includes(this.#waiting!)) this.#waiting = undefined
    if (failed.includes(this.#syncing!)) this.#syncing = undefined
    for (const { undo } of failed.toReversed()) for (const takeBack of undo.toReversed()) takeBack()
    for (const { reject } of failed) reject(error)
  }
}
