import { z } from 'zod'
import { without } from './answer-bytes.ts'
import { defineFault } from './fault.ts'

const mediaType = /^[\w.+-]+\/[\w.+-]+(?:; ?[\w.+-]+=[\w.+-]+)*$/

export const wrongContentType = defineFault({
  name: 'wrong-content-type',
  group: 'wrong',
  description: 'The true body under a Content-Type that is not its own.',
  settings: z.strictObject({
    type: z
      .string()
      .regex(mediaType, 'expected a media type such as text/plain; charset=utf-8')
      .default('text/html; charset=utf-8')
      .describe('What Content-Type says'),
  }),
  falsify: (answer, { type }) => ({
    ...answer,
    headers: { 'Content-Type': type, ...without(answer, 'content-type') },
  }),
})
