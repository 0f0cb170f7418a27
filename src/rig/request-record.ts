import { z } from 'zod'
import { type OperationId, operationIds } from '../service/operations.ts'
import type { Answer } from '../service/response.ts'
import { planStep, type SendingState, sendingState, truth } from '../store/rows.ts'
import { type BodyDigest, digestOf, RequestFacts } from './request-facts.ts'
import type { Decision } from './scenarios/play.ts'
import type { Scenario } from './scenarios/scenario.ts'

const dateTime = z.iso.datetime({ precision: 3 })
const count = z.int().nonnegative()
const sha256 = z.string().length(64)

const moment = z
  .strictObject({
    real: dateTime.describe("The machine's time"),
    clock: dateTime.describe("The space's time"),
  })
  .describe('A moment on both clocks')

const headers = z
  .record(z.string(), z.union([z.string(), z.array(z.string())]))
  .describe('Credentials and whatever looks like a token are hidden')

const text = z
  .strictObject({
    text: z.string(),
    encoding: z.enum(['utf8', 'base64']).describe('base64 for what is no UTF-8'),
    bytes: count.describe('Of the whole body'),
    isCut: z.boolean().describe('Whether only its beginning was kept'),
  })
  .describe('A body')

const answer = z.strictObject({
  status: z.int(),
  state: sendingState.nullable().describe('Of the sending in it'),
  headers,
  body: text.nullable(),
})

const decision = z.strictObject({
  scenario: z.string().describe('Name of the scenario, or ID of the one-shot fault'),
  by: z.enum(['header', 'transactionId', 'test synchronization', 'space', 'one-shot fault']),
  rule: z.int().positive().describe('Which of its rules, from 1'),
  step: z.int().positive().describe('Which step of the rule, from 1'),
  attempt: z.int().positive().describe('Which attempt in this step, from 1'),
  phase: z.enum(['before', 'bound', 'partial', 'after']).describe('How far the work had gone'),
  state: sendingState.nullable().describe('As the step says it; null where it does not'),
  truth: truth.nullable().describe('As the step says it; null where it does not'),
  fault: z.string().nullable().describe('Name of the fault that struck the answer'),
  plan: z.array(planStep).describe('The states of a sending that this request creates'),
})

const effect = z.discriminatedUnion('what', [
  z.strictObject({
    what: z.literal('mailing'),
    platformMailingId: z.int(),
    origin: z.enum(['sending', 'mailing-upload', 'test-sending']),
    at: dateTime,
  }),
  z.strictObject({
    what: z.literal('sending'),
    platformSendingId: z.int(),
    platformMailingId: z.int(),
    kind: z.enum(['list', 'test']),
    recipients: count,
    at: dateTime.describe('When the platform was told to send'),
    startsAt: dateTime.describe('When it goes out; later than `at` when it is scheduled'),
  }),
])

export const requestRecordSchema = z
  .strictObject({
    id: z.string().describe('As X-Mock-Request-Id tells it'),
    number: z.int().positive().describe("Counts the space's requests, from 1, also those that were dropped"),
    connection: z
      .strictObject({
        number: z.int().positive().describe('Counts the connections of the mock, from 1'),
        position: z.int().positive().describe('Which request on its connection, from 1'),
        remotePort: z.int().nullable(),
      })
      .nullable()
      .describe('Null for a request without a socket'),
    user: z.string().describe('Its name in the fixture, without what a private copy adds to it'),
    operation: z.enum(operationIds).nullable().describe('Null for what the service does not have'),
    method: z.string(),
    target: z.string().describe('Path and query'),
    synchronizationId: z.string().nullable(),
    transactionId: z.string().nullable().describe('That a sending was to be created with'),
    headers,
    body: text
      .extend({
        sha256: sha256.describe('Of the bytes as they came'),
        payloadSha256: sha256
          .nullable()
          .describe(
            'Of the JSON with sorted members and without white space, transactionId left out: equal for equal payloads. Null for what is no JSON object',
          ),
      })
      .nullable()
      .describe('Null where there was none, or it has not come'),
    arrived: moment.describe('When its head was there, on both clocks'),
    read: moment.nullable().describe('When the last byte of its body was there'),
    ended: moment
      .nullable()
      .describe('When its answer had left, or was never going to; null while it is open'),
    left: moment
      .nullable()
      .describe(
        'When its client left while a delay or a hold kept it waiting; its work may still have been done later. Null where nobody left, or nothing kept it waiting',
      ),
    clockEpoch: count.describe('How often the clock had been moved by hand before it arrived'),
    decision: decision.nullable().describe('What a scenario or a one-shot fault did to it'),
    truth: answer.nullable().describe('The true answer; null where the service was never asked'),
    told: answer
      .nullable()
      .describe(
        'What was meant for the client, before a fault on the wire; `delivered` tells whether it got it',
      ),
    delivered: z
      .enum(['open', 'handed', 'cut', 'none', 'aborted', 'server-stopped'])
      .describe(
        'How the answer left. handed: whole, which is no proof that it was received; cut: a fault left part of it out or broke the connection; none: a fault withheld it; aborted: the client left first; server-stopped: the mock was stopped first; open: not yet',
      ),
    received: z
      .literal(false)
      .optional()
      .describe(
        'Only where the answer left whole and the client then reset the connection: it had not read the whole answer. Absence proves nothing',
      ),
    bytesSent: count.describe('That left for the client, head included where there was a socket'),
    effects: z
      .array(effect)
      .describe('What it brought about on the platform, also later, by further attempts or by the clock'),
    twinOf: z.string().nullable().describe('The request that `deliver: twice` delivered again as this one'),
    twin: z.string().nullable().describe('Its second delivery, made by `deliver: twice`'),
  })
  .describe('One request, what was done about it, and what the client was told')

/** A record as JSON: what `GET …/requests` shows. */
export type RequestRecordView = z.infer<typeof requestRecordSchema>

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
  > {
  /** Unchanged; credentials are removed when they are shown. */
  headers: Readonly<Record<string, string | string[] | undefined>>
  /** Number of the connection on this server, from 1; 0 for a request without a socket. */
  connection: number
  /** Position of the request on its connection, from 1. */
  position: number
  remotePort: number | undefined
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
  record.body = isLong ? Uint8Array.from(body.subarray(0, maxRecordedBody)) : body
}

/** The answer itself, or a copy with the beginning of a long body. */
export function recordedResponse(answer: Answer): RecordedResponse {
  const { body } = answer
  if (body.length <= maxRecordedBody) return answer
  const wholeBytes = Buffer.byteLength(body)
  if (typeof body === 'string') return { ...answer, body: body.slice(0, maxRecordedBody), wholeBytes }
  return { ...answer, body: Buffer.from(body.subarray(0, maxRecordedBody)), wholeBytes }
}

/** Length of the whole body in bytes. */
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

  constructor(segment: string) {
    this.segment = segment
  }

  facts(record: RequestRecord): RequestFacts {
    return this.memoize(record, makeFacts)
  }

  /** Undefined for what the service does not have. */
  operation(record: RequestRecord): OperationId | undefined {
    return this.facts(record).operation?.id
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
    const all = this.#cache.get(make) ?? new WeakMap<RequestRecord, CachedResult>()
    this.#cache.set(make, all)
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
export function bodyJson({
  body,
  wholeBytes,
}: Pick<RecordedResponse, 'body' | 'wholeBytes'>): Record<string, unknown> | undefined {
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
  sendingState.safeParse(bodyJson(response)?.state).data
