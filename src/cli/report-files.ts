import {
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  openSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, resolve } from 'node:path'
import { reason } from '../store/disk.ts'
import { UserError } from '../store/user-error.ts'

/** Writers of reports by their form, which is also their flag. */
type ReportWriters<Form extends string, Result> = Readonly<
  Record<Form, (result: Result, file: string) => string>
>

export const jsonReport = (result: unknown) => `${JSON.stringify(result, null, 2)}\n`

/**
 * Checks, before the work begins, that the reports that are asked for can be written.
 * @returns what to write of a result
 * @throws UserError
 */
export function prepareReports<Form extends string, Result>(
  wanted: Readonly<Record<NoInfer<Form>, string | undefined>>,
  writers: ReportWriters<Form, Result>,
) {
  const taken = new Map<string, string>()
  const files = (Object.keys(writers) as Form[]).flatMap(form => {
    const file = wanted[form]
    if (file === undefined) return []
    const other = taken.get(resolve(file))
    if (other) throw new UserError(`--${other} and --${form} name the same file, ${file}`)
    taken.set(resolve(file), form)
    const folder = dirname(file)
    if (!isFolder(folder)) throw new UserError(`cannot write ${file}: there is no folder ${folder}`)
    checkWritable(file)
    return [{ form, file }]
  })
  return (result: Result) =>
    files.map(({ form, file }) => ({ form, file, content: () => writers[form](result, file) }))
}

interface FileToWrite {
  readonly file: string
  readonly content: () => string | Uint8Array
  /** Whether the user named only its folder. Then no link is followed, which anybody may have put there. */
  readonly isInFolder?: true
}

const withoutLinks = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | (constants.O_NOFOLLOW ?? 0)

/** @returns a message for each file that could not be written; the others are written */
export function writeFiles(files: readonly FileToWrite[]): string[] {
  return files.flatMap(({ file, content, isInFolder }) => {
    try {
      const bytes = content()
      const opened = openSync(file, isInFolder ? withoutLinks : 'w', 0o666)
      try {
        writeFileSync(opened, bytes)
      } finally {
        closeSync(opened)
      }
      return []
    } catch (error) {
      const isLink = (error as NodeJS.ErrnoException).code === 'ELOOP'
      return [`cannot write ${file}: ${isLink ? 'it is a link' : reason(error)}`]
    }
  })
}

/** Makes a folder if there is none. @throws UserError */
export const makeFolder = (folder: string) =>
  orUserError(`cannot make the folder ${folder}`, () => isFolder(folder) || mkdirSync(folder))

const isFolder = (path: string) => existsSync(path) && statSync(path).isDirectory()

function checkWritable(file: string): void {
  const isThere = existsSync(file)
  if (isThere) {
    const found = statSync(file)
    if (found.isDirectory()) throw new UserError(`cannot write ${file}: it is a folder`)
    // Do not open a pipe or a device before there is something to write.
    if (!found.isFile()) return
  }
  orUserError(`cannot write ${file}`, () => closeSync(openSync(file, 'a')))
  if (!isThere) rmSync(file, { force: true })
}

/** @throws UserError that begins with `what` */
export function orUserError<Value>(what: string, work: () => Value): Value {
  try {
    return work()
  } catch (error) {
    throw new UserError(`${what}: ${reason(error)}`)
  }
}

/** @throws UserError when the file cannot be written */
export const writeOrRefuse = (file: string, content: string) =>
  orUserError(`cannot write ${file}`, () => writeFileSync(file, content))
