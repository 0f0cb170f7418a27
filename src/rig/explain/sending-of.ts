import { isForgotten } from '../../service/sendings/transaction-expiry.ts'
import type { Sending } from '../../store/rows.ts'
import type { Entry } from '../entry.ts'
import type { EntryReader } from '../entry-reader.ts'
import { jsonOf } from '../entry-reader.ts'
import type { SpaceRig } from '../space-rig.ts'

/** The sending that a creation made or came upon, as it is now. */
export const sendingOf = (entry: Entry, rig: SpaceRig, reader: EntryReader): Sending | undefined =>
  entry.truth && reader.operation(entry) === 'createSending' ? sendingNamed(entry, rig, reader) : undefined

/** The sending that a creation or a look at one is about, as it is now, whether or not the request has reached it. */
export function sendingNamed(entry: Entry, rig: SpaceRig, reader: EntryReader): Sending | undefined {
  const { tables } = rig.space.data
  const { truth } = entry
  const operation = reader.operation(entry)
  if (operation !== 'createSending' && operation !== 'getSending') return undefined
  if (truth && truth.status >= 400 && truth.status < 500) return undefined
  const id = truth && jsonOf(truth)?.id
  if (typeof id === 'string') return tables.sendings.get(id)
  // An answer that tells of no sending, though there may be one.
  const transactionId = reader.transactionId(entry)
  const synchronizationId = reader.synchronizationId(entry)
  if (transactionId === undefined || synchronizationId === undefined) return undefined
  const holder = tables.sendingOfTransaction(synchronizationId, transactionId)
  return holder && !isForgotten(holder, rig.dials(entry.considered?.scenario), rig.clock.now())
    ? holder
    : undefined
}
