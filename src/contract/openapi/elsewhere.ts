import { statusOf } from '../../service/problem-kinds.ts'
import type { Deployment, Json } from './deployment.ts'
import type { Examples } from './examples.ts'
import { told } from './points.ts'
import type { ServiceProblem } from './problems.ts'
import { refusal } from './refusals.ts'

/** What is told where there is no operation, or before it is known which. */
const problems: readonly ServiceProblem[] = [
  'malformed-target',
  'validation', // X-Mock-Scenario, or a transaction ID that names a scenario, where there is none of that name.
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
  const statuses = [...new Set(problems.map(name => statusOf(name, dials)))]
  const refused = statuses.map(status => {
    const names = problems.filter(name => statusOf(name, dials) === status)
    const shown: Json = Object.assign({}, ...names.map(name => examples.problems(name)))
    const some = Object.keys(shown).length > 0 ? shown : undefined
    return [status, refusal({ status, names, shown: some, isWhole: true }, dials)]
  })
  return {
    description:
      'No operation is at the path, the path has another method, or the mock refused the request before it came to one, as when X-Mock-Scenario names no scenario. OPTIONS is answered 204.',
    responses: { 204: options, ...Object.fromEntries(refused) },
  }
}
