import type { DialValues } from '../../service/dials.ts'
import type { OperationId } from '../../service/operations.ts'
import { statusOf } from '../../service/problem-kinds.ts'
import { mediaTypes } from '../../service/retold.ts'
import { type Success, successesOf } from './answers.ts'
import type { Deployment, Json } from './deployment.ts'
import type { Examples } from './examples.ts'
import { limitHeaders } from './limit-headers.ts'
import { described, problemsOf } from './operations.ts'
import { point, told } from './points.ts'
import { problemSchemaName, type ServiceProblem } from './problems.ts'
import { refusal } from './refusals.ts'

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
  return refusal({ status, names, clause, shown: examples.answers(id, status) }, dials)
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
    return [responseName(name), refusal({ status, names: [name], shown: examples.problems(name) }, dials)]
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
      ...point('S success media type'),
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
