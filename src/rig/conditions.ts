import type { Attempt } from './attempt.ts'
import type { Condition } from './scenarios/scenario.ts'

/** Whether the attempt is as the condition says. */
export function holds(condition: Condition, attempt: Attempt): boolean {
  const value = seenBy(condition.subject, attempt)
  const { present, equals, prefix, glob, from, to } = condition
  if (present !== undefined && present !== (value !== undefined && value !== null)) return false
  if (equals !== undefined && !(isScalar(value) && String(value) === String(equals))) return false
  if (prefix !== undefined && !(typeof value === 'string' && value.startsWith(prefix))) return false
  if (glob !== undefined && !(typeof value === 'string' && matchesGlob(glob, value))) return false
  if (from !== undefined && !(compare(value, from) >= 0)) return false
  if (to !== undefined && !(compare(value, to) <= 0)) return false
  return true
}

function seenBy(subject: Condition['subject'], attempt: Attempt): unknown {
  if (subject === 'transactionId') return attempt.transactionId
  if (subject === 'synchronizationId') return attempt.synchronizationId
  if (subject === 'user') return attempt.user
  if (subject === 'path') return attempt.path
  const name = subject.slice(subject.indexOf(':') + 1)
  if (subject.startsWith('header:')) return attempt.header(name.toLowerCase())
  if (subject.startsWith('query:')) return attempt.query(name)
  return attempt.body(name)
}

/** Headers and queries are texts, so a text is compared with a number as it is written. */
const isScalar = (value: unknown) =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'

/** Numbers as numbers, date-times as times; NaN, which is in no range, where they cannot be compared. */
function compare(value: unknown, bound: number | string): number {
  if (typeof bound === 'number') return numberOf(value) - bound
  return timeOf(value) - Date.parse(bound)
}

function numberOf(value: unknown): number {
  if (typeof value === 'number') return value
  return typeof value === 'string' && value.trim() !== '' ? Number(value) : Number.NaN
}

/** `Date.parse` reads nearly anything as some time, the text "5" for one; a date-time begins with its date. */
const timeOf = (value: unknown): number =>
  typeof value === 'string' && /^\d{4}-\d\d-\d\dT/.test(value) ? Date.parse(value) : Number.NaN

/** Characters of a text that a glob may match; a longer one matches none. */
export const longestGlobbed = 4_096
/** Characters of a glob in a scenario. */
export const longestGlob = 200
/** Stars of a glob in a scenario. */
export const mostStars = 8

/**
 * `*` is any characters, `?` is one. In time proportional to the product of both lengths at worst: after a star only
 * the last one is gone back to. Both are bounded, the glob where a scenario is read: all requests wait while one is
 * compared, and a body may hold a megabyte.
 */
export function matchesGlob(glob: string, text: string): boolean {
  if (text.length > longestGlobbed) return false
  let at = 0
  let inText = 0
  let star = -1
  let resumeAt = 0
  while (inText < text.length) {
    if (glob[at] === '*') {
      star = at++
      resumeAt = inText
    } else if (at < glob.length && (glob[at] === '?' || glob[at] === text[inText])) {
      at++
      inText++
    } else if (star >= 0) {
      at = star + 1
      inText = ++resumeAt
    } else return false
  }
  while (glob[at] === '*') at++
  return at === glob.length
}
