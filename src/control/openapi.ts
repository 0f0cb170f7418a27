import { z } from 'zod'
import { describePathParameters, type Json, writeJsonSchema } from '../contract/openapi/json-schema.ts'
import { scenarioJsonSchema } from '../rig/scenarios/schema.ts'
import type { DialValues } from '../service/dials.ts'
import { getOrMake } from '../store/maps.ts'
import { fixture } from '../store/rows.ts'
import { openCalls } from './open-calls.ts'
import { type IncomingCall, type Route, route, WrittenAnswer } from './route.ts'

/**
 * The control API's OpenAPI document, derived from the routes. zod writes the schemas: OpenAPI 3.1 uses JSON Schema as
 * it is, and generators around zod do not support every schema of a fixture.
 */
export const openApiRoute = (routes: () => readonly Route[]): Route =>
  route('GET /control/openapi.json', 'getControlDescription', {
    rel: 'service-desc',
    summary: 'This API, as OpenAPI 3.1',
    answer: z.record(z.string(), z.unknown()),
    answerType: 'application/json',
    handle: call => openApiDocument(routes(), call.base, call.tools.isProtected),
  })

/** What follows from the routes alone: zod takes long to write it, and the page of each operation reads all of it. */
const describedRoutes = new WeakMap<readonly Route[], ReturnType<typeof describeRoutes>>()
function describeRoutes(routes: readonly Route[]): { readonly paths: Json; readonly schemas: Json } {
  const paths: Record<string, Json> = Object.fromEntries(
    openCalls.map(({ path, operation }) => [`/_mock${path}`, { get: operation }]),
  )
  for (const it of routes) {
    const path = `/_mock${it.path === '/' ? '' : it.path}`
    paths[path] = { ...paths[path], [it.method.toLowerCase()]: operation(it) }
  }
  return { paths, schemas: components() }
}

/** @param base of the server, without a slash at the end */
export function openApiDocument(routes: readonly Route[], base: string, isProtected: boolean): Json {
  const { paths, schemas } = getOrMake(describedRoutes, routes, describeRoutes)
  return {
    openapi: '3.1.0',
    info: {
      title: 'Control API of mailing-sync-mock',
      version: '1.0.0',
      description:
        'What a tester turns and reads. A GET changes nothing. A change needs Content-Type: application/json, whether it has a body or not; responses are HAL, errors are problem+json.',
    },
    servers: [{ url: base }],
    security: isProtected ? [{ bearer: [] }, { header: [] }] : [],
    paths,
    components: {
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer' },
        header: { type: 'apiKey', in: 'header', name: 'X-Mock-Token' },
      },
      schemas,
      responses: { Problem: problem },
    },
  }
}

const problem = {
  description: 'What is wrong: what was seen, what is possible',
  content: {
    'application/problem+json': {
      schema: writeJsonSchema(
        z.object({
          type: z.string(),
          title: z.string(),
          detail: z.string().optional(),
          generalErrors: z.array(z.string()).optional(),
          invalidFields: z.array(z.object({ field: z.string(), problem: z.string() })).optional(),
        }),
      ),
    },
  },
}

function operation(route: Route): Json {
  const { id, path, summary, description, query, body, example } = route
  return {
    operationId: id,
    summary,
    ...(description && { description }),
    parameters: [...describePathParameters(path, describeVariable), ...(query ? queryParameters(query) : [])],
    ...(body && {
      requestBody: {
        required: '$ref' in writeJsonSchema(body) || !body.safeParse({}).success,
        content: {
          'application/json': { schema: writeJsonSchema(body), ...(example !== undefined && { example }) },
        },
      },
    }),
    responses: responses(route),
  }
}

const pathVariables: Readonly<Record<string, string>> = {
  space: 'Name of a space, such as demo or demo+anything',
  id: 'ID',
  name: 'Name',
}

const describeVariable = (name: string) => ({
  description: pathVariables[name] ?? name,
  schema: { type: 'string' },
})

function queryParameters(query: z.ZodType): Json[] {
  const { properties = {}, required = [] } = writeJsonSchema(query) as {
    properties?: Record<string, Json>
    required?: string[]
  }
  return Object.entries(properties).map(([name, { description, ...schema }]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    ...(description !== undefined && { description }),
    schema,
  }))
}

function responses(route: Route): Json {
  const { method, path, answer, answerType = 'application/hal+json', text, also, makesSpace } = route
  const content = {
    [answerType]: { schema: answer ? writeJsonSchema(answer) : { type: 'string' } },
    ...(text && { 'text/plain': { schema: { type: 'string' } } }),
  }
  const hasDocument = answer !== undefined || answerType !== 'application/hal+json'
  const usual = hasDocument ? { 200: { description: 'Done', content } } : { 204: { description: 'Done' } }
  const isOfSpace = path.startsWith('/spaces/{space}') && !makesSpace
  const others = Object.entries({ ...(isOfSpace && { 404: 'There is no such space' }), ...also }).map(
    ([status, description]) => [
      status,
      Number(status) < 400 ? { description, content } : { ...problem, description },
    ],
  )
  const wrong = method === 'GET' ? [400, 401, 403] : [400, 401, 403, 413, 415]
  return {
    ...usual,
    ...Object.fromEntries(wrong.map(status => [status, { $ref: '#/components/responses/Problem' }])),
    ...Object.fromEntries(others),
  }
}

/** The large schemas, which several calls share. */
function components(): Json {
  const scenario = scenarioJsonSchema() as unknown as Json
  return {
    Fixture: withLocalReferences(z.toJSONSchema(fixture, { io: 'input' }) as Json, 'Fixture'),
    Scenario: withLocalReferences(scenario, 'Scenario'),
    // What is in it is for the program that made it; with format=har it is an HTTP Archive.
    Capsule: { type: 'object', description: 'A capsule (docs/failures.md), or an HTTP Archive' },
    Rule: withLocalReferences(ruleSchema(scenario), 'Rule'),
  }
}

/** A rule, or one with its only step inline. */
function ruleSchema(scenario: Json): Json {
  const rule = valueAt(valueAt(scenario, 'properties', 'rules'), 'items')
  const step = valueAt(rule, 'properties', 'steps', 'items')
  return {
    description: 'A rule of a scenario, or one with its only step inline',
    type: 'object',
    properties: { ...valueAt(rule, 'properties'), ...valueAt(step, 'properties') },
    required: ['on'],
    additionalProperties: false,
  }
}

const valueAt = (value: Json, ...path: string[]): Json =>
  path.reduce<Json>((inner, key) => inner[key] as Json, value)

/** Rewrites references inside a schema, which was made as a document of its own. */
function withLocalReferences({ $schema: _, ...schema }: Json, name: string): Json {
  const text = JSON.stringify(schema).replaceAll('"$ref":"#/', `"$ref":"#/components/schemas/${name}/`)
  return JSON.parse(text)
}

/**
 * Base URL of the service, without a slash at the end. With a separate control port it is the public URL, or the
 * service's port on the host of the call; undefined while the service does not listen.
 */
export function findServiceBase({ base, cameBy, tools }: IncomingCall): string | undefined {
  const { isAlone, service } = tools
  if (!isAlone || service.publicUrl !== undefined) return base
  const url = service.url()
  if (url === undefined) return undefined
  const { protocol, port } = new URL(url)
  return new URL(`${protocol}//${new URL(cameBy).hostname}:${port}`).origin
}

const document = { answer: z.record(z.string(), z.unknown()), answerType: 'application/json' }

/** The service's OpenAPI document. That of the control API is at /_mock/control/openapi.json. */
export const serviceOpenApiRoutes = [
  route('GET /openapi.json', 'getServiceDescription', {
    rel: 'openapi',
    summary: 'The service, as OpenAPI 3.1',
    description: 'As the dials of the start have it. Examples are those of the default fixture.',
    ...document,
    handle: call => descriptionAnswer(call, call.tools.rigs.defaultDials),
  }),
  route('GET /spaces/{space}/openapi.json', 'getServiceDescriptionOfSpace', {
    rel: 'space-openapi',
    summary: 'The service as it is in a space, whose dials may be turned, as OpenAPI 3.1',
    ...document,
    handle: async call => descriptionAnswer(call, (await call.rig()).defaultDials),
  }),
]

async function descriptionAnswer(call: IncomingCall, dials: DialValues): Promise<WrittenAnswer> {
  const known = findServiceBase(call)
  const text = await call.tools.serviceDescription(known ?? call.base, dials)
  return new WrittenAnswer(known === undefined ? withControlServer(text, call.base) : text, {})
}

/** A separate control API does not know the address of a service that does not listen. */
function withControlServer(text: string, base: string): string {
  const description = 'The address of the control API. The service is on another port.'
  return JSON.stringify({ ...JSON.parse(text), servers: [{ url: base, description }] })
}
