import type { ClientFunction } from '../exam/client.ts'
import type { Player } from '../exam/player.ts'
import { caseOfPlan, planName, planOfName, rankOf, type Trouble, troubles } from '../explore/plans.ts'
import { groupsBySize } from '../grouping.ts'
import { decisionsOf } from './decisions.ts'
import { type ClientTraces, worstOf } from './portrait.ts'
import type { Advice, Portrait } from './portrait-shape.ts'
import { findRow } from './rows.ts'
import { clientOfTable } from './table-client.ts'

/** Maximum number of plans that are replayed for one row, and rows that are tried. */
const maxReplays = 40
const maxRows = 8

/** Takes every nth, so that not more than so many are left. */
const thinned = <Value>(values: readonly Value[], most: number) => {
  const step = Math.max(1, values.length / most)
  return values.filter((_, at) => Math.floor(at / step) !== Math.floor((at - 1) / step))
}

/**
 * Which single row, if it were the document's, would mend most of the failed plans. A client that does what the table says
 * plays them, as it is and with that row replaced, and the judge says what came of it.
 * @param playAs lets a client play with this player
 */
export async function adviseOn(
  portrait: Portrait,
  traces: ClientTraces,
  {
    player,
    synchronizationId,
    playAs,
  }: {
    readonly player: Player
    readonly synchronizationId: string
    readonly playAs: (client: ClientFunction) => void
  },
): Promise<Advice[]> {
  const plans = traces.runs.flatMap((run, at) => (run.isPlan && run.severity ? [{ ...run, at }] : []))
  // Warnings are looked into where there is nothing worse.
  const worst = plans.some(({ severity }) => severity === 'error') ? 'error' : 'warning'
  const failed = plans.filter(({ severity }) => severity === worst)
  const fails = async (name: string, client: ClientFunction) => {
    playAs(client)
    const { result } = await player.play(caseOfPlan(planOfName(name)!, synchronizationId))
    const severity = worstOf(result)
    return severity === worst || severity === 'error'
  }
  const met = failed.flatMap(({ name, trace, at }) => {
    const rows = decisionsOf(trace, at).map(decision => findRow(portrait.situations, decision))
    return [...new Set(rows)].flatMap(row => (row && row.objection !== null ? [{ row, name }] : []))
  })
  const failsAsItIs = new Map<string, boolean>()
  const advice: Advice[] = []
  for (const [row, them] of groupsBySize(met, it => it.row).slice(0, maxRows)) {
    let mends = 0
    let replayed = 0
    for (const { name } of thinned(them, maxReplays)) {
      if (!failsAsItIs.has(name)) failsAsItIs.set(name, await fails(name, clientOfTable(portrait)))
      // What the table does not show cannot be explained by one of its rows.
      if (!failsAsItIs.get(name)) continue
      replayed++
      if (!(await fails(name, clientOfTable(portrait, row)))) mends++
    }
    const { name: situation, rows } = portrait.situations.find(({ rows }) => rows.includes(row))!
    const counts = { mends, replayed, met: them.length, failed: failed.length }
    if (mends > 0) advice.push({ situation, row: rows.indexOf(row), ...counts })
  }
  const weight = ({ mends, replayed, met: all }: Advice) => (mends / replayed) * all
  return advice.sort((one, other) => weight(other) - weight(one))
}

/** What the client gets in a trouble, without what is true. */
const formOf = ({ name, truth }: Trouble) => name.replace(`-${truth}`, '')

/** How unlike two kinds of trouble are: another answer, another truth, then how far apart they are listed. */
const distanceOf = (one: Trouble, other: Trouble) =>
  (formOf(one) === formOf(other) ? 0 : troubles.length) +
  (one.truth === other.truth ? 0 : troubles.length) +
  Math.abs(rankOf(one) - rankOf(other))

/** The plan most like one that failed that the client passes: with one kind of trouble replaced, the same mode and length. */
export function findNearestPass(
  name: string,
  traces: ClientTraces,
): { readonly name: string; readonly words: string } | null {
  const plan = planOfName(name)
  const passed = new Set(traces.runs.flatMap(it => (it.isPlan && !it.severity ? [it.name] : [])))
  const near = (plan?.troubles ?? []).flatMap((trouble, at) =>
    troubles.flatMap(other => {
      const name = planName({ ...plan!, troubles: plan!.troubles.with(at, other) })
      return passed.has(name) ? [{ name, at, other, distance: distanceOf(trouble, other) }] : []
    }),
  )
  const [best] = near.sort((one, other) => one.distance - other.distance)
  const ordinal = best && (['first', 'second', 'third'][best.at] ?? `${best.at + 1}th`)
  return best ? { name: best.name, words: `the same, but the ${ordinal} attempt ${best.other.words}` } : null
}
