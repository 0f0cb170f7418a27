import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { parse } from 'yaml'
import { simplifyShapes } from '../../../scripts/simplify-openapi.ts'
import type { Json } from '../../mock.ts'

const document: Json = parse(readFileSync(new URL('../../../openapi-3.0.yaml', import.meta.url), 'utf8'))
const schemas: Json = document.components.schemas

/** Every object of the document that generators read, with its pointer. */
function partsOf(part: unknown, pointer = ''): [string, Json][] {
  if (typeof part !== 'object' || part === null) return []
  const inner = Object.entries(part).filter(([name]) => !/^(?:examples?|x-.*)$/.test(name))
  return [
    ...(Array.isArray(part) ? [] : [[pointer, part] as [string, Json]]),
    ...inner.flatMap(([name, value]) => partsOf(value, `${pointer}/${name}`)),
  ]
}

const targetOf = ({ $ref }: Json) => schemas[String($ref).replace('#/components/schemas/', '')]
const isAlternatives = ({ anyOf, oneOf }: Json) => anyOf !== undefined || oneOf !== undefined

/** Shapes that are legal, and of which a widely used generator makes no client, or one that does not compile or work. */
const badShapes: Record<string, (part: Json, pointer: string) => boolean> = {
  'a pattern beside a date-time': ({ format, pattern }) => format === 'date-time' && pattern !== undefined,
  'null among choices': ({ enum: choices }) => Array.isArray(choices) && choices.includes(null),
  'a Boolean among choices': ({ enum: choices }) =>
    Array.isArray(choices) && choices.some(it => typeof it === 'boolean'),
  'choices without a type': ({ enum: choices, type }) => Array.isArray(choices) && type === undefined,
  'allOf of one reference to a list': ({ allOf }) =>
    allOf?.length === 1 && targetOf(allOf[0])?.type === 'array',
  'alternatives without a name': (part, pointer) =>
    isAlternatives(part) && !/^\/components\/schemas\/[^/]+$/.test(pointer),
  'alternatives that are no components': part =>
    isAlternatives(part) && !(part.anyOf ?? part.oneOf).every((it: Json) => targetOf(it)),
  'alternatives beside members': part => isAlternatives(part) && part.properties !== undefined,
  'a list that does not say what is in it': ({ type, items }) => type === 'array' && items === undefined,
}

it.each(Object.keys(badShapes))('openapi-3.0.yaml has no schema with %s', name => {
  const isBad = badShapes[name]!
  expect(partsOf(document).flatMap(([pointer, part]) => (isBad(part, pointer) ? [pointer] : []))).toEqual([])
})

it('every reference of openapi-3.0.yaml has its schema', () => {
  const references = partsOf(document).filter(([, { $ref }]) =>
    String($ref).startsWith('#/components/schemas/'),
  )
  expect(references.length).toBeGreaterThan(50)
  expect(references.filter(([, part]) => targetOf(part) === undefined)).toEqual([])
})

/** What becomes of one schema, beside a list and two problems. */
function simplified(schema: Json) {
  const others = { List: { type: 'array', items: {} }, OneProblem: {}, OtherProblem: {} }
  const { components, paths } = simplifyShapes({
    paths: { '/': { schema } },
    components: { schemas: others },
  }) as Json
  const { List: _, OneProblem: _one, OtherProblem: _other, ...more } = components.schemas
  return { schema: paths['/'].schema, more }
}
const reference = (name: string) => ({ $ref: `#/components/schemas/${name}` })

it.each<[string, Json, Json]>([
  [
    'a pattern beside a date-time is left out',
    { type: 'string', format: 'date-time', pattern: 'Z$' },
    { type: 'string', format: 'date-time' },
  ],
  [
    'a pattern beside another format stays',
    { type: 'string', format: 'uuid', pattern: '^1' },
    { type: 'string', format: 'uuid', pattern: '^1' },
  ],
  [
    'choices with null become any text',
    { type: 'string', enum: ['a', 'b', null], nullable: true, description: 'It.' },
    { type: 'string', nullable: true, description: 'It. One of a, b.' },
  ],
  [
    'a constant Boolean becomes a Boolean',
    { enum: [true] },
    { type: 'boolean', description: 'Always true.' },
  ],
  ['a constant number gets its type', { enum: [400] }, { type: 'integer', enum: [400] }],
  ['a constant text gets its type', { enum: ['a'] }, { type: 'string', enum: ['a'] }],
  [
    'allOf of one list becomes the reference',
    { allOf: [reference('List')], description: 'It.' },
    reference('List'),
  ],
  [
    'allOf of one object keeps what stands beside it',
    { allOf: [reference('OneProblem')], description: 'It.' },
    { allOf: [reference('OneProblem')], description: 'It.' },
  ],
  [
    'alternatives that only require members become a sentence',
    { type: 'object', properties: {}, oneOf: [{ required: ['a'] }, { required: ['b'] }] },
    { type: 'object', properties: {}, description: 'Exactly one of these is given: a, b.' },
  ],
])('for generators %s', (_, schema, expected) => {
  expect(simplified(schema)).toEqual({ schema: expected, more: {} })
  expect(simplified({ type: 'array', items: schema }).schema.items).toEqual(expected)
})

it('for generators alternatives get a name, and the same ones the same name', () => {
  const union = { anyOf: [reference('OneProblem'), reference('OtherProblem')] }
  const named = reference('OneOrOtherProblem')
  expect(simplified({ type: 'array', items: [union, union] })).toEqual({
    schema: { type: 'array', items: [named, named] },
    more: { OneOrOtherProblem: union },
  })
  expect(() => simplified({ anyOf: [{ type: 'string' }] })).toThrow('a choice between schemas without names')
})
