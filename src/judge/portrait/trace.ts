import { hash } from 'node:crypto'
import { bodyJson } from '../../rig/recorded-response.ts'
import type { RequestRecord } from '../../rig/request-record.ts'
import type { Belief } from '../../rig/scenarios/terms.ts'
import type { SpaceRig } from '../../rig/space-rig.ts'
import { type Attempt, halType, type IntendedResponse, saysState, toAttempt } from '../attempt.ts'
import type { ExamCase } from '../exam/cases.ts'
import { requestedWait } from '../intervals.ts'
import { shortestTimeout } from '../knowledge.ts'

/** One request of a client, as far as its next decision can depend on it. Times are milliseconds of the service's clock. */
export interface TraceStep {
  readonly at: number
  /** When the exchange was over for the client; null if it never was. */
  readonly until: number | null
  /** Of a request for a sending: 0 without a transaction ID, else the number of its ID by first use; null if its body did not arrive. */
  readonly id?: number | null
  /** Whether it has a date to send at. */
  readonly isDated?: boolean
  /** Whether its body differs from that of the request before it with the same ID. */
  readonly isChanged?: boolean
  /** Of any other request: what it is. */
  readonly reads?: string
  /** What the client got. */
  readonly got: string
  /** Equal where it got the same bytes; undefined where they are not recorded whole. */
  readonly bytes?: string | undefined
  /** Milliseconds that the response asks the client to wait. */
  readonly wait?: number | undefined
  /** Whether the client may have got something else: it may have given up just as the answer left. */
  readonly isDoubtful?: boolean
}

/** What a client did from one start to its end. */
export interface TraceStart {
  readonly at: number
  readonly until: number
  readonly steps: readonly TraceStep[]
  /** Null if it was stopped, and `killed` if it was killed on purpose. */
  readonly end: Belief | 'killed' | null
}

/** What a client decided in one run: plain data without what requests contain, since threads pass it on and thousands are kept. */
export interface RunTrace {
  /** What the client was to send: equal for the same wish. */
  readonly wish: string
  readonly starts: readonly TraceStart[]
  /** Whether the second start has a mailing of its own. */
  readonly isTwoMailings: boolean
}

/** When a client ran, and how that ended. */
export interface ClientStart extends Pick<TraceStart, 'at' | 'until' | 'end'> {
  /** Requests that had come before. */
  readonly requests: number
}

/** Ends the name of an answer that a client may believe or not: to the judge neither is a mistake. */
export const believable = 'CREATED in another form'

/** The name of an answer that came whole: its status, with the state of a sending or with what stands in its place. */
export function answerName(
  answer: Pick<IntendedResponse, 'status' | 'mediaType' | 'state' | 'stateText' | 'foreignBy'>,
): string {
  const { status, mediaType, state, stateText, foreignBy } = answer
  if (status >= 300) return `${status}`
  if (state !== undefined) return `${status} ${state}`
  if (saysState(answer, 'CREATED')) return `${status} ${believable}`
  if (foreignBy !== undefined && stateText !== undefined) return `${status} with another sending`
  if (stateText !== undefined && mediaType === halType) return `${status} with an unknown state`
  return mediaType === halType ? `${status} damaged` : `${status} page`
}

/** What a read shows that says nothing of a sending: the client goes on with what it knew. */
export const noNews = 'no news'

/** What a client gets that is no whole answer. */
export const losses = {
  none: 'no response',
  reset: 'broken connection',
  cut: 'broken body',
  stall: 'stalled body',
} as const

function nameOfAnswer(record: RequestRecord, { delivered, response, disturbance }: Attempt): string {
  const hasLeft = record.left !== undefined
  if (delivered === 'handed' && response) return answerName(response)
  if (disturbance?.fault === 'stall') return losses.stall
  // A client that leaves in the middle of a body is on record as one that left.
  if (delivered === 'cut') return hasLeft ? losses.stall : losses.cut
  return hasLeft || delivered !== 'none' ? losses.none : losses.reset
}

/** Requests other than those for a sending, by what a client can learn from them. */
function nameOfRead({ operation, target, method }: Attempt): string {
  if (operation !== 'listSendings') return operation ?? method
  return /[?&]includeAllStates=true/.test(target) ? 'listSendings with all states' : 'listSendings'
}

/** What such a request shows. @param latest the transaction ID of the latest request for a sending */
function nameOfSight(record: RequestRecord, attempt: Attempt, latest: string | undefined): string {
  const { delivered, response, isReadOfState } = attempt
  const answer = nameOfAnswer(record, attempt)
  if (delivered !== 'handed' || !response || response.status >= 300) return answer
  if (isReadOfState)
    return response.sightings?.find(it => it.transactionId === latest)?.state ?? 'no such sending'
  if (bodyJson(record.response!)?.readyForSending === false) return 'not ready'
  return record.method === 'GET' ? noNews : answer
}

/** A digest of all that a client can see of a response, as far as it came, and of the fault that shows in how it came. */
function digestOfResponse({ response, delivered, bytesSent, decision }: RequestRecord): string | undefined {
  if (response?.wholeBytes !== undefined) return undefined
  const { status, headers, informational, body = '' } = response ?? {}
  const bytes = Buffer.from(body).toString('latin1')
  const answer = decision?.step.answer
  const fault = answer && 'fault' in answer && [answer.fault.name, answer.settings]
  return hash('sha256', JSON.stringify([status, headers, informational, bytes, delivered, bytesSent, fault]))
}

/**
 * Whether an answer came so late that the client may have given up, or, on a fast clock, was perhaps read so late: then the client
 * leaves the connection. Inside the process everything that leaves arrives. Some clients take an informational response for the answer.
 */
function isPerhapsUnread(attempt: Attempt, next: RequestRecord | undefined, rate: number): boolean {
  const { connection, delivered, arrived, ended, isUnread, response } = attempt
  if (response?.informational !== undefined) return true
  if (connection === 0 || delivered !== 'handed' || !ended) return false
  const limit = shortestTimeout(rate)
  const isLeft = rate > 1 && next !== undefined && next.connection !== connection
  return isUnread || ended.real - arrived.real >= limit || (isLeft && next.arrived.real - ended.real >= limit)
}

/** Where a client may have given up what was answered at once. */
export interface LateAnswers {
  /** Whether the mock was so late that a client may have left before its request was read. */
  readonly isMockLate: boolean
  /** Requests after which the client did nothing for so long. */
  readonly perhapsGivenUp?: ReadonlySet<RequestRecord> | undefined
}

/** What a run shows of a client's decisions. */
export function traceOf(
  { exam, rig }: { readonly exam: ExamCase; readonly rig: SpaceRig },
  starts: readonly ClientStart[],
  { isMockLate, perhapsGivenUp }: LateAnswers = { isMockLate: false },
): RunTrace {
  const { journal } = rig
  const records = journal.entries()
  const latestOn = new Map(records.map(record => [record.connection, record]))
  const isPerhapsGivenUp = (record: RequestRecord) =>
    perhapsGivenUp?.has(record) === true ||
    (isMockLate && record.connection !== 0 && latestOn.get(record.connection) === record)
  const ids = new Map<string, { readonly number: number; readonly bytes: string | undefined }>()
  let latest: string | undefined
  const toStep = (record: RequestRecord, next: RequestRecord | undefined): TraceStep | undefined => {
    const attempt = rig.reader.memoize(record, toAttempt)
    const { arrived, ended, creates, request, transactionId, twinOf } = attempt
    if (twinOf !== undefined) return undefined
    const exchange = {
      at: arrived.clock,
      until: ended?.clock ?? null,
      bytes: digestOfResponse(record),
      wait: requestedWait(attempt)?.wait,
      isDoubtful: isPerhapsGivenUp(record) || isPerhapsUnread(attempt, next, rig.clock.rate),
    }
    if (creates !== 'sending')
      return { ...exchange, reads: nameOfRead(attempt), got: nameOfSight(record, attempt, latest) }
    const got = nameOfAnswer(record, attempt)
    if (!request.isWhole) return { ...exchange, id: null, got }
    latest = transactionId
    const known = transactionId === undefined ? undefined : ids.get(transactionId)
    const id = transactionId === undefined ? 0 : (known?.number ?? ids.size + 1)
    if (transactionId !== undefined) ids.set(transactionId, { number: id, bytes: request.bytes })
    return {
      ...exchange,
      ...{ id, got },
      isDated: request.payload?.scheduleDate !== undefined,
      isChanged: known !== undefined && known.bytes !== request.bytes,
    }
  }
  const steps = records.map((record, at) => toStep(record, records[at + 1]))
  const position = (requests: number | undefined) =>
    Math.max(0, (requests ?? journal.count) - journal.dropped)
  return {
    wish: `${exam.synchronizationId} ${exam.isScheduled ? exam.scheduleIn : 'at once'}`,
    isTwoMailings: exam.runPlan.kind === 'two-mailings',
    starts: starts.map(({ at, until, end, requests }, nth) => ({
      ...{ at, until, end },
      steps: steps
        .slice(position(requests), position(starts[nth + 1]?.requests))
        .filter(step => step !== undefined),
    })),
  }
}
