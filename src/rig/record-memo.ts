import { getOrMake } from '../store/maps.ts'
import type { MemoryShare } from '../store/memory-budget.ts'
import type { RequestRecord } from './request-record.ts'

/** The members of a record that may still change after it has ended. */
type Changeable = Pick<RequestRecord, 'body' | 'decision' | 'truth' | 'response' | 'isUnread'>

/** A value derived from a record, with the members that the record had then. */
interface DerivedValue extends Changeable {
  readonly value: unknown
}

/** Bytes of a derived value besides what it has of the body, roughly. */
const valueBytes = 400

type Derive<Result, Context> = (record: RequestRecord, context: Context) => Result

/**
 * Values derived from records, for the lifetime of each record: after each event a verdict reads the whole journal again.
 * Nothing is kept of a record that has not ended, and nothing of one that has changed since.
 */
export class RecordMemo {
  readonly #values = new Map<unknown, WeakMap<RequestRecord, DerivedValue>>()
  readonly #ofBodies = new Map<unknown, WeakMap<Uint8Array, { readonly value: unknown }>>()
  readonly #memory: MemoryShare | undefined

  /** @param memory of the values; what goes with its record counts until the memory is cleared */
  constructor(memory?: MemoryShare) {
    this.#memory = memory
  }

  /** @param derive the key: pass the same function each time @param context given to it */
  get<Result, Context>(record: RequestRecord, derive: Derive<Result, Context>, context: Context): Result {
    const values = getOrMake(this.#values, derive, () => new WeakMap<RequestRecord, DerivedValue>())
    const derived = values.get(record)
    if (derived && isCurrent(derived, record)) return derived.value as Result
    const value = derive(record, context)
    const { body, decision, truth, response, isUnread } = record
    if (record.ended) {
      this.#count(body)
      values.set(record, { value, body, decision, truth, response, isUnread })
    }
    return value
  }

  /** As `get`, of what follows from the body alone: that is kept also before the record has ended. */
  ofBody<Result, Context>(record: RequestRecord, derive: Derive<Result, Context>, context: Context): Result {
    const { body } = record
    if (!body) return derive(record, context)
    const values = getOrMake(this.#ofBodies, derive, () => new WeakMap<Uint8Array, { value: unknown }>())
    const derived = values.get(body)
    if (derived) return derived.value as Result
    const value = derive(record, context)
    this.#count(body)
    values.set(body, { value })
    return value
  }

  hasOfBody({ body }: RequestRecord, derive: unknown): boolean {
    return body === undefined || this.#ofBodies.get(derive)?.has(body) === true
  }

  /** Gives its memory back. */
  clear(): void {
    this.#values.clear()
    this.#ofBodies.clear()
    this.#memory?.set(0)
  }

  #count(body: Uint8Array | undefined): void {
    this.#memory?.add(valueBytes + (body?.length ?? 0))
  }
}

/** Work for a request may continue long after its client has left, and a client may reset its connection later. */
const isCurrent = (derived: Changeable, record: RequestRecord): boolean =>
  derived.body === record.body &&
  derived.decision === record.decision &&
  derived.truth === record.truth &&
  derived.response === record.response &&
  derived.isUnread === record.isUnread
