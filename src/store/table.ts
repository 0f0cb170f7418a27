import { weighRow } from './memory-budget.ts'

/**
 * Rows of a space: an immutable base, shared by every space with the same fixture, plus the changes of this space. So a new
 * space or a reset costs nothing, whatever the fixture's size. Rows are never changed in place and never removed (the
 * service has no delete operation), so a position is stable for the life of the table and a cursor may contain one.
 */
export class Base<Key, Row extends object> {
  readonly rows: readonly Row[]
  readonly keyOf: (row: Row) => Key
  readonly #positions = new Map<Key, number>()
  /** The highest key of a table with numbers for keys, else 0. */
  readonly highest: number

  constructor(rows: readonly Row[], keyOf: (row: Row) => Key) {
    this.rows = rows
    this.keyOf = keyOf
    let highest = 0
    for (const [position, row] of rows.entries()) {
      const key = keyOf(row)
      this.#positions.set(key, position)
      if (typeof key === 'number' && key > highest) highest = key
    }
    this.highest = highest
  }

  position(key: Key): number | undefined {
    return this.#positions.get(key)
  }
}

export class Table<Key, Row extends object> {
  readonly #base: Base<Key, Row>
  readonly #replaced = new Map<number, Row>()
  readonly #added: Row[] = []
  readonly #addedPositions = new Map<Key, number>()
  /**
   * The first key while the keys of added rows are consecutive numbers, as in the platform's tables. Positions then follow
   * from the keys and are not stored.
   */
  #firstInRun: number | undefined
  readonly #replacedSequences = new Map<number, number>()
  readonly #addedSequences: number[] = []
  readonly #indexes: Index<Row>[] = []
  readonly #orders = new Map<string, { revision: number; positions: readonly number[] }>()
  #revision = 0
  #highest: number
  #changedBytes = 0

  constructor(base: Base<Key, Row>) {
    this.#base = base
    this.#highest = base.highest
  }

  /** The highest key of a table with numbers for keys, else 0. */
  get highest(): number {
    return this.#highest
  }

  /** `highest` before any row was added. */
  get baseHighest(): number {
    return this.#base.highest
  }

  /** Bytes of the rows that differ from the base, roughly. */
  get changedBytes(): number {
    return this.#changedBytes
  }

  get addedCount(): number {
    return this.#added.length
  }

  get size(): number {
    return this.#base.rows.length + this.#added.length
  }

  keyOf(row: Row): Key {
    return this.#base.keyOf(row)
  }

  position(key: Key): number | undefined {
    return this.#base.position(key) ?? this.#addedPosition(key)
  }

  #addedPosition(key: Key): number | undefined {
    if (this.#firstInRun === undefined) return this.#addedPositions.get(key)
    const at = typeof key === 'number' ? key - this.#firstInRun : -1
    return at >= 0 && at < this.#added.length ? this.#base.rows.length + at : undefined
  }

  /** @param position of the row that comes next */
  #recordPosition(key: Key, position: number): void {
    const count = this.#added.length
    if (count === 0) this.#firstInRun = typeof key === 'number' ? key : undefined
    const first = this.#firstInRun
    if (first === undefined) this.#addedPositions.set(key, position)
    else if (key !== first + count) {
      this.#firstInRun = undefined
      for (const [at, row] of this.#added.entries())
        this.#addedPositions.set(this.#base.keyOf(row), position - count + at)
      this.#addedPositions.set(key, position)
    }
  }

  get(key: Key): Row | undefined {
    const position = this.position(key)
    return position === undefined ? undefined : this.at(position)
  }

  /** The row at a position below `size`; positions follow the order in which rows came in. */
  at(position: number): Row {
    const based = this.#base.rows.length
    if (position >= based) return this.#added[position - based]!
    return this.#replaced.get(position) ?? this.#base.rows[position]!
  }

  /** Adds the row, or replaces the one with its key. `sequence` is the number of the save that does it. */
  put(row: Row, sequence: number): void {
    const key = this.#base.keyOf(row)
    this.#putAt(this.#positionOf(key), key, row, sequence)
  }

  /**
   * Like `put`, for a change that may still fail.
   * @returns undoes the change; later changes have to be undone first
   */
  putWithUndo(row: Row, sequence: number): () => void {
    const key = this.#base.keyOf(row)
    const position = this.#positionOf(key)
    const takeBack = position === undefined ? this.#undoAdd(key, row) : this.#undoReplace(position)
    const before = this.#changedBytes
    this.#putAt(position, key, row, sequence)
    return () => {
      takeBack()
      this.#changedBytes = before
    }
  }

  /** Position of the row with this key. A number above the highest is new and needs no look-up. */
  #positionOf(key: Key): number | undefined {
    return typeof key === 'number' && key > this.#highest ? undefined : this.position(key)
  }

  /** @param position of the row with this key; undefined if there is none */
  #putAt(position: number | undefined, key: Key, row: Row, sequence: number): void {
    const based = this.#base.rows.length
    this.#revision++
    const before =
      position === undefined
        ? undefined
        : position < based
          ? this.#replaced.get(position)
          : this.#added[position - based]
    this.#changedBytes += weighRow(row) - (before ? weighRow(before) : 0)
    if (position === undefined) {
      const fresh = based + this.#added.length
      this.#recordPosition(key, fresh)
      if (typeof key === 'number' && key > this.#highest) this.#highest = key
      this.#added.push(row)
      this.#addedSequences.push(sequence)
      for (const index of this.#indexes) index.add(row, fresh)
    } else if (position < based) {
      this.#replaced.set(position, row)
      this.#replacedSequences.set(position, sequence)
    } else {
      this.#added[position - based] = row
      this.#addedSequences[position - based] = sequence
    }
  }

  /** Returns a function that removes the row that is about to be added. */
  #undoAdd(key: Key, row: Row): () => void {
    const highest = this.#highest
    return () => {
      this.#revision++
      this.#added.pop()
      this.#addedSequences.pop()
      this.#addedPositions.delete(key)
      this.#highest = highest
      for (const index of this.#indexes) index.removeLast(row)
    }
  }

  /** Returns a function that restores the row that is about to be replaced. */
  #undoReplace(position: number): () => void {
    const added = position - this.#base.rows.length
    if (added >= 0) {
      const before = this.#added[added]!
      const sequence = this.#addedSequences[added]!
      return () => {
        this.#revision++
        this.#added[added] = before
        this.#addedSequences[added] = sequence
      }
    }
    const before = this.#replaced.get(position)
    const sequence = this.#replacedSequences.get(position)
    return () => {
      this.#revision++
      if (before) {
        this.#replaced.set(position, before)
        this.#replacedSequences.set(position, sequence!)
      } else {
        this.#replaced.delete(position)
        this.#replacedSequences.delete(position)
      }
    }
  }

  /** The number of the save that last changed this row; 0 for an unchanged row of the fixture. */
  sequence(row: Row): number {
    const position = this.position(this.#base.keyOf(row))
    if (position === undefined) return 0
    const based = this.#base.rows.length
    return (
      (position < based ? this.#replacedSequences.get(position) : this.#addedSequences[position - based]) ?? 0
    )
  }

  *rows(): Generator<Row> {
    for (let position = 0; position < this.size; position++) yield this.at(position)
  }

  /** Only rows that differ from the base, in order, each with the number of the save that changed it. */
  *changes(): Generator<{ row: Row; sequence: number }> {
    for (const [position, row] of this.#replaced)
      yield { row, sequence: this.#replacedSequences.get(position) ?? 0 }
    for (let at = 0; at < this.#added.length; at++)
      yield { row: this.#added[at]!, sequence: this.#addedSequences[at] ?? 0 }
  }

  /** Like `changes`, but fixed at this moment. Copies references, not rows. */
  captureChanges(): { readonly count: number; each(): Generator<{ row: Row; sequence: number }> } {
    const replaced = [...this.#replaced]
    const replacedSequences = replaced.map(([position]) => this.#replacedSequences.get(position) ?? 0)
    const added = this.#added.slice()
    const addedSequences = this.#addedSequences.slice()
    return {
      count: replaced.length + added.length,
      *each() {
        for (const [at, [, row]] of replaced.entries()) yield { row, sequence: replacedSequences[at]! }
        for (const [at, row] of added.entries()) yield { row, sequence: addedSequences[at]! }
      },
    }
  }

  /** Counts the changes of this table. */
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
