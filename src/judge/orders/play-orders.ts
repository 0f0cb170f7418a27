import { mapParallel } from '../../store/parallel.ts'
import type { Cause, ExamResult } from '../exam/exam-result.ts'
import { type ExamProgress, type ExamSettings, lateTime, summarizeExam } from '../exam/run-exam.ts'
import { scenarioOfPlan } from '../explore/plans.ts'
import { realNow } from '../explore/virtual-time.ts'
import type { PlayedOrders } from './explore-orders.ts'
import { jointTroubles, nameOfTrouble, orderPlanName, orderPlanOfName } from './order-plans.ts'

/** Plays every order of a plan of two workers, or the one that its name says. */
export interface OrderPlayer {
  /** Whether the same order leads to the same, to the millisecond and to the ID. */
  readonly isExact: boolean
  play(name: string): Promise<PlayedOrders>
}

/** Which orders are played. */
export interface OrderTask {
  /** 0: those without trouble. */
  readonly depth: number
  /** Names of the only plans. */
  readonly plans: readonly string[] | undefined
}

/** Plays orders of two workers, and sums up what they show. */
export async function playOrders(
  player: OrderPlayer,
  { depth, plans }: OrderTask,
  settings: ExamSettings,
): Promise<ExamResult> {
  const { client, seed, speed, isStrict, signal, onProgress, onOrders, jobs, review, budget } = settings
  const began = realNow()
  const isOver = () => budget !== undefined && realNow() - began > budget
  const troubles = depth === 0 ? [undefined] : jointTroubles
  const names = plans ?? troubles.map(trouble => orderPlanName({ trouble, turns: undefined }))
  let done = 0
  let failed = 0
  const running = new Set<string>()
  const tell = (more: Partial<ExamProgress> = {}) =>
    onProgress({ depth, done, all: names.length, failed, running: [...running], ...more })
  const pulse = setInterval(() => tell({ isLifeSign: true }), lateTime)
  const results = await mapParallel(names, { maxParallel: jobs, signal }, async name => {
    if (isOver()) return undefined
    running.add(name)
    tell()
    const played = await player.play(name).catch(error => {
      if (!signal.aborted) throw error
    })
    running.delete(name)
    if (!played) return undefined
    if (played.failed > 0) failed++
    onOrders?.(played)
    done++
    tell({ endedPlan: played })
    return played
  }).finally(() => clearInterval(pulse))
  const played = results.filter(it => it !== undefined)
  const ofPlans = played.flatMap(it => causesIn(it, settings))
  const orders = ordersOf(played)
  const found = { cases: [], ofPlans, exploration: null, orders }
  const reviewed = review?.(found, true) ?? { cases: [], ofPlans }
  return summarizeExam(reviewed.cases, {
    ...reviewed,
    ofPlans: oneForEachRule(reviewed.ofPlans),
    ...{ client, seed, speed, depth, notPlayed: 0, isStrict, exploration: null, orders },
    portrait: null,
    isBrokenOff: signal.aborted,
    began: player.isExact ? null : new Date(Math.floor(performance.timeOrigin + began)).toISOString(),
    realSeconds: player.isExact ? 0 : Math.round(realNow() - began) / 1000,
    ended: signal.aborted
      ? 'it was interrupted'
      : played.length < names.length
        ? 'the budget is used up'
        : null,
  })
}

const sum = (counts: readonly number[]) => counts.reduce((before, it) => before + it, 0)

const ordersOf = (played: readonly PlayedOrders[]): NonNullable<ExamResult['orders']> => ({
  workers: 2,
  runs: sum(played.map(({ runs }) => runs)),
  skipped: sum(played.map(({ skipped }) => skipped)),
  lost: sum(played.map(({ lost }) => lost)),
  inconclusive: sum(played.map(({ inconclusive }) => inconclusive)),
  plans: played.map(({ findings: _, divergence: __, digest: ___, ...counts }) => counts),
  divergence: played.find(({ divergence }) => divergence !== null)?.divergence ?? null,
})

function causesIn(
  { findings }: PlayedOrders,
  { reproduce, speed }: Pick<ExamSettings, 'reproduce' | 'speed'>,
): Cause[] {
  return findings.map(({ rule, severity, plan, found, confirmed, result, lanes }) => {
    const { trouble } = orderPlanOfName(plan)!
    const troubles = trouble === undefined ? [] : [nameOfTrouble(trouble)]
    const scenario = scenarioOfPlan({ mode: 'once', troubles: typeof trouble === 'object' ? [trouble] : [] })
    return {
      rule,
      severity: confirmed === 0 ? 'information' : severity,
      finding: result.findings.find(it => it.rule === rule && it.status === 'guilty')!,
      case: { ...result, reproduce: reproduce({ name: plan, isPlan: true }, speed) },
      cases: [],
      plan: {
        ...{ name: plan, troubles, found, confirmed, isFlaky: confirmed < 3, speed },
        scenario: {
          ...scenario,
          description: `${result.description} Only an exam with --workers 2 and --plan plays all of it.`,
        },
        lanes: { lines: lanes.lines.map(it => ({ ...it })), both: lanes.both },
      },
    }
  })
}

/** The smallest order of each mistake: the first one of those without trouble, or else that with the fewest turns. */
function oneForEachRule(causes: readonly Cause[]): Cause[] {
  const smallest = new Map<string, Cause>()
  for (const cause of causes) {
    const key = `${cause.severity} ${cause.rule}`
    const other = smallest.get(key)
    const found = cause.plan!.found + (other?.plan?.found ?? 0)
    const better = other && sizeOf(other) <= sizeOf(cause) ? other : cause
    smallest.set(key, { ...better, plan: { ...better.plan!, found } })
  }
  return [...smallest.values()]
}

/** Troubles weigh more than turns. */
function sizeOf({ plan }: Cause): number {
  const { trouble, turns } = orderPlanOfName(plan!.name)!
  return (trouble === undefined ? 0 : 1_000) + (turns?.length ?? 0)
}
