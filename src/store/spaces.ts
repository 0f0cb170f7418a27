import { Content } from './content.ts'
import { type Account, Homes } from './homes.ts'
import { contentName, KeptContents } from './kept-contents.ts'
import { MadeSpaces, readMade, UserTakenError } from './made-spaces.ts'
import { type CopyLimits, OpenSpaces, type OpenSpacesOptions } from './open-spaces.ts'
import type { Space } from './space.ts'
import { digestOf, homeOf, stem } from './space-names.ts'
import { reason, StorageError } from './storage-error.ts'

export interface SpacesOptions extends OpenSpacesOptions {
  contents: readonly Content[]
}

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
  readonly #open: OpenSpaces

  private constructor(options: SpacesOptions) {
    this.#options = options
    this.#made = new MadeSpaces(options.files)
    const { contents, files } = options
    this.#kept = new KeptContents(files, digest => contents.some(content => content.digest === digest))
    this.#open = new OpenSpaces(options, this.#homes, this.#kept, digest => this.#content(digest))
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
    return this.#open.get(name)
  }

  /**
   * The space, opened if need be; simultaneous callers get the same one.
   * @throws StorageError when its files are damaged
   */
  space(name: string): Promise<Space> {
    return this.#open.open(name)
  }

  /** The space if there is one, open or kept from an earlier run; unlike `space`, this makes none. */
  async existing(name: string): Promise<Space | undefined> {
    const isKept = this.opened(name) !== undefined || this.#options.files.list(stem(name)).length > 0
    return isKept ? this.space(name) : undefined
  }

  names(): string[] {
    return this.#open.names()
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
    return this.#open.evicted
  }

  /** Whether a copy of this name had to make room and did not come back since. Only the latest ones are remembered. */
  hasMadeRoom(name: string): boolean {
    return this.#open.hasMadeRoom(name)
  }

  /** Every space back to its beginning; private copies are gone. */
  reset(): Promise<void> {
    return this.#made.inTurn(() => this.#reset())
  }

  async #reset(): Promise<void> {
    await this.#open.allOpened()
    this.#open.forgetWhoMadeRoom()
    for (const name of this.#open.names())
      if (this.#homes.has(name)) await this.resetOne(name)
      else await this.#removeCopy(name)
    await this.#open.allClosed()
    // Private copies of an earlier run, not opened in this one, are reset as well.
    this.#open.removeOthers()
  }

  /** A space back to its beginning: the one that it was given, or that of its fixture. */
  async resetOne(name: string): Promise<Space> {
    const { content } = (await this.space(name)).data
    const beginning = content.beginning?.isGiven ? content : this.beginning(name)!
    return this.restart(name, beginning, this.#open.seedOf(beginning))
  }

  /**
   * A space at a beginning of its own. What was in it is gone.
   * @throws StorageError when it cannot be put on record, or nobody could get into the space
   */
  async restart(name: string, content: Content, seed: number): Promise<Space> {
    await this.space(name)
    const before = this.opened(name)
    // Somebody removed it while we waited.
    if (!before) return this.restart(name, content, seed)
    return this.#open.replace(before, before.data.begunAnew(content, seed))
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
    const space = this.opened(name)
    if (!space) return false
    await this.#open.wipe(space)
    return true
  }

  #clear(home: string): Promise<void> {
    return this.#open.clear(
      name => homeOf(name) === home,
      digest => digest.startsWith(digestOf(home)),
    )
  }

  #clearCopies(home: string): Promise<void> {
    return this.#open.clear(
      name => name !== home && homeOf(name) === home,
      digest => digest.startsWith(`${digestOf(home)}-`),
    )
  }

  /** Saves and lets go of everything. */
  close(): Promise<void> {
    return this.#made.inTurn(() => this.#open.close())
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
