import { lint, loadConfig } from '@redocly/openapi-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { toYaml } from '../../../scripts/make-openapi-yaml.ts'
import { clauses } from '../../../src/contract/clauses.ts'
import { describeService } from '../../../src/control/service-description.ts'
import { makeMock } from '../../../src/lib/assemble-mock.ts'
import { defaultDials } from '../../../src/service/dials.ts'
import type { Operation } from '../../../src/service/operation.ts'
import { operationIds, operations, pathsOf } from '../../../src/service/operations.ts'
import { Description } from '../../described/description.ts'
import { Parts } from '../../described/parts.ts'
import type { Json } from '../../mock.ts'

const names = { relationPrefix: 'svc', platformSegment: 'mailing-platform' }
const patience = 60_000
const wantsExample = 'needs an example in src/contract/openapi/examples.ts'

let document: Json
beforeAll(async () => {
  document = await describeService({ names, dials: defaultDials }, makeMock)
}, patience)

/** Every operation with where it stands: `GET /mailings`. */
const all = (): [string, Json][] =>
  Object.entries<Json>(document.paths).flatMap(([path, methods]) =>
    Object.entries<Json>(methods).map(([method, it]): [string, Json] => [
      `${method.toUpperCase()} ${path}`,
      it,
    ]),
  )

const resolved = (it: Json): Json =>
  it.$ref === undefined
    ? it
    : it.$ref
        .slice(2)
        .split('/')
        .reduce((inner: Json, key: string) => inner[key.replaceAll('~1', '/')], document)

describe('openapi.yaml', () => {
  it('openapi.yaml is the document to whoever reads it', () => {
    const again = JSON.parse(JSON.stringify(document))
    // The file itself is the other test's.
    expect(parse(toYaml(document))).toEqual(again)
    // To YAML 1.1 a bare date is a date, and `no` is false.
    expect(parse(toYaml(document), { version: '1.1' })).toEqual(again)
  })

  it(
    'openapi.yaml is taken by a linter without a word',
    async () => {
      const config = await loadConfig({ configPath: 'redocly.yaml' })
      const problems = await lint({ ref: 'openapi.yaml', config })
      expect(
        problems.map(({ ruleId, message, location }) => [ruleId, message, location[0]?.pointer]),
      ).toEqual([])
    },
    patience,
  )

  it('openapi.yaml has every operation once, with the other spellings of its path in an extension', () => {
    const unnamed = (path: string) => path.replaceAll(/\{\w+\}|:\w+/g, '{}')
    expect(
      all()
        .map(([, { operationId }]) => operationId)
        .sort(),
    ).toEqual([...operationIds].sort())
    for (const [call, { operationId, 'x-other-paths': others = [] }] of all()) {
      const operation: Operation = operations[operationId as (typeof operationIds)[number]]
      const [path, ...otherPaths] = pathsOf(operation, 'mailing-platform').map(unnamed)
      expect(unnamed(call)).toBe(`${operation.method} ${path}`)
      expect(others.map((other: Json) => unnamed(other.path))).toEqual(otherPaths)
    }
  })

  it('openapi.yaml names the parameters of paths as the document does (4.1, 4.2, 4.4, 4.11, 4.14)', () => {
    const paths = Object.keys(document.paths)
    const prefix = '/integrations/mailing-platform'
    for (const path of [
      '/mailing-synchronizations/{id}/sendings',
      '/mailing-synchronizations/{syncId}/sendings/{id}',
      '/mailing-synchronizations/{syncId}/sendings/{sendingId}/statistics',
      '/mailing-synchronizations/{syncId}/mailing-uploads/{id}',
      '/accessible-customers/{customerName}/configuration/accessible-lists',
    ])
      expect(paths).toContain(prefix + path)
    for (const [call, { parameters }] of all())
      expect(
        parameters.filter((it: Json) => it.in === 'path').map((it: Json) => `{${it.name}}`),
        call,
      ).toEqual(call.match(/\{\w+\}/g) ?? [])
  })
})

it('answers of all tests are held against what the document says of them', () => {
  const parts = new Parts({ names, dials: defaultDials })
  const whole = (it: Json): Json => {
    if (Array.isArray(it)) return it.map(whole)
    if (typeof it !== 'object' || it === null) return it
    const { $ref, examples, ...own } = it
    const inner = Object.fromEntries(Object.entries<Json>(own).map(([key, value]) => [key, whole(value)]))
    return $ref === undefined ? inner : { ...whole(resolved(it)), ...inner }
  }
  let responses = 0
  for (const [call, { operationId, responses: told }] of all())
    for (const [status, response] of Object.entries<Json>(told)) {
      responses++
      expect(parts.response(operationId, Number(status)), `${call} ${status}`).toEqual(whole(response))
    }
  for (const [status, response] of Object.entries<Json>(document['x-elsewhere'].responses))
    expect(parts.response('elsewhere', Number(status)), status).toEqual(whole(response))
  expect(responses).toBeGreaterThan(150)
})

describe('every point', () => {
  const standings = new Map(clauses.map(({ id, standing }) => [id, standing]))

  const holds = (place: string, point: Json) => {
    expect(point['x-fidelity'], place).toBe(standings.get(point['x-clause']))
    expect(point['x-fidelity'], place).toBeDefined()
  }

  it('every point says how sure we are of it, as the register does', () => {
    let points = 0
    const hold = (place: string, point: Json) => {
      holds(place, point)
      points++
    }
    const members = (place: string, schema: Json) => {
      for (const [name, member] of Object.entries<Json>(schema?.properties ?? {})) {
        hold(`${place}.${name}`, member)
        members(`${place}.${name}`, member)
      }
      if (schema?.items) members(place, schema.items)
    }
    for (const [call, operation] of all()) {
      hold(call, operation)
      for (const other of operation['x-other-paths'] ?? []) hold(other.path, other)
      for (const parameter of operation.parameters) hold(`${call} ${parameter.name}`, parameter)
      if (operation.requestBody) hold(`${call} body`, operation.requestBody)
      for (const [status, it] of Object.entries<Json>(operation.responses))
        hold(`${call} ${status}`, resolved(it))
    }
    for (const [name, header] of Object.entries<Json>(document.components.headers)) hold(name, header)
    for (const [name, schema] of Object.entries<Json>(document.components.schemas))
      if (name.endsWith('Problem')) hold(name, schema)
      else members(name, schema)
    hold('security', document.components.securitySchemes.basic)
    expect(points).toBeGreaterThan(400)
  })

  it('of the register that is about an operation is told there', () => {
    for (const clause of clauses)
      for (const id of clause.operations ?? []) {
        const [, operation] = all().find(([, it]) => it.operationId === id)!
        const bodies = Object.values<Json>(operation.requestBody?.content ?? {}).map(({ schema }) =>
          resolved(schema),
        )
        const answers = Object.values<Json>(operation.responses).map(resolved)
        const schemas = answers.flatMap(({ content = {} }) =>
          Object.values<Json>(content).map(it => it.schema),
        )
        const text = JSON.stringify([operation, bodies, answers, schemas.flatMap(schema => reached(schema))])
        const isTold = [`"${clause.id}"`, `- ${clause.id}: `].some(mark => text.includes(mark))
        expect(isTold, `${clause.id} of ${id}`).toBe(true)
      }
  })

  /** A schema and all that it refers to. */
  function reached(schema: Json, seen = new Set<string>()): Json[] {
    const refs = [...JSON.stringify(schema).matchAll(/"\$ref":"([^"]+)"/g)].map(([, ref]) => ref!)
    const fresh = refs.filter(ref => !seen.has(ref))
    for (const ref of fresh) seen.add(ref)
    return [schema, ...fresh.flatMap(ref => reached(resolved({ $ref: ref }), seen))]
  }
})

describe('examples', () => {
  // An upload and a test sending are 409 only where a person has deleted the mailing or the list.
  it('examples are what the service answers, and fit their schema to the letter', () => {
    const description = new Description({ names, dials: defaultDials })
    let examples = 0
    for (const [call, { responses }] of all()) {
      const [method, path] = call.split(' ')
      const target = path!.replaceAll(/\{\w+\}/g, 'x')
      for (const [status, it] of Object.entries<Json>(responses)) {
        const response = resolved(it)
        for (const [type, content] of Object.entries<Json>(response.content ?? {})) {
          const isByPerson = status === '409' && /mailing-uploads$|test-sendings$/.test(path!)
          if (!isByPerson)
            expect(Object.keys(content.examples ?? {}), `${call} ${status} ${wantsExample}`).not.toEqual([])
          for (const [name, { value }] of Object.entries<Json>(content.examples ?? {})) {
            examples++
            const headers = {
              'Content-Type': content['x-content-type'] ?? type,
              ...(response.headers?.Location && { Location: 'http://localhost/x' }),
              ...(response.headers?.['WWW-Authenticate'] && { 'WWW-Authenticate': 'Basic' }),
            }
            const answer = { status: Number(status), headers, body: JSON.stringify(value) }
            expect(description.undescribed(method!, target, answer), `${call} ${status} ${name}`).toEqual([])
          }
        }
      }
    }
    expect(examples).toBeGreaterThan(60)
  })

  it('of bodies are there for every operation that takes one', () => {
    for (const [call, { requestBody }] of all())
      if (requestBody)
        expect(
          Object.keys(requestBody.content['application/hal+json'].examples ?? {}),
          `the body of ${call} ${wantsExample}`,
        ).not.toEqual([])
  })

  it('of parameters are there for every path', () => {
    for (const [call, { parameters }] of all())
      for (const it of parameters.filter((parameter: Json) => parameter.in === 'path'))
        expect(it.example, `${it.name} of ${call} ${wantsExample}`).toBeDefined()
  })

  it(
    'examples are the same every time',
    async () => {
      expect(await describeService({ names, dials: defaultDials }, makeMock)).toEqual(document)
    },
    patience,
  )
})
