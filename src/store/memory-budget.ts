import { getHeapStatistics } from 'node:v8'

/** What memory is used for. */
export const memoryKinds = [
  /** Requests that are not over yet, with those that are held or delayed, and bodies that still arrive. */
  'requests',
  'journals',
  /** Rendered answers, and how far scenarios have come. */
  'caches',
  'scenarios',
  /** Open spaces, with content of their own. */
  'spaces',
  /** What was changed in spaces. */
  'rows',
  'streams',
  'exams',
] as const

export type MemoryKind = (typeof memoryKinds)[number]

/** A holder of memory that can be given back: journal entries, caches. */
export interface Reclaimable {
  readonly reclaimableBytes: number
  /** Gives back about half of it. */
  reclaim(): void
}

/** An object for each kind: every request counts several times, and a search by name costs more than the counting. */
type Used = { bytes: number }

/** What one holder has of the budget. */
export class MemoryShare {
  /** What it has; 0 when it is closed. */
  bytes = 0
  readonly #budget: MemoryBudget
  readonly #used: Used
  #isClosed = false

  /** @param used of its kind */
  constructor(budget: MemoryBudget, used: Used) {
    this.#budget = budget
    this.#used = used
  }

  add(bytes: number): void {
    if (this.#isClosed) return
    this.bytes += bytes
    this.#budget.addTo(this.#used, bytes)
  }

  set(bytes: number): void {
    this.add(bytes - this.bytes)
  }

  /** @throws MemoryFullError if there is no room for this many bytes more */
  demand(bytes: number): void {
    this.#budget.demand(bytes)
  }

  /** Gives everything back. What is added later no longer counts: the holder is about to go. */
  close(): void {
    this.set(0)
    this.#isClosed = true
  }
}

/** There is no room for a demand. Nothing was done. */
export class MemoryFullError extends Error {
  override readonly name = 'MemoryFullError'
}

export const mebibyte = 1 << 20

/**
 * Half of the heap, in MiB: the rest is for the program, for work in progress and for garbage. At most a quarter of the
 * memory of the container: in a small one the heap may become larger than that.
 */
export const defaultMemoryLimit = () => {
  const container = process.constrainedMemory() || Number.POSITIVE_INFINITY
  return Math.floor(Math.min(getHeapStatistics().heap_size_limit / 2, container / 4) / mebibyte)
}

/** Estimates in bytes, measured with the heap. */
const rowBytes = 100
const valueBytes = 8

/** Bytes of a value from JSON, roughly. */
export function weigh(value: unknown): number {
  if (typeof value === 'string') return valueBytes + value.length
  if (typeof value !== 'object' || value === null) return valueBytes
  let bytes = valueBytes
  if (Array.isArray(value)) for (const entry of value) bytes += weigh(entry)
  else
    for (const name in value) {
      const member = (value as Record<string, unknown>)[name]
      // Most members are texts; a call for each doubles the time.
      bytes += typeof member === 'string' ? valueBytes + member.length : weigh(member)
    }
  return bytes
}

/** Bytes of a value of a definition besides its text: what was written, what was read from it, and what it is checked against. */
const definitionBytes = 150

/**
 * Bytes of a definition from a control call, such as a fault, with what is made of it; roughly. It is kept as it was written and as it
 * is played, and its names are as free as its texts.
 */
export function weighDefinition(value: unknown): number {
  if (typeof value === 'string') return definitionBytes + textFactor * value.length
  if (typeof value !== 'object' || value === null) return definitionBytes
  let bytes = definitionBytes
  if (Array.isArray(value)) for (const entry of value) bytes += weighDefinition(entry)
  else
    for (const [name, member] of Object.entries(value))
      bytes += textFactor * name.length + weighDefinition(member)
  return bytes
}

/** What is made of one byte of a text that came: the bytes themselves, the text, and the text of what was read from it. */
export const textFactor = 4

/** Bytes of a row in its table, roughly. */
export const weighRow = (row: object): number => rowBytes + weigh(row)

/**
 * One budget for all that a mock keeps in memory. Each holder adds and removes what it holds. Above the limit journals and
 * caches give back first, the largest ones; then new demands are refused. Constant cost for each change.
 */
export class MemoryBudget {
  readonly limit: number
  readonly #used = Object.fromEntries(memoryKinds.map(kind => [kind, { bytes: 0 }])) as Record<
    MemoryKind,
    Used
  >
  #total = 0
  readonly #sources = new Set<Reclaimable>()
  #madeRoom = 0
  #wasFull = false
  readonly #warn: (sentence: string) => void

  /** @param limit in bytes */
  constructor(limit = defaultMemoryLimit() * mebibyte, warn: (sentence: string) => void = () => {}) {
    this.limit = limit
    this.#warn = warn
  }

  /** @param bytes below 0 for what is no longer held */
  add(kind: MemoryKind, bytes: number): void {
    this.addTo(this.#used[kind], bytes)
  }

  addTo(used: Used, bytes: number): void {
    used.bytes += bytes
    this.#total += bytes
    if (this.#total > this.limit && bytes > 0) this.#reclaim()
  }

  share(kind: MemoryKind): MemoryShare {
    return new MemoryShare(this, this.#used[kind])
  }

  /** @returns removes the holder */
  addSource(source: Reclaimable): () => void {
    this.#sources.add(source)
    return () => this.#sources.delete(source)
  }

  /** Whether there is room for this many bytes, if necessary in place of journal entries and caches. */
  hasRoom(bytes: number): boolean {
    return this.#total - this.#reclaimable + bytes <= this.#target
  }

  /** @throws MemoryFullError if there is no room for a demand of this many bytes */
  demand(bytes: number): void {
    if (!this.hasRoom(bytes)) throw new MemoryFullError(this.fullSentence)
  }

  /** Whether requests in progress alone take so much that even reading has to wait. */
  get isCrowded(): boolean {
    return this.#used.requests.bytes > this.limit / 4 && !this.hasRoom(0)
  }

  get fullSentence(): string {
    const mebibytes = (bytes: number) => `${Math.round(bytes / mebibyte)} MiB`
    const [kind] = memoryKinds.toSorted((one, other) => this.#used[other].bytes - this.#used[one].bytes)
    return `The memory of this mock is used up: ${mebibytes(this.limit)} (--memory-limit), of which ${kind} take ${mebibytes(this.#used[kind!].bytes)}`
  }

  /** Figures in bytes, roughly; whether demands are refused, and how often journals and caches gave something back. */
  use() {
    return {
      limit: this.limit,
      used: this.#total,
      isFull: !this.hasRoom(0),
      madeRoom: this.#madeRoom,
      kinds: Object.fromEntries(memoryKinds.map(kind => [kind, this.#used[kind].bytes])) as Record<
        MemoryKind,
        number
      >,
    }
  }

  get #reclaimable(): number {
    return this.#used.journals.bytes + this.#used.caches.bytes
  }

  /** Above this, demands are refused and reclaiming goes on; the rest is for what cannot be refused. */
  get #target(): number {
    return this.limit - this.limit / 16
  }

  /** Reclaims only what is worth the search for the largest. */
  #reclaim(): void {
    if (!this.#wasFull) this.#warn(this.fullSentence)
    this.#wasFull = true
    if (this.#reclaimable < this.limit / 32) return
    this.#madeRoom++
    const sources = [...this.#sources].sort((one, other) => other.reclaimableBytes - one.reclaimableBytes)
    for (const source of sources) {
      if (this.#total <= this.#target) return
      source.reclaim()
    }
  }
}
