import { type FSWatcher, watch } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'

/** What is done about the files of a folder. One call begins when the one before has ended. */
export interface FolderListener {
  /** A file is new or was written, and has not changed any more for a moment. Called for every file at the first look. */
  changed(file: string): Promise<void>
  removed(file: string): void
  /** The folder is not there or cannot be read. Its files do not count as removed as long as that lasts. */
  lost(error: unknown): void
}

/** Milliseconds for which a file must look the same; it counts as completely written then. */
const settleTime = 50
/** Milliseconds between two looks if the system tells of no change, as on shares and where a link was moved. */
const lookInterval = 1000

/** What one look found: what tells a version of a file from another one, by path. Or why the folder cannot be read. */
type Look = { readonly versions: ReadonlyMap<string, string> } | { readonly error: unknown }

/**
 * A folder whose files are compared with what is known of them, again and again. Events of the system only make the next
 * look come sooner. So nothing is missed that happens before it tells of events, and a folder that is removed and made again,
 * or a link that is moved to another one, goes on being watched.
 */
export class WatchedFolder {
  readonly #folder: string
  readonly #isWanted: (name: string) => boolean
  readonly #listener: FolderListener
  readonly #known: Map<string, string>
  #before: Look | undefined
  #isLost = false
  #events: FSWatcher | undefined
  /** Tells the folder that sends events from another one at the same path. */
  #source = ''
  #hasEvent = false
  #isClosed = false
  #wake = () => {}
  readonly #ended: Promise<void>

  /** @param files paths of those that were there when they were read last */
  constructor(
    folder: string,
    isWanted: (name: string) => boolean,
    files: Iterable<string>,
    listener: FolderListener,
  ) {
    this.#folder = folder
    this.#isWanted = isWanted
    this.#known = new Map([...files].map(file => [file, 'as it was read']))
    this.#listener = listener
    this.#ended = this.#run()
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#events?.close()
    this.#wake()
    await this.#ended
  }

  async #run(): Promise<void> {
    while (!this.#isClosed) {
      this.#hasEvent = false
      const look = await this.#look()
      const isSettled = await this.#act(look)
      this.#before = look
      const isQuiet = isSettled && !this.#hasEvent
      await this.#sleep(isQuiet ? lookInterval : settleTime, isQuiet)
    }
  }

  async #look(): Promise<Look> {
    try {
      const { dev, ino, birthtimeNs } = await stat(this.#folder, { bigint: true })
      this.#listen(`${dev} ${ino} ${birthtimeNs}`)
      const files = (await readdir(this.#folder)).filter(this.#isWanted).map(name => join(this.#folder, name))
      const versions = await Promise.all(files.map(async file => [file, await versionOf(file)] as const))
      return { versions: new Map(versions) }
    } catch (error) {
      return { error }
    }
  }

  /** @returns whether everything is as it was in the look before */
  async #act(look: Look): Promise<boolean> {
    const before = this.#before
    if ('error' in look) {
      if (!before || !('error' in before)) return false
      if (!this.#isLost) this.#listener.lost(look.error)
      this.#isLost = true
      return true
    }
    this.#isLost = false
    let isSettled = true
    for (const file of new Set([...this.#known.keys(), ...look.versions.keys()])) {
      const version = look.versions.get(file)
      if (version === this.#known.get(file)) continue
      if (!before || 'error' in before || before.versions.get(file) !== version) isSettled = false
      else if (version === undefined) {
        this.#known.delete(file)
        this.#listener.removed(file)
      } else {
        this.#known.set(file, version)
        await this.#listener.changed(file)
      }
    }
    return isSettled
  }

  #listen(source: string): void {
    if (source === this.#source) return
    this.#source = source
    this.#events?.close()
    try {
      this.#events = watch(this.#folder, { persistent: false }, () => {
        this.#hasEvent = true
        this.#wake()
      }).on('error', () => {})
    } catch {
      // A system without events, or without any more of them: the looks are enough.
    }
  }

  #sleep(length: number, mayWake: boolean): Promise<void> {
    return new Promise(resolve => {
      const timer = setTimeout(resolve, length).unref()
      this.#wake = () => {
        if (!mayWake && !this.#isClosed) return
        clearTimeout(timer)
        resolve()
      }
      if (this.#isClosed) this.#wake()
    })
  }
}

/** Also of a file that was replaced by one of the same age, and of a link that leads nowhere. */
async function versionOf(file: string): Promise<string> {
  try {
    const { dev, ino, size, mtimeNs, ctimeNs } = await stat(file, { bigint: true })
    return [dev, ino, size, mtimeNs, ctimeNs].join(' ')
  } catch (error) {
    return String((error as NodeJS.ErrnoException).code)
  }
}
