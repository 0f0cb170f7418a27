import { getOrMake } from '../store/maps.ts'
import type { RequestRecord } from './request-record.ts'

/** The members of a record that may still change after it has ended. */
type Changeable = Pick<RequestRecord, 'body' | 'decision' | 'truth' | 'response' | 'isUnread'>

/** A value derived from a record, with the members that the record had then. */
interface DerivedValue extends Changeable {
  readonly value: unknown
}

/**
 * Values derived from records, for the lifetime of each record: after each event a verdict reads the whole journal again.
 * Nothing is kept of a record that has not ended, and nothing of one that has changed since.
 */
export class RecordMemo {
  readonly #values = new Map<unknown, WeakMap<RequestRecord, DerivedValue>>()

  /** @param derive the key: pass the same function each time @param context given to it */
  get<Result, Context>(
    record: RequestRecord,
    derive: (record: RequestRecord, context: Context) => Result,
    context: Context,
  ): Result {
    const values = getOrMake(this.#values, derive, () => new WeakMap<RequestRecord, DerivedValue>())
    const derived = values.get(record)
    if (derived && isCurrent(derived, record)) return derived.value as Result
    const value = derive(record, context)
    const { body, decision, truth, response, isUnread } = record
    if (record.ended) values.set(record, { value, body, decision, truth, response, isUnread })
    return value
  }
}

/** Work for a request may continue long after its client has left, and a client may reset its connection later. */
const isCurrent = (derived: Changeable, record: RequestRecord): boolean =>
  derived.body === record.body &&
  derived.decision === record.decision &&
  derived.truth === record.truth &&
  derived.response === record.response &&
  derived.isUnread === record.isUnread
