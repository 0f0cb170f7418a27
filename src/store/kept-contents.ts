import type { Content } from './content.ts'
import type { Files } from './files.ts'

export const contentName = (content: { digest: string }) => `fixtures/${content.digest}.json`

/**
 * The contents on disk that spaces began from, and which files name them: one that no file names any more is removed, or
 * they would grow with every snapshot that was ever put. Only those that this run has written: older ones may be named by
 * files that nobody has read yet.
 */
export class KeptContents {
  readonly #files: Files
  readonly #isLasting: (digest: string) => boolean
  /** The files that name a content, by its digest. */
  readonly #namedBy = new Map<string, Set<string>>()
  /** The other way round. */
  readonly #names = new Map<string, Set<string>>()

  /** @param isLasting whether a content stays whoever names it, such as one that every new space begins from */
  constructor(files: Files, isLasting: (digest: string) => boolean = () => false) {
    this.#files = files
    this.#isLasting = isLasting
  }

  /**
   * Writes a content, unless it is there, for a file that is about to name it.
   * @returns how many characters were written that go again some day
   * @throws StorageError when it cannot be written
   */
  keep(content: Content, by: string): number {
    const { digest } = content
    let written = 0
    this.#files.keep(contentName(content), () => {
      const { json } = content
      written = json.length
      return json
    })
    const goes = written > 0 && !this.#isLasting(digest)
    if (goes) this.#namedBy.set(digest, new Set())
    this.#note(digest, by)
    return goes ? written : 0
  }

  /** A file was replaced, and names this content alone, or none. */
  replaced(file: string, digest: string | undefined): void {
    if (digest !== undefined) this.#note(digest, file)
    for (const other of this.#names.get(file) ?? []) if (other !== digest) this.#forget(other, file)
  }

  /** These files are gone. */
  removed(files: readonly string[]): void {
    for (const file of files) this.replaced(file, undefined)
  }

  #note(digest: string, file: string): void {
    const files = this.#namedBy.get(digest)
    if (!files) return
    files.add(file)
    const digests = this.#names.get(file) ?? new Set()
    this.#names.set(file, digests.add(digest))
  }

  #forget(digest: string, file: string): void {
    const digests = this.#names.get(file)!
    digests.delete(digest)
    if (digests.size === 0) this.#names.delete(file)
    const files = this.#namedBy.get(digest)!
    files.delete(file)
    if (files.size > 0) return
    this.#namedBy.delete(digest)
    try {
      this.#files.remove([contentName({ digest })])
    } catch {
      // A file too many does no harm; whoever let it go has done what was asked for.
    }
  }
}
