import { bodyJson } from '../../rig/recorded-response.ts'
import type { RequestRecord } from '../../rig/request-record.ts'
import type { Belief } from '../../rig/scenarios/terms.ts'
import type { SpaceRig } from '../../rig/space-rig.ts'
import { type Attempt, halType, type IntendedResponse, toAttempt } from '../attempt.ts'
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
  readonly isDated?: true
  /** Whether its body differs from that of the request before it with the same ID. */
  readonly isChanged?: true
  /** Of any other request: what it is. */
  readonly reads?: string
  /** What the client got. */
  readonly got: string
  /** Milliseconds that the response asks the client to wait. */
  readonly wait?: number
  /** Whether the client may have got something else: it may have given up just as the answer left. */
  readonly isDoubtful?: true
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
  readonly starts: readonly TraceStart[]
  /** Whether the second start has a mailing of its own. */
  readonly isTwoMailings: boolean
}

/** When a client ran, and how that ended. */
export interface ClientStart extends Pick<TraceStart, 'at' | 'until' | 'end'> {
  /** Requests that had come before. */
  readonly requests: number
}

/** The name of an answer that came whole: its status, with the state of a sending or with what stands in its place. */
export function answerName({
  status,
  mediaType,
  state,
  stateText,
  foreignBy,
}: Pick<IntendedResponse, 'status' | 'mediaType' | 'state' | 'stateText' | 'foreignBy'>): string {
  if (status >= 300) return `${status}`
  if (state !== undefined) return `${status} ${state}`
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

/**
 * What a run shows of a client's decisions.
 * @param perhapsGivenUp requests whose answer the client may have given up, though it left at once
 */
export function traceOf(
  rig: SpaceRig,
  starts: readonly ClientStart[],
  isTwoMailings: boolean,
  perhapsGivenUp?: ReadonlySet<RequestRecord>,
): RunTrace {
  const ids = new Map<string, { readonly number: number; bytes: string | undefined }>()
  let latest: string | undefined
  const toStep = (record: RequestRecord, next: RequestRecord | undefined): TraceStep | undefined => {
    const attempt = rig.reader.memoize(record, toAttempt)
    if (attempt.twinOf !== undefined) return undefined
    const { arrived, ended, creates, request, transactionId, isReadOfState, response } = attempt
    const wait = requestedWait(attempt)?.wait ?? 0
    const times = {
      at: arrived.clock,
      until: ended?.clock ?? null,
      ...(wait > 0 && { wait }),
      ...((perhapsGivenUp?.has(record) || isPerhapsUnread(attempt, next, rig.clock.rate)) && {
        isDoubtful: true as const,
      }),
    }
    if (creates !== 'sending') {
      const shown = response?.sightings?.find(it => it.transactionId === latest)?.state
      const whole = nameOfAnswer(record, attempt)
      const isShown = attempt.delivered === 'handed' && response && response.status < 300
      const isReady = record.response && bodyJson(record.response)?.readyForSending !== false
      const isNews = !isReady || record.method !== 'GET'
      const what = isReadOfState
        ? (shown ?? 'no such sending')
        : isNews
          ? isReady
            ? whole
            : 'not ready'
          : noNews
      return { ...times, reads: nameOfRead(attempt), got: isShown ? what : whole }
    }
    if (!request.isWhole) return { ...times, id: null, got: nameOfAnswer(record, attempt) }
    latest = transactionId
    const known = transactionId === undefined ? undefined : ids.get(transactionId)
    if (transactionId !== undefined)
      ids.set(transactionId, { number: known?.number ?? ids.size + 1, bytes: request.bytes })
    return {
      ...times,
      id: transactionId === undefined ? 0 : ids.get(transactionId)!.number,
      ...(request.payload?.scheduleDate !== undefined && { isDated: true }),
      ...(known && known.bytes !== request.bytes && { isChanged: true }),
      got: nameOfAnswer(record, attempt),
    }
  }
  const { journal } = rig
  const records = journal.entries()
  const steps = records.map((record, at) => toStep(record, records[at + 1]))
  const position = (requests: number | undefined) =>
    Math.max(0, (requests ?? journal.count) - journal.dropped)
  return {
    isTwoMailings,
    starts: starts.map(({ at, until, end, requests }, nth) => ({
      ...{ at, until, end },
      steps: steps
        .slice(position(requests), position(starts[nth + 1]?.requests))
        .filter(step => step !== undefined),
    })),
  }
}
