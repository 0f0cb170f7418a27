import { z } from 'zod'

const typeNames: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'keys with values',
  record: 'keys with values',
}

const formatNames: Readonly<Record<string, string>> = {
  uuid: 'a UUID',
  datetime: 'a date-time such as 2026-03-01T09:30:00.000Z',
}

/** Default messages of the schema library. */
const libraryMessage = /^(?:Invalid|Too small|Too big|Unrecognized)\b/

/** What was expected instead of a refused value: the message of its schema, or one in our words. */
export function describeExpected(issue: z.core.$ZodIssue): string {
  if (!libraryMessage.test(issue.message)) return issue.message
  switch (issue.code) {
    case 'invalid_type':
      return `expected ${typeNames[issue.expected] ?? issue.expected}`
    case 'invalid_value':
      return `expected ${issue.values.map(value => JSON.stringify(value)).join(' or ')}`
    case 'invalid_format':
      return `expected ${formatNames[issue.format] ?? `the form ${issue.pattern ?? issue.format}`}`
    case 'too_small':
      return `expected ${describeBound(issue.origin, issue.inclusive ? 'at least' : 'more than', issue.minimum)}`
    case 'too_big':
      return `expected ${describeBound(issue.origin, issue.inclusive ? 'at most' : 'less than', issue.maximum)}`
    case 'unrecognized_keys':
      return `unknown: ${issue.keys.map(key => JSON.stringify(key)).join(', ')}`
    default:
      return issue.message
  }
}

function describeBound(origin: string, bound: string, limit: number | bigint): string {
  if (origin === 'string') return `a text of ${bound} ${limit} character${Number(limit) === 1 ? '' : 's'}`
  if (origin === 'array') return `a list of ${bound} ${limit}`
  return `a number of ${bound} ${limit}`
}

/** The name that was most likely meant, if any is close. */
export const findNearest = <Name extends string>(given: string, names: readonly Name[]): Name | undefined =>
  findNearestOnes(given, names, 1)[0]

/** What people say for what has another name here. */
const otherWords = { timeout: 'hang', 'no-response': 'hang' }

/** The names that were most likely meant, the nearest first. */
export function findNearestOnes<Name extends string>(
  text: string,
  names: readonly Name[],
  most: number,
): Name[] {
  const given = Object.entries(otherWords).reduce((so, [word, ours]) => so.replace(word, ours), text)
  // A longer text is not a misspelt name, and would be slow to compare.
  if (given.length > 100) return []
  return names
    .map(name => ({ name, distance: editDistance(given.toLowerCase(), name.toLowerCase()) }))
    .filter(
      ({ name, distance }) =>
        // At least half of a short name must match: "foo" is not a misspelt "on".
        (2 * distance <= Math.max(given.length, name.length) && distance <= Math.max(2, name.length / 3)) ||
        (given.length > 3 && name.startsWith(given)),
    )
    .sort((one, other) => one.distance - other.distance)
    .slice(0, most)
    .map(({ name }) => name)
}

/** Number of added, removed, replaced or swapped characters between two texts. */
export function editDistance(from: string, to: string): number {
  let before: readonly number[] = []
  let row = Array.from({ length: to.length + 1 }, (_, at) => at)
  for (let i = 1; i <= from.length; i++) {
    const next = [i]
    for (let j = 1; j <= to.length; j++) {
      const replaced = row[j - 1]! + (from[i - 1] === to[j - 1] ? 0 : 1)
      const isSwapped = i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1]
      const swapped = isSwapped ? before[j - 2]! + 1 : replaced
      next.push(Math.min(replaced, swapped, row[j]! + 1, next[j - 1]! + 1))
    }
    before = row
    row = next
  }
  return row[to.length]!
}

/** A strict object whose message for an unknown key lists the possible ones. */
export function strict<Shape extends z.core.$ZodLooseShape>(shape: Shape) {
  const describe = (key: string) => describeUnknownKey(key, Object.keys(shape))
  return z.strictObject(shape, {
    // A line for each of the unknown keys, in their order.
    error: issue =>
      issue.code === 'unrecognized_keys'
        ? issue.keys.slice(0, maxDescribedKeys).map(describe).join('\n')
        : undefined,
  })
}

/** Maximum number of unknown keys that are described: looking for the nearest name takes time. */
const maxDescribedKeys = 50

export const describeUnknownKey = (key: string, possible: readonly string[]): string =>
  `unknown key "${shorten(key)}";${describeAlternatives(key, possible)}`

/** The nearest possible name, if any is close, and the list of all. */
export function describeAlternatives(given: string, possible: readonly string[]): string {
  const near = given === '' ? undefined : findNearest(given, possible)
  const hint = near === undefined ? '' : ` did you mean "${near}"?`
  return `${hint} ${hint ? 'P' : 'p'}ossible: ${possible.join(', ') || 'none'}`
}

/** @param most maximum number of characters, the dots at the end of a shortened text included */
export const shorten = (text: string, most = 60, dots = '...'): string =>
  text.length > most ? text.slice(0, most - dots.length) + dots : text

/** A value from a client or a file as JSON, shortened. */
export const quote = (value: unknown, most = 120): string =>
  shorten(JSON.stringify(value) ?? String(value), most)

/** An ID cut in its middle, since those of one client often differ at the end. @param most characters without the dots */
export const shortenId = (id: string, most = 60, dots = '...'): string =>
  id.length > most ? id.slice(0, most - 24) + dots + id.slice(-24) : id

/** An ID in a sentence: of a UUID the first eight digits and the last four. */
export const shortId = (id: string): string =>
  shortenId(id.replace(/^([\da-f]{8})(?:-[\da-f]{4}){3}-[\da-f]{8}([\da-f]{4})$/i, '$1...$2'))

/** Such as `rules[0].steps[1].phase`. */
export const pathText = (path: readonly PropertyKey[]): string =>
  path
    .map(part => (typeof part === 'number' ? `[${part}]` : `.${shorten(String(part))}`))
    .join('')
    .replace(/^\./, '')

/** The value at a path; undefined if there is none. */
export const valueAt = (value: unknown, path: readonly PropertyKey[]): unknown =>
  path.reduce<unknown>(
    (parent, key) => (parent as Record<PropertyKey, unknown> | null | undefined)?.[key],
    value,
  )
