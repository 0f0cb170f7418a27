import type { z } from 'zod'
import { type Operation, type OperationId, operations } from '../../service/operations.ts'
import { pageLimited } from '../../service/schemas.ts'
import type { Deployment, Json } from './deployment.ts'
import { jsonSchema } from './json-schema.ts'
import { withMembersTold } from './members.ts'
import { described } from './operations.ts'
import { told } from './points.ts'

/** Parameters of an operation: those of its path, then those of its query. */
export function parameters(id: OperationId, deployment: Deployment): Json[] {
  const { path, query }: Operation = operations[id]
  const inPath = [...path.matchAll(/:(\w+)/g)].map(([, name]) => name!).filter(name => name !== 'platform')
  return [
    ...inPath.map(name => ({
      name,
      in: 'path',
      required: true,
      ...said(id, name),
      schema: ofPath(id, name),
    })),
    ...(query ? inQuery(id, query, deployment) : []),
  ]
}

/** @throws an error for a parameter that nobody has found the clause of: a slip of ours */
function said(id: OperationId, name: string): Json {
  const [first, ...further] = described[id].parameters[name] ?? []
  if (first === undefined) throw new Error(`no clause of the register tells of ${name} of ${id}`)
  return told(first, further)
}

function ofPath(id: OperationId, name: string): Json {
  if (name === 'listId') return { type: 'integer', minimum: 1 }
  const isName = name === 'customer' || (id === 'getMailingUpload' && name === 'id')
  return isName ? { type: 'string', minLength: 1 } : { type: 'string', format: 'uuid' }
}

function inQuery(id: OperationId, ours: z.ZodType, { dials }: Deployment): Json[] {
  const query = pageLimited(ours, dials['page-size-limit'])
  const { properties = {} } = jsonSchema(query, undefined, 'output') as { properties?: Json }
  return Object.entries(properties).map(([name, schema]) => {
    const isList = (schema as Json).type === 'array'
    return { name, in: 'query', ...said(id, name), ...(isList && { style: 'form', explode: false }), schema }
  })
}

/** Names of the components that describe bodies. */
export const bodyNames: { readonly [Id in OperationId]?: string } = {
  createSending: 'SendingRequest',
  createMailingSynchronization: 'MailingSynchronizationRequest',
  createMailingUpload: 'MailingUploadRequest',
  createTestSending: 'TestSendingRequest',
  putAccessibleLists: 'AccessibleListsRequest',
}

/** The body of an operation as JSON Schema; undefined where it takes none. */
export function body(id: OperationId, { dials }: Deployment): Json | undefined {
  const { body: schema }: Operation = operations[id]
  if (!schema) return undefined
  const { additionalProperties: _, ...json } = jsonSchema(schema)
  const clausesOf = described[id].members ?? (() => [])
  const open = dials['null-in-requests'] === 'refused' ? withoutNulls(json) : json
  const whole = withMembersTold(open, path => clausesOf(path.split('.')[0]!))
  return dials['unknown-request-members'] === 'refused' ? { ...whole, additionalProperties: false } : whole
}

/** Members that are not to be null. */
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
