import { configText } from '../verify/config-text.ts'
import { junitReport } from '../verify/reports/junit.ts'
import { markdownReport } from '../verify/reports/markdown.ts'
import type { VerifyResult } from '../verify/result.ts'
import { type WantedFile, writeFiles } from './report-files.ts'
import type { VerifyFlags } from './verify-flags.ts'

const forms: Readonly<Record<string, (result: VerifyResult, file: string) => string>> = {
  junit: junitReport,
  json: result => `${JSON.stringify(result, null, 2)}\n`,
  markdown: markdownReport,
  'write-config': (result, file) => configText(result, /\.json$/i.test(file)),
}

/** The files that were asked for. */
export const wantedFiles = ({ junit, json, markdown, writeConfig }: VerifyFlags): WantedFile[] =>
  Object.entries({ junit, json, markdown, 'write-config': writeConfig }).flatMap(([form, file]) =>
    file === undefined ? [] : [{ form, file }],
  )

/** @returns what could not be written, a sentence for each; the others stand */
export const writeReports = (result: VerifyResult, flags: VerifyFlags): string[] =>
  writeFiles(
    wantedFiles(flags)
      // A JSON file has no room for a word about what is missing.
      .filter(
        ({ form, file }) => form !== 'write-config' || result.incomplete === null || !/\.json$/i.test(file),
      )
      .map(({ form, file }) => ({ file, text: () => forms[form]!(result, file) })),
  )
