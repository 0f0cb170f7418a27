import type { CaseFile } from './case-file.ts'
import type { Attempt } from './evidence.ts'

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
  return file.between(earlier, later).flatMap(attempt => {
    if (!isRead(attempt) || attempt.delivered === 'none') return []
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
