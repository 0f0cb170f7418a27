import { STATUS_CODES } from 'node:http'
import { z } from 'zod'
import { deliverWhole } from './deliver-whole.ts'
import { defineFault } from './fault.ts'

export const earlyHints = defineFault({
  name: 'early-hints',
  group: 'wrong',
  description:
    'An informational answer that nobody asked for, then the true one. HTTP allows it; some clients fail or take it for the answer.',
  settings: z.strictObject({
    status: z.literal([100, 102, 103]).default(103).describe('The status of the informational answer'),
  }),
  async deliver(answer, wire, { status }) {
    const link = status === 103 ? 'Link: </mailings>; rel=preload\r\n' : ''
    await wire.write(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${link}\r\n`)
    await deliverWhole(answer, wire)
  },
})
