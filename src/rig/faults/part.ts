import { z } from 'zod'
import type { Answer } from '../../service/answer.ts'
import { bodyOf, cutHead, type Framing, headOf, wholeFraming } from './answer-bytes.ts'
import type { Wire } from './fault.ts'

/** For faults that send a part of the body. */
export const partSettings = z.strictObject({
  bytes: z
    .int()
    .min(0)
    .optional()
    .describe('How many bytes of the body go out, at most all but one; half of them where not given'),
})

export type PartSettings = z.output<typeof partSettings>

export const noSettings = z.strictObject({})

/** The first bytes of a body, never all of them. */
export function partOf(body: Buffer, bytes = Math.floor(body.length / 2)): Buffer {
  return body.subarray(0, Math.min(bytes, Math.max(body.length - 1, 0)))
}

/**
 * Writes the head and a part of the body. Of an answer without a body it is the head that is cut: whatever follows, the
 * client must not get hold of a whole answer.
 */
export async function writePart(
  answer: Answer,
  wire: Wire,
  { bytes }: PartSettings,
  framing: Framing = wholeFraming(answer),
  connection: 'keep-alive' | 'close' = 'keep-alive',
): Promise<void> {
  const head = headOf(answer, framing, connection)
  const body = bodyOf(answer)
  if (body.length === 0) return wire.write(cutHead(head))
  return wire.write(Buffer.concat([head, partOf(body, bytes)]))
}
