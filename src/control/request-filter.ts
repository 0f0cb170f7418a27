import type { Journal } from '../rig/journal.ts'
import type { Delivery, RecordReader, RequestRecord } from '../rig/request-record.ts'
import type { OperationId } from '../service/operations.ts'

/** Selects requests: all given parts must match. Equality and prefix only. */
interface RecordFilter {
  readonly operation?: OperationId | undefined
  /** Status of an answer that was delivered whole: three digits, or a class such as `5xx`. */
  readonly status?: string | undefined
  /** A star at the end makes it a prefix; a transaction ID never contains a star. */
  readonly transactionId?: string | undefined
  readonly synchronizationId?: string | undefined
  readonly delivered?: Delivery | undefined
  /** Name of the scenario, or ID of the one-shot fault, that was applied. */
  readonly scenario?: string | undefined
}

/** Whether a record matches the filter. Cheap checks come first. */
export function matchesFilter(record: RequestRecord, filter: RecordFilter, reader: RecordReader): boolean {
  const { operation, status, transactionId, synchronizationId, delivered, scenario } = filter
  if (delivered !== undefined && record.delivered !== delivered) return false
  if (scenario !== undefined && record.decision?.scenario !== scenario) return false
  if (status !== undefined && !hasStatus(record, status)) return false
  if (operation !== undefined && reader.operation(record) !== operation) return false
  if (synchronizationId !== undefined && reader.synchronizationId(record) !== synchronizationId) return false
  return transactionId === undefined || matchesTransactionId(reader.transactionId(record), transactionId)
}

function hasStatus({ response, delivered }: RequestRecord, wanted: string): boolean {
  // A client has no status if the answer was withheld, cut, or has not been sent yet.
  if (!response || delivered !== 'handed') return false
  const seen = String(response.status)
  return wanted.endsWith('xx') ? seen[0] === wanted[0] : seen === wanted
}

function matchesTransactionId(seen: string | undefined, wanted: string): boolean {
  if (seen === undefined) return false
  return wanted.endsWith('*') ? seen.startsWith(wanted.slice(0, -1)) : seen === wanted
}

interface WaitCondition {
  readonly filter: RecordFilter
  /** Number of requests to wait for. */
  readonly count: number
  /** `closed`: they must have ended. `opened`: it is enough that they have arrived. */
  readonly state: 'closed' | 'opened'
  /** Only requests after the one with this number. */
  readonly since: number
}

/** How a wait ended. */
interface WaitResult {
  readonly isMet: boolean
  /** The matching requests, oldest first, including those that the journal has dropped meanwhile. */
  readonly entries: readonly RequestRecord[]
}

/**
 * Waits for requests of clients. The second delivery of `deliver: twice` does not count. The cost per request is
 * constant.
 * @param left resolves when the caller stops waiting
 */
export async function waitForRecords(
  journal: Journal,
  reader: RecordReader,
  { filter, count, state, since }: WaitCondition,
  left: Promise<unknown>,
): Promise<WaitResult> {
  const found = new Set<RequestRecord>()
  const look = (record: RequestRecord): void => {
    if (record.number <= since || record.twinOf !== undefined) return
    if (state === 'closed' && !record.ended) return
    if (matchesFilter(record, filter, reader)) found.add(record)
  }
  const isMet = await journal.waitUntil(changed => {
    if (changed) look(changed)
    else for (const record of journal.entries()) look(record)
    return found.size >= count
  }, left)
  return { isMet, entries: [...found].sort((a, b) => a.number - b.number) }
}
