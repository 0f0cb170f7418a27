import { type Adapter, Low } from 'lowdb'
import type { TableName } from './content.ts'
import type { Files } from './files.ts'
import { formatNumber } from './format.ts'
import { checksum } from './log.ts'
import { reason, StorageError } from './storage-error.ts'

/** A row as a snapshot holds it: with the number of the save that last changed it. */
export type KeptRow = object & { $seq: number }

/** All that a space changed since it started from its content. One readable JSON file. */
export interface Snapshot {
  $format: number
  $space: string
  /** Number of the last save that is in here; only later log entries are replayed on top. */
  $seq: number
  /** Number of the save that was the last reset; 0 when there was none. */
  $origin: number
  /** Digest of the content that the changes are relative to. */
  $content: string
  /** Where the space's chance comes from. */
  $seed: number
  /** CRC-32 of the JSON of everything else in here. */
  $checksum: string
  changes: Partial<Record<TableName, KeptRow[]>>
}

const emptySnapshot: Snapshot = {
  $format: formatNumber,
  $space: '',
  $seq: 0,
  $origin: 0,
  $content: '',
  $seed: 0,
  $checksum: '',
  changes: {},
}

const sum = ({ $checksum: _, ...rest }: Partial<Snapshot>) => checksum(JSON.stringify(rest))

/** A snapshot with its checksum. */
export const sealed = ({ changes, ...head }: Omit<Snapshot, '$checksum'>): Snapshot => ({
  ...head,
  $checksum: sum({ ...head, changes }),
  changes,
})

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
    return bytes ? checked(bytes, this.#files.place(this.#name), this.#space) : null
  }

  /** Each writer is answered by its own write; they follow one another. */
  write(snapshot: Snapshot): Promise<void> {
    const mine = this.#inFlight.then(() => {
      const text = `${JSON.stringify(snapshot, null, 1)}\n`
      this.size = text.length
      return this.#files.replace(this.#name, text)
    })
    this.#inFlight = mine.catch(() => {})
    return mine
  }
}

/** @throws StorageError saying what was expected and what is there */
function checked(bytes: Buffer, place: string, space: string): Snapshot {
  const refuse = (seen: string) =>
    new StorageError(
      `${place} is damaged: ${seen}. Nothing was changed; restore the file, or remove the space's files to start it from its fixture again`,
    )
  let snapshot: Partial<Snapshot> | null
  try {
    snapshot = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch (error) {
    throw refuse(`it is not JSON (${reason(error)})`)
  }
  if (typeof snapshot !== 'object' || snapshot === null || Array.isArray(snapshot))
    throw refuse('expected a JSON object')
  if (snapshot.$format !== formatNumber)
    throw refuse(`its $format is ${JSON.stringify(snapshot.$format)}, this version reads ${formatNumber}`)
  if (snapshot.$space !== space)
    throw refuse(`it is of space ${JSON.stringify(snapshot.$space)}, expected "${space}"`)
  if (snapshot.$checksum !== sum(snapshot)) throw refuse('its content does not match its $checksum')
  return snapshot as Snapshot
}
