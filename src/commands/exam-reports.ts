import { accessSync, constants } from 'node:fs'
import { join } from 'node:path'
import { htmlReport } from '../judge/exam/reports/html.ts'
import { junitReport } from '../judge/exam/reports/junit.ts'
import type { ExamResult } from '../rig/exam-shape.ts'
import type { ExamFlags } from './exam-flags.ts'
import { attempt, made, prepareFiles, writeFiles } from './report-files.ts'

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
 * Makes the folders of the reports and tries whether they can be written.
 * @throws ReportError
 */
export function prepareReports(wanted: Wanted): void {
  prepareFiles(files(wanted))
  if (wanted.keepOutput === undefined) return
  made(wanted.keepOutput)
  attempt(`cannot write to the folder ${wanted.keepOutput}`, () =>
    accessSync(wanted.keepOutput!, constants.W_OK | constants.X_OK),
  )
}

/** @returns what could not be written, a sentence for each; the others stand */
export function writeReports(result: ExamResult, wanted: Wanted): string[] {
  const output = wanted.keepOutput
  return writeFiles([
    ...files(wanted).map(({ form, file }) => ({ file, text: () => forms[form](result) })),
    ...(output === undefined
      ? []
      : result.cases.map(({ name, client }) => ({
          file: join(output, `${name}.log`),
          text: () => client.output,
        }))),
  ])
}
