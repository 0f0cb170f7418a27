import { type DialName, type DialValues, dialNames, dials } from '../../service/dials.ts'
import { matchesGlob } from '../../store/glob.ts'
import { findNearest } from '../../store/validation-messages.ts'
import { type Clause, clauses } from '../clauses.ts'
import { CannotVerify } from './cannot-verify.ts'
import type { ClauseEntry } from './check.ts'
import { type Exchange, isSuccess } from './exchange.ts'
import { type ChoiceName, type Observed, type Outcome, type Seen, untestable } from './outcome.ts'
import { probe, readServiceAddress, relationPrefixOf } from './probe.ts'
import { registry } from './registry.ts'
import { requestLine, type ServiceAccess, Target, type TargetOptions, waitMilliseconds } from './target.ts'
import { readEverything, TargetReader } from './target-reader.ts'
import { type SendTo, TestData } from './test-data.ts'
import {
  type ClauseResult,
  type Status,
  statusMeanings,
  type VerifyResult,
  wasChecked,
} from './verify-result.ts'

/**
 * The clauses that match any of the patterns: `4.1` matches its whole section, `7/*` is a glob. All without patterns.
 * @throws CannotVerify for a pattern without a match
 */
export function chooseClauses(ids: readonly string[], patterns: readonly string[]): ReadonlySet<string> {
  if (patterns.length === 0) return new Set(ids)
  return new Set(
    patterns.flatMap(pattern => {
      const found = ids.filter(id => isChosen(id, pattern))
      if (found.length > 0) return found
      // A section with another number is no misspelt one.
      const near = findNearest(
        pattern,
        ids.filter(id => chapterOf(id) === chapterOf(pattern)),
      )
      throw new CannotVerify(
        `--filter ${JSON.stringify(pattern)} chooses no clause.${near === undefined ? '' : ` Did you mean ${JSON.stringify(near)}?`} verify --list shows all`,
      )
    }),
  )
}

const chapterOf = (id: string) => /^\w*/.exec(id)![0].toLowerCase()

function isChosen(id: string, pattern: string): boolean {
  if (pattern.includes('*')) return matchesGlob(pattern, id)
  return id === pattern || (id.startsWith(pattern) && /^[ /.]/.test(id.slice(pattern.length)))
}

/** The mock's settings with which the target is compared. */
export interface Expected {
  readonly dials: Partial<DialValues>
  readonly relationPrefix?: string | undefined
  readonly platformSegment?: string | undefined
  readonly publicUrl?: string | undefined
  readonly pagesUrl?: string | undefined
  readonly rateLimit?: number | undefined
}

const maxBodyLength = 2_000

/** The result of a clause before its check. */
const blankResult = ({ id, says, standing }: Clause, entry: ClauseEntry): ClauseResult => ({
  clause: id,
  says,
  standing,
  status: 'not run',
  looksAt: 'looksAt' in entry ? entry.looksAt : null,
  expected: null,
  seen: null,
  reason: null,
  see: null,
  turn: null,
  evidence: [],
})

/** The result of an outcome, by the clause's standing and the mock's dials. */
function weighOutcome(result: ClauseResult, outcome: Outcome, expected: Expected): ClauseResult {
  switch (outcome.is) {
    case 'holds':
      return { ...result, status: 'holds', reason: outcome.note ?? null }
    case 'untestable':
      return { ...result, status: 'not testable', reason: outcome.reason }
    case 'as':
      return { ...result, see: outcome.clause }
    case 'differs':
      return {
        ...result,
        status: isOurGuess(result) ? 'otherwise' : 'differs',
        ...differenceMembers(outcome),
      }
    case 'observed':
      return weighChoice(result, outcome, expected)
  }
}

const isDial = (choice: ChoiceName): choice is DialName => Object.hasOwn(dials, choice)

function weighChoice(result: ClauseResult, seen: Observed, expected: Expected): ClauseResult {
  const { choice, value } = seen
  const usual = isDial(choice) ? (expected.dials[choice] ?? dials[choice].default) : expected[choice]
  if (value === usual) return { ...result, status: 'holds' }
  const name = choice.replaceAll(/[A-Z]/g, it => `-${it.toLowerCase()}`)
  const turn = { name, value, isDial: isDial(choice) }
  return { ...result, status: 'otherwise', ...differenceMembers(seen), turn }
}

/** A difference from the document is a failure; a difference from our inference is not. */
const isOurGuess = ({ standing }: ClauseResult) => standing === 'house style' || standing === 'assumed'

const differenceMembers = (it: Seen) => ({
  expected: it.expected,
  seen: it.seen,
  evidence: it.evidence.map(shortenExchange),
})

function shortenExchange(it: Exchange): ClauseResult['evidence'][number] {
  const { number, method, url, requestHeaders, status, headers } = it
  const requestBody = it.requestBody === null ? null : cutText(it.requestBody)
  return { number, method, url, requestHeaders, status, headers, requestBody, body: cutText(it.text) }
}

const cutText = (text: string) => (text.length > maxBodyLength ? `${text.slice(0, maxBodyLength)}…` : text)

function followResults(result: ClauseResult, others: readonly ClauseResult[]): ClauseResult {
  const order: Status[] = ['differs', 'otherwise', 'not run', 'holds', 'skipped', 'not testable', 'outside']
  const [worst] = others.toSorted((a, b) => order.indexOf(a.status) - order.indexOf(b.status))
  const { status, clause, see, reason } = worst!
  const isTold = status === 'differs' || status === 'otherwise'
  return {
    ...result,
    status,
    see: isTold ? (see ?? clause) : null,
    reason: isTold || status === 'holds' ? `as ${others.map(it => it.clause).join(', ')}` : reason,
    turn: isTold ? worst!.turn : null,
  }
}

export interface VerifyOptions extends ServiceAccess {
  readonly allowWrites?: boolean
  /** A list to which mailings may really be sent. */
  readonly sendTo?: SendTo | undefined
  /** Clauses by their IDs, sections or patterns; default all. */
  readonly filter?: readonly string[] | undefined
  /** Seed of the transaction IDs; default 1. */
  readonly seed?: number
  /** Milliseconds for each answer; default ten seconds. */
  readonly timeout?: number
  /** The settings of the mock with which the target is compared. */
  readonly expected?: Expected
  /** @param progress `now` is the clause that is checked */
  readonly onProgress?: (progress: { done: number; all: number; now: string }) => void
  /** Called with what will be created, before anything is. */
  readonly onAnnounce?: (lines: readonly string[]) => void
  /** Called before waits for a rate limit. */
  readonly onWait?: (seconds: number) => void
}

/**
 * Compares an implementation of the service with the clauses of its document. A run that ends early has a
 * result too, which says so and why.
 * @throws CannotVerify for unusable options
 */
export async function verify(options: VerifyOptions): Promise<VerifyResult> {
  return new VerifyRun(options).result()
}

const byClause = new Map(registry.map(entry => [entry.clause, entry]))

/** @throws Error for a clause that has been forgotten */
function entryOf(clause: string): ClauseEntry {
  const entry = byClause.get(clause)
  if (!entry) throw new Error(`the clause "${clause}" needs an entry in a file of src/contract/verify/`)
  return entry
}
/** Maximum time to put configurations back after an interruption. Milliseconds. */
const maxPutBack = 180_000

class VerifyRun {
  readonly #options: VerifyOptions
  readonly #chosen: ReadonlySet<string>
  readonly #segment: string
  readonly #signal: AbortSignal
  readonly #targetOptions: Omit<TargetOptions, 'signal'>
  readonly #target: Target
  readonly #results = new Map<string, ClauseResult>()
  readonly #observed = new Map<ChoiceName, string | number>()
  #reader: TargetReader | undefined
  #testData: TestData | undefined
  #broken: string | undefined

  /** @throws CannotVerify for unusable options */
  constructor(options: VerifyOptions) {
    const { base, platformSegment } = readServiceAddress(options)
    const ids = clauses.map(({ id }) => id)
    this.#options = options
    this.#chosen = chooseClauses(ids, options.filter ?? [])
    this.#segment = platformSegment
    this.#signal = options.signal ?? new AbortController().signal
    this.#targetOptions = { fetch, timeout: 10_000, wait: waitMilliseconds, ...options, base }
    this.#target = new Target({ ...this.#targetOptions, signal: this.#signal })
  }

  async result(): Promise<VerifyResult> {
    try {
      await this.#runAll()
    } catch (error) {
      this.#broken = this.#reason(error)
    }
    await this.#putBack()
    return this.#report()
  }

  async #runAll(): Promise<void> {
    this.#signal.throwIfAborted()
    const found = await probe(this.#target, this.#segment)
    this.#target.expectLater(Object.values(found).find(isSuccess)!)
    const prefix = relationPrefixOf(Object.values(found)) ?? 'svc'
    const reader = new TargetReader(this.#target, prefix, this.#segment, found)
    this.#reader = reader
    const { allowWrites, sendTo, onAnnounce, seed = 1 } = this.#options
    if (allowWrites) this.#testData = new TestData(reader, { seed, sendTo, announce: onAnnounce })
    await readEverything(reader)
    await this.#testData?.expectSendTo()
    // Writing checks come first, so that the reading checks see what was created.
    const wanted = registry.filter(({ clause }) => this.#chosen.has(clause))
    const isWriting = (it: ClauseEntry) => 'needsWrites' in it && it.needsWrites
    const order = [...wanted.filter(isWriting), ...wanted.filter(it => !isWriting(it))]
    for (const [done, { clause }] of order.entries()) {
      this.#options.onProgress?.({ done, all: order.length, now: clause })
      await this.#resultOnce(clause)
    }
    await this.#target.expectAlive()
    this.#target.expectWritten()
    this.#expectChecked()
  }

  /** @throws CannotVerify if no clause could be checked: a run that proves nothing is not faithful */
  #expectChecked(): void {
    const results = [...this.#results.values()]
    if (results.some(wasChecked)) return
    const reasons = [...new Set(results.map(it => it.reason))].join('; ')
    throw new CannotVerify(`none of the chosen clauses could be checked: ${reasons}`)
  }

  /** The result of a clause, which is checked when it is first asked for. */
  async #resultOnce(id: string): Promise<ClauseResult> {
    const known = this.#results.get(id) ?? (await this.#runCheck(id))
    this.#results.set(id, known)
    return known
  }

  async #runCheck(id: string): Promise<ClauseResult> {
    const entry = entryOf(id)
    const result = blankResult(clauses.find(it => it.id === id)!, entry)
    if ('outside' in entry) return { ...result, status: 'outside', reason: entry.outside }
    if ('follows' in entry) return followResults(result, await this.#all(entry.follows))
    if (entry.needsWrites && !this.#testData)
      return { ...result, status: 'skipped', reason: 'needs --allow-writes' }
    const outcome = this.#withinRights(await entry.look(this.#reader!, this.#testData))
    if (outcome.is === 'observed') this.#observed.set(outcome.choice, outcome.value)
    const judgement = weighOutcome(result, outcome, this.#options.expected ?? { dials: {} })
    return outcome.is === 'as' ? followResults(judgement, await this.#all([outcome.clause])) : judgement
  }

  /** What was only seen because the user may not write is no difference and no choice. */
  #withinRights(outcome: Outcome): Outcome {
    if (!('evidence' in outcome)) return outcome
    const forbidden = this.#target.forbiddenWrite(outcome.evidence)
    if (!forbidden) return outcome
    return untestable(`this user may not write: ${requestLine(forbidden)} was answered 403`)
  }

  async #all(ids: readonly string[]): Promise<ClauseResult[]> {
    const all: ClauseResult[] = []
    for (const id of ids) all.push(await this.#resultOnce(id))
    return all
  }

  #reason(error: unknown): string {
    if (this.#signal.aborted) return 'it was interrupted'
    if (error instanceof CannotVerify) return error.message
    return `a check broke, which is a defect of mailing-sync-mock: ${(error as Error).message}`
  }

  /** Also after an interruption, with a time limit of its own: the target may take no request for a while. */
  async #putBack(): Promise<void> {
    if (!this.#testData || !this.#signal.aborted) return this.#testData?.putBack()
    const signal = AbortSignal.timeout(maxPutBack)
    const options = { ...this.#targetOptions, signal }
    return this.#testData.putBack(new Target(options))
  }

  #report(): VerifyResult {
    const results = clauses.map(clause => this.#resultOf(clause))
    const count = (status: Status) => results.filter(it => it.status === status).length
    const hasFailed = results.some(it => it.status === 'differs')
    const [options, observed] = [this.#options, this.#observed]
    const rateLimit = observed.get('rateLimit')
    const turned = [...observed].filter(([name, value]) => isDial(name) && dials[name].default !== value)
    return {
      format: 1,
      verdict: this.#broken !== undefined ? 'incomplete' : hasFailed ? 'differs' : 'faithful',
      incomplete: this.#broken ?? null,
      target: {
        url: this.#target.base,
        platformSegment: this.#segment,
        relationPrefix: this.#reader?.prefix ?? null,
        user: options.user,
      },
      allowWrites: options.allowWrites ?? false,
      seed: options.seed ?? 1,
      filter: [...(options.filter ?? [])],
      requests: this.#target.exchanges.length,
      counts: Object.fromEntries(
        (Object.keys(statusMeanings) as Status[]).map(it => [it, count(it)]),
      ) as VerifyResult['counts'],
      clauses: results,
      created: [...(this.#testData?.created ?? [])],
      config: {
        ...(this.#reader && this.#reader.prefix !== 'svc' && { 'relation-prefix': this.#reader.prefix }),
        ...(this.#segment !== 'mailing-platform' && { 'platform-segment': this.#segment }),
        ...(rateLimit !== undefined && { 'rate-limit': Number(rateLimit) }),
        dial: Object.fromEntries(turned.map(([name, value]) => [name, String(value)])),
      },
      // A limit that is not a value of the dial was seen all the same.
      unseenDials: dialNames.filter(
        name => !observed.has(name) && !(name === 'rate-limit' && rateLimit !== undefined),
      ),
    }
  }

  #resultOf(clause: (typeof clauses)[number]): ClauseResult {
    const result = blankResult(clause, entryOf(clause.id))
    if (!this.#chosen.has(clause.id)) return { ...result, status: 'skipped', reason: 'left out by --filter' }
    return this.#results.get(clause.id) ?? { ...result, reason: 'verifying ended before it' }
  }
}
