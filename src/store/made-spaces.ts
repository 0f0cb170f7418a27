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

/** @throws StorageError when it cannot be written */
export function keepMade(files: Files, made: ReadonlyMap<string, Content>): Promise<void> {
  const list: Made[] = [...made].map(([space, { digest }]) => ({ space, digest }))
  return files.replace(fileName, JSON.stringify(list))
}
