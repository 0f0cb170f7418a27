import { statusOf } from '../../service/problem-kinds.ts'
import type { Deployment, Json } from './deployment.ts'
import type { Examples } from './examples.ts'
import { told } from './points.ts'
import { problemContent, type ServiceProblem } from './problems.ts'
import { refusal } from './responses.ts'

/** What is told where there is no operation, or before it is known which. */
const problems: readonly ServiceProblem[] = [
  'malformed-target',
  'unauthorized',
  'not-found',
  'method-not-allowed',
  'misdirected-request',
  'too-many-requests',
  'not-processed',
]

/**
 * Answers outside of the operations, which the paths of OpenAPI have no place for: no such path, a path with another
 * method, a request that was refused before it was looked at. Whole, since nothing else refers to them.
 */
export function elsewhere({ dials }: Deployment, examples: Examples): Json {
  const text = { type: 'string' }
  const options = { ...told('S 405'), headers: { Allow: { required: true, schema: text } } }
  const refused = problems.map(name => {
    const status = statusOf(name, dials)
    const shown = examples.problems(name)
    const told = problemContent(name, status, dials)
    const content = told && {
      content: { [told.type]: { schema: told.schema, ...(shown && { examples: shown }) } },
    }
    return [status, { ...refusal(status, [name], dials, undefined), ...content }]
  })
  return {
    description:
      'No operation is at the path, the path has another method, or the request was refused before it came to one. OPTIONS is answered 204.',
    responses: { 204: options, ...Object.fromEntries(refused) },
  }
}
