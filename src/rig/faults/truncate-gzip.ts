import { gzipSync } from 'node:zlib'
import { z } from 'zod'
import { bodyOf, withBody } from './answer-bytes.ts'
import { defineFault } from './fault.ts'

const gzipHeader = 10

export const truncateGzip = defineFault({
  name: 'truncate-gzip',
  group: 'cut',
  description:
    'A gzip body without its end, under a Content-Length that fits what is left; many clients give out the shorter text without an error.',
  settings: z.strictObject({
    missing: z
      .int()
      .min(1)
      .default(12)
      .describe('How many bytes of the compressed body are missing at its end'),
  }),
  falsify(answer, { missing }) {
    const zipped = gzipSync(bodyOf(answer))
    const status = answer.status === 204 ? 200 : answer.status
    const kept = zipped.subarray(0, Math.max(gzipHeader, zipped.length - missing))
    return withBody({ ...answer, status }, kept, { 'Content-Encoding': 'gzip' })
  },
})
