import { accessSync, constants } from 'node:fs'
import { join } from 'node:path'
import { chooseCases } from '../judge/exam/cases.ts'
import { commandClient, RunningProcesses } from '../judge/exam/command-client.ts'
import type { ExamResult } from '../judge/exam/exam-result.ts'
import { forTerminal } from '../judge/exam/report-text.ts'
import { reproduceCase } from '../judge/exam/run-exam.ts'
import { junitReport, table } from '../judge/exam/text-reports.ts'
import { examCases, examineClient } from '../lib/run-exam.ts'
import { htmlReport } from '../pages/exam-report.tsx'
import { getOrMake } from '../store/maps.ts'
import type { FlagsOf } from './command-flags.ts'
import { progressLine } from './progress-line.ts'
import { jsonReport, makeFolder, orUserError, prepareReports, writeFiles } from './report-files.ts'
import { hasColours, onInterruption, printProblems } from './terminal.ts'

/** The bytes as they came; several starts are told apart by a line before each. */
const joinOutputs = (starts: readonly Uint8Array[]) =>
  starts.length === 1
    ? starts[0]!
    : Buffer.concat(starts.flatMap((output, at) => [Buffer.from(`--- start ${at + 1} ---\n`), output]))

/** Runs `exam`. @returns the exit code: 1 failed, unproved or interrupted; 2 passed without a report @throws UserError */
export async function examCommand(flags: FlagsOf<'exam'>): Promise<number> {
  if (flags.list) return printCases(flags)
  const { keepOutput: folder } = flags
  const html = (result: ExamResult) => htmlReport(result)
  const reports = prepareReports(flags, { html, junit: junitReport, json: jsonReport })
  if (folder !== undefined) {
    makeFolder(folder)
    orUserError(`cannot write to the folder ${folder}`, () =>
      accessSync(folder, constants.W_OK | constants.X_OK),
    )
  }
  const running = new RunningProcesses()
  const outputs = new Map<string, Uint8Array[]>()
  const keepOutput = (name: string, output: Uint8Array) => getOrMake(outputs, name, () => []).push(output)
  using interrupted = onInterruption(1, () => running.killAll())
  process.on('exit', () => running.killAll())
  using line = progressLine(process.stderr, flags.verbose)
  try {
    const result = await examineClient({
      ...flags,
      tags: flags.tag,
      client: commandClient(flags.command, process.env, running, keepOutput),
      signal: interrupted.signal,
      onProgress: line.show,
      reproduce: ({ name }) => reproduceCase(name, { ...flags, limit: flags.timeout }),
    })
    line.end()
    process.stdout.write(
      table(result, { colours: hasColours(), isStrict: flags.strict, isVerbose: flags.verbose }),
    )
    const left = await countLeftOut(flags, result)
    if (left > 0) process.stdout.write(`${left} slow cases were skipped; run them with --slow --speed 60.\n`)
    const logs = folder === undefined ? [] : [...outputs]
    const unwritten = writeFiles([
      ...reports(result),
      ...logs.map(([name, starts]) => ({
        file: join(folder!, `${name}.log`),
        content: () => joinOutputs(starts),
        isInFolder: true as const,
      })),
    ])
    printProblems(unwritten)
    const isPassed = result.isPassed && !(flags.strict && result.warnings > 0)
    return isPassed ? (unwritten.length > 0 ? 2 : 0) : 1
  } finally {
    running.killAll()
  }
}

/** How many cases were left out without --slow, where nothing else was chosen. */
async function countLeftOut(flags: FlagsOf<'exam'>, { cases, notPlayed }: ExamResult): Promise<number> {
  if (flags.slow || flags.only || flags.tag) return 0
  return (await examCases(flags.scenarios, flags.tls)).length - cases.length - notPlayed
}

async function printCases(flags: FlagsOf<'exam'>): Promise<number> {
  const cases = chooseCases(await examCases(flags.scenarios, flags.tls), { ...flags, tags: flags.tag })
  const width = Math.max(...cases.map(({ name }) => name.length))
  for (const { name, tags } of cases)
    process.stdout.write(`${name.padEnd(width)}  ${forTerminal(tags.join(' '))}\n`)
  return 0
}
