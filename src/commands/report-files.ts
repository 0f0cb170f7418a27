import { closeSync, existsSync, mkdirSync, openSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'

/** A report that cannot be written where it is wanted. */
export class ReportError extends Error {
  override readonly name = 'ReportError'
}

/** A report by its form, which is also its flag, and where it is wanted. */
export interface WantedFile {
  readonly form: string
  readonly file: string
}

/**
 * Makes the folders of files and tries whether they can be written: that is better known before than after.
 * @throws ReportError
 */
export function prepareFiles(files: readonly WantedFile[]): void {
  const taken = new Map<string, string>()
  for (const { form, file } of files) {
    const other = taken.get(resolve(file))
    if (other) throw new ReportError(`--${other} and --${form} name the same file, ${file}`)
    taken.set(resolve(file), form)
    made(dirname(file))
    tried(file)
  }
}

/** @returns what could not be written, a sentence for each; the others stand */
export function writeFiles(
  files: readonly { readonly file: string; readonly text: () => string }[],
): string[] {
  return files.flatMap(({ file, text }) => {
    try {
      writeFileSync(file, text())
      return []
    } catch (error) {
      return [`cannot write ${file}: ${reasonOf(error)}`]
    }
  })
}

/**
 * Makes a folder and those around it, one after the other: where the system will not have one, Node's own recursion may
 * never return.
 * @throws ReportError
 */
export function made(folder: string): void {
  if (existsSync(folder)) {
    if (!statSync(folder).isDirectory())
      throw new ReportError(`cannot make the folder ${folder}: there is a file of that name`)
    return
  }
  const parent = dirname(folder)
  if (parent !== folder) made(parent)
  attempt(`cannot make the folder ${folder}`, () => mkdirSync(folder))
}

function tried(file: string): void {
  const isThere = existsSync(file)
  if (isThere) {
    const found = statSync(file)
    if (found.isDirectory()) throw new ReportError(`cannot write ${file}: it is a folder`)
    // A pipe or a device has to be left alone until there is something to write.
    if (!found.isFile()) return
  }
  attempt(`cannot write ${file}`, () => closeSync(openSync(file, 'a')))
  if (!isThere) rmSync(file, { force: true })
}

/** @throws ReportError that begins with `what` */
export function attempt(what: string, work: () => void): void {
  try {
    work()
  } catch (error) {
    throw new ReportError(`${what}: ${reasonOf(error)}`)
  }
}

/** Without the path, which the sentence has already. */
function reasonOf(error: unknown): string {
  const { message } = error as Error
  return message.replace(/, \w+ '.*'$/s, '')
}
