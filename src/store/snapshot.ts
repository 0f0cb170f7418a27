import { crc32 } from 'node:zlib'
import { type Adapter, Low } from 'lowdb'
import { DamageError, formatChecksum } from './disk.ts'
import type { Files } from './files.ts'
import { storeFormat } from './format.ts'
import { checkHead, initialChecksum, parseJson } from './log.ts'
import type { ChangedRow } from './table.ts'

/*
 * A snapshot as text: JSON with one row per line, each after the number of its save, and at the end the checksum of
 * everything before it.
 *
 *   {"$format":2,"$space":"demo","$seq":2,"$origin":0,"$content":"…","$seed":1,"$segment":2,"$chain":305419896,"changes":{
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

/** The end of a text: the checksum of everything before it. */
export const formatEnd = (checksum: number) => `"$checksum":"${formatChecksum(checksum)}"}\n`
const endLength = formatEnd(0).length

/** Whether a text has the right checksum at its end. */
export const isWhole = (bytes: Buffer) =>
  bytes.toString('latin1', bytes.length - endLength) === formatEnd(crc32(bytes.subarray(0, -endLength)))

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
  const headEnd = bytes.indexOf('\n')
  const isUndamaged = isWhole(bytes)
  // The whole text of a damaged file, for the message.
  const text = isUndamaged ? Buffer.from(`${bytes.toString('utf8', 0, headEnd)}}}`) : bytes
  const head = checkHead(parseJson(text, place), space, place)
  if (!isUndamaged) throw new DamageError(place, 'its content does not match its $checksum')
  const expected = Object.keys(emptySnapshot).join(', ')
  const members = Object.keys(head).join(', ')
  if (members !== expected)
    throw new DamageError(place, `it has the members ${members}, expected ${expected}`)
  return { ...(head as unknown as Snapshot), changes: parseChanges(bytes, headEnd + 1, place) }
}

function* parseChanges(
  bytes: Buffer,
  start: number,
  place: string,
): Generator<readonly [string, Iterable<StoredRow>]> {
  let at = start
  let number = 1
  const next = () => {
    const end = bytes.indexOf('\n', at)
    const line = bytes.toString('utf8', at, end)
    at = end + 1
    number++
    return line
  }
  function* rows(): Generator<StoredRow> {
    for (let line = next(); line.startsWith('['); line = next()) {
      const [sequence, row] = JSON.parse(line.endsWith(',') ? line.slice(0, -1) : line)
      yield { sequence, row, line: number }
    }
  }
  let line = next()
  for (; line.startsWith('"') && line.endsWith(':['); line = next())
    yield [JSON.parse(line.slice(0, -2)), rows()]
  if (!line.startsWith('},')) throw new DamageError(`${place}, line ${number}`, 'expected a table or a row')
}

interface StoredRow extends ChangedRow<object> {
  /** Where it was read. */
  readonly line?: number
}

/** All changes of a space relative to its initial content. One readable JSON file. */
export interface Snapshot {
  readonly $format: number
  readonly $space: string
  /** Number of the last save in the snapshot. */
  readonly $seq: number
  /** Number of the save that was the last reset; 0 if there was none. */
  readonly $origin: number
  /** Digest of the content that the changes are relative to. */
  readonly $content: string
  /** Seed of the space's chance. */
  readonly $seed: number
  /** Number of the first log that is not covered. */
  readonly $segment: number
  /** Checksum of the last line of the logs before that one; see `formatLine`. */
  readonly $chain: number
  /** Iterated once while requests are answered, so the underlying rows must not change. */
  readonly changes: Iterable<readonly [table: string, rows: Iterable<StoredRow>]>
}

const emptySnapshot: Snapshot = {
  $format: storeFormat,
  $space: '',
  $seq: 0,
  $origin: 0,
  $content: '',
  $seed: 0,
  $segment: 1,
  $chain: 0,
  changes: [],
}

/**
 * A space's snapshot as a lowdb database with our own adapter. lowdb's file adapter keeps the first writer waiting while
 * others write, shares one temporary name, and reads `null`, `0` or a missing file as an empty database. This adapter
 * checks what it reads and runs one write at a time.
 */
export function openSnapshot(files: Files, name: string, space: string): Low<Snapshot> {
  let lastWrite: Promise<void> = Promise.resolve()
  const adapter: SizedAdapter = {
    size: 0,
    async read() {
      const bytes = files.read(name)
      adapter.size = bytes?.length ?? 0
      return bytes ? parseSnapshot(bytes, files.pathOf(name), space) : null
    },
    /** Writes run one after another; each caller waits for its own. */
    write(snapshot) {
      const mine = lastWrite.then(async () => {
        let size = 0
        const counted = function* () {
          for (const piece of formatSnapshot(snapshot)) {
            size += piece.length
            yield piece
          }
        }
        await files.replace(name, counted())
        adapter.size = size
      })
      lastWrite = mine.catch(() => {})
      return mine
    },
  }
  return new Low(adapter, { ...emptySnapshot, $space: space, $chain: initialChecksum(space) })
}

interface SizedAdapter extends Adapter<Snapshot> {
  /** About the length of the file: its bytes when it was read, its characters when it was written. */
  size: number
}

export const snapshotSize = ({ adapter }: Low<Snapshot>): number => (adapter as SizedAdapter).size
