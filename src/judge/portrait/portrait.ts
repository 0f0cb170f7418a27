import { seededChance } from '../../rig/chance.ts'
import type { ExamCase } from '../exam/cases.ts'
import { causesOf } from '../exam/causes.ts'
import type { Play } from '../exam/player.ts'
import { groupBy, maximum } from '../grouping.ts'
import { changesSince } from './changes.ts'
import { type Decision, decisionsOf, type Situation, situations } from './decisions.ts'
import { documented, objectionTo } from './document.ts'
import { findRow, type TableRow } from './lookup.ts'
import { isExpectedPause, learnPauses, type PauseModel } from './pauses.ts'
import type { Portrait, PortraitSituation } from './portrait-shape.ts'
import { losses, type RunTrace } from './trace.ts'
import { type Condition, growRows, splitRuleWords, unexplained } from './tree.ts'

/** Maximum number of runs that are kept: more show nothing new, and memory stays bounded. */
const maxRuns = 10_000
/** Share of the runs that the accuracy is measured with, and how many decisions are too few for that. */
const heldOut = 0.2
const fewestDecisions = 20

interface RunShown {
  readonly name: string
  readonly isPlan: boolean
}

interface TracedRun extends RunShown {
  readonly trace: RunTrace
  /** The worst that it shows of the client; undefined if it passed. */
  readonly severity: Severity | undefined
}

export type Severity = 'error' | 'warning'

/** The worst that a run shows of a client; undefined if it passed. */
export function worstOf(result: Play['result']): Severity | undefined {
  const severities = [...causesOf(result).values()]
  return (['error', 'warning'] as const).find(it => severities.includes(it))
}

/** What the runs of an exam show of a client's decisions. */
export class ClientTraces {
  readonly #runs = new Map<string, TracedRun>()
  #leftOut = 0

  /** Takes in a run, of a repeated case or plan the last one. */
  add(exam: ExamCase, { result, trace, doubt }: Pick<Play, 'result' | 'trace' | 'doubt'>): void {
    const { name, isPlan } = exam
    if (this.#runs.size >= maxRuns) return
    const severity = worstOf(result)
    if (doubt !== undefined || !isTelling(exam)) this.#leftOut++
    else this.#runs.set(`${isPlan} ${name}`, { name, isPlan, trace, severity })
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

/** Whether what comes next follows from requests that came: not of two workers, of broken connections, or of clocks that differ. */
const isTelling = ({ runPlan, listenerFaults, clockAhead, clockBehind, datePasses }: ExamCase) =>
  runPlan.kind !== 'second-worker' && !listenerFaults && clockAhead + clockBehind === 0 && !datePasses

/** Different decisions: plans that begin alike show the same ones again. */
export function distinctDecisions(traces: ClientTraces): Decision[] {
  const keyOf = ({ situation, history, action, pause }: Decision) =>
    `${situation}|${history}|${action}|${pause}`
  const all = traces.runs.flatMap(({ trace }, run) => decisionsOf(trace, run))
  return [...new Map(all.toReversed().map(it => [keyOf(it), it])).values()].reverse()
}

/** A situation with the decisions behind its rows. */
interface Learned {
  readonly name: Situation
  readonly decisions: readonly Decision[]
  readonly isExplained: PortraitSituation['isExplained']
  readonly rows: readonly {
    readonly when: readonly Condition[]
    readonly action: string | null
    readonly decisions: readonly Decision[]
    readonly pause: PauseModel | undefined
  }[]
}

function learnSituation(
  name: Situation,
  decisions: readonly Decision[],
  usual: PauseModel | undefined,
): Learned {
  const rows = growRows(decisions, documented[name].limitedBy)
  if (!rows) {
    const same = groupBy(decisions, ({ history }) => history)
    const isRandom = [...same.values()].some(them => new Set(them.map(({ action }) => action)).size > 1)
    const isExplained = isRandom ? 'not deterministic' : 'more history than this table shows'
    return { name, decisions, isExplained, rows: [{ when: [], action: null, decisions, pause: undefined }] }
  }
  const withPauses = rows.map(leaf => ({
    ...leaf,
    pause: leaf.action.startsWith('end: ')
      ? undefined
      : learnPauses(
          leaf.decisions.filter(({ action }) => action === leaf.action),
          usual,
        ),
  }))
  return { name, decisions, isExplained: 'yes', rows: withPauses }
}

/** Situations after which clients pause otherwise than before a plain repeat; libraries follow a redirect at once. */
const unusual: readonly Situation[] = ['redirect', 'FAILED', 'after a read', 'still waiting']

const learnAll = (decisions: readonly Decision[]): Learned[] => {
  const groups = groupBy(decisions, ({ situation }) => situation)
  const free = decisions.filter(
    ({ situation, action, features }) =>
      !unusual.includes(situation) && !action.startsWith('reads') && features.retryAfter === 0,
  )
  const usual = learnPauses(free)
  return situations.flatMap(name =>
    groups.has(name) ? [learnSituation(name, groups.get(name)!, usual)] : [],
  )
}

/** How well a table predicts decisions. */
export function measureAccuracy(
  table: readonly { readonly name: string; readonly rows: readonly TableRow[] }[],
  decisions: readonly Decision[],
): Portrait['accuracy'] {
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
  readonly reproduce: (run: RunShown) => string | null
  /** The portrait to compare with. */
  readonly earlier?: Portrait | undefined
}

/** The portrait of a client; null if no run shows anything of it. */
export function drawPortrait(
  traces: ClientTraces,
  { client, seed, reproduce, earlier }: PortraitSettings,
): Portrait | null {
  const decisions = distinctDecisions(traces)
  if (decisions.length === 0) return null
  const { runs } = traces
  const chance = seededChance(seed, 'portrait')
  const isHeldOut = runs.map(({ name }) => chance.fraction(name) < heldOut)
  const unlearned = decisions.filter(({ run }) => isHeldOut[run])
  const learned = learnAll(decisions)
  const table = learned.map(it => toSituation(it, runs, reproduce))
  return {
    version: 1,
    client,
    seed,
    runs: runs.length,
    leftOut: traces.leftOut,
    stopped: runs.filter(({ trace }) => trace.starts.some(it => it.end === null)).length,
    decisions: decisions.length,
    accuracy:
      unlearned.length < fewestDecisions
        ? null
        : measureAccuracy(learnAll(decisions.filter(({ run }) => !isHeldOut[run])), unlearned),
    patience: patienceIn(runs),
    rule: splitRuleWords,
    situations: table,
    unseen: situations.filter(name => !learned.some(it => it.name === name)),
    advice: [],
    changes: earlier ? changesSince(earlier.situations, table, decisions) : null,
  }
}

/** Seconds for which it waits for a response at most. */
function patienceIn(runs: readonly TracedRun[]): number | null {
  const steps = runs.flatMap(({ trace }) =>
    trace.starts.flatMap(({ steps, end }) => (end === null || end === 'killed' ? [] : steps)),
  )
  const waits = steps.flatMap(({ at, until, got }) =>
    until !== null && (got === losses.none || got === losses.stall) ? [(until - at) / 1_000] : [],
  )
  return waits.length === 0 ? null : Math.round(maximum(waits) * 10) / 10
}

function toSituation(
  { name, decisions, isExplained, rows }: Learned,
  runs: readonly RunShown[],
  reproduce: PortraitSettings['reproduce'],
): PortraitSituation {
  return {
    name,
    document: documented[name].words,
    decisions: decisions.length,
    isExplained,
    rows: rows.map(({ when, action, decisions: own, pause }) => {
      const typical = own.filter(it => action === null || it.action === action)
      const { name: run, isPlan } = typical
        .map(it => runs[it.run]!)
        .reduce((one, other) => (other.name.split('+').length < one.name.split('+').length ? other : one))
      return {
        when: [...when],
        action,
        pause: pause ?? null,
        decisions: own.length,
        others: action === null ? 0 : unexplained({ decisions: own, action }),
        objection: objectionTo(name, own, pause) ?? null,
        shownBy: { name: run, isPlan },
        reproduce: reproduce({ name: run, isPlan }),
      }
    }),
  }
}
