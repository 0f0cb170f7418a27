import * as fs from 'node:fs'
import { promisify } from 'node:util'
import { crc32 } from 'node:zlib'
import { UserError } from './user-error.ts'

const write = promisify(fs.write)
const read = promisify(fs.read)

/**
 * All system calls that change something on disk. Tests replace them by a disk that is full, fails, lies, or ends the
 * process. Those that return a promise do not block the event loop.
 */
export const systemDisk = {
  // Fixtures hold passwords, so only the owner may read what is made here.
  openSync: (path: string, flags: string | number): number => fs.openSync(path, flags, 0o600),
  writeSync: (file: number, bytes: Uint8Array, from: number): number => fs.writeSync(file, bytes, from),
  fstatSync: (file: number): Pick<fs.Stats, 'size' | 'nlink' | 'dev' | 'ino'> => fs.fstatSync(file),
  ftruncateSync: (file: number, size: number): void => fs.ftruncateSync(file, size),
  fdatasyncSync: (file: number): void => fs.fdatasyncSync(file),
  /** Also for a directory. */
  fsyncSync: (file: number): void => fs.fsyncSync(file),
  closeSync: (file: number): void => fs.closeSync(file),
  renameSync: (from: string, to: string): void => fs.renameSync(from, to),
  rmSync: (path: string): void => fs.rmSync(path, { force: true }),
  mkdirSync: (path: string): void => fs.mkdirSync(path, 0o700),
  /** @returns the number of bytes written */
  write: async (file: number, bytes: Uint8Array, from: number): Promise<number> =>
    (await write(file, bytes, from)).bytesWritten,
  /** @returns the number of bytes read; 0 at the end */
  read: async (file: number, into: Uint8Array, position: number): Promise<number> =>
    (await read(file, into, 0, into.length, position)).bytesRead,
  fdatasync: promisify<number, void>(fs.fdatasync),
  fsync: promisify<number, void>(fs.fsync),
  rename: promisify<string, string, void>(fs.rename),
}

export type Disk = typeof systemDisk

/**
 * The disk for one directory: a call by path is refused once another directory stands at that path, since the files
 * there belong to whoever has locked it.
 * @param descriptor of the directory; while it is open, no other directory gets its inode
 */
export function diskOfDirectory(
  disk: Disk,
  path: string,
  descriptor: number,
): Disk & { readonly checkPlace: () => void } {
  const own = fs.fstatSync(descriptor, { bigint: true })
  /** @throws StorageError when another directory stands there. Where none stands, the call itself fails. */
  function checkPlace(): void {
    const there = fs.statSync(path, { bigint: true, throwIfNoEntry: false })
    if (!there || (there.dev === own.dev && there.ino === own.ino)) return
    throw new StorageError(
      `${path} is another directory now, since it was moved or replaced while this mock runs; stop this mock, and start one on each directory that is to be used`,
    )
  }
  return {
    ...disk,
    checkPlace,
    openSync(file, flags) {
      checkPlace()
      return disk.openSync(file, flags)
    },
    renameSync(from, to) {
      checkPlace()
      disk.renameSync(from, to)
    },
    rmSync(file) {
      checkPlace()
      disk.rmSync(file)
    },
    async rename(from, to) {
      checkPlace()
      await disk.rename(from, to)
    },
  }
}

/** Makes the names in a directory durable. Windows cannot sync a directory and does not need it. */
export function syncDirectory(disk: Disk, path: string): void {
  if (process.platform === 'win32') return
  const directory = disk.openSync(path, 'r')
  try {
    disk.fsyncSync(directory)
  } finally {
    disk.closeSync(directory)
  }
}

/** The same without blocking the event loop. */
export async function syncDirectoryInBackground(disk: Disk, path: string): Promise<void> {
  if (process.platform === 'win32') return
  const directory = disk.openSync(path, 'r')
  try {
    await disk.fsync(directory)
  } finally {
    disk.closeSync(directory)
  }
}

const readBackSize = 1 << 20

/**
 * Writes a new file piece by piece without blocking the event loop, and reads it back. So a disk that stores less than it
 * reports is detected while the old file still exists.
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
  const bytes = Buffer.allocUnsafe(Math.min(readBackSize, expected + 1))
  let size = 0
  let sum = 0
  for (;;) {
    const more = await disk.read(file, bytes, size)
    if (more === 0) return { size, sum }
    size += more
    sum = crc32(bytes.subarray(0, more), sum)
  }
}

export function writeWhole(disk: Disk, file: number, bytes: Uint8Array): void {
  for (let written = 0; written < bytes.length; ) {
    const more = disk.writeSync(file, bytes, written)
    if (more === 0) throw new Error('the system took no more of it')
    written += more
  }
}

/** Writes a small new file; done when it returns. */
export function writeAtOnce(disk: Disk, path: string, bytes: Uint8Array, isSynced: boolean): void {
  const file = disk.openSync(path, 'wx')
  try {
    writeWhole(disk, file, bytes)
    const { size } = disk.fstatSync(file)
    if (size !== bytes.length) throw new Error(`it is ${size} bytes long, expected ${bytes.length}`)
    if (isSynced) disk.fdatasyncSync(file)
  } finally {
    disk.closeSync(file)
  }
}

/** Flags to change an existing file without following symbolic links. */
export const notThroughLinks = fs.constants.O_RDWR | (fs.constants.O_NOFOLLOW ?? 0)

/** The disk failed, or its data is damaged. The message names the file and what to do. */
export class StorageError extends UserError {}

/** A file of a space is not as it was written. */
export class DamageError extends StorageError {
  /** @param place the file, and the line if it has lines */
  constructor(place: string, seen: string) {
    super(
      `${place} is damaged: ${seen}. Nothing was changed; restore the file, or remove the files of its space, or the data directory, to start over`,
    )
  }
}

export const formatChecksum = (sum: number) => sum.toString(16).padStart(8, '0')

const refusals: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file or folder',
  ENOTDIR: 'a file stands where a folder is needed',
  EISDIR: 'it is a folder',
  EEXIST: 'there is a file of that name',
  EACCES: 'permission is missing',
  EROFS: 'it is read-only here',
}

/** Why something failed, whatever was thrown. */
export const reason = (error: unknown): string =>
  refusals[(error as NodeJS.ErrnoException | undefined)?.code ?? ''] ??
  (error instanceof Error ? error.message : String(error))

/** The same for a directory, with whose it is, or whose what is in it is, if that is not this user. */
export function reasonOf(error: unknown, directory: string): string {
  const { code = '', path = directory } = error as NodeJS.ErrnoException
  const place = [path, directory].find(it => fs.existsSync(it))
  if (place === undefined || !['EACCES', 'EPERM'].includes(code)) return reason(error)
  const [owner, own] = [fs.statSync(place).uid, process.getuid?.()]
  return owner === own
    ? reason(error)
    : `${reason(error)}: ${place} belongs to the user with the ID ${owner}, and this is ${own}`
}
