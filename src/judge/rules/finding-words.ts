import { answerWords, undeliveredWords } from '../../rig/words.ts'
import { shortId } from '../../store/validation-messages.ts'
import { type Attempt, halType, type IntendedResponse } from '../attempt.ts'
import type { Transaction } from '../intended-sendings.ts'
import { interpretResponse, type Knowledge } from '../knowledge.ts'

/** The response as its client can have understood it. */
export function describeResponse(attempt: Attempt): string {
  const { delivered, ended, response: answer } = attempt
  // The client of an open exchange that has ended has left.
  if (delivered === 'open' && ended) return undeliveredWords('aborted')
  if (delivered !== 'handed' || !answer) return undeliveredWords(delivered)
  const { status, state } = answer
  if (state) return answerWords(answer)
  return interpretResponse(attempt) === 'unknown' && status < 300
    ? `${status} without a sending that can be believed${doubtWords(answer)}`
    : `${status}`
}

/** The text in place of a state, and why it cannot be believed. */
function doubtWords({ status, stateText, foreignBy, mediaType }: IntendedResponse): string {
  const ofKind = mediaType === undefined ? 'no Content-Type' : `Content-Type ${mediaType.slice(0, 40)}`
  const isOfKind = mediaType === halType || (status !== 200 && status !== 201)
  const why = foreignBy ? `another ${foreignBy} than was asked for` : isOfKind ? '' : ofKind
  const parts = [stateText ? `state "${stateText.slice(0, 40)}"` : '', why].filter(Boolean)
  return parts.length > 0 ? ` (${parts.join(', ')})` : ''
}

/** Why an answer need not have been read, as a sentence; false if it was. */
export const unreadWords = (
  { knowledge }: { readonly knowledge: Knowledge },
  answer: Attempt,
): string | false =>
  knowledge.isPerhapsUnread(answer) &&
  `It is open, because nothing proves that the client read the response to ${answer.id}${answer.isProxied ? ', which a proxy got' : ', as another request on the same connection would'}.`

export function transactionIdWords({
  transactionId,
  attempts = [],
}: Pick<Transaction, 'transactionId'> & Partial<Transaction>): string {
  if (transactionId !== undefined) return `transactionId "${shortId(transactionId)}"`
  const others = attempts.map(({ request }) => request.payload?.others ?? '').join(' ')
  const [, misspelt] = /"(transaction[-_ ]?id)":/i.exec(others) ?? []
  return misspelt === undefined
    ? 'no transactionId'
    : `no transactionId (but with "${misspelt}", which the service ignores)`
}

export const countWords = (count: number): string => (count === 1 ? 'once' : `${count} times`)
