import type { Answer } from '../../service/answer.ts'
import { bodyOf, headOf, wholeFraming } from './answer-bytes.ts'
import type { Fault, FaultContext, Wire } from './fault.ts'

/**
 * Lets a fault strike. A fault on the wire is over when this resolves; of any other the falsified answer is given back,
 * to be delivered as every answer is.
 *
 * @param settings as the fault's own schema has read them
 */
export async function deliver(
  fault: Fault,
  settings: unknown,
  answer: Answer,
  wire: Wire,
  context: FaultContext,
): Promise<Answer | undefined> {
  if ('falsify' in fault) return fault.falsify(answer, settings, context)
  await fault.deliver(answer, wire, settings, context)
  return undefined
}

/** Sends an answer whole over a wire, and closes the connection after it. */
export async function deliverWhole(answer: Answer, wire: Wire): Promise<void> {
  await wire.write(Buffer.concat([headOf(answer, wholeFraming(answer), 'close'), bodyOf(answer)]))
  await wire.end('whole')
}
