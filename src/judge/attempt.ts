import { hash } from 'node:crypto'
import { lacksMilliseconds } from '../rig/hints.ts'
import { viewDecision } from '../rig/journal-view.ts'
import type { RecordReader } from '../rig/record-reader.ts'
import { bodyJson, isTrueResponse, type RecordedResponse, responseState } from '../rig/recorded-response.ts'
import { redactTarget } from '../rig/redaction.ts'
import { canonicalJson } from '../rig/request-facts.ts'
import { type CreationForm, createdBy, creationForm, endedSending, tellsEnd } from '../rig/request-meaning.ts'
import type { RequestRecord } from '../rig/request-record.ts'
import type { Decision } from '../rig/scenarios/scenario.ts'
import { knownState } from '../store/format.ts'
import type { SendingState } from '../store/rows.ts'

/** One request and its outcome: what its record says, and what the judge reads in it. */
export type Attempt = Readonly<
  Pick<
    RequestRecord,
    | 'id'
    | 'number'
    | 'user'
    | 'method'
    | 'connection'
    | 'position'
    | 'arrived'
    | 'clockEpoch'
    | 'delivered'
    | 'bytesSent'
    | 'isUnread'
    | 'twinOf'
    | 'unfitTls'
  > &
    ReturnType<typeof interpretRecord>
>

export const toAttempt = (record: RequestRecord, reader: RecordReader): Attempt => ({
  id: record.id,
  number: record.number,
  user: record.user,
  method: record.method,
  connection: record.connection,
  position: record.position,
  arrived: record.arrived,
  clockEpoch: record.clockEpoch,
  delivered: record.delivered,
  bytesSent: record.bytesSent,
  isUnread: record.isUnread,
  twinOf: record.twinOf,
  unfitTls: record.unfitTls,
  ...interpretRecord(record, reader),
})

/** Headers that a proxy on the way adds. */
const proxyHeaders = ['via', 'forwarded', 'x-forwarded-for']

function interpretRecord(record: RequestRecord, reader: RecordReader) {
  const { headers, decision, truth, response } = record
  const definition = reader.definition(record)
  const form = definition && creationForm(definition)
  const synchronizationId = reader.synchronizationId(record)
  const { request, transactionId } = reader.memoizeOfBody(record, readRequestContent)
  const ends = definition && endedSending(definition, reader.facts(record))
  const ownAnswer = decision?.step.answer
  const isTrue = response !== undefined && isTrueResponse(response, truth)
  const intended =
    response &&
    (form ? readCreation(response, { synchronizationId, transactionId }, isTrue) : readOther(record, reader))
  return {
    operation: reader.operation(record),
    /** Path and query, without credentials. */
    target: redactTarget(record.target),
    synchronizationId,
    /** What its operation creates. */
    creates: definition && createdBy(definition),
    /** The sending that it is to end. */
    ends,
    isReadOfState: reader.isReadOfState(record),
    /** Of a request that creates a sending. */
    transactionId,
    request,
    userAgent: stringOrNone(headers['user-agent']),
    contentType: stringOrNone(headers['content-type']),
    accept: stringOrNone(headers.accept),
    /** Whether it came through a proxy that says so. */
    isProxied: proxyHeaders.some(name => headers[name] !== undefined),
    /** When it was over for its client: the answer had left, would never leave, or the client disconnected. */
    ended: record.left ?? record.ended,
    response: intended,
    truth: truth && {
      status: truth.status,
      state: form && trueState(truth, isTrue, intended),
      ...(ends && tellsEnd(definition, truth, truth) && { isEnd: true as const }),
    },
    disturbance: decision && toDisturbance(decision),
    isDeliveredTwice: decision?.step.deliver === 'twice',
    /** Whether a scenario answered on behalf of the service itself. */
    isByService: ownAnswer !== undefined && 'by' in ownAnswer && ownAnswer.by === 'service',
  }
}

/** The true state. Reads the body only once when the client got the true answer. */
function trueState(
  truth: RecordedResponse,
  isTold: boolean,
  intended: IntendedResponse | undefined,
): SendingState | undefined {
  if (truth.status >= 300) return undefined
  return isTold ? knownState(intended?.stateText) : responseState(truth)
}

/** What a request asked for, as far as it arrived. */
export interface RequestContent {
  /** Whether it arrived completely. Without its body, payload and transaction are unknown. */
  readonly isWhole: boolean
  /** Equal for equal bytes; undefined for none. */
  readonly bytes: string | undefined
  /** Of a request that creates a sending, if its body is a JSON object and recorded completely. */
  readonly payload: Payload | undefined
  /** Whether its date has no milliseconds, which deployments may refuse. */
  readonly hasShortDate?: boolean
}

/** Bodies up to this many bytes are compared as text, longer ones by digest. */
const maxInlineBody = 1_024

/** Parses the body only once. */
export function readRequestContent(
  record: RequestRecord,
  reader: RecordReader,
): { readonly request: RequestContent; readonly transactionId: string | undefined } {
  const { body, bodyBytes, digest } = record
  const definition = reader.definition(record)
  // Undefined for a request that does not create a sending.
  const form = definition && creationForm(definition)
  if (!body || bodyBytes === 0) {
    const request = { isWhole: record.read !== undefined, bytes: undefined, payload: undefined }
    return { request, transactionId: undefined }
  }
  const isWhole = body.length === bodyBytes
  const text = isWhole ? Buffer.from(body.buffer, body.byteOffset, body.length).toString() : undefined
  // Some clients put a byte-order mark in front.
  const json = form && text !== undefined ? bodyJson({ body: text.replace(/^\ufeff/, '') }) : undefined
  return {
    request: {
      isWhole: true,
      bytes:
        text !== undefined && bodyBytes <= maxInlineBody ? text : (digest?.sha256 ?? hash('sha256', body)),
      payload: json && readPayload(json, form!),
      ...(json && lacksMilliseconds(json[form!.scheduledBy]) && { hasShortDate: true }),
    },
    transactionId: isWhole ? form && stringOrNone(json?.[form.identifiedBy]) : reader.transactionId(record),
  }
}

function readPayload(
  json: Readonly<Record<string, unknown>>,
  { identifiedBy, scheduledBy, content }: CreationForm,
) {
  const defined = new Set([identifiedBy, scheduledBy, ...content])
  const others = Object.entries(json).filter(([name]) => !defined.has(name))
  return {
    /** Undefined for none. A value that is not a string is given as JSON. */
    transactionId: textOf(json[identifiedBy]),
    /** Its JSON type, such as `number`. */
    idType: Array.isArray(json[identifiedBy]) ? 'array' : typeof json[identifiedBy],
    /** In UTC with milliseconds if it is a date-time, so that equal times are equal texts. */
    scheduleDate: dateOf(textOf(json[scheduledBy])),
    /** What is to be sent, by the names of the members, always in the same order; the times in it as above. */
    content: Object.fromEntries(content.map(name => [name, timeOrText(json[name])])) as Content,
    /** Members that the document does not define, as JSON; empty for none. */
    others: others.length === 0 ? '' : canonicalOrMark(Object.fromEntries(others)),
  }
}

type Content = Readonly<Record<string, string | undefined>>

/** What a request for a sending asks for. Null and absent are the same. */
export type Payload = Readonly<ReturnType<typeof readPayload>>

/** In what two requests for a sending differ: in the time for which they ask, and in which members of the content. */
export const comparePayloads = (one: Payload, other: Payload) => ({
  isRescheduled: one.scheduleDate !== other.scheduleDate,
  content: Object.keys({ ...one.content, ...other.content }).filter(
    name => one.content[name] !== other.content[name],
  ),
})

function textOf(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined
  return typeof value === 'string' ? value : canonicalOrMark(value)
}

const stringOrNone = (value: unknown) => (typeof value === 'string' ? value : undefined)

/** `2026-03-01T10:00:00+00:00` and `2026-03-01T10:00:00.000Z` are one time. */
function dateOf(text: string | undefined): string | undefined {
  if (text === undefined) return undefined
  const time = Date.parse(text)
  return Number.isNaN(time) ? text : new Date(time).toISOString()
}

const dateTime = /^\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-][\d:]+)$/

function timeOrText(value: unknown): string | undefined {
  const text = textOf(value)
  return text !== undefined && dateTime.test(text) ? dateOf(text) : text
}

/** As JSON with sorted members. Values that are nested too deeply are all treated as equal. */
function canonicalOrMark(value: unknown): string {
  try {
    return canonicalJson(value)
  } catch {
    return 'nested too deeply'
  }
}

/** The response that was meant for the client. */
export interface IntendedResponse {
  readonly status: number
  readonly mediaType: string | undefined
  /** State of the sending in it, if that is the requested sending in the documented form. */
  readonly state?: SendingState | undefined
  /** The text in place of a state, whatever it is. */
  readonly stateText?: string | undefined
  /** The member that shows that the sending in it is not the requested one; undefined if it is. */
  readonly foreignBy?: 'transactionId' | 'mailingSynchronizationId' | undefined
  readonly sendingId?: string | undefined
  readonly retryAfter: string | undefined
  /** Status of an informational response before it; undefined for none. */
  readonly informational: number | undefined
  /** Name of the problem in it, if it is one of the service's. */
  readonly problem: string | undefined
  /** Sendings shown by a request that reads; undefined for a body that is not recorded whole. */
  readonly sightings?: ReturnType<RecordReader['shownSendings']>
  /** Whether it says that the sending that the request was to end has ended. */
  readonly isEnd?: boolean
  /** Of the next page, in a response to a read; undefined for none. */
  readonly nextCursor?: string | undefined
}

/** Whether a response to a request for a sending says that this sending is in this state. */
export const saysState = (
  { stateText, foreignBy, status }: Pick<IntendedResponse, 'stateText' | 'foreignBy' | 'status'>,
  state: SendingState,
): boolean =>
  // A wrong media type does not make a complete sending less true.
  stateText === state && foreignBy === undefined && status < 300

type RequestedIds = Readonly<Record<'synchronizationId' | 'transactionId', string | undefined>>

/** What any client reads first. */
function readHead(response: RecordedResponse) {
  const { status, problem } = response
  return {
    status,
    mediaType: mediaTypeOf(response),
    retryAfter: headerOf(response, 'retry-after'),
    informational: response.informational?.[0]?.status,
    problem: problem?.name ?? (status >= 400 && status < 500 ? problemName(response) : undefined),
  }
}

/**
 * The answer to a request for a sending.
 * @param isTrue whether it is what the service answered, so that nothing in it is foreign or damaged
 */
export function readCreation(
  response: RecordedResponse,
  whose: RequestedIds,
  isTrue: boolean,
): IntendedResponse {
  const head = readHead(response)
  if (head.status >= 400) return head
  return { ...head, ...(isTrue ? readOwnSending(response) : readSending(response, head.mediaType, whose)) }
}

/** The answer to any other request. */
function readOther(record: RequestRecord, reader: RecordReader): IntendedResponse {
  const response = record.response!
  const definition = reader.definition(record)
  return {
    ...readHead(response),
    sightings: reader.shownSendings(record),
    nextCursor: nextCursor.exec(response.ending ?? String(response.body ?? ''))?.[1],
    ...(definition && tellsEnd(definition, response, record.truth) && { isEnd: true }),
  }
}

const problemName = (response: RecordedResponse) => stringOrNone(bodyJson(response)?.type)?.split('/').at(-1)

function mediaTypeOf(response: RecordedResponse): string | undefined {
  const text = headerOf(response, 'content-type')
  if (text === undefined) return undefined
  return text.startsWith(`${halType};`) ? halType : text.split(';')[0]!.trim().toLowerCase()
}

export const halType = 'application/hal+json'

/** A true answer is not parsed as a whole: no other text in it can look like these members. */
function readOwnSending(response: RecordedResponse) {
  const text = String(response.body)
  const stateText = stateMember.exec(text)?.[1]
  return { state: knownState(stateText), stateText, sendingId: idMember.exec(text)?.[1] }
}

const nextCursor = /"next":\{"href":"[^"?]*\?cursor=([^"&]+)/
const stateMember = /"state":"([A-Z_]+)"/
const idMember = /"id":"([^"]+)"/

function readSending(response: RecordedResponse, mediaType: string | undefined, whose: RequestedIds) {
  const json = bodyJson(response)
  const stateText = stringOrNone(json?.state)
  const foreignBy = foreignMember(json, whose)
  const isSending = (response.status === 200 || response.status === 201) && mediaType === halType
  return {
    state: foreignBy === undefined && isSending ? knownState(stateText) : undefined,
    stateText,
    foreignBy,
    sendingId: stringOrNone(json?.id),
  }
}

function foreignMember(
  json: ReturnType<typeof bodyJson>,
  { transactionId, synchronizationId }: RequestedIds,
) {
  if ((json?.transactionId ?? transactionId) !== transactionId) return 'transactionId'
  const isOfAnother = (json?.mailingSynchronizationId ?? synchronizationId) !== synchronizationId
  return isOfAnother ? 'mailingSynchronizationId' : undefined
}

function headerOf({ headers }: RecordedResponse, name: string): string | undefined {
  for (const key in headers) if (key.length === name.length && key.toLowerCase() === name) return headers[key]
  return undefined
}

/** How a scenario or a one-shot fault disturbed a request. */
function toDisturbance(decision: Decision) {
  const { scenario, rule, step, phase, fault } = viewDecision(decision)
  return { scenario, rule, step, phase, fault }
}
