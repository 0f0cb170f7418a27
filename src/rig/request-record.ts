import { type Answer, halHeaders, halType } from '../service/response.ts'
import type { Arrival } from './arrival.ts'
import { copyBeginning, maxRecordedBody, type RecordedResponse } from './recorded-response.ts'
import { type BodyDigest, digestOf } from './request-facts.ts'
import type { RequestRecordView } from './request-record-schema.ts'
import type { Decision, SelectedScenario } from './scenarios/scenario.ts'

export type { RequestRecordView }

/**
 * How an answer was delivered. `handed`: whole, to the operating system, which does not prove that it was received.
 * `cut`: a fault left part of it out or broke the connection. `none`: a fault withheld it. `aborted`: the client left
 * first. `server-stopped`: the mock was stopped first.
 */
export type Delivery = RequestRecordView['delivered']

/** A moment on both clocks, in milliseconds since 1970. */
export interface Moment {
  /** The machine's own time, monotonic within a process. */
  readonly real: number
  readonly clock: number
}

/** Hints for testers, sent with an answer in addition to the request's ID. */
export interface Hints {
  /** The scenario that was applied. */
  readonly scenario: string | undefined
  /** On a refusal: what was expected, and what exists nearby. */
  readonly sentence: string | undefined
  /** The `traceparent` of the request, which its answer repeats. */
  readonly trace?: string | undefined
}

/** The headers of an answer to the request with its hints among them. */
export function hintedHeaders(
  headers: Answer['headers'],
  { id, hints }: Pick<RequestRecord, 'id' | 'hints'>,
): Answer['headers'] {
  if (!hints) return headers
  const { scenario, sentence, trace } = hints
  if (headers === halHeaders && scenario === undefined && sentence === undefined && trace === undefined)
    return { 'Content-Type': halType, 'X-Mock-Request-Id': id }
  // Copied one by one: a spread makes the row "repeat of a transaction ID" slower.
  const hinted: Record<string, string> = {}
  for (const name in headers) hinted[name] = headers[name]!
  hinted['X-Mock-Request-Id'] = id
  if (scenario !== undefined) hinted['X-Mock-Scenario'] = scenario
  if (sentence !== undefined) hinted['X-Mock-Hint'] = sentence
  if (trace !== undefined) hinted.traceparent = trace
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
    Pick<Arrival, 'connection' | 'position' | 'remotePort' | 'unfitTls'> {
  /** Base of the links in its answer. */
  readonly base: string
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
  /**
   * Whether the client reset the connection after the whole answer had left: a system does so for unread bytes. Of an answer that
   * was on its way when the mock was killed: that it may have left.
   */
  isUnread: boolean
  /** The body as received, up to a limit. */
  body: Uint8Array | undefined
  bodyBytes: number
  /** For a body that is not kept whole: what its beginning alone does not show. */
  digest: BodyDigest | undefined
  /** The scenario that was asked for a step; undefined if none was in force. */
  applicableScenario: SelectedScenario | undefined
  decision: Decision | undefined
  /** The true answer; undefined if the service was never asked. */
  truth: RecordedResponse | undefined
  /** The answer meant for the client, with what a fault on the wire changes in its head. */
  response: RecordedResponse | undefined
  /** The hints sent with it; undefined if there were none. */
  hints: Hints | undefined
  /** Bytes that it counts towards the limit of the journal; undefined if the journal does not keep it. */
  chargedBytes: number | undefined
}

/** The `traceparent` of a request, if it has the form of W3C Trace Context. */
export function traceparentOf({ headers }: Pick<RequestRecord, 'headers'>): string | undefined {
  const { traceparent } = headers
  return typeof traceparent === 'string' && traceForm.test(traceparent) ? traceparent : undefined
}

const traceForm = /^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/

/** The ID of the trace in it, by which tools find all requests of one job. */
export const traceIdOf = (record: Pick<RequestRecord, 'headers'>): string | undefined =>
  traceparentOf(record)?.slice(3, 35)

/** Records the body of a request, or of a long one a copy of its beginning and what tells it from others. */
export function recordBody(record: RequestRecord, body: Uint8Array): void {
  const isLong = body.length > maxRecordedBody
  record.bodyBytes = body.length
  record.digest = isLong ? digestOf(body) : undefined
  record.body = isLong ? copyBeginning(body) : body
}
