import type { z } from 'zod'
import {
  describeAlternatives,
  describeExpected,
  findNearest,
  quote,
  shorten,
  valueAt,
} from '../../store/validation-messages.ts'

/** One problem with its position. */
export interface InvalidValue {
  readonly path: readonly PropertyKey[]
  /** Whether the key at the end of the path is wrong, rather than its value. */
  readonly ofKey: boolean
  readonly problem: string
}

/** The letters of the number at a path, where the checked value was read from a text. */
type LettersOf = (path: readonly PropertyKey[]) => string | undefined

/** Zod issues as sentences that say what was found and what is possible. @param value the whole checked value */
export function describeIssues(
  issues: readonly z.core.$ZodIssue[],
  value: unknown,
  letters?: LettersOf,
): InvalidValue[] {
  return issues.flatMap((issue): InvalidValue | InvalidValue[] => {
    const { path } = issue
    const actual = valueAt(value, path)
    const shown = quoteValue(actual, letters?.(path))
    const invalid = (problem: string, ofKey = false): InvalidValue => ({ path, ofKey, problem })
    if (issue.code === 'unrecognized_keys') {
      const lines = issue.message.split('\n')
      const keys = issue.keys.slice(0, lines.length)
      const problems = keys.map((key, at) => ({ path: [...path, key], ofKey: true, problem: lines[at]! }))
      const more = issue.keys.length - keys.length
      return more > 0 ? [...problems, invalid(`and ${more} more unknown keys`)] : problems
    }
    if (issue.code === 'invalid_key') return invalid(issue.issues[0]?.message ?? issue.message, true)
    if (issue.code === 'invalid_union') return describeUnion(issue, value, letters)
    if (issue.code === 'invalid_value' && issue.message.startsWith('Invalid'))
      return invalid(notPossibleText(actual, issue.values, shown))
    return invalid(
      issue.code === 'custom' ? issue.message : withActual(describeExpected(issue), actual, shown),
    )
  })
}

/** Of the alternatives of a union, reports the problems of the one that is closest to the value. */
function describeUnion(
  issue: z.core.$ZodIssueInvalidUnion,
  value: unknown,
  letters: LettersOf | undefined,
): InvalidValue[] {
  const { path } = issue
  const actual = valueAt(value, path)
  if ('discriminator' in issue && issue.errors.length === 0) {
    const key = misspeltKey(value, path)
    if (key !== undefined) {
      const problem = `unknown key "${shorten(key)}"; did you mean "${String(path.at(-1))}"?`
      return [{ path: [...path.slice(0, -1), key], ofKey: true, problem }]
    }
    const options = 'options' in issue ? (issue.options as readonly string[]) : []
    return [{ path, ofKey: false, problem: notPossibleText(actual, options) }]
  }
  const [best] = issue.errors
    .map(issues => ({ issues, distance: issues.reduce((sum, it) => sum + weight(it, actual), 0) }))
    .sort((one, other) => one.distance - other.distance)
  if (!best || best.distance >= differentKind)
    return [
      { path, ofKey: false, problem: withActual(issue.message, actual, quoteValue(actual, letters?.(path))) },
    ]
  const inner = best.issues.map(it => ({ ...it, path: [...path, ...it.path] }) as z.core.$ZodIssue)
  return describeIssues(inner, value, letters)
}

/** The key that was probably meant to be the missing one at the end of a path. */
function misspeltKey(value: unknown, path: readonly PropertyKey[]): string | undefined {
  if (valueAt(value, path) !== undefined) return undefined
  return findNearest(String(path.at(-1)), Object.keys(Object(valueAt(value, path.slice(0, -1)))))
}

/** Weight of a value of another type: no alternative is close. */
const differentKind = 1000

function weight(issue: z.core.$ZodIssue, actual: unknown): number {
  if (issue.path.length === 0 && issue.code === 'unrecognized_keys') {
    const misspelt = issue.message.split('did you mean').length - 1
    return 10 * issue.keys.length - 9 * misspelt
  }
  if (issue.path.length === 0 && (issue.code === 'invalid_type' || issue.code === 'invalid_value')) {
    // A wrong word is closest to the alternative that lists words.
    return issue.code === 'invalid_value' && typeof actual === 'string' ? 500 : differentKind
  }
  if (valueAt(actual, issue.path) !== undefined) return 1
  // Which of its alternatives was meant is not even said.
  return issue.code === 'invalid_union' ? 12 : 10
}

/** @param shown how the value is written, where that is known */
export function notPossibleText(
  actual: unknown,
  values: readonly unknown[],
  shown = quoteValue(actual),
): string {
  const possible = values.map(String)
  if (actual === undefined) return `it is missing; possible: ${possible.join(', ')}`
  const text = typeof actual === 'string' ? actual : ''
  // An object of a client may have no text: its own `toString` may be anything.
  const isScalar = Object(actual) !== actual
  if (text === '' && isScalar && possible.includes(String(actual)))
    return `expected a text, "${actual}" with its quotation marks, got ${shown}`
  return `${shown} is not possible;${describeAlternatives(text, possible)}`
}

/** Appends the value found, unless the sentence already contains it. */
function withActual(sentence: string, actual: unknown, shown: string): string {
  if (actual === undefined) return `${sentence}, got nothing`
  return sentence.endsWith(`got ${shown}`) ? sentence : `${sentence}, got ${shown}`
}

function quoteValue(actual: unknown, letters?: string): string {
  if (letters !== undefined) return shorten(letters, 60)
  // JSON has lost the last digits of a larger one.
  const isInexact = Number.isInteger(actual) && !Number.isSafeInteger(actual)
  return isInexact ? 'a number beyond 2^53' : quote(actual, 60)
}
