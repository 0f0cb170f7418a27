import type { Operation, ShownSending } from '../service/operation.ts'
import { methodsAt, type OperationId, operations } from '../service/operations.ts'
import { RecordMemo } from './record-memo.ts'
import { bodyJson } from './recorded-response.ts'
import { type BodyDigest, digestOf, RequestFacts } from './request-facts.ts'
import type { RequestRecord } from './request-record.ts'

/** Facts about the records of a journal, derived once for each record. */
export class RecordReader {
  /** The platform segment of integration paths. */
  readonly segment: string
  readonly #memo = new RecordMemo()
  readonly #definitions: Readonly<Record<OperationId, Operation>>

  /** @param definitions of the operations that requests are for */
  constructor(segment: string, definitions: Readonly<Record<OperationId, Operation>> = operations) {
    this.segment = segment
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
    const { transactionId, operation } = this.facts(record)
    return record.digest && operation?.id === 'createSending' ? record.digest.transactionId : transactionId
  }

  /** Undefined for a request without a body, or whose body has not arrived. */
  digest({ digest, body }: RequestRecord): BodyDigest | undefined {
    return digest ?? (body && body.length > 0 ? digestOf(body) : undefined)
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
}

const makeFacts = ({ method, target, body = new Uint8Array() }: RequestRecord, { segment }: RecordReader) =>
  new RequestFacts(method, target, body, segment)
