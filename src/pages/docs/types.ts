import type { Api, Schema } from './document.ts'

/** What a value is, in a word or two: `text, date-time`, `list of Rule`, `"asc" or "desc"`. */
export function typeWords(api: Api, schema: Schema, within: readonly string[] = []): string {
  const { $ref } = schema
  const name = nameOf(schema)
  if (name !== undefined) return name
  // What has no name and holds itself is whatever JSON can say.
  if ($ref !== undefined && within.includes($ref)) return 'any'
  const inner = (it: Schema) => typeWords(api, it, $ref === undefined ? within : [...within, $ref])
  const { type, format, items, anyOf, oneOf, additionalProperties, enum: values } = api.resolved(schema)
  if ('const' in schema) return JSON.stringify(schema.const)
  if (values) return values.map(value => JSON.stringify(value)).join(' or ')
  const choices = anyOf ?? oneOf
  if (choices) return [...new Set(choices.map(inner))].join(' or ')
  if (items) return `list of ${inner(items)}`
  const words = [type ?? (additionalProperties ? 'object' : 'any')].flat().map(it => typeNames[it] ?? it)
  return words.join(' or ') + (format === undefined ? '' : `, ${format}`)
}

const typeNames: Readonly<Record<string, string>> = {
  string: 'text',
  array: 'list',
  boolean: 'true or false',
}

/** What a schema that has a place of its own in the document is called there. */
export const nameOf = ({ $ref }: Schema): string | undefined =>
  $ref === undefined ? undefined : /^#\/components\/schemas\/(\w+)$/.exec($ref)?.[1]

/** Longer patterns say nothing to a person, nor do those that write out a format. */
const longestPattern = 48

/** What a value must be besides its type, each in a few words. */
export function limitsOf(schema: Schema): string[] {
  const { minimum, maximum, exclusiveMinimum, minLength, maxLength, minItems, maxItems, pattern, format } =
    schema
  return [
    between(minimum, maximum, ''),
    exclusiveMinimum === undefined ? '' : `more than ${exclusiveMinimum}`,
    between(minLength, maxLength, ' characters'),
    between(minItems, maxItems, ' of them'),
    pattern === undefined || format !== undefined || pattern.length > longestPattern
      ? ''
      : `matches ${pattern}`,
    schema.default === undefined ? '' : `${JSON.stringify(schema.default)} unless given`,
  ].filter(words => words !== '')
}

/** A bound that only says that it is a number which JSON can carry is none. */
const isBound = (bound: number | undefined): bound is number =>
  bound !== undefined && Math.abs(bound) !== Number.MAX_SAFE_INTEGER

function between(least: number | undefined, most: number | undefined, unit: string): string {
  if (isBound(least) && isBound(most)) return `${least} to ${most}${unit}`
  if (isBound(least)) return `at least ${least}${unit}`
  return isBound(most) ? `at most ${most}${unit}` : ''
}
