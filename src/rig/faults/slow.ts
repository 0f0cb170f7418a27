import { z } from 'zod'
import { duration } from '../duration.ts'
import {
  bodyBytes,
  closeAfter,
  type Fault,
  faultDefiner,
  headBytes,
  partBytes,
  partSettings,
  type Wire,
} from './fault.ts'

const define = faultDefiner('slow')

const dripSettings = z.strictObject({
  every: duration.prefault('300ms').describe('The pause before each piece, in real time'),
  bytes: z.int().min(1).default(1).describe('How many bytes a piece has'),
})

type DripSettings = z.output<typeof dripSettings>

/** Returns false if the client left before the end. */
async function writeSlowly(
  bytes: Buffer,
  wire: Wire,
  { every, bytes: size }: DripSettings,
): Promise<boolean> {
  for (let at = 0; at < bytes.length; at += size) {
    if (!(await wire.pause(every))) return false
    await wire.write(bytes.subarray(at, at + size))
  }
  return true
}

export const slowFaults: readonly Fault[] = [
  define({
    name: 'stall',
    description: 'Headers and a part of the body, then nothing more, over an open connection.',
    settings: partSettings,
    bytes: partBytes,
    after: 'wait',
    takesTime: true,
  }),
  define({
    name: 'drip',
    takesTime: true,
    description:
      'Headers at once, then the body byte by byte, to its end. A timeout that looks only at the pause between bytes never fires.',
    settings: dripSettings,
    tell: closeAfter,
    async deliver(response, wire, settings) {
      await wire.write(headBytes(response))
      if (await writeSlowly(bodyBytes(response), wire, settings)) await wire.end('whole')
    },
  }),
  define({
    name: 'drip-headers',
    takesTime: true,
    description: 'The headers byte by byte, then the body at once.',
    settings: dripSettings,
    tell: closeAfter,
    async deliver(response, wire, settings) {
      if (!(await writeSlowly(headBytes(response), wire, settings))) return
      await wire.write(bodyBytes(response))
      await wire.end('whole')
    },
  }),
]
