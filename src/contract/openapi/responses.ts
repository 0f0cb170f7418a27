import type { Cited } from '../../service/claim.ts'
import { type DialValues, successMediaTypes } from '../../service/dials.ts'
import { answersOf, type Operation, type Success } from '../../service/operation.ts'
import { type OperationId, operations } from '../../service/operations.ts'
import { type ProblemKind, problemKindOf, type ServiceProblem, statusOf } from '../../service/problem.ts'
import { getOrMake } from '../../store/maps.ts'
import { describePoint, point } from './annotations.ts'
import { componentReference, type Json } from './json-schema.ts'
import { clauseOfStatus, problemContent, problemSchemaName, problemsOf } from './problem-schemas.ts'
import type { Examples } from './record-examples.ts'
import type { Deployment } from './resource-schemas.ts'

const limitHeaderMeanings = {
  Limit: 'Requests a minute.',
  Remaining: 'Requests left in this minute.',
  Reset: 'Seconds until there are more.',
}
/** The headers of a rate limit, as references to their components. */
export const rateLimitHeaderReferences: Json = Object.fromEntries(
  Object.keys(limitHeaderMeanings).map(name => [
    `X-RateLimit-${name}`,
    { $ref: `#/components/headers/X-RateLimit-${name}` },
  ]),
)

/** The headers of a rate limit, which any response has while one is set. */
export function rateLimitHeaderComponents(): Json {
  const schema = { type: 'integer', minimum: 0 }
  return Object.fromEntries(
    Object.entries(limitHeaderMeanings).map(([name, means]) => {
      const description = `${means} Only while a rate limit holds.`
      return [`X-RateLimit-${name}`, { description, ...point('S rate limit headers'), schema }]
    }),
  )
}

interface RefusalOptions {
  /** Problems of one status. */
  readonly names: readonly ServiceProblem[]
  readonly shown: Json | undefined
  /** The clause of this answer in particular, if there is one. */
  readonly clause?: Cited | undefined
  /** Whether its schemas are inline because nothing else refers to them. */
  readonly isWhole?: boolean
}

/** The response of one status, for all problems that have it. */
export function describeRefusal(
  { names, shown, clause: own, isWhole = false }: RefusalOptions,
  dials: DialValues,
): Json {
  const status = statusOf(names[0]!, dials)
  const usual = names.length === 1 ? problemKindOf(names[0]!).clause : clauseOfStatus[status]
  const clause = own ?? usual
  const named = clauseOfStatus[status]
  const schemas = new Map<string, Json[]>()
  for (const name of names) {
    const content = problemContent(name, status, dials)
    if (!content) continue
    const schema = isWhole ? content.schema : componentReference(problemSchemaName(name))
    schemas.set(content.type, [...(schemas.get(content.type) ?? []), schema])
  }
  const content = [...schemas].map(([type, all]) => {
    const schema = all.length === 1 ? all[0]! : { anyOf: all }
    return [type, { schema, ...(shown && { examples: shown }) }]
  })
  const kinds = names.map(problemKindOf)
  return {
    description: kinds.map(({ title, meaning }) => `${title}: ${meaning}`).join('\n\n'),
    ...(clause !== undefined && point(clause, named === undefined || named === clause ? [] : [named])),
    headers: refusalHeaders(kinds),
    ...(content.length > 0 && { content: Object.fromEntries(content) }),
  }
}

const headerDescriptions = {
  'WWW-Authenticate': { description: 'Basic, and a realm.' },
  Allow: describePoint('S 405'),
  'Accept-Encoding': describePoint('S encoding'),
}

/** Headers of a response that stands for all of these problems. */
function refusalHeaders(kinds: readonly ProblemKind[]): Json {
  const names = (Object.keys(headerDescriptions) as (keyof typeof headerDescriptions)[]).filter(name =>
    kinds.some(({ headers }) => headers?.[name]),
  )
  const own = names.map(name => {
    const isRequired = kinds.every(({ headers }) => headers?.[name] === 'always')
    const described = { ...headerDescriptions[name], ...(isRequired && { required: true }) }
    return [name, { ...described, schema: { type: 'string' } }]
  })
  // No limit holds before the space is known.
  const isLimited = kinds.some(({ before }) => before === undefined)
  return { ...Object.fromEntries(own), ...(isLimited && rateLimitHeaderReferences) }
}

/** The problems of each status, as these dials set it. */
export function byStatus(names: readonly ServiceProblem[], dials: DialValues): Map<number, ServiceProblem[]> {
  const all = new Map<number, ServiceProblem[]>()
  for (const name of names) getOrMake(all, statusOf(name, dials), () => []).push(name)
  return all
}

/** All responses of an operation, by status. */
export function operationResponses(id: OperationId, deployment: Deployment, examples: Examples): Json {
  const all: Record<number, Json> = {}
  for (const success of answersOf(operations[id], deployment.dials))
    all[success.status] = successResponse(id, success, deployment.dials, examples)
  const { refusals }: Operation = operations[id]
  for (const [status, names] of byStatus(problemsOf(id, deployment), deployment.dials)) {
    const clause = refusals?.[status]
    const [only] = names.length === 1 && clause === undefined ? names : []
    const refusal = { names, clause, shown: examples.answers(id, status) }
    all[status] =
      only && sharedProblems.has(only)
        ? { $ref: `#/components/responses/${responseName(only)}` }
        : describeRefusal(refusal, deployment.dials)
  }
  return all
}

/** Problems that are the same for every operation. */
const sharedProblems: ReadonlySet<ServiceProblem> = new Set([
  'unauthorized',
  'missing-right',
  'too-many-requests',
  'not-acceptable',
  'unsupported-media-type',
  'body-too-large',
  'not-processed',
])

const responseName = (name: ServiceProblem) => problemSchemaName(name).replace(/Problem$/, '')

/** The answers that operations have in common. */
export const sharedResponses = ({ dials }: Deployment, examples: Examples): Json =>
  Object.fromEntries(
    [...sharedProblems].map(name => [
      responseName(name),
      describeRefusal({ names: [name], shown: examples.problems(name) }, dials),
    ]),
  )

function successResponse(
  id: OperationId,
  { status, cites, shows, hasLocation }: Success,
  dials: DialValues,
  examples: Examples,
): Json {
  const [first, ...further] = cites
  const headers = { ...(hasLocation && { Location: locationHeader(dials) }), ...rateLimitHeaderReferences }
  if (shows === undefined) return { ...describePoint(first, further), headers }
  const shown = examples.answers(id, status)
  const contentType = successMediaTypes[dials['success-media-type']]
  // Many generators take a media type with a parameter for something that is no JSON.
  const [mediaType = ''] = contentType.split(';')
  const content = {
    [mediaType]: {
      schema: componentReference(shows.name),
      'x-content-type': contentType,
      ...point('S success media type'),
      ...(shown && { examples: shown }),
    },
  }
  return { ...describePoint(first, further), headers, content }
}

const locationHeader = (dials: DialValues): Json => ({
  ...describePoint('S Location'),
  required: true,
  schema: { type: 'string', format: dials['location-form'] === 'path' ? 'uri-reference' : 'uri' },
})
