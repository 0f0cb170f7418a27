import { crc32 } from 'node:zlib'
import { type Adapter, Low } from 'lowdb'
import { formatNumber, type TableName } from './content.ts'
import { reason, StorageError } from './disk.ts'
import type { Files } from './files.ts'
import { formatChecksum } from './log.ts'

/*
 * A snapshot as text: JSON with one row per line, each after the number of its save, and at the end the checksum of
 * everything before it.
 *
 *   {"$format":1,"$space":"demo","$seq":2,"$origin":0,"$content":"…","$seed":1,"changes":{
 *   "sendings":[
 *   [1,{"id":"…",…}],
 *   [2,{"id":"…",…}]
 *   ],
 *   "platformSendings":[
 *   …
 *   ]
 *   },"$checksum":"0123abcd"}
 *
 * It is written and read line by line. Neither needs the whole text as one string, and requests can be answered between
 * any two lines.
 */

/** Approximate number of characters in a piece: a fraction of a millisecond of work. */
const pieceLength = 1 << 16

const formatEnd = (checksum: number) => `"$checksum":"${formatChecksum(checksum)}"}\n`
const endLength = formatEnd(0).length

/** The text in pieces, each made on demand. */
export function* formatSnapshot(snapshot: Snapshot): Generator<string> {
  let piece = ''
  let sum = 0
  for (const line of formatLines(snapshot)) {
    piece += line
    if (piece.length < pieceLength) continue
    sum = crc32(piece, sum)
    yield piece
    piece = ''
  }
  yield piece + formatEnd(crc32(piece, sum))
}

function* formatLines({ changes, ...head }: Snapshot): Generator<string> {
  yield `${JSON.stringify(head).slice(0, -1)},"changes":{\n`
  let isFirstTable = true
  for (const [table, rows] of changes) {
    yield `${isFirstTable ? '' : ',\n'}"${table}":[`
    isFirstTable = false
    let isFirst = true
    for (const { row, sequence } of rows) {
      yield `${isFirst ? '' : ','}\n[${sequence},${JSON.stringify(row)}]`
      isFirst = false
    }
    yield '\n]'
  }
  yield `${isFirstTable ? '' : '\n'}},`
}

/** @throws StorageError saying what was expected and what is there */
export function parseSnapshot(bytes: Buffer, place: string, space: string): Snapshot {
  const refuse = (seen: string) =>
    new StorageError(
      `${place} is damaged: ${seen}. Nothing was changed; restore the file, or remove the space's files to start it from its fixture again`,
    )
  const isWhole =
    bytes.toString('latin1', bytes.length - endLength) === formatEnd(crc32(bytes.subarray(0, -endLength)))
  const head = isWhole
    ? JSON.parse(`${bytes.toString('utf8', 0, bytes.indexOf('\n'))}}}`)
    : parseHead(bytes, refuse)
  if (head.$format !== formatNumber)
    throw refuse(`its $format is ${JSON.stringify(head.$format)}, this version reads ${formatNumber}`)
  if (head.$space !== space)
    throw refuse(`it is of space ${JSON.stringify(head.$space)}, expected "${space}"`)
  if (!isWhole) throw refuse('its content does not match its $checksum')
  return { ...head, changes: parseChanges(bytes) }
}

/** The head of a damaged file, for the message. */
function parseHead(bytes: Buffer, refuse: (seen: string) => StorageError): Partial<SnapshotHead> {
  let snapshot: Partial<SnapshotHead> | null
  try {
    snapshot = JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes))
  } catch (error) {
    throw refuse(`it is not JSON (${reason(error)})`)
  }
  if (typeof snapshot !== 'object' || snapshot === null || Array.isArray(snapshot))
    throw refuse('expected a JSON object')
  return snapshot
}

/** The rows of a text with a correct checksum, which `toText` has written. */
function* parseChanges(bytes: Buffer): Generator<readonly [TableName, Iterable<StoredRow>]> {
  let at = bytes.indexOf('\n') + 1
  const next = () => {
    const end = bytes.indexOf('\n', at)
    const line = bytes.toString('utf8', at, end)
    at = end + 1
    return line
  }
  function* rows(): Generator<StoredRow> {
    for (let line = next(); line.startsWith('[') && line !== '['; line = next()) {
      const [sequence, row] = JSON.parse(line.endsWith(',') ? line.slice(0, -1) : line)
      yield { sequence, row }
    }
  }
  for (let line = next(); line.startsWith('"') && line.endsWith(':['); line = next())
    yield [JSON.parse(line.slice(0, -2)), rows()]
}

/** A row with the number of the save that last changed it. */
export interface StoredRow {
  readonly row: object
  readonly sequence: number
}

export interface SnapshotHead {
  readonly $format: number
  readonly $space: string
  /** Number of the last save in the snapshot; only later log entries are replayed. */
  readonly $seq: number
  /** Number of the save that was the last reset; 0 if there was none. */
  readonly $origin: number
  /** Digest of the content that the changes are relative to. */
  readonly $content: string
  /** Seed of the space's chance. */
  readonly $seed: number
}

/** All changes of a space relative to its initial content. One readable JSON file. */
export interface Snapshot extends SnapshotHead {
  /** Iterated once while requests are answered, so the underlying rows must not change. */
  readonly changes: Iterable<readonly [table: TableName, rows: Iterable<StoredRow>]>
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
 * A space's snapshot as a lowdb database with our own adapter. lowdb's file adapter keeps the first writer waiting while
 * others write, shares one temporary name, and reads `null`, `0` or a missing file as an empty database. This adapter
 * checks what it reads and runs one write at a time.
 */
export function openSnapshot(files: Files, name: string, space: string): Low<Snapshot> {
  return new Low<Snapshot>(new SnapshotAdapter(files, name, space), { ...emptySnapshot, $space: space })
}

/** Length of the file in characters, as last read or written. */
export const snapshotSize = ({ adapter }: Low<Snapshot>): number => (adapter as SnapshotAdapter).size

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
    return bytes ? parseSnapshot(bytes, this.#files.pathOf(this.#name), this.#space) : null
  }

  /** Writes run one after another; each caller waits for its own. */
  write(snapshot: Snapshot): Promise<void> {
    const mine = this.#inFlight.then(async () => {
      let size = 0
      const counted = function* () {
        for (const piece of formatSnapshot(snapshot)) {
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
