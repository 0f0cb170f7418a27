import type { z } from 'zod'

const kinds: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'keys with values',
  record: 'keys with values',
}

const forms: Readonly<Record<string, string>> = {
  uuid: 'a UUID',
  datetime: 'a date-time such as 2026-03-01T09:30:00.000Z',
}

/** The sentences that the library has for schemas without one of their own. */
const ofLibrary = /^(?:Invalid|Too small|Too big|Unrecognized)\b/

/** What was expected where a value was refused: the sentence of its schema, or one in our words. */
export function expected(issue: z.core.$ZodIssue): string {
  if (!ofLibrary.test(issue.message)) return issue.message
  switch (issue.code) {
    case 'invalid_type':
      return `expected ${kinds[issue.expected] ?? issue.expected}`
    case 'invalid_value':
      return `expected ${issue.values.map(value => JSON.stringify(value)).join(', ')}`
    case 'invalid_format':
      return `expected ${forms[issue.format] ?? `the form ${issue.pattern ?? issue.format}`}`
    case 'too_small':
      return `expected ${bounded(issue.origin, issue.inclusive ? 'at least' : 'more than', issue.minimum)}`
    case 'too_big':
      return `expected ${bounded(issue.origin, issue.inclusive ? 'at most' : 'less than', issue.maximum)}`
    case 'unrecognized_keys':
      return `unknown: ${issue.keys.map(key => JSON.stringify(key)).join(', ')}`
    default:
      return issue.message
  }
}

function bounded(origin: string, bound: string, limit: number | bigint): string {
  if (origin === 'string') return `a text of ${bound} ${limit} character${Number(limit) === 1 ? '' : 's'}`
  if (origin === 'array') return `a list of ${bound} ${limit}`
  return `a number of ${bound} ${limit}`
}
