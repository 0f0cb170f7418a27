import type { SendingState } from '../store/rows.ts'
import type { Attempt } from './attempt.ts'
import { groupBy } from './grouping.ts'

/**
 * What a careful client concludes from an answer that it received. A state; `ended`: the sending that it wanted to end does not go
 * out; `refused`: a client error; `limited`: too early, nothing was done; `unknown`: anything else, such as a server error, a redirect,
 * or a success without a sending in it.
 */
export type Meaning = SendingState | 'ended' | 'refused' | 'limited' | 'unknown'

/** The meaning of the response that was meant for the client; `unknown` for none. */
export function interpretResponse({ response }: Attempt): Meaning {
  if (!response) return 'unknown'
  const { status, state, isEnd } = response
  if (isEnd) return 'ended'
  if (state !== undefined) return state
  // 408: the request did not arrive completely. 425 and 429: it came too early.
  if (status < 400 || status >= 500 || status === 408) return 'unknown'
  return status === 425 || status === 429 ? 'limited' : 'refused'
}

/**
 * How certain it is that a client received an answer. `proved`: it used the connection again, or used an ID that stood
 * only in this answer. `handed`: it left completely. `unknown`: it left completely, but perhaps just as the client gave
 * up, or the client reset the connection then. `none`: it did not leave completely.
 */
export const receipts = ['proved', 'handed', 'unknown', 'none'] as const
export type Receipt = (typeof receipts)[number]

/** After this many milliseconds a client may have given up at the very moment its answer left. */
const clientTimeout = { real: 250, clock: 1_000 }
/** On a fast clock clients shorten their timeouts: rarely below 5 s of space time and never below 10 ms of real time. */
const fastClockTimeout = { clock: 5_000, real: 10 }
/** Milliseconds for which a request may be in transit while the answer to another one leaves. */
export const networkDelay = 20
/** Milliseconds for which every client with keep-alive keeps an idle connection. */
const keepAliveTime = 4_000

/** Milliseconds of real time before which no client gives up. @param rate seconds of the space's clock per real second */
export const shortestTimeout = (rate: number): number =>
  rate > 1
    ? Math.min(clientTimeout.real, Math.max(fastClockTimeout.real, fastClockTimeout.clock / rate))
    : clientTimeout.real

/** What the client knew at which request. */
export class Knowledge {
  readonly #receipts = new Map<Attempt, Receipt>()
  /** Milliseconds of real time; an answer within this time came before any client timeout. */
  readonly #shortestTimeout: number
  readonly #trusts: boolean
  /** Whether an answer counted as perhaps unread only because the next request came so soon, on another connection. */
  isHasty = false
  /** User agents that reuse connections. */
  readonly #reusingClients = new Set<string | undefined>()

  /**
   * @param attempts without second deliveries made by the mock
   * @param rate seconds of the space's clock per real second
   * @param trusts whether each answer that left at once was read, however soon the next request came
   */
  constructor(attempts: readonly Attempt[], rate: number, trusts = false) {
    this.#trusts = trusts
    this.#shortestTimeout = shortestTimeout(rate)
    const lastOn = new Map<number, Attempt>()
    for (const attempt of attempts) {
      const before = lastOn.get(attempt.connection)
      // A connection behind a proxy is the proxy's.
      if (before && attempt.connection !== 0 && !before.isProxied && isOver(before, attempt)) {
        this.#prove(before)
        this.#reusingClients.add(attempt.userAgent)
      }
      lastOn.set(attempt.connection, attempt)
    }
    this.#proveByUse(attempts)
  }

  receipt(attempt: Attempt): Receipt {
    const proved = this.#receipts.get(attempt)
    if (proved) return proved
    const mayHaveLeft = attempt.delivered === 'server-stopped' && attempt.isUnread
    if ((attempt.delivered !== 'handed' && !mayHaveLeft) || !attempt.ended) return 'none'
    return attempt.isUnread || this.isSlow(attempt) ? 'unknown' : 'handed'
  }

  /**
   * Whether the client may have dropped the connection without reading an answer that left whole, as one does that was
   * frozen while the answer was on its way, and whose deadline has passed when it goes on.
   */
  isPerhapsUnread(attempt: Attempt): boolean {
    return attempt.connection !== 0 && this.receipt(attempt) !== 'proved'
  }

  /** What the client knew from an answer when it made a later request; undefined if that is not certain. */
  knownBefore(attempt: Attempt, later: Attempt): Meaning | undefined {
    return this.#isReceived(attempt, later) === true ? interpretResponse(attempt) : undefined
  }

  /**
   * What the client may have known from an answer when it made a later request; undefined if it cannot have received it.
   */
  maybeKnownBefore(attempt: Attempt, later: Attempt): Meaning | undefined {
    return this.#isReceived(attempt, later) === false ? undefined : interpretResponse(attempt)
  }

  /**
   * Whether an answer left so long before a request that the client must have received it, and any earlier answer that
   * left at once.
   */
  isUnmissable({ ended }: Attempt, later: Attempt): boolean {
    return ended !== undefined && later.arrived.real - ended.real >= keepAliveTime + clientTimeout.real
  }

  /** What the client knows from an answer at its end; undefined for nothing. */
  knownAtEnd(attempt: Attempt): Meaning | undefined {
    const receipt = this.receipt(attempt)
    return receipt === 'proved' || receipt === 'handed' ? interpretResponse(attempt) : undefined
  }

  /** Undefined if unknown. */
  #isReceived(attempt: Attempt, later: Attempt): boolean | undefined {
    const receipt = this.receipt(attempt)
    if (receipt === 'none' || !isOver(attempt, later)) return false
    if (receipt === 'unknown') return undefined
    return receipt === 'handed' && this.#mayHaveMissed(attempt, later) ? undefined : true
  }

  /** Whether the later request may have left before the answer arrived, or because it did not arrive. */
  #mayHaveMissed({ connection, ended, userAgent }: Attempt, later: Attempt): boolean {
    if (connection === 0 || connection === later.connection) return false
    const pause = later.arrived.real - ended!.real
    // A keep-alive client that opens a new connection has dropped the first one: it may have given up.
    const isNew = later.position === 1 && this.#reusingClients.has(userAgent)
    const isSoon = pause < (isNew ? keepAliveTime : networkDelay)
    this.isHasty ||= isSoon
    return isSoon && !this.#trusts
  }

  /**
   * Whether the client may have given up at the moment the answer left. Its HTTP library may then have read the answer and
   * used the connection again, though the client never saw it.
   */
  isSlow({ ended, arrived, connection }: Attempt): boolean {
    if (!ended) return false
    return connection === 0
      ? ended.clock - arrived.clock >= clientTimeout.clock
      : ended.real - arrived.real >= this.#shortestTimeout
  }

  #prove(attempt: Attempt): void {
    if (attempt.delivered === 'handed') this.#receipts.set(attempt, 'proved')
  }

  /**
   * A client that asks for a sending by its ID has seen that ID. If only one answer contained it, that answer was received.
   */
  #proveByUse(attempts: readonly Attempt[]): void {
    const reads = attempts.filter(it => requestedSendingId(it) !== undefined)
    if (reads.length === 0) return
    const ids = new Set(reads.map(requestedSendingId))
    const isTeller = ({ response }: Attempt) =>
      response?.sendingId !== undefined && ids.has(response.sendingId)
    const tellers = groupBy(attempts.filter(isTeller), ({ response }) => response?.sendingId)
    let firstList = Number.POSITIVE_INFINITY
    for (const { operation, ended } of attempts)
      if (operation === 'listSendings' && ended) firstList = Math.min(firstList, ended.real)
    for (const read of reads) {
      if (firstList <= read.arrived.real) continue
      const answers = tellers.get(requestedSendingId(read) ?? '') ?? []
      const first = answers.find(it => isOver(it, read))
      if (first && !answers.some(it => it !== first && isOver(it, read))) this.#prove(first)
    }
  }
}

/** The sending whose address, or an address below it, a request has. */
const requestedSendingId = ({ target }: Attempt) => /\/sendings\/([^/?]+)/.exec(target)?.[1]

export const isOver = ({ ended }: Attempt, later: Attempt): boolean =>
  ended !== undefined && ended.real <= later.arrived.real

/** Milliseconds within which the departure of a client is noticed, and within which a busy machine notices it. */
export const departureDelay = 50
const lateDeparture = 1_000

/**
 * Whether an exchange was over for its client when a later request came. `left`: the client had left it, which was noticed a
 * moment after that request. `perhaps`: so much later that it may as well have left afterwards.
 */
export type Ending = 'over' | 'left' | 'perhaps' | 'running'

export function endingBefore(earlier: Attempt, later: Attempt): Ending {
  if (isOver(earlier, later)) return 'over'
  const { delivered, ended, connection } = earlier
  // A request that is still open has ended for a client that has left it.
  const hasLeft = ended !== undefined && (delivered === 'aborted' || delivered === 'open')
  if (!hasLeft || connection === later.connection) return 'running'
  const delay = ended.real - later.arrived.real
  return delay <= departureDelay ? 'left' : delay < lateDeparture ? 'perhaps' : 'running'
}

/** Whether a client must have been done with an exchange when a later request came. */
export const isDoneBefore = (earlier: Attempt, later: Attempt): boolean =>
  isOver(earlier, later) || endingBefore(earlier, later) === 'left'
