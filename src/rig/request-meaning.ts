import { defaultDials } from '../service/dials.ts'
import { answersOf, type Creation, type Ending, type Operation } from '../service/operation.ts'
import { type OperationId, operationIds, operations } from '../service/operations.ts'
import type { RecordReader } from './record-reader.ts'
import { bodyJson, type RecordedResponse } from './recorded-response.ts'
import type { RequestFacts } from './request-facts.ts'
import type { RequestRecord } from './request-record.ts'

/** What requests mean, as the definitions of their operations say. The judge takes all that from here. */

/** What a request for this operation creates; undefined for nothing that a client can repeat by mistake. */
export const createdBy = ({ means }: Operation): 'sending' | 'mailing-upload' | undefined =>
  typeof means === 'object' && 'creates' in means ? means.creates : undefined

/** How clients ask for a sending, by the names of the members of such a body. */
export interface CreationForm extends Pick<Creation, 'identifiedBy' | 'scheduledBy'> {
  /** All the others, which say what is to be sent. */
  readonly content: readonly string[]
}

/** Undefined for an operation that does not ask for a sending. */
export function creationForm({ means, body }: Operation): CreationForm | undefined {
  if (typeof means !== 'object' || !('identifiedBy' in means)) return undefined
  const { identifiedBy, scheduledBy } = means
  const members = Object.keys(body?.members ?? {})
  return {
    identifiedBy,
    scheduledBy,
    content: members.filter(it => it !== identifiedBy && it !== scheduledBy),
  }
}

/** The operations that ask for a sending. */
export const creationIds = operationIds.filter(id => createdBy(operations[id]) === 'sending')

/** Whether a request asks for a sending. */
export function asksForSending(record: RequestRecord, reader: RecordReader): boolean {
  const definition = reader.definition(record)
  return definition !== undefined && createdBy(definition) === 'sending'
}

/** Whether the answer of an operation, where it succeeds, tells the state of sendings. */
export function tellsState(id: OperationId): boolean {
  const { shownSendings }: Operation = operations[id]
  return creationIds.includes(id) || shownSendings !== undefined
}

/** The members of requests for a sending that say what is to be sent, as in `name or subject`. */
export const contentWords = (): string =>
  new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(
    new Set(creationIds.flatMap(id => creationForm(operations[id])?.content ?? [])),
  )

/** A sending that a request is to end, by the ID with which it names it. */
export interface NamedSending {
  readonly sendingId?: string
  readonly transactionId?: string
}

const endingOf = ({ means }: Operation): Ending | undefined =>
  typeof means === 'object' && 'ends' in means ? means : undefined

/** The sending that a request is to end; undefined for one that ends nothing, or that names none. */
export function endedSending(operation: Operation, facts: RequestFacts): NamedSending | undefined {
  const params = facts.operation?.params ?? {}
  const named = endingOf(operation)?.which({ params, body: facts.json ?? {} }) ?? {}
  const ids = Object.entries(named).filter(([, id]) => typeof id === 'string')
  return ids.length > 0 ? Object.fromEntries(ids) : undefined
}

/**
 * Whether an answer tells its client that the sending has ended. Where the service shows something in it, a careful client reads that.
 * @param truth what the service answered; undefined if it was not asked
 */
export function tellsEnd(
  operation: Operation,
  response: RecordedResponse,
  truth: RecordedResponse | undefined,
): boolean {
  const toldBy = endingOf(operation)?.toldBy ?? []
  const { status, problem, wholeBytes } = response
  if (toldBy.some(it => it === problem?.name)) return true
  if (!toldBy.includes(status)) return false
  const isShown = answersOf(operation, defaultDials).some(it => it.status === status && it.shows)
  if (!isShown || response === truth || wholeBytes !== undefined) return true
  const [seen, meant = seen] = [response, truth].map(it => it && bodyJson(it))
  return seen !== undefined && seen.id === meant?.id
}
