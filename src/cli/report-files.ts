import { closeSync, existsSync, mkdirSync, openSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { reason } from '../store/disk.ts'
import { UserError } from '../store/user-error.ts'

/** The form of each report, which is also its flag, and its file. */
export const wantedFiles = <Form extends string>(files: Readonly<Record<Form, string | undefined>>) =>
  (Object.keys(files) as Form[]).flatMap(form => {
    const file = files[form]
    return file === undefined ? [] : [{ form, file }]
  })

/** Checks that the files can be written, before the work begins. @throws UserError */
export function prepareFiles(files: ReturnType<typeof wantedFiles>): void {
  const taken = new Map<string, string>()
  for (const { form, file } of files) {
    const other = taken.get(resolve(file))
    if (other) throw new UserError(`--${other} and --${form} name the same file, ${file}`)
    taken.set(resolve(file), form)
    const folder = dirname(file)
    if (!isFolder(folder)) throw new UserError(`cannot write ${file}: there is no folder ${folder}`)
    checkWritable(file)
  }
}

/** @returns a message for each file that could not be written; the others are written */
export function writeFiles(
  files: readonly { readonly file: string; readonly content: () => string | Uint8Array }[],
): string[] {
  return files.flatMap(({ file, content }) => {
    try {
      writeFileSync(file, content())
      return []
    } catch (error) {
      return [`cannot write ${file}: ${reason(error)}`]
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
