import { z } from 'zod'

const number = String.raw`\d{1,9}(?:\.\d{1,9})?`
/** `1h30m`, `500ms`: a number and its unit, the larger unit first. */
const short = `(?=\\d)(?:(${number})d)?(?:(${number})h)?(?:(${number})m(?!s))?(?:(${number})s)?(?:(${number})ms)?`
/** ISO 8601; years, months and weeks have no place here: the first two have no fixed length. */
const iso = `P(?=[\\dT])(?:(${number})D)?(?:T(?=\\d)(?:(${number})H)?(?:(${number})M)?(?:(${number})S)?)?`
const form = new RegExp(`^(?:${short}|${iso})$`)

const second = 1000
const minute = 60 * second
const hour = 60 * minute
const day = 24 * hour
/** What the groups of `form` count, in milliseconds, in its order. */
const units = [day, hour, minute, second, 1, day, hour, minute, second]

/** Beyond it a date may leave what a date can hold. */
const longest = 36_500 * day

const examples = '500ms, 30s, 5m, 1h30m, 2d or PT5M'

function refusal(actual: unknown): string {
  if (typeof actual === 'number')
    return `expected a duration with its unit, since a number alone may be seconds or milliseconds, such as ${examples}, got ${actual}`
  return `expected a duration such as ${examples}${actual === undefined ? '' : `, got ${JSON.stringify(actual)}`}`
}

const milliseconds = (text: string): number => {
  const [, ...counts] = form.exec(text) ?? []
  return Math.round(counts.reduce((sum, count, at) => sum + Number(count ?? 0) * units[at]!, 0))
}

/**
 * A duration as a person writes it, read into whole milliseconds. A default is given as text too:
 * `duration.prefault('300ms')`.
 */
export const duration = z
  .string({ error: ({ input }) => refusal(input) })
  .regex(form, { error: ({ input }) => refusal(input) })
  .transform(milliseconds)
  .refine(length => length <= longest, `expected a duration of at most ${longest / day}d`)
  .describe(`A duration with its unit: ${examples}`)
