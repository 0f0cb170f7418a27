import { z } from 'zod'
import { without } from './answer-bytes.ts'
import { defineFault } from './fault.ts'

export const empty201 = defineFault({
  name: 'empty-201',
  group: 'wrong',
  description:
    'A success without a body: 201 unless told otherwise. Location stays where the true answer has one.',
  settings: z.strictObject({
    status: z.literal([200, 201, 204]).default(201).describe('The status of the empty answer'),
  }),
  falsify: (answer, { status }) => ({
    status,
    headers: {
      ...without(answer, 'content-type', 'content-length', 'content-encoding'),
      // Without it Node would announce a chunked body, and send an empty one.
      ...(status !== 204 && { 'Content-Length': '0' }),
    },
    body: '',
  }),
})
