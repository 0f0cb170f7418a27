import { dialNames, dials } from '../../service/dials.ts'
import { type Operation, type OperationId, operationIds, operations } from '../../service/operations.ts'
import { pathsOf } from '../../service/recognise.ts'
import { clauses } from '../clauses.ts'
import type { Deployment, Json } from './deployment.ts'
import { elsewhere } from './elsewhere.ts'
import { type Examples, noExamples } from './examples.ts'
import { sharedHeaders } from './limit-headers.ts'
import { described, tags } from './operations.ts'
import { clause, point, told } from './points.ts'
import { body, bodyNames, parameters } from './requests.ts'
import { responses, sharedResponses } from './responses.ts'
import { schemas } from './schemas.ts'

/**
 * The service as OpenAPI 3.1, as it is with these names and these dials. Requests are described by the schemas that check
 * them, words and standings come from the register, and examples from a service that was asked.
 * @param base of the service, without a slash at the end
 */
export function serviceDocument(deployment: Deployment, base: string, examples = noExamples): Json {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Mailing Synchronization Service',
      version: '1.0.0',
      description: about(),
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: base }],
    security: [{ basic: [] }],
    tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
    paths: paths(deployment, examples),
    components: {
      securitySchemes: { basic: { type: 'http', scheme: 'basic', ...told('5/1', ['5/2', '5/3']) } },
      headers: sharedHeaders(),
      responses: sharedResponses(deployment, examples),
      schemas: Object.fromEntries([...schemas(deployment)].map(([name, schema]) => [name, schema()])),
    },
    'x-elsewhere': elsewhere(deployment, examples),
    'x-mock-headers': mockHeaders,
    'x-dials': Object.fromEntries(
      dialNames.map(name => [name, { value: deployment.dials[name], ...dials[name] }]),
    ),
  }
}

const intro = [
  'A service that links mailings of a web editor to an e-mail marketing platform, as mailing-sync-mock imitates it.',
  'Numbers are sections of the API document, `S …` goes beyond it. Every point says how sure we are of it: `x-fidelity` is *specified* (the API document says so), *documented* (public documentation of such a service does), *house style* (seen in a sibling API) or *assumed* (our best inference). `x-clause` is its clause in the fidelity register, `x-further` has others that say something about it. `x-dial` names the dials that turn it to what another deployment may do; `x-dials` tells how they stand here.',
  'Objects in answers are open: a client must bear members that are not described. Every path with GET answers HEAD alike, without a body. `x-elsewhere` has what is answered where there is no operation, `x-mock-headers` what this mock adds.',
  'What holds everywhere:',
].join('\n\n')

const about = (): string =>
  [intro, '', ...clauses.filter(it => !it.operations).map(({ id }) => line(id))].join('\n')

/** A clause as an item of a list. */
function line(id: string): string {
  const { says, standing } = clause(id)
  return `- ${id}: ${says} (${standing})`
}

function paths(deployment: Deployment, examples: Examples): Json {
  const all: Record<string, Record<string, Json>> = {}
  for (const id of operationIds) {
    const operation: Operation = operations[id]
    for (const [at, path] of pathsOf(operation, deployment.names.platformSegment).entries()) {
      const written = path.replaceAll(/:(\w+)/g, '{$1}')
      all[written] ??= {}
      all[written][operation.method.toLowerCase()] =
        at === 0 ? usual(id, deployment, examples) : alias(id, path, deployment)
    }
  }
  return all
}

function usual(id: OperationId, deployment: Deployment, examples: Examples): Json {
  const { tag, summary, clause: main } = described[id]
  const { section, right }: Operation = operations[id]
  const bodies = examples.bodies(id)
  const shown = (it: Json) => {
    const example = examples.parameter(id, it.name as string)
    return it.in === 'path' && example !== undefined ? { ...it, example } : it
  }
  return {
    operationId: id,
    tags: [tag],
    summary,
    description: description(id, section, body(id, deployment)),
    ...point(main),
    'x-right': right,
    parameters: parameters(id, deployment).map(shown),
    ...requestBody(id, bodies),
    responses: responses(id, deployment, examples),
  }
}

/** The same operation under another spelling of its path. */
function alias(id: OperationId, path: string, deployment: Deployment): Json {
  const isMisspelt = path.includes('sychronizations')
  const isSlashed = path.endsWith('/')
  const how = [isMisspelt && 'misspelt', isSlashed && 'with a slash at its end'].filter(Boolean).join(' and ')
  return {
    ...usual(id, deployment, noExamples),
    operationId: `${id}${isMisspelt ? 'Misspelt' : ''}${isSlashed ? 'WithSlash' : ''}`,
    summary: `${described[id].summary} (path ${how})`,
    description: `The same as ${id}.`,
    ...point(isMisspelt ? described[id].clause.concat(' spelling') : 'S trailing slash'),
    'x-alias-of': id,
  }
}

/** What the register says of an operation beyond its parameters and the members of its bodies. */
function description(id: OperationId, section: string, sent: Json | undefined): string {
  const members = Object.values((sent?.properties ?? {}) as Record<string, Json>)
  const elsewhere = new Set([
    ...Object.values(described[id].parameters).flat(),
    ...members.flatMap(it => [it['x-clause'], ...Object.keys(it['x-further'] ?? {})]),
  ])
  const own = clauses.filter(
    it => it.operations?.includes(id) && !/^[23][ .]/.test(it.id) && !elsewhere.has(it.id),
  )
  const where =
    section === 'S' ? 'Documented beyond the API document.' : `Section ${section} of the API document.`
  return [where, '', ...own.map(it => line(it.id))].join('\n')
}

function requestBody(id: OperationId, examples: Json | undefined): Json {
  const name = bodyNames[id]
  if (name === undefined) return {}
  const schema = { $ref: `#/components/schemas/${name}` }
  const nulls = clause('S null in requests').operations?.includes(id) ? ['S null in requests'] : []
  return {
    requestBody: {
      ...told('4 content type', ['S request media type', 'S additive', ...nulls]),
      required: true,
      content: {
        'application/hal+json': { schema, ...(examples && { examples }) },
        'application/json': { schema },
      },
    },
  }
}

/** What the mock adds to the answers of the service, unless it is started without. */
export const mockHeaders: Json = {
  'X-Mock-Request-Id': { description: 'ID of the request in the journal.', schema: { type: 'string' } },
  'X-Mock-Scenario': {
    description: 'The scenario that struck.',
    schema: { type: 'string' },
  },
  'X-Mock-Hint': {
    description: 'With a 4xx: what was wrong, or which scenario wanted it so.',
    schema: { type: 'string' },
  },
}
