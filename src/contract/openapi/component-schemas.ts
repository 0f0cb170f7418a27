import type { z } from 'zod'
import { idOf } from '../../service/claim.ts'
import type { Operation } from '../../service/operation.ts'
import { type OperationId, operationIds, operations } from '../../service/operations.ts'
import { queryByDial } from '../../service/paging.ts'
import { statusOf } from '../../service/problem.ts'
import { headings } from '../clauses.ts'
import {
  type ClausesOf,
  clausesOfLink,
  clausesOfMembers,
  describeMembers,
  describePoint,
  point,
} from './annotations.ts'
import { describePathParameters, type Json, writeTidySchema } from './json-schema.ts'
import { problemContent, problemSchemaName, problemsOf } from './problem-schemas.ts'
import { noExamples } from './record-examples.ts'
import { type Deployment, linkComponents, resourceSchemas } from './resource-schemas.ts'

/** Parameters of an operation: those of its path, then those of its query. */
export function parameters(id: OperationId, deployment: Deployment, examples = noExamples): Json[] {
  const { path, query }: Operation = operations[id]
  const inPath = describePathParameters(path.replace('/:platform', ''), name => {
    const example = examples.parameter(id, name)
    return {
      ...describeParameter(id, name),
      name: documentedName(id, name),
      schema: pathParameterSchema(id, name),
      ...(example !== undefined && { example }),
    }
  })
  return [...inPath, ...(query ? queryParameters(id, deployment) : [])]
}

/** @param inQuery said of every query parameter of its type @throws Error for one without a clause: our mistake */
function describeParameter(id: OperationId, name: string, inQuery: readonly string[] = []): Json {
  const { parameters: described }: Operation = operations[id]
  const [first, ...further] = described[name] ?? []
  if (first === undefined) throw new Error(`no clause of the register for ${name} of ${id}`)
  return describePoint(first, [...further, ...inQuery])
}

const clausesOfType: Readonly<Record<string, readonly string[]>> = {
  boolean: ['S bare flags', 'S Boolean letters'],
  array: ['S blanks in lists'],
}

/**
 * The name that the document gives a variable of the path: the clause about it ends with it, as in `4.4 sendingId`. Beyond
 * the document the names of its sections 4.5 and 4.14 are used.
 */
export function documentedName(id: OperationId, variable: string): string {
  const { parameters: described }: Operation = operations[id]
  const [section = '', name] = idOf(described[variable]![0]!).split(' ')
  if (/^\d/.test(section) && name !== undefined) return name
  return { customer: 'customerName', syncId: 'id' in described ? 'syncId' : 'id' }[variable] ?? variable
}

function pathParameterSchema(id: OperationId, name: string): Json {
  if (name === 'listId') return { type: 'integer', minimum: 1 }
  const isName = name === 'customer' || (id === 'getMailingUpload' && name === 'id')
  return isName ? { type: 'string', minLength: 1 } : { type: 'string', format: 'uuid' }
}

function queryParameters(id: OperationId, { dials }: Deployment): Json[] {
  const query = queryByDial(operations[id], dials['page-size-limit'])!
  const { properties = {} } = writeTidySchema(query, { io: 'output' }) as { properties?: Json }
  return Object.entries(properties).map(([name, schema]) => {
    const isList = (schema as Json).type === 'array'
    return {
      name,
      in: 'query',
      ...describeParameter(id, name, [
        ...(clausesOfType[String((schema as Json).type)] ?? []),
        'S repeated parameters',
      ]),
      ...(isList && { style: 'form', explode: false }),
      schema,
    }
  })
}

export function bodySchema(id: OperationId, { dials }: Deployment): Json | undefined {
  const { body }: Operation = operations[id]
  if (!body) return undefined
  const { additionalProperties: _, ...json } = writeTidySchema(body.schemaFor?.(dials) ?? body.schema)
  const open = dials['null-in-requests'] === 'refused' ? withoutNulls(json) : json
  const members = (open.properties ?? {}) as Record<string, Json>
  const whole = describeMembers(open, path => {
    const [name = ''] = path.split('.')
    return [...(body.members[name] ?? []), ...(isNullable(members[name]!) ? ['S null in requests'] : [])]
  })
  return dials['unknown-request-members'] === 'refused' ? { ...whole, additionalProperties: false } : whole
}

const isNullable = ({ type, anyOf }: Json): boolean =>
  [type].flat().includes('null') || (Array.isArray(anyOf) && anyOf.some(isNullable))

/** Without null as a value of members. */
function withoutNulls(json: Json): Json {
  const refused = (member: Json) => {
    if (Array.isArray(member.type))
      return { ...member, type: member.type.find((type: unknown) => type !== 'null') }
    if (!Array.isArray(member.anyOf)) return member
    return member.anyOf.find((other: Json) => other.type !== 'null') as Json
  }
  const members = Object.entries((json.properties ?? {}) as Json)
  return { ...json, properties: Object.fromEntries(members.map(([name, it]) => [name, refused(it as Json)])) }
}

/** The schemas of resources, request bodies and problems, by name. Each is made when its function is called. */
export function componentSchemas(deployment: Deployment): ReadonlyMap<string, () => Json> {
  const all = new Map<string, () => Json>()
  const components = new Map<z.ZodType, string>()
  const add = (name: string, schema: z.ZodType, section: string, clausesOf: ClausesOf) => {
    components.set(schema, name)
    const [number = ''] = section.split(' ')
    all.set(name, () => ({
      description: `${headings[number]} (spec ${number}).`,
      ...describeMembers(writeTidySchema(schema, { components }), clausesOf),
      ...point('S undocumented members'),
    }))
  }
  const { links, shown } = resourceSchemas(deployment)
  for (const [name, kind] of Object.entries(linkComponents)) add(name, links[kind], '2', clausesOfLink)
  for (const [it, schema] of shown) add(it.name, schema, it.section, clausesOfMembers(it))
  for (const id of operationIds) {
    const { body }: Operation = operations[id]
    if (body) all.set(body.name, () => bodySchema(id, deployment)!)
  }
  for (const name of new Set(operationIds.flatMap(id => problemsOf(id, deployment)))) {
    const content = problemContent(name, statusOf(name, deployment.dials), deployment.dials)
    if (content) all.set(problemSchemaName(name), () => content.schema)
  }
  return all
}
