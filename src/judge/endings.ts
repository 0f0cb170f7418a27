import type { Attempt } from './attempt.ts'
import type { Evidence } from './evidence.ts'
import { groupBy, NestedMap } from './grouping.ts'
import { interpretResponse, type Knowledge } from './knowledge.ts'

/** The requests that ended sendings, and what their client knew of that. */
export class Endings {
  readonly #knowledge: Knowledge
  /** Those whose answer says so, or whose truth it is, by the ID of the sending. */
  readonly #requests: ReadonlyMap<string, readonly Attempt[]>
  /** Sendings, by the ID of the request that created them. */
  readonly #byCause = new Map<string, string>()
  /** The latest sending of each transaction. */
  readonly #byTransaction = new NestedMap<string>()

  constructor(attempts: readonly Attempt[], { sendings }: Pick<Evidence, 'sendings'>, knowledge: Knowledge) {
    this.#knowledge = knowledge
    const requests = attempts.filter(({ response, truth }) => response?.isEnd || truth?.isEnd)
    for (const { id, cause, synchronizationId, transactionId } of requests.length > 0 ? sendings : []) {
      this.#byCause.set(cause, id)
      if (transactionId !== null) this.#byTransaction.entry(synchronizationId, transactionId).value = id
    }
    this.#requests = groupBy(requests, ({ ends, synchronizationId }) => {
      const { sendingId, transactionId } = ends ?? {}
      return sendingId ?? this.#sendingOf(synchronizationId, transactionId) ?? 'unknown'
    })
  }

  /** Whether its client may have been told, before a later request or at all, that the sending of a creation has ended. */
  mayBeKnown(creation: Attempt, later?: Attempt): boolean {
    return this.#requestsFor(creation).some(it =>
      later
        ? this.#knowledge.maybeKnownBefore(it, later) === 'ended'
        : this.#knowledge.receipt(it) !== 'none' && interpretResponse(it) === 'ended',
    )
  }

  /** Whether it is certain that the client knows that a sending has ended. */
  isKnown(sendingId: string): boolean {
    return (this.#requests.get(sendingId) ?? []).some(it => this.#knowledge.knownAtEnd(it) === 'ended')
  }

  /** Whether a sending has truly ended. */
  isTrue(sendingId: string): boolean {
    return (this.#requests.get(sendingId) ?? []).some(({ truth }) => truth?.isEnd)
  }

  #requestsFor({ id, synchronizationId, transactionId, response }: Attempt): readonly Attempt[] {
    if (this.#requests.size === 0) return []
    const shownId = response?.foreignBy === undefined ? response?.sendingId : undefined
    const sendingId = shownId ?? this.#byCause.get(id) ?? this.#sendingOf(synchronizationId, transactionId)
    return (sendingId !== undefined && this.#requests.get(sendingId)) || []
  }

  #sendingOf(synchronizationId: string | undefined, transactionId: string | undefined): string | undefined {
    return transactionId === undefined
      ? undefined
      : this.#byTransaction.entry(synchronizationId, transactionId).value
  }
}
