import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { clauses } from '../../../src/contract/clauses.ts'
import type { Operation } from '../../../src/service/operation.ts'
import { operationIds, operations } from '../../../src/service/operations.ts'
import type { Json } from '../../mock.ts'

const document = parse(readFileSync(new URL('../../../openapi.yaml', import.meta.url), 'utf8'))
const clausesById = new Map(clauses.map(clause => [clause.id, clause]))

/** What the API document itself says of null, of members that may be missing, and of statuses. */
const saidByTheDocument = new Set([
  ...['2.2 mailingUploadsModificationDate', '2.2 sendingsModificationDate'],
  ...['2.3 scheduleDate', '2.3 transactionId', '4.1 empty body'],
  ...['4.1/4', '4.1/5', '7 500', '4.2', '4.5', '4.8', '4.9', '4.10', '4.11', '4.12', '4.13', '4.14', '4.15'],
  ...['4.16 created', '4.16 get'],
])

const saysNull = /\bnull\b/i
const saysMissing =
  /\b(?:absent|all optional|empty object|is optional|only|exactly when|without|never both)\b/i

/** Whether one of the clauses says it, with the standing that such a claim may have. */
const isSaid = (ids: readonly string[], says: RegExp): boolean =>
  ids.some(id => {
    const clause = clausesById.get(id)!
    return says.test(clause.says) && (clause.standing !== 'specified' || saidByTheDocument.has(id))
  })

const clausesOf = (point: Json): string[] => [point['x-clause'], ...Object.keys(point['x-further'] ?? {})]
const isNullable = (schema: Json): boolean =>
  [schema.type].flat().includes('null') || (schema.anyOf ?? []).some(isNullable)

/** Clauses of a request body as a whole, by its schema. */
const clausesOfBody: ReadonlyMap<string, string[]> = new Map(
  operationIds.flatMap(id => {
    const { body, claims = [] }: Operation = operations[id]
    const about = [...(body?.claims ?? []), ...claims].map(it => (typeof it === 'string' ? it : it.id))
    return body ? [[body.name, about] as const] : []
  }),
)

/** Every member of the document's schemas: its place, its clauses, and whether it may be null or missing. */
function* membersIn(
  schema: Json,
  place: string,
  whole: readonly string[],
): Iterable<[string, string[], Json]> {
  for (const [name, member] of Object.entries<Json>(schema.properties ?? {})) {
    const at = `${place}.${name}`
    const isOptional = !(schema.required ?? []).includes(name)
    yield [at, [...clausesOf(member), ...whole], { isNullable: isNullable(member), isOptional }]
    yield* membersIn(member, at, whole)
  }
}
const members = Object.entries<Json>(document.components.schemas)
  .filter(([name]) => !name.endsWith('Problem'))
  .flatMap(([name, schema]) => [...membersIn(schema, name, clausesOfBody.get(name) ?? [])])

const statuses = Object.values<Json>(document.paths).flatMap(methods =>
  Object.values<Json>(methods).flatMap(({ operationId, responses }) =>
    Object.entries<Json>(responses).map(([status, response]): [string, string[]] => {
      const shared = response.$ref && document.components.responses[response.$ref.split('/').at(-1)]
      return [`${operationId} ${status}`, clausesOf(shared ?? response)]
    }),
  ),
)

describe('the standing of what openapi.yaml leaves open', () => {
  it.each(members.filter(([, , { isNullable }]) => isNullable))(
    'a clause of the right standing says that %s may be null',
    (_, ids) => expect(isSaid(ids, saysNull), `none of these says "null": ${ids.join(', ')}`).toBe(true),
  )

  it.each(members.filter(([, , { isOptional }]) => isOptional))(
    'a clause of the right standing says that %s may be missing',
    (_, ids) =>
      expect(
        isSaid(ids, saysMissing),
        `none of these says "absent", "is optional" or the like: ${ids.join(', ')}`,
      ).toBe(true),
  )

  it.each(statuses)('a clause of the right standing names the status: %s', (call, ids) =>
    expect(isSaid(ids, new RegExp(`\\b${call.split(' ')[1]}\\b`)), ids.join(', ')).toBe(true),
  )
})
