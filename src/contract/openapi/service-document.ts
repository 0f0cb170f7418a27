import { idOf } from '../../service/claim.ts'
import { dialNames, dials } from '../../service/dials.ts'
import { type Operation, tags } from '../../service/operation.ts'
import { type OperationId, operationIds, operations, pathsOf, shownBy } from '../../service/operations.ts'
import type { ServiceProblem } from '../../service/problem.ts'
import { isCollection } from '../../service/resource.ts'
import { clauses } from '../clauses.ts'
import { describePoint, findClause, point } from './annotations.ts'
import { bodySchema, componentSchemas, documentedName, parameters } from './component-schemas.ts'
import { componentReference, type Json } from './json-schema.ts'
import { type Examples, noExamples } from './record-examples.ts'
import type { Deployment } from './resource-schemas.ts'
import {
  byStatus,
  describeRefusal,
  operationResponses,
  rateLimitHeaderComponents,
  rateLimitHeaderReferences,
  sharedResponses,
} from './responses.ts'

/** Problems without an operation: there is none, or it is not known yet. */
const problemsWithoutOperation: readonly ServiceProblem[] = [
  'malformed-target',
  'validation', // X-Mock-Scenario or a transaction ID names an unknown scenario.
  'unauthorized',
  'not-found',
  'method-not-allowed',
  'misdirected-request',
  'too-many-requests',
  'not-processed',
]

/**
 * Answers outside of the operations, for which OpenAPI's paths have no place: an unknown path, a wrong method, a request
 * that is refused before its operation is known. Their schemas are inline, since nothing else refers to them.
 */
export function answersWithoutOperation({ dials }: Deployment, examples: Examples): Json {
  const text = { type: 'string' }
  const headers = { Allow: { required: true, schema: text }, ...rateLimitHeaderReferences }
  const options = { ...describePoint('S 405'), headers }
  const refused = [...byStatus(problemsWithoutOperation, dials)].map(([status, names]) => {
    const all: Json = Object.assign({}, ...names.map(name => examples.problems(name)))
    const shown = Object.keys(all).length > 0 ? all : undefined
    return [status, describeRefusal({ names, shown, isWhole: true }, dials)]
  })
  return {
    description:
      'No operation is at the path, the path has another method, or the mock refused the request before it came to one, as when X-Mock-Scenario names no scenario. OPTIONS is answered 204.',
    responses: { 204: options, ...Object.fromEntries(refused) },
  }
}

/**
 * The service as OpenAPI 3.1, with these names and dials. Requests are described by the schemas that check
 * them, texts and standings come from the register, and examples from a running service.
 * @param base of the service, without a slash at the end
 */
export function serviceDocument(deployment: Deployment, base: string, examples = noExamples): Json {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Mailing Synchronization Service',
      version: '1.0.0',
      description: [
        documentIntro,
        '',
        ...clauses.filter(it => !it.operations).map(({ id }) => clauseLine(id)),
      ].join('\n'),
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: base }],
    security: [{ basic: [] }],
    tags: Object.entries(tags).map(([name, says]) => ({
      name,
      description: `${says} Spec ${sectionsOfTag(name)}.`,
    })),
    paths: describePaths(deployment, examples),
    components: {
      securitySchemes: { basic: { type: 'http', scheme: 'basic', ...describePoint('5/1', ['5/2', '5/3']) } },
      headers: rateLimitHeaderComponents(),
      responses: sharedResponses(deployment, examples),
      schemas: Object.fromEntries(
        [...componentSchemas(deployment)].map(([name, schema]) => [name, schema()]),
      ),
    },
    'x-elsewhere': answersWithoutOperation(deployment, examples),
    'x-date': describePoint('S Date header'),
    'x-mock-headers': mockHeaders,
    'x-dials': Object.fromEntries(
      dialNames.map(name => [name, { value: deployment.dials[name], ...dials[name] }]),
    ),
  }
}

/** The sections of the API document about the operations of a tag and what they show. */
function sectionsOfTag(name: string): string {
  const all = operationIds
    .filter(id => operations[id].tag === name)
    .flatMap(id => {
      const shown = shownBy(id)
      return [operations[id], shown && isCollection(shown) ? shown.item : shown]
    })
    .flatMap(it => /^\d+\.\d+/.exec(it?.section ?? '') ?? [])
  return [...new Set(all)].sort((one, other) => one.localeCompare(other, 'en', { numeric: true })).join(', ')
}

const documentIntro = [
  'A service that links mailings of a web editor to an e-mail marketing platform, as mailing-sync-mock imitates it.',
  'Numbers are sections of the API document, `S …` goes beyond it. Every point says how sure we are of it: `x-fidelity` is *specified* (the API document says so), *documented* (public documentation of such a service does), *house style* (seen in a sibling API) or *assumed* (our best inference). `x-clause` is its clause in the fidelity register, `x-further` has others that say something about it. `x-dial` names the dials that turn it to what another deployment may do; `x-dials` tells how they stand here. `x-other-paths` has other spellings of a path, `x-content-type` the Content-Type to the letter.',
  'Objects in responses are open: a client must tolerate members that are not described. Every path with GET answers HEAD alike, without a body. `x-elsewhere` has what is answered where there is no operation, `x-date` what their Date means, `x-mock-headers` what this mock adds.',
  'What holds everywhere:',
].join('\n\n')

function clauseLine(id: string): string {
  const { says, standing } = findClause(id)
  return `- ${id}: ${says} (${standing})`
}

function describePaths(deployment: Deployment, examples: Examples): Json {
  const all: Record<string, Record<string, Json>> = {}
  for (const id of operationIds) {
    const [path = ''] = documentedPaths(id, deployment)
    all[path] ??= {}
    all[path][operations[id].method.toLowerCase()] = describeOperation(id, deployment, examples)
  }
  return all
}

/** The paths of an operation with the document's names of their variables. */
const documentedPaths = (id: OperationId, { names }: Deployment): string[] =>
  pathsOf(operations[id], names.platformSegment).map(path =>
    path.replaceAll(/:(\w+)/g, (_, variable: string) => `{${documentedName(id, variable)}}`),
  )

function describeOperation(id: OperationId, deployment: Deployment, examples: Examples): Json {
  const { tag, summary, claim, section, right }: Operation = operations[id]
  const bodies = examples.bodies(id)
  return {
    operationId: id,
    tags: [tag],
    summary,
    description: operationDescription(id, section, bodySchema(id, deployment)),
    ...point(claim),
    'x-right': right,
    ...describeOtherPaths(id, deployment),
    parameters: parameters(id, deployment, examples),
    ...requestBody(id, bodies),
    responses: operationResponses(id, deployment, examples),
  }
}

/** Other spellings of the path, answered alike. They are no operations: a generator would make a method of each. */
function describeOtherPaths(id: OperationId, deployment: Deployment): Json {
  const [, ...others] = documentedPaths(id, deployment)
  const { alsoAt = [] }: Operation = operations[id]
  const described = others.map((path, at) => ({ path, ...describePoint(alsoAt[at]!.cites) }))
  return described.length > 0 ? { 'x-other-paths': described } : {}
}

/** What the register says about an operation besides its parameters and the members of its bodies. */
function operationDescription(id: OperationId, section: string, sent: Json | undefined): string {
  const members = Object.values((sent?.properties ?? {}) as Record<string, Json>)
  const { parameters: described }: Operation = operations[id]
  const elsewhere = new Set([
    ...Object.values(described).flat().map(idOf),
    ...members.flatMap(it => [it['x-clause'], ...Object.keys(it['x-further'] ?? {})]),
  ])
  const own = clauses.filter(
    it => it.operations?.includes(id) && !/^[23][ .]/.test(it.id) && !elsewhere.has(it.id),
  )
  const where =
    section === 'S' ? 'Documented beyond the API document.' : `Section ${section} of the API document.`
  return [where, '', ...own.map(it => clauseLine(it.id))].join('\n')
}

function requestBody(id: OperationId, examples: Json | undefined): Json {
  const { body }: Operation = operations[id]
  if (!body) return {}
  const schema = componentReference(body.name)
  const nulls = findClause('S null in requests').operations?.includes(id) ? ['S null in requests'] : []
  return {
    requestBody: {
      ...describePoint('4 content type', ['S request media type', 'S additive', ...nulls]),
      required: true,
      content: {
        'application/hal+json': { schema, ...(examples && { examples }) },
        'application/json': { schema },
      },
    },
  }
}

/** Headers that the mock adds to the answers of the service, unless it is started without them. */
export const mockHeaders: Json = {
  'X-Mock-Request-Id': { description: 'ID of the request in the journal.', schema: { type: 'string' } },
  'X-Mock-Scenario': { description: 'The scenario that changed the response.', schema: { type: 'string' } },
  'X-Mock-Hint': {
    description: 'What was wrong with the request, or which scenario wanted it so. Mostly with a 4xx.',
    schema: { type: 'string' },
  },
  traceparent: {
    description: 'That of the request, if it has one in the form of W3C Trace Context.',
    schema: { type: 'string' },
  },
}
