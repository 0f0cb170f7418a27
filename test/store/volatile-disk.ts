import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Disk } from '../../src/store/disk.ts'
import { systemDisk } from '../../src/store/disk.ts'

/** A file, whatever it is called, with what of it is on the disk itself. */
interface Kept {
  path: string
  synced: Buffer
}

/**
 * A disk that has on itself only what was synced: contents by syncs of files, names by syncs of their directory. A power failure
 * takes everything else, which is the most that one may take.
 */
export class VolatileDisk {
  /** What programs see, by path. */
  readonly #names = new Map<string, Kept>()
  /** What the disk has, by directory and path. */
  readonly #onDisk = new Map<string, Map<string, Kept>>()
  readonly #open = new Map<number, Kept | string>()

  readonly disk: Disk = {
    ...systemDisk,
    openSync: (path, flags) => {
      const file = systemDisk.openSync(path, flags)
      this.#open.set(file, flags === 'r' ? path : this.#kept(path))
      return file
    },
    closeSync: file => {
      this.#open.delete(file)
      systemDisk.closeSync(file)
    },
    fdatasyncSync: file => this.#sync(file),
    fsyncSync: file => this.#sync(file),
    fdatasync: async file => this.#sync(file),
    fsync: async file => this.#sync(file),
    renameSync: (from, to) => {
      systemDisk.renameSync(from, to)
      this.#renamed(from, to)
    },
    rename: async (from, to) => {
      await systemDisk.rename(from, to)
      this.#renamed(from, to)
    },
    rmSync: path => {
      systemDisk.rmSync(path)
      this.#names.delete(path)
    },
  }

  /** Leaves in these directories what is on the disk itself. */
  fail(...directories: string[]): void {
    for (const directory of directories) {
      for (const name of readdirSync(directory)) rmSync(join(directory, name))
      for (const [path, { synced }] of this.#onDisk.get(directory) ?? []) writeFileSync(path, synced)
    }
  }

  #kept(path: string): Kept {
    const kept = this.#names.get(path) ?? { path, synced: Buffer.alloc(0) }
    this.#names.set(path, kept)
    return kept
  }

  #renamed(from: string, to: string): void {
    const kept = this.#names.get(from)!
    this.#names.delete(from)
    this.#names.set(to, kept)
    kept.path = to
  }

  #sync(file: number): void {
    const opened = this.#open.get(file)!
    if (typeof opened !== 'string') {
      if (existsSync(opened.path)) opened.synced = readFileSync(opened.path)
      return
    }
    const inIt = [...this.#names].filter(([path]) => dirname(path) === opened)
    this.#onDisk.set(opened, new Map(inIt))
  }
}
