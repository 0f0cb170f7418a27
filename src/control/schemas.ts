import { z } from 'zod'
import { describeIssues, pathText } from '../rig/scenarios/zod-issues.ts'
import { type Problem, problems } from '../service/problem.ts'
import { parseJson, readRequestBytes } from '../service/request-input.ts'
import { strict } from '../store/validation-messages.ts'

/** A strict object; the message about an unknown member lists the known ones. */
export const members = strict

export const link = z.strictObject({
  href: z.string(),
  templated: z.literal(true).optional(),
  title: z.string().optional(),
})

const links = z.record(z.string(), link).describe('Where to go from here, by relation')

/** A document of the control API: its members and its links. */
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

/**
 * Parses a value by a schema.
 * @throws Problem 400 that names each invalid member, with what was seen and what is possible
 */
export function parseOrRefuse<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const result = schema.safeParse(value)
  if (result.success) return result.data
  throw validationProblem(
    describeIssues(result.error.issues, value).map(({ path, ofKey, problem }) => ({
      field: pathText(ofKey ? path.slice(0, -1) : path),
      problem,
    })),
  )
}

/** A 400. @param found what is wrong; an empty field stands for the whole */
export const validationProblem = (
  found: readonly { readonly field: string; readonly problem: string }[],
): Problem =>
  problems.validation(
    found.filter(({ field }) => field !== ''),
    found.filter(({ field }) => field === '').map(({ problem }) => problem),
  )

/** 1 MiB. Calls that take whole spaces have their own limit. */
export const defaultBodyLimit = 1 << 20
/** 32 MiB, for a whole space. Larger ones are passed as a file with `--fixtures`. */
export const largeBodyLimit = 32 << 20

/**
 * Reads the JSON object in a control call's body; no body counts as `{}`.
 * @param longest maximum number of bytes
 * @throws Problem 413 over the limit, 400 for anything but a JSON object
 */
export async function readJsonBody(request: Request, longest = defaultBodyLimit): Promise<object> {
  const bytes = await readRequestBytes(request, longest)
  return bytes.length === 0 ? {} : parseJson(bytes)
}
