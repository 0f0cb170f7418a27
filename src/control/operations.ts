import { z } from 'zod'
import { operationIds, operations, toPathTemplate } from '../service/operations.ts'
import { right } from '../store/rows.ts'
import { route } from './route.ts'
import { document } from './schemas.ts'

const operation = z.strictObject({
  operationId: z.string(),
  method: z.enum(['GET', 'POST', 'PUT']),
  path: z.string().describe('Parameters in braces'),
  section: z.string().nullable().describe("Of the service's document; null where another document has it"),
  right: right.describe('What a user must be allowed'),
})

export const operationRoutes = [
  route('GET /operations', 'listOperations', {
    rel: 'operations',
    summary: 'The operations of the service',
    answer: document({ _embedded: z.strictObject({ operations: z.array(operation) }) }),
    handle: call => ({
      _embedded: {
        operations: operationIds.map(operationId => {
          const { method, path, section, right } = operations[operationId]
          return {
            operationId,
            method,
            path: toPathTemplate(path.replace(':platform', call.tools.names.platformSegment)),
            section: section === 'S' ? null : section,
            right,
          }
        }),
      },
      _links: { self: call.link('/operations') },
    }),
  }),
]
