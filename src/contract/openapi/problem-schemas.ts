import { type DialValues, defaultDials } from '../../service/dials.ts'
import type { Operation } from '../../service/operation.ts'
import { type OperationId, operations } from '../../service/operations.ts'
import { isPaged } from '../../service/paging.ts'
import { type ProblemName, problemKindOf, type ServiceProblem } from '../../service/problem.ts'
import { point } from './annotations.ts'
import type { Json } from './json-schema.ts'
import type { Deployment } from './resource-schemas.ts'

/** All problems of an operation, in the order of the checks. */
export function problemsOf(id: OperationId, { dials }: Deployment): ServiceProblem[] {
  const operation: Operation = operations[id]
  const { path, query, body, problems = [] } = operation
  const hasNoMembers = body !== undefined && Object.keys(body.schema.shape).length === 0
  const takesAnything = hasNoMembers && dials['unknown-request-members'] === 'ignored'
  return [
    'unauthorized',
    'missing-right',
    'too-many-requests',
    'not-acceptable',
    ...(body ? (['unsupported-media-type', 'body-too-large', 'malformed-body'] as const) : []),
    ...(query || (body && !takesAnything) ? (['validation'] as const) : []),
    ...(/:(?!platform)/.test(path) ? (['not-found'] as const) : []),
    ...(isPaged(operation) ? (['gone'] as const) : []),
    ...problems,
    'not-processed',
  ]
}

/** Statuses whose problems have different clauses. */
export const clauseOfStatus: Readonly<Record<number, string>> = {
  400: 'S 400',
  403: 'S 403',
  404: 'S 404',
  409: 'S 409',
  422: 'S no 422',
}

export const problemSchemaName = (name: ProblemName): string =>
  `${name.replaceAll(/(?:^|-)(\w)/g, (_, letter: string) => letter.toUpperCase())}Problem`

/** The form of a problem: its media type and schema; undefined without a body. */
export function problemContent(name: ServiceProblem, status: number, dials: DialValues) {
  const { title, meaning, clause, before } = problemKindOf(name)
  const known = before ? defaultDials : dials
  const form = known['error-body']
  const about = { description: meaning, ...(clause !== undefined && point(clause, ['7 format'])) }
  if (form === 'empty') return undefined
  if (form === 'text') return { type: 'text/plain;charset=UTF-8', schema: { ...about, type: 'string' } }
  const content = (type: string, members: Json) => ({
    type,
    schema: { ...about, ...requiredObject(members) },
  })
  const [isTitle, isStatus] = [{ const: title }, { const: status }]
  if (form === 'minimal') return content(problemType, { title: isTitle, status: isStatus })
  if (form === 'plain-json')
    return content('application/json', { status: isStatus, error: isTitle, message: { type: 'string' } })
  return content(problemType, problemMembers(name, status, known))
}

const problemType = 'application/problem+json'

const requiredObject = (properties: Json): Json => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
})

const typeSchemas: Record<DialValues['problem-type'], (name: ServiceProblem) => Json> = {
  path: name => ({ type: 'string', format: 'uri-reference', pattern: `^/.*/problems/${name}$` }),
  address: name => ({ type: 'string', format: 'uri', pattern: `/problems/${name}$` }),
  urn: name => ({ const: `urn:mailing-sync:problem:${name}` }),
  blank: () => ({ const: 'about:blank' }),
}

function problemMembers(name: ServiceProblem, status: number, dials: DialValues): Json {
  const { title, before, isValidation } = problemKindOf(name)
  const format = before === 'base' ? 'uri-reference' : 'uri'
  const address = { type: 'string', format, pattern: `/problems/${name}$` }
  const text = { type: 'string' }
  const arrayOf = (items: Json, description: string): Json => ({
    description,
    type: 'array',
    items,
    ...point('S validation members'),
  })
  const about = isValidation
    ? {
        generalErrors: arrayOf(text, 'What is wrong with the request as a whole.'),
        invalidFields: arrayOf(
          requiredObject({ field: text, problem: text }),
          'Each parameter or member that is wrong, with what was seen and what is possible.',
        ),
      }
    : {
        detail: { description: 'What was seen, and what is possible.', ...text, ...point('S general error') },
      }
  return {
    type: {
      description: 'Names the problem.',
      ...typeSchemas[dials['problem-type']](name),
      ...point('S problem members', ['S problem type']),
    },
    title: { const: title, ...point('S problem members') },
    status: { const: status, ...point('S problem members') },
    ...about,
    _links: {
      ...requiredObject({ describedby: requiredObject({ href: address }) }),
      ...point('S general error'),
    },
  }
}
