import type { Attempt } from './evidence.ts'
import { isOver } from './knowledge.ts'
import { Nested } from './nested.ts'

/** Milliseconds after which nobody but the machinery of HTTP can have sent the same bytes again. */
const atOnce = 50

/**
 * Requests that a client's HTTP machinery sent again by itself after its connection broke: the same bytes at once, on
 * another connection. It does so one time; more in a row are the client's own loop. What the application never knew of is
 * not held against it.
 * @param creations in the order of arrival
 */
export function resendsIn(creations: readonly Attempt[]): ReadonlySet<Attempt> {
  const resends = new Set<Attempt>()
  const hot = new Set<Attempt>()
  const last = new Nested<Attempt>()
  for (const attempt of creations) {
    const same = last.at(attempt.target, attempt.userAgent, attempt.asked.bytes)
    const before = same.value
    same.value = attempt
    if (!before || !isAtOnce(before, attempt)) continue
    hot.add(attempt)
    if (!hot.has(before)) resends.add(attempt)
    else resends.delete(before)
  }
  return resends
}

const isAtOnce = (before: Attempt, attempt: Attempt): boolean =>
  attempt.connection !== 0 &&
  before.connection !== attempt.connection &&
  (before.delivered === 'cut' || before.delivered === 'none') &&
  isOver(before, attempt) &&
  attempt.arrived.real - before.ended!.real < atOnce
