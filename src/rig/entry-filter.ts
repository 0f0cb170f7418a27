import type { OperationId } from '../service/operations.ts'
import type { Delivered, Entry } from './entry.ts'
import type { EntryReader } from './entry-reader.ts'

/** Which requests somebody wants to see: all parts that are given must hold. Equality and prefix only. */
export interface EntryFilter {
  readonly operation?: OperationId | undefined
  /** Of an answer that left whole: three digits, or a class such as `5xx`. */
  readonly status?: string | undefined
  /** A star at the end makes it a prefix; a transaction ID has none of its own. */
  readonly transactionId?: string | undefined
  readonly synchronizationId?: string | undefined
  readonly delivered?: Delivered | undefined
  /** Of the scenario, or the one-shot fault, that struck. */
  readonly scenario?: string | undefined
}

/** Whether an entry is as the filter says. What is cheap to find out is looked at first. */
export function matches(entry: Entry, filter: EntryFilter, reader: EntryReader): boolean {
  const { operation, status, transactionId, synchronizationId, delivered, scenario } = filter
  if (delivered !== undefined && entry.delivered !== delivered) return false
  if (scenario !== undefined && entry.decision?.scenario !== scenario) return false
  if (status !== undefined && !isOfStatus(entry, status)) return false
  if (operation !== undefined && reader.operation(entry) !== operation) return false
  if (synchronizationId !== undefined && reader.synchronizationId(entry) !== synchronizationId) return false
  return transactionId === undefined || isOfTransaction(reader.transactionId(entry), transactionId)
}

function isOfStatus({ told, delivered }: Entry, wanted: string): boolean {
  // A client has no status of an answer that was withheld, cut, or is still to leave.
  if (!told || delivered !== 'handed') return false
  const seen = String(told.status)
  return wanted.endsWith('xx') ? seen[0] === wanted[0] : seen === wanted
}

function isOfTransaction(seen: string | undefined, wanted: string): boolean {
  if (seen === undefined) return false
  return wanted.endsWith('*') ? seen.startsWith(wanted.slice(0, -1)) : seen === wanted
}
