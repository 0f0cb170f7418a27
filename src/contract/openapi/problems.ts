import type { DialValues } from '../../service/dials.ts'
import { type ProblemName, problemKinds } from '../../service/problem-kinds.ts'
import type { Json } from './deployment.ts'
import { point } from './points.ts'

/** The clause that says with which status something is refused. None for what protects the mock itself. */
export const clauseOfProblem: Readonly<Record<ServiceProblem, string | undefined>> = {
  'malformed-body': 'S 400',
  'malformed-target': '7 other failures',
  validation: 'S validation members',
  'schedule-date-in-past': '7/2',
  unauthorized: 'S 401',
  'missing-right': 'S missing right',
  'list-not-permitted': 'S 403',
  'not-found': 'S 404',
  'method-not-allowed': 'S 405',
  'not-acceptable': 'S accept',
  'not-ready-for-sending': 'S 409',
  gone: 'S 410',
  'body-too-large': 'S 413',
  'unsupported-media-type': 'S 415',
  'too-many-requests': 'S 429',
  'misdirected-request': undefined,
  'not-processed': 'S 500',
}

/** Problems of the service; the others are of the control API, or of the mock as a server. */
export type ServiceProblem = Exclude<
  ProblemName,
  'token-required' | 'foreign-origin' | 'not-possible-here' | BeforeOperations
>

/** Told by what stands before the operations, to protect the mock. */
type BeforeOperations = 'malformed-request' | 'request-too-slow' | 'headers-too-large' | 'no-room'

/** Statuses whose problems do not all rest on one clause. */
export const clauseOfStatus: Readonly<Record<number, string>> = {
  400: 'S 400',
  403: 'S 403',
  404: 'S 404',
  409: 'S 409',
  422: 'S no 422',
}

/** These have lists of what is wrong instead of a detail. */
const validations: ReadonlySet<ProblemName> = new Set(['validation', 'schedule-date-in-past'])

/** Told before it is known whose dials count. */
const early: ReadonlySet<ProblemName> = new Set(['unauthorized', 'misdirected-request', 'malformed-target'])

export const problemSchemaName = (name: ProblemName): string =>
  `${name.replaceAll(/(?:^|-)(\w)/g, (_, letter: string) => letter.toUpperCase())}Problem`

/** How a problem is told: its media type and its schema; undefined where it has no body. */
export function problemContent(name: ServiceProblem, status: number, dials: DialValues) {
  const { title, meaning } = problemKinds[name]
  const form = early.has(name) ? 'full' : dials['error-body']
  const clause = clauseOfProblem[name]
  const about = { description: meaning, ...(clause !== undefined && point(clause, ['7 format'])) }
  if (form === 'empty') return undefined
  if (form === 'text') return { type: 'text/plain;charset=UTF-8', schema: { ...about, type: 'string' } }
  if (form === 'minimal') {
    const members = { title: { const: title }, status: { const: status } }
    return { type: problemType, schema: { ...about, ...exactly(members) } }
  }
  if (form === 'plain-json') {
    const members = { status: { const: status }, error: { const: title }, message: { type: 'string' } }
    return { type: 'application/json', schema: { ...about, ...exactly(members) } }
  }
  return { type: problemType, schema: { ...about, ...exactly(fullMembers(name, title)) } }
}

const problemType = 'application/problem+json'

const exactly = (properties: Json): Json => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
})

function fullMembers(name: ServiceProblem, title: string): Json {
  // Told before it is known where the client sees this server.
  const isRelative = name === 'malformed-target' || name === 'misdirected-request'
  const format = isRelative ? 'uri-reference' : 'uri'
  const address = { type: 'string', format, pattern: `/problems/${name}$` }
  const isValidation = validations.has(name)
  const texts = { type: 'array', items: { type: 'string' } }
  const invalidField = exactly({ field: { type: 'string' }, problem: { type: 'string' } })
  return {
    type: {
      description: 'Names the problem, and leads to what it means.',
      ...address,
      ...point('S problem members'),
    },
    title: { const: title, ...point('S problem members') },
    ...(isValidation
      ? {
          generalErrors: {
            description: 'What is wrong with the request as a whole.',
            ...texts,
            ...point('S validation members'),
          },
          invalidFields: {
            description: 'Each parameter or member that is wrong, with what was seen and what is possible.',
            type: 'array',
            items: invalidField,
            ...point('S validation members'),
          },
        }
      : {
          detail: {
            description: 'What was seen, and what is possible.',
            type: 'string',
            ...point('S general error'),
          },
        }),
    _links: { ...exactly({ describedby: exactly({ href: address }) }), ...point('S general error') },
  }
}
