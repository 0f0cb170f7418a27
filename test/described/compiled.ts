import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'

type Json = { readonly [member: string]: unknown }

const ajv = new Ajv2020({ strict: false, validateSchema: false, code: { optimize: false } })
formats.default(ajv)

/** By the text of the schema: however the dials stand, most schemas are the same. */
const known = new Map<string, ValidateFunction>()

/**
 * Looks at a value as the schema has it.
 * @param isClosed whether objects have the members that are described and no others
 * @returns a function that tells what is wrong, in sentences
 */
export function compiled(schema: Json, isClosed: boolean): (value: unknown) => string[] {
  const read = isClosed ? closed(schema) : schema
  const text = JSON.stringify(read)
  let validate = known.get(text)
  if (!validate) {
    validate = ajv.compile(read as object)
    known.set(text, validate)
  }
  const its = validate
  return value => (its(value) ? [] : its.errors!.map(sentence))
}

const sentence = ({
  instancePath,
  message,
  params,
}: NonNullable<ValidateFunction['errors']>[number]): string =>
  `${instancePath === '' ? 'the body' : instancePath} ${message} ${JSON.stringify(params)}`

function closed(json: unknown): Json {
  if (Array.isArray(json)) return json.map(closed) as unknown as Json
  if (typeof json !== 'object' || json === null) return json as unknown as Json
  const inner = Object.fromEntries(Object.entries(json).map(([key, value]) => [key, closed(value)]))
  const isObject = [inner.type as unknown].flat().includes('object') && 'properties' in inner
  return isObject ? { additionalProperties: false, ...inner } : inner
}
