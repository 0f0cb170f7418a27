import type { OperationId } from '../service/operations.ts'
import type { SendingState } from '../store/rows.ts'
import { type BodyDigest, digestOf } from './body-digest.ts'
import type { Entry, Kept } from './entry.ts'
import { RequestFacts } from './request-facts.ts'
import { textAt } from './shelves.ts'

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
  /** Null as long as nobody has asked: the body has to be read for it. */
  transactionId: string | undefined | null
}

/** What somebody has made of an entry, and of what. */
interface Made extends Pick<Entry, 'place' | 'decision' | 'truth' | 'told'> {
  readonly made: unknown
}

/** What entries of a journal say of themselves, found out once for each. */
export class EntryReader {
  /** The platform segment of integration paths. */
  readonly segment: string
  readonly #gists = new WeakMap<Entry, Gist>()
  readonly #made = new Map<unknown, WeakMap<Entry, Made>>()

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
    const gist = this.#gist(entry)
    if (gist.transactionId !== null) return gist.transactionId
    const isCreation = gist.operation === 'createSending'
    gist.transactionId = !isCreation
      ? undefined
      : entry.digest
        ? entry.digest.transactionId
        : this.facts(entry).transactionId
    return gist.transactionId
  }

  /**
   * What somebody makes of an entry, made once if that has come to its end, and kept as long as the entry is.
   * @param make the same one each time
   */
  once<Result>(entry: Entry, make: (entry: Entry, reader: EntryReader) => Result): Result {
    const all = this.#made.get(make) ?? new WeakMap<Entry, Made>()
    this.#made.set(make, all)
    const known = all.get(entry)
    if (known && isStillSo(known, entry)) return known.made as Result
    const made = make(entry, this)
    const { place, decision, truth, told } = entry
    if (entry.ended) all.set(entry, { made, place, decision, truth, told })
    return made
  }

  /** Undefined for a request without a body, or one whose body has not come. */
  digest(entry: Entry): BodyDigest | undefined {
    if (entry.digest) return entry.digest
    return entry.body && entry.body.length > 0 ? digestOf(entry.body) : undefined
  }

  #gist(entry: Entry): Gist {
    const known = this.#gists.get(entry)
    if (known) return known
    const { operation, synchronizationId } = this.facts(entry)
    const gist: Gist = { operation: operation?.id, synchronizationId, transactionId: null }
    // Before that its body may still come.
    if (entry.read || entry.ended) this.#gists.set(entry, gist)
    return gist
  }
}

/** A client may have left long before the work is done for it. */
const isStillSo = (made: Made, { place, decision, truth, told }: Entry): boolean =>
  made.place === place && made.decision === decision && made.truth === truth && made.told === told

/** The JSON object that an answer carries, where it does and its body is kept whole. */
export function jsonOf(kept: Kept): Record<string, unknown> | undefined {
  if (!kept.isWhole || kept.bodyBytes === 0) return undefined
  try {
    const value: unknown = JSON.parse(textAt(kept))
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
