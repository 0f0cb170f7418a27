import type { Answer } from '../service/answer.ts'
import type { DialValues } from '../service/dials.ts'
import { makeRoom } from './make-room.ts'
import type { RequestFacts } from './request-facts.ts'

/** So many transactions are remembered of each kind; beyond, the oldest are forgotten. */
const remembered = 100_000

/** Whether a deployment with these dials remembers transactions that made no sending. */
export const remembers = (dials: DialValues): boolean =>
  dials['rejected-transaction'] !== 'free' || dials['repeat-after-500-status'] !== '201'

/** What a client cannot be told twice: too early, or for a reason that has nothing to do with the transaction. */
const notAboutTheTransaction = new Set([401, 403, 405, 406, 415, 429])

/** Transactions that made no sending, for the dials that ask for them. */
export class TransactionMemory {
  readonly #rejected = new Map<string, Answer>()
  readonly #unprocessed = new Set<string>()

  /** A request was lost before anything was done. */
  lost(facts: RequestFacts): void {
    const key = keyOf(facts)
    if (key === undefined) return
    makeRoom(this.#unprocessed, remembered)
    this.#unprocessed.add(key)
  }

  /** The refusal that a transaction was bound to, dial `rejected-transaction`. */
  refusal(facts: RequestFacts, dials: DialValues): Answer | undefined {
    const key = keyOf(facts)
    return key !== undefined && dials['rejected-transaction'] === 'bound'
      ? this.#rejected.get(key)
      : undefined
  }

  /** The answer as it is told to a transaction that was seen before, dial `repeat-after-500-status`. */
  told(answer: Answer, facts: RequestFacts, dials: DialValues): Answer {
    const key = keyOf(facts)
    if (key === undefined) return answer
    const isRefused =
      answer.status >= 400 && answer.status < 500 && !notAboutTheTransaction.has(answer.status)
    if (isRefused) {
      makeRoom(this.#rejected, remembered)
      this.#rejected.set(key, answer)
      return answer
    }
    const isFirst = answer.status === 201 && this.#unprocessed.delete(key)
    if (!isFirst || dials['repeat-after-500-status'] !== '200') return answer
    const { Location, ...headers } = answer.headers
    const keepsLocation = dials['location-on-200'] === 'present' && Location !== undefined
    return { ...answer, status: 200, headers: keepsLocation ? answer.headers : headers }
  }
}

/** Undefined for what is no transaction. */
const keyOf = ({ synchronizationId, transactionId }: RequestFacts): string | undefined =>
  transactionId === undefined ? undefined : `${synchronizationId} ${transactionId}`
