import type { OperationId } from '../service/operations.ts'
import type { SendingState } from '../store/rows.ts'
import { type BodyDigest, digestOf } from './body-digest.ts'
import type { Entry, Kept } from './entry.ts'
import { RequestFacts } from './request-facts.ts'

const none = new Uint8Array()
const states: readonly string[] = [
  'PENDING',
  'CREATED',
  'FAILED',
  'INDETERMINATE_FAILURE',
] satisfies SendingState[]

/** What is looked for in entries; strings only, so that it can be kept for all of them. */
interface Gist {
  readonly operation: OperationId | undefined
  readonly synchronizationId: string | undefined
  readonly transactionId: string | undefined
}

/** What entries of a journal say of themselves, found out once for each. */
export class EntryReader {
  /** The platform segment of integration paths. */
  readonly segment: string
  readonly #gists = new WeakMap<Entry, Gist>()

  constructor(segment: string) {
    this.segment = segment
  }

  /** Read anew each time: whoever asks for these asks for one entry. */
  facts({ method, target, body = none }: Entry): RequestFacts {
    return new RequestFacts(method, target, body, this.segment)
  }

  /** Undefined for what the service does not have. */
  operation(entry: Entry): OperationId | undefined {
    return this.#gist(entry).operation
  }

  synchronizationId(entry: Entry): string | undefined {
    return this.#gist(entry).synchronizationId
  }

  /** That a sending was to be created with. */
  transactionId(entry: Entry): string | undefined {
    return this.#gist(entry).transactionId
  }

  /** Undefined for a request without a body, or one whose body has not come. */
  digest(entry: Entry): BodyDigest | undefined {
    if (entry.digest) return entry.digest
    return entry.body && entry.body.length > 0 ? digestOf(entry.body) : undefined
  }

  #gist(entry: Entry): Gist {
    const known = this.#gists.get(entry)
    if (known) return known
    const { operation, synchronizationId, transactionId } = this.facts(entry)
    const isCreation = operation?.id === 'createSending'
    const gist: Gist = {
      operation: operation?.id,
      synchronizationId,
      transactionId: entry.digest && isCreation ? entry.digest.transactionId : transactionId,
    }
    // Before that its body may still come.
    if (entry.read || entry.ended) this.#gists.set(entry, gist)
    return gist
  }
}

/** The JSON object that an answer carries, where it does and its body is kept whole. */
export function jsonOf({ body, bodyBytes, isWhole }: Kept): Record<string, unknown> | undefined {
  if (!isWhole || bodyBytes === 0) return undefined
  try {
    const value: unknown = JSON.parse(body.toString())
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined
  } catch {
    return undefined
  }
}

/** The state that an answer tells of a sending. */
export function toldState(kept: Kept): SendingState | undefined {
  const state = jsonOf(kept)?.state
  return typeof state === 'string' && states.includes(state) ? (state as SendingState) : undefined
}
