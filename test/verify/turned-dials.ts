import { type DialName, dialNames, dials } from '../../src/service/dials.ts'

/** Dials that nobody can read from outside, and why. */
export const hidden: Partial<Record<DialName, string>> = {
  'cursor-expiry': 'a cursor would have to be kept for a minute at least, and for a day to be sure',
  'sync-token-expiry': 'a token would have to be kept for a day',
  'transaction-expiry': 'a transaction ID would have to be kept for a day',
  'repeat-after-500-status': 'nobody outside can make the service answer 500',
  'date-header': "the clock of a deployment is the machine's",
}
/** Dials that the check of another clause reads than the one that the dial names. */
const readElsewhere: Partial<Record<DialName, string>> = { 'rate-limit': '8 rate limit' }

/** The clause whose check reads a dial. */
export const readingClause = (name: DialName): string => readElsewhere[name] ?? dials[name].clause

/** Every value that can be found out, but for the defaults. */
export const turned = dialNames
  .filter(name => !(name in hidden))
  .flatMap(name =>
    Object.keys(dials[name].values)
      .filter(value => value !== dials[name].default)
      .map(value => [name, value] as const),
  )
