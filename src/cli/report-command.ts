import { acceptInRun } from '../judge/run/run-report.ts'
import type { RunReport } from '../judge/run/run-result.ts'
import { failsOn, runAnnotations, runHeadline, runJunit, runMarkdown } from '../judge/run/run-text.ts'
import { ControlError, createControlCalls, parseBase } from '../lib/control-calls.ts'
import { readKnownFile } from '../lib/known-file.ts'
import { UserError } from '../store/user-error.ts'
import type { FlagsOf } from './command-flags.ts'
import { jsonReport, prepareReports, writeFiles } from './report-files.ts'
import { printProblems } from './terminal.ts'

const writers: Readonly<
  Record<FlagsOf<'report'>['format'], (report: RunReport) => string | Promise<string>>
> = {
  markdown: runMarkdown,
  junit: runJunit,
  json: jsonReport,
  html: async report => (await import('../pages/run-report.tsx')).runHtml(report),
  github: runAnnotations,
}

/** `mailing-sync-mock report`. @returns the exit code: 1 a client failed; 2 no report @throws UserError */
export async function reportCommand(flags: FlagsOf<'report'>): Promise<0 | 1 | 2> {
  const { label, format, output, failOn } = flags
  const known = flags.known === undefined ? undefined : readKnownFile(flags.known)
  const write = prepareReports({ output }, { output: (text: string) => text })
  const whole = await readReport(flags, label)
  const report = known ? acceptInRun(whole, known) : whole
  const text = await writers[format](report)
  const unwritten = output === undefined ? [] : writeFiles(write(text))
  printProblems(unwritten)
  if (unwritten.length > 0) return 2
  if (output === undefined) process.stdout.write(text)
  else process.stderr.write(`${runHeadline(report)}\nWritten: ${output}\n`)
  return failsOn(report, failOn) ? 1 : 0
}

/** @throws UserError when there is no mock at the address, or it refuses */
async function readReport({ url, token }: FlagsOf<'report'>, label: string | undefined): Promise<RunReport> {
  try {
    const transport = { url: parseBase(url), token, fetch: (request: Request) => fetch(request) }
    const { _links, ...report } = await createControlCalls(transport).request('GET /report', {
      query: { label },
    })
    return { ...report, cases: report.cases.map(({ _links: links, ...it }) => it) } as RunReport
  } catch (error) {
    if (error instanceof ControlError) throw new UserError(error.message)
    throw error
  }
}
