import type { ReportFormat } from '../judge/run/report-formats.ts'
import { acceptInRun } from '../judge/run/run-report.ts'
import type { RunReport } from '../judge/run/run-result.ts'
import {
  failsOn,
  runAnnotations,
  runHeadline,
  runJunit,
  runMarkdown,
  runText,
} from '../judge/run/run-text.ts'
import { capsuleFolder } from '../lib/capsule/capsule-folder.ts'
import { type ControlCalls, ControlError, createControlCalls, parseBase } from '../lib/control-calls.ts'
import { readKnownFile } from '../lib/known-file.ts'
import { UserError } from '../store/user-error.ts'
import type { FlagsOf } from './command-flags.ts'
import { jsonReport, prepareReports, writeFiles } from './report-files.ts'
import { printProblems } from './terminal.ts'

const writers: Readonly<Record<ReportFormat, (report: RunReport) => string | Promise<string>>> = {
  markdown: runMarkdown,
  junit: runJunit,
  json: jsonReport,
  html: async report => (await import('../pages/run-report.tsx')).runHtml(report),
  text: runText,
  github: runAnnotations,
}

/** `mailing-sync-mock report`. @returns the exit code: 1 a client failed; 2 no report @throws UserError */
export async function reportCommand(flags: FlagsOf<'report'>): Promise<0 | 1 | 2> {
  const { label, format, output, failOn, capsules } = flags
  const known = flags.known === undefined ? undefined : readKnownFile(flags.known)
  const write = prepareReports({ output }, { output: (text: string) => text })
  const keep = capsules === undefined ? undefined : capsuleFolder(capsules)
  const { calls, report: whole } = await readReport(flags, label)
  const accepted = known ? acceptInRun(whole, known) : whole
  const report = keep ? { ...accepted, cases: await keepCapsules(accepted.cases, calls, keep) } : accepted
  const text = await writers[format](report)
  const unwritten = output === undefined ? [] : writeFiles(write(text))
  printProblems(unwritten)
  if (unwritten.length > 0) return 2
  if (output === undefined) process.stdout.write(text)
  else process.stderr.write(`${runHeadline(report)}\nWritten: ${output}\n`)
  return failsOn(report, failOn) ? 1 : 0
}

/** @returns the calls of the mock, and its report @throws UserError when there is no mock at the address, or it refuses */
async function readReport({ url, token }: FlagsOf<'report'>, label: string | undefined) {
  try {
    const transport = { url: parseBase(url), token, fetch: (request: Request) => fetch(request) }
    const calls = (space?: string) => createControlCalls(transport, space)
    const { _links, ...report } = await calls().request('GET /report', { query: { label } })
    const cases = report.cases.map(({ _links: links, ...it }) => it)
    return { calls, report: { ...report, cases } as RunReport }
  } catch (error) {
    if (error instanceof ControlError) throw new UserError(error.message)
    throw error
  }
}

/** Writes capsules of what did not pass. @returns the cases, which name the files @throws UserError */
async function keepCapsules(
  cases: RunReport['cases'],
  calls: (space: string) => ControlCalls,
  keep: ReturnType<typeof capsuleFolder>,
): Promise<RunReport['cases']> {
  const kept: RunReport['cases'] = []
  for (const it of cases) {
    const { capsule, ...others } = it
    if (it.status === 'passed' || capsule === undefined) {
      kept.push(it)
      continue
    }
    try {
      const text = await calls(it.space).text('GET /spaces/{space}/capsule')
      const name = encodeURIComponent(it.space).replaceAll('%2B', '+').slice(0, 200)
      kept.push({ ...others, capsule: keep(name, text) })
    } catch (error) {
      if (!(error instanceof ControlError)) throw error
      // The space may have gone meanwhile.
      printProblems([`no capsule of ${it.space}: ${error.message}`])
      kept.push(others)
    }
  }
  return kept
}
