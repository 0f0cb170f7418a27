/** The tables that can be filled with generated rows, by the names that the API document has for them. */
export const tables = [
  'customers',
  'lists',
  'mailings',
  'synchronizations',
  'mailing-uploads',
  'sendings',
] as const

export type Table = (typeof tables)[number]
/** How many rows to add, by table. */
export type Counts = Readonly<Partial<Record<Table, number>>>

const most = 1_000_000

/**
 * Reads what `--generate` is given, such as `mailings=10000,synchronizations=2000`.
 * @throws Error saying what was seen and what is possible
 */
export function parseCounts(text: string): Counts {
  const counts: Partial<Record<Table, number>> = {}
  for (const part of text.split(',').map(it => it.trim())) {
    const [name = '', count, ...rest] = part.split('=').map(it => it.trim())
    if (count === undefined || rest.length > 0) {
      throw new Error(`cannot read "${part}": expected table=count, such as mailings=10000`)
    }
    const table = asTable(name)
    if (table in counts) throw new Error(`"${name}" is given twice: expected each table once`)
    if (!/^[+-]?\d+$/.test(count)) throw new Error(wrongCount(table, `"${count}"`))
    counts[table] = asCount(table, Number(count))
  }
  return counts
}

/**
 * The count of every table, 0 where none is given.
 * @throws Error as parseCounts does
 */
export function completed(counts: Readonly<Partial<Record<string, number>>>): Record<Table, number> {
  for (const name of Object.keys(counts)) asTable(name)
  const entries = tables.map(table => [table, asCount(table, counts[table] ?? 0)])
  return Object.fromEntries(entries) as Record<Table, number>
}

function asTable(name: string): Table {
  const table = tables.find(it => it === name)
  if (!table) throw new Error(`there is no table "${name}" to fill: expected one of ${tables.join(', ')}`)
  return table
}

function asCount(table: Table, count: number): number {
  if (!Number.isInteger(count) || count < 0 || count > most) throw new Error(wrongCount(table, String(count)))
  return count
}

const wrongCount = (table: Table, seen: string) =>
  `the count of ${table} is ${seen}: expected a whole number from 0 to ${most}`
