import { z } from 'zod'
import { fixture } from '../../store/rows.ts'
import { scenarioJsonSchema } from '../scenarios/schema.ts'
import { type Route, route } from './route.ts'

type Json = Record<string, unknown>

/**
 * The control API's own OpenAPI document, from what the routes state. zod writes the schemas itself: what OpenAPI 3.1
 * takes is JSON Schema as it stands, and generators around it do not know every schema of a fixture.
 */
export const openApiRoute = (routes: () => readonly Route[]): Route =>
  route({
    id: 'getControlDescription',
    method: 'GET',
    path: '/control/openapi.json',
    rel: 'service-desc',
    summary: 'This API, as OpenAPI 3.1',
    answer: z.record(z.string(), z.unknown()),
    answerType: 'application/json',
    handle: call => Response.json(openApiDocument(routes(), call.base, call.tools.isProtected)),
  })

/** @param base of the server, without a slash at the end */
export function openApiDocument(routes: readonly Route[], base: string, isProtected: boolean): Json {
  const paths: Record<string, Json> = { '/_mock/health': { get: health } }
  for (const it of routes) {
    const path = `/_mock${it.path === '/' ? '' : it.path}`
    paths[path] = { ...paths[path], [it.method.toLowerCase()]: operation(it) }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Control API of mailing-sync-mock',
      version: '1.0.0',
      description:
        'What a tester turns and reads. A GET changes nothing. A change needs Content-Type: application/json, whether it has a body or not; answers are HAL, errors are problem+json.',
    },
    servers: [{ url: base }],
    security: isProtected ? [{ bearer: [] }, { header: [] }] : [],
    paths,
    components: {
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer' },
        header: { type: 'apiKey', in: 'header', name: 'X-Mock-Token' },
      },
      schemas: components(),
      responses: { Problem: problem },
    },
  }
}

const problem = {
  description: 'What is wrong: what was seen, what is possible',
  content: {
    'application/problem+json': {
      schema: {
        type: 'object',
        properties: {
          type: { type: 'string' },
          title: { type: 'string' },
          detail: { type: 'string' },
          generalErrors: { type: 'array', items: { type: 'string' } },
          invalidFields: {
            type: 'array',
            items: {
              type: 'object',
              properties: { field: { type: 'string' }, problem: { type: 'string' } },
              required: ['field', 'problem'],
            },
          },
        },
        required: ['type', 'title'],
      },
    },
  },
}

const health = {
  operationId: 'getHealth',
  summary: 'Whether the mock is ready. Needs no token',
  security: [],
  responses: {
    200: {
      description: 'It is',
      content: {
        'application/json': {
          schema: {
            type: 'object',
            properties: { status: { const: 'ready' } },
            required: ['status'],
            additionalProperties: false,
          },
        },
      },
    },
  },
}

/** A schema as the document has it: what is described as a component is referred to. */
export function described(schema: z.ZodType): Json {
  const { $schema: _, ...json } = z.toJSONSchema(schema, {
    io: 'input',
    unrepresentable: 'any',
    override: ({ jsonSchema }) => {
      const all = jsonSchema as Json
      const { component } = all
      if (component === undefined) return
      for (const key of Object.keys(all)) delete all[key]
      all.$ref = `#/components/schemas/${component}`
    },
  })
  return json as Json
}

function operation({ id, method, path, summary, description, query, body, example, ...rest }: Route): Json {
  return {
    operationId: id,
    summary,
    ...(description && { description }),
    parameters: [...pathParameters(path), ...(query ? queryParameters(query) : [])],
    ...(body && {
      requestBody: {
        required: '$ref' in described(body) || !body.safeParse({}).success,
        content: {
          'application/json': { schema: described(body), ...(example !== undefined && { example }) },
        },
      },
    }),
    responses: responses(method, rest),
  }
}

const pathVariables: Readonly<Record<string, string>> = {
  space: 'Name of a space, such as demo or demo+anything',
  id: 'ID',
  name: 'Name',
}

const pathParameters = (path: string): Json[] =>
  [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    description: pathVariables[name!] ?? name,
    schema: { type: 'string' },
  }))

function queryParameters(query: z.ZodType): Json[] {
  const { properties = {}, required = [] } = described(query) as {
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

function responses(
  method: Route['method'],
  { answer, answerType = 'application/hal+json', also = {} }: Pick<Route, 'answer' | 'answerType' | 'also'>,
): Json {
  const content = { [answerType]: { schema: answer ? described(answer) : { type: 'string' } } }
  const hasDocument = answer !== undefined || answerType !== 'application/hal+json'
  const usual = hasDocument ? { 200: { description: 'Done', content } } : { 204: { description: 'Done' } }
  const others = Object.entries(also).map(([status, description]) => [
    status,
    Number(status) < 400 ? { description, content } : { ...problem, description },
  ])
  const wrong = method === 'GET' ? [400, 401] : [400, 401, 403, 413, 415]
  return {
    ...usual,
    ...Object.fromEntries(wrong.map(status => [status, { $ref: '#/components/responses/Problem' }])),
    ...Object.fromEntries(others),
  }
}

/** The large forms, which several calls share. */
function components(): Json {
  const scenario = scenarioJsonSchema() as unknown as Json
  return {
    Fixture: local(z.toJSONSchema(fixture, { io: 'input' }) as Json, 'Fixture'),
    Scenario: local(scenario, 'Scenario'),
    Rule: local(ruleSchema(scenario), 'Rule'),
  }
}

/** A rule, or one whose only step stands inline. */
function ruleSchema(scenario: Json): Json {
  const rule = member(member(scenario, 'properties', 'rules'), 'items')
  const step = member(rule, 'properties', 'steps', 'items')
  return {
    description: 'A rule of a scenario, or one with its only step inline',
    type: 'object',
    properties: { ...member(rule, 'properties'), ...member(step, 'properties') },
    required: ['on'],
    additionalProperties: false,
  }
}

const member = (value: Json, ...path: string[]): Json =>
  path.reduce<Json>((inner, key) => inner[key] as Json, value)

/** Inner references, which were made for a document of its own, as the whole document has them. */
function local({ $schema: _, ...schema }: Json, name: string): Json {
  const text = JSON.stringify(schema).replaceAll('"$ref":"#/', `"$ref":"#/components/schemas/${name}/`)
  return JSON.parse(text)
}
