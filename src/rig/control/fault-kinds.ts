import { z } from 'zod'
import { faults } from '../faults/registry.ts'
import { route } from './route.ts'
import { document } from './shapes.ts'

const kind = z.strictObject({
  name: z.string().describe('As a scenario writes it: answer: { fault: NAME }'),
  group: z.enum(['no answer', 'cut', 'slow', 'wrong']),
  description: z.string().describe('What the client sees'),
  onlyInPhaseBefore: z.boolean().describe('It strikes before the body of the request is read'),
  onlyReusedConnection: z.boolean().describe('It strikes only on a connection that has carried a request'),
  settings: z.record(z.string(), z.unknown()).describe('JSON Schema of what may stand beside its name'),
})

export const faultKindRoutes = [
  route({
    id: 'listFaultKinds',
    method: 'GET',
    path: '/faults',
    rel: 'fault-kinds',
    summary: 'The faults that a scenario or a one-shot fault can name',
    answer: document({ _embedded: z.strictObject({ faults: z.array(kind) }) }),
    handle: call => ({
      _embedded: {
        faults: [...faults.values()].map(({ name, group, description, early, onlyReused, settings }) => ({
          name,
          group,
          description,
          onlyInPhaseBefore: early === true,
          onlyReusedConnection: onlyReused === true,
          settings: z.toJSONSchema(settings, { io: 'input', unrepresentable: 'any' }) as Record<
            string,
            unknown
          >,
        })),
      },
      _links: { self: call.link('/faults') },
    }),
  }),
]
