import { stateOf } from '../service/sendings/lifecycle.ts'
import type { SendingState } from '../store/rows.ts'
import type { SpaceRig } from './space-rig.ts'

/** A sending that a request created. */
export interface SendingMade {
  readonly id: string
  readonly synchronizationId: string
  readonly transactionId: string | null
  /** As it is now. */
  readonly state: SendingState
  /** ID of the request that created it. */
  readonly cause: string
}

/** The sendings that requests have created since the space began, in that order. */
export function sendingsMade({ space, clock }: SpaceRig): SendingMade[] {
  const now = clock.now()
  const made: SendingMade[] = []
  for (const { row } of space.data.tables.sendings.changes()) {
    const { id, synchronizationId, transactionId, cause } = row
    made.push({ id, synchronizationId, transactionId, state: stateOf(row, now), cause })
  }
  return made
}
