import type { Entry, Kept } from '../entry.ts'
import type { EntryReader } from '../entry-reader.ts'
import { toldState } from '../entry-reader.ts'
import type { Known } from './known.ts'
import { refusalIn, sectionOf } from './refusals.ts'
import { counted, faultWords, reactions } from './words.ts'

/** What the client was told, and how it left. */
export function told(entry: Entry, { reader }: Pick<Known, 'reader'>): string[] {
  const { told: given, decision } = entry
  if (!given) return [leftWords(entry)]
  const answer = decision?.step.answer
  const fault = answer && 'fault' in answer ? answer.fault : undefined
  return [
    `The answer ${verb(entry)} ${statusAndState(given)}${beside(given, entry.truth)}.`,
    ...clause(entry, given, reader),
    ...(fault === undefined ? [] : [`Fault "${fault}": ${faultWords(fault)}`]),
    leftWords(entry),
  ]
}

function verb({ delivered }: Entry): string {
  if (delivered === 'handed') return 'was'
  return delivered === 'open' ? 'is to be' : 'was to be'
}

/** What is told, beside what is true. */
function beside(given: Kept, truth: Kept | undefined): string {
  if (!truth) return ''
  if (isTrue(given, truth)) return ', as the service answered it'
  const [seen, real] = [statusAndState(given), statusAndState(truth)]
  return seen === real ? ', as the service answered it, but with other content' : `; the true one was ${real}`
}

export function statusAndState(kept: Kept): string {
  const state = toldState(kept)
  return state === undefined ? String(kept.status) : `${kept.status} with state ${state}`
}

/** Headers of our own do not make an answer another one. */
const isTrue = (given: Kept, truth: Kept | undefined): boolean =>
  truth !== undefined &&
  given.status === truth.status &&
  given.bodyBytes === truth.bodyBytes &&
  given.body.equals(truth.body)

/** The clause of the document behind an answer, or what it asks of a client that gets no such answer. */
function clause(entry: Entry, given: Kept, reader: EntryReader): string[] {
  const { decision, truth, delivered } = entry
  const { status } = given
  const operation = reader.operation(entry)
  const isTruth = isTrue(given, truth) || (!truth && !decision)
  if (isTruth && status >= 400 && status < 500) {
    const { title, detail, clause: section } = refusalIn(given, operation)
    return [`${title}${detail ? `: ${detail}` : ''}. What refuses it: ${section}.`]
  }
  if (operation === 'createSending' && delivered !== 'open') {
    if (delivered !== 'handed') return [silence(entry, reader)]
    if (status >= 500) return [serverError(entry, reader)]
    if (status >= 400) return []
    return isTruth ? creation(entry, given, reader) : [silence(entry, reader)]
  }
  if (decision || status >= 400) return []
  return [`That is the answer of ${sectionOf(operation)}, undisturbed.`]
}

const hasTransaction = (entry: Entry, reader: EntryReader) => reader.transactionId(entry) !== undefined

const serverError = (entry: Entry, reader: EntryReader) =>
  hasTransaction(entry, reader)
    ? 'After a 5xx a client is to repeat with the same transactionId, to learn the outcome (4.1/8).'
    : 'Without a transactionId a client cannot safely repeat it: something may have been sent (4.1/3).'

const silence = (entry: Entry, reader: EntryReader) =>
  hasTransaction(entry, reader)
    ? 'An answer that does not come whole, or does not tell of the sending, counts as none: a client is to repeat with the same transactionId (4.1/8).'
    : 'An answer that does not come whole, or does not tell of the sending, counts as none: without a transactionId a client cannot safely repeat it (4.1/3).'

function creation(entry: Entry, given: Kept, reader: EntryReader): string[] {
  const state = toldState(given)
  if (state === undefined) return []
  return [
    creationWords(given.status, hasTransaction(entry, reader)),
    `What a client is to do on ${state}: ${reactions[state]}.`,
  ]
}

function creationWords(status: number, isWithTransaction: boolean): string {
  if (status === 200)
    return 'With a transactionId that is known, or after trouble on the server, it is 200 with the state of the sending (4.1/5).'
  return isWithTransaction
    ? 'Everything was set up under a new transactionId: 201 with a Location (4.1/4).'
    : 'Without a transactionId success means that everything was set up, and the state is CREATED (4.1/3, 3/1).'
}

function leftWords({ delivered, bytesSent }: Entry): string {
  const bytes = counted(bytesSent, 'byte')
  switch (delivered) {
    case 'open':
      return 'No answer has left yet.'
    case 'handed':
      return `It left whole, ${bytes}; that the client has received it cannot be known from here.`
    case 'cut':
      return `It did not leave whole: ${bytes} went out.`
    case 'none':
      return 'Nothing of it left.'
    case 'aborted':
      return `The client left before it was whole; ${bytes} had left.`
    case 'server-stopped':
      return `The mock was stopped before it was whole; ${bytes} had left.`
  }
}
