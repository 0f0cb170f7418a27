import type { Content } from './content.ts'
import type { Files } from './files.ts'
import type { Homes } from './homes.ts'
import type { KeptContents } from './kept-contents.ts'
import type { Chance, Clock, Space } from './space.ts'
import { type Contents, SpaceData } from './space-data.ts'
import { fileName, stem } from './space-names.ts'
import { reason, StorageError } from './storage-error.ts'

export interface OpenSpacesOptions {
  files: Files
  clock: (data: SpaceData) => Clock
  chance: (space: string, seed: number) => Chance
  /** The seed of spaces that begin now; one that began earlier keeps its own. */
  seed: number
  warn: (sentence: string) => void
  /** Limits for private copies. */
  copies?: CopyLimits
  /** Hears of a space that is no more in this form: reset, removed or evicted. */
  gone?: (space: Space) => void
}

/** How many private copies are kept, and how long one that nobody uses. */
export interface CopyLimits {
  /** Beyond so many the one unused for longest makes room. */
  readonly count: number
  /** Milliseconds that a copy may be unused. */
  readonly idle: number
  /** How many milliseconds ago the space was last used; 0 while a request is in it. */
  readonly unused: (space: Space) => number
}

/** So many spaces are put away at once. */
const closedAtOnce = 16

/** So many names of copies that had to make room are remembered. */
const mostRemembered = 1_000

/** The spaces that are open: each from its first use until it is removed, makes room, or everything ends. */
export class OpenSpaces {
  readonly #options: OpenSpacesOptions
  readonly #homes: Homes
  readonly #kept: KeptContents
  readonly #contents: Contents
  readonly #opened = new Map<string, Space>()
  readonly #opening = new Map<string, Promise<Space>>()
  readonly #closing = new Map<string, Promise<void>>()
  /** While spaces are being removed all at once: which, and until when whoever opens one of them waits. */
  #clearing: { readonly isOne: (name: string) => boolean; readonly over: Promise<void> } | undefined
  #evicted = 0
  /** So many copies may be opened before those that are unused are looked for. */
  #openingsToLook = 0
  /** Names of copies that had to make room and did not come back, the latest ones. */
  readonly #madeRoom = new Set<string>()

  constructor(options: OpenSpacesOptions, homes: Homes, kept: KeptContents, contents: Contents) {
    this.#options = options
    this.#homes = homes
    this.#kept = kept
    this.#contents = contents
  }

  get(name: string): Space | undefined {
    return this.#opened.get(name)
  }

  names(): string[] {
    return [...this.#opened.keys()]
  }

  /** How many private copies had to make room. */
  get evicted(): number {
    return this.#evicted
  }

  /** Whether a copy of this name had to make room and did not come back since. Only the latest ones are remembered. */
  hasMadeRoom(name: string): boolean {
    return this.#madeRoom.has(name)
  }

  forgetWhoMadeRoom(): void {
    this.#madeRoom.clear()
  }

  /**
   * The space, opened if need be; simultaneous callers get the same one.
   * @throws StorageError when its files are damaged
   */
  open(name: string): Promise<Space> {
    const open = this.#opened.get(name)
    if (open) return Promise.resolve(open)
    const opening = this.#opening.get(name) ?? this.#open(name).finally(() => this.#opening.delete(name))
    this.#opening.set(name, opening)
    return opening
  }

  async #open(name: string): Promise<Space> {
    if (this.#clearing?.isOne(name)) await this.#clearing.over
    await this.#closing.get(name)
    const home = this.#homes.beginning(name)
    if (!home)
      throw new StorageError(`there is no space "${name}"; there are ${this.#homes.names().join(', ')}`)
    const { files, warn } = this.#options
    if (!this.#homes.has(name)) this.#makeRoom()
    const data = await SpaceData.open(
      name,
      fileName(name),
      home,
      this.seedOf(home),
      files,
      this.#contents,
      warn,
      this.#kept,
    )
    const space = this.#furnish(data)
    this.#madeRoom.delete(name)
    this.#opened.set(name, space)
    return space
  }

  /** The seed of a space that begins with this content. */
  seedOf({ beginning }: Content): number {
    return beginning?.seed ?? this.#options.seed
  }

  #furnish(data: SpaceData): Space {
    const { clock, chance } = this.#options
    return { name: data.name, data, clock: clock(data), chance: chance(data.name, data.seed) }
  }

  /** Puts a space in the place of the one that is open, and has begun anew as this. */
  replace(before: Space, data: SpaceData): Space {
    const space = this.#furnish(data)
    this.#opened.set(space.name, space)
    this.#options.gone?.(before)
    return space
  }

  /** Waits for those that are being opened, whatever comes of it. */
  async allOpened(): Promise<void> {
    await Promise.allSettled(this.#opening.values())
  }

  /** Waits for those that are being put away. */
  async allClosed(): Promise<void> {
    await Promise.all(this.#closing.values())
  }

  /** Removes the files of spaces that are not open, such as private copies of an earlier run. */
  removeOthers(): void {
    const kept = new Set([...this.#opened.keys(), ...this.#opening.keys()].map(stem))
    for (const other of this.#options.files.stems('spaces')) if (!kept.has(other)) this.#removeFiles(other)
  }

  /** Of a space that is not open. */
  #removeFiles(theirStem: string): void {
    const { files } = this.#options
    const names = files.list(theirStem)
    files.remove(names)
    this.#kept.removed(names)
  }

  /**
   * Removes spaces, and the files of those that are not open: put away, or left by an earlier run.
   * @param isOne by a space's name
   * @param isTheirs by the digest in a file's name
   */
  async clear(isOne: (name: string) => boolean, isTheirs: (digest: string) => boolean): Promise<void> {
    const busy = (them: ReadonlyMap<string, Promise<unknown>>) =>
      [...them].flatMap(([name, it]) => (isOne(name) ? [it] : []))
    const onTheirWay = busy(this.#opening)
    // Those that are opened from here on wait, so that they do not find what is about to go.
    let clear = () => {}
    this.#clearing = { isOne, over: new Promise<void>(resolve => (clear = resolve)) }
    try {
      await Promise.allSettled(onTheirWay)
      for (let leaving = busy(this.#closing); leaving.length > 0; leaving = busy(this.#closing))
        await Promise.all(leaving)
      const open = [...this.#opened.values()].filter(({ name }) => isOne(name))
      const wiped = open.map(space => this.wipe(space))
      const { files } = this.#options
      const ofOpen = new Set(open.map(({ name }) => stem(name)))
      for (const other of files.stems('spaces'))
        if (!ofOpen.has(other) && isTheirs(other.slice(other.indexOf('.') + 1))) this.#removeFiles(other)
      await Promise.all(wiped)
    } finally {
      this.#clearing = undefined
      clear()
    }
  }

  /** The space never was. */
  wipe(space: Space): Promise<void> {
    const { name, data } = space
    this.#opened.delete(name)
    this.#options.gone?.(space)
    const removing = data.remove()
    this.#closeBeforeOpening(name, removing)
    return removing
  }

  /**
   * Lets go of copies that nobody has used for long, and of the one unused for longest while there are too many. Looking
   * at all of them for each that is opened would make every one dearer than the last, so as long as there is room for
   * more only every so many openings look.
   */
  #makeRoom(): void {
    const { copies } = this.#options
    if (!copies) return
    const hasRoom = this.#opened.size + this.#opening.size <= copies.count
    if (hasRoom && this.#openingsToLook-- > 0) return
    const unused = [...this.#opened.values()]
      .filter(({ name }) => !this.#homes.has(name))
      .map(space => ({ space, since: copies.unused(space) }))
      .sort((a, b) => b.since - a.since)
    this.#openingsToLook = unused.length >> 4
    const surplus = unused.length + this.#opening.size - copies.count
    for (const [at, { space, since }] of unused.entries())
      if (since > 0 && (at < surplus || since > copies.idle)) this.#evict(space)
  }

  /** What is on disk stays there and is opened again when the name is used; what is in memory only is gone. */
  #evict(space: Space): void {
    const { name } = space
    this.#evicted++
    this.#madeRoom.add(name)
    if (this.#madeRoom.size > mostRemembered) this.#madeRoom.delete(this.#madeRoom.values().next().value!)
    this.#opened.delete(name)
    this.#options.gone?.(space)
    this.#closeBeforeOpening(
      name,
      space.data
        .close()
        .catch(error => this.#options.warn(`space ${name} could not be put away: ${reason(error)}`)),
    )
  }

  /** Whoever opens the space again waits until its files are as they are left. */
  #closeBeforeOpening(name: string, leaving: Promise<void>): void {
    const closing = leaving
      .catch(() => {})
      .finally(() => {
        if (this.#closing.get(name) === closing) this.#closing.delete(name)
      })
    this.#closing.set(name, closing)
  }

  /** Saves and lets go of everything. */
  async close(): Promise<void> {
    await this.allOpened()
    await this.allClosed()
    const failed: unknown[] = []
    const open = [...this.#opened.values()]
    for (const space of open) this.#options.gone?.(space)
    // Some at once, since each waits for the disk; one that fails is no reason to leave the others as they are.
    for (let at = 0; at < open.length; at += closedAtOnce)
      for (const closed of await Promise.allSettled(
        open.slice(at, at + closedAtOnce).map(({ data }) => data.close()),
      ))
        if (closed.status === 'rejected') failed.push(closed.reason)
    await this.#options.files.close()
    if (failed.length > 0) throw failed[0]
  }
}
