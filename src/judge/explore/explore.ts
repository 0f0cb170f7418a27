import { seededChance } from '../../rig/chance.ts'
import { getOrMake } from '../../store/maps.ts'
import { mapParallel } from '../../store/parallel.ts'
import { causesOf } from '../exam/causes.ts'
import {
  brokenClient,
  type CaseFinding,
  type CaseResult,
  type Cause,
  type Exploration,
} from '../exam/exam-result.ts'
import type { Play, Player } from '../exam/player.ts'
import { withoutTiming } from '../exam/timing.ts'
import { rules } from '../rules/registry.ts'
import {
  caseOfPlan,
  countPlans,
  dangerOf,
  depthOf,
  extended,
  type Mode,
  modes,
  type Plan,
  planName,
  planOfName,
  rankOf,
  scenarioOfPlan,
  type Trouble,
  troubles,
  troublesOf,
} from './plans.ts'

/** A run of a plan. */
export interface PlanRun {
  readonly result: CaseResult
  /** The rules that were certainly broken, with their severity. */
  readonly causes: ReadonlyMap<string, CaseFinding['severity']>
  /** Whether it says something about the client. */
  readonly isConclusive: boolean
  /** Why it proved nothing, or was not seen to its end. */
  readonly reason: string | null
  /** Whether an attempt came after the last trouble. */
  readonly isReached: boolean
  /** When each attempt came, and which transaction ID it had. */
  readonly trace: readonly string[]
  /** Number of attempts that met the troubles. */
  readonly met: number
  /** Those that an attempt met. */
  readonly troubles: readonly Trouble[]
  /** Whether a client that asks for its waits had to wait in real time as well. */
  readonly hasRealWait: boolean
  /** Whether it sent at once though it was given a date. */
  readonly ignoresDate: boolean
}

function toPlanRun(
  plan: Plan,
  { result: shown, doubt, hits: counts, hasRealWait }: Play,
  isExact: boolean,
): PlanRun {
  const result = doubt ? withoutTiming(shown, doubt) : shown
  const hits = counts ?? [result.attempts.length]
  const met = hits.slice(0, -1)
  const { effects } = result
  const ignoresDate =
    plan.mode === 'scheduled' && effects.length > 0 && effects.every(({ what }) => what !== 'scheduled')
  return {
    result,
    hasRealWait,
    // Whatever it is given, it does what it does without a date: that plan is covered.
    causes: ignoresDate && plan.troubles.length === 0 ? new Map() : causesOf(result),
    ignoresDate,
    isConclusive: result.status !== 'inconclusive',
    reason: result.reason,
    isReached: hits.at(-1)! > 0,
    trace: traceOf(result, isExact),
    met: met.reduce((sum, hits) => sum + hits, 0),
    troubles: plan.troubles.filter((_, at) => met[at]! > 0),
  }
}

/** What is kept of a run. */
type Outcome = Omit<PlanRun, 'result' | 'troubles'>

/** One line for each attempt. Letters stand for transaction IDs. */
function traceOf({ attempts }: CaseResult, isExact: boolean): readonly string[] {
  const letters = new Map<string | null, number>()
  return attempts
    .filter(({ isCreation }) => isCreation)
    .map(({ at, transactionId }) => {
      const letter = getOrMake(letters, transactionId, () => letters.size + 1)
      return `${isExact ? `${at} s: ` : ''}${transactionId === null ? 'no transactionId' : `transactionId ${letter}`}`
    })
}

export interface ExplorationOptions {
  readonly depth: number
  /** Source of IDs, chances and samples. */
  readonly seed: number
  /** Maximum number of plans that are played of each depth from 3 on. */
  readonly sample: number
  /** Plans at a time. */
  readonly jobs: number
  readonly signal: AbortSignal
  /** Whether the time for exploring is over; with a number, whether it is over that many times. */
  readonly isOver: (times?: number) => boolean
  /** Names of plans that are played before all others. */
  readonly first: readonly string[]
  /** Names of the only plans that are played, without making them smaller; undefined for all. */
  readonly only?: readonly string[] | undefined
  /** Of the service's clock. */
  readonly speed: number
  /** What every plan sends. */
  readonly synchronizationId: string
  readonly onProgress: (progress: PlanProgress) => void
}

export interface PlanProgress {
  /** Troubles of each plan. */
  readonly depth: number
  readonly done: number
  /** Plans of this depth that will be played. */
  readonly all: number
  /** Of the plan that has just ended. */
  readonly causes: PlanRun['causes']
}

/** What came of the plans: what was played, what was found, and what ended it early. */
export interface Explored {
  readonly exploration: Exploration
  readonly causes: readonly Cause[]
  readonly ended: string | undefined
}

/**
 * Plays plans of more and more troubles, the most dangerous ones first. The tree of plans grows from what the client does:
 * a plan is continued only if the client made another attempt after its last trouble.
 * @throws CommandError
 */
export async function explorePlans(player: Player, options: ExplorationOptions): Promise<Explored> {
  const tree = new PlanTree(player, options)
  await tree.run()
  return tree.result()
}

class PlanTree {
  readonly #player: Player
  readonly #options: ExplorationOptions
  readonly #outcomes = new Map<string, Outcome>()
  readonly #levels: Exploration['levels'] = []
  readonly #chances = new Map<string, number>(rules.map(({ id }) => [id, 0]))
  readonly #smallest = new Map<string, Plan>()
  /** Rules and plans that no repetition showed again. */
  readonly #gone = new Set<string>()
  /** For each rule that was broken the run with the fewest troubles. */
  readonly #shown = new Map<string, { readonly plan: Plan; readonly result: CaseResult }>()
  readonly #causes: Cause[] = []
  #runs = 0
  #realWaits = 0
  #ended: string | undefined
  #divergence: Exploration['divergence'] = null

  constructor(player: Player, options: ExplorationOptions) {
    this.#player = player
    this.#options = options
  }

  async run(): Promise<void> {
    try {
      await this.#playLevels()
      await this.#group()
    } catch (error) {
      if (!this.#isInterrupted) throw error
      await this.#group()
    }
    if (this.#isInterrupted) this.#ended ??= 'it was interrupted'
  }

  /** From here on nothing is played, and a run that has begun may end without a result. */
  get #isInterrupted(): boolean {
    return this.#options.signal.aborted
  }

  async #playLevels(): Promise<void> {
    const { depth, first, only } = this.#options
    await this.#playNamed(only ?? first)
    if (only) return
    let parents: readonly Plan[] = await this.#playLevel(
      0,
      modes.map(mode => ({ mode, troubles: [] })),
    )
    const start = this.#outcomes.get('undisturbed')
    const failure = start && [...start.causes.keys()].find(rule => brokenClient.has(rule))
    if (failure !== undefined)
      this.#ended = `the client fails without any trouble (${failure}): nothing else was played`
    parents = parents.filter(plan => !this.#outcomes.get(planName(plan))!.ignoresDate)
    if (depth > 0 && !this.#isOver()) await this.#repeat()
    for (let at = 1; at <= depth && !this.#isOver(); at++) {
      const next = parents.filter(({ mode }) => at <= depthOf(mode, depth))
      const count = next.reduce((sum, { mode }) => sum + this.#troublesOf(mode).length, 0)
      const plans =
        at > 2 && count > this.#options.sample
          ? this.#draw(next, at)
          : next.flatMap(plan => this.#troublesOf(plan.mode).map(it => extended(plan, it)))
      parents = await this.#playLevel(at, plans, count)
    }
  }

  async #playNamed(names: readonly string[]): Promise<void> {
    const { jobs, signal } = this.#options
    const plans = names.flatMap(name => planOfName(name) ?? []).filter(this.#canPlay)
    await mapParallel(plans, { maxParallel: jobs, signal }, async plan => {
      if (!this.#isOver()) await this.#outcomeOf(plan)
    })
  }

  result(): Explored {
    const unproved = [...this.#outcomes].filter(([, { isConclusive }]) => !isConclusive)
    const [[name, { reason }] = ['', { reason: null }]] = unproved.sort(([one], [other]) =>
      one < other ? -1 : 1,
    )
    return {
      exploration: {
        troubles: this.#troublesOf('once').length,
        // Of a client that does not do the same again nothing is certain, least of all what a shorter plan covers.
        levels: this.#levels.map(it => ({ ...it, isComplete: it.isComplete && !this.#divergence })),
        runs: this.#runs,
        realWaits: this.#realWaits,
        schedules: !this.#outcomes.get('scheduled:undisturbed')?.ignoresDate,
        inconclusive: unproved.length,
        unproved: reason && `${name}: ${reason}`,
        divergence: this.#divergence,
        coverage: troubles.map(first => this.#coverageOf(first)),
        chances: Object.fromEntries(this.#chances),
      },
      causes: this.#causes,
      ended: this.#ended,
    }
  }

  /** What `coverage` has of plans that begin with this trouble. */
  #coverageOf(first: Trouble): string {
    const alone = modes.map(mode => this.#letter(mode, [first]))
    return [...alone, ...troubles.map(second => this.#letter('once', [first, second]))].join('')
  }

  /** How a plan of one or two troubles ended. */
  #letter(mode: Mode, them: readonly Trouble[]): string {
    const outcome = this.#outcomes.get(planName({ mode, troubles: them }))
    if (!outcome) {
      const shorter = this.#outcomes.get(planName({ mode, troubles: them.slice(0, -1) }))
      return them.length > 1 && shorter?.isReached === false ? 'c' : '-'
    }
    if (!outcome.isConclusive) return 'i'
    const gravities = [...outcome.causes.values()]
    return gravities.includes('error') ? 'f' : gravities.includes('warning') ? 'w' : 'p'
  }

  /** @returns the plans after whose last trouble an attempt came */
  async #playLevel(depth: number, some: readonly Plan[], count = some.length): Promise<Plan[]> {
    const { jobs, signal, onProgress } = this.#options
    const plans = some.toSorted((one, other) => dangerOf(other) - dangerOf(one))
    let played = 0
    let failed = 0
    const again: Plan[] = []
    const stop = new AbortController()
    const ending = AbortSignal.any([signal, stop.signal])
    const results = await mapParallel(plans, { maxParallel: jobs, signal: ending }, async plan => {
      if (this.#isOver()) {
        stop.abort()
        return undefined
      }
      const outcome = await this.#outcomeOf(plan).catch(error => {
        if (!signal.aborted) throw error
      })
      if (signal.aborted || !outcome) return undefined
      played++
      if ([...outcome.causes.values()].includes('error')) failed++
      if (!outcome.isConclusive) again.push(plan)
      onProgress({ depth, done: played, all: plans.length, causes: outcome.causes })
      return {
        plan,
        isReached: outcome.isReached,
        outcome: this.#isOther(plan, outcome) ? outcome : undefined,
      }
    })
    const ends = results.filter(it => it !== undefined)
    // The first one of the plans, and not of the runs, whose order depends on how many there are at a time.
    for (const { plan, outcome } of ends)
      if (outcome && !this.#isLate()) this.#divergence ??= await this.#divergenceOf(plan, outcome)
    let inconclusive = 0
    for (const plan of again)
      if (this.#isOver() || !(await this.#outcomeOf(plan, true)).isConclusive) inconclusive++
    const isWholeBefore = this.#levels.every(({ isComplete }) => isComplete)
    const inAll = countPlans(depth, this.#player.isKillable)
    this.#levels.push({
      depth,
      plans: inAll,
      played,
      covered: isWholeBefore ? inAll - count : null,
      failed,
      isComplete: isWholeBefore && played - inconclusive === count,
    })
    return ends.filter(({ isReached }) => isReached).map(({ plan }) => plan)
  }

  /** Different plans with one trouble more, drawn from the seed. There are too many to make them all. */
  #draw(parents: readonly Plan[], depth: number): Plan[] {
    const { seed, sample } = this.#options
    const chance = seededChance(seed, 'explore')
    const positions = new Set<number>()
    const kinds = this.#troublesOf('once')
    for (let nth = 0; positions.size < sample; nth++)
      positions.add(Math.floor(chance.fraction(depth, nth) * parents.length * kinds.length))
    return [...positions].map(at =>
      extended(parents[Math.floor(at / kinds.length)]!, kinds[at % kinds.length]!),
    )
  }

  readonly #troublesOf = (mode: Mode) => troublesOf(mode, this.#player.isKillable)

  /** What cannot be killed would go on beside its next start. */
  readonly #canPlay = ({ troubles: them }: Plan) =>
    this.#player.isKillable || !them.some(({ kills }) => kills)

  #isOver(): boolean {
    if (this.#isInterrupted) this.#ended ??= 'it was interrupted'
    else if (this.#options.isOver())
      this.#ended ??=
        this.#runs === 0 || this.#player.isExact || !this.#options.isOver(2)
          ? 'the budget is used up'
          : 'the budget is used up, and one run took longer than all of it; a shorter --timeout ends a client that hangs'
    return this.#ended !== undefined
  }

  /** Whether there is no time left to make plans smaller and to repeat them: as long again as the budget. */
  readonly #isLate = () => this.#isInterrupted || this.#options.isOver(2)

  async #play(plan: Plan, speed?: number, isKept = false): Promise<PlanRun> {
    const exam = caseOfPlan(plan, this.#options.synchronizationId)
    const play = await this.#player.play(exam, speed, isKept)
    return toPlanRun(plan, play, this.#player.isExact)
  }

  /** @param isAgain whether it is played once more, alone, since it was inconclusive */
  async #outcomeOf(plan: Plan, isAgain = false): Promise<Outcome> {
    const name = planName(plan)
    const before = isAgain ? undefined : this.#outcomes.get(name)
    if (before) return before
    const { result, troubles: met, ...outcome } = await this.#play(plan)
    if (this.#isInterrupted) return outcome
    if (!isAgain) this.#runs++
    if (!isAgain && outcome.hasRealWait) this.#realWaits++
    // Of what is drawn from too many plans nothing is compared later: this keeps memory small.
    const isKept = plan.troubles.length <= 2 || outcome.causes.size > 0 || !outcome.isConclusive
    if (isKept) this.#outcomes.set(name, outcome)
    else this.#outcomes.delete(name)
    for (const rule of outcome.causes.keys())
      if (plan.troubles.length < (this.#shown.get(rule)?.plan.troubles.length ?? Number.POSITIVE_INFINITY))
        this.#shown.set(rule, { plan, result })
    if (!isAgain)
      for (const rule of chancesOf(plan.mode, met)) this.#chances.set(rule, this.#chances.get(rule)! + 1)
    return outcome
  }

  /** Plays plans twice in which a client waits and draws random numbers often. */
  async #repeat(): Promise<void> {
    for (const name of ['undisturbed', '500-7-times-nothing']) {
      const plan = planOfName(name)!
      this.#compare(plan, [await this.#outcomeOf(plan), await this.#play(plan)])
    }
  }

  #compare(plan: Plan, [one, ...others]: readonly Outcome[]): void {
    const other = others.find(({ trace }) => trace.join('\n') !== one!.trace.join('\n'))
    const name = planName(plan)
    // A client that was stopped has made fewer attempts.
    if (other && !this.#isInterrupted)
      this.#divergence ??= { plan: name, longer: name, runs: [[...one!.trace], [...other.trace]] }
  }

  /** Whether a plan began otherwise than the shorter one did. */
  #isOther(plan: Plan, longer: Outcome): boolean {
    const parent = shortened(plan)
    const shorter = this.#outcomes.get(planName(parent))
    const isTimed = !this.#player.isExact && parent.troubles.some(it => it.isOpenEnded)
    return plan.troubles.length > 0 && shorter !== undefined && !isTimed && differ(shorter, longer)
  }

  /** In real time a difference counts only if it shows again with nothing beside it: among others a client may be late. */
  async #divergenceOf(plan: Plan, longer: Outcome): Promise<Exploration['divergence']> {
    const parent = shortened(plan)
    const [one, other] = this.#player.isExact
      ? ([this.#outcomes.get(planName(parent))!, longer] as const)
      : ([await this.#play(parent), await this.#play(plan)] as const)
    if (!differ(one, other) || this.#isInterrupted) return null
    const runs = [one, other].map(it => [...beginning(one, it)])
    return { plan: planName(parent), longer: planName(plan), runs }
  }

  /**
   * One group for each rule and smallest plan. If no repetition of that plan shows it again, what the larger plans show
   * is looked at without it.
   */
  async #group(): Promise<void> {
    const groups = new Map<string, Cause>()
    for (let gone = -1; gone !== this.#gone.size; ) {
      gone = this.#gone.size
      for (const [key, { rule, plan, found }] of await this.#smallestPlans()) {
        if (this.#isLate()) break
        const cause = groups.get(key) ?? (await this.#confirm(rule, plan, found))
        if (this.#isInterrupted) break
        groups.set(key, { ...cause, plan: { ...cause.plan!, found } })
        if (cause.plan!.confirmed === 0) this.#gone.add(key)
      }
      this.#smallest.clear()
    }
    this.#causes.push(...groups.values())
    const isGrouped = (rule: string) => this.#causes.some(it => it.rule === rule)
    if (this.#isLate())
      for (const [rule, { plan, result }] of this.#shown)
        if (!isGrouped(rule)) this.#causes.push(this.#causeOf(rule, plan, { result }))
  }

  /** The smallest plan of each plan and rule that it breaks, with the number of plans that lead to it. */
  async #smallestPlans() {
    const counts = new Map<string, { rule: string; plan: Plan; found: number }>()
    for (const [name, { causes }] of [...this.#outcomes])
      for (const rule of causes.keys()) {
        if (this.#gone.has(`${rule} ${name}`)) continue
        const plan = await this.#shrink(planOfName(name)!, rule)
        const key = `${rule} ${planName(plan)}`
        counts.set(key, { rule, plan, found: (counts.get(key)?.found ?? 0) + 1 })
      }
    return counts
  }

  /** The smallest plan that breaks the same rule: without each trouble first, then with weaker ones. */
  async #shrink(plan: Plan, rule: string): Promise<Plan> {
    const key = `${rule} ${planName(plan)}`
    const before = this.#smallest.get(key)
    if (before) return before
    let smallest = plan
    for (const smaller of this.#options.only ? [] : smallerPlans(plan)) {
      if (!this.#canPlay(smaller)) continue
      if (this.#isLate()) break
      const isGone = this.#gone.has(`${rule} ${planName(smaller)}`)
      if (isGone || !(await this.#outcomeOf(smaller)).causes.has(rule)) continue
      smallest = await this.#shrink(smaller, rule)
      break
    }
    this.#smallest.set(key, smallest)
    return smallest
  }

  /** Plays the smallest plan of a mistake again: also at real speed, if it is over soon, where pauses are not exact otherwise. */
  async #confirm(rule: string, plan: Plan, found: number): Promise<Cause> {
    const runs: PlanRun[] = []
    for (let nth = 0; nth < confirmations; nth++) {
      // The capsule is of the run that is shown.
      const isShown = runs.some(({ causes }) => causes.has(rule))
      runs.push(await this.#play(plan, undefined, !isShown))
    }
    const confirming = runs.filter(({ causes }) => causes.has(rule))
    const { result } = confirming[0] ?? runs[0]!
    if (this.#player.isExact) this.#compare(plan, [this.#outcomes.get(planName(plan))!, ...runs])
    const shown = { result, found, confirmed: confirming.length, speed: this.#options.speed }
    const isShort = (result.attempts.at(-1)?.at ?? 0) < realSpeedLimit
    if (shown.confirmed === confirmations || shown.speed === 1 || !isShort)
      return this.#causeOf(rule, plan, shown)
    const slow = await this.#play(plan, 1, true)
    if (!slow.causes.has(rule)) return this.#causeOf(rule, plan, shown)
    return this.#causeOf(rule, plan, { ...shown, result: slow.result, confirmed: confirmations, speed: 1 })
  }

  /** @param showing a run, and how many plans and repetitions showed the same, as far as that is known */
  #causeOf(
    rule: string,
    plan: Plan,
    showing: {
      readonly result: CaseResult
      readonly found?: number
      readonly confirmed?: number
      readonly speed?: number
    },
  ): Cause {
    const { result, found = 1, confirmed = null, speed = this.#options.speed } = showing
    return {
      rule,
      // What never shows again is told, and not held against the client.
      severity: confirmed === 0 ? 'information' : this.#outcomes.get(planName(plan))!.causes.get(rule)!,
      finding: result.findings.find(it => it.rule === rule && it.status === 'guilty') ?? goneFinding(rule),
      case: result,
      cases: [],
      plan: {
        name: planName(plan),
        troubles: plan.troubles.map(({ name }) => name),
        found,
        confirmed,
        isFlaky: confirmed !== null && confirmed < confirmations,
        speed,
        scenario: scenarioOfPlan(plan),
      },
    }
  }
}

const shortened = (plan: Plan): Plan => ({ ...plan, troubles: plan.troubles.slice(0, -1) })

/** The attempts of a run that are the same in every plan that begins with the shorter one. */
const beginning = (shorter: Outcome, { trace }: Outcome) => trace.slice(0, shorter.met + 1)

const differ = (shorter: Outcome, longer: Outcome) =>
  beginning(shorter, shorter).join('\n') !== beginning(shorter, longer).join('\n')

const confirmations = 3
/** Seconds up to which a plan is repeated at real speed. */
const realSpeedLimit = 60

const goneFinding = (rule: string): CaseFinding => ({
  rule,
  severity: 'information',
  status: 'open',
  sentence: 'It was found once, and no repetition of the same plan showed it again.',
  clause: null,
  remedy: 'Find out what differs between two runs of the client.',
  evidence: [],
  times: 1,
})

/** Plans with a trouble less, then with one replaced by a weaker one, the smallest first. */
function* smallerPlans({ mode, troubles: them }: Plan): Iterable<Plan> {
  for (const at of them.keys()) yield { mode, troubles: them.toSpliced(at, 1) }
  if (mode !== 'once') yield { mode: 'once', troubles: them }
  for (const [at, it] of them.entries())
    for (const weaker of troublesOf(mode).slice(0, rankOf(it)))
      if (rankOf(weaker) < rankOf(it)) yield { mode, troubles: them.with(at, weaker) }
}

/** The rules that could have been broken where these troubles were met. */
export function chancesOf(mode: Mode, met: readonly Trouble[]): ReadonlySet<string> {
  return new Set([
    'R20',
    'R21',
    ...(mode === 'two-mailings' ? ['R19'] : []),
    ...(mode === 'scheduled' && met.length > 0 ? ['R13'] : []),
    ...met.flatMap(it => it.chances),
  ])
}
