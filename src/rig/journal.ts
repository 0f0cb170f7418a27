import type { OperationId } from '../service/operations.ts'
import type { Answer } from '../service/response.ts'
import type { Clock } from '../store/space-data.ts'
import type { Hints } from './hints.ts'
import { digestOf } from './request-facts.ts'
import {
  BodyArena,
  type Delivery,
  type MomentName,
  type RecordedRequest,
  RecordedResponse,
  type RecordReader,
  RequestRecord,
  type Slice,
  TimestampPages,
} from './request-record.ts'

export type {
  ConnectionOrigin as Origin,
  Delivery as Delivered,
  Moment,
  RecordedRequest as Asked,
  RecordedResponse as Kept,
  RequestRecord as Entry,
} from './request-record.ts'

export interface JournalLimits {
  /** Maximum number of entries; 0 keeps none. */
  readonly entries: number
  /** Maximum number of bytes of bodies and headers, roughly. */
  readonly bytes: number
}

/**
 * More requests than a test usually makes. Keeping more makes every request slower, since the garbage collector moves what
 * outlives the young generation.
 */
export const defaultJournalLimits: JournalLimits = { entries: 1_000, bytes: 16 << 20 }

/** Maximum length of a kept body. */
const maxBodyKept = 16 << 10
/** Bytes of an entry without its bodies and headers, roughly. */
const recordBytes = 600

/**
 * Whether a wait is over. Called once at the beginning without an entry, then with each entry when it opens, when its body
 * has been read and when it closes, so that no caller has to search all entries again.
 */
export type WaitPredicate = (changed: RequestRecord | undefined) => boolean

interface Waiter {
  readonly isMet: WaitPredicate
  readonly resolve: (isMet: boolean) => void
}

/** Requests and answers of one space. Bounded: the oldest entries are dropped first, and counted. */
export class Journal {
  readonly #limits: JournalLimits
  #entries: RequestRecord[] = []
  /** Index of the first entry; those before it have been dropped. */
  #first = 0
  #bytes = 0
  #count = 0
  #dropped = 0
  /** Number of the last entry that was dropped; 0 for none. */
  #droppedUpTo = 0
  #hasEnded = false
  /** When the journal began, or was last cleared. */
  #since: number
  readonly #waiters = new Set<Waiter>()
  #arena = new BodyArena()
  readonly #clock: Clock
  readonly #real: () => number
  readonly #timestamps = new TimestampPages()
  /** Target and headers of the last request, and the bytes of these headers. */
  #target = ''
  #headers: RecordedRequest['headers'] = {}
  #headerBytes = 0
  /** The last answer whose bytes are cached by the service. */
  #lastStored: RecordedResponse | undefined
  /** Called when an entry opens or changes. */
  onChange: ((entry: RequestRecord, what: 'opened' | 'answered' | 'closed') => void) | undefined

  /** @param real returns milliseconds since 1970 */
  constructor(clock: Clock, limits: JournalLimits = defaultJournalLimits, real: () => number = realTime) {
    this.#clock = clock
    this.#real = real
    this.#limits = limits
    this.#since = real()
  }

  open(asked: RecordedRequest, clockEpoch: number): RequestRecord {
    this.#timestamps.reserve()
    const entry = new RequestRecord(asked, ++this.#count, clockEpoch, this.#timestamps)
    this.#shareRepeated(entry)
    this.#stamp(entry, 'arrived')
    this.#entries.push(entry)
    this.#charge(entry, recordBytes + asked.target.length + this.#headerBytes)
    this.#notify(entry, 'opened')
    return entry
  }

  /** Records the body, which has arrived completely. */
  recordBody(entry: RequestRecord, body: Uint8Array): void {
    this.#stamp(entry, 'read')
    entry.bodyBytes = body.length
    if (body.length > maxBodyKept) {
      entry.digest = digestOf(body)
      entry.place = this.#arena.put(body.subarray(0, maxBodyKept))
    } else entry.place = this.#arena.put(body)
    this.#charge(entry, sliceLength(entry.place))
    this.#notifyWaiters(entry)
  }

  /** Records the true answer of the service. */
  recordTrueAnswer(entry: RequestRecord, answer: Answer): RecordedResponse {
    const kept = this.#storeAnswer(answer)
    entry.truth = kept
    this.#charge(entry, responseLength(kept))
    return kept
  }

  /**
   * Records the answer for the client: the true one or another.
   * @param hints the hints that are sent with it
   */
  recordResponse(entry: RequestRecord, answer: Answer, isTrue: boolean, hints?: Hints): void {
    entry.hints = hints
    if (isTrue && entry.truth) entry.told = entry.truth
    else {
      const told = this.#storeAnswer(answer)
      entry.told = told
      this.#charge(entry, responseLength(told))
    }
    this.onChange?.(entry, 'answered')
  }

  /** Records that the client left before the end. */
  recordDisconnect(entry: RequestRecord): void {
    if (!entry.hasMoment('ended') && !entry.hasMoment('left')) this.#stamp(entry, 'left')
  }

  close(entry: RequestRecord, delivered: Delivery, bytesSent: number): void {
    if (entry.hasMoment('ended')) return
    entry.delivered = delivered
    entry.bytesSent = bytesSent
    this.#stamp(entry, 'ended')
    this.#notify(entry, 'closed')
  }

  /** The entries that are kept, the oldest first. */
  entries(): readonly RequestRecord[] {
    return this.#first === 0 ? this.#entries : this.#entries.slice(this.#first)
  }

  find(id: string): RequestRecord | undefined {
    return this.entries().findLast(entry => entry.id === id)
  }

  /** Number of requests so far, including dropped and removed ones. */
  get count(): number {
    return this.#count
  }

  /** Number of entries dropped to make room since the beginning, or since the last `clear`. */
  get dropped(): number {
    return this.#dropped
  }

  /** The journal is complete from this time on; milliseconds since 1970 on the machine's clock. */
  get since(): number {
    return this.#droppedUpTo === 0 ? this.#since : (this.#entries[this.#first]?.arrived.real ?? this.#real())
  }

  /** Whether all requests after the one with this number are here; 0 for all requests. */
  isComplete(since = 0): boolean {
    return this.#droppedUpTo <= since
  }

  get bytes(): number {
    return this.#bytes
  }

  /** Removes all entries at the tester's request; none of them counts as dropped. */
  clear(): void {
    for (const entry of this.entries()) entry.isDropped = true
    this.#entries = []
    this.#arena = new BodyArena()
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

  #stamp(entry: RequestRecord, moment: MomentName): void {
    entry.setMoment(moment, this.#real(), this.#clock.now())
  }

  /** A client often repeats target and headers: equal ones share one copy. */
  #shareRepeated(entry: RequestRecord): void {
    if (entry.target === this.#target) entry.target = this.#target
    else this.#target = entry.target
    if (areHeadersEqual(entry.headers, this.#headers)) entry.headers = this.#headers
    else {
      this.#headers = entry.headers
      this.#headerBytes = headersLength(entry.headers)
    }
  }

  #notify(entry: RequestRecord, what: 'opened' | 'closed'): void {
    this.onChange?.(entry, what)
    this.#notifyWaiters(entry)
  }

  #notifyWaiters(entry: RequestRecord): void {
    if (this.#waiters.size === 0) return
    for (const waiter of this.#waiters)
      if (waiter.isMet(entry)) {
        this.#waiters.delete(waiter)
        waiter.resolve(true)
      }
  }

  #storeAnswer({ status, headers, body, problem }: Answer): RecordedResponse {
    if (typeof body === 'string') {
      const place = this.#arena.put(body.length > maxBodyKept ? body.slice(0, maxBodyKept) : body)
      const isWhole = body.length <= maxBodyKept
      return new RecordedResponse(
        status,
        headers,
        place,
        isWhole ? sliceLength(place) : Buffer.byteLength(body),
        problem,
      )
    }
    const { length } = body
    const last = this.#lastStored
    if (
      last?.shelf === body &&
      last.status === status &&
      last.headers === headers &&
      last.problem === problem
    )
      return last
    // Bytes cached by the service need no copy. A slice of a long body is copied, since it would keep the whole buffer.
    const place =
      length <= maxBodyKept
        ? { shelf: body, start: 0, end: length }
        : this.#arena.put(body.subarray(0, maxBodyKept))
    this.#lastStored = new RecordedResponse(status, headers, place, length, problem)
    return this.#lastStored
  }

  #charge(entry: RequestRecord, bytes: number): void {
    if (entry.isDropped) return
    entry.chargedBytes += bytes
    this.#bytes += bytes
    while (this.#entries.length - this.#first > this.#limits.entries || this.#bytes > this.#limits.bytes) {
      const oldest = this.#entries[this.#first]
      if (!oldest) break
      this.#entries[this.#first++] = undefined as never
      oldest.isDropped = true
      this.#bytes -= oldest.chargedBytes
      this.#dropped++
      this.#droppedUpTo = oldest.number
    }
    // Moving the rest to the front is slow, so it is done rarely.
    if (this.#first > 1_000 && this.#first * 2 > this.#entries.length) {
      this.#entries = this.#entries.slice(this.#first)
      this.#first = 0
    }
  }
}

/** Whether all values are equal. Arrays of values count as different. */
function areHeadersEqual(some: RecordedRequest['headers'], others: RecordedRequest['headers']): boolean {
  let count = 0
  for (const name in some) {
    if (some[name] !== others[name]) return false
    count++
  }
  for (const _ in others) count--
  return count === 0
}

/** Headers as Node gives them: strings, or arrays of them. */
function headersLength(headers: RecordedRequest['headers']): number {
  let length = 0
  for (const name in headers) length += name.length + String(headers[name] ?? '').length
  return length
}

/** The detail of a problem is kept in addition to the body. */
const responseLength = (kept: RecordedResponse) => sliceLength(kept) + (kept.problem?.detail.length ?? 0)

const sliceLength = ({ start, end }: Slice) => end - start

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

/** Whether an entry matches the filter. Cheap checks come first. */
export function matchesFilter(entry: RequestRecord, filter: RecordFilter, reader: RecordReader): boolean {
  const { operation, status, transactionId, synchronizationId, delivered, scenario } = filter
  if (delivered !== undefined && entry.delivered !== delivered) return false
  if (scenario !== undefined && entry.decision?.scenario !== scenario) return false
  if (status !== undefined && !hasStatus(entry, status)) return false
  if (operation !== undefined && reader.operation(entry) !== operation) return false
  if (synchronizationId !== undefined && reader.synchronizationId(entry) !== synchronizationId) return false
  return transactionId === undefined || matchesTransactionId(reader.transactionId(entry), transactionId)
}

function hasStatus({ told, delivered }: RequestRecord, wanted: string): boolean {
  // A client has no status if the answer was withheld, cut, or has not been sent yet.
  if (!told || delivered !== 'handed') return false
  const seen = String(told.status)
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
  const look = (entry: RequestRecord): void => {
    if (entry.number <= since || entry.twinOf !== undefined) return
    if (state === 'closed' && !entry.ended) return
    if (matchesFilter(entry, filter, reader)) found.add(entry)
  }
  const isMet = await journal.waitUntil(changed => {
    if (changed) look(changed)
    else for (const entry of journal.entries()) look(entry)
    return found.size >= count
  }, left)
  return { isMet, entries: [...found].sort((a, b) => a.number - b.number) }
}
