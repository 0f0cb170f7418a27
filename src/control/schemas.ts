import { z } from 'zod'
import { readRequestBytes } from '../rig/request-body.ts'
import { describeIssues } from '../rig/scenarios/zod-issues.ts'
import { type InvalidField, maxComplaints, type Problem, problems } from '../service/problem.ts'
import { parseJson, refuseEncoding } from '../service/request-input.ts'
import { tableNames } from '../store/content.ts'
import { findLongPart, maxPartLength } from '../store/fixtures.ts'
import { pathText, strict } from '../store/validation-messages.ts'

/** A strict object; the message about an unknown member lists the known ones. */
export const members = strict

export const link = z.strictObject({
  href: z.string(),
  templated: z.literal(true).optional(),
  title: z.string().optional(),
})

export type Link = z.infer<typeof link>

const links = z.record(z.string(), link).describe('Where to go from here, by relation')

export const document = <Shape extends z.core.$ZodLooseShape>(shape: Shape) =>
  z.strictObject({ ...shape, _links: links })

/** A date-time in UTC with milliseconds, as in all bodies. */
export const dateTime = z.iso.datetime({ precision: 3 })

/** A JSON object described elsewhere: the OpenAPI document refers to the component of this name. */
export const component = (name: string, description: string) =>
  z
    .record(z.string(), z.unknown(), { error: 'expected an object' })
    .describe(description)
    .meta({ component: name })

/** @throws Problem 400 that names each invalid member, with what was seen and what is possible */
export function parseOrRefuse<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const result = schema.safeParse(value)
  if (result.success) return result.data
  const { issues } = result.error
  throw validationProblem(
    describeIssues(issues.slice(0, maxComplaints), value).map(({ path, ofKey, problem }) => ({
      field: pathText(ofKey ? path.slice(0, -1) : path),
      problem,
    })),
    Math.max(0, issues.length - maxComplaints),
  )
}

/** A 400. @param found an empty field stands for the whole @param more number of further complaints */
export const validationProblem = (found: readonly InvalidField[], more = 0): Problem =>
  problems.validation(
    found.filter(({ field }) => field !== ''),
    found.filter(({ field }) => field === '').map(({ problem }) => problem),
    found.length + more,
  )

/** The path of a member, from paths of which some are empty. */
export const memberPath = (...parts: readonly string[]): string => parts.filter(Boolean).join('.')

/** 1 MiB. Calls that take whole spaces have their own limit. */
export const defaultBodyLimit = 1 << 20
/** 16 MiB, for a whole space. Larger ones are passed as a file with `--fixtures`. */
export const largeBodyLimit = 16 << 20
/** Maximum number of values in a whole space. */
const maxLargeValues = 1_000_000

/** The JSON object in a body; `{}` for none. @param longest bytes @throws Problem 413 over it, 400 for anything else */
export async function readJsonBody(request: Request, longest = defaultBodyLimit): Promise<object> {
  refuseEncoding(name => request.headers.get(name) ?? undefined)
  const bytes = await readRequestBytes(request, longest)
  if (bytes.length === 0) return {}
  if (longest <= defaultBodyLimit) return parseJson(bytes)
  const body = parseJson(bytes, maxLargeValues)
  // The tables of a fixture are checked row by row. Nothing else may be long.
  const { fixture, ...rest } = body as { fixture?: unknown }
  const long =
    findLongPart(rest) ?? (isTables(fixture) ? findLongPart({ ...fixture, ...noTables }) : undefined)
  if (long !== undefined) throw problems.field(long, `expected at most ${maxPartLength} entries or members`)
  return body
}

const isTables = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const noTables = Object.fromEntries(tableNames.map(name => [name, undefined]))
