import { crc32 } from 'node:zlib'
import type { Files } from './files.ts'
import { StorageError } from './storage-error.ts'

/** One acknowledged change of a space: the rows it put, or a reset. */
export interface Entry {
  readonly seq: number
  /** Digest of the content that this and what follows is relative to: in the first entry and in resets. */
  readonly content?: string
  /** The seed of the space from here on, beside `content`. */
  readonly seed?: number
  readonly reset?: true
  readonly put?: Readonly<Record<string, readonly object[]>>
}

/** `{"crc":"0123abcd",` : of fixed length, so that the checksum covers the text after it as it stands. */
const checksumLength = '{"crc":"00000000",'.length

export const asChecksum = (sum: number) => sum.toString(16).padStart(8, '0')

const checksum = (text: string | Buffer) => asChecksum(crc32(text))

export function toLine(entry: Entry): string {
  const rest = JSON.stringify(entry).slice(1)
  return `{"crc":"${checksum(rest)}",${rest}\n`
}

/**
 * Reads a log back. A last line of the last log without its end was being written when the process died: nobody was told of it, so
 * it is cut, and `warn` hears of it. A whole line that does not match its checksum was acknowledged once: that is
 * damage, and nothing is repaired in silence.
 *
 * @throws StorageError with file and byte offset
 */
export function readLog(
  files: Files,
  name: string,
  isLast: boolean,
  warn: (sentence: string) => void,
): { readonly entries: Entry[]; readonly size: number } {
  const bytes = files.read(name)
  if (!bytes) return { entries: [], size: 0 }
  const entries: Entry[] = []
  let start = 0
  while (start < bytes.length) {
    const end = bytes.indexOf(0x0a, start)
    if (end < 0 && !isLast)
      throw new StorageError(
        `${files.place(name)}, byte ${start}: this line has no end, though a later log follows; restore the file, or remove the space's files to start it from its fixture again`,
      )
    if (end < 0) {
      // A torn line is shorter than the whole. One that is followed by something else than its end was whole once.
      if (isWhole(bytes.subarray(start, -1)))
        throw new StorageError(
          `${files.place(name)}, byte ${bytes.length - 1}: expected the end of the line; restore the file, or remove the space's files to start it from its fixture again`,
        )
      warn(
        `${files.place(name)}: cut the unfinished last line (${bytes.length - start} bytes from byte ${start})`,
      )
      files.cut(name, start)
      break
    }
    entries.push(toEntry(bytes.subarray(start, end), `${files.place(name)}, byte ${start}`))
    start = end + 1
  }
  return { entries, size: bytes.length }
}

function isWhole(line: Buffer): boolean {
  const head = line.subarray(0, checksumLength).toString('latin1')
  return head === `{"crc":"${checksum(line.subarray(checksumLength))}",`
}

function toEntry(line: Buffer, place: string): Entry {
  if (!isWhole(line))
    throw new StorageError(
      `${place}: this line does not match its checksum; restore the file, or remove the space's files to start it from its fixture again`,
    )
  const { crc: _, ...entry } = JSON.parse(line.toString('utf8')) as Entry & { crc: string }
  return entry
}
