import type { Content } from './content.ts'
import type { Files } from './files.ts'
import { reason, StorageError } from './storage-error.ts'

interface Made {
  readonly space: string
  /** Of the content that it was made from. */
  readonly digest: string
}

/** Keeps which spaces were made by control calls, in the order in which they were. */
const fileName = 'fixtures/made.json'

/** @throws StorageError when the list is damaged */
export function readMade(files: Files): Made[] {
  const bytes = files.read(fileName)
  if (!bytes) return []
  let made: unknown
  try {
    made = JSON.parse(bytes.toString('utf8'))
  } catch (error) {
    throw new StorageError(`${files.place(fileName)} is damaged: ${reason(error)}`)
  }
  if (Array.isArray(made) && made.every(isMade)) return made
  throw new StorageError(`${files.place(fileName)} is damaged: it is no list of spaces with their digests`)
}

const isMade = (value: unknown): value is Made =>
  typeof value === 'object' &&
  value !== null &&
  'space' in value &&
  typeof value.space === 'string' &&
  'digest' in value &&
  typeof value.digest === 'string'

/** Of a content with a user whose name leads to another space. */
export class UserTakenError extends StorageError {
  readonly user: string
  readonly spaceName: string

  constructor(user: string, spaceName: string) {
    super(`user "${user}" leads to space "${spaceName}" already`)
    this.user = user
    this.spaceName = spaceName
  }
}

/** Which spaces control calls made, and from what. All of them stand in one file, so they change one after another. */
export class MadeSpaces {
  readonly #files: Files
  readonly #contents = new Map<string, Content>()
  #last: Promise<unknown> = Promise.resolve()

  constructor(files: Files) {
    this.#files = files
  }

  get(name: string): Content | undefined {
    return this.#contents.get(name)
  }

  /** A space that is on record from an earlier run. */
  found(name: string, content: Content): void {
    this.#contents.set(name, content)
  }

  /**
   * Puts on record what a space is made from, or that it is no more. Only in turn: see `inTurn`.
   * @throws StorageError when it cannot be written; then nothing was changed
   */
  async put(name: string, content: Content | undefined): Promise<void> {
    const next = new Map(this.#contents)
    if (content) next.set(name, content)
    else next.delete(name)
    const list: Made[] = [...next].map(([space, { digest }]) => ({ space, digest }))
    await this.#files.replace(fileName, [JSON.stringify(list)])
    if (content) this.#contents.set(name, content)
    else this.#contents.delete(name)
  }

  /** Does this work when all that came before it is done: what it finds out stays true until it is done itself. */
  inTurn<T>(work: () => Promise<T>): Promise<T> {
    const mine = this.#last.then(work)
    this.#last = mine.catch(() => {})
    return mine
  }
}
