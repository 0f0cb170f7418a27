import { seededChance } from '../../rig/chance.ts'
import type { ExamCase } from '../exam/cases.ts'
import { causesOf } from '../exam/causes.ts'
import type { CaseResult } from '../exam/exam-result.ts'
import type { Play } from '../exam/player.ts'
import { groupBy, groupsBySize, maximum } from '../grouping.ts'
import { changesSince } from './changes.ts'
import { type Decision, decisionsOf, type Situation, situations } from './decisions.ts'
import { documented, objectionTo } from './document.ts'
import { isExpectedPause, learnPauses } from './pauses.ts'
import type { Portrait, PortraitSituation } from './portrait-shape.ts'
import { findRow, growRows, splitRuleWords, type TableRow } from './rows.ts'
import { losses, type RunTrace } from './trace.ts'

/** Maximum number of runs that are kept: more show nothing new, and memory stays bounded. */
const maxRuns = 10_000
/** Share of the runs that the accuracy is measured with, and how many decisions are too few for that. */
const heldOut = 0.2
const fewestDecisions = 20

interface TracedRun {
  readonly name: string
  readonly isPlan: boolean
  readonly trace: RunTrace
  /** The worst that it shows of the client; undefined if it passed. */
  readonly severity: Severity | undefined
}

export type Severity = 'error' | 'warning'

/** The worst that a run shows of a client; undefined if it passed. */
export function worstOf(result: CaseResult): Severity | undefined {
  const severities = [...causesOf(result).values()]
  return (['error', 'warning'] as const).find(it => severities.includes(it))
}

/** What the runs of an exam show of a client's decisions. */
export class ClientTraces {
  readonly #runs = new Map<string, TracedRun>()
  #leftOut = 0

  /** Takes in a run, of a repeated case or plan the last one. */
  add(
    exam: ExamCase,
    { result, trace, doubt }: Pick<Play, 'trace' | 'doubt'> & { readonly result: CaseResult },
  ): void {
    const { name, isPlan } = exam
    if (this.#runs.size >= maxRuns) return
    if (doubt !== undefined || !isTelling(exam)) this.#leftOut++
    else this.#runs.set(`${isPlan} ${name}`, { name, isPlan, trace, severity: worstOf(result) })
  }

  /** Cases, then plans, those with fewest troubles first: the order in which they ended depends on how many are played at a time. */
  get runs(): readonly TracedRun[] {
    const rankOf = ({ isPlan, name }: TracedRun) => (isPlan ? name.split('+').length : 0)
    return [...this.#runs.values()].sort(
      (one, other) => rankOf(one) - rankOf(other) || (one.name < other.name ? -1 : 1),
    )
  }

  get leftOut(): number {
    return this.#leftOut
  }
}

/** Whether what comes next follows from requests that came: not of broken connections, or of clocks that differ. */
const isTelling = ({ listenerFaults, clockAhead, clockBehind, datePasses }: ExamCase) =>
  !listenerFaults && clockAhead + clockBehind === 0 && !datePasses

/** Different decisions: plans that begin alike show the same ones again, and the first one counts. */
const distinct = (decisions: readonly Decision[]): Decision[] => {
  const keyOf = (it: Decision) => `${it.situation}|${it.history}|${it.action}|${it.pause}`
  return [...groupBy(decisions, keyOf).values()].map(([first]) => first)
}

/** Situations after which clients pause otherwise than before a plain repeat; libraries follow a redirect at once. */
const unusual: readonly Situation[] = ['redirect', 'FAILED', 'after a read', 'still waiting']

/** The rows of each situation that the decisions show: a single one without an action where none explain them. */
function learn(decisions: readonly Decision[]) {
  const plain = decisions.filter(
    ({ situation, pause, features }) =>
      pause !== undefined && !unusual.includes(situation) && features.retryAfter === 0,
  )
  const [[, most] = [null, []]] = groupsBySize(plain, ({ action }) => action)
  const usual = learnPauses(most)
  const groups = groupBy(decisions, ({ situation }) => situation)
  return situations.flatMap(name => {
    const own = groups.get(name)
    if (!own) return []
    const rows = growRows(own, documented[name].limitedBy)?.map(row => {
      const alike = row.decisions.filter(({ action }) => action === row.action)
      const like = name === 'still waiting' ? null : usual
      return { ...row, pause: row.action.startsWith('end: ') ? null : learnPauses(alike, like) }
    })
    const unclaimed = { when: [], action: null, decisions: own, pause: null }
    return [{ name, decisions: own, isExplained: rows !== undefined, rows: rows ?? [unclaimed] }]
  })
}

/** Whether a client did different things although it could see no difference. */
function isRandom(decisions: readonly Decision[]): boolean {
  const moves = decisions.flatMap(it => it.moves)
  return [...groupBy(moves, ({ seen }) => seen).values()].some(
    same => new Set(same.map(({ action }) => action)).size > 1,
  )
}

/** How well a table predicts decisions. */
function measureAccuracy(
  table: readonly { readonly name: string; readonly rows: readonly TableRow[] }[],
  decisions: readonly Decision[],
): NonNullable<Portrait['accuracy']> {
  const pairs = decisions.map(decision => ({ decision, row: findRow(table, decision) }))
  const right = pairs.filter(({ decision, row }) => row?.action === decision.action)
  const paused = right.filter(({ decision, row }) => row!.pause && decision.pause !== undefined)
  const inRange = paused.filter(({ decision, row }) => isExpectedPause(row!.pause!, decision))
  const shareOf = (some: number, all: number) => (all === 0 ? 1 : some / all)
  return {
    decisions: decisions.length,
    right: shareOf(right.length, decisions.length),
    pauses: paused.length,
    inRange: shareOf(inRange.length, paused.length),
  }
}

export interface PortraitSettings {
  readonly client: string
  readonly seed: number
  readonly reproduce: (run: Pick<TracedRun, 'name' | 'isPlan'>) => string | null
  /** The portrait to compare with. */
  readonly earlier?: Portrait | undefined
}

/** The portrait of a client; null if no run shows anything of it. */
export function drawPortrait(
  { runs, leftOut }: Pick<ClientTraces, 'runs' | 'leftOut'>,
  { client, seed, reproduce, earlier }: PortraitSettings,
): Portrait | null {
  const all = runs.flatMap(({ trace }, run) => decisionsOf(trace, run))
  const decisions = distinct(all)
  if (decisions.length === 0) return null
  const chance = seededChance(seed, 'portrait')
  const isHeldOut = runs.map(({ name }) => chance.fraction(name) < heldOut)
  const unlearned = decisions.filter(({ run }) => isHeldOut[run])
  const table = learn(decisions).map(({ name, rows, decisions, isExplained }): PortraitSituation => {
    const whyNot = () =>
      isRandom(all.filter(it => it.situation === name))
        ? 'not deterministic'
        : 'more history than this table shows'
    return {
      ...{ name, document: documented[name].words, decisions: decisions.length },
      isExplained: isExplained ? 'yes' : whyNot(),
      rows: rows.map(({ when, action, decisions: own, pause }) => {
        const typical = own.filter(it => action === null || it.action === action)
        const { name: shownBy, isPlan } = runs[typical[0]!.run]!
        return {
          ...{ when: [...when], action, pause, decisions: own.length, others: own.length - typical.length },
          // Of what nothing is claimed nothing is wrong.
          objection: action === null ? null : objectionTo(name, typical, pause),
          shownBy: { name: shownBy, isPlan },
          reproduce: reproduce({ name: shownBy, isPlan }),
        }
      }),
    }
  })
  const accuracy =
    unlearned.length < fewestDecisions
      ? null
      : measureAccuracy(learn(decisions.filter(({ run }) => !isHeldOut[run])), unlearned)
  return {
    version: 1,
    ...{ client, seed, runs: runs.length, leftOut, decisions: decisions.length },
    stopped: runs.filter(({ trace }) => trace.starts.some(it => it.end === null)).length,
    accuracy,
    patience: patienceIn(runs),
    rule: splitRuleWords,
    situations: table,
    unseen: situations.filter(name => !table.some(it => it.name === name)),
    advice: [],
    predicted: earlier ? measureAccuracy(earlier.situations, decisions) : null,
    ...(earlier ? changesSince(earlier, { accuracy, situations: table }, decisions) : { changes: null }),
  }
}

/** Seconds for which it waits for a response at most; null if it never gave one up. */
function patienceIn(runs: readonly TracedRun[]): number | null {
  const starts = runs
    .flatMap(({ trace }) => trace.starts)
    .filter(({ end }) => end !== null && end !== 'killed')
  const waits = starts.flatMap(({ steps }) =>
    steps.flatMap(({ at, until, got }) =>
      (got === losses.none || got === losses.stall) && until !== null ? [(until - at) / 1_000] : [],
    ),
  )
  return waits.length === 0 ? null : Math.round(maximum(waits) * 10) / 10
}
