import { lint, loadConfig } from '@redocly/openapi-core'
import { Ajv } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { beforeAll, expect, it } from 'vitest'
import { parse } from 'yaml'
import { toOpenApi30, toVersion30 } from '../../../scripts/make-openapi-3.0.ts'
import { toYaml } from '../../../scripts/make-openapi-yaml.ts'
import { describeService } from '../../../src/control/service-description.ts'
import { makeMock } from '../../../src/lib/assemble-mock.ts'
import { defaultDials } from '../../../src/service/dials.ts'
import type { Json } from '../../mock.ts'

const names = { relationPrefix: 'svc', platformSegment: 'mailing-platform' }

let newer: Json
let older: Json
beforeAll(async () => {
  newer = await describeService({ names, dials: defaultDials }, makeMock)
  older = parse(toYaml(toOpenApi30(newer)))
}, 60_000)

it('openapi-3.0.yaml is taken by a linter for OpenAPI 3.0 without a word', async () => {
  const config = await loadConfig({ configPath: 'redocly.yaml' })
  const problems = await lint({ ref: 'openapi-3.0.yaml', config })
  expect(problems.map(({ ruleId, message, location }) => [ruleId, message, location[0]?.pointer])).toEqual([])
})

it('openapi-3.0.yaml has the operations, parameters, bodies, answers and headers of openapi.yaml', () => {
  const outline = ({ paths, components }: Json) => ({
    operations: Object.entries<Json>(paths).flatMap(([path, methods]) =>
      Object.entries<Json>(methods).map(([method, operation]) => ({
        path,
        method,
        ...operation,
        parameters: operation.parameters.map(({ schema: _, ...rest }: Json) => rest),
        requestBody: operation.requestBody && outlineOfBody(operation.requestBody),
        responses: Object.entries<Json>(operation.responses).map(([status, it]) => [
          status,
          outlineOfBody(it),
        ]),
      })),
    ),
    responses: Object.entries<Json>(components.responses).map(([name, it]) => [name, outlineOfBody(it)]),
    security: components.securitySchemes,
  })
  const outlineOfBody = ({ content = {}, ...rest }: Json) => ({
    ...rest,
    content: Object.entries<Json>(content).map(([type, { schema: _, ...beside }]) => [type, beside]),
  })
  expect(outline(older)).toEqual(outline(JSON.parse(JSON.stringify(newer))))
  const unions = Object.keys(older.components.schemas).filter(name => !(name in newer.components.schemas))
  expect(Object.keys(older.components.schemas)).toEqual([...Object.keys(newer.components.schemas), ...unions])
  expect(unions).toEqual([
    'MalformedBodyOrValidationOrScheduleDateInPastProblem',
    'MalformedBodyOrValidationProblem',
    'MissingRightOrListNotPermittedProblem',
  ])
})

it('OpenAPI 3.0 takes and refuses what openapi.yaml does, and openapi-3.0.yaml no less: each example, as it is and spoilt in each member', () => {
  const isTakenByNewer = validators(new Ajv2020({ strict: false, validateSchema: false }), newer)
  const isTakenByVersion = validators(ajvOf30(), toVersion30(newer))
  const isTakenByOlder = validators(ajvOf30(), older)
  let refused = 0
  const loosened = new Set<string>()
  for (const [at, example] of examplesOf(newer)) {
    expect([at, isTakenByNewer(at, example), isTakenByOlder(at, example)]).toEqual([at, true, true])
    for (const spoilt of spoiltIn(example)) {
      const isTaken = isTakenByNewer(at, spoilt)
      expect([at, spoilt, isTakenByVersion(at, spoilt)]).toEqual([at, spoilt, isTaken])
      const isTakenLoosely = isTakenByOlder(at, spoilt)
      if (isTaken) expect([at, spoilt, isTakenLoosely]).toEqual([at, spoilt, true])
      else if (isTakenLoosely) loosened.add(/[\w-]+\/[a-z]+\/(?:requestBody|responses)/.exec(at)![0])
      else refused++
    }
  }
  expect(refused).toBeGreaterThan(1_000)
  // Which of their members have to be there is a sentence only.
  expect([...loosened]).toEqual(['1test-sendings/post/requestBody', '1accessible-lists/put/requestBody'])
})

/** OpenAPI 3.0 has the keywords of an older JSON Schema, in which a limit that is exclusive is a flag. */
function ajvOf30(): Ajv {
  const ajv = new Ajv({ strict: false, validateSchema: false })
  for (const keyword of ['minimum', 'exclusiveMinimum']) ajv.removeKeyword(keyword)
  ajv.addKeyword('exclusiveMinimum')
  ajv.addKeyword({
    keyword: 'minimum',
    type: 'number',
    validate: (limit: number, value: number, { exclusiveMinimum }: Json = {}) =>
      exclusiveMinimum ? value > limit : value >= limit,
  })
  return ajv
}

/** Whether a value is taken at a JSON pointer of a document. */
function validators(ajv: Ajv, document: Json): (pointer: string, value: unknown) => boolean {
  formats.default(ajv)
  ajv.addSchema({ ...document, $id: 'document' })
  return (pointer, value) => ajv.getSchema(`document#${pointer}`)!(value) === true
}

/** Every example of a body with the place of its schema. */
function examplesOf(part: unknown, pointer = ''): [string, unknown][] {
  if (typeof part !== 'object' || part === null) return []
  const { schema, examples } = part as Json
  const own: [string, unknown][] = schema
    ? Object.values<Json>(examples ?? {}).map(({ value }) => [`${pointer}/schema`, value])
    : []
  const inner = Object.entries(part).filter(([name]) => name !== 'examples' && !name.startsWith('x-'))
  const token = (name: string) => encodeURIComponent(name.replaceAll('~', '~0').replaceAll('/', '~1'))
  return [...own, ...inner.flatMap(([name, value]) => examplesOf(value, `${pointer}/${token(name)}`))]
}

/** A value with one of its members, at any depth, left out or replaced by something that may not stand there. */
function spoiltIn(value: unknown): unknown[] {
  if (Array.isArray(value)) return value.flatMap((it, at) => spoiltIn(it).map(one => value.with(at, one)))
  if (typeof value !== 'object' || value === null) return [null, '', 0, -1, [], true]
  return Object.entries(value).flatMap(([name, member]) => {
    const { [name as never]: _, ...without } = value
    return [without, ...spoiltIn(member).map(one => ({ ...value, [name]: one }))]
  })
}
