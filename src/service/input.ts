import type { z } from 'zod'
import type { ServiceContext } from './call.ts'
import type { DialValues } from './dials.ts'
import { type InvalidField, Problem, problems } from './problem.ts'

/** JSON nested deeper than this is refused: writing it out again would exhaust the stack. */
const deepestJson = 64

const bodyTypes = new Set(['application/hal+json', 'application/json'])
const utf8 = new TextDecoder('utf-8', { fatal: true })

/**
 * The body as the schema reads it.
 * @throws Problem 415 for another media type, 400 for anything that is not as expected
 */
export function readBody<Schema extends z.ZodType>(
  { env }: ServiceContext,
  schema: Schema,
  bytes: Uint8Array,
): z.output<Schema> {
  const mediaType = env.header('content-type')
  if (mediaType === undefined && bytes.byteLength === 0)
    throw problems.malformedBody('The request has no body; an empty JSON object {} is the least')
  if (!bodyTypes.has(bare(mediaType ?? '')))
    throw problems.unsupportedMediaType(mediaType ? `"${mediaType}"` : 'missing')
  const value = parseJson(bytes)
  refuseByDial(env.dials, schema, value)
  return checked(schema, value)
}

/** @throws Problem 400 naming each parameter, its value and what is expected */
export function readQuery<Schema extends z.ZodType>(c: ServiceContext, schema: Schema): z.output<Schema> {
  return checked(schema, c.req.query())
}

const bare = (mediaType: string) => {
  const end = mediaType.indexOf(';')
  return (end < 0 ? mediaType : mediaType.slice(0, end)).trim().toLowerCase()
}

/**
 * The body of a request.
 * @param longest bytes
 * @throws Problem 413 over the limit: at once where that is announced, else as soon as more than that has come; 400 when
 * it ended early: nobody hears the answer then, and nothing was done
 */
export async function bodyOf({ body, headers }: Request, longest: number): Promise<Buffer> {
  refuseAnnounced(headers.get('content-length'), longest)
  const pieces: Uint8Array[] = []
  let length = 0
  try {
    for await (const piece of body ?? []) {
      length += piece.length
      if (length > longest) throw problems.bodyTooLarge(longest)
      pieces.push(piece)
    }
  } catch (error) {
    throw error instanceof Problem ? error : endedEarly()
  }
  return Buffer.concat(pieces)
}

/** @throws Problem 413 for a Content-Length over the limit */
export function refuseAnnounced(contentLength: string | null | undefined, longest: number): void {
  if (contentLength != null && Number(contentLength) > longest) throw problems.bodyTooLarge(longest)
}

/** The client has left in the middle of its request. */
export const endedEarly = () => problems.malformedBody('The request body ended before its end')

/** @throws Problem 400 for what is no JSON object in UTF-8, or nested too deeply */
export function parseJson(bytes: Uint8Array): object {
  let text: string
  try {
    text = utf8.decode(bytes)
  } catch {
    throw problems.malformedBody('The request body is not UTF-8')
  }
  if (depth(text) > deepestJson)
    throw problems.malformedBody(`The request body is nested more than ${deepestJson} levels deep`)
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    const seen =
      text.trim() === '' ? 'it is empty; an empty JSON object {} is the least' : (error as Error).message
    throw problems.malformedBody(`The request body is not JSON: ${seen}`)
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw problems.malformedBody(`The request body is no JSON object, but ${shown(value)}`)
  return value
}

/** @throws Problem 400 for members that the dials do not let pass: undefined ones, those that are null */
function refuseByDial(dials: DialValues, schema: z.ZodType, value: object): void {
  const areUnknownRefused = dials['unknown-request-members'] === 'refused'
  const areNullsRefused = dials['null-in-requests'] === 'refused'
  if (!areUnknownRefused && !areNullsRefused) return
  const defined = Object.keys((schema as z.ZodType & { shape: object }).shape)
  const wrong: InvalidField[] = []
  for (const [field, member] of Object.entries(value)) {
    if (!defined.includes(field)) {
      const possible = defined.length === 0 ? 'none are' : `defined are ${defined.join(', ')}`
      if (areUnknownRefused) wrong.push({ field, problem: `not defined here; ${possible}` })
    } else if (areNullsRefused && member === null) wrong.push({ field, problem: 'must not be null' })
  }
  if (wrong.length > 0) throw problems.validation(wrong.slice(0, mostRefused))
}

/** An answer names so many refused members: there is no limit to how many a body holds. */
const mostRefused = 50

/** How deep the brackets go, strings aside. */
function depth(text: string): number {
  let deepest = 0
  let now = 0
  let inString = false
  for (let at = 0; at < text.length; at++) {
    const char = text.charCodeAt(at)
    if (inString) {
      if (char === 0x5c) at++
      else if (char === 0x22) inString = false
    } else if (char === 0x22) inString = true
    else if (char === 0x7b || char === 0x5b) deepest = Math.max(deepest, ++now)
    else if (char === 0x7d || char === 0x5d) now--
  }
  return deepest
}

function checked<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const result = schema.safeParse(value)
  if (result.success) return result.data
  throw toProblem(result.error.issues, value)
}

function toProblem(issues: readonly z.core.$ZodIssue[], value: unknown): Problem {
  const general: string[] = []
  const fields: InvalidField[] = []
  for (const { path, message } of issues) {
    const field = path.map(String).join('.')
    const at = path.reduce<unknown>((parent, key) => (parent as Record<PropertyKey, unknown>)?.[key], value)
    if (field === '') general.push(message)
    // Some messages tell themselves what was seen, where the value is too long to be shown.
    else
      fields.push({ field, problem: message.includes(', got ') ? message : `${message}, got ${shown(at)}` })
  }
  return problems.validation(fields, general)
}

/** A value as a problem shows it: recognisable, and never long. */
export function shown(value: unknown): string {
  if (value === undefined) return 'nothing'
  const text = JSON.stringify(value)
  return text.length > 120 ? `${text.slice(0, 117)}…` : text
}
