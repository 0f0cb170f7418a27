import { hash } from 'node:crypto'
import { realTime } from '../rig/clock.ts'
import { sendingMembers } from '../rig/hints.ts'
import { viewDecision } from '../rig/journal-view.ts'
import {
  type CreatedSending,
  createdSendings,
  type Ledger,
  type LedgerSending,
  ledgerOf,
} from '../rig/ledger.ts'
import type { RecordReader } from '../rig/record-reader.ts'
import { bodyJson, isTrueResponse, type RecordedResponse, responseState } from '../rig/recorded-response.ts'
import { redactTarget } from '../rig/redaction.ts'
import { canonicalJson } from '../rig/request-facts.ts'
import type { Moment, RequestRecord } from '../rig/request-record.ts'
import type { Decision } from '../rig/scenarios/scenario.ts'
import type { RigView } from '../rig/space-view.ts'
import { knownState } from '../store/format.ts'
import { goesToList } from '../store/platform-status.ts'
import type { SendingState } from '../store/rows.ts'
import type { VerdictView } from './verdict-shape.ts'

const knownMembers: ReadonlySet<string> = new Set(sendingMembers)

function readPayload(json: Readonly<Record<string, unknown>>) {
  const { transactionId, scheduleDate, name, subject } = json
  return {
    /** Undefined for none. A value that is not a string is given as JSON. */
    transactionId: textOf(transactionId),
    /** Its JSON type, such as `number`. */
    idType: Array.isArray(transactionId) ? 'array' : typeof transactionId,
    /** In UTC with milliseconds if it is a date-time, so that equal times are equal texts. */
    scheduleDate: dateOf(scheduleDate),
    name: textOf(name),
    subject: textOf(subject),
    /** Members that the document does not define, as JSON; empty for none. */
    others: unknownMembers(json),
  }
}

/** The requested content of a sending. Null and absent are the same. */
type Payload = Readonly<ReturnType<typeof readPayload>>

function unknownMembers(json: Readonly<Record<string, unknown>>): string {
  const others = Object.entries(json).filter(([name]) => !knownMembers.has(name))
  return others.length === 0 ? '' : canonicalOrMark(Object.fromEntries(others))
}

export function differingMembers(one: Payload, other: Payload): ('scheduleDate' | 'name' | 'subject')[] {
  return (['scheduleDate', 'name', 'subject'] as const).filter(member => one[member] !== other[member])
}

function textOf(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined
  return typeof value === 'string' ? value : canonicalOrMark(value)
}

const stringOrNone = (value: unknown) => (typeof value === 'string' ? value : undefined)

/** `2026-03-01T10:00:00+00:00` and `2026-03-01T10:00:00.000Z` are one time. */
function dateOf(value: unknown): string | undefined {
  const text = textOf(value)
  if (text === undefined) return undefined
  const time = Date.parse(text)
  return Number.isNaN(time) ? text : new Date(time).toISOString()
}

/** As JSON with sorted members. Values that are nested too deeply are all treated as equal. */
function canonicalOrMark(value: unknown): string {
  try {
    return canonicalJson(value)
  } catch {
    return 'nested too deeply'
  }
}

/** Headers that a proxy on the way adds. */
const proxyHeaders = ['via', 'forwarded', 'x-forwarded-for']

function toAttempt(record: RequestRecord, reader: RecordReader) {
  const { headers, decision, truth, response } = record
  const operation = reader.operation(record)
  const synchronizationId = reader.synchronizationId(record)
  const { asked, transactionId } = readRequestContent(record, operation === 'createSending', reader)
  const isTrue = response !== undefined && isTrueResponse(response, truth)
  const ownAnswer = decision?.step.answer
  const whose = { synchronizationId, transactionId }
  const answer =
    response && readResponse(response, operation, whose, isTrue, () => reader.shownSendings(record))
  return {
    id: record.id,
    number: record.number,
    user: record.user,
    operation,
    isReadOfState: reader.isReadOfState(record),
    method: record.method,
    /** Path and query, without credentials. */
    target: redactTarget(record.target),
    synchronizationId,
    /** Of a request that creates a sending. */
    transactionId,
    asked,
    connection: record.connection,
    position: record.position,
    userAgent: stringOrNone(headers['user-agent']),
    contentType: stringOrNone(headers['content-type']),
    accept: stringOrNone(headers.accept),
    /** Whether it came through a proxy that says so. */
    isProxied: proxyHeaders.some(name => headers[name] !== undefined),
    arrived: record.arrived,
    /** When it was over for its client: the answer had left, would never leave, or the client disconnected. */
    ended: record.left ?? record.ended,
    clockEpoch: record.clockEpoch,
    response: answer,
    truth: truth && { status: truth.status, state: trueState(truth, operation, isTrue, answer) },
    delivered: record.delivered,
    bytesSent: record.bytesSent,
    isUnread: record.isUnread,
    disturbance: decision && toDisturbance(decision),
    isDeliveredTwice: decision?.step.deliver === 'twice',
    /** Whether a scenario answered on behalf of the service itself. */
    isByService: ownAnswer !== undefined && 'by' in ownAnswer && ownAnswer.by === 'service',
    twinOf: record.twinOf,
    unfitTls: record.unfitTls,
  }
}

/** One request and its outcome. */
export type Attempt = Readonly<ReturnType<typeof toAttempt>>

/** The true state. Reads the body only once when the client got the true answer. */
function trueState(
  truth: RecordedResponse,
  operation: Operation | undefined,
  isTold: boolean,
  answer: IntendedResponse | undefined,
): SendingState | undefined {
  if (operation !== 'createSending' || truth.status >= 300) return undefined
  return isTold ? knownState(answer?.stateText) : responseState(truth)
}

/** Bodies up to this many bytes are compared as text, longer ones by digest. */
const maxInlineBody = 1_024

/** Parses the body only once. */
function readRequestContent(
  record: RequestRecord,
  isCreation: boolean,
  reader: RecordReader,
): { readonly asked: RequestContent; readonly transactionId: string | undefined } {
  const { body, bodyBytes, digest } = record
  if (!body || bodyBytes === 0) {
    const asked = { isWhole: record.read !== undefined, bytes: undefined, payload: undefined }
    return { asked, transactionId: undefined }
  }
  const isWhole = body.length === bodyBytes
  const text = isWhole ? Buffer.from(body.buffer, body.byteOffset, body.length).toString() : undefined
  // Some clients put a byte-order mark in front.
  const json = isCreation && text !== undefined ? bodyJson({ body: text.replace(/^\ufeff/, '') }) : undefined
  return {
    asked: {
      isWhole: true,
      bytes:
        text !== undefined && bodyBytes <= maxInlineBody ? text : (digest?.sha256 ?? hash('sha256', body)),
      payload: json && readPayload(json),
    },
    transactionId: isWhole ? stringOrNone(json?.transactionId) : reader.transactionId(record),
  }
}

type RequestedIds = Readonly<Record<'synchronizationId' | 'transactionId', string | undefined>>

/** @param isTrue whether it is what the service answered, so that nothing in it is foreign or damaged */
function readResponse(
  response: RecordedResponse,
  operation: Operation | undefined,
  whose: RequestedIds,
  isTrue: boolean,
  readSightings: () => IntendedResponse['sightings'],
): IntendedResponse {
  const { status } = response
  const mediaType = mediaTypeOf(response)
  return {
    status,
    mediaType,
    retryAfter: headerOf(response, 'retry-after'),
    informational: response.informational?.[0]?.status,
    problem: response.problem?.name ?? (status >= 400 && status < 500 ? problemName(response) : undefined),
    ...(operation !== 'createSending'
      ? {
          sightings: readSightings(),
          nextCursor: nextCursor.exec(response.ending ?? String(response.body ?? ''))?.[1],
        }
      : status < 400 && (isTrue ? readOwnSending(response) : readSending(response, mediaType, whose))),
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
  for (const known in headers)
    if (known.length === name.length && known.toLowerCase() === name) return headers[known]
  return undefined
}

/** How a scenario or a one-shot fault disturbed a request. */
function toDisturbance(decision: Decision) {
  const { scenario, rule, step, phase, fault } = viewDecision(decision)
  return { scenario, rule, step, phase, fault }
}

/** A disturbance that was armed and never took effect. A rule counts from 1; null is the whole scenario. */
export type Unstruck = VerdictView['unstruck'][number]

function findUnusedDisturbances({ scenarios, faults }: RigView): Unstruck[] {
  const unstruck: Unstruck[] = []
  for (const active of scenarios.all) {
    const { name, rules } = active.scenario
    if (rules.length === 0 || active.isContinued) continue
    if (!active.hasApplied) unstruck.push({ what: 'scenario', name, rule: null })
    else
      for (const { rule, hits } of active.hits())
        if (hits === 0) unstruck.push({ what: 'rule', name, rule: rule + 1 })
  }
  for (const { id, hits } of faults.all())
    if (hits.hits === 0) unstruck.push({ what: 'fault', name: id, rule: null })
  return unstruck
}

export type Operation = NonNullable<ReturnType<RecordReader['operation']>>

/** Everything that the judge reads: one space from its beginning until now, as plain data. */
export interface Evidence {
  readonly space: string
  readonly at: Moment
  /** Seconds of the space's clock per real second; 0 when frozen. */
  readonly rate: number
  /** Whether the first page of a collection has what is new, in place of the last one. */
  readonly isNewestFirst: boolean
  /** Every recorded request, in order of arrival. */
  readonly attempts: readonly Attempt[]
  readonly ledger: Ledger
  readonly sendings: readonly CreatedSending[]
  /** Armed disturbances that never took effect: a test whose fault never fired proves nothing. */
  readonly unstruck: readonly Unstruck[]
  /** Requests dropped from the record because it was full. */
  readonly dropped: number
  /** Requests removed from the record on purpose. */
  readonly forgotten: number
  /** Sendings to lists from before the record began: a restart keeps them, and not the requests that led to them. */
  readonly earlier: readonly LedgerSending[]
}

export interface RequestContent {
  /** Whether it arrived completely. Without its body, payload and transaction are unknown. */
  readonly isWhole: boolean
  /** Equal for equal bytes; undefined for none. */
  readonly bytes: string | undefined
  /** Of a request that creates a sending, if its body is a JSON object and recorded completely. */
  readonly payload: Payload | undefined
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
  /** Of the next page, in a response to a read; undefined for none. */
  readonly nextCursor?: string | undefined
}

/** The evidence of a space, after its platform has been advanced to the present. */
export async function collectEvidence(rig: RigView): Promise<Evidence> {
  await rig.advancePlatform()
  const { journal, clock, space, reader } = rig
  const entries = journal.entries()
  const ledger = ledgerOf(rig)
  return {
    space: space.name,
    at: { real: realTime(), clock: clock.now() },
    rate: clock.rate,
    isNewestFirst: rig.defaultDials['collection-order'] === 'newest-first',
    attempts: entries.map(record => reader.memoize(record, toAttempt)),
    ledger,
    sendings: createdSendings(rig),
    unstruck: findUnusedDisturbances(rig),
    dropped: journal.dropped,
    forgotten: journal.count - journal.dropped - entries.length,
    earlier: ledger.sendings.filter(it => goesToList(it) && rig.isBeforeRecord(it.cause)),
  }
}
