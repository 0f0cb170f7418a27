import type { OperationId } from '../service/operations.ts'
import type { Delivery, RecordedResponse, RecordReader, RequestRecord } from './request-record.ts'

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

/** Bytes of a record without its bodies and headers, roughly. */
const recordBytes = 600

/** How a record has changed. */
export type RecordChange = 'opened' | 'read' | 'answered' | 'closed'

/**
 * Whether a wait is over. Called once at the beginning without a record, then with each record when it opens or changes,
 * so that no caller has to search all records again.
 */
export type WaitPredicate = (changed: RequestRecord | undefined) => boolean

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
  /** Called when a record opens or changes. */
  onChange: ((record: RequestRecord, what: RecordChange) => void) | undefined

  /** @param real returns milliseconds since 1970 */
  constructor(limits: JournalLimits = defaultJournalLimits, real: () => number = realTime) {
    this.#real = real
    this.#limits = limits
    this.#since = real()
  }

  /** Keeps a record, whose number is that of `count` plus 1. */
  open(record: RequestRecord): void {
    this.#count++
    this.#records.push(record)
    record.chargedBytes = 0
    this.changed(record, 'opened')
  }

  /** Makes room if a kept record has grown, and notifies those who wait. */
  changed(record: RequestRecord, what: RecordChange): void {
    if (record.chargedBytes !== undefined) {
      const bytes = sizeOf(record)
      this.#bytes += bytes - record.chargedBytes
      record.chargedBytes = bytes
      this.#makeRoom()
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
    return this.entries().findLast(record => record.id === id)
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
    return this.#droppedUpTo === 0 ? this.#since : (this.#records[this.#first]?.arrived.real ?? this.#real())
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
    for (const record of this.entries()) record.chargedBytes = undefined
    this.#records = []
    this.#first = 0
    this.#bytes = 0
    this.#dropped = 0
    this.#droppedUpTo = 0
    this.#since = this.#real()
  }

  /**
   * Waits until the condition is met.
   * @returns whether it is met; false if `left` resolved or the space ended first
   */
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
  }

  #makeRoom(): void {
    while (this.#records.length - this.#first > this.#limits.entries || this.#bytes > this.#limits.bytes) {
      const oldest = this.#records[this.#first]
      if (!oldest) break
      this.#records[this.#first++] = undefined as never
      this.#bytes -= oldest.chargedBytes!
      oldest.chargedBytes = undefined
      this.#dropped++
      this.#droppedUpTo = oldest.number
    }
    // Moving the rest to the front is slow, so it is done rarely.
    if (this.#first > 1_000 && this.#first * 2 > this.#records.length) {
      this.#records = this.entries() as RequestRecord[]
      this.#first = 0
    }
  }
}

/** Bytes that a record counts. An answer that was given as it truly is counts once. */
function sizeOf({ target, headers, body, truth, response }: RequestRecord): number {
  let bytes = recordBytes + target.length + (body?.length ?? 0)
  for (const name in headers) bytes += name.length + String(headers[name] ?? '').length
  if (truth) bytes += responseSize(truth)
  if (response && response !== truth) bytes += responseSize(response)
  return bytes
}

/** The detail of a problem is kept in addition to the body. */
const responseSize = ({ body, problem }: RecordedResponse) => body.length + (problem?.detail.length ?? 0)

/** The machine's time in the journal: wall-clock time at the start of the process, monotonic from there. */
export const realTime = (): number => processStart + performance.now()

const processStart = performance.timeOrigin

/** Selects requests: all given parts must match. Equality and prefix only. */
export interface RecordFilter {
  readonly operation?: OperationId | undefined
  /** Status of an answer that was delivered whole: three digits, or a class such as `5xx`. */
  readonly status?: string | undefined
  /** A star at the end makes it a prefix; a transaction ID never contains a star. */
  readonly transactionId?: string | undefined
  readonly synchronizationId?: string | undefined
  readonly delivered?: Delivery | undefined
  /** Name of the scenario, or ID of the one-shot fault, that was applied. */
  readonly scenario?: string | undefined
}

/** Whether a record matches the filter. Cheap checks come first. */
export function matchesFilter(record: RequestRecord, filter: RecordFilter, reader: RecordReader): boolean {
  const { operation, status, transactionId, synchronizationId, delivered, scenario } = filter
  if (delivered !== undefined && record.delivered !== delivered) return false
  if (scenario !== undefined && record.decision?.scenario !== scenario) return false
  if (status !== undefined && !hasStatus(record, status)) return false
  if (operation !== undefined && reader.operation(record) !== operation) return false
  if (synchronizationId !== undefined && reader.synchronizationId(record) !== synchronizationId) return false
  return transactionId === undefined || matchesTransactionId(reader.transactionId(record), transactionId)
}

function hasStatus({ response, delivered }: RequestRecord, wanted: string): boolean {
  // A client has no status if the answer was withheld, cut, or has not been sent yet.
  if (!response || delivered !== 'handed') return false
  const seen = String(response.status)
  return wanted.endsWith('xx') ? seen[0] === wanted[0] : seen === wanted
}

function matchesTransactionId(seen: string | undefined, wanted: string): boolean {
  if (seen === undefined) return false
  return wanted.endsWith('*') ? seen.startsWith(wanted.slice(0, -1)) : seen === wanted
}

export interface WaitCondition {
  readonly filter: RecordFilter
  /** Number of requests to wait for. */
  readonly count: number
  /** `closed`: they must have ended. `opened`: it is enough that they have arrived. */
  readonly state: 'closed' | 'opened'
  /** Only requests after the one with this number. */
  readonly since: number
}

/** How a wait ended. */
export interface WaitResult {
  readonly isMet: boolean
  /** The matching requests, oldest first, including those that the journal has dropped meanwhile. */
  readonly entries: readonly RequestRecord[]
}

/**
 * Waits for requests of clients. The second delivery of `deliver: twice` does not count. The cost per request is
 * constant.
 * @param left resolves when the caller stops waiting
 */
export async function waitForRecords(
  journal: Journal,
  reader: RecordReader,
  { filter, count, state, since }: WaitCondition,
  left: Promise<unknown>,
): Promise<WaitResult> {
  const found = new Set<RequestRecord>()
  const look = (record: RequestRecord): void => {
    if (record.number <= since || record.twinOf !== undefined) return
    if (state === 'closed' && !record.ended) return
    if (matchesFilter(record, filter, reader)) found.add(record)
  }
  const isMet = await journal.waitUntil(changed => {
    if (changed) look(changed)
    else for (const record of journal.entries()) look(record)
    return found.size >= count
  }, left)
  return { isMet, entries: [...found].sort((a, b) => a.number - b.number) }
}
