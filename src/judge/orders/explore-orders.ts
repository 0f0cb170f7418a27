import { createHash } from 'node:crypto'
import { causesOf } from '../exam/causes.ts'
import type { CaseFinding, CaseResult } from '../exam/exam-result.ts'
import type { JointOutcome } from './joint-case.ts'
import type { Lanes } from './lanes.ts'
import { following, type OrderPlan, orderPlanName, type Turn, turnsOf } from './order-plans.ts'
import { type Choose, type Step, searchOrders } from './search.ts'

/** A mistake of two workers, with the smallest order in which it shows. */
export interface OrderFinding {
  readonly rule: string
  readonly severity: CaseFinding['severity']
  /** Name of that order. */
  readonly plan: string
  /** Orders that show the same. */
  readonly found: number
  /** How many repetitions of the smallest one showed it again. */
  readonly confirmed: number
  readonly result: CaseResult
  readonly lanes: Lanes
}

/** What came of the orders with one trouble. */
export interface PlayedOrders {
  /** Name of the plan, without an order. */
  readonly plan: string
  readonly runs: number
  readonly skipped: number
  /** Orders that could not be followed, since the client did something else after the same steps. */
  readonly lost: number
  readonly isComplete: boolean
  /** Orders that show an error. */
  readonly failed: number
  /** Orders that prove nothing. */
  readonly inconclusive: number
  /** How two runs differ that should be alike; null for none. */
  readonly divergence: string | null
  readonly findings: readonly OrderFinding[]
  /** Of all that the workers did. */
  readonly digest: string
}

/** Plays an order of a plan. @returns undefined if it was broken off */
export type PlayOrder = (plan: OrderPlan, choose: Choose) => Promise<JointOutcome | undefined>

/** Orders of one plan that are played at most. */
const maxRuns = 20_000
const confirmations = 3

interface Sight {
  readonly severity: CaseFinding['severity']
  turns: Turn[]
  found: number
}

/** Plays every order of a plan, or the one that it names, and makes what it finds as small as it can. */
export async function exploreOrders(plan: OrderPlan, play: PlayOrder): Promise<PlayedOrders> {
  const sights = new Map<string, Sight>()
  const counts = { runs: 0, skipped: 0, lost: 0, failed: 0, inconclusive: 0 }
  let isComplete = true
  let divergence: string | null = null
  const all = createHash('sha256')
  const take = ({ verdict, lanes }: JointOutcome, turns: () => Turn[]) => {
    all.update(JSON.stringify([verdict.effects, verdict.reached, verdict.findings, lanes]))
    const causes = causesOf(verdict)
    if ([...causes.values()].includes('error')) counts.failed++
    if (verdict.status === 'inconclusive') counts.inconclusive++
    for (const [rule, severity] of causes) {
      const sight = sights.get(rule)
      if (sight) sight.found++
      if (sight && sight.turns.length === 0) continue
      const own = turns()
      if (!sight) sights.set(rule, { severity, turns: own, found: 1 })
      else if (isSmaller(own, sight.turns)) sight.turns = own
    }
  }
  if (plan.turns) {
    counts.runs++
    const { turns } = plan
    take((await play(plan, following(turns)))!, () => [...turns])
  } else {
    const search = await searchOrders(
      choose => play(plan, choose),
      (outcome, moments) => {
        counts.runs++
        // Without its trouble it is one of the undisturbed orders, which are played for themselves.
        if (outcome.wasDisturbed || plan.trouble === undefined) take(outcome, () => turnsOf(moments))
      },
      () => counts.runs >= maxRuns,
    )
    Object.assign(counts, { skipped: search.skipped, lost: search.lost })
    ;({ isComplete, divergence = null } = search)
  }
  const findings: OrderFinding[] = []
  for (const [rule, sight] of sights) findings.push(await smallest(plan, rule, sight, play))
  return {
    plan: orderPlanName({ ...plan, turns: undefined }),
    ...counts,
    isComplete,
    divergence,
    findings,
    digest: all.digest('hex'),
  }
}

/** Fewer turns, then later ones: the worker that came first has gone further by itself. */
function isSmaller(some: readonly Turn[], others: readonly Turn[]): boolean {
  if (some.length !== others.length) return some.length < others.length
  return sumOf(some) > sumOf(others)
}

const sumOf = (turns: readonly Turn[]) => turns.reduce((sum, { at }) => sum + at, 0)

async function smallest(plan: OrderPlan, rule: string, sight: Sight, play: PlayOrder): Promise<OrderFinding> {
  let { turns } = sight
  const shows = async (some: readonly Turn[]) => {
    const tried = await tryOrder(plan, some, play)
    return tried.outcome && causesOf(tried.outcome.verdict).has(rule) ? tried : undefined
  }
  if (!plan.turns) {
    turns = (await withFewTurns(plan, turns.length, play, shows)) ?? turns
    for (let at = 0; at < turns.length; ) {
      const fewer = await shows(turns.toSpliced(at, 1))
      // What is left out may move others: only what gets smaller counts.
      if (fewer && fewer.turns.length < turns.length) {
        turns = fewer.turns
        at = 0
      } else at++
    }
  }
  let confirmed = 0
  let shown: JointOutcome | undefined
  for (let nth = 0; nth < confirmations; nth++) {
    const { outcome } = await tryOrder(plan, turns, play)
    const isShown = outcome && causesOf(outcome.verdict).has(rule)
    if (isShown) confirmed++
    if (outcome && (isShown || !shown)) shown = outcome
  }
  const name = orderPlanName({ ...plan, turns })
  return {
    ...{ rule, severity: sight.severity, plan: name, found: sight.found, confirmed },
    result: { ...shown!.verdict, name },
    lanes: shown!.lanes,
  }
}

/** An order without a turn, or with a single one, that shows the mistake; undefined for none that has fewer than so many. */
async function withFewTurns(
  plan: OrderPlan,
  count: number,
  play: PlayOrder,
  shows: (turns: readonly Turn[]) => Promise<{ readonly turns: Turn[] } | undefined>,
): Promise<Turn[] | undefined> {
  if (count === 0) return []
  const inTurn = await tryOrder(plan, [], play)
  if (await shows([])) return []
  if (count < 2) return undefined
  for (const [at, possible] of [...inTurn.moments.entries()].toReversed())
    for (const { label } of possible.slice(1)) {
      const shown = await shows([{ at, label }])
      if (shown?.turns.length === 1) return shown.turns
    }
  return undefined
}

/** Plays one order. Turns that are not possible are left out of what it returns. */
async function tryOrder(plan: OrderPlan, turns: readonly Turn[], play: PlayOrder) {
  const moments: { readonly possible: readonly Step[]; readonly chosen: Step }[] = []
  const choose = following(turns)
  const outcome = await play(plan, possible => {
    const chosen = choose(possible)!
    moments.push({ possible, chosen })
    return chosen
  })
  return { outcome, turns: turnsOf(moments), moments: moments.map(({ possible }) => possible) }
}
