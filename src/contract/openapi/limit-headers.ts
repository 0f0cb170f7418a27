import type { Json } from './deployment.ts'
import { point } from './points.ts'

const limits = ['Limit', 'Remaining', 'Reset'] as const
/** What any answer may have, by reference. */
export const limitHeaders: Json = Object.fromEntries(
  limits.map(name => [`X-RateLimit-${name}`, { $ref: `#/components/headers/X-RateLimit-${name}` }]),
)

/** Headers that any answer has while a rate limit holds. */
export function sharedHeaders(): Json {
  const means = {
    Limit: 'Requests a minute. Only while a rate limit holds.',
    Remaining: 'Requests left in this minute. Only while a rate limit holds.',
    Reset: 'Seconds until there are more. Only while a rate limit holds.',
  }
  const headers = limits.map(name => [
    `X-RateLimit-${name}`,
    {
      description: means[name],
      ...point('S rate limit headers'),
      schema: { type: 'integer', minimum: 0 },
    },
  ])
  return Object.fromEntries(headers)
}
