import type { Moment } from '../rig/request-record.ts'
import { parseRetryAfter } from '../store/retry-after.ts'
import type { Attempt } from './attempt.ts'
import type { Evidence } from './evidence.ts'
import { NestedMap } from './grouping.ts'
import { isDoneBefore, isOver, type Knowledge, type Meaning } from './knowledge.ts'

/** Longer waits count as a mistake of the service. */
const maxWait = 24 * 60 * 60_000

/**
 * The wait that an answer asked for, in milliseconds from the end of its exchange, and by how many a client may be early.
 * Undefined for none, for invalid values and for the past.
 */
export function requestedWait({ response, ended }: Attempt) {
  const delay = parseRetryAfter(response?.retryAfter)
  if (delay === undefined || !ended) return undefined
  // Dates are in real time, which the client's own clock shows.
  const wait = 'seconds' in delay ? delay.seconds * 1_000 : delay.until - ended.real
  if (!(wait > 0 && wait <= maxWait)) return undefined
  // Dates have a resolution of seconds.
  return { wait, tolerance: 'seconds' in delay ? 50 : 1_000 }
}

/** After these a client repeats its request. */
const retriedMeanings: ReadonlySet<Meaning> = new Set(['PENDING', 'FAILED', 'limited', 'unknown'])

/** What a client knew, and what happened to it, while it waited. */
interface Client {
  readonly evidence: Evidence
  readonly knowledge: Knowledge
  readonly resends: ReadonlySet<Attempt>
  isRestartBetween(earlier: Attempt, later: Attempt): boolean
}

/**
 * The pauses in a series of attempts. Skips automatic transport retries and overlapping requests. A pause is excused if
 * the clock was moved by hand in it, if the answer asked for it, or if the client was restarted.
 */
export function findPauses(attempts: readonly Attempt[], client: Client) {
  const { knowledge, resends, evidence } = client
  const { rate } = evidence
  const pauses = []
  for (let at = 1; at < attempts.length; at++) {
    const [before, after] = [attempts[at - 1]!, attempts[at]!]
    if (!before.ended || !isDoneBefore(before, after) || resends.has(after)) continue
    // On a fast clock the moment after which a departure is noticed may have been a long pause.
    if (rate > 1 && !isOver(before, after)) continue
    if (!retriedMeanings.has(knowledge.maybeKnownBefore(before, after) ?? 'unknown')) continue
    pauses.push({
      before,
      after,
      /** Milliseconds of real time or of the space's clock, whichever is more. */
      length: Math.max(0, elapsedBetween(before.ended, after.arrived)),
      /** What the client knew at its beginning; undefined if that is unknown. */
      meaning: knowledge.knownBefore(before, after),
      /** Whether the pause says nothing about the client's own backoff. */
      isExcused:
        before.clockEpoch !== after.clockEpoch ||
        requestedWait(before) !== undefined ||
        client.isRestartBetween(before, after),
    })
  }
  return pauses
}

/** The pause between the end of an exchange and the next request of the same series. */
export type Pause = Readonly<ReturnType<typeof findPauses>[number]>

/** Milliseconds from one moment to another, in real time or on the space's clock, whichever is more. */
export const elapsedBetween = (from: Moment, to: Moment): number =>
  Math.max(to.real - from.real, to.clock - from.clock)

/** Milliseconds between two requests that a client needs even without a pause. */
export const minimumTurnaround = ({ rate }: Evidence): number => 5 * Math.max(1, rate)

/**
 * The time from a request to each of those that follow it, in milliseconds of the space's clock: the whole, and without
 * the time by which the clock was moved by hand, which no client is responsible for.
 * @param later every recorded one, in order of arrival; the first may be given again
 */
export function timesSince(first: Attempt, later: readonly Attempt[]) {
  let last = first
  let clockMoves = 0
  return later.map(attempt => {
    if (attempt.clockEpoch !== last.clockEpoch) clockMoves += attempt.arrived.clock - last.arrived.clock
    last = attempt
    const whole = attempt.arrived.clock - first.arrived.clock
    return { attempt, whole, withoutClockMoves: whole - clockMoves }
  })
}

/** A time window with what it may be exceeded by: time in transit, or 1 %. All in milliseconds. */
export const withTolerance = (window: number, { rate }: Evidence): number =>
  window + Math.max(2_000 * Math.max(1, rate), window / 100)

/** Milliseconds within which only an HTTP library can have sent the same bytes again, unless the clock was moved. */
const resendDelay = 50

/**
 * Requests that a client's HTTP library repeated by itself after its connection broke: the same bytes at once, on
 * another connection. A library does so once; more in a row are the client's own loop. Repeats that the application did
 * not know about are not held against it.
 * @param creations in order of arrival
 */
export function findResends(creations: readonly Attempt[], rate: number): ReadonlySet<Attempt> {
  const resends = new Set<Attempt>()
  const hot = new Set<Attempt>()
  const last = new NestedMap<Attempt>()
  for (const attempt of creations) {
    const same = last.entry(attempt.target, attempt.userAgent, attempt.request.bytes)
    const before = same.value
    same.value = attempt
    if (!before || !isImmediateRepeat(before, attempt, rate)) continue
    hot.add(attempt)
    if (!hot.has(before)) resends.add(attempt)
    else resends.delete(before)
  }
  return resends
}

const isImmediateRepeat = (before: Attempt, attempt: Attempt, rate: number): boolean =>
  attempt.connection !== 0 &&
  before.connection !== attempt.connection &&
  (before.delivered === 'cut' || before.delivered === 'none') &&
  isOver(before, attempt) &&
  attempt.arrived.real - before.ended!.real < resendDelay &&
  attempt.arrived.clock - before.ended!.clock < resendDelay * Math.max(1, rate)
