import type { EntryReader } from '../entry-reader.ts'
import { toldState } from '../entry-reader.ts'
import type { Entry, Kept } from '../journal.ts'
import type { Known } from './known.ts'
import { refusalIn, sectionOf } from './refusals.ts'
import { counted, faultWords, reactions } from './words.ts'

/** What the client was told, and how it left. */
export function told(entry: Entry, { reader }: Pick<Known, 'reader'>): string[] {
  const { told: given, truth } = entry
  if (!given) return [leftWords(entry)]
  return [
    isTrue(given, truth)
      ? `The answer was ${statusAndState(given)}, which is the truth.`
      : truth
        ? `The answer was ${statusAndState(given)}; the true one would have been ${statusAndState(truth)}.`
        : `The answer was ${statusAndState(given)}.`,
    ...clause(entry, given, reader),
    ...leaving(entry),
  ]
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
  given.body.toString() === truth.body.toString()

/** The clause of the document behind an answer that nothing has disturbed. */
function clause(entry: Entry, given: Kept, reader: EntryReader): string[] {
  const { decision, truth } = entry
  const { status } = given
  const operation = reader.operation(entry)
  if (status >= 400 && status < 500 && (isTrue(given, truth) || !truth)) {
    if (decision && !truth) return []
    const { title, detail, clause: section } = refusalIn(given, operation)
    return [`${title}${detail ? `: ${detail}` : ''}. What refuses it: ${section}.`]
  }
  if (operation === 'createSending') return creation(entry, given, reader)
  if (decision || status >= 400) return []
  return [`That is the answer of ${sectionOf(operation)}, undisturbed.`]
}

function creation(entry: Entry, given: Kept, reader: EntryReader): string[] {
  const hasTransaction = reader.transactionId(entry) !== undefined
  const state = toldState(given)
  if (given.status >= 500)
    return hasTransaction
      ? ['After a 5xx a client repeats with the same transactionId to learn the outcome (4.1/8).']
      : ['Without a transactionId a client cannot safely repeat it: the outcome is unknown to it (4.1/3).']
  if (state === undefined) return []
  const says =
    given.status === 201
      ? hasTransaction
        ? 'Everything was set up, and the transactionId was new: 201 with a Location (4.1/4).'
        : 'Without a transactionId success means that everything was set up, and the state is CREATED (4.1/3, 3/1).'
      : 'A transactionId that is known, or trouble on the server: 200 with the state of the sending (4.1/5).'
  return [says, `On ${state} a client is to do this: ${reactions[state]}.`]
}

function leaving(entry: Entry): string[] {
  const { decision } = entry
  const answer = decision?.step.answer
  const fault = answer && 'fault' in answer ? answer.fault : undefined
  return [...(fault === undefined ? [] : [`Fault "${fault}": ${faultWords(fault)}`]), leftWords(entry)]
}

function leftWords({ delivered, bytesSent }: Entry): string {
  const bytes = counted(bytesSent, 'byte')
  switch (delivered) {
    case 'open':
      return 'No answer has left yet.'
    case 'handed':
      return `It left whole, ${bytes}; that the client has received it cannot be known from here.`
    case 'cut':
      return `Only ${bytes} of it left before the fault ended it.`
    case 'none':
      return 'Nothing of it left.'
    case 'aborted':
      return `The client left before it was whole; ${bytes} had left.`
    case 'server-stopped':
      return `The mock was stopped before it was whole; ${bytes} had left.`
  }
}
