import { type Fault, type FaultContext, tellResponse, type Wire } from '../../../src/rig/faults/fault.ts'
import type { Answer } from '../../../src/service/response.ts'

/** Lets a fault strike: over when this resolves, unless it gives back a falsified answer to be delivered. */
export async function deliver(
  fault: Fault,
  settings: unknown,
  answer: Answer,
  wire: Wire,
  context: FaultContext,
): Promise<Answer | undefined> {
  if ('falsify' in fault) return fault.falsify(answer, settings, context)
  await fault.deliver(tellResponse(fault, answer, settings), wire, settings, context)
  return undefined
}
