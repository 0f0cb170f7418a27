import {
  appendFileSync,
  existsSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { reason } from '../../store/disk.ts'
import { UserError } from '../../store/user-error.ts'
import { isObject, parseJson } from '../verify/unknown-json.ts'

/** Why a pull is not possible, in one sentence that says what to do. */
export class CannotPull extends UserError {
  override readonly name = 'CannotPull'
}

/** A recorded answer: only what a fixture is made from. */
export interface RecordedAnswer {
  readonly url: string
  readonly status: number
  readonly json: unknown
}

/** The service and user whose answers a journal contains. */
export interface JournalOwner {
  readonly base: string
  readonly platformSegment: string
  readonly user: string
}

const journalFormat = 1

/**
 * The answers so far, one line each, so that an interrupted pull can go on. They contain the service's data
 * unchanged, so only the file's owner may read it.
 */
export class PullJournal {
  /** Undefined if it is only in memory. */
  readonly file: string | undefined
  readonly #answers = new Map<string, RecordedAnswer>()

  private constructor(file: string | undefined) {
    this.file = file
  }

  static inMemory(): PullJournal {
    return new PullJournal(undefined)
  }

  /** Creates a new journal. @throws CannotPull if it cannot be written */
  static begin(file: string, of: JournalOwner): PullJournal {
    const journal = new PullJournal(file)
    journal.#write(() => rmSync(file, { force: true }))
    journal.#write(() =>
      writeFileSync(file, `${JSON.stringify({ format: journalFormat, ...of })}\n`, { mode: 0o600 }),
    )
    return journal
  }

  /** Opens the journal of an interrupted pull, or creates one. @throws CannotPull unless it is readable and of this one */
  static resume(file: string, of: JournalOwner): PullJournal {
    if (!existsSync(file)) return PullJournal.begin(file, of)
    const journal = new PullJournal(file)
    const lines = readLines(file)
    const head = parseLine(lines.shift() ?? '')
    const began = head as Partial<JournalOwner & { format: number }> | undefined
    if (began?.format !== journalFormat)
      throw new CannotPull(`${file} is no journal of a pull; --force starts again and replaces it`)
    if (began.base !== of.base || began.platformSegment !== of.platformSegment || began.user !== of.user)
      throw new CannotPull(
        `${file} is of a pull from ${began.base} as "${began.user}", integration ${began.platformSegment}, and not of this one; --force starts again and replaces it`,
      )
    let whole = `${JSON.stringify(head)}\n`
    for (const line of lines) {
      const answer = parseLine(line) as RecordedAnswer | undefined
      // The last line is incomplete if the process ended while writing it.
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

  get(url: string): RecordedAnswer | undefined {
    return this.#answers.get(url)
  }

  /** @throws CannotPull if it cannot be written */
  put(answer: RecordedAnswer): void {
    this.#answers.set(answer.url, answer)
    const { file } = this
    if (file !== undefined) this.#write(() => appendFileSync(file, `${JSON.stringify(answer)}\n`))
  }

  /** Deletes the file: the pull is complete. */
  remove(): void {
    if (this.file !== undefined) rmSync(this.file, { force: true })
  }

  #write(work: () => void): void {
    try {
      work()
    } catch (error) {
      throw new CannotPull(`cannot write ${this.file}: ${reason(error)}`)
    }
  }
}

function readLines(file: string): string[] {
  try {
    return readFileSync(file, 'utf8')
      .split('\n')
      .filter(line => line !== '')
  } catch (error) {
    throw new CannotPull(`cannot read ${file}: ${reason(error)}`)
  }
}

function parseLine(line: string): object | undefined {
  const value = parseJson(line)
  return isObject(value) ? value : undefined
}

/** Checks before the first request that the file can be written. @throws CannotPull */
export function checkOutFile(out: string, isReplaced: boolean): void {
  const folder = dirname(out)
  if (!existsSync(folder) || !statSync(folder).isDirectory())
    throw new CannotPull(`cannot write ${out}: there is no folder ${folder}`)
  const found = statSync(out, { throwIfNoEntry: false })
  if (found?.isDirectory()) throw new CannotPull(`--out is ${out}, which is a folder; name a file in it`)
  if (found && !found.isFile()) throw new CannotPull(`--out is ${out}, which is no ordinary file`)
  if (found && !isReplaced) throw new CannotPull(`${out} is there already; --force replaces it`)
}

/** Writes the whole file, or nothing. @throws CannotPull */
export function writeWholeFile(out: string, text: string): void {
  const part = `${out}.part`
  try {
    writeFileSync(part, text, { mode: 0o600 })
    renameSync(part, out)
  } catch (error) {
    rmSync(part, { force: true })
    throw new CannotPull(`cannot write ${out}: ${reason(error)}`)
  }
}
