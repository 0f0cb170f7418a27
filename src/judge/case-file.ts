import type { ClientEnd } from './end.ts'
import type { Attempt, Evidence } from './evidence.ts'
import { Knowledge } from './knowledge.ts'
import { type LogicalCase, sendingsIn } from './logical-sendings.ts'
import { isRead } from './looks.ts'
import { resendsIn } from './resends.ts'
import { type Switch, switchesIn } from './switches.ts'

/** The evidence put in order: what rules look at. */
export class CaseFile {
  readonly evidence: Evidence
  readonly end: ClientEnd | undefined
  readonly knowledge: Knowledge
  /** Requests of the client itself: second deliveries that are our own doing are left out. */
  readonly attempts: readonly Attempt[]
  /** Requests that a client's HTTP machinery sent again without being asked. */
  readonly resends: ReadonlySet<Attempt>
  readonly sendings: readonly LogicalCase[]
  /** Those that were asked for more than once. */
  readonly repeated: readonly LogicalCase[]
  readonly switches: readonly Switch[]

  constructor(evidence: Evidence, end: ClientEnd | undefined) {
    this.evidence = evidence
    this.end = end
    this.attempts = evidence.attempts.filter(({ twinOf }) => twinOf === undefined)
    this.knowledge = new Knowledge(this.attempts, evidence.rate)
    const creations = this.attempts.filter(it => isCreation(it) && it.asked.isWhole)
    this.resends = resendsIn(creations)
    this.sendings = sendingsIn(creations, evidence, this.knowledge, end && this.expected)
    this.repeated = this.sendings.filter(({ attempts }) => attempts.length > 1)
    this.switches = this.repeated.flatMap(sending => switchesIn(sending, this))
  }

  get expected(): number {
    return this.end?.expected ?? 1
  }

  /** Whether it is known that one worker made all requests, so that it knew whatever was told. */
  get hasOneWorker(): boolean {
    return this.end !== undefined && (this.end.workers ?? 1) === 1
  }

  /** Whether whoever made the later request was told what the earlier one was. */
  isSameWorker(earlier: Attempt, later: Attempt): boolean {
    return this.hasOneWorker || (earlier.connection !== 0 && earlier.connection === later.connection)
  }

  /** Whether every request is on record. */
  get isComplete(): boolean {
    return this.evidence.dropped === 0 && this.evidence.forgotten === 0
  }

  /** Whether the client was killed and started again between two requests. */
  isRestartBetween(earlier: Attempt, later: Attempt): boolean {
    return (this.end?.restarts ?? []).some(at => at > earlier.arrived.real && at <= later.arrived.real)
  }

  /**
   * Whether the client went on after a request: it read sendings, or asked for one in a request that did not come whole,
   * so that nobody knows for which.
   */
  wentOnAfter({ number }: Attempt): boolean {
    return this.attempts
      .slice(this.#after(number))
      .some(it => isRead(it) || (isCreation(it) && !it.asked.isWhole))
  }

  /** Other requests of the client between two of its requests, of this synchronization. */
  between(earlier: Attempt, later: Attempt): Attempt[] {
    return this.attempts
      .slice(this.#after(earlier.number), this.#after(later.number - 1))
      .filter(
        ({ synchronizationId }) =>
          synchronizationId === undefined || synchronizationId === earlier.synchronizationId,
      )
  }

  /** Index of the first attempt with a greater number. */
  #after(number: number): number {
    let low = 0
    let high = this.attempts.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if (this.attempts[middle]!.number <= number) low = middle + 1
      else high = middle
    }
    return low
  }
}

const isCreation = ({ operation }: Attempt) => operation === 'createSending'
