import type { Operation, ShownSending } from '../service/operation.ts'
import { methodsAt, type OperationId, operations } from '../service/operations.ts'
import { type Answer, halHeaders, halType } from '../service/response.ts'
import { knownState } from '../store/content.ts'
import { getOrMake } from '../store/maps.ts'
import type { SendingState } from '../store/rows.ts'
import type { Arrival } from './request-context.ts'
import { type BodyDigest, digestOf, RequestFacts } from './request-facts.ts'
import type { RequestRecordView } from './request-record-schema.ts'
import type { Decision } from './scenarios/play.ts'
import type { Scenario } from './scenarios/scenario.ts'

export type { RequestRecordView }

/**
 * How an answer was delivered. `handed`: whole, to the operating system, which does not prove that it was received.
 * `cut`: a fault left part of it out or broke the connection. `none`: a fault withheld it. `aborted`: the client left
 * first. `server-stopped`: the mock was stopped first.
 */
export type Delivery = RequestRecordView['delivered']

/** Why a scenario applies to a request. */
export type SelectedBy = NonNullable<RequestRecordView['decision']>['by']

/** A moment on both clocks, in milliseconds since 1970. */
export interface Moment {
  /** The machine's own time, monotonic within a process. */
  readonly real: number
  readonly clock: number
}

/** An answer as it is recorded: a long body is cut. */
export interface RecordedResponse extends Answer {
  /** Length of the whole body in bytes, if it is cut here. */
  readonly wholeBytes?: number
  /** The end of a body that is cut here, where a collection has its links. */
  readonly ending?: string
}

/** Hints for testers, sent with an answer in addition to the request's ID. */
export interface Hints {
  /** The scenario that was applied. */
  readonly scenario: string | undefined
  /** On a refusal: what was expected, and what exists nearby. */
  readonly sentence: string | undefined
}

/** The headers of an answer to the request with its hints among them. */
export function hintedHeaders(
  headers: Answer['headers'],
  { id, hints }: Pick<RequestRecord, 'id' | 'hints'>,
): Answer['headers'] {
  if (!hints) return headers
  const { scenario, sentence } = hints
  if (headers === halHeaders && scenario === undefined && sentence === undefined)
    return { 'Content-Type': halType, 'X-Mock-Request-Id': id }
  // Copied one by one: a spread makes the row "repeat of a transaction ID" slower.
  const hinted: Record<string, string> = {}
  for (const name in headers) hinted[name] = headers[name]!
  hinted['X-Mock-Request-Id'] = id
  if (scenario !== undefined) hinted['X-Mock-Scenario'] = scenario
  if (sentence !== undefined) hinted['X-Mock-Hint'] = sentence
  return hinted
}

/**
 * One request and its outcome in memory: what the JSON shows, in the form in which it is at hand. The request's context
 * writes it, from the arrival until the answer has been delivered or never will be; everybody else only reads it.
 */
export interface RequestRecord
  extends Pick<
      RequestRecordView,
      'id' | 'number' | 'user' | 'method' | 'target' | 'clockEpoch' | 'delivered' | 'bytesSent'
    >,
    Omit<Arrival, 'clientLeft'> {
  /** Unchanged; credentials are removed when they are shown. */
  headers: Readonly<Record<string, string | string[] | undefined>>
  /** The ID that its 401 tells in X-Mock-Request-Id, which does not show that its user exists. */
  refusalId?: string
  /** ID of the first delivery, if `deliver: twice` made this one. */
  twinOf: string | undefined
  arrived: Moment
  /** When the last byte of its body was there. */
  read: Moment | undefined
  ended: Moment | undefined
  /** When its client disconnected while it waited, which may be long before it ended. */
  left: Moment | undefined
  /** Whether the client reset the connection after the whole answer had left: a system does so for unread bytes. */
  isUnread: boolean
  /** The body as received, up to a limit. */
  body: Uint8Array | undefined
  bodyBytes: number
  /** For a body that is not kept whole: what its beginning alone does not show. */
  digest: BodyDigest | undefined
  /** The scenario that was asked for a step; undefined if none was in force. */
  applicableScenario: { readonly scenario: Scenario; readonly by: SelectedBy } | undefined
  decision: Decision | undefined
  /** The true answer; undefined if the service was never asked. */
  truth: RecordedResponse | undefined
  /** The answer meant for the client, before a fault on the wire. */
  response: RecordedResponse | undefined
  /** The hints sent with it; undefined if there were none. */
  hints: Hints | undefined
  /** Bytes that it counts towards the limit of the journal; undefined if the journal does not keep it. */
  chargedBytes: number | undefined
}

/** Maximum length of a recorded body in bytes. */
const maxRecordedBody = 16 << 10

/** Records the body of a request, or of a long one a copy of its beginning and what tells it from others. */
export function recordBody(record: RequestRecord, body: Uint8Array): void {
  const isLong = body.length > maxRecordedBody
  record.bodyBytes = body.length
  record.digest = isLong ? digestOf(body) : undefined
  record.body = isLong ? copyBeginning(body) : body
}

/** A copy in memory of its own: as a part of Node's pool it would keep all of the pool. */
const copyBeginning = (body: Uint8Array) =>
  Buffer.from(new Uint8Array(body.subarray(0, maxRecordedBody)).buffer)

/** Bytes: some links of a collection. */
const maxEnding = 2 << 10

const cut = (body: Buffer) => ({
  body: copyBeginning(body),
  wholeBytes: body.length,
  ending: body.toString('latin1', body.length - maxEnding),
})

/** A collection that did not change is answered with the same bytes again: a copy of their ends serves all records. */
const cuts = new WeakMap<Buffer, ReturnType<typeof cut>>()

/** The answer itself, or a copy with the beginning and the end of a long body. */
export function recordedResponse(answer: Answer): RecordedResponse {
  const { body } = answer
  if (body.length <= maxRecordedBody) return answer
  return { ...answer, ...(typeof body === 'string' ? cut(Buffer.from(body)) : getOrMake(cuts, body, cut)) }
}

export const responseBytes = ({ wholeBytes, body }: RecordedResponse): number =>
  wholeBytes ?? Buffer.byteLength(body)

/** What was derived from a record, with the state of the record that it was derived from. */
interface CachedResult extends Pick<RequestRecord, 'body' | 'decision' | 'truth' | 'response' | 'isUnread'> {
  readonly made: unknown
}

/** Facts about the records of a journal, derived once for each record. */
export class RecordReader {
  /** The platform segment of integration paths. */
  readonly segment: string
  readonly #cache = new Map<unknown, WeakMap<RequestRecord, CachedResult>>()
  readonly #definitions: Readonly<Record<OperationId, Operation>>

  /** @param definitions of the operations that requests are for */
  constructor(segment: string, definitions: Readonly<Record<OperationId, Operation>> = operations) {
    this.segment = segment
    this.#definitions = definitions
  }

  facts(record: RequestRecord): RequestFacts {
    return this.memoize(record, makeFacts)
  }

  /** Undefined for what the service does not have. */
  operation(record: RequestRecord): OperationId | undefined {
    return this.facts(record).operation?.id
  }

  /** The definition of its operation. */
  definition(record: RequestRecord): Operation | undefined {
    const operation = this.operation(record)
    return operation && this.#definitions[operation]
  }

  /** Whether its answer can show the state of sendings. To HEAD it has no body. */
  isReadOfState(record: RequestRecord): boolean {
    return record.method !== 'HEAD' && this.definition(record)?.shownSendings !== undefined
  }

  /** The sendings whose state the answer to a read shows; undefined for a body that is not recorded whole. */
  shownSendings(record: RequestRecord): readonly ShownSending[] | undefined {
    const { shownSendings } = this.definition(record) ?? {}
    const { response } = record
    const body = shownSendings && response && response.status < 400 ? bodyJson(response) : undefined
    if (body) return shownSendings!(body, this.facts(record).operation!.params)
    return response?.wholeBytes === undefined ? [] : undefined
  }

  /** The methods that its path has. */
  methods(record: RequestRecord): string[] {
    return [...methodsAt(this.facts(record).path, this.segment)].sort()
  }

  synchronizationId(record: RequestRecord): string | undefined {
    return this.facts(record).synchronizationId
  }

  /** The transactionId of a createSending request. */
  transactionId(record: RequestRecord): string | undefined {
    const { transactionId, operation } = this.facts(record)
    return record.digest && operation?.id === 'createSending' ? record.digest.transactionId : transactionId
  }

  /** Undefined for a request without a body, or whose body has not arrived. */
  digest({ digest, body }: RequestRecord): BodyDigest | undefined {
    return digest ?? (body && body.length > 0 ? digestOf(body) : undefined)
  }

  /**
   * Caches what `make` derives from a record, once the record has ended, for the lifetime of the record.
   * @param make the cache key; pass the same function each time
   */
  memoize<Result>(
    record: RequestRecord,
    make: (record: RequestRecord, reader: RecordReader) => Result,
  ): Result {
    const all = getOrMake(this.#cache, make, () => new WeakMap<RequestRecord, CachedResult>())
    const known = all.get(record)
    if (known && isCurrent(known, record)) return known.made as Result
    const made = make(record, this)
    const { body, decision, truth, response, isUnread } = record
    if (record.ended) all.set(record, { made, body, decision, truth, response, isUnread })
    return made
  }
}

const makeFacts = ({ method, target, body = new Uint8Array() }: RequestRecord, { segment }: RecordReader) =>
  new RequestFacts(method, target, body, segment)

/** Work for a request may continue long after its client has left, and a client may reset its connection later. */
const isCurrent = (made: CachedResult, record: RequestRecord): boolean =>
  made.body === record.body &&
  made.decision === record.decision &&
  made.truth === record.truth &&
  made.response === record.response &&
  made.isUnread === record.isUnread

/** The JSON object in an answer, if it has one and its body is recorded whole. */
export function bodyJson({ body, wholeBytes }: Pick<RecordedResponse, 'body' | 'wholeBytes'>) {
  if (wholeBytes !== undefined || body.length === 0) return undefined
  try {
    const value: unknown = JSON.parse(String(body))
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined
  } catch {
    return undefined
  }
}

/** The state of the sending in an answer. */
export const responseState = (response: RecordedResponse): SendingState | undefined =>
  knownState(bodyJson(response)?.state)
