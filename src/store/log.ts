import { constants } from 'node:fs'
import { dirname } from 'node:path'
import { setImmediate } from 'node:timers'
import { crc32 } from 'node:zlib'
import {
  DamageError,
  type Disk,
  formatChecksum,
  notThroughLinks,
  reason,
  StorageError,
  syncDirectory,
  syncDirectoryInBackground,
  writeWhole,
} from './disk.ts'
import type { Appender, Durability, Files } from './files.ts'
import { storeFormat } from './format.ts'

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

export interface LogHeader {
  readonly $format: number
  readonly $space: string
  /** Number of the log among those of its space. */
  readonly $segment: number
  /** Number of the last change before it. */
  readonly $after: number
}

const entryMembers: ReadonlySet<string> = new Set(['crc', 'seq', 'content', 'seed', 'reset', 'put'])

/** The place of the checksum in `{"crc":"0123abcd",`. It is fixed, so that the checksum covers the text after it. */
const checksumStart = '{"crc":"'.length
const checksumEnd = checksumStart + 8
const lineStart = checksumEnd + '",'.length

/** What the checksum of a space's first line continues. */
export const initialChecksum = (space: string) => crc32(`log ${storeFormat} ${space}`)

/**
 * One line of a log. Its checksum continues that of the line before it, across all logs of the space. So a line cannot be
 * left out or moved, nor come from another space or another history of this one.
 * @param before checksum of the line before
 */
export function formatLine(value: object, before: number): { line: string; sum: number } {
  const rest = JSON.stringify(value).slice(1)
  const sum = crc32(rest, before)
  return { line: `{"crc":"${formatChecksum(sum)}",${rest}\n`, sum }
}

/** Name of the empty file which says that a log has acknowledged changes, so that a missing or emptied log is noticed. */
export const begunName = (logName: string) => logName.replace(/jsonl$/, 'begun')

/** Number of a log, or of its note, among those of its space; 0 of any other file. */
export const segmentOf = (name: string) => Number(name.split('.').at(-3)) || 0

/**
 * Reads a log. An unfinished last line of the last log was never acknowledged: it is cut off, with a warning. Everything
 * else that is not as it was written was acknowledged: this is damage and is never repaired silently.
 *
 * @param sum checksum of the last line before this log
 * @param isBegun whether the log has acknowledged changes, so that its first line must be there
 * @returns its entries, and the checksum of its last line
 * @throws StorageError with file and line
 */
export function readLog(
  files: Files,
  name: string,
  header: LogHeader,
  sum: number,
  { isLast, isBegun }: { readonly isLast: boolean; readonly isBegun: boolean },
  warn: (sentence: string) => void,
): { readonly entries: LogEntry[]; readonly size: number; readonly sum: number } {
  const path = files.pathOf(name)
  const bytes = files.read(name)
  if (!bytes) throw new DamageError(path, 'it is missing, and no snapshot covers it')
  const first = formatLine(header, sum)
  const entries: LogEntry[] = []
  let start = 0
  let last = sum
  let place = `${path}, line 1`
  for (let end = bytes.indexOf(0x0a); end >= 0; end = bytes.indexOf(0x0a, start)) {
    const line = bytes.subarray(start, end)
    if (start === 0) checkHeader(line, first.line, header, place)
    else entries.push(parseEntry(line, last, header.$after + entries.length + 1, place))
    last = Number.parseInt(line.toString('latin1', checksumStart, checksumEnd), 16)
    start = end + 1
    place = `${path}, line ${entries.length + 2}`
  }
  if (start === 0 && isBegun) throw new DamageError(place, 'expected the header of a log')
  if (start === bytes.length) return { entries, size: bytes.length, sum: last }
  if (!isLast) throw new DamageError(place, 'this line has no end, though a later log follows')
  const rest = bytes.subarray(start)
  const next = start === 0 ? first.line : `{"crc":"00000000","seq":${header.$after + entries.length + 1},`
  // An unfinished line is a prefix. A complete line without its end was damaged later.
  if (matchesChecksum(rest.subarray(0, -1), last))
    throw new DamageError(place, 'expected the end of the line')
  if (!isUnfinished(rest, next)) throw new DamageError(place, 'this is not the beginning of a line')
  warn(`${path}: cut the unfinished last line (${rest.length} bytes from byte ${start})`)
  files.cut(name, start)
  return { entries, size: start, sum: last }
}

/** Whether a line, without its end, is as it was written. @param before checksum of the line before */
export function matchesChecksum(line: Buffer, before: number): boolean {
  const sum = formatChecksum(crc32(line.subarray(lineStart), before))
  return line.toString('latin1', 0, lineStart) === `{"crc":"${sum}",`
}

/** Whether this is a part of a line that begins so, perhaps with zero bytes where the system did not get to write it. */
function isUnfinished(bytes: Buffer, beginning: string): boolean {
  const hideChecksum = (text: string) =>
    text.slice(0, checksumStart) +
    text.slice(checksumStart, checksumEnd).replaceAll(/[0-9a-f]/g, '0') +
    text.slice(checksumEnd)
  const expected = Buffer.from(hideChecksum(beginning)).toString('latin1')
  let end = bytes.length
  while (bytes[end - 1] === 0) end--
  const given = bytes.toString('latin1', 0, end)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: JSON has none
  return expected.startsWith(hideChecksum(given.slice(0, expected.length))) && !/[\0-\x1f]/.test(given)
}

function checkHeader(line: Buffer, expected: string, header: LogHeader, place: string): void {
  if (line.equals(Buffer.from(expected.slice(0, -1)))) return
  const { $after } = checkHead(parseJson(line, place), header.$space, place)
  if (typeof $after === 'number' && $after !== header.$after)
    throw new DamageError(
      place,
      `the log goes on after change ${$after}, but before it ${header.$after} are there: a file is missing or older than the others`,
    )
  throw new DamageError(place, 'this line does not match its checksum')
}

/** Checks the format and the space that a file names. @throws StorageError */
export function checkHead(
  head: Readonly<Record<string, unknown>>,
  space: string | undefined,
  place: string,
): Readonly<Record<string, unknown>> {
  if (head.$format !== storeFormat)
    throw new StorageError(
      `${place}: its $format is ${JSON.stringify(head.$format) ?? 'missing'}, this version reads ${storeFormat}; start the version that wrote it, or remove the data directory to start over`,
    )
  if (head.$space !== space)
    throw new DamageError(
      place,
      `it is of space ${JSON.stringify(head.$space)}, expected ${JSON.stringify(space)}`,
    )
  return head
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** @throws StorageError when it is not JSON */
export function parseJson(bytes: Buffer, place: string): Readonly<Record<string, unknown>> {
  try {
    return Object(JSON.parse(utf8.decode(bytes)))
  } catch (error) {
    throw new DamageError(place, `it is not JSON (${reason(error)})`)
  }
}

function parseEntry(line: Buffer, before: number, seq: number, place: string): LogEntry {
  if (!matchesChecksum(line, before)) throw new DamageError(place, 'this line does not match its checksum')
  const entry = parseJson(line, place)
  const unknown = Object.keys(entry).find(member => !entryMembers.has(member))
  if (unknown !== undefined) throw new DamageError(place, `unknown member ${JSON.stringify(unknown)}`)
  if (entry.seq !== seq) throw new DamageError(place, `it is change ${entry.seq}, expected ${seq}`)
  return entry as unknown as LogEntry
}

const maxOpenLogs = 128

/** The open logs, the one that has rested longest first: it is closed when others need its descriptor. */
export type OpenLogs = Set<{ rest(): void }>

/**
 * One log on disk. The file is created with the first line and must be new, so that nothing is written through an existing
 * link. It is closed while others need its descriptor, and opened again by the next line.
 * @param header its first line, which is written together with the second
 * @param noteCreated called once, when there is a file
 * @param markBegun called once, when the first lines are as safe as they are to be before they are acknowledged
 */
export function openLogFile(
  path: string,
  header: string,
  disk: Disk,
  openLogs: OpenLogs,
  durability: Durability,
  { noteCreated, markBegun }: { readonly noteCreated: () => void; readonly markBegun: () => void },
): Appender {
  const isSynced = durability === 'fsync'
  let file: number | undefined
  let isCreated = false
  /** Device and inode of the file that was created. */
  let identity: string | undefined
  let size = 0
  let syncedSize = 0
  let broken: string | undefined
  let isClosed = false
  /** Number of running syncs; the file is closed after the last one. */
  let syncing = 0

  const isSafe = () => !isSynced || syncedSize >= size

  function fileToWrite(): number {
    openLogs.delete(log)
    openLogs.add(log)
    for (const other of openLogs) {
      if (openLogs.size <= maxOpenLogs) break
      if (other !== log) other.rest()
    }
    if (file !== undefined) return file
    try {
      file = disk.openSync(path, isCreated ? constants.O_APPEND | notThroughLinks : 'ax')
    } catch (error) {
      if (size > 0 && (error as NodeJS.ErrnoException).code === 'ENOENT') broken = `${path} has been removed`
      throw error
    }
    if (!isCreated) noteCreated()
    isCreated = true
    const now = identityOf(file)
    identity ??= now
    if (now === undefined || now === identity) return file
    // Not a byte of another file is changed.
    closeFile()
    broken = `${path} is another file now`
    throw new Error('it is another file now')
  }

  function identityOf(opened: number): string | undefined {
    try {
      const { dev, ino } = disk.fstatSync(opened)
      return `${dev} ${ino}`
    } catch {
      return undefined
    }
  }

  function closeFile(): void {
    openLogs.delete(log)
    if (file === undefined) return
    const open = file
    file = undefined
    disk.closeSync(open)
  }

  async function syncInBackground(): Promise<void> {
    const sizeBefore = size
    syncing++
    try {
      await disk.fdatasync(file!)
      if (beginSynced()) await syncDirectoryInBackground(disk, dirname(path))
      syncedSize = Math.max(syncedSize, sizeBefore)
    } catch (error) {
      throw syncError(error)
    } finally {
      syncing--
      if (isClosed) log.close()
    }
  }

  /** Notes the first sync: from here on the header has to be there. @returns whether the directory has to be synced, too */
  function beginSynced(): boolean {
    if (syncedSize > 0) return false
    markBegun()
    syncedSize = Buffer.byteLength(header)
    return true
  }

  /** After a failed sync the disk's content is unknown, and the next may seem to succeed: the file is not used again. */
  function syncError(error: unknown): StorageError {
    truncate(syncedSize)
    broken ??= `${path} could not be synced: ${reason(error)}`
    return new StorageError(broken)
  }

  /** Some systems report more bytes than they wrote, and other programs may remove or cut the file. */
  function checkSize(expected: number): void {
    let found: ReturnType<Disk['fstatSync']>
    try {
      found = disk.fstatSync(file!)
    } catch {
      return // without them the written lines are accepted
    }
    if (found.nlink === 0) {
      broken = `${path} has been removed`
      throw new Error('it has been removed')
    }
    if (found.size === expected) return
    if (found.size < size) broken = `${path} has been cut to ${found.size} bytes by another program`
    throw new Error(`it is ${found.size} bytes long, expected ${expected}`)
  }

  /** Removes a partial write: half a line would damage later lines, and a refused change must never appear. */
  function truncate(to: number): void {
    if (file === undefined || broken) return
    try {
      disk.ftruncateSync(file, to)
      size = to
    } catch (error) {
      broken = `${path} can no longer be written: ${reason(error)}`
    }
  }

  const log = {
    get broken() {
      return broken
    },
    append(lines: string): void {
      if (isClosed) throw new StorageError(`${path} has been closed`)
      if (broken) throw new StorageError(broken)
      const isFirst = size === 0
      const bytes = Buffer.from(isFirst ? header + lines : lines)
      try {
        writeWhole(disk, fileToWrite(), bytes)
        checkSize(size + bytes.length)
        if (isFirst && !isSynced) markBegun()
        size += bytes.length
      } catch (error) {
        truncate(size)
        throw new StorageError(`cannot append to ${path}: ${reason(error)}`)
      }
    },
    sync: () => (isSafe() ? undefined : syncInBackground()),
    /** @throws StorageError also after a sync that failed in the background: nothing of this file is safe any more */
    syncNow(): void {
      if (broken) throw new StorageError(broken)
      if (isSafe()) return
      try {
        disk.fdatasyncSync(file!)
        if (beginSynced()) syncDirectory(disk, dirname(path))
        syncedSize = size
      } catch (error) {
        throw syncError(error)
      }
    },
    /** Closes the file for a while, unless something is still to be synced. */
    rest(): void {
      if (syncing === 0 && (isSafe() || broken !== undefined)) closeFile()
    },
    close(): void {
      isClosed = true
      if (syncing === 0) closeFile()
    },
  }
  return log
}

type Batch = ReturnType<typeof newBatch>

/** Changes that go to the log in one piece, with their undo functions in their order. */
function newBatch() {
  const undo: (() => void)[] = []
  let resolve = () => {}
  let reject: (error: unknown) => void = () => {}
  const done = new Promise<void>((yes, no) => {
    resolve = yes
    reject = no
  })
  // Every waiter gets the rejection; avoid an unhandled one when there is none.
  done.catch(() => {})
  return { lines: '', undo, done, resolve, reject }
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
  get durable(): Promise<void> | undefined {
    return (this.#waiting ?? this.#syncing)?.done
  }

  /** @param undo undoes the change, which is visible from now on */
  add(log: Appender, line: string, undo: () => void): void {
    this.#log = log
    if (!this.#waiting) {
      this.#waiting = newBatch()
      if (!this.#syncing) setImmediate(() => this.#commit())
    }
    this.#waiting.lines += line
    this.#waiting.undo.push(undo)
  }

  /** Makes all changes durable before it returns. @throws StorageError when they had to be undone */
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
