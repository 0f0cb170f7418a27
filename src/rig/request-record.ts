import type { OperationId } from '../service/operations.ts'
import type { Refusal } from '../service/problem.ts'
import type { SendingState } from '../store/rows.ts'
import type { Hints } from './hints.ts'
import { type BodyDigest, digestOf, RequestFacts } from './request-facts.ts'
import type { Decision, SelectedBy } from './scenarios/play.ts'
import type { Scenario } from './scenarios/scenario.ts'

/** Bytes of the first buffer. Each further one is twice as large, since most spaces have few requests. */
const firstBufferBytes = 4 << 10
const maxBufferBytes = 128 << 10

/** The place of some bytes, without an object of their own for each body. */
export interface Slice {
  readonly shelf: Buffer
  readonly start: number
  readonly end: number
}

/**
 * Stores the journal's bodies outside of the heap, one after another, since the garbage collector would move each string
 * twice. A buffer is freed with its last body.
 */
export class BodyArena {
  #buffer = Buffer.alloc(0)
  #used = 0

  put(body: string | Uint8Array): Slice {
    if (typeof body === 'string') return this.#putText(body)
    const start = this.#reserve(body.length)
    this.#buffer.set(body, start)
    return this.#slice(start, body.length)
  }

  #putText(text: string): Slice {
    // A UTF-16 unit takes at most three bytes; counting exactly first costs a third of the writing.
    const isEnough = this.#used + 3 * text.length <= this.#buffer.length
    const start = isEnough ? this.#used : this.#reserve(Buffer.byteLength(text))
    return this.#slice(start, this.#buffer.write(text, start))
  }

  /** The start of free room for this number of bytes. */
  #reserve(length: number): number {
    if (this.#used + length > this.#buffer.length) {
      const next = Math.min(maxBufferBytes, Math.max(firstBufferBytes, 2 * this.#buffer.length))
      this.#buffer = Buffer.allocUnsafeSlow(Math.max(next, length))
      this.#used = 0
    }
    return this.#used
  }

  #slice(start: number, length: number): Slice {
    this.#used += length
    return { shelf: this.#buffer, start, end: start + length }
  }
}

/** Decodes without an intermediate buffer. */
export const sliceText = ({ shelf, start, end }: Slice, encoding: 'utf8' | 'latin1' = 'utf8'): string =>
  shelf.toString(encoding, start, end)

export const sliceBytes = ({ shelf, start, end }: Slice): Buffer => shelf.subarray(start, end)

/** A moment on both clocks, in milliseconds since 1970. */
export interface Moment {
  /** The machine's own time, monotonic within a process. */
  readonly real: number
  readonly clock: number
}

/** The moments of a request, with their offsets in its part of a page. */
export const momentOffsets = { arrived: 0, read: 2, ended: 4, left: 6 } as const
export type MomentName = keyof typeof momentOffsets

const numbersEach = 2 * Object.keys(momentOffsets).length
const requestsPerPage = 256
/** Copied for each page, which is faster than filling an array. */
const blankPage: readonly number[] = new Array<number>(requestsPerPage * numbersEach).fill(Number.NaN)

/**
 * Stores the journal's times: many requests share a page of numbers. Separate members would need an object and two boxed
 * numbers for each moment, which the garbage collector would move twice.
 */
export class TimestampPages {
  page: number[] = []
  /** Start of the part that was taken last. */
  start = 0
  #next = 0

  /** Takes the next free part of a page. A page is freed with the last request that uses it. */
  reserve(): void {
    if (this.#next === this.page.length) {
      this.page = blankPage.slice()
      this.#next = 0
    }
    this.start = this.#next
    this.#next += numbersEach
  }
}

/** Where a request came from, as far as the socket shows. */
export interface ConnectionOrigin {
  /** Number of the connection on this server, from 1; 0 for a request without a socket. */
  readonly connection: number
  /** Position of the request on its connection, from 1. */
  readonly position: number
  readonly remotePort: number | undefined
}

/** What is known of a request on arrival. Headers are unchanged; credentials are removed when they are shown. */
export interface RecordedRequest extends ConnectionOrigin {
  readonly id: string
  readonly user: string
  readonly method: string
  /** Path and query. */
  readonly target: string
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  /** ID of the first delivery, if `deliver: twice` made this one. */
  readonly twinOf: string | undefined
}

/**
 * How an answer was delivered. `handed`: whole, to the operating system, which does not prove that it was received.
 * `cut`: a fault left part of it out or broke the connection. `none`: a fault withheld it. `aborted`: the client left
 * first. `server-stopped`: the mock was stopped first.
 */
export type Delivery = 'open' | 'handed' | 'cut' | 'none' | 'aborted' | 'server-stopped'

/**
 * One request and its outcome. Opened on arrival, closed when its answer has been sent or never will be. There is one per
 * request and it lives a while, so it stores numbers rather than objects.
 */
export class RequestRecord implements RecordedRequest {
  readonly id: string
  readonly user: string
  readonly method: string
  target: string
  headers: RecordedRequest['headers']
  readonly connection: number
  readonly position: number
  readonly remotePort: number | undefined
  readonly twinOf: string | undefined
  /** Number of the request in its space, from 1; dropped requests count. */
  readonly number: number
  /** How often the clock had been moved by hand before the request arrived. */
  readonly clockEpoch: number
  /** The body as received, up to a limit. */
  place: Slice | undefined = undefined
  bodyBytes = 0
  /** For a body that is not kept whole: what its beginning alone does not show. */
  digest: BodyDigest | undefined = undefined
  /** The scenario that was asked for a step; undefined if none was in force. */
  applicableScenario: { readonly scenario: Scenario; readonly by: SelectedBy } | undefined = undefined
  decision: Decision | undefined = undefined
  /** The true answer; undefined if the service was never asked. */
  truth: RecordedResponse | undefined = undefined
  /** The answer meant for the client, before a fault on the wire. */
  told: RecordedResponse | undefined = undefined
  /** The hints sent with it; undefined if there were none. */
  hints: Hints | undefined = undefined
  delivered: Delivery = 'open'
  /** Bytes sent to the client, head included. */
  bytesSent = 0
  /** Whether it has been dropped to make room. */
  isDropped = false
  /** Bytes that it counts towards the journal's limit. */
  chargedBytes = 0

  private readonly page: number[]
  private readonly start: number

  constructor(asked: RecordedRequest, number: number, clockEpoch: number, stamps: TimestampPages) {
    this.id = asked.id
    this.user = asked.user
    this.method = asked.method
    this.target = asked.target
    this.headers = asked.headers
    this.connection = asked.connection
    this.position = asked.position
    this.remotePort = asked.remotePort
    this.twinOf = asked.twinOf
    this.number = number
    this.clockEpoch = clockEpoch
    this.page = stamps.page
    this.start = stamps.start
  }

  /** @param real milliseconds since 1970, as is `clock` */
  setMoment(moment: MomentName, real: number, clock: number): void {
    const at = this.start + momentOffsets[moment]
    this.page[at] = real
    this.page[at + 1] = clock
  }

  hasMoment(moment: MomentName): boolean {
    return !Number.isNaN(this.page[this.start + momentOffsets[moment]]!)
  }

  get arrived(): Moment {
    return this.moment('arrived')!
  }

  /** When the last byte of its body was there. */
  get read(): Moment | undefined {
    return this.moment('read')
  }

  get ended(): Moment | undefined {
    return this.moment('ended')
  }

  /** When its client disconnected while it waited, which may be long before it ended. */
  get left(): Moment | undefined {
    return this.moment('left')
  }

  private moment(name: MomentName): Moment | undefined {
    if (!this.hasMoment(name)) return undefined
    const at = this.start + momentOffsets[name]
    return { real: this.page[at]!, clock: this.page[at + 1]! }
  }

  /** As received, up to a limit. */
  get body(): Uint8Array | undefined {
    return this.place && sliceBytes(this.place)
  }
}

/** An answer as the journal keeps it: long bodies are cut. */
export class RecordedResponse implements Slice {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly shelf: Buffer
  readonly start: number
  readonly end: number
  /** Length of the whole body in bytes. */
  readonly bodyBytes: number
  /** The problem that it reports, if any; the body may say less. */
  readonly problem: Refusal | undefined

  constructor(
    status: number,
    headers: RecordedResponse['headers'],
    { shelf, start, end }: Slice,
    bodyBytes: number,
    problem: Refusal | undefined,
  ) {
    this.status = status
    this.headers = headers
    this.shelf = shelf
    this.start = start
    this.end = end
    this.bodyBytes = bodyBytes
    this.problem = problem
  }

  get body(): Buffer {
    return sliceBytes(this)
  }

  /** The body as text: the buffer also contains other bodies. */
  toJSON(): object {
    const { status, headers, body, bodyBytes } = this
    return { status, headers, body: body.toString(), bodyBytes }
  }

  /** Whether the whole body is kept. */
  get isWhole(): boolean {
    return this.end - this.start === this.bodyBytes
  }
}

const noBody = new Uint8Array()
const states: readonly string[] = [
  'PENDING',
  'CREATED',
  'FAILED',
  'INDETERMINATE_FAILURE',
] satisfies SendingState[]

/** What entries are searched for; strings only, so that it can be kept for all of them. */
interface IndexedFacts {
  readonly operation: OperationId | undefined
  readonly synchronizationId: string | undefined
  /** Null until it is asked for, since it requires parsing the body. */
  transactionId: string | undefined | null
}

/** A result derived from an entry, with the state of the entry that it was derived from. */
interface CachedResult extends Pick<RequestRecord, 'place' | 'decision' | 'truth' | 'told'> {
  readonly made: unknown
}

/** Facts about the entries of a journal, derived once for each entry. */
export class RecordReader {
  /** The platform segment of integration paths. */
  readonly segment: string
  readonly #index = new WeakMap<RequestRecord, IndexedFacts>()
  readonly #cache = new Map<unknown, WeakMap<RequestRecord, CachedResult>>()

  constructor(segment: string) {
    this.segment = segment
  }

  /** Not cached: callers need the facts of single entries. */
  facts({ method, target, body = noBody }: RequestRecord): RequestFacts {
    return new RequestFacts(method, target, body, this.segment)
  }

  /** Undefined for what the service does not have. */
  operation(entry: RequestRecord): OperationId | undefined {
    return this.#indexed(entry).operation
  }

  synchronizationId(entry: RequestRecord): string | undefined {
    return this.#indexed(entry).synchronizationId
  }

  /** The transactionId of a createSending request. */
  transactionId(entry: RequestRecord): string | undefined {
    const gist = this.#indexed(entry)
    if (gist.transactionId !== null) return gist.transactionId
    const isCreation = gist.operation === 'createSending'
    gist.transactionId = !isCreation
      ? undefined
      : entry.digest
        ? entry.digest.transactionId
        : this.facts(entry).transactionId
    return gist.transactionId
  }

  /**
   * Caches what `make` derives from an entry, once the entry has ended, for the lifetime of the entry.
   * @param make the cache key; pass the same function each time
   */
  memoize<Result>(
    entry: RequestRecord,
    make: (entry: RequestRecord, reader: RecordReader) => Result,
  ): Result {
    const all = this.#cache.get(make) ?? new WeakMap<RequestRecord, CachedResult>()
    this.#cache.set(make, all)
    const known = all.get(entry)
    if (known && isCurrent(known, entry)) return known.made as Result
    const made = make(entry, this)
    const { place, decision, truth, told } = entry
    if (entry.ended) all.set(entry, { made, place, decision, truth, told })
    return made
  }

  /** Undefined for a request without a body, or whose body has not arrived. */
  digest(entry: RequestRecord): BodyDigest | undefined {
    if (entry.digest) return entry.digest
    return entry.body && entry.body.length > 0 ? digestOf(entry.body) : undefined
  }

  #indexed(entry: RequestRecord): IndexedFacts {
    const known = this.#index.get(entry)
    if (known) return known
    const { operation, synchronizationId } = this.facts(entry)
    const gist: IndexedFacts = { operation: operation?.id, synchronizationId, transactionId: null }
    // Until then its body may still arrive.
    if (entry.read || entry.ended) this.#index.set(entry, gist)
    return gist
  }
}

/** Work for a request may continue long after its client has left. */
const isCurrent = (made: CachedResult, { place, decision, truth, told }: RequestRecord): boolean =>
  made.place === place && made.decision === decision && made.truth === truth && made.told === told

/** The JSON object in an answer, if it has one and its body is kept whole. */
export function bodyJson(kept: RecordedResponse): Record<string, unknown> | undefined {
  if (!kept.isWhole || kept.bodyBytes === 0) return undefined
  try {
    const value: unknown = JSON.parse(sliceText(kept))
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined
  } catch {
    return undefined
  }
}

/** The state of the sending in an answer. */
export function responseState(kept: RecordedResponse): SendingState | undefined {
  const state = bodyJson(kept)?.state
  return typeof state === 'string' && states.includes(state) ? (state as SendingState) : undefined
}
