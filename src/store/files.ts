import { constants, existsSync, readdirSync, readFileSync, realpathSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { type Disk, syncDirectory, syncDirectoryInBackground, systemDisk } from './disk.ts'
import { lock } from './lock.ts'
import { LogFile } from './log-file.ts'
import { reason, StorageError } from './storage-error.ts'
import { writeAtOnce, writeInPieces } from './write-in-pieces.ts'

/**
 * How safe a change is before its request is answered: `os`, handed to the operating system, so that it outlives this
 * process however that ends; `fsync`, on the disk, so that it outlives the machine's power as well.
 */
export type Durability = 'os' | 'fsync'

/**
 * Where a store keeps its files. Everything above this interface is the same code in memory and on disk, so what
 * is proved of one holds for the other.
 */
export interface Files {
  readonly persistent: boolean
  /** Names, as `folder/name`, of the files whose name begins with this stem: a folder's file up to its second dot. */
  list(stem: string): string[]
  /** The stems of all files in a folder. */
  stems(folder: string): string[]
  /** The file's bytes, or undefined when there is none. */
  read(name: string): Buffer | undefined
  /**
   * Puts the whole file in place at once: whoever reads sees the old or the new one, never a part.
   * @param pieces its text; between two of them requests are answered
   */
  replace(name: string, pieces: Iterable<string>): Promise<void>
  /** Writes a file that never changes, unless it is there; done when it returns. */
  keep(name: string, text: () => string): void
  appender(name: string): Appender
  /** Cuts the file to its first `size` bytes. */
  cut(name: string, size: number): void
  /** Removes files; as safe as was asked for when it returns. Those that are not there are no matter. */
  remove(names: readonly string[]): void
  close(): Promise<void>
  /** Where a file stands, for messages. */
  place(name: string): string
}

/** Adds lines to the end of one file. */
export interface Appender {
  readonly size: number
  /** Why nothing more can be appended to this file. */
  readonly broken: string | undefined
  /** Adds whole lines: all of them are there when it returns, or none when it throws. */
  append(lines: string): void
  /** Resolves when all that is there by now is as safe as was asked for; undefined when it is so already. */
  secure(): Promise<void> | undefined
  /** The same, done when it returns. */
  secureNow(): void
  close(): void
}

/** Keeps nothing, and is not even asked to. */
export const noFiles: Files = {
  persistent: false,
  list: () => [],
  stems: () => [],
  read: () => undefined,
  replace: async () => {},
  keep() {},
  appender: () => ({
    size: 0,
    broken: undefined,
    append() {},
    secure: () => undefined,
    secureNow() {},
    close() {},
  }),
  cut() {},
  remove() {},
  close: async () => {},
  place: name => name,
}

/**
 * Makes a folder and those around it, one after the other: where the system will not have one, Node's own recursion may
 * never return.
 */
function made(disk: Disk, folder: string): void {
  if (existsSync(folder)) return
  const around = dirname(folder)
  if (around !== folder) made(disk, around)
  try {
    disk.mkdirSync(folder)
  } catch (error) {
    // Another process may have been faster; what is no folder is found by whoever makes the next one in it.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}

/**
 * Files below a directory, which this process holds alone while it runs.
 * @throws StorageError when the directory cannot be made or written, or another process holds it
 */
export async function diskFiles(
  directory: string,
  durability: Durability = 'os',
  disk: Disk = systemDisk,
): Promise<Files> {
  try {
    for (const folder of ['fixtures', 'spaces']) made(disk, resolve(directory, folder))
  } catch (error) {
    throw new StorageError(`cannot use ${directory} as the data directory: ${reason(error)}`)
  }
  const root = realpathSync(directory)
  const held = await lock(root)
  const at = (name: string) => join(root, name)
  const isSynced = durability === 'fsync'
  let temporary = 0
  const temporaryName = (name: string) => `${at(name)}.${process.pid}.${temporary++}.tmp`

  // The directory is ours alone, so what is in it is read once: asking it for each of many spaces would be slow.
  const known = new Map<string, Set<string>>()
  const note = (name: string) => {
    const stem = stemOf(name)
    const names = known.get(stem) ?? new Set()
    known.set(stem, names.add(name))
  }
  try {
    for (const folder of ['fixtures', 'spaces'])
      for (const name of readdirSync(at(folder)))
        if (name.endsWith('.tmp')) disk.rmSync(at(join(folder, name)))
        else note(`${folder}/${name}`)
    if (isSynced) for (const folder of [root, dirname(root)]) syncDirectory(disk, folder)
  } catch (error) {
    await held.release()
    throw new StorageError(`cannot use ${directory} as the data directory: ${reason(error)}`)
  }

  /** What was being written is of no use to anybody; where it cannot be removed, the next start does it. */
  function drop(path: string): void {
    try {
      disk.rmSync(path)
    } catch {}
  }

  return {
    persistent: true,
    place: at,
    list: stem => [...(known.get(stem) ?? [])],
    stems: folder => [...known.keys()].filter(stem => stem.startsWith(`${folder}/`)),
    read(name) {
      if (!existsSync(at(name))) return undefined
      try {
        return readFileSync(at(name))
      } catch (error) {
        throw new StorageError(`cannot read ${at(name)}: ${reason(error)}`)
      }
    },
    async replace(name, pieces) {
      const fresh = temporaryName(name)
      try {
        await writeInPieces(disk, fresh, pieces, isSynced)
        await disk.rename(fresh, at(name))
        if (isSynced) await syncDirectoryInBackground(disk, dirname(fresh))
        note(name)
      } catch (error) {
        drop(fresh)
        throw new StorageError(`cannot write ${at(name)}: ${reason(error)}`)
      }
    },
    keep(name, text) {
      if (existsSync(at(name))) return
      const fresh = temporaryName(name)
      try {
        writeAtOnce(disk, fresh, Buffer.from(text()), isSynced)
        disk.renameSync(fresh, at(name))
        if (isSynced) syncDirectory(disk, dirname(fresh))
      } catch (error) {
        drop(fresh)
        throw new StorageError(`cannot write ${at(name)}: ${reason(error)}`)
      }
    },
    appender(name) {
      note(name)
      return new LogFile(at(name), disk, durability)
    },
    cut(name, size) {
      try {
        const file = disk.openSync(at(name), notThroughLinks)
        try {
          disk.ftruncateSync(file, size)
          if (isSynced) disk.fdatasyncSync(file)
        } finally {
          disk.closeSync(file)
        }
      } catch (error) {
        throw new StorageError(`cannot cut ${at(name)} to ${size} bytes: ${reason(error)}`)
      }
    },
    remove(names) {
      for (const name of names) {
        try {
          disk.rmSync(at(name))
        } catch (error) {
          throw new StorageError(`cannot remove ${at(name)}: ${reason(error)}`)
        }
        const others = known.get(stemOf(name))
        others?.delete(name)
        if (others?.size === 0) known.delete(stemOf(name))
      }
      if (!isSynced) return
      try {
        for (const folder of new Set(names.map(name => dirname(at(name))))) syncDirectory(disk, folder)
      } catch (error) {
        throw new StorageError(`cannot sync ${directory}: ${reason(error)}`)
      }
    },
    close: () => held.release(),
  }
}

/** To change a file that is there, and none that somebody lets it lead to. */
const notThroughLinks = constants.O_RDWR | (constants.O_NOFOLLOW ?? 0)

const stemOf = (name: string) => name.split('.', 2).join('.')
