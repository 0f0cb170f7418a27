import { type Exchange, isSuccess } from '../verify/exchange.ts'
import { hrefOf, member } from '../verify/hal.ts'
import { entriesOf } from '../verify/world.ts'
import { CannotPull } from './cannot-pull.ts'
import type { Notes } from './notes.ts'
import type { Source } from './source.ts'

/** No collection has more pages. */
const mostPages = 5_000
/** So many pages in a row may bring nothing new. */
const mostIdlePages = 3

export interface Reading {
  readonly source: Source
  readonly notes: Notes
  /** @throws a sentence for an answer without which there is no collection */
  readonly refuse: (exchange: Exchange) => never
  /** Hears how many entries there are so far. */
  readonly onEntries?: (count: number) => void
}

/**
 * All entries of a collection, page by page as its `next` links lead. Ends where they lead in a circle.
 * @param relation of the entries, without prefix
 * @throws CannotPull where a page cannot be had
 */
export async function entriesAt(address: string, relation: string, reading: Reading): Promise<unknown[]> {
  // A cursor lives for minutes: where an earlier run's has expired, the collection begins anew.
  return (
    (await pages(address, relation, reading, false)) ??
    (await pages(address, relation, reading, true)) ??
    expired(address)
  )
}

function expired(address: string): never {
  throw new CannotPull(`the pages of ${address} expire faster than they can be read; try a higher --rate`)
}

/** @returns undefined where a page is no more */
async function pages(
  address: string,
  relation: string,
  { source, notes, refuse, onEntries }: Reading,
  isFresh: boolean,
): Promise<unknown[] | undefined> {
  const entries = new Map<string, unknown>()
  const seen = new Set<string>()
  let idle = 0
  for (let next: string | undefined = address; next !== undefined; ) {
    if (seen.has(next)) {
      notes.add(`the pages of ${relation} lead in a circle; all that the circle has is here`)
      break
    }
    if (seen.size >= mostPages) throw new CannotPull(`${address} has more than ${mostPages} pages`)
    seen.add(next)
    const exchange: Exchange = await source.ask(next, isFresh)
    if (exchange.status === 410 && next !== address) return undefined
    if (!isSuccess(exchange)) refuse(exchange)
    const before = entries.size
    for (const entry of entriesOf(exchange.json, relation)) entries.set(keyOf(entry), entry)
    onEntries?.(entries.size)
    next = hrefOf(exchange.json, 'next')
    idle = entries.size > before ? 0 : idle + 1
    if (idle >= mostIdlePages && next !== undefined) {
      notes.add(`the pages of ${relation} bring nothing new and do not end; what came before is here`)
      break
    }
  }
  return [...entries.values()]
}

const keyOf = (entry: unknown): string =>
  String(member(entry, 'id') ?? member(entry, 'name') ?? JSON.stringify(entry))
