import { setMaxListeners } from 'node:events'
import { tmpdir } from 'node:os'
import { relative } from 'node:path'
import { realTime } from '../../rig/clock.ts'
import { mapParallel } from '../../store/parallel.ts'
import type { CaseHost } from './case-host.ts'
import { type CaseChoice, ChoiceError, chooseCases, type ExamCase, isSlow, needsProcess } from './cases.ts'
import {
  type CaseResult,
  type ExamResult,
  examFindings,
  isFailedStart,
  isUnproved,
  isWarning,
  withoutFindings,
} from './exam-result.ts'
import { quoteForShell } from './report-text.ts'
import { type CaseRun, playCase } from './run-case.ts'
import { makeTemporaryFolder } from './temporary-folder.ts'
import { type DelayMeter, machineDelay, withoutTiming } from './timing.ts'

export interface ReplaySettings {
  /** Path of the program's file, as Node has it. */
  readonly program?: string
  readonly nodeOptions?: readonly string[]
  /** What npm says of the script that started the program, if one did. */
  readonly environment?: NodeJS.ProcessEnv
  readonly seed: number
  readonly speed: number
  readonly tls: boolean
  readonly strict?: boolean
  readonly limit: number | undefined
  readonly scenarios: string | undefined
  readonly command: readonly string[]
}

/** The line that plays a case of an exam again. */
export function reproduceCase(name: string, replay: ReplaySettings): string {
  const { seed, speed, tls, strict, limit, scenarios, command } = replay
  const words = [
    ...['exam', '--only', name, '--seed', String(seed)],
    ...(speed === 1 ? [] : ['--speed', String(speed)]),
    ...(tls ? ['--tls'] : []),
    ...(strict ? ['--strict'] : []),
    ...(limit === undefined ? [] : ['--timeout', `${limit}ms`]),
    ...(scenarios === undefined ? [] : ['--scenarios', scenarios]),
  ]
  return reproduceLine(words, command, replay)
}

/** A line for a shell that runs a command of this program on the client again. @param words the command and its flags */
export const reproduceLine = (
  words: readonly string[],
  client: readonly string[],
  origin?: Parameters<typeof programWords>[0],
): string => [...programWords(origin), ...words, '--', ...client].map(quoteForShell).join(' ')

/** The program as the user started it, as far as Node and npm show. */
export function programWords({
  program = process.argv[1] ?? '',
  nodeOptions = process.execArgv,
  environment = process.env,
}: Pick<ReplaySettings, 'program' | 'nodeOptions' | 'environment'> = {}): string[] {
  if (program.includes('node_modules/.bin/')) return ['npx', 'mailing-sync-mock']
  if (!/\.m?js$/.test(program)) return ['mailing-sync-mock']
  const near = relative(process.cwd(), program)
  const words = ['node', ...nodeOptions, near.startsWith('..') ? program : near]
  const { npm_lifecycle_script: script, npm_lifecycle_event: name = '' } = environment
  if (script !== words.join(' ')) return words
  return ['npm', ...(name === 'start' ? ['start'] : ['run', name]), '--']
}

export interface ExamProgress {
  readonly done: number
  readonly all: number
  readonly running: readonly string[]
  /** The case that has just ended; undefined when one begins. */
  readonly ended: CaseResult | undefined
}

export interface ExamSettings extends CaseChoice, Pick<CaseRun, 'client' | 'seed' | 'speed' | 'signal'> {
  /** Cases at a time. */
  readonly jobs: number
  /** Real milliseconds that a client may take for a case; the default depends on the case. */
  readonly limit?: number | undefined
  readonly reproduce?: (exam: ExamCase) => string
  readonly onProgress?: (progress: ExamProgress) => void
  readonly startDelayMeter?: DelayMeter
}

const oneMinute = 60_000
/** In minutes of the space's clock: fifteen minutes of recreations (spec 8), a long pause and the end. */
const longestSensibleCase = 25

/**
 * Runs a client through cases, each in a space of its own, and judges what it did. A case in which the machine was late
 * and timing decides is played once more, alone.
 * @throws ChoiceError, CommandError, NoUserWithWriteAccess
 */
export async function playExam(
  cases: readonly ExamCase[],
  host: CaseHost,
  settings: ExamSettings,
): Promise<ExamResult> {
  const {
    client,
    seed,
    speed,
    jobs,
    signal,
    reproduce,
    onProgress,
    startDelayMeter = machineDelay,
  } = settings
  const chosenCases = chooseCases(cases, settings).filter(it => client.isProcess || !needsProcess(it))
  if (chosenCases.length === 0)
    throw new ChoiceError('in these cases the client has to be killed, which only a command can be')
  // Every running case listens to it.
  setMaxListeners(0, signal)
  const began = realTime()
  const running = new Set<string>()
  let done = 0
  const tell = (ended?: CaseResult) =>
    onProgress?.({ done, all: chosenCases.length, running: [...running], ended })
  await using folder = await makeTemporaryFolder(tmpdir(), 'mailing-sync-exam-')
  const play = async (exam: ExamCase) => {
    running.add(exam.name)
    tell()
    const outcome = await playCase(exam, exam.name, host, {
      ...{ client, seed, speed, signal, startDelayMeter, directory: folder.path },
      limit: settings.limit ?? defaultLimit(exam, speed),
      reproduce: reproduce?.(exam),
    })
    running.delete(exam.name)
    return outcome
  }
  const end = (result: CaseResult) => {
    done++
    tell(result)
    return result
  }
  const again: [at: number, exam: ExamCase][] = []
  const failedStarts = new AbortController()
  let hasSent = false
  const noteStart = (result: CaseResult) => {
    hasSent ||= !isFailedStart(result)
    if (!hasSent && done + 1 >= maxFailedStarts) failedStarts.abort()
  }
  const beginning = AbortSignal.any([signal, failedStarts.signal])
  const results = await mapParallel(
    chosenCases,
    { maxParallel: jobs, signal: beginning },
    async (exam, at) => {
      const { result, doubt } = await play(exam)
      noteStart(result)
      if (!doubt || signal.aborted) return end(result)
      again.push([at, exam])
      return result
    },
  )
  for (const [at, exam] of again) {
    if (signal.aborted) break
    const { result, doubt } = await play(exam)
    results[at] = end(doubt ? withoutTiming(result, doubt) : result)
  }
  const datedCases = new Set(chosenCases.filter(it => it.isScheduled).map(({ name }) => name))
  const caseResults = results.filter(it => it !== undefined)
  const notPlayed = results.length - caseResults.length
  const isWhole = !signal.aborted && notPlayed === 0
  const frame = { seed, speed, began, isWhole, notPlayed, client: client.name }
  return summarizeExam(withoutSchedules(caseResults, datedCases), frame)
}

/** If the client ended or crashed before it sent anything in all of the first cases, this many, no other is begun. */
const maxFailedStarts = 3

const withoutSchedule = 'the client sends at once, whatever date it is given: it seems not to schedule'

/**
 * The results of a client that never schedules: what it did to each date is one note, not a failure of each case.
 * @param dated names of the cases in which it was given a date
 */
function withoutSchedules(results: readonly CaseResult[], dated: ReadonlySet<string>): readonly CaseResult[] {
  const sendings = results.filter(({ name, effects }) => dated.has(name) && effects.length > 0)
  const neverSchedules =
    sendings.length > 1 && sendings.every(({ effects }) => effects.every(({ what }) => what !== 'scheduled'))
  if (!neverSchedules) return results
  return results.map(it =>
    sendings.includes(it)
      ? { ...withoutFindings(it, ({ rule }) => rule in examFindings, withoutSchedule), mayProveNothing: true }
      : it,
  )
}

/**
 * Default limit for a case, in real milliseconds. Speed shortens only what is measured on the space's clock: a process
 * needs its time to start and to end, and a client that does not read the speed does not hurry.
 */
export const defaultLimit = (exam: ExamCase, speed: number): number =>
  Math.max(oneMinute, isSlow(exam) || exam.failsForEver ? (longestSensibleCase * oneMinute) / speed : 0)

type ExamFrame = Pick<ExamResult, 'seed' | 'speed' | 'isWhole' | 'notPlayed' | 'client'>

/** The result of an exam, from the results of its cases. It began at a time in milliseconds since 1970. */
export function summarizeExam(
  cases: readonly CaseResult[],
  { began, ...frame }: ExamFrame & { readonly began: number },
): ExamResult {
  const count = (status: CaseResult['status']) => cases.filter(it => it.status === status).length
  return {
    version: 1,
    ...frame,
    began: new Date(Math.floor(began)).toISOString(),
    realSeconds: Math.round(realTime() - began) / 1000,
    passed: count('passed'),
    failed: count('failed'),
    inconclusive: count('inconclusive'),
    isPassed: frame.isWhole && count('failed') === 0 && count('passed') > 0 && !cases.some(isUnproved),
    warnings: cases.flatMap(it => it.findings).filter(isWarning).length,
    cases: [...cases],
  }
}
