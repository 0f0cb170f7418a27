import type { Delivery } from '../../rig/request-record.ts'
import type { AnswerFacts } from '../../rig/words.ts'
import type { SendingState } from '../../store/rows.ts'

/** Colour of a chip. The words say the same, so no meaning depends on colour. */
export type Tone = 'good' | 'bad' | 'warn' | 'info' | 'odd' | 'calm'

/** A word or two in a coloured frame. */
export function Chip({
  tone,
  title,
  children,
}: {
  tone: Tone
  title?: string | undefined
  children?: string
}) {
  return (
    <span class={`chip ${tone}`} title={title}>
      {children}
    </span>
  )
}

/** Words with a colour. */
export interface Mark {
  readonly tone: Tone
  readonly words: string
  readonly title?: string
}

/** Marks as chips, one after the other. */
export const Chips = ({ marks }: { marks: readonly Mark[] }) =>
  marks.flatMap(({ tone, words, title }, at) => [
    at > 0 && ' ',
    <Chip tone={tone} title={title}>
      {words}
    </Chip>,
  ])

/** Texts of clients have any length, so a list truncates them. @param most characters */
export const truncate = (text: string, most: number): string =>
  text.length > most ? `${text.slice(0, most - 1)}…` : text

const stateTones: Record<SendingState, Tone> = {
  PENDING: 'warn',
  CREATED: 'good',
  FAILED: 'bad',
  INDETERMINATE_FAILURE: 'odd',
}

export const StateChip = ({ state }: { state: SendingState }) => <Chip tone={stateTones[state]}>{state}</Chip>

/** Whether a sending of the platform went out, and to whom it was. */
export const SendingChip = ({ kind, isSent }: { kind: 'list' | 'test'; isSent: boolean }) =>
  kind === 'test' ? (
    <Chip tone="calm">{isSent ? 'test mail' : 'test, scheduled'}</Chip>
  ) : (
    <Chip tone={isSent ? 'good' : 'info'}>{isSent ? 'sent' : 'scheduled'}</Chip>
  )

/** Maximum length of an unknown state, in characters. */
const maxStateLength = 24

/** A state as the client received it, which may be an invalid one. */
export function stateMark(state: string): Mark {
  if (Object.hasOwn(stateTones, state)) return { tone: stateTones[state as SendingState], words: state }
  return { tone: 'odd', words: truncate(state, maxStateLength), title: `No state of the service: ${state}` }
}

/** What happened to a response that was not simply sent. */
const deliveryWords: Record<Delivery, string> = {
  handed: '',
  open: 'open',
  cut: 'cut',
  none: 'withheld',
  aborted: 'client left',
  'server-stopped': 'mock stopped',
}

/** Whether any part of a response reached the client, as far as the server can tell. */
const reachedClient = (delivered: Delivery): boolean => delivered === 'handed' || delivered === 'cut'

/**
 * The status that was sent, or would have been sent, and what happened to it.
 * @param status undefined when there was no response
 */
export function statusMark(status: number | undefined, delivered: Delivery): Mark {
  const fate = deliveryWords[delivered]
  const words = [status === undefined ? '' : String(status), fate].filter(Boolean).join(' ') || 'no response'
  return { tone: toneOf(status, delivered), words }
}

/** What the client was told, and whether it arrived. Without a state if the client did not receive one. */
export const toldMarks = (told: AnswerFacts | null | undefined, delivered: Delivery): Mark[] => [
  statusMark(told?.status, delivered),
  ...(told?.state && reachedClient(delivered) ? [stateMark(told.state)] : []),
]

/** Whether the client received the true status and state. */
export const tellsTruth = (
  told: AnswerFacts | null | undefined,
  truth: AnswerFacts | null | undefined,
  delivered: Delivery,
): boolean => delivered === 'handed' && told?.status === truth?.status && told?.state === truth?.state

function toneOf(status: number | undefined, delivered: Delivery): Tone {
  if (delivered === 'open') return 'info'
  if (delivered !== 'handed' || status === undefined) return 'odd'
  if (status >= 500) return 'bad'
  return status >= 400 ? 'warn' : status >= 300 ? 'info' : 'good'
}
