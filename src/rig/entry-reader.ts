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

/** What entries of a journal say of themselves, found out once for each. */
export class EntryReader {
  readonly #segment: string
  readonly #facts = new WeakMap<Entry, RequestFacts>()

  /** @param segment the platform segment of integration paths */
  constructor(segment: string) {
    this.#segment = segment
  }

  facts(entry: Entry): RequestFacts {
    const known = this.#facts.get(entry)
    if (known) return known
    const { method, target } = entry.asked
    const facts = new RequestFacts(method, target, entry.body ?? none, this.#segment)
    // Before that its body may still come.
    if (entry.read || entry.ended) this.#facts.set(entry, facts)
    return facts
  }

  /** Undefined for what the service does not have. */
  operation(entry: Entry): OperationId | undefined {
    return this.facts(entry).operation?.id
  }

  synchronizationId(entry: Entry): string | undefined {
    return this.facts(entry).synchronizationId
  }

  /** That a sending was to be created with. */
  transactionId(entry: Entry): string | undefined {
    if (!entry.digest) return this.facts(entry).transactionId
    return this.operation(entry) === 'createSending' ? entry.digest.transactionId : undefined
  }

  /** Undefined for a request without a body, or one whose body has not come. */
  digest(entry: Entry): BodyDigest | undefined {
    if (entry.digest) return entry.digest
    return entry.body && entry.body.length > 0 ? digestOf(entry.body) : undefined
  }
}

/** The JSON object that an answer carries, where it does and its body is kept whole. */
export function jsonOf({ body, bodyBytes }: Kept): Record<string, unknown> | undefined {
  if (body.length !== bodyBytes || bodyBytes === 0) return undefined
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
