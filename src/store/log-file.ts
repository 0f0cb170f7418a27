import { dirname } from 'node:path'
import { type Disk, syncDirectory, syncDirectoryInBackground } from './disk.ts'
import type { Appender, Durability } from './files.ts'
import { reason, StorageError } from './storage-error.ts'

/**
 * One segment of a log on disk. The file is made with the first line, and must be new: so nothing is written through a
 * link that somebody has put there.
 */
export class LogFile implements Appender {
  readonly #path: string
  readonly #disk: Disk
  readonly #isSynced: boolean
  #file: number | undefined
  #size = 0
  /** So much of it is synced. */
  #secured = 0
  #broken: string | undefined
  #closing = false
  /** Syncs under way off the thread; the file is closed when they are over. */
  #syncing = 0

  constructor(path: string, disk: Disk, durability: Durability) {
    this.#path = path
    this.#disk = disk
    this.#isSynced = durability === 'fsync'
  }

  get size(): number {
    return this.#size
  }

  get broken(): string | undefined {
    return this.#broken
  }

  append(lines: string): void {
    if (this.#closing) throw new StorageError(`${this.#path} has been closed`)
    if (this.#broken) throw new StorageError(this.#broken)
    const bytes = Buffer.from(lines)
    try {
      this.#file ??= this.#disk.openSync(this.#path, 'ax')
      for (let written = 0; written < bytes.length; ) {
        const more = this.#disk.writeSync(this.#file, bytes, written)
        if (more === 0) throw new Error('the system took no more of it')
        written += more
      }
      this.#check(this.#size + bytes.length)
      this.#size += bytes.length
    } catch (error) {
      this.#retract(this.#size)
      throw new StorageError(`cannot append to ${this.#path}: ${reason(error)}`)
    }
  }

  secure(): Promise<void> | undefined {
    return this.#isSynced && this.#secured < this.#size ? this.#secureInBackground() : undefined
  }

  secureNow(): void {
    if (!this.#isSynced || this.#secured >= this.#size) return
    try {
      if (this.#secured === 0) syncDirectory(this.#disk, dirname(this.#path))
      this.#disk.fdatasyncSync(this.#file!)
      this.#secured = this.#size
    } catch (error) {
      throw this.#unsynced(error)
    }
  }

  close(): void {
    this.#closing = true
    if (this.#syncing > 0 || this.#file === undefined) return
    const file = this.#file
    this.#file = undefined
    this.#disk.closeSync(file)
  }

  async #secureInBackground(): Promise<void> {
    const size = this.#size
    this.#syncing++
    try {
      if (this.#secured === 0) await syncDirectoryInBackground(this.#disk, dirname(this.#path))
      await this.#disk.fdatasync(this.#file!)
      this.#secured = Math.max(this.#secured, size)
    } catch (error) {
      throw this.#unsynced(error)
    } finally {
      this.#syncing--
      if (this.#closing) this.close()
    }
  }

  /**
   * After a sync that failed nobody knows what the disk has, and the system may call the next one a success. So this
   * file is not trusted again.
   */
  #unsynced(error: unknown): StorageError {
    this.#retract(this.#secured)
    this.#broken ??= `${this.#path} could not be synced: ${reason(error)}`
    return new StorageError(this.#broken)
  }

  /** Systems have been seen to report more than they wrote, and files to be removed or cut by somebody else. */
  #check(expected: number): void {
    const { size, nlink } = this.#seen() ?? { size: expected, nlink: 1 }
    if (nlink === 0) {
      this.#broken = `${this.#path} has been removed`
      throw new Error('it has been removed')
    }
    if (size === expected) return
    if (size < this.#size) this.#broken = `${this.#path} has been cut to ${size} bytes by somebody else`
    throw new Error(`it is ${size} bytes long, expected ${expected}`)
  }

  /** How the file stands, where the system tells. It has taken the lines: that it does not tell is no reason to refuse them. */
  #seen(): { readonly size: number; readonly nlink: number } | undefined {
    try {
      return this.#disk.fstatSync(this.#file!)
    } catch {
      return undefined
    }
  }

  /** Half a line would be damage for whatever is appended later, and a refused change must never appear. */
  #retract(size: number): void {
    if (this.#file === undefined || this.#broken) return
    try {
      this.#disk.ftruncateSync(this.#file, size)
      this.#size = size
    } catch (error) {
      this.#broken = `${this.#path} can no longer be written: ${reason(error)}`
    }
  }
}
