import { z } from 'zod'
import { memoryKinds } from '../store/memory-budget.ts'
import { route } from './route.ts'
import { document } from './schemas.ts'

export const memoryRoute = route('GET /memory', 'getMemory', {
  rel: 'memory',
  summary: 'What memory the mock uses, by kind, and the limit of it',
  description:
    'Above the limit the oldest entries of journals go; when that is not enough, new spaces, changes, held requests and long bodies are refused with 503.',
  answer: document({
    limitBytes: z.int().describe('As --memory-limit has it'),
    usedBytes: z.int().describe('Roughly, in all'),
    full: z.boolean().describe('Whether demands are refused'),
    madeRoom: z.int().describe('How often journals and caches dropped something to make room'),
    kinds: z
      .record(z.enum(memoryKinds), z.int())
      .describe(
        'Bytes by kind: requests in progress, journals, cached responses, counts of scenarios, open spaces, changed rows, event streams, exams',
      ),
  }),
  handle(call) {
    const { limit, used, isFull, madeRoom, kinds } = call.tools.rigs.budget.use()
    return {
      limitBytes: limit,
      usedBytes: used,
      full: isFull,
      madeRoom,
      kinds,
      _links: { self: call.link('/memory') },
    }
  },
})
