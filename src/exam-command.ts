import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { examCases, examineClient } from './exam.ts'
import type { ExamFlags } from './exam-flags.ts'
import { type Choice, chosen } from './judge/exam/choice.ts'
import { commandClient, Running } from './judge/exam/command.ts'
import { ProgressLine } from './judge/exam/progress.ts'
import { forTerminal } from './judge/exam/reports/escaped.ts'
import { htmlReport } from './judge/exam/reports/html.ts'
import { junitReport } from './judge/exam/reports/junit.ts'
import { table } from './judge/exam/reports/table.ts'
import { reproduceLine } from './judge/exam/reproduce.ts'
import type { ExamResult } from './rig/exam-shape.ts'

/** A report that could not be written where it was wanted. */
export class ReportError extends Error {
  override readonly name = 'ReportError'
}

/**
 * `mailing-sync-mock exam`: plays the cases, shows how it goes, writes the reports.
 * @returns the exit code: 0 when all passed, 1 when something was found or the exam was interrupted
 * @throws ChoiceError, CommandError, ScenarioError, ReportError: what whoever typed it can do something about
 */
export async function examCommand(flags: ExamFlags): Promise<number> {
  // Whoever read the first lines and left (`| head`) does not end it with a stack trace.
  process.stdout.on('error', () => {})
  if (flags.list) return list(flags)
  await makeFolders(flags)
  const running = new Running()
  const interrupted = new AbortController()
  const interrupt = () => {
    running.killAll()
    if (interrupted.signal.aborted) process.exit(1)
    interrupted.abort()
  }
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
  for (const signal of signals) process.on(signal, interrupt)
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
    await writeReports(result, flags)
    process.stdout.write(table(result, { colours: process.stdout.isTTY === true && !process.env.NO_COLOR }))
    return isPassed(result, flags.strict) ? 0 : 1
  } finally {
    line.end()
    running.killAll()
    for (const signal of signals) process.off(signal, interrupt)
  }
}

const isPassed = ({ failed, isWhole, warnings }: ExamResult, strict: boolean) =>
  failed === 0 && isWhole && !(strict && warnings > 0)

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

/** A folder that cannot be made is better known before the exam than after it. */
async function makeFolders({ html, junit, json, keepOutput }: ExamFlags): Promise<void> {
  const files = [html, junit, json].filter(it => it !== undefined)
  for (const folder of [
    ...files.map(file => dirname(file)),
    ...(keepOutput === undefined ? [] : [keepOutput]),
  ])
    await mkdir(folder, { recursive: true }).catch(error => {
      throw new ReportError(`cannot make the folder ${folder}: ${(error as Error).message}`)
    })
}

async function writeReports(result: ExamResult, { html, junit, json, keepOutput }: ExamFlags): Promise<void> {
  if (html !== undefined) await write(html, htmlReport(result))
  if (junit !== undefined) await write(junit, junitReport(result))
  if (json !== undefined) await write(json, `${JSON.stringify(result, null, 2)}\n`)
  if (keepOutput === undefined) return
  for (const { name, client } of result.cases) await write(join(keepOutput, `${name}.log`), client.output)
}

async function write(file: string, text: string): Promise<void> {
  try {
    await writeFile(file, text)
  } catch (error) {
    throw new ReportError(`cannot write ${file}: ${(error as Error).message}`)
  }
}
