import { examCases, examineClient } from '../exam.ts'
import { type Choice, chosen } from '../judge/exam/choice.ts'
import { commandClient, Running } from '../judge/exam/command.ts'
import { ProgressLine } from '../judge/exam/progress.ts'
import { forTerminal } from '../judge/exam/reports/escaped.ts'
import { table } from '../judge/exam/reports/table.ts'
import { reproduceLine } from '../judge/exam/reproduce.ts'
import type { ExamResult } from '../rig/exam-shape.ts'
import type { ExamFlags } from './exam-flags.ts'
import { prepareReports, writeReports } from './exam-reports.ts'
import { onInterruption } from './interruption.ts'

/**
 * `mailing-sync-mock exam`: plays the cases, shows how it goes, writes the reports.
 * @returns the exit code: 0 when the client passed; 1 when something was found, nothing was proved or the exam was
 * interrupted; 2 when it passed and a report could not be written
 * @throws ChoiceError, CommandError, ScenarioError, ReportError: what whoever typed it can do something about
 */
export async function examCommand(flags: ExamFlags): Promise<number> {
  // Whoever read the first lines and left (`| head`) does not end it with a stack trace.
  process.stdout.on('error', () => {})
  if (flags.list) return list(flags)
  prepareReports(flags)
  const running = new Running()
  const interrupted = onInterruption(1, () => running.killAll())
  process.on('exit', () => running.killAll())
  const line = new ProgressLine(process.stderr)
  try {
    const result = await examineClient({
      ...choiceOf(flags),
      client: commandClient(flags.command, process.env, running),
      seed: flags.seed,
      speed: flags.speed,
      ...(flags.jobs !== undefined && { jobs: flags.jobs }),
      ...(flags.timeout !== undefined && { timeout: flags.timeout }),
      ...(flags.scenarios !== undefined && { scenarios: flags.scenarios }),
      signal: interrupted.signal,
      onProgress: progress => line.show(progress),
      reproduce: ({ name }) =>
        reproduceLine(name, {
          program: process.argv[1] ?? '',
          seed: flags.seed,
          speed: flags.speed,
          limit: flags.timeout,
          scenarios: flags.scenarios,
          command: flags.command,
        }),
    })
    line.end()
    process.stdout.write(
      table(result, {
        colours: process.stdout.isTTY === true && !process.env.NO_COLOR,
        isStrict: flags.strict,
      }),
    )
    const unwritten = writeReports(result, flags)
    for (const sentence of unwritten) process.stderr.write(`mailing-sync-mock: ${sentence}\n`)
    return isPassed(result, flags.strict) ? (unwritten.length > 0 ? 2 : 0) : 1
  } finally {
    line.end()
    running.killAll()
    interrupted.off()
  }
}

const isPassed = (result: ExamResult, isStrict: boolean) =>
  result.isPassed && !(isStrict && result.warnings > 0)

const choiceOf = ({ only, tag, slow }: ExamFlags): Choice => ({
  ...(only && { only }),
  ...(tag && { tags: tag }),
  slow,
})

async function list(flags: ExamFlags): Promise<number> {
  const cases = chosen(await examCases(flags.scenarios), choiceOf(flags))
  const width = Math.max(...cases.map(({ name }) => name.length))
  for (const { name, tags } of cases)
    process.stdout.write(`${name.padEnd(width)}  ${forTerminal(tags.join(' '))}\n`)
  return 0
}
