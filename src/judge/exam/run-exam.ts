import { setMaxListeners } from 'node:events'
import { countNoun } from '../../rig/words.ts'
import { mapParallel } from '../../store/parallel.ts'
import { explorePlans } from '../explore/explore.ts'
import { planOfName } from '../explore/plans.ts'
import { realNow } from '../explore/virtual-time.ts'
import { findNearestPass } from '../portrait/advice.ts'
import { ClientTraces, drawPortrait } from '../portrait/portrait.ts'
import type { Portrait } from '../portrait/portrait-shape.ts'
import { ChoiceError, type ExamCase, isSlow, needsProcess } from './cases.ts'
import { attachConsequences, causesOf, gatherCauses } from './causes.ts'
import {
  type CaseFinding,
  type CaseResult,
  type Cause,
  type ExamResult,
  examFindings,
  isFailedStart,
  isUnproved,
  withoutFindings,
} from './exam-result.ts'
import type { Play, Player } from './player.ts'
import { describeRule } from './text-reports.ts'
import { withoutTiming } from './timing.ts'

export interface ExamProgress {
  /** Number of troubles of the plans that are being played; undefined while the cases are. */
  readonly depth: number | undefined
  /** Of the cases, or of the plans of this depth. */
  readonly done: number
  readonly all: number
  readonly failed: number
  /** Names of the cases, or plans of two workers, that are being played. */
  readonly running: readonly string[]
  /** The plan of two workers that has just ended. */
  readonly endedPlan?: { readonly plan: string; readonly runs: number; readonly failed: number }
  /** Whether nothing has ended: it says that the exam goes on. */
  readonly isLifeSign?: boolean
  /** The case that has just ended. */
  readonly ended?: CaseResult | undefined
  /** A case that has been played for half a minute, and milliseconds that its client may take. */
  readonly late?: { readonly name: string; readonly limit: number }
  /** Something to tell the user at once. */
  readonly advice?: string
}

/** What is played. */
export interface ExamTask {
  readonly cases: readonly ExamCase[]
  /** Maximum number of troubles in a plan; 0 for no plans; undefined for 1 where that takes no long time. */
  readonly depth: number | undefined
  /** What plans send. */
  readonly synchronizationId: string
  /** Names of plans that are played first, or of the only ones. */
  readonly first: readonly string[]
  readonly plans: readonly string[] | undefined
  /** Maximum number of plans that are played of each depth from 3 on. */
  readonly sample: number
}

/** What cases and plans showed, before it is summed up. */
export interface Found {
  readonly cases: readonly CaseResult[]
  /** One for each rule and smallest plan. */
  readonly ofPlans: readonly Cause[]
}

/** The same without what does not count, and what became of that. */
export interface Reviewed extends Found, Pick<ExamResult, 'known' | 'edition'> {}

export interface ExamSettings {
  /** Takes out what does not count. */
  readonly review?: (
    found: Found & Pick<ExamResult, 'exploration' | 'orders'>,
    isKillable: boolean,
  ) => Reviewed
  readonly client: string
  readonly seed: number
  readonly speed: number
  /** Cases and plans at a time. */
  readonly jobs: number
  /** Milliseconds of real time after which no plan is begun. */
  readonly budget: number | undefined
  /** Whether warnings count as failures. */
  readonly isStrict: boolean
  /** Whether it ends when something has failed and the user has been told what to mend first. */
  readonly endsWithAdvice: boolean
  readonly signal: AbortSignal
  readonly limitOf: (exam: ExamCase, speed: number) => number
  /** A command line that plays this case or plan again, at this speed. */
  readonly reproduce: (exam: Pick<ExamCase, 'name' | 'isPlan'>, speed: number) => string | null
  readonly onProgress: (progress: ExamProgress) => void
  /** Keeps the capsule of a run that showed something. @returns the file in which it is; undefined if it could not be kept */
  readonly keepCapsule?:
    | ((exam: Pick<ExamCase, 'name' | 'isPlan'>, text: string) => string | undefined)
    | undefined
  /** Called with every run at the usual speed. */
  readonly onRun?: ((exam: ExamCase, result: CaseResult) => void) | undefined
  /** Called with the orders of each plan of two workers. */
  readonly onOrders?: ((played: { readonly plan: string; readonly digest: string }) => void) | undefined
  /** Where the decisions of the client are gathered. */
  readonly traces?: ClientTraces
  /** A portrait with which that of this client is compared. */
  readonly portraitOf?: Portrait | undefined
}

/** Real milliseconds after which it says that a case is still being played. */
export const lateTime = 30_000
/** Real milliseconds after which it says what explains most failures, if so many runs have ended. */
const adviceTime = 20_000
const fewestRuns = 3

/**
 * Runs a client through cases, each in a space of its own, then through plans of trouble, and judges what it did. A run in
 * which the machine was late and timing decides is played once more, alone.
 * @throws ChoiceError, CommandError, NoUserWithWriteAccess
 */
export async function playExam(
  givenPlayer: Player,
  task: ExamTask,
  settings: ExamSettings,
): Promise<ExamResult> {
  const { traces = new ClientTraces(), onRun } = settings
  const capsules = new Map<string, string | undefined>()
  const capsuleKey = ({ name, isPlan }: Pick<ExamCase, 'name' | 'isPlan'>) => `${isPlan} ${name}`
  const player = observed(givenPlayer, (exam, play, speed) => {
    if (play.capsule !== undefined) capsules.set(capsuleKey(exam), settings.keepCapsule?.(exam, play.capsule))
    if (speed !== undefined) return
    traces.add(exam, play)
    onRun?.(exam, play.result)
  })
  const { client, seed, speed, isStrict, endsWithAdvice, signal, reproduce, onProgress } = settings
  const cases = task.cases.filter(it => player.isKillable || !needsProcess(it))
  const killing = player.isKillable
    ? undefined
    : task.plans?.find(it => planOfName(it)?.troubles.some(it => it.kills))
  if (killing !== undefined)
    throw new ChoiceError(
      `in ${killing} the client has to be killed, which a function in real time cannot be`,
    )
  if (cases.length < task.cases.length && cases.length === 0)
    throw new ChoiceError('in these cases the client has to be killed, which only a command can be')
  const began = realNow()
  const bail = new AbortController()
  const ending = AbortSignal.any([signal, bail.signal])
  // Every run listens to it.
  setMaxListeners(0, ending, signal)
  const tally = new Tally(() => realNow() - began)
  const note: Note = causes => {
    const advice = tally.add(causes)
    if (advice === undefined) return {}
    if (endsWithAdvice) bail.abort()
    return { advice }
  }
  const results = await playCases(player, cases, { ...settings, signal: ending, note })
  const played = results.filter(it => it !== undefined)
  const notPlayed = cases.length - played.length
  const isBroken = notPlayed > 0 && !ending.aborted
  const { depth = player.isExact || speed > 1 ? 1 : 0 } = task
  let failed = 0
  const { exploration, causes, ended } =
    isBroken || ending.aborted || (depth === 0 && !task.plans && task.first.length === 0)
      ? { exploration: null, causes: [] }
      : await explorePlans(player, {
          ...{ ...settings, ...task, depth, signal: ending },
          only: task.plans,
          isOver: (times = 1) => settings.budget !== undefined && realNow() - began > settings.budget * times,
          onProgress: ({ causes, ...progress }) => {
            if (hasError(causes)) failed++
            onProgress({ ...progress, failed, running: [], ...note(causes) })
          },
        })
  const withLine = (it: CaseResult, isPlan: boolean, at = speed): CaseResult => {
    const exam = { name: it.name, isPlan }
    const capsule = it.findings.length > 0 ? capsules.get(capsuleKey(exam)) : undefined
    return { ...it, reproduce: reproduce(exam, at), ...(capsule !== undefined && { capsule }) }
  }
  const dated = new Set(cases.filter(it => it.isScheduled).map(({ name }) => name))
  const all = withoutSchedules(played, dated).map(it => withLine(it, false))
  const isBrokenOff = signal.aborted || bail.signal.aborted
  const ofPlans = attachConsequences(causes, all).map(it => ({
    ...it,
    case: withLine(it.case, true, it.plan!.isFlaky ? 1 : it.plan!.speed),
    plan: { ...it.plan!, passing: findNearestPass(it.plan!.name, traces) },
  }))
  const found = { cases: all, ofPlans, exploration }
  const { cases: counted, ...rest } = settings.review?.(found, player.isKillable) ?? found
  return summarizeExam(counted, {
    ...rest,
    ...{ client, seed, speed, depth, notPlayed, isStrict, isBrokenOff, exploration },
    began: player.isExact ? null : new Date(Math.floor(performance.timeOrigin + began)).toISOString(),
    realSeconds: player.isExact ? 0 : Math.round(realNow() - began) / 1000,
    portrait: drawPortrait(traces, {
      ...{ client, seed, earlier: settings.portraitOf },
      reproduce: run => reproduce(run, speed),
    }),
    ended: bail.signal.aborted
      ? 'something failed, and --bail was given'
      : signal.aborted
        ? 'it was interrupted'
        : (ended ?? null),
  })
}

const observed = (
  player: Player,
  onPlay: (exam: ExamCase, play: Play, speed: number | undefined) => void,
): Player => ({
  ...player,
  async play(exam, speed, isKept) {
    const play = await player.play(exam, speed, isKept)
    onPlay(exam, play, speed)
    return play
  },
})

interface ExamFrame
  extends Pick<
    ExamResult,
    | 'client'
    | 'seed'
    | 'speed'
    | 'depth'
    | 'began'
    | 'realSeconds'
    | 'ended'
    | 'notPlayed'
    | 'exploration'
    | 'orders'
    | 'portrait'
    | 'known'
    | 'edition'
  > {
  /** What plans showed. */
  readonly ofPlans: readonly Cause[]
  readonly isStrict: boolean
  /** Whether it was ended before what it was asked to play. */
  readonly isBrokenOff: boolean
}

/** The result of an exam, from the results of its cases and of its plans. */
export function summarizeExam(
  cases: readonly CaseResult[],
  { ofPlans, isStrict, isBrokenOff, exploration, ...frame }: ExamFrame,
): ExamResult {
  const causes = gatherCauses(cases, ofPlans)
  const count = (status: CaseResult['status']) => cases.filter(it => it.status === status).length
  const severe: readonly string[] = isStrict ? ['error', 'warning'] : ['error']
  const { ended, notPlayed } = frame
  return {
    version: 1,
    ...frame,
    isWhole: ended === null && notPlayed === 0,
    passed: count('passed'),
    failed: count('failed'),
    inconclusive: count('inconclusive'),
    isPassed:
      !isBrokenOff &&
      notPlayed === 0 &&
      count('passed') + count('known') + (exploration?.runs ?? 0) + (frame.orders?.runs ?? 0) > 0 &&
      !frame.known?.entries.some(({ state }) => state === 'stale') &&
      !cases.some(isUnproved) &&
      !exploration?.inconclusive &&
      !frame.orders?.inconclusive &&
      // In real time not every run can be repeated.
      !(frame.orders?.divergence && frame.began === null) &&
      !causes.some(({ severity }) => severe.includes(severity)),
    warnings: causes.filter(({ severity }) => severity === 'warning').length,
    causes,
    cases: [...cases],
    exploration,
  }
}

type Causes = ReadonlyMap<string, CaseFinding['severity']>
const hasError = (causes: Causes) => [...causes.values()].includes('error')

/** Notes what a run that has ended shows. */
type Note = (causes: Causes) => Pick<ExamProgress, 'advice'>

/** Counts what explains failures, and says it once. */
class Tally {
  readonly #elapsed: () => number
  readonly #counts = new Map<string, number>()
  #all = 0
  #failed = 0
  #isSaid = false

  constructor(elapsed: () => number) {
    this.#elapsed = elapsed
  }

  /** @returns the advice, when it is time for it */
  add(causes: Causes): string | undefined {
    this.#all++
    if (hasError(causes)) this.#failed++
    for (const [rule, severity] of causes)
      if (severity === 'error') this.#counts.set(rule, (this.#counts.get(rule) ?? 0) + 1)
    const [first] = [...this.#counts].sort(([, one], [, other]) => other - one)
    const isTime = this.#all >= fewestRuns && this.#elapsed() >= adviceTime
    if (this.#isSaid || !first || !isTime) return undefined
    this.#isSaid = true
    const [rule, count] = first
    return adviceWords({ all: this.#all, failed: this.#failed, rule, count })
  }
}

/** @param tally.count failed runs that show the rule */
export function adviceWords(tally: {
  readonly all: number
  readonly failed: number
  readonly rule: string
  readonly count: number
}): string {
  const { all, failed, rule, count } = tally
  const most = failed === 1 ? '' : ` most of them (${count})`
  return `${failed} of the first ${countNoun(all, 'run')} failed,${most} with ${rule}, ${describeRule(rule).title}`
}

interface CaseSettings extends ExamSettings {
  readonly note: Note
}

/** @returns undefined for cases that were not begun, since it was ended or the client never began */
async function playCases(
  player: Player,
  cases: readonly ExamCase[],
  { jobs, signal, speed, limitOf, note, onProgress }: CaseSettings,
): Promise<(CaseResult | undefined)[]> {
  const running = new Set<string>()
  let done = 0
  let failed = 0
  const tell = (more: Partial<ExamProgress> = {}) =>
    onProgress({ depth: undefined, done, all: cases.length, failed, running: [...running], ...more })
  const play = async (exam: ExamCase): Promise<Play> => {
    const { name } = exam
    running.add(name)
    tell()
    const limit = limitOf(exam, speed)
    const late = player.isExact ? undefined : setTimeout(() => tell({ late: { name, limit } }), lateTime)
    return await player.play(exam).finally(() => {
      clearTimeout(late)
      running.delete(name)
    })
  }
  const end = (result: CaseResult) => {
    done++
    if (result.status === 'failed') failed++
    tell({ ended: result, ...note(causesOf(result)) })
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
  const results = await mapParallel(cases, { maxParallel: jobs, signal: beginning }, async (exam, at) => {
    const played = await play(exam).catch(error => {
      // A run that was broken off says nothing.
      if (!signal.aborted) throw error
    })
    if (!played) return undefined
    const { result, doubt } = played
    noteStart(result)
    if (!doubt || signal.aborted) return end(result)
    again.push([at, exam])
    return result
  })
  for (const [at, exam] of again) {
    if (signal.aborted) break
    const { result, doubt } = await play(exam)
    results[at] = end(doubt ? withoutTiming(result, doubt) : result)
  }
  return results
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

const oneMinute = 60_000
/** In minutes of the space's clock: fifteen minutes of recreations (spec 8), a long pause and the end. */
const longestSensibleCase = 25
/** The same for a plan, which may begin that several times. */
const longestSensiblePlan = 40

/** Milliseconds of the space's clock that a client may need. */
export const longestRun = ({ isPlan }: Pick<ExamCase, 'isPlan'>): number =>
  (isPlan ? longestSensiblePlan : longestSensibleCase) * oneMinute

/**
 * Default limit for a case, in real milliseconds. Speed shortens only what is measured on the space's clock: a process
 * needs its time to start and to end, and a client that does not read the speed does not hurry.
 */
export const defaultLimit = (exam: ExamCase, speed: number): number =>
  Math.max(oneMinute, exam.isPlan || isSlow(exam) || exam.failsForEver ? longestRun(exam) / speed : 0)
