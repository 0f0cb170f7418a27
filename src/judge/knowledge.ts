import type { Attempt } from './evidence.ts'
import { type Meaning, meantFor } from './hearing.ts'
import { grouped } from './order.ts'

/**
 * How sure it is that a client received an answer. `proved`: it used the connection again, or an ID that stood only
 * there. `handed`: it left whole. `unknown`: it left whole, but perhaps just as the client gave up. `none`: it did not
 * leave whole.
 */
export type Receipt = 'proved' | 'handed' | 'unknown' | 'none'

/** After so many milliseconds a client may have given up in the very moment in which its answer left. */
const patience = { real: 250, clock: 1_000 }
/** On a fast clock clients shorten their time limits: few are below so many milliseconds of it, none below so many real. */
const hurry = { clock: 5_000, real: 10 }
/** Milliseconds that a request may have been on its way while the answer to another one left. */
const underWay = 20
/** Milliseconds for which every client that keeps its connections keeps an idle one. */
const idle = 4_000

/** What the client knew, and when. */
export class Knowledge {
  readonly #receipts = new Map<Attempt, Receipt>()
  /** Milliseconds of real time within which an answer left too early for anybody's time limit. */
  readonly #early: number
  /** Programs that use connections again, by what they call themselves. */
  readonly #keepers = new Set<string | undefined>()

  /**
   * @param attempts without those that are our own doing
   * @param rate seconds of the space's clock for each real one
   */
  constructor(attempts: readonly Attempt[], rate: number) {
    this.#early = rate > 1 ? Math.min(patience.real, Math.max(hurry.real, hurry.clock / rate)) : patience.real
    const lastOn = new Map<number, Attempt>()
    for (const attempt of attempts) {
      const before = lastOn.get(attempt.connection)
      if (before && attempt.connection !== 0 && isOver(before, attempt)) {
        this.#prove(before)
        this.#keepers.add(attempt.userAgent)
      }
      lastOn.set(attempt.connection, attempt)
    }
    this.#proveByUse(attempts)
  }

  receipt(attempt: Attempt): Receipt {
    return this.#receipts.get(attempt) ?? this.#unproved(attempt)
  }

  /** What the client knew of an answer when it made a later request; undefined for nothing that is sure. */
  heard(attempt: Attempt, later: Attempt): Meaning | undefined {
    return this.#isReceived(attempt, later) === true ? meantFor(attempt) : undefined
  }

  /** What the client may have known of an answer when it made a later request; undefined where it cannot have. */
  mayHaveHeard(attempt: Attempt, later: Attempt): Meaning | undefined {
    return this.#isReceived(attempt, later) === false ? undefined : meantFor(attempt)
  }

  /** Whether an answer left so long ago that no client can have missed it, nor any before it that left at once. */
  isSettled({ ended }: Attempt, later: Attempt): boolean {
    return ended !== undefined && later.arrived.real - ended.real >= idle + patience.real
  }

  /** What the client knows of an answer at its end; undefined for nothing. */
  known(attempt: Attempt): Meaning | undefined {
    const receipt = this.receipt(attempt)
    return receipt === 'proved' || receipt === 'handed' ? meantFor(attempt) : undefined
  }

  /** Undefined where nobody can say. */
  #isReceived(attempt: Attempt, later: Attempt): boolean | undefined {
    const receipt = this.receipt(attempt)
    if (receipt === 'none' || !isOver(attempt, later)) return false
    if (receipt === 'unknown') return undefined
    return receipt === 'handed' && this.#mayHaveMissed(attempt, later) ? undefined : true
  }

  /** Whether the later request may have left before the answer came, or because it did not come. */
  #mayHaveMissed({ connection, ended, userAgent }: Attempt, later: Attempt): boolean {
    if (connection === 0 || connection === later.connection) return false
    const passed = later.arrived.real - ended!.real
    // Whoever keeps connections and yet makes a new one has thrown the first away: it may have given up.
    const isNew = later.position === 1 && this.#keepers.has(userAgent)
    return passed < (isNew ? idle : underWay)
  }

  #unproved({ delivered, ended, arrived, connection }: Attempt): Receipt {
    if (delivered !== 'handed' || !ended) return 'none'
    const isLong =
      connection === 0
        ? ended.clock - arrived.clock >= patience.clock
        : ended.real - arrived.real >= this.#early
    return isLong ? 'unknown' : 'handed'
  }

  #prove(attempt: Attempt): void {
    if (attempt.delivered === 'handed') this.#receipts.set(attempt, 'proved')
  }

  /** Whoever asks for a sending by its ID has read that ID, and if only one answer had it, that answer. */
  #proveByUse(attempts: readonly Attempt[]): void {
    const reads = attempts.filter(isReadOfOne)
    if (reads.length === 0) return
    const asked = new Set(reads.map(sendingAsked))
    const isTeller = ({ told }: Attempt) => told?.sendingId !== undefined && asked.has(told.sendingId)
    const tellers = grouped(attempts.filter(isTeller), ({ told }) => told?.sendingId)
    let firstList = Number.POSITIVE_INFINITY
    for (const { operation, ended } of attempts)
      if (operation === 'listSendings' && ended) firstList = Math.min(firstList, ended.real)
    for (const read of reads) {
      if (firstList <= read.arrived.real) continue
      const told = tellers.get(sendingAsked(read) ?? '') ?? []
      const first = told.find(it => isOver(it, read))
      if (first && !told.some(it => it !== first && isOver(it, read))) this.#prove(first)
    }
  }
}

const isReadOfOne = ({ operation }: Attempt) =>
  operation === 'getSending' || operation === 'getSendingStatistics'

/** ID of the sending that a request reads. */
const sendingAsked = ({ target }: Attempt) => /\/sendings\/([^/?]+)/.exec(target)?.[1]

/** Whether an exchange had come to its end before a request came. */
export const isOver = ({ ended }: Attempt, later: Attempt): boolean =>
  ended !== undefined && ended.real <= later.arrived.real
