import type { Entry } from './entry.ts'
import { type EntryFilter, matches } from './entry-filter.ts'
import type { EntryReader } from './entry-reader.ts'
import type { Journal } from './journal.ts'

export interface Wanted {
  readonly filter: EntryFilter
  /** How many. */
  readonly count: number
  /** Whether they must have ended, or need only have come. */
  readonly state: 'closed' | 'opened'
  /** Only requests after the one with this number. */
  readonly since: number
}

/** How a wait ended. */
export interface Awaited {
  readonly isMet: boolean
  /** Those that came, the oldest first; also such as the journal has dropped meanwhile. */
  readonly entries: readonly Entry[]
}

/**
 * Waits for requests of clients; the second delivery that `deliver: twice` makes is none. Costs as much for the
 * thousandth request as for the first.
 * @param left resolves when nobody waits any more
 */
export async function awaitEntries(
  journal: Journal,
  reader: EntryReader,
  { filter, count, state, since }: Wanted,
  left: Promise<unknown>,
): Promise<Awaited> {
  const found = new Set<Entry>()
  const look = (entry: Entry): void => {
    if (entry.number <= since || entry.twinOf !== undefined) return
    if (state === 'closed' && !entry.ended) return
    if (matches(entry, filter, reader)) found.add(entry)
  }
  const isMet = await journal.when(changed => {
    if (changed) look(changed)
    else for (const entry of journal.entries()) look(entry)
    return found.size >= count
  }, left)
  return { isMet, entries: [...found].sort((a, b) => a.number - b.number) }
}
