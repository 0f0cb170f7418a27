import type { CaseFile } from './case-file.ts'
import type { Attempt, Sighting } from './evidence.ts'

/** A request that reads sendings, to find out what has become of one. */
export interface Look {
  readonly attempt: Attempt
  /** Whether it leaves out sendings that are not CREATED, so that it proves nothing (spec 3 rule 2). */
  readonly isPartial: boolean
}

/** Looks of a client between two of its requests that may have told it something. */
export function looksBetween(
  earlier: Attempt,
  later: Attempt,
  transactionId: string | undefined,
  file: CaseFile,
): Look[] {
  return file.readsBetween(earlier, later).flatMap(attempt => {
    if (attempt.delivered === 'none') return []
    const isPartial =
      attempt.operation === 'listSendings' && !/[?&]includeAllStates=true\b/.test(attempt.target)
    // What stands in it was seen, whatever it left out.
    const isSeen = attempt.told?.sightings?.some(it => it.transactionId === transactionId)
    if (!isSeen && isLedTo(attempt, earlier)) return []
    return [{ attempt, isPartial: isPartial && !isSeen }]
  })
}

/** Its HTTP library followed a redirect; the client did not mean to look. */
const isLedTo = ({ method, target }: Attempt, { told, target: from }: Attempt): boolean =>
  method === 'GET' && target === from && told !== undefined && [301, 302, 303].includes(told.status)

export const isRead = ({ operation }: Attempt): boolean =>
  operation === 'listSendings' || operation === 'getSending'

/** A sending of a transaction as a request showed it. */
export interface Seen {
  readonly read: Attempt
  /** Of the request. */
  readonly number: number
  readonly state: Sighting['state']
}

/** What reads showed, by synchronization and transaction. */
export type Sightings = ReadonlyMap<string | undefined, ReadonlyMap<string, readonly Seen[]>>

export function sightingsIn(reads: ReadonlyMap<string | undefined, readonly Attempt[]>): Sightings {
  const sightings = new Map<string | undefined, Map<string, Seen[]>>()
  for (const [synchronizationId, own] of reads) {
    const byTransaction = new Map<string, Seen[]>()
    for (const read of own)
      for (const { transactionId, state } of read.told?.sightings ?? []) {
        if (transactionId === undefined) continue
        const known = byTransaction.get(transactionId)
        if (!known) byTransaction.set(transactionId, [{ read, number: read.number, state }])
        // The first of several in one answer counts.
        else if (known.at(-1)!.read !== read) known.push({ read, number: read.number, state })
      }
    sightings.set(synchronizationId, byTransaction)
  }
  return sightings
}
