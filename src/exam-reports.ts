import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  openSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import type { ExamFlags } from './exam-flags.ts'
import { htmlReport } from './judge/exam/reports/html.ts'
import { junitReport } from './judge/exam/reports/junit.ts'
import type { ExamResult } from './rig/exam-shape.ts'

/** A report that cannot be written where it is wanted. */
export class ReportError extends Error {
  override readonly name = 'ReportError'
}

type Wanted = Pick<ExamFlags, 'html' | 'junit' | 'json' | 'keepOutput'>

const forms = {
  html: htmlReport,
  junit: junitReport,
  json: (result: ExamResult) => `${JSON.stringify(result, null, 2)}\n`,
} as const

const files = (wanted: Wanted) =>
  (['html', 'junit', 'json'] as const).flatMap(form => {
    const file = wanted[form]
    return file === undefined ? [] : [{ form, file }]
  })

/**
 * Makes the folders of the reports and tries whether they can be written: that is better known before an exam than after.
 * @throws ReportError
 */
export function prepareReports(wanted: Wanted): void {
  const taken = new Map<string, string>()
  for (const { form, file } of files(wanted)) {
    const other = taken.get(resolve(file))
    if (other) throw new ReportError(`--${other} and --${form} name the same file, ${file}`)
    taken.set(resolve(file), form)
    made(dirname(file))
    tried(file)
  }
  if (wanted.keepOutput === undefined) return
  made(wanted.keepOutput)
  attempt(`cannot write to the folder ${wanted.keepOutput}`, () =>
    accessSync(wanted.keepOutput!, constants.W_OK | constants.X_OK),
  )
}

/** @returns what could not be written, a sentence for each; the others stand */
export function writeReports(result: ExamResult, wanted: Wanted): string[] {
  const output = wanted.keepOutput
  const all = [
    ...files(wanted).map(({ form, file }) => ({ file, text: () => forms[form](result) })),
    ...(output === undefined
      ? []
      : result.cases.map(({ name, client }) => ({
          file: join(output, `${name}.log`),
          text: () => client.output,
        }))),
  ]
  return all.flatMap(({ file, text }) => {
    try {
      writeFileSync(file, text())
      return []
    } catch (error) {
      return [`cannot write ${file}: ${reasonOf(error)}`]
    }
  })
}

/** One folder after the other: where the system will not have one, Node's own recursion may never return. */
function made(folder: string): void {
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

function attempt(what: string, work: () => void): void {
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
