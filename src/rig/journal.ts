import type { MemoryShare } from '../store/memory-budget.ts'
import { realClock, realTime } from './clock.ts'
import type { ToldResponse } from './faults/fault.ts'
import { type ReadableHistory, SpaceHistory } from './history.ts'
import { type RecordedBodies, type RecordedResponse, recordedResponse } from './recorded-response.ts'
import type { RequestRecord } from './request-record.ts'

export interface JournalLimits {
  /** Maximum number of records; 0 keeps none. */
  readonly entries: number
  /** Maximum number of bytes of bodies and headers, roughly. */
  readonly bytes: number
}

/**
 * More requests than a test usually makes. Keeping more makes every request slower, since the garbage collector moves what
 * outlives the young generation.
 */
export const defaultJournalLimits: JournalLimits = { entries: 1_000, bytes: 16 << 20 }

/** Bytes of a record without its bodies and headers; measured. */
const recordBytes = 1_500
/** Bytes of a text besides its characters. */
const textBytes = 32

/** What a journal continues from. */
export interface JournalState {
  /** The oldest first. */
  readonly records: readonly RequestRecord[]
  /** Number of requests so far. */
  readonly count: number
  /** Number of the last request that was removed by `clear`; 0 for none. */
  readonly clearedUpTo: number
  /** When the journal began, or was last cleared; milliseconds since 1970. */
  readonly since: number
}

/** How a record has changed. */
export type RecordChange = 'opened' | 'read' | 'answered' | 'closed'

/**
 * Whether a wait is over. Called once at the beginning without a record, then with each record when it opens or changes,
 * so that no caller has to search all records again.
 */
type WaitPredicate = (changed: RequestRecord | undefined) => boolean

interface Waiter {
  readonly isMet: WaitPredicate
  readonly resolve: (isMet: boolean) => void
}

/** The records of one space. Bounded: the oldest are dropped first, and counted. */
export class Journal {
  readonly #limits: JournalLimits
  readonly #real: () => number
  /** The oldest first. Those before the index `#first` have been dropped. */
  #records: RequestRecord[] = []
  #first = 0
  #bytes = 0
  #count = 0
  #dropped = 0
  /** Number of the last record that was dropped; 0 for none. */
  #droppedUpTo = 0
  #hasEnded = false
  /** When the journal began, or was last cleared. */
  #since: number
  readonly #waiters = new Set<Waiter>()
  readonly #bodies: RecordedBodies = new WeakMap()
  readonly #memory: MemoryShare
  #target = ''
  /** Headers of the latest request, and their size. */
  #headers: RequestRecord['headers'] = {}
  #headerBytes = 0
  /** What can be played again, as long as the journal has all requests. */
  readonly history: SpaceHistory
  /** Called when a record opens or changes. */
  onChange: ((record: RequestRecord, what: RecordChange) => void) | undefined
  /** Called after a `clear`. */
  onClear: (() => void) | undefined

  /** @param real returns milliseconds since 1970 */
  constructor(
    limits: JournalLimits,
    memory: MemoryShare,
    real = realTime,
    history = new SpaceHistory(realClock.now()),
  ) {
    this.history = history
    this.#memory = memory
    this.#real = real
    this.#limits = limits
    this.#since = real()
  }

  /** Continues from what an earlier run has left, before the first request. What is missing of it counts as dropped. */
  restore({ records, count, clearedUpTo, since }: JournalState): void {
    this.#since = since
    this.#count = count
    this.#dropped = count - clearedUpTo - records.length
    let last = count
    for (const { number } of records.toReversed()) if (number === last) last--
    this.#droppedUpTo = last > clearedUpTo ? last : 0
    for (const record of records) {
      this.#records.push(record)
      record.chargedBytes = 0
      this.#shareRepeated(record)
      for (const what of ['opened', 'read', 'answered'] as const) {
        const size = this.#addedSize(record, what)
        record.chargedBytes += size
        this.#bytes += size
      }
    }
    this.#makeRoom(this.#limits.bytes)
    this.#memory.set(this.#bytes)
  }

  /** Keeps a record, whose number is that of `count` plus 1. */
  open(record: RequestRecord): void {
    this.#count++
    this.#records.push(record)
    record.chargedBytes = 0
    this.#shareRepeated(record)
    this.changed(record, 'opened')
  }

  /** A client often sends the same again. One copy is kept, so the garbage collector need not move the others. */
  #shareRepeated(record: RequestRecord): void {
    const { headers, target } = record
    if (target === this.#target) record.target = this.#target
    else this.#target = target
    if (areEqual(headers, this.#headers)) record.headers = this.#headers
    else {
      this.#headers = headers
      this.#headerBytes = headersSize(headers)
    }
  }

  /** An answer in the form in which a record has it. */
  recorded(answer: ToldResponse): RecordedResponse {
    return recordedResponse(answer, this.#bodies)
  }

  /** Makes room if a kept record has grown, and notifies those who wait. */
  changed(record: RequestRecord, what: RecordChange): void {
    if (record.chargedBytes !== undefined) {
      const growth = this.#addedSize(record, what)
      if (growth > 0) {
        record.chargedBytes += growth
        this.#bytes += growth
        this.#makeRoom(this.#limits.bytes)
        this.#memory.set(this.#bytes)
      }
    }
    this.onChange?.(record, what)
    for (const waiter of this.#waiters)
      if (waiter.isMet(record)) {
        this.#waiters.delete(waiter)
        waiter.resolve(true)
      }
  }

  /** The records that are kept, the oldest first. */
  entries(): readonly RequestRecord[] {
    return this.#records.slice(this.#first)
  }

  find(id: string): RequestRecord | undefined {
    return this.entries().findLast(record => record.id === id || record.refusalId === id)
  }

  /** Number of requests so far, including dropped and removed ones. */
  get count(): number {
    return this.#count
  }

  /** Number of records dropped to make room since the beginning, or since the last `clear`. */
  get dropped(): number {
    return this.#dropped
  }

  /** The journal is complete from this time on; milliseconds since 1970 on the machine's clock. */
  get since(): number {
    if (this.#droppedUpTo === 0) return this.#since
    const whole = this.entries().find(({ number }) => number > this.#droppedUpTo)
    return whole?.arrived.real ?? this.#real()
  }

  /** When it began, or was last cleared; milliseconds since 1970. */
  get began(): number {
    return this.#since
  }

  /** Whether all requests after the one with this number are here; 0 for all requests. */
  isComplete(since = 0): boolean {
    return this.#droppedUpTo <= since
  }

  get bytes(): number {
    return this.#bytes
  }

  /** Removes all records at the tester's request; none of them counts as dropped. */
  clear(): void {
    if (this.#count > 0) this.history.lose('requests were removed from the record on purpose')
    for (const record of this.entries()) record.chargedBytes = undefined
    this.#records = []
    this.#first = 0
    this.#bytes = 0
    this.#memory.set(0)
    this.#dropped = 0
    this.#droppedUpTo = 0
    this.#since = this.#real()
    this.onClear?.()
  }

  /** Waits until the condition is met. @returns whether it is met; false if `left` resolved or the space ended first */
  waitUntil(isMet: WaitPredicate, left: Promise<unknown>): Promise<boolean> {
    if (isMet(undefined)) return Promise.resolve(true)
    if (this.#hasEnded) return Promise.resolve(false)
    return new Promise(resolve => {
      const waiter: Waiter = { isMet, resolve }
      this.#waiters.add(waiter)
      void left.then(() => {
        if (this.#waiters.delete(waiter)) resolve(false)
      })
    })
  }

  /** Number of callers that wait. */
  get waiting(): number {
    return this.#waiters.size
  }

  /** Whether the space was removed or reset: nothing will be added here. */
  get hasEnded(): boolean {
    return this.#hasEnded
  }

  /** Ends all waits. */
  end(): void {
    this.#hasEnded = true
    for (const { resolve } of this.#waiters) resolve(false)
    this.#waiters.clear()
    this.#memory.close()
  }

  /** Drops the older half of its bytes, since memory is short. */
  reclaim(): void {
    this.#makeRoom(this.#bytes / 2)
    this.#memory.set(this.#bytes)
  }

  /** Bytes that a record counts from this change on. An answer that was given as it truly is counts once. */
  #addedSize({ target, body, truth, response }: RequestRecord, what: RecordChange): number {
    if (what === 'opened') return recordBytes + target.length + this.#headerBytes
    if (what === 'read') return body?.length ?? 0
    if (what === 'closed') return 0
    return (truth ? responseSize(truth) : 0) + (response && response !== truth ? responseSize(response) : 0)
  }

  #makeRoom(most: number): void {
    while (this.#records.length - this.#first > this.#limits.entries || this.#bytes > most) {
      const oldest = this.#records[this.#first]
      if (!oldest) break
      this.#records[this.#first++] = undefined as never
      this.#bytes -= oldest.chargedBytes!
      oldest.chargedBytes = undefined
      this.#dropped++
      this.#droppedUpTo = oldest.number
      this.history.lose('requests were dropped from the record to make room')
    }
    // Moving the rest to the front is slow, so it is done rarely.
    if (this.#first > 1_000 && this.#first * 2 > this.#records.length) {
      this.#records = this.entries() as RequestRecord[]
      this.#first = 0
    }
  }
}

/** A journal for its readers. */
export type ReadableJournal = Pick<
  Journal,
  'entries' | 'find' | 'count' | 'dropped' | 'since' | 'isComplete' | 'waitUntil' | 'waiting' | 'hasEnded'
> & { readonly history: ReadableHistory }

function headersSize(headers: RequestRecord['headers']): number {
  let bytes = 0
  for (const name in headers) bytes += name.length + String(headers[name] ?? '').length
  return bytes
}

/** Whether they have the same values. Arrays of values count as different. */
function areEqual(one: RequestRecord['headers'], other: RequestRecord['headers']): boolean {
  let count = 0
  for (const name in one) {
    if (one[name] !== other[name]) return false
    count++
  }
  for (const _ in other) count--
  return count === 0
}

/** A problem is kept in addition to the body, with an object for each field. */
function responseSize({ body, ending = '', problem }: RecordedResponse): number {
  let bytes = body.length + ending.length
  if (!problem) return bytes
  bytes += problem.detail.length
  for (const it of problem.generalErrors) bytes += textBytes + it.length
  for (const { field, problem: it } of problem.invalidFields)
    bytes += 3 * textBytes + field.length + it.length
  return bytes
}
