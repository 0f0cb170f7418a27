import * as fs from 'node:fs'
import { promisify } from 'node:util'

/**
 * The calls to the system by which everything on disk is changed, all of them: in the place of these, tests put a disk
 * that is full, fails, lies, or is the last thing that a process sees.
 */
export interface Disk {
  openSync(path: string, flags: string | number): number
  writeSync(file: number, bytes: Uint8Array, from: number): number
  fstatSync(file: number): { readonly size: number; readonly nlink: number }
  ftruncateSync(file: number, size: number): void
  fdatasyncSync(file: number): void
  /** Also of a directory. */
  fsyncSync(file: number): void
  closeSync(file: number): void
  renameSync(from: string, to: string): void
  rmSync(path: string): void
  mkdirSync(path: string): void
  /** Off the thread that answers requests, like those below. @returns how many bytes are written */
  write(file: number, bytes: Uint8Array, from: number): Promise<number>
  /** @returns how many bytes are read; 0 at the end */
  read(file: number, into: Uint8Array, position: number): Promise<number>
  fdatasync(file: number): Promise<void>
  fsync(file: number): Promise<void>
  rename(from: string, to: string): Promise<void>
}

const write = promisify(fs.write)
const read = promisify(fs.read)

/** The machine's own. */
export const systemDisk: Disk = {
  openSync: (path, flags) => fs.openSync(path, flags),
  writeSync: (file, bytes, from) => fs.writeSync(file, bytes, from),
  fstatSync: file => fs.fstatSync(file),
  ftruncateSync: (file, size) => fs.ftruncateSync(file, size),
  fdatasyncSync: file => fs.fdatasyncSync(file),
  fsyncSync: file => fs.fsyncSync(file),
  closeSync: file => fs.closeSync(file),
  renameSync: (from, to) => fs.renameSync(from, to),
  rmSync: path => fs.rmSync(path, { force: true }),
  mkdirSync: path => fs.mkdirSync(path),
  write: async (file, bytes, from) => (await write(file, bytes, from)).bytesWritten,
  read: async (file, into, position) => (await read(file, into, 0, into.length, position)).bytesRead,
  fdatasync: promisify(fs.fdatasync),
  fsync: promisify(fs.fsync),
  rename: promisify(fs.rename),
}

/** Makes the names in a directory as safe as the files. Where a system cannot do that to a directory, it needs not. */
export function syncDirectory(disk: Disk, path: string): void {
  if (process.platform === 'win32') return
  const directory = disk.openSync(path, 'r')
  try {
    disk.fsyncSync(directory)
  } finally {
    disk.closeSync(directory)
  }
}

/** The same off the thread that answers requests. */
export async function syncDirectoryInBackground(disk: Disk, path: string): Promise<void> {
  if (process.platform === 'win32') return
  const directory = disk.openSync(path, 'r')
  try {
    await disk.fsync(directory)
  } finally {
    disk.closeSync(directory)
  }
}
