import { type Adapter, Low } from 'lowdb'
import type { TableName } from './content.ts'
import type { Files } from './files.ts'
import { formatNumber } from './format.ts'
import { fromText, toText } from './snapshot-text.ts'

/** A row with the number of the save that last changed it. */
export interface KeptRow {
  readonly row: object
  readonly sequence: number
}

export interface SnapshotHead {
  readonly $format: number
  readonly $space: string
  /** Number of the last save that is in here; only later log entries are replayed on top. */
  readonly $seq: number
  /** Number of the save that was the last reset; 0 when there was none. */
  readonly $origin: number
  /** Digest of the content that the changes are relative to. */
  readonly $content: string
  /** Where the space's chance comes from. */
  readonly $seed: number
}

/** All that a space changed since it started from its content. One readable JSON file. */
export interface Snapshot extends SnapshotHead {
  /** Walked through once, while requests are answered: what it walks through must not change meanwhile. */
  readonly changes: Iterable<readonly [table: TableName, rows: Iterable<KeptRow>]>
}

const emptySnapshot: Snapshot = {
  $format: formatNumber,
  $space: '',
  $seq: 0,
  $origin: 0,
  $content: '',
  $seed: 0,
  changes: [],
}

/**
 * A space's snapshot as a lowdb database over our own adapter. lowdb's file adapter answers the first of several
 * writers only when the load stops, writes through one shared temporary name, and takes `null`, `0` or a missing
 * file for an empty database; this one checks what it reads and leaves one write in flight.
 */
export function snapshotDatabase(files: Files, name: string, space: string): Low<Snapshot> {
  return new Low<Snapshot>(new SnapshotAdapter(files, name, space), { ...emptySnapshot, $space: space })
}

/** How long the file is, in characters, as last read or written. */
export const sizeOf = ({ adapter }: Low<Snapshot>): number => (adapter as SnapshotAdapter).size

class SnapshotAdapter implements Adapter<Snapshot> {
  readonly #files: Files
  readonly #name: string
  readonly #space: string
  #inFlight: Promise<void> = Promise.resolve()
  size = 0

  constructor(files: Files, name: string, space: string) {
    this.#files = files
    this.#name = name
    this.#space = space
  }

  async read(): Promise<Snapshot | null> {
    const bytes = this.#files.read(this.#name)
    this.size = bytes?.length ?? 0
    return bytes ? fromText(bytes, this.#files.place(this.#name), this.#space) : null
  }

  /** Each writer is answered by its own write; they follow one another. */
  write(snapshot: Snapshot): Promise<void> {
    const mine = this.#inFlight.then(async () => {
      let size = 0
      const counted = function* () {
        for (const piece of toText(snapshot)) {
          size += piece.length
          yield piece
        }
      }
      await this.#files.replace(this.#name, counted())
      this.size = size
    })
    this.#inFlight = mine.catch(() => {})
    return mine
  }
}
