import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { stringify } from 'yaml'
import { commandClient, RunningProcesses, warmClient } from '../judge/exam/command-client.ts'
import { reproduceLine } from '../judge/exam/run-exam.ts'
import type { ExplorationResult, ExploreProgress } from '../judge/explore/explore.ts'
import { fileOfPlan, type Plan, planName, planOfFile, planOfName } from '../judge/explore/plans.ts'
import { explorationJunit, explorationText } from '../judge/explore/reports.ts'
import { exploreCommandClient, exploreInProcess } from '../lib/explore.ts'
import { explorationHtml } from '../pages/exploration-report.tsx'
import { scenarioExtension, scenarioName } from '../rig/scenarios/library.ts'
import { UserError } from '../store/user-error.ts'
import type { FlagsOf } from './command-flags.ts'
import { type ProgressLine, progressLine } from './progress-line.ts'
import { jsonReport, makeFolder, orUserError, prepareReports, writeFiles } from './report-files.ts'
import { hasColours, onInterruption, printProblems } from './terminal.ts'

/** Runs `explore`. @returns the exit code: 1 something found, or interrupted; 2 a file not written @throws UserError */
export async function exploreCommand(flags: FlagsOf<'explore'>): Promise<number> {
  const writers = { html: explorationHtml, junit: explorationJunit, json: jsonReport }
  const reports = prepareReports(flags, writers)
  const first = flags.corpus === undefined ? [] : plansIn(flags.corpus)
  const running = new RunningProcesses()
  using interrupted = onInterruption(1, () => running.killAll())
  process.on('exit', () => running.killAll())
  using line = progressLine(process.stderr)
  const settings = {
    ...flags,
    only: flags.plan,
    first,
    signal: interrupted.signal,
    onProgress: showProgress(line),
    reproduce: (plan: Plan) => reproducePlan(plan, flags),
  }
  try {
    const makeClient = flags.warm ? warmClient : commandClient
    const result = flags.module
      ? await exploreModule(flags.command, settings)
      : await exploreCommandClient({ ...settings, client: makeClient(flags.command, process.env, running) })
    line.end()
    process.stdout.write(explorationText(result, { colours: hasColours() }))
    const unwritten = writeFiles([
      ...reports(result),
      ...(flags.corpus === undefined ? [] : counterexamples(result, flags.corpus)),
    ])
    running.killAll()
    const left = running.leftBehind
    printProblems([
      ...unwritten,
      ...(left > 0 ? [`the client left processes behind, which had to be ended: ${left}`] : []),
    ])
    return !result.isPassed ? 1 : unwritten.length > 0 ? 2 : 0
  } finally {
    running.killAll()
  }
}

/** Names of the plans that are kept in a folder, which is made if there is none. @throws UserError */
function plansIn(folder: string): string[] {
  makeFolder(folder)
  return orUserError(`cannot read the folder ${folder}`, () => readdirSync(folder))
    .filter(name => name.endsWith(scenarioExtension))
    .sort()
    .flatMap(name => planOfFile(scenarioName(name)) ?? [])
    .map(planName)
}

/** The smallest plan of each mistake as a scenario file. */
const counterexamples = ({ groups }: ExplorationResult, folder: string) =>
  groups
    .filter(({ severity }) => severity !== 'information')
    .map(({ plan, scenario }) => ({
      file: join(folder, `${fileOfPlan(planOfName(plan)!)}${scenarioExtension}`),
      content: () => stringify(scenario, { lineWidth: 110 }),
      isInFolder: true as const,
    }))

function reproducePlan(plan: Plan, flags: FlagsOf<'explore'>): string {
  const { seed, speed, strict, timeout, command } = flags
  const words = [
    ...['explore', '--plan', planName(plan), '--seed', `${seed}`],
    ...(flags.module ? ['--module'] : ['--speed', String(speed)]),
    ...(flags.warm ? ['--warm'] : []),
    ...(strict ? ['--strict'] : []),
    ...(timeout === undefined ? [] : ['--timeout', `${timeout}ms`]),
  ]
  return reproduceLine(words, command)
}

/** Explores a function that a module exports. @throws UserError */
async function exploreModule(
  [file = '', ...rest]: readonly string[],
  settings: Omit<Parameters<typeof exploreInProcess>[0], 'client'>,
): Promise<ExplorationResult> {
  if (rest.length > 0) throw new UserError('--module takes one file after --, and no arguments')
  if (!existsSync(file))
    throw new UserError(`--module: there is no file ${file}; the path is relative to the current folder`)
  return await exploreInProcess({ ...settings, client: pathToFileURL(file) })
}

/** Shows progress in one changing line on a terminal, and in a line for each depth elsewhere. */
function showProgress(line: ProgressLine) {
  let current = -1
  let began = 0
  return ({ depth, played, all, failed }: ExploreProgress): void => {
    if (depth !== current) {
      current = depth
      began = process.uptime()
    }
    const left = ((process.uptime() - began) / played) * (all - played)
    const text = `depth ${depth}: ${played}/${all} played, ${failed} failed`
    line.draw(`${text}, about ${Math.ceil(left)} s left`)
    if (played === all && !process.stderr.isTTY) process.stderr.write(`${text}\n`)
  }
}
