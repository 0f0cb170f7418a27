import { setImmediate } from 'node:timers'
import { reason } from '../store/disk.ts'
import type { Appender, Files } from '../store/files.ts'
import { segmentOf } from '../store/log.ts'
import { spaceFileStem } from '../store/tenant-directory.ts'
import type { Journal, JournalLimits, JournalState } from './journal.ts'
import { formatKept, type KeptHead, KeptLines, keptFormat } from './kept-records.ts'
import type { RequestRecord } from './request-record.ts'

/** What an earlier run has left of a journal. */
export interface KeptState extends JournalState, Pick<KeptHead, 'age' | 'continues'> {}

/** The names of the files with the journal of a space, in their order. */
export function keptFiles(files: Files, space: string): string[] {
  if (!files.persistent) return []
  const names = files.list(spaceFileStem(space)).filter(name => name.endsWith('.journal.jsonl'))
  return names.sort((a, b) => segmentOf(a) - segmentOf(b))
}

/** Removes the journal of a space from the disk. @throws StorageError */
export function removeKept(files: Files, space: string): void {
  const names = keptFiles(files, space)
  if (names.length > 0) files.remove(names)
}

/** How a journal is kept on disk. */
export interface KeepOptions {
  readonly files: Files
  readonly limits: JournalLimits
  readonly warn: (sentence: string) => void
}

/** Of one beginning of a space. */
type Beginning = Pick<KeptHead, '$space' | 'origin' | 'age' | 'continues'>

/**
 * Keeps a journal on disk, beside the log of its space. A line says what has changed in one record. What changes within one turn of the
 * event loop is appended in one piece, and before a response leaves: what a client was told is on record, however the process ends.
 *
 * Several files follow one another. One is full with half of what the journal keeps, and goes when all records that began in it have
 * been dropped. So nothing is ever rewritten while requests come. A start writes what it has read to a file of its own.
 */
export class KeptJournal {
  readonly #options: KeepOptions
  readonly #beginning: Beginning
  readonly #journal: Journal
  readonly #lines = new KeptLines()
  readonly #changed = new Set<RequestRecord>()
  /** The files with the last request that was on record when it was full. */
  #full: { readonly name: string; readonly last: number }[] = []
  #log: { readonly appender: Appender; readonly name: string } | undefined
  #segment: number
  /** Records and characters in the last file. */
  #begun = 0
  #characters = 0
  #clearedUpTo: number
  #hasEnded = false

  /** @param clearedUpTo see `KeptHead` */
  constructor(options: KeepOptions, beginning: Beginning, journal: Journal, clearedUpTo: number) {
    this.#options = options
    this.#beginning = beginning
    this.#journal = journal
    this.#clearedUpTo = clearedUpTo
    const names = keptFiles(options.files, beginning.$space)
    this.#segment = Math.max(0, ...names.map(segmentOf))
    if (names.length === 0) return
    this.#rewrite(names)
  }

  /** Keeps what has changed in a record. @param isUrgent whether before this returns, else at the end of this turn */
  note(record: RequestRecord, isUrgent: boolean): void {
    if (this.#hasEnded || record.number <= this.#clearedUpTo) return
    if (this.#changed.size === 0) setImmediate(() => this.#flush())
    this.#changed.add(record)
    if (isUrgent) this.#flush()
  }

  /** The journal has been cleared. */
  clear(): void {
    if (this.#hasEnded) return
    this.#changed.clear()
    this.#clearedUpTo = this.#journal.count
    this.#rewrite(keptFiles(this.#options.files, this.#beginning.$space))
  }

  close(): void {
    this.#flush()
    this.#hasEnded = true
    this.#log?.appender.close()
  }

  #flush(): void {
    if (this.#changed.size === 0) return
    const changed = [...this.#changed]
    this.#changed.clear()
    this.#attempt(() => this.#append(changed))
  }

  #append(changed: readonly RequestRecord[]): void {
    const { entries, bytes } = this.#options.limits
    if (this.#begun * 2 >= entries || this.#characters * 2 >= bytes) this.#dropFiles()
    this.#log ??= this.#beginFile()
    const text = changed.map(record => this.#lines.of(record)).join('')
    if (text === '') return
    this.#log.appender.append(text)
    this.#begun += changed.length
    this.#characters += text.length
  }

  /** Writes what the journal has to a new file, which then stands for all others. */
  #rewrite(others: readonly string[]): void {
    this.#attempt(() => {
      this.#endFile()
      this.#log = this.#beginFile()
      this.#append(this.#journal.entries())
      this.#options.files.remove(others)
      this.#full = []
    })
  }

  /** Ends the last file, and removes those of whose records none is left. */
  #dropFiles(): void {
    const { count } = this.#journal
    const [{ number: first } = { number: count + 1 }] = this.#journal.entries()
    if (this.#log) this.#full.push({ name: this.#log.name, last: count })
    this.#endFile()
    const past = this.#full.filter(({ last }) => last < first)
    this.#full = this.#full.filter(({ last }) => last >= first)
    this.#options.files.remove(past.map(({ name }) => name))
  }

  #beginFile() {
    const { files } = this.#options
    const { count, began } = this.#journal
    const name = `${spaceFileStem(this.#beginning.$space)}.${++this.#segment}.journal.jsonl`
    const head: KeptHead = {
      $journal: keptFormat,
      ...this.#beginning,
      since: began,
      clearedUpTo: this.#clearedUpTo,
      count,
    }
    const appender = files.appender(name, formatKept(head), 'journal')
    // The head alone counts the requests that were cleared.
    appender.append('')
    return { appender, name }
  }

  #endFile(): void {
    this.#log?.appender.close()
    this.#log = undefined
    this.#begun = 0
    this.#characters = 0
    this.#lines.beginFile()
  }

  /** A journal with a gap would be no evidence, so after a failure nothing of it stays on the disk. */
  #attempt(work: () => void): void {
    try {
      work()
    } catch (error) {
      this.#hasEnded = true
      this.#log?.appender.close()
      const { files, warn } = this.#options
      const { $space } = this.#beginning
      warn(`space ${$space}: its journal is in memory only from here on: ${reason(error)}`)
      try {
        removeKept(files, $space)
      } catch (failure) {
        warn(
          `space ${$space}: remove its files ${files.pathOf(spaceFileStem($space))}.*.journal.jsonl before the next start, since requests are missing there: ${reason(failure)}`,
        )
      }
    }
  }
}
