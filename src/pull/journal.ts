import { appendFileSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { CannotPull } from './cannot-pull.ts'

/** An answer as it is kept: nothing but what a fixture is made from. */
export interface KeptAnswer {
  readonly url: string
  readonly status: number
  readonly json: unknown
}

/** Whose answers a journal holds. */
export interface JournalOf {
  readonly base: string
  readonly platformSegment: string
  readonly user: string
}

const format = 1

/**
 * What was answered so far, a line for each answer, so that an interrupted pull can go on. It holds what the service said
 * as it said it, so only its owner may read it.
 */
export class Journal {
  /** Undefined where it is kept in memory alone. */
  readonly file: string | undefined
  readonly #answers = new Map<string, KeptAnswer>()

  private constructor(file: string | undefined) {
    this.file = file
  }

  /** One that ends with the process. */
  static inMemory(): Journal {
    return new Journal(undefined)
  }

  /** A new one. @throws CannotPull where it cannot be written */
  static begin(file: string, of: JournalOf): Journal {
    const journal = new Journal(file)
    journal.#write(() => rmSync(file, { force: true }))
    journal.#write(() => writeFileSync(file, `${JSON.stringify({ format, ...of })}\n`, { mode: 0o600 }))
    return journal
  }

  /**
   * The one that an interrupted pull left, or a new one.
   * @throws CannotPull where it is of another service or user, or cannot be read
   */
  static resume(file: string, of: JournalOf): Journal {
    if (!existsSync(file)) return Journal.begin(file, of)
    const journal = new Journal(file)
    const lines = linesOf(file)
    const head = parsedLine(lines.shift() ?? '')
    const began = head as Partial<JournalOf & { format: number }> | undefined
    if (began?.format !== format)
      throw new CannotPull(`${file} is no journal of a pull; --force begins anew and replaces it`)
    if (began.base !== of.base || began.platformSegment !== of.platformSegment || began.user !== of.user)
      throw new CannotPull(
        `${file} is of a pull from ${began.base} as "${began.user}", integration ${began.platformSegment}, and not of this one; --force begins anew and replaces it`,
      )
    let whole = `${JSON.stringify(head)}\n`
    for (const line of lines) {
      const answer = parsedLine(line) as KeptAnswer | undefined
      // The last line is not whole where the end came while it was written.
      if (answer === undefined) break
      journal.#answers.set(answer.url, answer)
      whole += `${line}\n`
    }
    journal.#write(() => writeFileSync(file, whole, { mode: 0o600 }))
    return journal
  }

  get size(): number {
    return this.#answers.size
  }

  get(url: string): KeptAnswer | undefined {
    return this.#answers.get(url)
  }

  /** @throws CannotPull where it cannot be written */
  put(answer: KeptAnswer): void {
    this.#answers.set(answer.url, answer)
    const { file } = this
    if (file !== undefined) this.#write(() => appendFileSync(file, `${JSON.stringify(answer)}\n`))
  }

  /** Takes it away: the pull is whole. */
  remove(): void {
    if (this.file !== undefined) rmSync(this.file, { force: true })
  }

  #write(work: () => void): void {
    try {
      work()
    } catch (error) {
      throw new CannotPull(`cannot write ${this.file}: ${reasonOf(error)}`)
    }
  }
}

function linesOf(file: string): string[] {
  try {
    return readFileSync(file, 'utf8')
      .split('\n')
      .filter(line => line !== '')
  } catch (error) {
    throw new CannotPull(`cannot read ${file}: ${reasonOf(error)}`)
  }
}

function parsedLine(line: string): object | undefined {
  try {
    const value: unknown = JSON.parse(line)
    return typeof value === 'object' && value !== null ? value : undefined
  } catch {
    return undefined
  }
}

/** Without the path, which the sentence has already. */
export const reasonOf = (error: unknown): string => (error as Error).message.replace(/, \w+ '.*'$/s, '')
