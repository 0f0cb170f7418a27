import { clauses } from '../contract/clauses.ts'
import { type DialName, dialNames, dials } from '../service/dials.ts'
import { CannotVerify } from './cannot-verify.ts'
import type { Entry } from './check.ts'
import { chosenClauses } from './choice.ts'
import { entryOf, prefixOf, probe } from './entry.ts'
import { isSuccess } from './exchange.ts'
import { blank, type Expected, following, judged, observation } from './judgement.ts'
import { Lacking, type Outcome } from './outcome.ts'
import { registry } from './registry.ts'
import type { ClauseResult, Status, VerifyResult } from './result.ts'
import { statuses } from './result.ts'
import { survey } from './survey.ts'
import { type Fetch, Target } from './target.ts'
import { type SendTo, Workshop } from './workshop.ts'
import { World } from './world.ts'

export interface VerifyOptions {
  /** Of the service, or of anything in it. */
  readonly url: string
  readonly user: string
  readonly password: string
  /** Where `url` does not name it; `mailing-platform` unless given. */
  readonly platformSegment?: string
  readonly allowWrites?: boolean
  /** A list to which mailings may really go out. */
  readonly sendTo?: SendTo
  /** Clauses by their IDs, sections or patterns; all unless given. */
  readonly filter?: readonly string[]
  /** Where transaction IDs come from; 1 unless given. */
  readonly seed?: number
  /** Milliseconds for each answer; ten seconds unless given. */
  readonly timeout?: number
  /** How the mock stands that the target is compared with. */
  readonly expected?: Expected
  readonly fetch?: Fetch
  readonly wait?: (milliseconds: number, signal: AbortSignal) => Promise<void>
  readonly signal?: AbortSignal
  readonly onProgress?: (progress: VerifyProgress) => void
  /** Hears what will be created, before anything is. */
  readonly onAnnounce?: (lines: readonly string[]) => void
  /** Hears of waits that a limit of requests asks for. */
  readonly onWait?: (seconds: number) => void
}

export interface VerifyProgress {
  readonly done: number
  readonly all: number
  /** What is looked at now. */
  readonly now: string
}

/**
 * Holds an implementation of the service against the clauses of its document. A run that ends early has a result too,
 * which says so and why.
 * @throws CannotVerify for options that cannot be used
 */
export async function verify(options: VerifyOptions): Promise<VerifyResult> {
  const entry = entryOf(options.url)
  const ids = clauses.map(({ id }) => id)
  const run = new Run(options, entry, chosenClauses(ids, options.filter ?? []))
  return run.result()
}

const byClause = new Map(registry.map(entry => [entry.clause, entry]))
const aMinute = 60_000

class Run {
  readonly #options: VerifyOptions
  readonly #chosen: ReadonlySet<string>
  readonly #segment: string
  readonly #signal: AbortSignal
  readonly #target: Target
  readonly #results = new Map<string, ClauseResult>()
  readonly #started = new Map<string, Promise<ClauseResult>>()
  readonly #observed = new Map<DialName, string>()
  readonly #settings = new Map<string, string | number>()
  #world: World | undefined
  #workshop: Workshop | undefined
  #broken: string | undefined

  constructor(options: VerifyOptions, entry: ReturnType<typeof entryOf>, chosen: ReadonlySet<string>) {
    this.#options = options
    this.#chosen = chosen
    this.#segment = entry.platformSegment ?? options.platformSegment ?? 'mailing-platform'
    this.#signal = options.signal ?? new AbortController().signal
    this.#target = new Target({
      base: entry.base,
      user: options.user,
      password: options.password,
      fetch: options.fetch ?? fetch,
      timeout: options.timeout ?? 10_000,
      signal: this.#signal,
      wait: options.wait ?? patiently,
      ...(options.onWait && { onWait: options.onWait }),
    })
  }

  async result(): Promise<VerifyResult> {
    try {
      await this.#walk()
    } catch (error) {
      this.#broken = this.#reason(error)
    }
    if (this.#workshop && !(await this.#putBack()))
      this.#workshop.made.add('an accessible-lists configuration could not be put back: look at it yourself')
    return this.#told()
  }

  async #walk(): Promise<void> {
    this.#signal.throwIfAborted()
    const found = await probe(this.#target, this.#segment)
    this.#target.know(Object.values(found).find(isSuccess)!)
    const prefix = prefixOf(Object.values(found)) ?? 'svc'
    const world = new World({ target: this.#target, prefix, segment: this.#segment, probe: found })
    this.#world = world
    const { allowWrites, sendTo, onAnnounce, seed = 1 } = this.#options
    if (allowWrites) this.#workshop = new Workshop(world, { seed, sendTo, announce: onAnnounce })
    await survey(world)
    await this.#workshop?.expectSendTo()
    // What is created is looked at by the checks that only read.
    const wanted = registry.filter(({ clause }) => this.#chosen.has(clause))
    const isWriting = (it: Entry) => 'needsWrites' in it && it.needsWrites
    const order = [...wanted.filter(isWriting), ...wanted.filter(it => !isWriting(it))]
    for (const [done, { clause }] of order.entries()) {
      this.#options.onProgress?.({ done, all: order.length, now: clause })
      await this.#look(clause)
    }
    await this.#target.expectAlive()
  }

  #look(clause: string): Promise<ClauseResult> {
    let started = this.#started.get(clause)
    if (!started) {
      started = this.#looked(clause).then(result => {
        this.#results.set(clause, result)
        return result
      })
      this.#started.set(clause, started)
    }
    return started
  }

  async #looked(id: string): Promise<ClauseResult> {
    const entry = byClause.get(id)!
    const result = blank(clauses.find(it => it.id === id)!, entry)
    if ('outside' in entry) return { ...result, status: 'outside', reason: entry.outside }
    if ('follows' in entry) return following(result, await this.#all(entry.follows))
    if (entry.needsWrites && !this.#workshop)
      return { ...result, status: 'skipped', reason: 'it takes --allow-writes' }
    const outcome = await entry.look(this.#world!, this.#workshop).catch((error: unknown): Outcome => {
      if (error instanceof Lacking) return error.outcome
      throw error
    })
    this.#remember(outcome)
    const judgement = judged(result, outcome, this.#options.expected ?? { dials: {} })
    return outcome.is === 'as' ? following(judgement, await this.#all([outcome.clause])) : judgement
  }

  async #all(ids: readonly string[]): Promise<ClauseResult[]> {
    const all: ClauseResult[] = []
    for (const id of ids) all.push(await this.#look(id))
    return all
  }

  #remember(outcome: Outcome): void {
    const seen = observation(outcome)
    if (seen) this.#observed.set(...seen)
    if (outcome.is === 'set') this.#settings.set(outcome.setting, outcome.value)
  }

  #reason(error: unknown): string {
    if (this.#signal.aborted) return 'it was interrupted'
    if (error instanceof CannotVerify) return error.message
    return `a check broke, which is a defect of mailing-sync-mock: ${(error as Error).message}`
  }

  /** Also after an interruption, with a little time of its own. */
  async #putBack(): Promise<boolean> {
    const { fetch: ask = fetch, user, password, timeout = 10_000 } = this.#options
    if (!this.#signal.aborted) return this.#workshop!.close()
    const signal = AbortSignal.timeout(Math.min(timeout, aMinute))
    const target = new Target({
      base: this.#target.base,
      user,
      password,
      fetch: ask,
      timeout,
      signal,
      wait: patiently,
    })
    return this.#workshop!.close(target)
  }

  #told(): VerifyResult {
    const results = clauses.map(clause => this.#resultOf(clause))
    const count = (status: Status) => results.filter(it => it.status === status).length
    const hasFailed = results.some(it => it.status === 'differs')
    const { options, settings, observed } = {
      options: this.#options,
      settings: this.#settings,
      observed: this.#observed,
    }
    const turned = [...observed].filter(([name, value]) => dials[name].default !== value)
    return {
      format: 1,
      verdict: this.#broken !== undefined ? 'incomplete' : hasFailed ? 'differs' : 'faithful',
      incomplete: this.#broken ?? null,
      target: {
        url: this.#target.base,
        platformSegment: this.#segment,
        relationPrefix: this.#world?.prefix ?? null,
        user: options.user,
      },
      allowWrites: options.allowWrites ?? false,
      seed: options.seed ?? 1,
      filter: [...(options.filter ?? [])],
      requests: this.#target.exchanges.length,
      counts: Object.fromEntries(
        (Object.keys(statuses) as Status[]).map(it => [it, count(it)]),
      ) as VerifyResult['counts'],
      clauses: results,
      created: [...(this.#workshop?.made ?? [])],
      config: {
        ...(this.#world && this.#world.prefix !== 'svc' && { 'relation-prefix': this.#world.prefix }),
        ...(this.#segment !== 'mailing-platform' && { 'platform-segment': this.#segment }),
        ...(settings.has('rateLimit') && { 'rate-limit': Number(settings.get('rateLimit')) }),
        dial: Object.fromEntries(turned),
      },
      // A limit that is no value of the dial was seen all the same.
      unseenDials: dialNames.filter(
        name => !observed.has(name) && !(name === 'rate-limit' && settings.has('rateLimit')),
      ),
    }
  }

  #resultOf(clause: (typeof clauses)[number]): ClauseResult {
    const result = blank(clause, byClause.get(clause.id)!)
    if (!this.#chosen.has(clause.id)) return { ...result, status: 'skipped', reason: 'left out by --filter' }
    return this.#results.get(clause.id) ?? { ...result, reason: 'verifying ended before it' }
  }
}

const patiently = async (milliseconds: number, signal: AbortSignal): Promise<void> => {
  const { setTimeout } = await import('node:timers/promises')
  await setTimeout(milliseconds, undefined, { signal })
}
