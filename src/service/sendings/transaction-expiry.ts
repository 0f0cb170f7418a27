import type { Sending } from '../../store/rows.ts'
import type { DialValues } from '../dials.ts'

const hour = 3_600_000

/** How long a transaction ID is remembered, in milliseconds of the space's clock; nothing in the document ends it. */
const lives: Record<DialValues['transaction-expiry'], number> = {
  never: Number.POSITIVE_INFINITY,
  '72h': 72 * hour,
  '24h': 24 * hour,
}

/** Whether the transaction ID of this sending is forgotten: a request that carries it again makes a new sending. */
export const isForgotten = (known: Sending, dials: DialValues, now: number): boolean =>
  now - Date.parse(known.creationDate) >= lives[dials['transaction-expiry']]
