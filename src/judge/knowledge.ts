import type { Attempt } from './evidence.ts'
import { type Meaning, meantFor } from './hearing.ts'

/**
 * How sure it is that a client received an answer. `proved`: it used the connection again, or an ID that stood only
 * there. `handed`: it left whole. `unknown`: it left whole, but perhaps just as the client gave up. `none`: it did not
 * leave whole.
 */
export type Receipt = 'proved' | 'handed' | 'unknown' | 'none'

/** After so many milliseconds a client may have given up in the very moment in which its answer left. */
const patience = { real: 250, clock: 1_000 }
/** Milliseconds that a request may have been on its way while the answer to another one left. */
const underWay = 20

/** What the client knew, and when. */
export class Knowledge {
  readonly #receipts = new Map<Attempt, Receipt>()

  /** @param attempts without those that are our own doing */
  constructor(attempts: readonly Attempt[]) {
    const lastOn = new Map<number, Attempt>()
    for (const attempt of attempts) {
      const before = lastOn.get(attempt.connection)
      if (before && attempt.connection !== 0 && isOver(before, attempt)) this.#prove(before)
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
    const isClose =
      attempt.connection !== 0 &&
      attempt.connection !== later.connection &&
      later.arrived.real - attempt.ended!.real < underWay
    return receipt === 'handed' && isClose ? undefined : true
  }

  #unproved({ delivered, ended, arrived, connection }: Attempt): Receipt {
    if (delivered !== 'handed' || !ended) return 'none'
    const isLong =
      connection === 0
        ? ended.clock - arrived.clock >= patience.clock
        : ended.real - arrived.real >= patience.real
    return isLong ? 'unknown' : 'handed'
  }

  #prove(attempt: Attempt): void {
    if (attempt.delivered === 'handed') this.#receipts.set(attempt, 'proved')
  }

  /** Whoever asks for a sending by its ID has read that ID, and if only one answer had it, that answer. */
  #proveByUse(attempts: readonly Attempt[]): void {
    const reads = attempts.filter(
      ({ operation }) => operation === 'getSending' || operation === 'getSendingStatistics',
    )
    if (reads.length === 0) return
    const lists = attempts.filter(({ operation }) => operation === 'listSendings')
    for (const read of reads) {
      const told = attempts.filter(
        it =>
          it.told?.sendingId !== undefined &&
          read.target.includes(`/${it.told.sendingId}`) &&
          isOver(it, read),
      )
      const isListed = lists.some(list => isOver(list, read))
      if (told.length === 1 && !isListed) this.#prove(told[0]!)
    }
  }
}

/** Whether an exchange had come to its end before a request came. */
export const isOver = ({ ended }: Attempt, later: Attempt): boolean =>
  ended !== undefined && ended.real <= later.arrived.real
