import type { z } from 'zod'
import { expected } from '../../store/expected.ts'
import { alternatives, shortened } from '../../store/unknown-keys.ts'

/** One thing that is wrong, and where. */
export interface Finding {
  readonly path: readonly PropertyKey[]
  /** Whether the key at the end of the path is what is wrong, not its value. */
  readonly ofKey: boolean
  readonly problem: string
}

/** What zod found, as sentences that tell what was seen and what is possible. @param value the whole that was checked */
export function findings(issues: readonly z.core.$ZodIssue[], value: unknown): Finding[] {
  return issues.flatMap(issue => {
    const { path } = issue
    const seen = valueAt(value, path)
    if (issue.code === 'unrecognized_keys') {
      const lines = issue.message.split('\n')
      return issue.keys.map((key, index) => ({
        path: [...path, key],
        ofKey: true,
        problem: lines[index] ?? issue.message,
      }))
    }
    if (issue.code === 'invalid_key')
      return [{ path, ofKey: true, problem: issue.issues[0]?.message ?? issue.message }]
    if (issue.code === 'invalid_union') return ofUnion(issue, value)
    if (issue.code === 'invalid_value')
      return [{ path, ofKey: false, problem: notPossible(seen, issue.values) }]
    if (issue.code === 'custom') return [{ path, ofKey: false, problem: issue.message }]
    return [{ path, ofKey: false, problem: withSeen(expected(issue), seen) }]
  })
}

/** Of the forms that a value may have, the one that it comes nearest to says what is wrong with it. */
function ofUnion(issue: z.core.$ZodIssueInvalidUnion, value: unknown): Finding[] {
  const { path } = issue
  const seen = valueAt(value, path)
  const isDiscriminated = 'discriminator' in issue && issue.errors.length === 0
  if (isDiscriminated) {
    const options = 'options' in issue ? (issue.options as readonly string[]) : []
    return [{ path, ofKey: false, problem: notPossible(seen, options) }]
  }
  const [best] = issue.errors
    .map(issues => ({ issues, distance: issues.reduce((sum, it) => sum + weight(it, seen), 0) }))
    .sort((one, other) => one.distance - other.distance)
  if (!best || best.distance >= otherKind)
    return [{ path, ofKey: false, problem: withSeen(issue.message, seen) }]
  const inner = best.issues.map(it => ({ ...it, path: [...path, ...it.path] }) as z.core.$ZodIssue)
  return findings(inner, value)
}

/** A value of another kind altogether: no form is near. */
const otherKind = 1000

function weight(issue: z.core.$ZodIssue, seen: unknown): number {
  if (issue.path.length === 0 && issue.code === 'unrecognized_keys') return 10 * issue.keys.length
  if (issue.path.length === 0 && (issue.code === 'invalid_type' || issue.code === 'invalid_value')) {
    // A word among words that are possible is nearer than anything else could be.
    return issue.code === 'invalid_value' && typeof seen === 'string' ? 500 : otherKind
  }
  return valueAt(seen, issue.path) === undefined ? 10 : 1
}

/** What is said of a word that is none of the possible ones. */
export function notPossible(seen: unknown, values: readonly unknown[]): string {
  const possible = values.map(String)
  if (seen === undefined) return `it is missing; possible: ${possible.join(', ')}`
  const given = typeof seen === 'string' ? seen : ''
  return `${told(seen)} is not possible;${alternatives(given, possible)}`
}

/** Some sentences tell themselves what they got. */
function withSeen(sentence: string, seen: unknown): string {
  if (seen === undefined) return `${sentence}; it is missing`
  return sentence.endsWith(`got ${told(seen)}`) ? sentence : `${sentence}; seen: ${told(seen)}`
}

const told = (seen: unknown): string => shortened(JSON.stringify(seen) ?? String(seen))

const valueAt = (value: unknown, path: readonly PropertyKey[]): unknown =>
  path.reduce<unknown>(
    (parent, key) => (parent as Record<PropertyKey, unknown> | null | undefined)?.[key],
    value,
  )

/** Such as `rules[0].steps[1].phase`. */
export const pathText = (path: readonly PropertyKey[]): string =>
  path
    .map(part => (typeof part === 'number' ? `[${part}]` : `.${shortened(String(part))}`))
    .join('')
    .replace(/^\./, '')
