import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Directories in which clients keep what must outlive them. Gone with the exam. */
export class Stores {
  readonly #root: string
  #count = 0

  private constructor(root: string) {
    this.#root = root
  }

  static async open(): Promise<Stores> {
    return new Stores(await mkdtemp(join(tmpdir(), 'mailing-sync-exam-')))
  }

  /** An empty one. */
  fresh(): Promise<string> {
    return mkdtemp(join(this.#root, `${++this.#count}-`))
  }

  async remove(): Promise<void> {
    await rm(this.#root, { recursive: true, force: true, maxRetries: 3 })
  }
}
