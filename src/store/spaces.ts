import { Content } from './content.ts'
import type { Files } from './files.ts'
import { type Account, Homes } from './homes.ts'
import { contentName, KeptContents } from './kept-contents.ts'
import { MadeSpaces, readMade, UserTakenError } from './made-spaces.ts'
import { SpaceData } from './space-data.ts'
import { digestOf, fileName, homeOf, stem } from './space-names.ts'
import { reason, StorageError } from './storage-error.ts'

/** The space's time. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number
}

/** The space's chance: every value follows from the seed, the space's name and what it is for. */
export interface Chance {
  /** @param number tells UUIDs of one kind apart; the cheapest is the next one after the last */
  uuid(kind: string, number?: number): string
  /** At least 0, below 1. */
  fraction(...purpose: (string | number)[]): number
  /** A secret of the space, such as what signs its cursors. */
  secret(purpose: string): string
}

/** A tenant: its data, its time, its chance. Nothing is shared between two of them but what never changes. */
export interface Space {
  readonly name: string
  readonly data: SpaceData
  readonly clock: Clock
  readonly chance: Chance
}

export type { Account } from './homes.ts'

export interface SpacesOptions {
  contents: readonly Content[]
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

/**
 * All spaces of one mock. Those of the fixtures are there from the start; a user name with a plus (`demo+anything`)
 * leads to a private copy of its space, made on first use.
 */
export class Spaces {
  readonly #options: SpacesOptions
  readonly #homes = new Homes()
  /** Those of the homes that a control call made. */
  readonly #made: MadeSpaces
  readonly #kept: KeptContents
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

  private constructor(options: SpacesOptions) {
    this.#options = options
    this.#made = new MadeSpaces(options.files)
    const { contents, files } = options
    this.#kept = new KeptContents(files, digest => contents.some(content => content.digest === digest))
    for (const content of options.contents) {
      const home = content.fixture.space
      if (this.#homes.has(home))
        throw new StorageError(`two fixtures are of space "${home}"; give each its own "space"`)
      const taken = this.userElsewhere(content)
      if (taken)
        throw new StorageError(
          `user "${taken.user.name}" stands in the fixtures of two spaces; a user name leads to one space`,
        )
      this.#homes.settle(content)
    }
  }

  /** @throws StorageError when two fixtures clash or a space's files are damaged */
  static async open(options: SpacesOptions): Promise<Spaces> {
    const spaces = new Spaces(options)
    await spaces.#settleMade()
    for (const home of spaces.#homes.names()) await spaces.space(home)
    return spaces
  }

  /** Who this user name belongs to, and which space it leads to. Undefined when nobody has it. */
  account(userName: string): Account | undefined {
    return this.#homes.account(userName)
  }

  /** The space if it is open already: the usual case, without waiting. */
  opened(name: string): Space | undefined {
    return this.#opened.get(name)
  }

  /**
   * The space, opened if need be; simultaneous callers get the same one.
   * @throws StorageError when its files are damaged
   */
  space(name: string): Promise<Space> {
    const open = this.#opened.get(name)
    if (open) return Promise.resolve(open)
    const opening = this.#opening.get(name) ?? this.#open(name).finally(() => this.#opening.delete(name))
    this.#opening.set(name, opening)
    return opening
  }

  /** The space if there is one, open or kept from an earlier run; unlike `space`, this makes none. */
  async existing(name: string): Promise<Space | undefined> {
    const isKept = this.#opened.has(name) || this.#options.files.list(stem(name)).length > 0
    return isKept ? this.space(name) : undefined
  }

  names(): string[] {
    return [...this.#opened.keys()]
  }

  /** Names of the spaces that fixtures begin. */
  homes(): string[] {
    return this.#homes.names()
  }

  /** The content that a space of this name begins with: its own, or that of the space it is a copy of. */
  beginning(name: string): Content | undefined {
    return this.#homes.beginning(name)
  }

  /** The content that a space was made from by `make`; undefined for any other. */
  made(name: string): Content | undefined {
    return this.#made.get(name)
  }

  /** A user of this content whose name leads to another space already. */
  userElsewhere(content: Content): Account | undefined {
    return this.#homes.userElsewhere(content)
  }

  /**
   * A space of its own, with the users of its content; one that was made before begins anew from this content, its
   * private copies are gone. It is there again after a restart.
   * @throws UserTakenError when a user leads to another space
   * @throws StorageError when a fixture has the space, or it cannot be put on record
   */
  make(content: Content, seed: number): Promise<Space> {
    return this.#made.inTurn(() => this.#make(content, seed))
  }

  async #make(content: Content, seed: number): Promise<Space> {
    const name = content.fixture.space
    const before = this.#made.get(name)
    if (this.#homes.has(name) && !before)
      throw new StorageError(`space "${name}" is of a fixture that the mock was started with`)
    const taken = this.userElsewhere(content)
    if (taken) throw new UserTakenError(taken.user.name, taken.spaceName)
    this.#kept.keep(content, madeFrom(name))
    // A run that ended in the middle of a removal may have left files.
    if (!before) await this.#clear(name)
    await this.#put(name, content)
    this.#homes.unsettle(name)
    this.#homes.settle(content)
    try {
      const space = await this.restart(name, content, seed)
      if (before) await this.#clearCopies(name)
      return space
    } catch (error) {
      await this.#put(name, before).catch(() => {})
      this.#homes.unsettle(name)
      if (before) this.#homes.settle(before)
      else await this.#clear(name)
      throw error
    }
  }

  /** Of a space that is not open. */
  #removeFiles(theirStem: string): void {
    const { files } = this.#options
    const names = files.list(theirStem)
    files.remove(names)
    this.#kept.removed(names)
  }

  /** Puts on record what a space is made from, or that it is no more. */
  async #put(name: string, content: Content | undefined): Promise<void> {
    await this.#made.put(name, content)
    this.#kept.replaced(madeFrom(name), content?.digest)
  }

  /** How many private copies are kept and how long, where that is limited. */
  get copyLimits(): Pick<CopyLimits, 'count' | 'idle'> | undefined {
    return this.#options.copies
  }

  /** Another number whenever users have come or gone. */
  get edition(): number {
    return this.#homes.edition
  }

  /** The seed of spaces that begin with a fixture that somebody wrote. */
  get seed(): number {
    return this.#options.seed
  }

  /** How many private copies had to make room. */
  get evicted(): number {
    return this.#evicted
  }

  /** Whether a copy of this name had to make room and did not come back since. Only the latest ones are remembered. */
  hasMadeRoom(name: string): boolean {
    return this.#madeRoom.has(name)
  }

  /** Every space back to its beginning; private copies are gone. */
  reset(): Promise<void> {
    return this.#made.inTurn(() => this.#reset())
  }

  async #reset(): Promise<void> {
    await Promise.allSettled(this.#opening.values())
    this.#madeRoom.clear()
    for (const { name } of [...this.#opened.values()])
      if (this.#homes.has(name)) await this.resetOne(name)
      else await this.#removeCopy(name)
    await Promise.all(this.#closing.values())
    // Private copies of an earlier run, not opened in this one, are reset as well.
    const { files } = this.#options
    const kept = new Set([...this.#opened.keys(), ...this.#opening.keys()].map(stem))
    for (const other of files.stems('spaces')) if (!kept.has(other)) this.#removeFiles(other)
  }

  /** A space back to its beginning: the one that it was given, or that of its fixture. */
  async resetOne(name: string): Promise<Space> {
    const { content } = (await this.space(name)).data
    const beginning = content.beginning?.isGiven ? content : this.beginning(name)!
    return this.restart(name, beginning, this.#seedOf(beginning))
  }

  /** The seed of a space that begins with this content. */
  #seedOf({ beginning }: Content): number {
    return beginning?.seed ?? this.#options.seed
  }

  /**
   * A space at a beginning of its own. What was in it is gone.
   * @throws StorageError when it cannot be put on record, or nobody could get into the space
   */
  async restart(name: string, content: Content, seed: number): Promise<Space> {
    await this.space(name)
    const before = this.#opened.get(name)
    // Somebody removed it while we waited.
    if (!before) return this.restart(name, content, seed)
    const space = this.#furnish(before.data.begunAnew(content, seed))
    this.#opened.set(name, space)
    this.#options.gone?.(before)
    return space
  }

  /**
   * Removes a private copy with everything in it, its name leads to a fresh one from then on; or a space that was made,
   * with its users and copies.
   * @returns false when there is no such space, such as when somebody else was faster
   * @throws StorageError when it is of a fixture, or its removal cannot be put on record
   */
  remove(name: string): Promise<boolean> {
    return homeOf(name) === name ? this.#made.inTurn(() => this.#removeMade(name)) : this.#removeCopy(name)
  }

  async #removeMade(name: string): Promise<boolean> {
    if (!this.#homes.has(name)) return false
    if (!this.#made.get(name))
      throw new StorageError(`space "${name}" is of a fixture that the mock was started with`)
    await this.#put(name, undefined)
    this.#homes.unsettle(name)
    await this.#clear(name)
    return true
  }

  async #removeCopy(name: string): Promise<boolean> {
    try {
      await this.space(name)
    } catch (error) {
      if (this.beginning(name)) throw error
      return false
    }
    const space = this.#opened.get(name)
    if (!space) return false
    await this.#wipe(space)
    return true
  }

  #clear(home: string): Promise<void> {
    return this.#clearAll(
      name => homeOf(name) === home,
      digest => digest.startsWith(digestOf(home)),
    )
  }

  #clearCopies(home: string): Promise<void> {
    return this.#clearAll(
      name => name !== home && homeOf(name) === home,
      digest => digest.startsWith(`${digestOf(home)}-`),
    )
  }

  /**
   * Removes spaces, and the files of those that are not open: put away, or left by an earlier run.
   * @param isOne by a space's name
   * @param isTheirs by the digest in a file's name
   */
  async #clearAll(isOne: (name: string) => boolean, isTheirs: (digest: string) => boolean): Promise<void> {
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
      const wiped = open.map(space => this.#wipe(space))
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
  #wipe(space: Space): Promise<void> {
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
  close(): Promise<void> {
    return this.#made.inTurn(() => this.#close())
  }

  async #close(): Promise<void> {
    await Promise.allSettled(this.#opening.values())
    await Promise.all(this.#closing.values())
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

  async #open(name: string): Promise<Space> {
    if (this.#clearing?.isOne(name)) await this.#clearing.over
    await this.#closing.get(name)
    const home = this.beginning(name)
    if (!home)
      throw new StorageError(`there is no space "${name}"; there are ${this.#homes.names().join(', ')}`)
    const { files, warn } = this.#options
    if (!this.#homes.has(name)) this.#makeRoom()
    const data = await SpaceData.open(
      name,
      fileName(name),
      home,
      this.#seedOf(home),
      files,
      digest => this.#content(digest),
      warn,
      this.#kept,
    )
    const space = this.#furnish(data)
    this.#madeRoom.delete(name)
    this.#opened.set(name, space)
    return space
  }

  /** The spaces that were made in an earlier run. @throws StorageError when their content is damaged or missing */
  async #settleMade(): Promise<void> {
    const { files, warn } = this.#options
    for (const { space, digest } of readMade(files)) {
      const content = await this.#content(digest)
      if (!content)
        throw new StorageError(
          `the content of space ${space} is missing (${files.place(contentName({ digest }))}); restore the file, or remove the data directory to begin anew`,
        )
      const isTaken = this.#homes.has(space) || this.userElsewhere(content) !== undefined
      if (isTaken) {
        warn(
          `space ${space}, made by a control call, is left out: a fixture has its name or one of its users`,
        )
        continue
      }
      this.#made.found(space, content)
      this.#homes.settle(content)
    }
  }

  #furnish(data: SpaceData): Space {
    const { clock, chance } = this.#options
    return { name: data.name, data, clock: clock(data), chance: chance(data.name, data.seed) }
  }

  /** A content that some space started from, even if its fixture has changed since. */
  async #content(digest: string): Promise<Content | undefined> {
    const current = this.#options.contents.find(content => content.digest === digest)
    if (current) return current
    const { files } = this.#options
    const name = contentName({ digest })
    const bytes = files.read(name)
    if (!bytes) return undefined
    try {
      const content = new Content(JSON.parse(bytes.toString('utf8')))
      if (content.digest === digest) return content
    } catch (error) {
      throw new StorageError(`${files.place(name)} is damaged: ${reason(error)}`)
    }
    throw new StorageError(`${files.place(name)} is damaged: its content does not match its name`)
  }
}

/** What names the content that a space was made from: all of them stand in one file. */
const madeFrom = (name: string) => `made ${name}`
