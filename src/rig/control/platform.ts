import { z } from 'zod'
import { ledgerOf } from '../ledger.ts'
import { ledgerShape } from '../ledger-shape.ts'
import { readerOf, settledRig } from './requests.ts'
import { route } from './route.ts'
import { document, members } from './shapes.ts'

const id = z.string().min(1).max(200)

export const platformRoutes = [
  route({
    id: 'getPlatform',
    method: 'GET',
    path: '/spaces/{space}/platform',
    rel: 'platform',
    summary: 'What truly happened on the platform, whatever clients were told',
    description:
      'Since the space began: the content that it began with is left out unless it is asked for. What is due by now is on record before this answers.',
    query: members({
      synchronizationId: id.optional(),
      transactionId: id.optional(),
      seeded: z
        .enum(['true', 'false'])
        .default('false')
        .describe('Whether to show what the fixture had on its platform as well'),
    }),
    answer: document(ledgerShape),
    also: { 404: 'There is no such space' },
    async handle(call) {
      const rig = await settledRig(call)
      const { seeded, ...filter } = call.query
      return {
        ...ledgerOf(rig, readerOf(call), { ...filter, seeded: seeded === 'true' }),
        _links: {
          self: call.spaceLink(rig.space.name, '/platform'),
          requests: call.spaceLink(rig.space.name, '/requests'),
          space: call.spaceLink(rig.space.name),
        },
      }
    },
  }),
]
