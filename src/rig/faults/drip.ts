import { z } from 'zod'
import { duration } from '../duration.ts'
import { bodyOf, headOf, wholeFraming } from './answer-bytes.ts'
import { defineFault, type Wire } from './fault.ts'

const dripSettings = z.strictObject({
  every: duration.prefault('300ms').describe('The pause before each piece, in real time'),
  bytes: z.int().min(1).default(1).describe('How many bytes a piece has'),
})

type DripSettings = z.output<typeof dripSettings>

export const drip = defineFault({
  name: 'drip',
  group: 'slow',
  description:
    'Headers at once, then the body byte by byte, to its end. A timeout that looks only at the pause between bytes never strikes.',
  settings: dripSettings,
  async deliver(answer, wire, settings) {
    await wire.write(headOf(answer, wholeFraming(answer), 'close'))
    if (await piecemeal(bodyOf(answer), wire, settings)) await wire.end('whole')
  },
})

export const dripHeaders = defineFault({
  name: 'drip-headers',
  group: 'slow',
  description: 'The headers byte by byte, then the body at once.',
  settings: dripSettings,
  async deliver(answer, wire, settings) {
    const head = headOf(answer, wholeFraming(answer), 'close')
    if (!(await piecemeal(head, wire, settings))) return
    await wire.write(bodyOf(answer))
    await wire.end('whole')
  },
})

/** False when the client left before the end. */
async function piecemeal(bytes: Buffer, wire: Wire, { every, bytes: size }: DripSettings): Promise<boolean> {
  for (let at = 0; at < bytes.length; at += size) {
    if (!(await wire.pause(every))) return false
    await wire.write(bytes.subarray(at, at + size))
  }
  return true
}
