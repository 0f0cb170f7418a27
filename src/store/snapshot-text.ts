import { crc32 } from 'node:zlib'
import type { TableName } from './content.ts'
import { formatNumber } from './format.ts'
import { asChecksum } from './log.ts'
import type { KeptRow, Snapshot, SnapshotHead } from './snapshot.ts'
import { reason, StorageError } from './storage-error.ts'

/*
 * A snapshot as text: JSON with one row a line, each behind the number of its save, and at the end the checksum of everything
 * before it.
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
 * So it is written and read line by line: neither needs the whole of it as one string, and writing can make way for
 * requests between any two lines.
 */

/** About so many characters in a piece: a fraction of a millisecond's work. */
const pieceLength = 1 << 16

const endOf = (checksum: number) => `"$checksum":"${asChecksum(checksum)}"}\n`
const endLength = endOf(0).length

/** The text, in pieces; each is made when it is asked for. */
export function* toText(snapshot: Snapshot): Generator<string> {
  let piece = ''
  let sum = 0
  for (const line of linesOf(snapshot)) {
    piece += line
    if (piece.length < pieceLength) continue
    sum = crc32(piece, sum)
    yield piece
    piece = ''
  }
  yield piece + endOf(crc32(piece, sum))
}

function* linesOf({ changes, ...head }: Snapshot): Generator<string> {
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
export function fromText(bytes: Buffer, place: string, space: string): Snapshot {
  const refuse = (seen: string) =>
    new StorageError(
      `${place} is damaged: ${seen}. Nothing was changed; restore the file, or remove the space's files to start it from its fixture again`,
    )
  const isWhole =
    bytes.toString('latin1', bytes.length - endLength) === endOf(crc32(bytes.subarray(0, -endLength)))
  const head = isWhole
    ? JSON.parse(`${bytes.toString('utf8', 0, bytes.indexOf('\n'))}}}`)
    : headOf(bytes, refuse)
  if (head.$format !== formatNumber)
    throw refuse(`its $format is ${JSON.stringify(head.$format)}, this version reads ${formatNumber}`)
  if (head.$space !== space)
    throw refuse(`it is of space ${JSON.stringify(head.$space)}, expected "${space}"`)
  if (!isWhole) throw refuse('its content does not match its $checksum')
  return { ...head, changes: changesIn(bytes) }
}

/** What a file says of itself that is not as it was written: for the sentence. */
function headOf(bytes: Buffer, refuse: (seen: string) => StorageError): Partial<SnapshotHead> {
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

/** The rows of a text whose checksum is right: it is as `toText` made it. */
function* changesIn(bytes: Buffer): Generator<readonly [TableName, Iterable<KeptRow>]> {
  let at = bytes.indexOf('\n') + 1
  const next = () => {
    const end = bytes.indexOf('\n', at)
    const line = bytes.toString('utf8', at, end)
    at = end + 1
    return line
  }
  function* rows(): Generator<KeptRow> {
    for (let line = next(); line.startsWith('[') && line !== '['; line = next()) {
      const [sequence, row] = JSON.parse(line.endsWith(',') ? line.slice(0, -1) : line)
      yield { sequence, row }
    }
  }
  for (let line = next(); line.startsWith('"') && line.endsWith(':['); line = next())
    yield [JSON.parse(line.slice(0, -2)), rows()]
}
