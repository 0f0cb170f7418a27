import {
  closeSync,
  existsSync,
  fstatSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { open, rename } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { lock } from './lock.ts'
import { reason, StorageError } from './storage-error.ts'

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
  /** Puts the whole file in place at once: whoever reads sees the old or the new one, never a part. */
  replace(name: string, text: string): Promise<void>
  /** Writes a file that never changes, unless it is there; done when it returns. */
  keep(name: string, text: () => string): void
  appender(name: string): Appender
  /** Cuts the file to its first `size` bytes. */
  cut(name: string, size: number): void
  remove(name: string): void
  close(): Promise<void>
  /** Where a file stands, for messages. */
  place(name: string): string
}

/** Adds lines to the end of one file. A line is there whole when `append` returns, or not at all when it throws. */
export interface Appender {
  readonly size: number
  append(line: () => string): void
  close(): void
}

/** Keeps nothing. Lines are not even made. */
export const noFiles: Files = {
  persistent: false,
  list: () => [],
  stems: () => [],
  read: () => undefined,
  replace: async () => {},
  keep() {},
  appender: () => ({ size: 0, append() {}, close() {} }),
  cut() {},
  remove() {},
  close: async () => {},
  place: name => name,
}

/**
 * Makes a folder and those around it, one after the other: where the system will not have one, Node's own recursion may
 * never return.
 */
function made(folder: string): void {
  if (existsSync(folder)) return
  const around = dirname(folder)
  if (around !== folder) made(around)
  try {
    mkdirSync(folder)
  } catch (error) {
    // Another process may have been faster; what is no folder is found by whoever makes the next one in it.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}

/**
 * Files below a directory, which this process holds alone while it runs.
 * @throws StorageError when the directory cannot be made or another process holds it
 */
export async function diskFiles(directory: string): Promise<Files> {
  try {
    for (const folder of ['fixtures', 'spaces']) made(resolve(directory, folder))
  } catch (error) {
    throw new StorageError(`cannot use ${directory} as the data directory: ${reason(error)}`)
  }
  const root = realpathSync(directory)
  const held = await lock(root)
  const at = (name: string) => join(root, name)
  let temporary = 0

  // The directory is ours alone, so what is in it is read once: asking it for each of many spaces would be slow.
  const known = new Map<string, Set<string>>()
  const note = (name: string) => {
    const stem = stemOf(name)
    const names = known.get(stem) ?? new Set()
    known.set(stem, names.add(name))
  }
  for (const folder of ['fixtures', 'spaces'])
    for (const name of readdirSync(at(folder)))
      if (name.endsWith('.tmp')) rmSync(at(join(folder, name)))
      else note(`${folder}/${name}`)

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
    async replace(name, text) {
      const fresh = `${at(name)}.${process.pid}.${temporary++}.tmp`
      try {
        const file = await open(fresh, 'wx')
        try {
          await file.writeFile(text)
        } finally {
          await file.close()
        }
        await rename(fresh, at(name))
        note(name)
      } catch (error) {
        rmSync(fresh, { force: true })
        throw new StorageError(`cannot write ${at(name)}: ${reason(error)}`)
      }
    },
    keep(name, text) {
      if (existsSync(at(name))) return
      const fresh = `${at(name)}.${process.pid}.${temporary++}.tmp`
      try {
        writeFileSync(fresh, text())
        renameSync(fresh, at(name))
      } catch (error) {
        rmSync(fresh, { force: true })
        throw new StorageError(`cannot write ${at(name)}: ${reason(error)}`)
      }
    },
    appender(name) {
      note(name)
      return diskAppender(at(name))
    },
    cut(name, size) {
      try {
        truncateSync(at(name), size)
      } catch (error) {
        throw new StorageError(`cannot cut ${at(name)} to ${size} bytes: ${reason(error)}`)
      }
    },
    remove(name) {
      rmSync(at(name), { force: true })
      const names = known.get(stemOf(name))
      names?.delete(name)
      if (names?.size === 0) known.delete(stemOf(name))
    },
    close: () => held.release(),
  }
}

function diskAppender(path: string): Appender {
  let file: number | undefined
  let size = 0
  let broken: string | undefined
  return {
    get size() {
      return size
    },
    append(line) {
      if (broken) throw new StorageError(broken)
      const bytes = Buffer.from(line())
      try {
        if (file === undefined) {
          file = openSync(path, 'a')
          size = fstatSync(file).size
        }
        let written = 0
        while (written < bytes.length) written += writeSync(file, bytes, written)
        size += bytes.length
      } catch (error) {
        // Half a line would be damage for whatever is appended later, and a refused change must never appear.
        try {
          if (file !== undefined) ftruncateSync(file, size)
        } catch (again) {
          broken = `${path} can no longer be written: ${reason(again)}`
        }
        throw new StorageError(`cannot append to ${path}: ${reason(error)}`)
      }
    },
    close() {
      if (file !== undefined) closeSync(file)
      file = undefined
    },
  }
}

const stemOf = (name: string) => name.split('.', 2).join('.')
