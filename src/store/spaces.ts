import type { Content } from './content.ts'
import { reason, StorageError } from './disk.ts'
import type { Files } from './files.ts'
import { getOrMake } from './maps.ts'
import { MemoryBudget } from './memory-budget.ts'
import { type Chance, type Clock, type Space, SpaceData } from './space-data.ts'
import {
  homeOf,
  maxHead,
  nameDigest,
  spaceFileStem,
  TenantDirectory,
  UserTakenError,
} from './tenant-directory.ts'

export interface SpacesOptions {
  contents: readonly Content[]
  files: Files
  clock: (data: SpaceData) => Clock
  chance: (space: string, seed: number) => Chance
  /** The seed of new spaces; existing ones keep theirs. */
  seed: number
  warn: (sentence: string) => void
  copies?: CopyLimits
  /** Unlimited by default. */
  memory?: MemoryBudget
  /** Called with a space that ends. After a reset `next` is the space that follows. */
  onEnd?: (space: Space, why: SpaceEnd, next?: Space) => void
}

/** Why a space ends. `closed`: the mock stops. */
export type SpaceEnd = 'reset' | 'removed' | 'made room' | 'closed'

export interface CopyLimits {
  /** Maximum number of copies. Above it those with the lowest rank are evicted, of these the least recently used ones. */
  readonly count: number
  /** Milliseconds after which a start removes the files of a copy that was not used; undefined for never. */
  readonly kept?: number | undefined
  /** Milliseconds that a copy may be unused. */
  readonly idle: number
  readonly useOf: (space: Space) => CopyUse
}

export interface CopyUse {
  /** Milliseconds since it was last used; 0 during a request. */
  readonly idle: number
  readonly rank: EvictionRank
}

/** What is lost with a copy. 0: only users without the right to write have used it; 1: nothing in it has changed; 2: changes. */
export type EvictionRank = 0 | 1 | 2

/** Bytes of an open space without its rows, with what a tester sets and reads there; measured. */
const spaceBytes = 60_000

const maxRememberedEvictions = 10_000

/**
 * All spaces of one mock. The spaces of the fixtures exist from the start. A user name with a plus (`demo+anything`)
 * belongs to a private space of its space, which is created on first use. A space is open from first use until its
 * removal, eviction or the end of the mock.
 */
export class Spaces {
  readonly options: SpacesOptions
  /** The spaces with content of their own, and their users. */
  readonly directory: TenantDirectory
  readonly #memory: MemoryBudget
  readonly #releases = new WeakMap<Space, () => void>()
  readonly #opened = new Map<string, Space>()
  readonly #opening = new Map<string, Promise<Space>>()
  readonly #closing = new Map<string, Promise<void>>()
  /** While several spaces are removed together: which ones, and when they may be opened again. */
  #clearing: { readonly isOne: (name: string) => boolean; readonly over: Promise<void> } | undefined
  #evicted = 0
  /** Number of copies that may be opened before the next search for unused ones. */
  #openingsToLook = 0
  /** What the last search found, in the order of eviction, the first one last. */
  #unused: { readonly name: string; readonly idle: number }[] = []
  /** Number of open spaces that are no copies, as of the last search. */
  #lasting = 0
  /** Latest names of evicted copies that were not opened again. */
  readonly #evictedNames = new Set<string>()
  /** By the beginning of their file names, which a name decides alone. */
  readonly #storedNames = new Map<string, string>()

  private constructor(options: SpacesOptions) {
    this.options = options
    this.#memory = options.memory ?? new MemoryBudget()
    this.directory = new TenantDirectory(options.contents, options.files)
  }

  /** @throws StorageError when two fixtures clash or a space's files are damaged */
  static async open(options: SpacesOptions): Promise<Spaces> {
    const spaces = new Spaces(options)
    await spaces.directory.loadCreated(options.warn)
    for (const home of spaces.directory.names()) await spaces.getOrOpen(home)
    return spaces
  }

  /** The space if it is open, without waiting. */
  getOpen(name: string): Space | undefined {
    return this.#opened.get(name)
  }

  /** The space if it exists, open or stored by an earlier run. Unlike `getOrOpen`, this does not create it. */
  async getExisting(name: string): Promise<Space | undefined> {
    const isStored = this.directory.contentOf(name) && this.options.files.list(spaceFileStem(name)).length > 0
    return isStored ? this.getOrOpen(name) : this.getOpen(name)
  }

  names(): string[] {
    return [...this.#opened.keys()]
  }

  /** The names of the spaces that are kept on disk and not open, in their order. */
  closed(): string[] {
    return this.#closedStems().flatMap(this.#nameAt).sort()
  }

  #closedStems(): string[] {
    const open = new Set([...this.#opened.keys(), ...this.#opening.keys()].map(spaceFileStem))
    return this.options.files.stems('spaces').filter(stem => !open.has(stem))
  }

  /** The name in the first line of a space's files, read once; none if it cannot be read, or has no users any more. */
  readonly #nameAt = (stem: string): string[] => {
    const { files } = this.options
    try {
      const name = getOrMake(this.#storedNames, stem, () => {
        const file = files.list(stem).find(it => !it.endsWith('.begun'))!
        const line = String(files.read(file, maxHead))
        return JSON.parse(/"\$space":("(?:[^"\\]|\\.)*")/.exec(line)![1]!) as string
      })
      return this.directory.contentOf(name) ? [name] : []
    } catch {
      return []
    }
  }

  get evicted(): number {
    return this.#evicted
  }

  /** Whether a copy of this name was evicted and not opened again. Only the latest names are remembered. */
  wasEvicted(name: string): boolean {
    return this.#evictedNames.has(name)
  }

  /**
   * The space, opened if needed; simultaneous callers get the same one.
   * @param mayEvict whether copies of others may make room; copies that only readers have used always do
   * @throws StorageError when its files are damaged, MemoryFullError when there is no room for another copy
   */
  getOrOpen(name: string, mayEvict = true): Promise<Space> {
    const open = this.#opened.get(name)
    if (open) return Promise.resolve(open)
    const opening =
      this.#opening.get(name) ?? this.#open(name, mayEvict).finally(() => this.#opening.delete(name))
    this.#opening.set(name, opening)
    return opening
  }

  async #open(name: string, mayEvict: boolean): Promise<Space> {
    if (this.#clearing?.isOne(name)) await this.#clearing.over
    await this.#closing.get(name)
    const home = this.directory.contentOf(name)
    if (!home)
      throw new StorageError(`there is no space "${name}"; there are ${this.directory.names().join(', ')}`)
    const { files, warn } = this.options
    if (!this.directory.has(name)) {
      this.#evictUnused(mayEvict)
      this.#memory.demand(spaceBytes)
    }
    const storage = { files, stem: spaceFileStem(name), contents: this.directory }
    const data = await SpaceData.open(name, storage, home, this.#seedOf(home), warn)
    const space = this.#createSpace(data, this.#evictedNames.delete(name))
    this.#opened.set(name, space)
    return space
  }

  #seedOf({ beginning }: Content): number {
    return beginning?.seed ?? this.options.seed
  }

  #createSpace(data: SpaceData, hasMadeRoom = false): Space {
    const { clock, chance } = this.options
    const parts = { clock: clock(data), chance: chance(data.name, data.seed) }
    const space = { name: data.name, data, ...parts, hasMadeRoom }
    const own = this.#memory.share('spaces')
    const rows = this.#memory.share('rows')
    // The content of a fixture, or of the space that this is a copy of, is counted elsewhere.
    const isShared =
      data.content === this.directory.contentOf(data.name) &&
      data.content !== this.directory.createdContent(data.name)
    own.add(spaceBytes + (isShared ? 0 : data.content.ownBytes))
    rows.add(data.tables.changed.bytes)
    data.onRows = bytes => rows.set(bytes)
    this.#releases.set(space, () => {
      own.close()
      rows.close()
    })
    return space
  }

  #end(space: Space, why: SpaceEnd, next?: Space): void {
    this.#releases.get(space)?.()
    this.options.onEnd?.(space, why, next)
  }

  #removeFiles(theirStem: string): void {
    this.directory.contentFiles.removeReferring(this.options.files.list(theirStem))
  }

  /** Removes the private spaces of a space, with the files of those that are not open. @param withHome the space, too */
  async #removeCopies(home: string, withHome: boolean): Promise<void> {
    const isOne = (name: string) => homeOf(name) === home && (withHome || name !== home)
    const digestStart = nameDigest(home) + (withHome ? '' : '-')
    const busy = (them: ReadonlyMap<string, Promise<unknown>>) =>
      [...them].flatMap(([name, it]) => (isOne(name) ? [it] : []))
    const onTheirWay = busy(this.#opening)
    // From here on, opening one of them waits until they are removed.
    let clear = () => {}
    this.#clearing = { isOne, over: new Promise<void>(resolve => (clear = resolve)) }
    try {
      await Promise.allSettled(onTheirWay)
      for (let leaving = busy(this.#closing); leaving.length > 0; leaving = busy(this.#closing))
        await Promise.all(leaving)
      const open = [...this.#opened.values()].filter(({ name }) => isOne(name))
      const wiped = open.map(space => this.#removeSpace(space))
      const ofOpen = new Set(open.map(({ name }) => spaceFileStem(name)))
      for (const stem of this.options.files.stems('spaces'))
        if (!ofOpen.has(stem) && stem.slice(stem.indexOf('.') + 1).startsWith(digestStart))
          this.#removeFiles(stem)
      await Promise.all(wiped)
    } finally {
      this.#clearing = undefined
      clear()
    }
  }

  /**
   * Removes private spaces with their files.
   * @param isUnused whether an open one is to be removed
   * @param before one that is not open is removed if its files were not changed since; milliseconds since 1970
   * @returns how many
   */
  removePrivate(isUnused: (space: Space) => boolean, before: number): Promise<number> {
    return this.directory.runExclusive(async () => {
      const { files } = this.options
      const isPrivate = (name: string) => homeOf(name) !== name
      const open = [...this.#opened.values()].filter(it => isPrivate(it.name) && isUnused(it))
      const wiped = open.map(space => this.#removeSpace(space))
      // One that is closing would write its files again.
      const closed = this.closed().filter(name => isPrivate(name) && !this.#closing.has(name))
      const stems = closed.map(spaceFileStem).filter(stem => (files.changedAt(stem) ?? before) <= before)
      for (const stem of stems) this.#removeFiles(stem)
      await Promise.all(wiped)
      return open.length + stems.length
    })
  }

  #removeSpace(space: Space): Promise<void> {
    const { name, data } = space
    this.#opened.delete(name)
    this.#end(space, 'removed')
    const removing = data.remove()
    this.#closeBeforeOpening(name, removing)
    return removing
  }

  /**
   * Evicts copies that were unused for too long, and those that lose least while there are too many, or, if nothing in them
   * has changed, too little memory. Looking at all copies at each opening would be quadratic, so only some openings do.
   */
  #evictUnused(mayEvict: boolean): void {
    const { copies } = this.options
    if (!copies) return
    const hasMemory = () => this.#memory.hasRoom(spaceBytes)
    const surplus = () => this.#opened.size - this.#lasting + this.#opening.size - copies.count
    const mustLook = this.#openingsToLook-- <= 0
    if (!mustLook && surplus() <= 0 && hasMemory()) return
    if (mustLook) this.#lookForUnused(copies)
    for (let next = this.#unused.at(-1); next; next = this.#unused.at(-1)) {
      const space = this.#opened.get(next.name)
      const { idle, rank } = space ? copies.useOf(space) : { idle: 0, rank: 0 }
      const isNeeded = surplus() > 0 || (rank < 2 && !hasMemory())
      // One that was used since the search is no candidate any more.
      if (space && idle >= next.idle) {
        if (idle <= copies.idle && (!isNeeded || (rank > 0 && !mayEvict))) return
        this.#evict(space)
      }
      this.#unused.pop()
    }
  }

  #lookForUnused(copies: CopyLimits): void {
    const open = [...this.#opened.values()]
      .filter(({ name }) => !this.directory.has(name))
      .map(space => ({ space, ...copies.useOf(space) }))
    this.#openingsToLook = open.length >> 4
    this.#lasting = this.#opened.size - open.length
    this.#unused = open
      .filter(({ idle }) => idle > 0)
      .map(({ space: { name }, idle, rank }) => ({ name, idle, rank, isOverdue: idle > copies.idle }))
      .sort((a, b) => Number(a.isOverdue) - Number(b.isOverdue) || b.rank - a.rank || a.idle - b.idle)
  }

  /** On disk the space is opened again when its name is used; in memory it is lost. */
  #evict(space: Space): void {
    const { name } = space
    this.#evicted++
    this.#evictedNames.add(name)
    if (this.#evictedNames.size > maxRememberedEvictions)
      this.#evictedNames.delete(this.#evictedNames.values().next().value!)
    this.#opened.delete(name)
    this.#end(space, 'made room')
    this.#closeBeforeOpening(
      name,
      space.data
        .close()
        .catch(error => this.options.warn(`space ${name} could not be closed: ${reason(error)}`)),
    )
  }

  /** Opening the space again waits until its files are closed. */
  #closeBeforeOpening(name: string, leaving: Promise<void>): void {
    const closing = leaving
      .catch(() => {})
      .finally(() => {
        if (this.#closing.get(name) === closing) this.#closing.delete(name)
      })
    this.#closing.set(name, closing)
  }

  /**
   * Creates a space with the users of its content. If it was created before, it restarts from this content and its private
   * copies are removed. The space survives a restart of the mock.
   * @throws UserTakenError when a user belongs to another space
   * @throws StorageError when a fixture has the space, or it cannot be recorded; MemoryFullError
   */
  create(content: Content, seed: number): Promise<Space> {
    return this.directory.runExclusive(async () => {
      const name = content.fixture.space
      const before = this.directory.createdContent(name)
      this.#memory.demand(spaceBytes + content.ownBytes)
      this.#refuseFixture(name)
      const taken = this.directory.findConflictingUser(content)
      if (taken) throw new UserTakenError(taken.user.name, taken.spaceName)
      this.directory.retain(content)
      // A run that ended during a removal may have left files.
      if (!before) await this.#removeCopies(name, true)
      await this.directory.record(name, content)
      this.directory.remove(name)
      this.directory.add(content)
      try {
        const space = await this.restart(name, content, seed)
        if (before) await this.#removeCopies(name, false)
        return space
      } catch (error) {
        await this.directory.record(name, before).catch(() => {})
        this.directory.remove(name)
        if (before) this.directory.add(before)
        else await this.#removeCopies(name, true)
        throw error
      }
    })
  }

  /** Resets every space and removes private spaces. */
  reset(): Promise<void> {
    return this.directory.runExclusive(async () => {
      this.#evictedNames.clear()
      for (const home of this.directory.names()) {
        await this.resetSpace(home)
        await this.#removeCopies(home, false)
      }
      // Private spaces of an earlier run whose space is not here. A copy that is closing would write its files again.
      const closing = new Set([...this.#closing.keys()].map(spaceFileStem))
      for (const stem of this.#closedStems()) if (!closing.has(stem)) this.#removeFiles(stem)
    })
  }

  /** Resets a space to the content that a control call gave it, or to that of its fixture. */
  async resetSpace(name: string): Promise<Space> {
    const { content } = (await this.getOrOpen(name)).data
    const beginning = content.beginning?.isGiven ? content : this.directory.contentOf(name)!
    return this.restart(name, beginning, this.#seedOf(beginning))
  }

  /** Restarts a space from a content. @throws StorageError when it is missing or cannot be recorded; MemoryFullError */
  async restart(name: string, content: Content, seed: number): Promise<Space> {
    await this.getOrOpen(name)
    const before = this.getOpen(name)
    // It was removed in the meantime.
    if (!before) return this.restart(name, content, seed)
    if (content !== before.data.content && content !== this.directory.contentOf(name))
      this.#memory.demand(content.ownBytes)
    const space = this.#createSpace(before.data.restart(content, seed))
    this.#opened.set(name, space)
    this.#end(before, 'reset', space)
    return space
  }

  /**
   * Removes a private space, whose name leads to a new one from then on; or a space created by a control call, with its
   * users and copies.
   * @returns false when there is no such space
   * @throws StorageError when it is of a fixture, or its removal cannot be recorded
   */
  remove(name: string): Promise<boolean> {
    if (homeOf(name) !== name) return this.#removeCopy(name)
    return this.directory.runExclusive(async () => {
      if (!this.directory.has(name)) return false
      this.#refuseFixture(name)
      await this.directory.record(name, undefined)
      this.directory.remove(name)
      await this.#removeCopies(name, true)
      return true
    })
  }

  /** @throws StorageError when the space is of a fixture */
  #refuseFixture(name: string): void {
    if (this.directory.has(name) && !this.directory.createdContent(name))
      throw new StorageError(`space "${name}" is of a fixture that the mock was started with`)
  }

  async #removeCopy(name: string): Promise<boolean> {
    try {
      await this.getOrOpen(name)
    } catch (error) {
      if (this.directory.contentOf(name)) throw error
      return false
    }
    const space = this.getOpen(name)
    if (!space) return false
    await this.#removeSpace(space)
    return true
  }

  close(): Promise<void> {
    return this.directory.runExclusive(async () => {
      await Promise.allSettled(this.#opening.values())
      await Promise.all(this.#closing.values())
      const open = [...this.#opened.values()]
      this.#opened.clear()
      for (const space of open) this.#end(space, 'closed')
      // If one fails, the others are still closed.
      const closed = await Promise.allSettled(open.map(({ data }) => data.close()))
      await this.options.files.close()
      for (const it of closed) if (it.status === 'rejected') throw it.reason
    })
  }
}
