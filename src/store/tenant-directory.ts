import { createHash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { Content, ContentFiles, contentFileName } from './content.ts'
import { DamageError, reason, StorageError } from './disk.ts'
import type { Files } from './files.ts'
import { storeFormat } from './format.ts'
import { checkHead, parseJson } from './log.ts'
import type { Fixture, User } from './rows.ts'
import { formatEnd, isWhole } from './snapshot.ts'

/** The space that a private space (`home+tag`) belongs to; for other names the name itself. */
export function homeOf(name: string): string {
  const plus = name.indexOf('+')
  return plus < 0 ? name : name.slice(0, plus)
}

/** Identifies a name in file names. */
export const nameDigest = (name: string) => createHash('sha256').update(name).digest('hex').slice(0, 32)

/**
 * Common beginning of the names of a space's files. Names are input, so it has the readable part of the space name and a
 * digest that makes it unique. For private spaces the digest of their home comes first, so that they are found when it is
 * removed.
 */
export function spaceFileStem(space: string): string {
  const readable = space
    .toLowerCase()
    .replaceAll(/[^a-z0-9-]+/g, '-')
    .slice(0, 32)
  const home = homeOf(space)
  return `spaces/${readable}.${nameDigest(home)}${home === space ? '' : `-${nameDigest(space)}`}`
}

/** Bytes of the beginning of a file that has the name of its space, and its format. */
export const maxHead = 4_096

export interface Account {
  readonly user: User
  readonly spaceName: string
}

/** Maximum length of a user name: longer than tests need, short enough not to fill the memory. */
const maxUserNameLength = 200

/**
 * Not allowed in names of users (RFC 7617) and of spaces: no control call could address such a space. A terminal obeys those
 * of C1 as well, and others change the direction of the text around them.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: that is what is looked for
export const controlCharacter = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/

interface CreatedSpace {
  readonly space: string
  /** Digest of its initial content. */
  readonly digest: string
}

/** Lists the spaces created by control calls, in the order of their creation. */
const createdSpacesFile = 'fixtures/made.json'

const formatCreatedSpaces = (spaces: readonly CreatedSpace[]) => {
  const text = `${JSON.stringify({ $format: storeFormat, spaces }).slice(0, -1)},`
  return text + formatEnd(crc32(text))
}

/** The spaces of earlier runs. An empty directory gets a list, so that a missing one is noticed. @throws DamageError */
export function readCreatedSpaces(files: Files): readonly CreatedSpace[] {
  const path = files.pathOf(createdSpacesFile)
  const bytes = files.read(createdSpacesFile)
  if (bytes) {
    const { spaces } = checkHead(parseJson(bytes, path), undefined, path)
    if (!isWhole(bytes)) throw new DamageError(path, 'its content does not match its $checksum')
    return spaces as CreatedSpace[]
  }
  if (files.stems('fixtures').length + files.stems('spaces').length > 0) {
    refuseOtherFormat(files)
    throw new DamageError(path, 'it is missing, though there are other files')
  }
  files.writeOnce(createdSpacesFile, () => formatCreatedSpaces([]))
  return []
}

/** A directory of another format need not have that list. Logs of format 1 begin with their first change. @throws StorageError */
function refuseOtherFormat(files: Files): void {
  for (const name of files.stems('spaces').flatMap(stem => files.list(stem))) {
    const head = String(files.read(name, maxHead))
    const format =
      /"\$format":(\d+)/.exec(head)?.[1] ?? (/^\{"crc":"\w{8}","seq":/.test(head) ? 1 : undefined)
    if (format !== undefined) checkHead({ $format: Number(format) }, undefined, files.pathOf(name))
  }
}

export class UserTakenError extends StorageError {
  readonly user: string
  readonly spaceName: string

  constructor(user: string, spaceName: string) {
    super(`user "${user}" leads to space "${spaceName}" already`)
    this.user = user
    this.spaceName = spaceName
  }
}

/** The spaces with content of their own, of fixtures or control calls, and their users. A user belongs to one space. */
export class TenantDirectory {
  readonly #files: Files
  readonly #fixtures: readonly Content[]
  /** The contents that files of spaces refer to. */
  readonly contentFiles: ContentFiles
  readonly #contents = new Map<string, Content>()
  #created = new Map<string, Content>()
  readonly #users = new Map<string, Account>()
  #revision = 0
  #last: Promise<unknown> = Promise.resolve()

  /** @throws StorageError when two fixtures clash */
  constructor(fixtures: readonly Content[], files: Files) {
    this.#files = files
    this.#fixtures = fixtures
    this.contentFiles = new ContentFiles(files, digest => fixtures.some(content => content.digest === digest))
    for (const content of fixtures) {
      const home = content.fixture.space
      if (this.has(home))
        throw new StorageError(`two fixtures are of space "${home}"; give each its own "space"`)
      const taken = this.findConflictingUser(content)
      if (taken)
        throw new StorageError(
          `user "${taken.user.name}" is in the fixtures of two spaces; a user name belongs to one space`,
        )
      this.add(content)
    }
  }

  /** Adds the spaces of earlier runs, or warns of them. @throws StorageError when a content is damaged or missing */
  async loadCreated(warn: (sentence: string) => void): Promise<void> {
    for (const { space, digest } of readCreatedSpaces(this.#files)) {
      const content = await this.findContent(digest)
      if (!content)
        throw new StorageError(
          `the content of space ${space} is missing (${this.#files.pathOf(contentFileName(digest))}); restore the file, or remove the data directory to start over`,
        )
      if (this.has(space) || this.findConflictingUser(content)) {
        warn(
          `space ${space}, created by a control call, is left out: a fixture has its name or one of its users`,
        )
        continue
      }
      this.#created.set(space, content)
      this.add(content)
    }
  }

  has(name: string): boolean {
    return this.#contents.has(name)
  }

  names(): string[] {
    return [...this.#contents.keys()]
  }

  /** The initial content of a space: its own, or that of the space it is a copy of. */
  contentOf(name: string): Content | undefined {
    return this.#contents.get(homeOf(name))
  }

  /** The initial content of a space created by a control call; undefined for any other. */
  createdContent(name: string): Content | undefined {
    return this.#created.get(name)
  }

  /** Names of the users whose passwords are in our documentation, with their passwords. */
  documentedUsers(): { readonly name: string; readonly password: string }[] {
    return [...this.#users.values()].flatMap(({ user: { name, password } }) =>
      documentedPassword(password) === undefined ? [] : [{ name, password }],
    )
  }

  /** Changes whenever users are added or removed. */
  get revision(): number {
    return this.#revision
  }

  account(userName: string): Account | undefined {
    if (userName.length > maxUserNameLength || controlCharacter.test(userName)) return undefined
    const plus = userName.indexOf('+')
    const known = this.#users.get(homeOf(userName))
    if (!known || plus < 0) return known
    const tag = userName.slice(plus)
    return tag.length > 1 ? { user: known.user, spaceName: known.spaceName + tag } : undefined
  }

  /** A user of this content whose name already belongs to another space. */
  findConflictingUser({ users, fixture }: Content): Account | undefined {
    const known = users.map(({ name }) => this.#users.get(name))
    return known.find(account => account && account.spaceName !== fixture.space)
  }

  add(content: Content): void {
    this.#revision++
    const home = content.fixture.space
    this.#contents.set(home, content)
    for (const user of content.users) this.#users.set(user.name, { user, spaceName: home })
  }

  remove(home: string): void {
    this.#revision++
    for (const [name, { spaceName }] of [...this.#users]) if (spaceName === home) this.#users.delete(name)
    this.#contents.delete(home)
  }

  /** Records a created space's content, or its removal, in `runExclusive`. @throws StorageError; then nothing is changed */
  async record(name: string, content: Content | undefined): Promise<void> {
    const next = new Map(this.#created)
    if (content) next.set(name, content)
    else next.delete(name)
    const list: CreatedSpace[] = [...next].map(([space, { digest }]) => ({ space, digest }))
    await this.#files.replace(createdSpacesFile, [formatCreatedSpaces(list)])
    this.#created = next
    this.contentFiles.setReference(createdSpaceKey(name), content?.digest)
  }

  /** Keeps the file of a content that is about to be recorded. */
  retain(content: Content): void {
    this.contentFiles.retain(content, createdSpaceKey(content.fixture.space))
  }

  /** Runs `work` after all earlier work is done, so that nothing changes while it runs. */
  runExclusive<T>(work: () => Promise<T>): Promise<T> {
    const mine = this.#last.then(work)
    this.#last = mine.catch(() => {})
    return mine
  }

  /** Finds the initial content of a space, even if its fixture has changed since. */
  async findContent(digest: string): Promise<Content | undefined> {
    const current = this.#fixtures.find(content => content.digest === digest)
    if (current) return current
    const files = this.#files
    const name = contentFileName(digest)
    const bytes = files.read(name)
    if (!bytes) return undefined
    const path = files.pathOf(name)
    const fixture = parseJson(bytes, path)
    try {
      const content = new Content(fixture as unknown as Fixture)
      if (content.digest === digest) return content
    } catch (error) {
      throw new DamageError(path, `this version cannot read it (${reason(error)})`)
    }
    throw new DamageError(path, 'its content does not match its name')
  }
}

/** Stands for the reference of a created space to its content: all of these references are in one file. */
const createdSpaceKey = (name: string) => `made ${name}`

const hiddenPassword = '(hidden)'

/** The password if it is in our documentation. Any other may be private and is not shown. */
export const documentedPassword = (password: string): string | undefined =>
  password === 'demo' ? password : undefined

/** Users without passwords, for a file that may be passed on. */
export const hidePasswords = (users: readonly User[]): User[] =>
  users.map(user => ({ ...user, password: documentedPassword(user.password) ?? hiddenPassword }))

/** A message when a password is still hidden, since its user could never log in. */
export function findHiddenPassword({ users }: Pick<Fixture, 'users'>): string | undefined {
  const user = users.find(({ password }) => password === hiddenPassword)
  return (
    user &&
    `the password of user "${user.name}" was left out when the snapshot was taken; write it in the place of ${hiddenPassword}`
  )
}
