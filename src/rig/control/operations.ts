import { z } from 'zod'
import type { Names } from '../../service/links.ts'
import { type OperationId, operationIds, operations } from '../../service/operations.ts'
import { right } from '../../store/rows.ts'
import { route } from './route.ts'
import { document } from './shapes.ts'

const operation = z.strictObject({
  operationId: z.string(),
  method: z.enum(['GET', 'POST', 'PUT']),
  path: z.string().describe('Parameters in braces'),
  section: z.string().nullable().describe("Of the service's document; null where another document has it"),
  right: right.describe('What a user must be allowed'),
})

export const operationRoutes = [
  route({
    id: 'listOperations',
    method: 'GET',
    path: '/operations',
    rel: 'operations',
    summary: 'The operations of the service',
    answer: document({ _embedded: z.strictObject({ operations: z.array(operation) }) }),
    handle: call => ({
      _embedded: { operations: operationIds.map(id => described(id, call.tools.names)) },
      _links: { self: call.link('/operations') },
    }),
  }),
]

function described(operationId: OperationId, names: Names) {
  const { method, path, section, right } = operations[operationId]
  return {
    operationId,
    method,
    path: path.replace(':platform', names.platformSegment).replaceAll(/:(\w+)/g, '{$1}'),
    section: section === 'S' ? null : section,
    right,
  }
}
