import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { stringify } from 'yaml'
import { commandClient, RunningProcesses, warmClient } from '../judge/exam/command-client.ts'
import { quoteForShell } from '../judge/exam/report-text.ts'
import { programWords } from '../judge/exam/run-exam.ts'
import type { ExplorationResult, ExploreProgress } from '../judge/explore/explore.ts'
import { fileOfPlan, type Plan, planName, planOfFile, planOfName, troubles } from '../judge/explore/plans.ts'
import { explorationHtml, explorationJunit, explorationText } from '../judge/explore/reports.tsx'
import { exploreCommandClient, exploreInProcess } from '../lib/explore.ts'
import { scenarioExtension, scenarioName } from '../rig/scenarios/library.ts'
import { UserError } from '../store/user-error.ts'
import { findNearest } from '../store/validation-messages.ts'
import type { FlagsOf } from './command-flags.ts'
import { ProgressLine } from './progress-line.ts'
import { makeFolder, orUserError, prepareFiles, wantedFiles, writeFiles } from './report-files.ts'
import { onInterruption, printProblems } from './terminal.ts'

const reportWriters = {
  html: explorationHtml,
  junit: explorationJunit,
  json: (result: ExplorationResult) => `${JSON.stringify(result, null, 2)}\n`,
} as const

/**
 * `mailing-sync-mock explore`: plays plans to a client, shows progress, writes the reports and the counterexamples.
 * @returns the exit code: 0 when nothing was found; 1 when something was, or it was interrupted; 2 when a file could not
 * be written
 * @throws UserError
 */
export async function exploreCommand(flags: FlagsOf<'explore'>): Promise<number> {
  const files = wantedFiles({ html: flags.html, junit: flags.junit, json: flags.json })
  prepareFiles(files)
  const first = flags.corpus === undefined ? [] : plansIn(flags.corpus)
  const wrong = flags.plan?.find(name => !planOfName(name))
  if (wrong !== undefined) {
    const names = troubles.map(({ name }) => name)
    const unknown = wrong.split(/[:+]/).find(part => !names.includes(part)) ?? ''
    const near = findNearest(unknown, names)
    const meant = near === undefined ? '' : `did you mean "${near}"? `
    throw new UserError(`there is no plan "${wrong}"; ${meant}docs/explore.md says how they are named`)
  }
  const running = new RunningProcesses()
  const interrupted = onInterruption(1, () => running.killAll())
  process.on('exit', () => running.killAll())
  const progress = new Progress()
  const settings = {
    ...flags,
    only: flags.plan,
    first,
    signal: interrupted.signal,
    onProgress: (now: ExploreProgress) => progress.show(now),
    reproduce: (plan: Plan) => reproduceLine(plan, flags),
  }
  try {
    const makeClient = flags.warm ? warmClient : commandClient
    const result = flags.module
      ? await exploreModule(flags.command, settings)
      : await exploreCommandClient({ ...settings, client: makeClient(flags.command, process.env, running) })
    progress.end()
    const colours = process.stdout.isTTY === true && !process.env.NO_COLOR
    process.stdout.write(explorationText(result, { colours }))
    const unwritten = writeFiles([
      ...files.map(({ form, file }) => ({ file, content: () => reportWriters[form](result) })),
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
    progress.end()
    running.killAll()
    interrupted.off()
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
    }))

function reproduceLine(plan: Plan, flags: FlagsOf<'explore'>): string {
  const { seed, speed, strict, timeout, command } = flags
  const words = [
    ...programWords(),
    ...['explore', '--plan', planName(plan), '--seed', `${seed}`],
    ...(flags.module ? ['--module'] : ['--speed', String(speed)]),
    ...(flags.warm ? ['--warm'] : []),
    ...(strict ? ['--strict'] : []),
    ...(timeout === undefined ? [] : ['--timeout', `${timeout}ms`]),
    ...['--', ...command],
  ]
  return words.map(quoteForShell).join(' ')
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

/** One changing line on a terminal, and a line for each depth elsewhere. */
class Progress {
  readonly #line = new ProgressLine(process.stderr)
  #depth = -1
  #began = 0

  show({ depth, played, all, failed }: ExploreProgress): void {
    if (depth !== this.#depth) {
      this.#depth = depth
      this.#began = process.uptime()
    }
    const left = ((process.uptime() - this.#began) / played) * (all - played)
    const text = `depth ${depth}: ${played}/${all} played, ${failed} failed`
    this.#line.draw(`${text}, about ${Math.ceil(left)} s left`)
    if (played === all && !process.stderr.isTTY) process.stderr.write(`${text}\n`)
  }

  end(): void {
    this.#line.end()
  }
}
