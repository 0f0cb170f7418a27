import { weighRow } from './memory-budget.ts'

/**
 * Rows of a space: an immutable base, shared by every space with the same fixture, plus the changes of this space. So a new
 * space or a reset costs nothing, whatever the fixture's size. Rows are never changed in place and never removed (the
 * service has no delete operation), so a position is stable for the life of the table and a cursor may contain one.
 */
export class Base<Key, Row extends object> {
  readonly rows: readonly Row[]
  readonly keyOf: (row: Row) => Key
  readonly positions: ReadonlyMap<Key, number>
  /** The highest key of a table with numbers for keys, else 0. */
  readonly highest: number

  constructor(rows: readonly Row[], keyOf: (row: Row) => Key) {
    this.rows = rows
    this.keyOf = keyOf
    const positions = new Map<Key, number>()
    let highest = 0
    for (const [position, row] of rows.entries()) {
      const key = keyOf(row)
      positions.set(key, position)
      if (typeof key === 'number' && key > highest) highest = key
    }
    this.positions = positions
    this.highest = highest
  }
}

/** A row with the number of the save that last changed it: 0 for a row of the base. */
export interface ChangedRow<Row> {
  readonly row: Row
  readonly sequence: number
}

export class Table<Key, Row extends object> {
  readonly #base: Base<Key, Row>
  readonly #replaced = new Map<number, ChangedRow<Row>>()
  readonly #added: Row[] = []
  /** Of the saves that last changed the added rows. Beside them: an object for each pair is a third more to keep. */
  readonly #addedSequences: number[] = []
  /** Of added rows, but for the run of consecutive numbers that the platform's IDs begin with. */
  readonly #addedPositions = new Map<Key, number>()
  #runStart = 0
  #runLength = 0
  readonly #indexes: Index<Row>[] = []
  readonly #orders = new Map<string, { revision: number; positions: readonly number[] }>()
  #revision = 0
  #highest: number
  readonly #changed: { bytes: number }

  /** @param changed counts the bytes of the rows that differ from the base, roughly, for all tables of a space */
  constructor(base: Base<Key, Row>, changed = { bytes: 0 }) {
    this.#base = base
    this.#highest = base.highest
    this.#changed = changed
  }

  get highest(): number {
    return this.#highest
  }

  /** The next of consecutive numbers, some of which are left out. @param first where there are no rows */
  nextNumber(first: number, skipped: number): number {
    const next = Math.max(first, this.#base.highest + 1) + this.#added.length + skipped
    return Math.max(this.#highest + 1, next)
  }

  get size(): number {
    return this.#base.rows.length + this.#added.length
  }

  keyOf(row: Row): Key {
    return this.#base.keyOf(row)
  }

  position(key: Key): number | undefined {
    const inRun = typeof key === 'number' ? key - this.#runStart : -1
    if (inRun >= 0 && inRun < this.#runLength) return this.#base.rows.length + inRun
    return this.#base.positions.get(key) ?? this.#addedPositions.get(key)
  }

  get(key: Key): Row | undefined {
    const position = this.position(key)
    return position === undefined ? undefined : this.at(position)
  }

  /** The row at a position below `size`; positions follow the order in which rows came in. */
  at(position: number): Row {
    const based = this.#base.rows.length
    if (position >= based) return this.#added[position - based]!
    return this.#replaced.get(position)?.row ?? this.#base.rows[position]!
  }

  #changedAt(position: number): ChangedRow<Row> | undefined {
    const at = position - this.#base.rows.length
    if (at < 0) return this.#replaced.get(position)
    return { row: this.#added[at]!, sequence: this.#addedSequences[at]! }
  }

  /**
   * Adds the row, or replaces the one with its key.
   * @param sequence number of the save that does it
   * @returns what the row replaced, for `takeBack`
   */
  put(row: Row, sequence: number): ChangedRow<Row> | undefined {
    const key = this.#base.keyOf(row)
    // Keys that count up, as those of the platform do, need no look-up.
    const isNext = typeof key === 'number' && key > this.#highest
    const position = isNext ? undefined : this.position(key)
    this.#revision++
    this.#changed.bytes += weighRow(row)
    if (position === undefined) {
      this.#add(key, row, sequence)
      return undefined
    }
    const before = this.#changedAt(position)
    if (before) this.#changed.bytes -= weighRow(before.row)
    this.#replace(position, { row, sequence })
    return before ?? { row: this.#base.rows[position]!, sequence: 0 }
  }

  /** Undoes the put of a row. Later changes have to be undone first. @param before what the put returned */
  takeBack(row: Row, before: ChangedRow<Row> | undefined): void {
    const key = this.#base.keyOf(row)
    this.#revision++
    this.#changed.bytes -= weighRow(row)
    if (!before) this.#removeLast(key, row)
    else if (before.sequence === 0) this.#replace(this.position(key)!, undefined)
    else {
      this.#changed.bytes += weighRow(before.row)
      this.#replace(this.position(key)!, before)
    }
  }

  #add(key: Key, row: Row, sequence: number): void {
    const position = this.size
    const isNumber = typeof key === 'number'
    if (isNumber && position === this.#base.rows.length) this.#runStart = key
    const isInRun =
      isNumber && this.#runLength === this.#added.length && key === this.#runStart + this.#runLength
    if (isInRun) this.#runLength++
    else this.#addedPositions.set(key, position)
    this.#added.push(row)
    this.#addedSequences.push(sequence)
    if (isNumber && key > this.#highest) this.#highest = key
    for (const index of this.#indexes) index.add(row, position)
  }

  #removeLast(key: Key, row: Row): void {
    this.#added.pop()
    this.#addedSequences.pop()
    if (!this.#addedPositions.delete(key)) this.#runLength--
    for (const index of this.#indexes) index.removeLast(row)
    if (key !== this.#highest) return
    this.#highest = this.#base.highest
    for (const added of this.#added) {
      const other = this.#base.keyOf(added)
      if (typeof other === 'number' && other > this.#highest) this.#highest = other
    }
  }

  /** @param changed undefined for the row of the base */
  #replace(position: number, changed: ChangedRow<Row> | undefined): void {
    const at = position - this.#base.rows.length
    if (!changed) this.#replaced.delete(position)
    else if (at < 0) this.#replaced.set(position, changed)
    else {
      this.#added[at] = changed.row
      this.#addedSequences[at] = changed.sequence
    }
  }

  /** The number of the save that last changed this row; 0 for an unchanged row of the fixture. */
  sequence(row: Row): number {
    return this.#changedAt(this.position(this.#base.keyOf(row))!)?.sequence ?? 0
  }

  *rows(): Generator<Row> {
    for (let position = 0; position < this.size; position++) yield this.at(position)
  }

  /** Only rows that differ from the base now, in order. */
  changes(): readonly ChangedRow<Row>[] {
    const added = this.#added.map((row, at) => ({ row, sequence: this.#addedSequences[at]! }))
    return [...this.#replaced.values(), ...added]
  }

  get revision(): number {
    return this.#revision
  }

  /**
   * All positions in the given order, cached until the table changes. Equal rows keep their order of insertion.
   * @param other the revision of another table that `compare` reads
   */
  order(name: string, compare: (a: Row, b: Row) => number, other = 0): readonly number[] {
    const known = this.#orders.get(name)
    const revision = this.#revision + other
    if (known?.revision === revision) return known.positions
    const positions = Array.from({ length: this.size }, (_, position) => position)
    positions.sort((a, b) => compare(this.at(a), this.at(b)) || a - b)
    this.#orders.set(name, { revision, positions })
    return positions
  }

  /** Adds an index of rows by a value. The value of a row must never change. */
  index(base: BaseIndex<Row>): Index<Row> {
    const index = new Index(base)
    for (let position = this.#base.rows.length; position < this.size; position++)
      index.add(this.at(position), position)
    this.#indexes.push(index)
    return index
  }
}

/** Positions of rows by value. Nearly always one row has a value, which then needs no array. */
type Positions = Map<string, number | number[]>

/** Positions of a base's rows by a value, made once and shared like the base. */
export class BaseIndex<Row extends object> {
  readonly groupOf: (row: Row) => string | null
  readonly positions: Positions = new Map()

  constructor(rows: readonly Row[], groupOf: (row: Row) => string | null) {
    this.groupOf = groupOf
    for (const [position, row] of rows.entries()) addPosition(this.positions, groupOf(row), position)
  }
}

export class Index<Row extends object> {
  readonly #base: BaseIndex<Row>
  readonly #added: Positions = new Map()

  constructor(base: BaseIndex<Row>) {
    this.#base = base
  }

  add(row: Row, position: number): void {
    addPosition(this.#added, this.#base.groupOf(row), position)
  }

  /** Undoes the last `add`. */
  removeLast(row: Row): void {
    const value = this.#base.groupOf(row)
    if (value === null) return
    const known = this.#added.get(value)
    if (typeof known === 'number' || known?.length === 1) this.#added.delete(value)
    else known?.pop()
  }

  count(value: string): number {
    return countPositions(this.#base.positions.get(value)) + countPositions(this.#added.get(value))
  }

  /** Position of the last added row with this value. */
  last(value: string): number | undefined {
    const positions = this.#added.get(value) ?? this.#base.positions.get(value)
    return typeof positions === 'object' ? positions.at(-1) : positions
  }

  /** Position of the n-th row (from 0) with this value, in order of insertion. */
  nth(value: string, n: number): number | undefined {
    const based = this.#base.positions.get(value)
    const count = countPositions(based)
    return n < count ? positionAt(based, n) : positionAt(this.#added.get(value), n - count)
  }
}

const countPositions = (positions: number | number[] | undefined) =>
  positions === undefined ? 0 : typeof positions === 'number' ? 1 : positions.length

const positionAt = (positions: number | number[] | undefined, n: number) =>
  typeof positions === 'number' ? (n === 0 ? positions : undefined) : positions?.[n]

function addPosition(map: Positions, value: string | null, position: number): void {
  if (value === null) return
  const known = map.get(value)
  if (known === undefined) map.set(value, position)
  else if (typeof known === 'number') map.set(value, [known, position])
  else known.push(position)
}
