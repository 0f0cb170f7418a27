import { setMaxListeners } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { seededChance } from '../../rig/chance.ts'
import { getOrMake } from '../../store/maps.ts'
import { mapParallel } from '../../store/parallel.ts'
import type { CaseHost } from '../exam/case-host.ts'
import {
  brokenClient,
  type CaseFinding,
  type CaseResult,
  caseResult,
  findingShape,
} from '../exam/exam-result.ts'
import { type CaseRun, playCase } from '../exam/run-case.ts'
import { type DelayMeter, withoutTiming } from '../exam/timing.ts'
import { rules } from '../rules/registry.ts'
import { severities } from '../terms.ts'
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
  planWords,
  rankOf,
  scenarioOfPlan,
  type Trouble,
  troubles,
  troublesOf,
} from './plans.ts'
import type { LetTimePass } from './virtual-time.ts'

const count = z.int().nonnegative()

const level = z.strictObject({
  depth: count.describe('Troubles of each plan'),
  plans: count.describe('Plans of this depth in all'),
  played: count.describe('Plans that were played, each a distinct run'),
  covered: count
    .nullable()
    .describe(
      'Plans whose later troubles the client never reaches, so that a shorter one that was played shows the same; null if that is not known',
    ),
  isComplete: z
    .boolean()
    .describe('Whether every plan of this depth is covered, or was played and proved something'),
})

const group = z.strictObject({
  rule: z.string().describe('ID of a rule of conduct, or name of what the exam finds by itself'),
  severity: findingShape.shape.severity,
  plan: z.string().describe('Name of the smallest plan in which it shows'),
  words: z.string().describe('The same in words'),
  troubles: z.array(z.string()).describe('Names of its troubles, one for each attempt in turn'),
  finding: findingShape,
  found: count.describe('Plans played that show the same'),
  confirmed: z
    .int()
    .min(0)
    .max(3)
    .nullable()
    .describe(
      'How many of three repetitions showed it again; null if it ended before, and the plan may not be the smallest',
    ),
  isFlaky: z.boolean().describe('Whether a repetition did not show it'),
  scenario: z.record(z.string(), z.unknown()).describe('The plan as a scenario file, with what to expect'),
  case: caseResult.describe('What happened, request by request'),
  reproduce: z.string().nullable().describe('A command line that plays exactly this plan'),
})

export const explorationResult = z.strictObject({
  version: z.literal(1).describe('Of this form'),
  client: z.string(),
  seed: z.int(),
  depth: z.int(),
  troubles: count.describe('Kinds of trouble'),
  levels: z.array(level),
  runs: count.describe(
    'Plans that were played in all, also to make another one smaller, without repetitions',
  ),
  inconclusive: count.describe(
    'Plans that proved nothing, also when played alone: the client was still pausing at its time limit, or this machine was late',
  ),
  isWhole: z.boolean().describe('Whether neither the budget nor an interruption ended it'),
  ended: z.string().nullable().describe('What ended it early'),
  divergence: z
    .strictObject({ plan: z.string(), longer: z.string(), runs: z.array(z.array(z.string())).length(2) })
    .nullable()
    .describe('Two runs that should begin alike and do not: the client is not deterministic'),
  coverage: z
    .array(z.string())
    .describe(
      'A line for each kind of trouble at the first attempt: a letter for it alone, then one for each kind at the second attempt. p: passed, w: warning, f: failed, i: inconclusive, c: covered, -: not played',
    ),
  chances: z
    .record(z.string(), count)
    .describe('Number of runs in which each rule of conduct could have been broken'),
  groups: z.array(group).describe('What was found, by cause, the most serious first'),
  isPassed: z
    .boolean()
    .describe('Whether plans were played, all of them proved something, and no error was found'),
})

/** docs/explore.schema.json. */
export const explorationJsonSchema = () => ({
  title: 'Result of an exploration of mailing-sync-mock',
  ...z.toJSONSchema(explorationResult),
})

export type ExplorationResult = z.infer<typeof explorationResult>
export type FindingGroup = ExplorationResult['groups'][number]

/** What a plan is played with. The limit is on the clock that is in force. */
export interface PlayerOptions extends Omit<CaseRun, 'reproduce' | 'startDelayMeter'> {
  readonly host: CaseHost
  readonly synchronizationId: string
  readonly reproduce?: ((plan: Plan) => string) | undefined
  readonly delayMeter: DelayMeter
  /** Whether runs happen in time that nothing disturbs, so that their times can be compared. */
  readonly isExact: boolean
  readonly during: LetTimePass
}

/** Plays plans, as many at a time as it is asked to. @throws CommandError, UserError */
export interface PlanPlayer extends Pick<PlayerOptions, 'isExact'> {
  play(plan: Plan): Promise<PlanRun>
}

/** Plays plans, each in a space of its own. @throws CommandError */
export function planPlayer(options: PlayerOptions): PlanPlayer {
  let played = 0
  const { isExact, during } = options
  return { isExact, play: plan => during(() => playPlan(plan, ++played, options)) }
}

/** @param number of the run, from 1 */
async function playPlan(plan: Plan, number: number, options: PlayerOptions) {
  const { host, directory, isExact, delayMeter, reproduce } = options
  const exam = caseOfPlan(plan, options.synchronizationId)
  // With the same name the same IDs are drawn, so that runs can be compared.
  const tag = isExact ? 'explored' : `explored-${number}`
  const store = mkdtempSync(join(directory, 'run-'))
  try {
    const run = { ...options, directory: store, reproduce: reproduce?.(plan), startDelayMeter: delayMeter }
    const { result: shown, doubt, hits: known } = await playCase(exam, tag, host, run)
    const result = doubt ? withoutTiming(shown, doubt) : shown
    const hits = known ?? [result.attempts.length]
    const met = hits.slice(0, -1)
    return {
      result,
      /** The rules that were certainly broken, with their severity. */
      causes: causesOf(result.findings),
      /** Whether it says something about the client. */
      isConclusive: result.status !== 'inconclusive',
      /** Whether an attempt came after the last trouble. */
      isReached: hits.at(-1)! > 0,
      /** When each attempt came, and which transaction ID it had. */
      trace: traceOf(result, isExact),
      /** Number of attempts that met the troubles. */
      met: met.reduce((sum, hits) => sum + hits, 0),
      /** Those that an attempt met. */
      troubles: plan.troubles.filter((_, at) => met[at]! > 0),
    }
  } finally {
    // Asynchronous calls wait for a thread, which takes longer than a run.
    rmSync(store, { recursive: true, force: true, maxRetries: 3 })
  }
}

export type PlanRun = Readonly<Awaited<ReturnType<typeof playPlan>>>

/** What is kept of a run. */
type Outcome = Omit<PlanRun, 'result' | 'troubles'>

const conductRules: ReadonlySet<string> = new Set(rules.map(({ id }) => id))

/** What is certain. What the exam finds by itself is a consequence where a rule of conduct was broken, too. */
function causesOf(findings: readonly CaseFinding[]): ReadonlyMap<string, CaseFinding['severity']> {
  const certain = findings.filter(({ status }) => status === 'guilty')
  const isConduct = certain.some(({ rule, severity }) => severity === 'error' && conductRules.has(rule))
  const causes = certain.filter(({ rule }) => !isConduct || conductRules.has(rule))
  return new Map(causes.map(({ rule, severity }) => [rule, severity]))
}

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
  readonly client: string
  readonly depth: number
  /** Source of IDs, chances and samples. */
  readonly seed: number
  /** Maximum number of plans that are played of each depth from 3 on. */
  readonly sample: number
  /** Plans at a time. */
  readonly jobs: number
  readonly isStrict: boolean
  readonly signal: AbortSignal
  /** Whether the time for exploring is over; with a number, whether it is over that many times. */
  readonly isOver: (times?: number) => boolean
  readonly first: readonly string[]
  /** Names of the only plans that are played, without making them smaller; undefined for all. */
  readonly only?: readonly string[] | undefined
  /** A command line that plays only this plan. */
  readonly reproduce?: ((plan: Plan) => string) | undefined
  readonly onProgress?: ((progress: ExploreProgress) => void) | undefined
}

export interface ExploreProgress {
  readonly depth: number
  readonly played: number
  /** Plans of this depth that will be played. */
  readonly all: number
  readonly failed: number
}

/**
 * Plays plans of more and more troubles, the most dangerous ones first. The tree of plans grows from what the client does:
 * a plan is continued only if the client made another attempt after its last trouble.
 * @throws CommandError
 */
export async function explorePlans(
  player: PlanPlayer,
  options: ExplorationOptions,
): Promise<ExplorationResult> {
  // Every run listens to it.
  setMaxListeners(0, options.signal)
  const exploration = new Exploration(player, options)
  await exploration.run()
  return exploration.result()
}

class Exploration {
  readonly #player: PlanPlayer
  readonly #options: ExplorationOptions
  readonly #outcomes = new Map<string, Outcome>()
  readonly #levels: ExplorationResult['levels'] = []
  readonly #chances = new Map<string, number>(rules.map(({ id }) => [id, 0]))
  readonly #smallest = new Map<string, Plan>()
  /** Rules and plans that no repetition showed again. */
  readonly #gone = new Set<string>()
  /** For each rule that was broken the run with the fewest troubles. */
  readonly #shown = new Map<string, { readonly plan: Plan; readonly result: CaseResult }>()
  readonly #groups: FindingGroup[] = []
  #runs = 0
  #ended: string | undefined
  #divergence: ExplorationResult['divergence'] = null

  constructor(player: PlanPlayer, options: ExplorationOptions) {
    this.#player = player
    this.#options = options
  }

  async run(): Promise<void> {
    try {
      await this.#play()
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

  async #play(): Promise<void> {
    const { depth, first, only } = this.#options
    for (const name of only ?? first) {
      const plan = planOfName(name)
      if (plan && !this.#isOver()) await this.#outcomeOf(plan)
    }
    if (only) return
    let parents: readonly Plan[] = await this.#playLevel(
      0,
      modes.map(mode => ({ mode, troubles: [] })),
    )
    const start = this.#outcomes.get('undisturbed')
    const failure = start && [...start.causes.keys()].find(rule => brokenClient.has(rule))
    if (failure !== undefined)
      this.#ended = `the client fails without any trouble (${failure}): nothing else was played`
    if (depth > 0 && !this.#isOver()) await this.#repeat()
    for (let at = 1; at <= depth && !this.#isOver(); at++) {
      const next = parents.filter(({ mode }) => at <= depthOf(mode, depth))
      const count = next.reduce((sum, { mode }) => sum + troublesOf(mode).length, 0)
      const plans =
        at > 2 && count > this.#options.sample
          ? this.#draw(next, at)
          : next.flatMap(plan => troublesOf(plan.mode).map(it => extended(plan, it)))
      parents = await this.#playLevel(at, plans, count)
    }
  }

  result(): ExplorationResult {
    const { client, seed, depth, isStrict } = this.#options
    const inconclusive = [...this.#outcomes.values()].filter(it => !it.isConclusive).length
    const bad: readonly string[] = isStrict ? ['error', 'warning'] : ['error']
    return {
      version: 1,
      client,
      seed,
      depth,
      troubles: troubles.length,
      // Of a client that does not do the same again nothing is certain, least of all what a shorter plan covers.
      levels: this.#levels.map(it => ({ ...it, isComplete: it.isComplete && !this.#divergence })),
      runs: this.#runs,
      inconclusive,
      isWhole: this.#ended === undefined,
      ended: this.#ended ?? null,
      divergence: this.#divergence,
      coverage: troubles.map(first =>
        [[first], ...troubles.map(second => [first, second])].map(them => this.#letter(them)).join(''),
      ),
      chances: Object.fromEntries(this.#chances),
      groups: this.#groups,
      isPassed:
        this.#runs > 0 &&
        inconclusive === 0 &&
        !this.#groups.some(({ severity }) => bad.includes(severity)) &&
        !this.#isInterrupted,
    }
  }

  /** How a plan of one or two troubles ended. */
  #letter(them: readonly Trouble[]): string {
    const outcome = this.#outcomes.get(planName({ mode: 'once', troubles: them }))
    if (!outcome)
      return this.#outcomes.get(planName({ mode: 'once', troubles: them.slice(0, 1) }))?.isReached === false
        ? 'c'
        : '-'
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
      const divergence = await this.#divergenceOf(plan, outcome)
      onProgress?.({ depth, played, all: plans.length, failed })
      return { plan, isReached: outcome.isReached, divergence }
    })
    const ends = results.filter(it => it !== undefined)
    // The first one of the plans, and not of the runs, whose order depends on how many there are at a time.
    this.#divergence ??= ends.find(({ divergence }) => divergence)?.divergence ?? null
    let inconclusive = 0
    for (const plan of again)
      if (this.#isOver() || !(await this.#outcomeOf(plan, true)).isConclusive) inconclusive++
    const isWholeBefore = this.#levels.every(({ isComplete }) => isComplete)
    const inAll = depth === 0 ? modes.length : countPlans(depth)
    this.#levels.push({
      depth,
      plans: inAll,
      played,
      covered: isWholeBefore ? inAll - count : null,
      isComplete: isWholeBefore && played - inconclusive === count,
    })
    return ends.filter(({ isReached }) => isReached).map(({ plan }) => plan)
  }

  /** Different plans with one trouble more, drawn from the seed. There are too many to make them all. */
  #draw(parents: readonly Plan[], depth: number): Plan[] {
    const { seed, sample } = this.#options
    const chance = seededChance(seed, 'explore')
    const positions = new Set<number>()
    for (let nth = 0; positions.size < sample; nth++)
      positions.add(Math.floor(chance.fraction(depth, nth) * parents.length * troubles.length))
    return [...positions].map(at =>
      extended(parents[Math.floor(at / troubles.length)]!, troubles[at % troubles.length]!),
    )
  }

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

  /** @param isAgain whether it is played once more, alone, since it was inconclusive */
  async #outcomeOf(plan: Plan, isAgain = false): Promise<Outcome> {
    const name = planName(plan)
    const before = isAgain ? undefined : this.#outcomes.get(name)
    if (before) return before
    const { result, troubles: met, ...outcome } = await this.#player.play(plan)
    if (this.#isInterrupted) return outcome
    if (!isAgain) this.#runs++
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
      this.#compare(plan, [await this.#outcomeOf(plan), await this.#player.play(plan)])
    }
  }

  #compare(plan: Plan, [one, ...others]: readonly Outcome[]): void {
    const other = others.find(({ trace }) => trace.join('\n') !== one!.trace.join('\n'))
    const name = planName(plan)
    if (other) this.#divergence ??= { plan: name, longer: name, runs: [[...one!.trace], [...other.trace]] }
  }

  /** How a plan began otherwise than the shorter one did. In real time a difference counts only if it shows twice. */
  async #divergenceOf(plan: Plan, longer: Outcome): Promise<ExplorationResult['divergence']> {
    const parent = { ...plan, troubles: plan.troubles.slice(0, -1) }
    const shorter = this.#outcomes.get(planName(parent))
    const isTimed = !this.#player.isExact && parent.troubles.some(it => it.isOpenEnded)
    if (plan.troubles.length === 0 || !shorter || isTimed || !differ(shorter, longer)) return null
    const again = this.#player.isExact
      ? ([shorter, longer] as const)
      : ([await this.#player.play(parent), await this.#player.play(plan)] as const)
    if (!differ(...again) || this.#isInterrupted) return null
    const runs = [shorter, longer].map(it => [...beginning(shorter, it)])
    return { plan: planName(parent), longer: planName(plan), runs }
  }

  /**
   * One group for each rule and smallest plan. If no repetition of that plan shows it again, what the larger plans show
   * is looked at without it.
   */
  async #group(): Promise<void> {
    const groups = new Map<string, FindingGroup>()
    for (let gone = -1; gone !== this.#gone.size; ) {
      gone = this.#gone.size
      for (const [key, { rule, plan, found }] of await this.#smallestPlans()) {
        if (this.#isLate()) break
        const group = { ...(groups.get(key) ?? (await this.#confirm(rule, plan, found))), found }
        if (this.#isInterrupted) break
        groups.set(key, group)
        if (group.confirmed === 0) this.#gone.add(key)
      }
      this.#smallest.clear()
    }
    this.#groups.push(...groups.values())
    const isGrouped = (rule: string) => this.#groups.some(it => it.rule === rule)
    if (this.#isLate())
      for (const [rule, { plan, result }] of this.#shown)
        if (!isGrouped(rule)) this.#groups.push(this.#groupOf(rule, plan, { result }))
    this.#groups.sort(
      (one, other) =>
        severities.indexOf(one.severity) - severities.indexOf(other.severity) ||
        one.troubles.length - other.troubles.length ||
        other.found - one.found ||
        (`${one.rule} ${one.plan}` < `${other.rule} ${other.plan}` ? -1 : 1),
    )
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
      if (this.#isLate()) break
      const isGone = this.#gone.has(`${rule} ${planName(smaller)}`)
      if (isGone || !(await this.#outcomeOf(smaller)).causes.has(rule)) continue
      smallest = await this.#shrink(smaller, rule)
      break
    }
    this.#smallest.set(key, smallest)
    return smallest
  }

  async #confirm(rule: string, plan: Plan, found: number): Promise<FindingGroup> {
    const runs: PlanRun[] = []
    for (let nth = 0; nth < confirmations; nth++) runs.push(await this.#player.play(plan))
    const confirming = runs.filter(({ causes }) => causes.has(rule))
    const { result } = confirming[0] ?? runs[0]!
    if (this.#player.isExact) this.#compare(plan, [this.#outcomes.get(planName(plan))!, ...runs])
    return this.#groupOf(rule, plan, { result, found, confirmed: confirming.length })
  }

  /** @param showing a run, and how many plans and repetitions showed the same, as far as that is known */
  #groupOf(
    rule: string,
    plan: Plan,
    showing: { readonly result: CaseResult; readonly found?: number; readonly confirmed?: number },
  ): FindingGroup {
    const { result, found = 1, confirmed = null } = showing
    return {
      rule,
      // What never shows again is told, and not held against the client.
      severity: confirmed === 0 ? 'information' : this.#outcomes.get(planName(plan))!.causes.get(rule)!,
      plan: planName(plan),
      words: planWords(plan),
      troubles: plan.troubles.map(({ name }) => name),
      finding: result.findings.find(it => it.rule === rule && it.status === 'guilty') ?? goneFinding(rule),
      found,
      confirmed,
      isFlaky: confirmed !== null && confirmed < confirmations,
      scenario: scenarioOfPlan(plan),
      case: result,
      reproduce: this.#options.reproduce?.(plan) ?? null,
    }
  }
}

/** The attempts of a run that are the same in every plan that begins with the shorter one. */
const beginning = (shorter: Outcome, { trace }: Outcome) => trace.slice(0, shorter.met + 1)

const differ = (shorter: Outcome, longer: Outcome) =>
  beginning(shorter, shorter).join('\n') !== beginning(shorter, longer).join('\n')

const confirmations = 3

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

function chancesOf(mode: Mode, met: readonly Trouble[]): ReadonlySet<string> {
  return new Set([
    'R20',
    'R21',
    ...(mode === 'two-mailings' ? ['R19'] : []),
    ...(mode === 'scheduled' && met.length > 0 ? ['R13'] : []),
    ...met.flatMap(it => it.chances),
  ])
}
