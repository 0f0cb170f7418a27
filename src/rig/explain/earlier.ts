import type { Sending } from '../../store/rows.ts'
import type { Entry } from '../entry.ts'
import type { Known } from './known.ts'
import { sendingNamed } from './sending-of.ts'

/** A sending that was there before a request asked for it, or for its transaction ID. */
export interface Earlier {
  readonly sending: Sending
  /** The request that made it; undefined where none that is on record did. */
  readonly first: Entry | undefined
}

/** The sending that a repeat or a look came upon, or that a repeat did not reach. */
export function earlierOf(entry: Entry, { rig, reader }: Pick<Known, 'rig' | 'reader'>): Earlier | undefined {
  const sending = sendingNamed(entry, rig, reader)
  if (!sending || sending.cause === entry.id || sending.cause === entry.twinOf) return undefined
  const first = rig.journal.find(sending.cause)
  // A later request may have made it, where this one was lost before it did.
  if (first && first.number > entry.number) return undefined
  return { sending, first }
}

/** Whether a sending was made to be something else than sent at once. */
export const isPlanned = ({ plan }: Sending): boolean => plan.length > 1 || plan[0]!.state !== 'CREATED'
