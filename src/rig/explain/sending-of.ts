import { isForgotten } from '../../service/sendings/transaction-expiry.ts'
import type { Sending } from '../../store/rows.ts'
import type { Entry } from '../entry.ts'
import type { EntryReader } from '../entry-reader.ts'
import { jsonOf } from '../entry-reader.ts'
import type { SpaceRig } from '../space-rig.ts'

/** The sending that a creation made or came upon, as it is now. */
export function sendingOf(entry: Entry, rig: SpaceRig, reader: EntryReader): Sending | undefined {
  if (reader.operation(entry) !== 'createSending') return undefined
  const { sendings } = rig.space.data.tables
  const id = entry.truth && jsonOf(entry.truth)?.id
  if (typeof id === 'string') return sendings.get(id)
  if (!entry.truth || entry.truth.status < 500) return undefined
  // An answer that tells of no sending, though there may be one.
  const transactionId = reader.transactionId(entry)
  const synchronizationId = reader.synchronizationId(entry)
  if (transactionId === undefined || synchronizationId === undefined) return undefined
  const known = rig.space.data.tables.sendingOfTransaction(synchronizationId, transactionId)
  return known && !isForgotten(known, rig.dials(entry.considered?.scenario), rig.clock.now())
    ? known
    : undefined
}
