import { z } from 'zod'
import { strict } from '../../store/unknown-keys.ts'

/** An object that knows its members, and says which there are when it meets another. */
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

/** A date-time in UTC with milliseconds, as all bodies have it. */
export const dateTime = z.iso.datetime({ precision: 3 })

/** Any JSON object, described elsewhere: the OpenAPI document refers to the component of this name. */
export const component = (name: string, description: string) =>
  z
    .record(z.string(), z.unknown(), { error: 'expected an object' })
    .describe(description)
    .meta({ component: name })
