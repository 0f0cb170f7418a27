import { getPath, getQueryParams } from 'hono/utils/url'
import { z } from 'zod'
import { positionOf } from '../store/text-position.ts'
import { valueAt } from '../store/validation-messages.ts'
import type { DialValues } from './dials.ts'
import { measureJson } from './json-size.ts'
import { BodyNeeded, type RequestBody, type ServiceCall, type ServiceContext } from './operation.ts'
import { type InvalidField, maxComplaints, problems } from './problem.ts'
import { findRepeatedMember } from './repeated-member.ts'

/**
 * The schemas of queries and bodies check requests, and the OpenAPI document is written from them. Metadata says
 * what they cannot say themselves: `wire` is the JSON Schema of what a client sends where values are read from
 * text, `rule` describes what a refinement checks.
 */
export const booleanText = z
  .enum(['true', 'false'], 'expected true or false')
  .transform(text => text === 'true')
  .meta({ wire: { type: 'boolean' } })
export const integerText = z
  .string()
  .regex(/^-?\d{1,15}$/, 'expected a whole number')
  .transform(Number)
  .meta({ wire: { type: 'integer' } })
export const mailingIdList = z
  .string()
  .min(1, 'expected comma-separated mailing IDs')
  .transform(text => text.split(','))
  .meta({ wire: { type: 'array', items: { type: 'string' }, minItems: 1 } })
export const listNumber = z.int('expected a list ID (a whole number)')

const bodyTypes = new Set(['application/hal+json', 'application/json'])
/** Names of UTF-8 and of its part ASCII. */
const charsets = new Set(['utf-8', 'utf8', 'us-ascii'])
const charsetParameter = /;\s*charset\s*=\s*"?([^";\s]+)/i
const utf8 = new TextDecoder('utf-8', { fatal: true })

/**
 * The body as its schema reads it.
 * @throws Problem 415 for another media type, charset or encoding, 400 for anything that does not fit the schema
 */
export function readBody(c: ServiceContext, body: RequestBody): unknown {
  const { env } = c
  const schema = body.schemaFor ? env.prepared.derive(body.schemaFor) : body.schema
  const mediaType = env.header('content-type')
  if (requireBody(env, mediaType) === 0 && mediaType === undefined)
    throw problems.malformedBody('The request has no body; an empty JSON object {} is the least')
  refuseType(mediaType)
  refuseEncoding(env.header)
  const value = env.json()
  try {
    refuseByDial(env.dials, schema, value)
    return validateInput(schema, value)
  } catch (problem) {
    const unchecked = body.withoutCheck?.(c, value)
    if (unchecked) return unchecked
    throw problem
  }
}

/** The length of the body. @throws Problem with which reading it failed; BodyNeeded if nothing before the body refuses the request */
function requireBody(env: ServiceCall, mediaType: string | undefined): number {
  try {
    return env.body().byteLength
  } catch (error) {
    if (error instanceof BodyNeeded && mediaType !== undefined) {
      refuseType(mediaType)
      refuseEncoding(env.header)
    }
    throw error
  }
}

function refuseType(mediaType: string | undefined): void {
  if (!bodyTypes.has(withoutParameters(mediaType ?? '')))
    throw problems.unsupportedMediaType(mediaType ? `"${mediaType}"` : 'missing')
}

/** @throws Problem 415 for a body that is declared to be in another charset than UTF-8, or compressed */
export function refuseEncoding(header: ServiceCall['header']): void {
  const charset = charsetParameter.exec(header('content-type') ?? '')?.[1]
  if (charset !== undefined && !charsets.has(charset.toLowerCase()))
    throw problems.unsupportedCharset(charset)
  const coding = header('content-encoding')
  if (coding !== undefined && /[^\s,]/.test(coding.replace(/\bidentity\b/gi, '')))
    throw problems.unsupportedEncoding(coding)
}

/** The path that routes are compared with: without the query, decoded as far as it stays one path. */
export function requestPath(target: string): string {
  if (target.includes('%') || target.includes('#'))
    return getPath({ url: `http://localhost${target}` } as Request)
  const end = target.indexOf('?')
  return end < 0 ? target : target.slice(0, end)
}

/** Maximum number of queries that a reader keeps, and their maximum length. */
const maxKeptQueries = 200
const maxKeptQueryLength = 300

/** Reads the queries of one operation with one set of dials. Clients ask for the same again: what was read is kept. */
export class QueryReader {
  readonly #schema: z.ZodObject
  /** What an address without a query asks for. */
  readonly #bare: unknown
  readonly #queries = new Map<string, unknown>()

  constructor(schema: z.ZodObject) {
    this.#schema = schema
    this.#bare = schema.parse({})
  }

  /** @throws Problem 400 naming each parameter, its value and what is expected */
  read({ target, dials }: ServiceCall): unknown {
    const start = target.indexOf('?')
    if (start < 0) return this.#bare
    const text = target.slice(start)
    const kept = this.#queries.get(text)
    if (kept !== undefined) return kept
    const query = readQuery(target, dials, this.#schema)
    if (this.#queries.size >= maxKeptQueries) this.#queries.clear()
    if (text.length <= maxKeptQueryLength) this.#queries.set(text, query)
    return query
  }
}

function readQuery(target: string, dials: DialValues, schema: z.ZodObject): unknown {
  const query: Record<string, string> = {}
  // Without a name it returns the values of all parameters.
  const given = getQueryParams(`http://localhost${target}`) as Record<string, string[]>
  for (const [name, values] of Object.entries(given)) {
    if (values.length > 1 && name in schema.shape && dials['repeated-parameters'] === 'refused')
      throw problems.field(name, `expected once, got it ${values.length} times`)
    query[name] = values.at(dials['repeated-parameters'] === 'last' ? -1 : 0)!
  }
  for (const [name, member] of Object.entries(schema.shape)) {
    const text = query[name]
    if (text === undefined) continue
    const type = wireTypeOf(member)
    if (type === 'boolean' && text === '' && dials['bare-flags'] === 'true') query[name] = 'true'
    else if (type === 'boolean' && dials['boolean-letters'] === 'any-case') query[name] = text.toLowerCase()
    else if (type === 'array' && dials['blanks-in-lists'] === 'trimmed')
      query[name] = text.replaceAll(/(?<! ) *, */g, ',').trim()
  }
  return validateInput(schema, query)
}

/** The type of a parameter on the wire, also of an optional one. */
function wireTypeOf(schema: z.core.$ZodType): unknown {
  const { wire } = (z.globalRegistry.get(schema) ?? {}) as { wire?: { type?: unknown } }
  const inner = (schema._zod.def as { innerType?: z.core.$ZodType }).innerType
  return wire?.type ?? (inner && wireTypeOf(inner))
}

const withoutParameters = (mediaType: string) => {
  const end = mediaType.indexOf(';')
  return (end < 0 ? mediaType : mediaType.slice(0, end)).trim().toLowerCase()
}

/**
 * Depth and values are counted before anything is parsed, so that a body costs no more than its length.
 * @throws Problem 400 for anything but a JSON object in UTF-8, if one of its objects has a member twice, or if it is nested too deeply or holds too many values
 */
export function parseJson(bytes: Uint8Array, maxValues?: number): Record<string, unknown> {
  let text: string
  try {
    text = utf8.decode(bytes)
  } catch {
    throw problems.malformedBody(`The request body is not UTF-8${otherEncoding(bytes)}`)
  }
  const { excess, members } = measureJson(text, maxValues)
  if (excess !== undefined) throw problems.malformedBody(`The request body ${excess}`)
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    const placeText = (_: string, at: string) => {
      const { line, column } = positionOf(text, Number(at))
      return `line ${line}, column ${column}`
    }
    const seen =
      text.trim() === ''
        ? 'it is empty; an empty JSON object {} is the least'
        : /^\0?[{[]\0/.test(text)
          ? 'it is UTF-16; a body is UTF-8'
          : (error as Error).message.replace(/position (\d+)(?: \(line .*)?$/, placeText)
    throw problems.malformedBody(`The request body is not JSON: ${seen}`)
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw problems.malformedBody(`The request body is no JSON object, but ${describeValue(value)}`)
  const repeated = findRepeatedMember(text, value, members)
  if (repeated !== undefined)
    throw problems.malformedBody(
      `The request body has ${describeValue(repeated)} more than once in one object`,
    )
  return value as Record<string, unknown>
}

/** @throws Problem 400 for members that the dials refuse: unknown ones, those that are null */
function refuseByDial(dials: DialValues, schema: z.ZodObject, value: object): void {
  const areUnknownRefused = dials['unknown-request-members'] === 'refused'
  const areNullsRefused = dials['null-in-requests'] === 'refused'
  if (!areUnknownRefused && !areNullsRefused) return
  const defined = Object.keys(schema.shape)
  const wrong: InvalidField[] = []
  for (const [field, member] of Object.entries(value)) {
    if (!defined.includes(field)) {
      const possible = defined.length === 0 ? 'none are' : `defined are ${defined.join(', ')}`
      if (areUnknownRefused) wrong.push({ field, problem: `not defined here; ${possible}` })
    } else if (areNullsRefused && member === null) wrong.push({ field, problem: 'must not be null' })
  }
  if (wrong.length > 0) throw problems.validation(wrong)
}

function validateInput<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const result = schema.safeParse(value)
  if (result.success) return result.data
  const { issues } = result.error
  const general: string[] = []
  const fields: InvalidField[] = []
  for (const { path, message } of issues.slice(0, maxComplaints)) {
    const field = path.map(String).join('.')
    // Some messages already say what was seen, because the value is too long.
    const seen = message.includes(', got ') ? '' : `, got ${describeValue(valueAt(value, path))}`
    if (field === '') general.push(message)
    else fields.push({ field, problem: message + seen })
  }
  throw problems.validation(fields, general, issues.length)
}

/** How bodies begin that are no text, or text of another encoding, in hexadecimal digits. */
const beginnings: readonly (readonly [RegExp, string])[] = [
  [/^1f8b/, 'it is compressed with gzip'],
  [/^78(?:01|5e|9c|da)/, 'it is compressed with deflate'],
  [/^28b52ffd/, 'it is compressed with zstd'],
  [/^(?:fffe|feff)/, 'it is UTF-16'],
]

/** What a body that is not UTF-8 probably is, after a colon; empty if nothing shows it. */
function otherEncoding(bytes: Uint8Array): string {
  const start = Buffer.from(bytes.subarray(0, 4)).toString('hex')
  const beginning = beginnings.find(([pattern]) => pattern.test(start))
  if (beginning) return `: ${beginning[1]}`
  const [intact = ''] = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes).split('\ufffd', 1)
  const at = Buffer.byteLength(intact)
  const [byte, next = 0] = [bytes[at] ?? 0, bytes[at + 1]]
  // Something else than a damaged sequence of UTF-8.
  const isLetter = byte >= 0xa0 && byte < 0xfe && (next < 0x80 || next > 0xbf)
  return isLetter ? `: byte ${at} is ${byte.toString(16).toUpperCase()}, a letter of ISO-8859-1` : ''
}

/** A value as a problem shows it, shortened. */
export function describeValue(value: unknown): string {
  if (value === undefined) return 'nothing'
  const text = JSON.stringify(value)
  return text.length > 120 ? `${text.slice(0, 117)}…` : text
}
