import type { PlatformStatus } from '../store/platform-status.ts'
import { shorten } from '../store/validation-messages.ts'
import { bodyJson } from './recorded-response.ts'
import { tellsState } from './request-meaning.ts'
import type { Delivery, RequestRecordView } from './request-record.ts'

/** What the client was told and what was true, in words. Reports, verdicts, explanations and messages use these. */

/** An answer, as far as its words need it. */
export interface AnswerFacts {
  readonly status: number
  readonly state?: string | null | undefined
}

/** `201 CREATED`, or the status alone. */
export const answerWords = ({ status, state }: AnswerFacts): string =>
  state === null || state === undefined ? `${status}` : `${status} ${state}`

/** `201 with state CREATED`, in a sentence. */
export const answerPhrase = ({ status, state }: AnswerFacts): string =>
  state === null || state === undefined ? `${status}` : `${status} with state ${shorten(state)}`

/** A response that a fault sent before the one that was meant: `103 with Link: </mailings>; rel=preload`. */
export function informationalWords({ status, headers }: InformationalFacts): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${[value].flat().join(', ')}`)
  return lines.length === 0 ? `${status}` : `${status} with ${lines.join(' and ')}`
}

/** An informational response (1xx), as recorded or as shown. */
interface InformationalFacts {
  readonly status: number
  readonly headers: Readonly<Record<string, string | readonly string[]>>
}

/** How a delivery is described. Each kind of text has a form of its own. */
interface DeliveryWords {
  /** In a finding of the judge: in place of an answer that did not come whole. */
  readonly finding: string
  /** In a row of a text or a page: before the answer that was meant. */
  readonly row: string
  /** In a cell of an exam's report. @param answer what was meant for the client @param fault by which it was applied */
  readonly cell: (answer: string, fault: string) => string
  /** In the summary of an explanation. */
  readonly summary: (answer: string) => string
  /** As a sentence of an explanation. @param bytes how many left, with the noun */
  readonly sentence: (bytes: string) => string
  /** In the message of a failed assertion: after the answer. */
  readonly note: string
}

const deliveryWords: Readonly<Record<Delivery, DeliveryWords>> = {
  open: {
    finding: 'no response yet',
    row: 'nothing yet',
    cell: () => 'nothing yet',
    summary: () => 'no response has left yet',
    sentence: () => 'No response has left yet.',
    note: 'it has no response yet',
  },
  handed: {
    finding: 'no response',
    row: 'nothing',
    cell: answer => answer,
    summary: answer => `answered ${answer}`,
    sentence: bytes => `All of it went out, ${bytes}; whether the client received it is not known.`,
    note: '',
  },
  cut: {
    finding: 'a damaged response',
    row: 'only part',
    cell: (answer, fault) => `only part of ${answer}${fault}`,
    summary: answer => `${answer} was cut on its way`,
    sentence: bytes => `It did not leave whole: ${bytes} went out.`,
    note: 'which broke off',
  },
  none: {
    finding: 'no response',
    row: 'nothing',
    cell: (_, fault) => `nothing${fault}`,
    summary: answer => `${answer} was withheld`,
    sentence: () => 'The client received nothing.',
    note: 'which was withheld',
  },
  aborted: {
    finding: 'no response',
    row: 'nothing, client left',
    cell: () => 'nothing: the client left before its response',
    summary: answer => `the client left before it had ${answer}`,
    sentence: bytes => `The client disconnected before the response was complete; ${bytes} had been sent.`,
    note: 'which was not delivered: the client had disconnected',
  },
  'server-stopped': {
    finding: 'no response',
    row: 'nothing, mock stopped',
    cell: () => 'nothing: the mock was stopped',
    summary: answer => `the mock was stopped before ${answer} had left`,
    sentence: bytes => `The mock was stopped before the response was complete; ${bytes} had been sent.`,
    note: 'but the mock was stopped',
  },
}

/** Each delivery, in the words of a row. */
export const deliveryNames: readonly (readonly [Delivery, string])[] = Object.entries(deliveryWords).map(
  ([delivered, { row }]) => [delivered as Delivery, delivered === 'handed' ? 'whole' : row],
)

/** What a client got in place of a whole answer, in a finding. */
export const undeliveredWords = (delivered: Delivery): string => deliveryWords[delivered].finding

/** How the answer left, as a sentence. @param isUnread see `RequestRecord` */
export function deliverySentence(delivered: Delivery, bytesSent: number, isUnread: boolean): string {
  const bytes = countNoun(bytesSent, 'byte')
  if (isUnread && delivered === 'server-stopped')
    return 'The mock was killed as the response left: the client may have got it.'
  return isUnread
    ? `It left whole, ${bytes}; the client then reset the connection, so it had not read all of it.`
    : deliveryWords[delivered].sentence(bytes)
}

/** What became of an answer, in a summary. */
export const deliverySummary = (answer: string, delivered: Delivery): string =>
  deliveryWords[delivered].summary(answer)

/** An answer as its client reads it: with whatever it calls a state, or why it cannot be used. */
export interface ToldAnswer extends AnswerFacts {
  readonly flaw?: 'unreadable' | 'no state'
}

/** What the client was told. A success that should tell of a sending and does not has a flaw. */
export function toldAnswer({ told, truth, operation }: RequestRecordView): ToldAnswer | null {
  if (!told || told.state !== null || told.status >= 300 || told.body?.isCut) return told
  if (!operation || !tellsState(operation)) return told
  if (truth && truth.body?.text === told.body?.text) return told
  const { status } = told
  const json = bodyJson({ body: told.body?.text ?? '' })
  if (!json) return { status, flaw: 'unreadable' }
  if (typeof json.state === 'string') return { status, state: json.state }
  return operation === 'listSendings' ? told : { status, flaw: 'no state' }
}

/** What the client was told, in a row of a text. */
export const toldWords = (told: ToldAnswer | null, delivered: Delivery): string =>
  delivered === 'handed' && told
    ? shownAnswer(told) + (told.flaw ? `, ${told.flaw}` : '')
    : `${deliveryWords[delivered].row}${told ? ` (${shownAnswer(told)})` : ''}`

/** What the client was told, in a cell of an exam's report. @param fault that was applied to the answer */
export const toldInCell = (
  told:
    | (AnswerFacts & { readonly informational?: readonly Pick<AnswerFacts, 'status'>[] | undefined })
    | null,
  delivered: Delivery,
  fault: string | undefined,
): string =>
  deliveryWords[delivered].cell(
    told ? [...(told.informational ?? []), told].map(answerWords).join(', then ') : 'nothing',
    fault === undefined ? '' : ` (${fault})`,
  )

/** What the client was told, in the message of a failed assertion. */
export const toldInMessage = (told: AnswerFacts | null, delivered: Delivery): string =>
  [`told ${told ? answerWords(told) : 'nothing'}`, deliveryWords[delivered].note].filter(Boolean).join(', ')

/** Whether the client received the true status and state. */
export const tellsTruth = (
  told: AnswerFacts | null | undefined,
  truth: typeof told,
  delivered: Delivery,
): boolean => delivered === 'handed' && told?.status === truth?.status && told?.state === truth?.state

/** What was true of a request: what the service answered, or what refused it before the service was asked. */
export const trueAnswer = (
  { told, truth, delivered }: { told: AnswerFacts | null; truth: AnswerFacts | null; delivered: Delivery },
  isDisturbed: boolean,
): AnswerFacts | null => truth ?? (delivered === 'handed' && !isDisturbed ? told : null)

/** What was true where the client was told just that, and nothing was sent. INDETERMINATE_FAILURE leaves open what was done. */
export const asToldWords = ({ state }: AnswerFacts): string =>
  state === 'INDETERMINATE_FAILURE' ? 'nothing sent by it' : 'as told'

export const truthWords = (truth: AnswerFacts | null): string =>
  truth ? shownAnswer(truth) : 'nothing was done'

const shownAnswer = (answer: AnswerFacts) => withoutControlCharacters(answerWords(answer))

/** Client input may contain anything, including terminal control sequences. */
export const withoutControlCharacters = (text: string): string =>
  text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, '?')

/** `1 attempt`, `2 attempts`. */
export const countNoun = (count: number, noun: string, nouns = `${noun}s`): string =>
  `${count} ${count === 1 ? noun : nouns}`

export const capitalize = (text: string): string => text[0]!.toUpperCase() + text.slice(1)

/** The units of a duration, longest first, in milliseconds. */
const durationUnits = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1_000],
] as const

/** A duration as a control call takes it: `4m12s`. @param milliseconds at least 0 */
export function writtenDuration(milliseconds: number): string {
  let rest = Math.ceil(milliseconds)
  let text = ''
  for (const [unit, length] of [...durationUnits, ['ms', 1] as const]) {
    const count = Math.floor(rest / length)
    rest -= count * length
    if (count > 0) text += `${count}${unit === 'min' ? 'm' : unit}`
  }
  return text || '0s'
}

/** A duration for people: `12 ms`, `1.2 s`, `4 min 50 s`, `2 h`. @param milliseconds at least 0 */
export function durationWords(milliseconds: number): string {
  const whole = Math.round(milliseconds)
  if (whole < 1_000) return `${whole} ms`
  if (whole < 59_950) return `${Number((whole / 1_000).toFixed(1))} s`
  for (const [at, [part, partLength]] of durationUnits.slice(1).entries()) {
    const [unit, length] = durationUnits[at]!
    // Round to the smaller unit first, so that the result is never "60 s".
    const rounded = Math.round(whole / partLength) * partLength
    if (rounded < length) continue
    const rest = Math.floor((rounded % length) / partLength)
    return `${Math.floor(rounded / length)} ${unit}${rest === 0 ? '' : ` ${rest} ${part}`}`
  }
  return `${whole} ms`
}

/** Sendings to lists by what has become of them, as headings and sums have them: `291 sent, 1 scheduled, 2 stopped`. */
export const statusCountWords = (
  { sent, scheduled, stopped }: Readonly<Record<PlatformStatus, number>>,
  sentWords = `${sent} sent`,
): string =>
  [sentWords, scheduled > 0 && `${scheduled} scheduled`, stopped > 0 && `${stopped} stopped`]
    .filter(Boolean)
    .join(', ')

/** The same in a sentence: `2 mailings were sent`, `1 mailing was sent and 1 is scheduled`. */
export function sentClause(sent: number, scheduled: number): string {
  if (sent === 0 && scheduled > 0) return `${countNoun(scheduled, 'mailing is', 'mailings are')} scheduled`
  const clause = `${countNoun(sent, 'mailing was', 'mailings were')} sent`
  return scheduled === 0 ? clause : `${clause} and ${countNoun(scheduled, 'is', 'are')} scheduled`
}

/** What has become of a sending on the platform, in words. */
interface PlatformStatusWords {
  /** As the verb of a sentence, alone and before its time. */
  readonly verb: string
  readonly verbBeforeTime: string
  /** What is counted, in documents. */
  readonly counted: string
  /** The title of a list of such sendings, and what an empty one says; without it an empty one is left out. */
  readonly title: string
  readonly nothing?: string
  /** Of one that was scheduled by its request: what became of it later. Undefined for what is not yet over. */
  readonly later?: (at: string) => string
}

export const platformStatusWords: Readonly<Record<PlatformStatus, PlatformStatusWords>> = {
  sent: {
    verb: 'was sent',
    verbBeforeTime: 'was sent at',
    counted: 'Sendings to lists that have gone out',
    title: 'Sent:',
    nothing: 'nothing',
    later: at => `sent later, at ${at}`,
  },
  scheduled: {
    verb: 'is scheduled',
    verbBeforeTime: 'is scheduled for',
    counted: 'Sendings to lists that go out later',
    title: 'Scheduled for later:',
  },
  stopped: {
    verb: 'was stopped',
    verbBeforeTime: 'was stopped by the platform, and does not go out at',
    counted: 'Sendings to lists that the platform stopped, so that they never go out',
    title: 'Stopped by the platform:',
    later: at => `not sent at ${at}: the platform stopped it`,
  },
}
