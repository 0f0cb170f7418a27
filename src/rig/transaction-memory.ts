import type { DialValues } from '../service/dials.ts'
import { Problem } from '../service/problem.ts'
import type { Answer } from '../service/response.ts'
import { sendingOfTransaction } from '../service/sendings/routes.ts'
import { makeRoomFor } from '../store/maps.ts'
import type { MemoryShare } from '../store/memory-budget.ts'
import type { ReadableSpace } from '../store/space-data.ts'
import type { RequestFacts } from './request-facts.ts'

/** Maximum number of remembered transactions of each kind; the oldest are forgotten first. */
const maxRemembered = 100_000

/** Refusals that are not bound to a transaction, since they come too early or have another reason. */
const notAboutTheTransaction = new Set([401, 403, 405, 406, 415, 429])

/** Bytes of a remembered refusal, roughly: what it says in one line and in parts. */
const refusalBytes = ({ detail }: Problem) => 1_000 + 2 * detail.length

/** Transactions that created no sending, for the dials that need them. */
export class TransactionMemory {
  readonly #rejected = new Map<string, Problem>()
  readonly #unprocessed = new Set<string>()
  readonly #memory: MemoryShare

  constructor(memory: MemoryShare) {
    this.#memory = memory
  }

  /** Records that a request was lost before anything was done. */
  recordLost(facts: RequestFacts): void {
    const key = transactionKey(facts)
    if (key === undefined || this.#unprocessed.has(key)) return
    makeRoomFor(key, this.#unprocessed, maxRemembered, this.#memory)
    this.#unprocessed.add(key)
  }

  /** The refusal that a transaction is bound to; dial `rejected-transaction`. None if the ID stands for a sending. */
  refusal(facts: RequestFacts, space: ReadableSpace, dials: DialValues): Problem | undefined {
    const { synchronizationId = '', transactionId = '' } = facts
    const refused = this.#rejected.get(transactionKey(facts) ?? '')
    if (!refused || dials['rejected-transaction'] !== 'bound') return undefined
    return sendingOfTransaction(space, dials, synchronizationId, transactionId) ? undefined : refused
  }

  /** Adjusts the answer for a transaction that was seen before; dial `repeat-after-500-status`. */
  adjustAnswer(answer: Answer, facts: RequestFacts, dials: DialValues): Answer {
    const key = transactionKey(facts)
    if (key === undefined) return answer
    const isRefused =
      answer.status >= 400 && answer.status < 500 && !notAboutTheTransaction.has(answer.status)
    if (isRefused && answer.problem) {
      const { name, detail, ...parts } = answer.problem
      const refused = new Problem(name, detail, parts)
      const before = this.#rejected.get(key)
      if (!before) makeRoomFor(key, this.#rejected, maxRemembered, this.#memory, refusalBytes)
      this.#memory.add(refusalBytes(refused) - (before ? refusalBytes(before) : 0))
      this.#rejected.set(key, refused)
      return answer
    }
    const isFirst = answer.status < 300 && this.#unprocessed.delete(key)
    if (!isFirst || answer.status !== 201 || dials['repeat-after-500-status'] !== '200') return answer
    const { Location, ...headers } = answer.headers
    const keepsLocation = dials['location-on-200'] === 'present' && Location !== undefined
    return { ...answer, status: 200, headers: keepsLocation ? answer.headers : headers }
  }
}

/** Undefined for a request without a transaction. */
const transactionKey = ({ synchronizationId, transactionId }: RequestFacts): string | undefined =>
  transactionId === undefined ? undefined : `${synchronizationId} ${transactionId}`
