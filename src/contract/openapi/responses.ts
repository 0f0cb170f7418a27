import type { DialValues } from '../../service/dials.ts'
import type { OperationId } from '../../service/operations.ts'
import { problemKinds, statusOf } from '../../service/problem-kinds.ts'
import { mediaTypes } from '../../service/retold.ts'
import { type Success, successesOf } from './answers.ts'
import type { Deployment, Json } from './deployment.ts'
import type { Examples } from './examples.ts'
import { described, problemsOf } from './operations.ts'
import { point, told } from './points.ts'
import {
  clauseOfProblem,
  clauseOfStatus,
  problemContent,
  problemSchemaName,
  type ServiceProblem,
} from './problems.ts'

/** Every answer of an operation, by status. */
export function responses(id: OperationId, deployment: Deployment, examples: Examples): Json {
  const all: Record<number, Json> = {}
  for (const success of successesOf(id, deployment))
    all[success.status] = successful(id, success, deployment.dials, examples)
  const names = problemsOf(id, deployment)
  const statusOfProblem = (name: ServiceProblem) => statusOf(name, deployment.dials)
  for (const status of [...new Set(names.map(statusOfProblem))].toSorted((a, b) => a - b))
    all[status] = refusedWith(
      id,
      status,
      names.filter(name => statusOfProblem(name) === status),
      deployment,
      examples,
    )
  return all
}

function refusedWith(
  id: OperationId,
  status: number,
  names: readonly ServiceProblem[],
  { dials }: Deployment,
  examples: Examples,
): Json {
  const [only] = names
  const clause = described[id].refusals?.[status]
  const isShared = clause === undefined && names.length === 1 && shared.has(only!)
  if (isShared) return { $ref: `#/components/responses/${responseName(only!)}` }
  return refusal(status, names, dials, examples.answers(id, status), clause)
}

/** Refused alike by every operation. */
const shared: ReadonlySet<ServiceProblem> = new Set([
  'unauthorized',
  'missing-right',
  'too-many-requests',
  'not-acceptable',
  'unsupported-media-type',
  'body-too-large',
  'not-processed',
])

const responseName = (name: ServiceProblem) => problemSchemaName(name).replace(/Problem$/, '')

/** The answers that operations share. */
export function sharedResponses({ dials }: Deployment, examples: Examples): Json {
  const all = [...shared].map(name => {
    const status = statusOf(name, dials)
    return [responseName(name), refusal(status, [name], dials, examples.problems(name))]
  })
  return Object.fromEntries(all)
}

function successful(
  id: OperationId,
  { status, clauses, resource, hasLocation }: Success,
  dials: DialValues,
  examples: Examples,
): Json {
  const [first, ...further] = clauses
  const headers = { ...(hasLocation && { Location: location(dials) }), ...limitHeaders }
  if (resource === undefined) return { ...told(first!, further), headers }
  const shown = examples.answers(id, status)
  const content = {
    [mediaTypes[dials['success-media-type']]]: {
      schema: { $ref: `#/components/schemas/${resource}` },
      ...(shown && { examples: shown }),
    },
  }
  return { ...told(first!, further), headers, content }
}

const location = (dials: DialValues): Json => ({
  ...told('S Location'),
  required: true,
  schema: { type: 'string', format: dials['location-form'] === 'path' ? 'uri-reference' : 'uri' },
})

/**
 * An answer with an error status.
 * @param names of the problems that it can tell of
 * @param clause the one that speaks of this very answer, if one does
 */
export function refusal(
  status: number,
  names: readonly ServiceProblem[],
  dials: DialValues,
  shown: Json | undefined,
  clause = names.length === 1 ? clauseOfProblem[names[0]!] : clauseOfStatus[status],
): Json {
  const contents = new Map<string, Json[]>()
  for (const name of names) {
    const content = problemContent(name, status, dials)
    if (!content) continue
    const schema = { $ref: `#/components/schemas/${problemSchemaName(name)}` }
    contents.set(content.type, [...(contents.get(content.type) ?? []), schema])
  }
  const texts = names.map(name => `${problemKinds[name].title}: ${problemKinds[name].meaning}`)
  return {
    description: texts.join('\n\n'),
    ...(clause !== undefined && point(clause)),
    headers: headersOf(names),
    ...(contents.size > 0 && {
      content: Object.fromEntries(
        [...contents].map(([type, schemas]) => [
          type,
          {
            schema: schemas.length === 1 ? schemas[0]! : { anyOf: schemas },
            ...(shown && { examples: shown }),
          },
        ]),
      ),
    }),
  }
}

function headersOf(names: readonly ServiceProblem[]): Json {
  const text = { type: 'string' }
  const [name] = names
  // Refused before the space is known whose requests are counted.
  if (name === 'unauthorized')
    return { 'WWW-Authenticate': { description: 'Basic, and a realm.', required: true, schema: text } }
  if (name === 'misdirected-request' || name === 'malformed-target') return {}
  if (name === 'method-not-allowed')
    return { Allow: { ...told('S 405'), required: true, schema: text }, ...limitHeaders }
  return limitHeaders
}

const limits = ['Limit', 'Remaining', 'Reset'] as const
const limitHeaders: Json = Object.fromEntries(
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
