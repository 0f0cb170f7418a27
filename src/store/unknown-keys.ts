import { z } from 'zod'
import { nearest } from './nearest.ts'

/** An object that knows its keys, and says which there are when it meets another. */
export const strict = <Shape extends z.core.$ZodLooseShape>(shape: Shape) =>
  z.strictObject(shape, { error: unknownKeys(Object.keys(shape)) })

/** What is said of keys that an object does not know: a line for each of them, in their order. */
const unknownKeys =
  (possible: readonly string[]) =>
  (issue: z.core.$ZodRawIssue): string | undefined => {
    if (issue.code !== 'unrecognized_keys') return undefined
    return issue.keys.map(key => unknownKey(key, possible)).join('\n')
  }

/** What is said of a key that is none of the possible ones. */
export const unknownKey = (key: string, possible: readonly string[]): string =>
  `unknown key "${shortened(key)}";${alternatives(key, possible)}`

/** The nearest of what is possible, if any comes close, and all of it. */
export function alternatives(given: string, possible: readonly string[]): string {
  const near = given === '' ? undefined : nearest(given, possible)
  const hint = near === undefined ? '' : ` did you mean "${near}"?`
  return `${hint} ${hint ? 'P' : 'p'}ossible: ${possible.join(', ') || 'none'}`
}

/** A text that may be long, for a sentence. */
export const shortened = (text: string) => (text.length > 60 ? `${text.slice(0, 57)}...` : text)
