import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { examples } from '../../../src/contract/examples/examples.ts'
import { bodySchema, parameters } from '../../../src/contract/openapi/component-schemas.ts'
import { noExamples } from '../../../src/contract/openapi/record-examples.ts'
import { serviceDocument } from '../../../src/contract/openapi/service-document.ts'
import { defaultDials, withDials } from '../../../src/service/dials.ts'
import type { Operation } from '../../../src/service/operation.ts'
import { type OperationId, operationIds, operations } from '../../../src/service/operations.ts'
import { compiled } from '../../described/compiled.ts'
import { ids, type Json, startMock, synchronizationPath } from '../../mock.ts'

const names = { relationPrefix: 'svc', platformSegment: 'mailing-platform' }
const usual = { names, dials: defaultDials }
const operation = (id: OperationId): Operation => operations[id]
const withBody = operationIds.filter(id => operation(id).body)
const withQuery = operationIds.filter(id => operation(id).query)

/** Whether the document takes a value. */
const takes = (schema: Json, value: unknown): boolean => compiled(schema, false)(value).length === 0

/** Something of everything that a member may be given. */
const values = fc.constantFrom<unknown>(
  undefined,
  null,
  true,
  false,
  0,
  5,
  -1,
  1.5,
  '',
  'a',
  'a b',
  'a.b:c-d_e',
  'x'.repeat(100),
  'x'.repeat(101),
  'latest',
  'newest',
  'reader@example.org',
  '2035-05-17T11:30:00+02:00',
  '2035-05-17T11:30:00.125Z',
  '2035-05-17T11:30:00',
  '2035-02-30T11:30:00Z',
  '2035-05-17',
  [],
  [1],
  ['a'],
  ['reader@example.org'],
  [1, 'a'],
  {},
)

describe('the document and the service agree', () => {
  it.each(withBody)('on bodies of %s', id => {
    const { schema } = operation(id).body!
    const described = bodySchema(id, usual)!
    const members = Object.keys(described.properties ?? {})
    const some = fc.dictionary(fc.constantFrom(...members, 'other'), values)
    const little = fc.dictionary(fc.constantFrom(...members, 'other'), values, { maxKeys: 2 })
    const bodies = fc.oneof(
      some,
      // Most changes of an empty body leave nothing that is taken.
      little.map(changes => ({ ...(examples[id][0]!.body as object), ...changes })),
    )
    let taken = 0
    fc.assert(
      fc.property(bodies, given => {
        const sent = JSON.parse(JSON.stringify(given))
        const isTaken = schema.safeParse(sent).success
        if (isTaken) taken++
        expect(takes(described, sent), JSON.stringify(sent)).toBe(isTaken)
      }),
      { numRuns: 3_000, seed: 1 },
    )
    expect(taken).toBeGreaterThan(100)
  })

  const texts = ['true', 'false', 'TRUE', '1', '0', '-1', '1000', '1001', '1.5', 'abc', 'asc', 'up']
  const words = ['latest', 'draft', 'lastApproved', 'newest', 'creationDate', 'name', 'a,b']
  const lists = [50, 51].map(count => Array.from({ length: count }, (_, n) => `m${n}`).join(','))

  it.each(withQuery)('on the query of %s', id => {
    const schema = operation(id).query!
    const inQuery = parameters(id, usual).filter(it => it.in === 'query')
    expect(inQuery.length).toBeGreaterThan(0)
    for (const { name, schema: described } of inQuery as Json[])
      for (const text of [...texts, ...words, ...lists]) {
        // A token is only taken with syncModifications beside it.
        const beside = name === 'syncToken' ? { syncModifications: 'true' } : {}
        const isTaken = schema.safeParse({ ...beside, [name]: text }).success
        expect(takes(described, read(described, text)), `${name}=${text}`).toBe(isTaken)
      }
  })

  it('on what a query holds when nothing is asked', () => {
    for (const id of withQuery) {
      const otherwise = operation(id).query!.parse({}) as Record<string, unknown>
      for (const { name, schema } of parameters(id, usual).filter(it => it.in === 'query') as Json[])
        expect(schema.default, `${name} of ${id}`).toBe(otherwise[name])
    }
  })
})

/** A parameter's text as the document has it read. */
function read({ type }: Json, text: string): unknown {
  if (type === 'boolean') return text === 'true' ? true : text === 'false' ? false : text
  if (type === 'integer') return /^-?\d+$/.test(text) ? Number(text) : text
  return type === 'array' ? text.split(',') : text
}

describe('a body that only a turned dial refuses', () => {
  it.each([
    ['unknown-request-members', { other: 1 }],
    ['null-in-requests', { name: null }],
  ] as const)(
    'a body that only a turned dial refuses is refused by the document as well: %s',
    async (dial, sent) => {
      const turned = { [dial]: 'refused' } as const
      expect(takes(bodySchema('createSending', usual)!, sent)).toBe(true)
      expect(takes(bodySchema('createSending', { names, dials: withDials(turned) })!, sent)).toBe(false)
      const path = synchronizationPath(ids.ready, '/sendings')
      expect((await (await startMock()).as('demo').post(path, sent)).status).toBe(201)
      expect((await (await startMock({ dials: turned })).as('demo').post(path, sent)).status).toBe(400)
    },
  )

  it('a body that only a turned dial refuses is of no concern to an empty one', () => {
    for (const dials of [defaultDials, withDials({ 'unknown-request-members': 'refused' })])
      for (const id of ['createSending', 'createMailingUpload'] as const)
        expect(takes(bodySchema(id, { names, dials })!, {})).toBe(true)
  })
})

it('a page holds so many as the dial has it', () => {
  const sizes = (limit: '1000' | '10000' | '100' | 'capped') => {
    const dials = withDials({ 'page-size-limit': limit })
    const { schema } = parameters('listSendings', { names, dials }).find(it => it.name === 'pageSize') as Json
    return [schema.minimum, schema.maximum, schema.default]
  }
  expect(sizes('1000')).toEqual([1, 1000, 1000])
  expect(sizes('10000')).toEqual([1, 10_000, 1000])
  expect(sizes('100')).toEqual([1, 100, 100])
  expect(sizes('capped')).toEqual([1, undefined, 1000])
})

it('a document without examples is made at once', () => {
  const { paths } = serviceDocument(usual, 'http://localhost', noExamples) as Json
  expect(Object.keys(paths)).toHaveLength(new Set(Object.values(operations).map(({ path }) => path)).size)
})
