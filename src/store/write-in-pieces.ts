import { crc32 } from 'node:zlib'
import type { Disk } from './disk.ts'

const readAtOnce = 1 << 20

/**
 * Writes a new file piece by piece, off the thread that answers requests, and reads it back: a disk that takes less than it says
 * is found out while what it was to replace is still there.
 */
export async function writeInPieces(
  disk: Disk,
  path: string,
  pieces: Iterable<string>,
  isSynced: boolean,
): Promise<void> {
  const file = disk.openSync(path, 'wx+')
  try {
    let size = 0
    let sum = 0
    for (const piece of pieces) {
      const bytes = Buffer.from(piece)
      for (let written = 0; written < bytes.length; ) {
        const more = await disk.write(file, bytes, written)
        if (more === 0) throw new Error('the system took no more of it')
        written += more
      }
      size += bytes.length
      sum = crc32(bytes, sum)
    }
    if (isSynced) await disk.fdatasync(file)
    const found = await readBack(disk, file, size)
    if (found.size !== size || found.sum !== sum)
      throw new Error(`what can be read back (${found.size} bytes) is not what was written (${size} bytes)`)
  } finally {
    disk.closeSync(file)
  }
}

async function readBack(disk: Disk, file: number, expected: number): Promise<{ size: number; sum: number }> {
  const bytes = Buffer.allocUnsafe(Math.min(readAtOnce, expected + 1))
  let size = 0
  let sum = 0
  for (;;) {
    const more = await disk.read(file, bytes, size)
    if (more === 0) return { size, sum }
    size += more
    sum = crc32(bytes.subarray(0, more), sum)
  }
}

/** Writes a small new file; done when it returns. */
export function writeAtOnce(disk: Disk, path: string, bytes: Uint8Array, isSynced: boolean): void {
  const file = disk.openSync(path, 'wx')
  try {
    for (let written = 0; written < bytes.length; ) {
      const more = disk.writeSync(file, bytes, written)
      if (more === 0) throw new Error('the system took no more of it')
      written += more
    }
    const { size } = disk.fstatSync(file)
    if (size !== bytes.length) throw new Error(`it is ${size} bytes long, expected ${bytes.length}`)
    if (isSynced) disk.fdatasyncSync(file)
  } finally {
    disk.closeSync(file)
  }
}
