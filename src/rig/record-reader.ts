import type { Operation, ShownSending } from '../service/operation.ts'
import { methodsAt, type OperationId, operations } from '../service/operations.ts'
import type { MemoryShare } from '../store/memory-budget.ts'
import { Turns } from '../store/turns.ts'
import { RecordMemo } from './record-memo.ts'
import { bodyJson } from './recorded-response.ts'
import { type BodyDigest, digestOf, RequestFacts } from './request-facts.ts'
import type { RequestRecord } from './request-record.ts'

/** Facts about the records of a journal, derived once for each record. */
export class RecordReader {
  /** The platform segment of integration paths. */
  readonly segment: string
  readonly #memo: RecordMemo
  readonly #turns = new Turns()
  readonly #definitions: Readonly<Record<OperationId, Operation>>

  /** @param definitions of the operations that requests are for @param memory of what is derived */
  constructor(
    segment: string,
    definitions: Readonly<Record<OperationId, Operation>> = operations,
    memory?: MemoryShare,
  ) {
    this.segment = segment
    this.#memo = new RecordMemo(memory)
    this.#definitions = definitions
  }

  facts(record: RequestRecord): RequestFacts {
    return this.memoize(record, makeFacts)
  }

  /** Undefined for what the service does not have. */
  operation(record: RequestRecord): OperationId | undefined {
    return this.facts(record).operation?.id
  }

  /** The definition of its operation. */
  definition(record: RequestRecord): Operation | undefined {
    const operation = this.operation(record)
    return operation && this.#definitions[operation]
  }

  /** Whether its answer can show the state of sendings. To HEAD it has no body. */
  isReadOfState(record: RequestRecord): boolean {
    return record.method !== 'HEAD' && this.definition(record)?.shownSendings !== undefined
  }

  /** The sendings whose state the answer to a read shows; undefined for a body that is not recorded whole. */
  shownSendings(record: RequestRecord): readonly ShownSending[] | undefined {
    const { shownSendings } = this.definition(record) ?? {}
    const { response } = record
    const body = shownSendings && response && response.status < 400 ? bodyJson(response) : undefined
    if (body) return shownSendings!(body, this.facts(record).operation!.params)
    return response?.wholeBytes === undefined ? [] : undefined
  }

  /** The methods that its path has. */
  methods(record: RequestRecord): string[] {
    return [...methodsAt(this.facts(record).path, this.segment)].sort()
  }

  synchronizationId(record: RequestRecord): string | undefined {
    return this.facts(record).synchronizationId
  }

  /** The transactionId of a createSending request. */
  transactionId(record: RequestRecord): string | undefined {
    return this.operation(record) === 'createSending' ? this.digest(record)?.transactionId : undefined
  }

  /** Undefined for a request without a body, or whose body has not arrived. */
  digest(record: RequestRecord): BodyDigest | undefined {
    return record.digest ?? this.memoizeOfBody(record, digestOfRecord)
  }

  /**
   * What `derive` makes of a record; the same value again once the record has ended, until it changes.
   * @param derive the key of the memory: pass the same function each time
   */
  memoize<Result>(
    record: RequestRecord,
    derive: (record: RequestRecord, reader: RecordReader) => Result,
  ): Result {
    return this.#memo.get(record, derive, this)
  }

  /** As `memoize`, of what follows from the body alone, and from the operation. */
  memoizeOfBody<Result>(
    record: RequestRecord,
    derive: (record: RequestRecord, reader: RecordReader) => Result,
  ): Result {
    return this.#memo.ofBody(record, derive, this)
  }

  /**
   * Derives what is not known yet of the bodies of these records, in several turns of the event loop: a journal full of bodies with
   * a thousand members takes more than a second.
   * @param derive as for `memoizeOfBody`; the digest unless given
   */
  async prepare(
    records: readonly RequestRecord[],
    derive: (record: RequestRecord, reader: RecordReader) => unknown = digestOfRecord,
  ): Promise<void> {
    let bytes = 0
    for (const record of records) {
      if (this.#memo.hasOfBody(record, derive)) continue
      this.memoizeOfBody(record, derive)
      bytes += record.body!.length
      if (bytes < bytesInTurn) continue
      bytes = 0
      await this.#turns.next()
    }
  }

  /** Forgets what was derived, since memory is short. */
  clear(): void {
    this.#memo.clear()
  }
}

/** Bytes of bodies that are parsed in one turn. */
const bytesInTurn = 32 << 10

const digestOfRecord = ({ digest, body }: RequestRecord): BodyDigest | undefined =>
  digest ?? (body && body.length > 0 ? digestOf(body) : undefined)

const makeFacts = ({ method, target, body = new Uint8Array() }: RequestRecord, { segment }: RecordReader) =>
  new RequestFacts(method, target, body, segment)
