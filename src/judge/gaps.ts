import { halType } from './attempt.ts'
import type { CaseFile } from './case-file.ts'
import type { Attempt, Evidence, Told } from './evidence.ts'
import { type Meaning, meantFor } from './hearing.ts'
import { isOver } from './knowledge.ts'
import { waitTold } from './retry-after.ts'

/** The pause between the end of an exchange and the next request of the same series. */
export interface Gap {
  readonly before: Attempt
  readonly after: Attempt
  /** Milliseconds as the client lived them: of the machine's clock or the space's, whichever passed faster. */
  readonly length: number
  /** What the client was told at its beginning, as far as it can have been; undefined for nothing. */
  readonly heard: Meaning | undefined
  /** Why it says nothing of the client's own patience. */
  readonly isExcused: boolean
}

/** After these a client goes on. */
const retried: ReadonlySet<Meaning> = new Set(['PENDING', 'FAILED', 'limited', 'unknown'])

/**
 * The pauses in a series of attempts. Left out are those before a request that its client's machinery sent by itself, and
 * between requests that overlap. Excused are those in which somebody moved the clock, and those that were asked for.
 */
export function gapsIn(attempts: readonly Attempt[], file: CaseFile): Gap[] {
  const gaps: Gap[] = []
  for (let at = 1; at < attempts.length; at++) {
    const [before, after] = [attempts[at - 1]!, attempts[at]!]
    if (!before.ended || !isOver(before, after) || file.resends.has(after)) continue
    const heard = file.knowledge.heard(before, after)
    if (!retried.has(file.knowledge.mayHaveHeard(before, after) ?? 'unknown')) continue
    gaps.push({
      before,
      after,
      length: lived(before, after),
      heard,
      isExcused:
        before.epoch !== after.epoch ||
        waitTold(before) !== undefined ||
        file.isRestartBetween(before, after),
    })
  }
  return gaps
}

/** Milliseconds from the end of an exchange to a later request, as the client lived them. */
export const lived = ({ ended }: Attempt, { arrived }: Attempt): number =>
  Math.max(arrived.real - ended!.real, arrived.clock - ended!.clock)

/** What was told, for sentences. */
export function told(attempt: Attempt): string {
  const { delivered, ended, told: answer } = attempt
  if (delivered === 'open') return ended ? 'no answer' : 'no answer yet'
  if (delivered !== 'handed' || !answer) return delivered === 'cut' ? 'a damaged answer' : 'no answer'
  const { status, state } = answer
  if (state) return `${status} ${state}`
  return meantFor(attempt) === 'unknown' && status < 300
    ? `${status} without a sending that can be believed${doubts(answer)}`
    : `${status}`
}

/** What stands there as a state, and why it is not to be believed. */
function doubts({ status, stateText, foreignBy, mediaType }: Told): string {
  const ofKind = mediaType === undefined ? 'no Content-Type' : `Content-Type ${mediaType.slice(0, 40)}`
  const isOfKind = mediaType === halType || (status !== 200 && status !== 201)
  const why = foreignBy ? `another ${foreignBy} than was asked for` : isOfKind ? '' : ofKind
  const seen = [stateText ? `state "${stateText.slice(0, 40)}"` : '', why].filter(Boolean)
  return seen.length > 0 ? ` (${seen.join(', ')})` : ''
}

/** Milliseconds of real time that a client needs between two requests even if it does not pause. */
export const busy = ({ rate }: Evidence): number => 5 * Math.max(1, rate)
