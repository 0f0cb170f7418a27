import type { Json } from '../src/contract/openapi/json-schema.ts'
import { simplifyShapes } from './simplify-openapi.ts'

/** The same document as OpenAPI 3.0.3, for tools that know no 3.1, in shapes that generators of clients take. */
export const toOpenApi30 = (document: Json): Json => simplifyShapes(toVersion30(document))

/** The same document in the words of version 3.0.3. Examples and extensions are taken over as they are. */
export function toVersion30(document: Json): Json {
  const { license, ...info } = document.info as { readonly license: Json }
  const { identifier, ...named } = license
  const url = `https://spdx.org/licenses/${identifier}.html`
  return {
    ...(toSchema30(document) as Json),
    openapi: '3.0.3',
    info: { ...info, license: { ...named, url } },
  }
}

/** Every part of the document. What 3.0 writes otherwise than 3.1 differs in schemas alone. */
function toSchema30(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(toSchema30)
  if (typeof part !== 'object' || part === null) return part
  const { $ref, type, exclusiveMinimum, ...rest } = mergeNull(part as Json)
  const others = Object.entries(rest).map(([name, value]) => {
    // The value of a constant is no schema. A property may have this name, and then it has one.
    if (name === 'const' && typeof value !== 'object') return ['enum', [value]]
    return [name, isTakenOver(name) ? value : toSchema30(value)]
  })
  return {
    ...reference($ref, others.length > 0),
    ...writeType(type),
    ...writeMinimum(exclusiveMinimum),
    ...Object.fromEntries(others),
  }
}

/** One schema or null: 3.0 has no type for null. */
function mergeNull(part: Json): Json {
  const { anyOf, ...rest } = part
  const others: Json[] = Array.isArray(anyOf) ? anyOf.filter(it => it.type !== 'null') : []
  if (!Array.isArray(anyOf) || others.length === anyOf.length) return part
  const [only, ...more] = others
  if (only === undefined || more.length > 0)
    throw new Error('OpenAPI 3.0 cannot say "one of several, or null"')
  const choices = only.enum as unknown[] | undefined
  return { ...only, ...(choices && { enum: [...choices, null] }), nullable: true, ...rest }
}

const isTakenOver = (name: string): boolean =>
  name === 'example' || name === 'examples' || (name.startsWith('x-') && name !== 'x-elsewhere')

/** Beside a reference nothing counts in 3.0. */
function reference($ref: unknown, hasSiblings: boolean): Json {
  if ($ref === undefined) return {}
  return hasSiblings ? { allOf: [{ $ref }] } : { $ref }
}

function writeType(type: unknown): Json {
  if (!Array.isArray(type)) return type === undefined ? {} : { type: toSchema30(type) }
  const [only, ...more] = type.filter(it => it !== 'null')
  if (more.length > 0) throw new Error(`OpenAPI 3.0 has one type for a schema; seen: ${type.join(', ')}`)
  return { type: only, ...(type.includes('null') && { nullable: true }) }
}

function writeMinimum(exclusiveMinimum: unknown): Json {
  if (typeof exclusiveMinimum === 'number') return { minimum: exclusiveMinimum, exclusiveMinimum: true }
  return exclusiveMinimum === undefined ? {} : { exclusiveMinimum: toSchema30(exclusiveMinimum) }
}
