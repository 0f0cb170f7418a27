/**
 * How durable a change is before its request is answered. `os`: handed to the operating system, so it survives any end of
 * this process. `fsync`: on the disk, so it also survives a loss of power.
 */
export type Durability = 'os' | 'fsync'

/** Where a store keeps its files. The code above is the same in memory and on disk, so tests of one hold for the other. */
export interface Files {
  readonly persistent: boolean
  /** Names, as `folder/name`, of the files with this stem: the part up to the second dot. */
  list(stem: string): string[]
  stems(folder: string): string[]
  /** When a file with this stem was last changed, in milliseconds since 1970; undefined when there is none. */
  changedAt(stem: string): number | undefined
  /** The file's bytes, or undefined when there is none. @param most maximum number of bytes, from the beginning */
  read(name: string, most?: number): Buffer | undefined
  /** Replaces the file atomically: readers see the old or the new one. Requests are answered between two pieces. */
  replace(name: string, pieces: Iterable<string>): Promise<void>
  /** Writes a file that never changes, unless it exists; done when it returns. */
  writeOnce(name: string, text: () => string): void
  /**
   * A new log. @param header its first line, written together with the second
   * @param kind that of a space has its durability and is missed when it is lost; a journal is only handed to the system
   */
  appender(name: string, header: string, kind?: 'log' | 'journal'): Appender
  cut(name: string, size: number): void
  /** Removes files, with the configured durability when it returns. Missing files are ignored. */
  remove(names: readonly string[]): void
  close(): Promise<void>
  pathOf(name: string): string
}

export interface Appender {
  /** Why nothing more can be appended to this file. */
  readonly broken: string | undefined
  /** Appends whole lines: all of them when it returns, none when it throws. */
  append(lines: string): void
  /** Resolves when everything appended so far has the configured durability; undefined if it has. */
  sync(): Promise<void> | undefined
  syncNow(): void
  close(): void
}

/** Files of a store in memory: keeps nothing. */
export const noFiles: Files = {
  persistent: false,
  list: () => [],
  stems: () => [],
  changedAt: () => undefined,
  read: () => undefined,
  replace: async () => {},
  writeOnce() {},
  appender: () => ({ broken: undefined, append() {}, sync: () => undefined, syncNow() {}, close() {} }),
  cut() {},
  remove() {},
  close: async () => {},
  pathOf: name => name,
}
