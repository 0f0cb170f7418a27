import type { Answer } from '../service/answer.ts'
import type { Clock } from '../store/space.ts'
import { digestOf } from './body-digest.ts'
import { type Asked, type Delivered, Entry, Kept } from './entry.ts'
import type { Hints } from './hints.ts'
import { type Place, Shelves } from './shelves.ts'
import { type MomentName, Stamps } from './stamps.ts'

export type { Asked, Delivered, Entry, Kept, Moment, Origin } from './entry.ts'

export interface JournalLimits {
  /** Entries at most; 0 keeps none. */
  readonly entries: number
  /** Bytes of kept bodies and headers at most, roughly. */
  readonly bytes: number
}

/**
 * As many requests as a test makes, and some: keeping more makes every request dearer, since what outlives the young
 * generation of the heap has to be moved.
 */
export const usualLimits: JournalLimits = { entries: 1_000, bytes: 16 << 20 }

/** Bodies are kept up to this length. */
const longestBody = 16 << 10
/** What an entry takes beside its bodies and headers, roughly. */
const entryBytes = 600

/**
 * Whether what somebody waits for has come. Asked once at the beginning, without an entry, and then with each entry as it
 * opens, as its body has been read and as it closes, so that nobody has to look through all of them again.
 */
export type IsMet = (changed: Entry | undefined) => boolean

interface Waiter {
  readonly isMet: IsMet
  readonly resolve: (isMet: boolean) => void
}

/** What was asked and what was answered in one space. Bounded: the oldest entries go first, and are counted. */
export class Journal {
  readonly #limits: JournalLimits
  #entries: Entry[] = []
  /** Where the entries begin: those before have been dropped. */
  #first = 0
  #bytes = 0
  #count = 0
  #dropped = 0
  /** Number of the last entry that had to make room; 0 for none. */
  #droppedUpTo = 0
  #hasEnded = false
  /** When it began, or was last cleared. */
  #since: number
  readonly #waiters = new Set<Waiter>()
  #shelves = new Shelves()
  readonly #clock: Clock
  readonly #real: () => number
  readonly #stamps = new Stamps()
  /** Those of the last request; what the headers weigh. */
  #target = ''
  #headers: Asked['headers'] = {}
  #headerBytes = 0
  /** The last answer whose bytes the service keeps. */
  #lastKept: Kept | undefined
  /** Hears of entries that open or change. */
  onChange: ((entry: Entry, what: 'opened' | 'answered' | 'closed') => void) | undefined

  /** @param real gives milliseconds since 1970 */
  constructor(clock: Clock, limits: JournalLimits = usualLimits, real: () => number = realTime) {
    this.#clock = clock
    this.#real = real
    this.#limits = limits
    this.#since = real()
  }

  open(asked: Asked, clockEpoch: number): Entry {
    this.#stamps.take()
    const entry = new Entry(asked, ++this.#count, clockEpoch, this.#stamps)
    this.#share(entry)
    this.#stamp(entry, 'arrived')
    this.#entries.push(entry)
    this.#weigh(entry, entryBytes + asked.target.length + this.#headerBytes)
    this.#changed(entry, 'opened')
    return entry
  }

  /** The body has come to its end. */
  read(entry: Entry, body: Uint8Array): void {
    this.#stamp(entry, 'read')
    entry.bodyBytes = body.length
    if (body.length > longestBody) {
      entry.digest = digestOf(body)
      entry.place = this.#shelves.put(body.subarray(0, longestBody))
    } else entry.place = this.#shelves.put(body)
    this.#weigh(entry, lengthOfPlace(entry.place))
    this.#wake(entry)
  }

  /** What the service answered in truth. */
  answered(entry: Entry, answer: Answer): Kept {
    const kept = this.#keep(answer)
    entry.truth = kept
    this.#weigh(entry, lengthOfKept(kept))
    return kept
  }

  /**
   * What the client is to be told: the truth, or something else.
   * @param hints what is put beside it for whoever is testing
   */
  tell(entry: Entry, answer: Answer, isTrue: boolean, hints?: Hints): void {
    entry.hints = hints
    if (isTrue && entry.truth) entry.told = entry.truth
    else {
      const told = this.#keep(answer)
      entry.told = told
      this.#weigh(entry, lengthOfKept(told))
    }
    this.onChange?.(entry, 'answered')
  }

  /** The client has left before the end. */
  left(entry: Entry): void {
    if (!entry.has('ended') && !entry.has('left')) this.#stamp(entry, 'left')
  }

  close(entry: Entry, delivered: Delivered, bytesSent: number): void {
    if (entry.has('ended')) return
    entry.delivered = delivered
    entry.bytesSent = bytesSent
    this.#stamp(entry, 'ended')
    this.#changed(entry, 'closed')
  }

  /** The entries that are kept, the oldest first. */
  entries(): readonly Entry[] {
    return this.#first === 0 ? this.#entries : this.#entries.slice(this.#first)
  }

  find(id: string): Entry | undefined {
    return this.entries().findLast(entry => entry.id === id)
  }

  /** Requests so far, those that were dropped or removed included. */
  get count(): number {
    return this.#count
  }

  /** Entries that had to make room since the beginning, or since they were last removed on purpose. */
  get dropped(): number {
    return this.#dropped
  }

  /** From when on every request is here, unless it was not to be kept; milliseconds since 1970 on the machine's clock. */
  get since(): number {
    return this.#droppedUpTo === 0 ? this.#since : (this.#entries[this.#first]?.arrived.real ?? this.#real())
  }

  /** Whether everything that came after the request with this number is here, 0 for all requests. */
  isComplete(since = 0): boolean {
    return this.#droppedUpTo <= since
  }

  get bytes(): number {
    return this.#bytes
  }

  /** Removes what is there on the tester's own wish; nothing counts as dropped from then on. */
  clear(): void {
    for (const entry of this.entries()) entry.isDropped = true
    this.#entries = []
    this.#shelves = new Shelves()
    this.#first = 0
    this.#bytes = 0
    this.#dropped = 0
    this.#droppedUpTo = 0
    this.#since = this.#real()
  }

  /**
   * Waits until the condition holds.
   * @returns whether it holds; false when `left` resolved or the space ended first
   */
  when(isMet: IsMet, left: Promise<unknown>): Promise<boolean> {
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

  /** How many wait. */
  get waiting(): number {
    return this.#waiters.size
  }

  /** Whether the space is no more, or has begun anew: nothing will be added here. */
  get hasEnded(): boolean {
    return this.#hasEnded
  }

  /** Nobody waits any longer. */
  end(): void {
    this.#hasEnded = true
    for (const { resolve } of this.#waiters) resolve(false)
    this.#waiters.clear()
  }

  #stamp(entry: Entry, moment: MomentName): void {
    entry.stamp(moment, this.#real(), this.#clock.now())
  }

  /** A client asks often for the same, and says the same of itself: one copy is kept, and the others can go at once. */
  #share(entry: Entry): void {
    if (entry.target === this.#target) entry.target = this.#target
    else this.#target = entry.target
    if (areEqual(entry.headers, this.#headers)) entry.headers = this.#headers
    else {
      this.#headers = entry.headers
      this.#headerBytes = lengthOf(entry.headers)
    }
  }

  #changed(entry: Entry, what: 'opened' | 'closed'): void {
    this.onChange?.(entry, what)
    this.#wake(entry)
  }

  #wake(entry: Entry): void {
    if (this.#waiters.size === 0) return
    for (const waiter of this.#waiters)
      if (waiter.isMet(entry)) {
        this.#waiters.delete(waiter)
        waiter.resolve(true)
      }
  }

  #keep({ status, headers, body, problem }: Answer): Kept {
    if (typeof body === 'string') {
      const place = this.#shelves.put(body.length > longestBody ? body.slice(0, longestBody) : body)
      const isWhole = body.length <= longestBody
      return new Kept(
        status,
        headers,
        place,
        isWhole ? lengthOfPlace(place) : Buffer.byteLength(body),
        problem,
      )
    }
    const { length } = body
    const last = this.#lastKept
    if (
      last?.shelf === body &&
      last.status === status &&
      last.headers === headers &&
      last.problem === problem
    )
      return last
    // Bytes that the service keeps itself are there anyway; but a piece of a buffer would keep the whole of it.
    const place =
      length <= longestBody
        ? { shelf: body, start: 0, end: length }
        : this.#shelves.put(body.subarray(0, longestBody))
    this.#lastKept = new Kept(status, headers, place, length, problem)
    return this.#lastKept
  }

  #weigh(entry: Entry, bytes: number): void {
    if (entry.isDropped) return
    entry.weight += bytes
    this.#bytes += bytes
    while (this.#entries.length - this.#first > this.#limits.entries || this.#bytes > this.#limits.bytes) {
      const oldest = this.#entries[this.#first]
      if (!oldest) break
      this.#entries[this.#first++] = undefined as never
      oldest.isDropped = true
      this.#bytes -= oldest.weight
      this.#dropped++
      this.#droppedUpTo = oldest.number
    }
    // Moving the rest to the front is dear, so it is done once in a while.
    if (this.#first > 1_000 && this.#first * 2 > this.#entries.length) {
      this.#entries = this.#entries.slice(this.#first)
      this.#first = 0
    }
  }
}

/** Whether they are the same in the same order. Arrays of values count as different. */
function areEqual(some: Asked['headers'], others: Asked['headers']): boolean {
  let count = 0
  for (const name in some) {
    if (some[name] !== others[name]) return false
    count++
  }
  for (const _ in others) count--
  return count === 0
}

/** Headers as Node gives them: strings, or arrays of them. */
function lengthOf(headers: Asked['headers']): number {
  let length = 0
  for (const name in headers) length += name.length + String(headers[name] ?? '').length
  return length
}

/** The sentences of a problem are kept beside its body. */
const lengthOfKept = (kept: Kept) => lengthOfPlace(kept) + (kept.problem?.detail.length ?? 0)

const lengthOfPlace = ({ start, end }: Place) => end - start

/** The machine's time as the journal stamps it: wall-clock time at the start of the process, monotonic from there. */
export const realTime = (): number => processStart + performance.now()

const processStart = performance.timeOrigin
