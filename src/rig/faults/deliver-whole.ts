import type { Answer } from '../../service/answer.ts'
import { bodyOf, headOf, wholeFraming } from './answer-bytes.ts'
import type { Wire } from './fault.ts'

/** Sends an answer whole over a wire, and closes the connection after it. */
export async function deliverWhole(answer: Answer, wire: Wire): Promise<void> {
  await wire.write(Buffer.concat([headOf(answer, wholeFraming(answer), 'close'), bodyOf(answer)]))
  await wire.end('whole')
}
