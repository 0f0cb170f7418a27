import type { Delivery } from '../../rig/request-record.ts'
import type { SendingState } from '../../store/rows.ts'

/** Colour of a chip. The words say the same, so no meaning depends on colour. */
export type Tone = 'good' | 'bad' | 'warn' | 'info' | 'odd' | 'calm'

/** A word or two in a coloured frame. */
export function Chip({ tone, title, children }: { tone: Tone; title?: string; children?: string }) {
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

const stateTones: Record<SendingState, Tone> = {
  PENDING: 'warn',
  CREATED: 'good',
  FAILED: 'bad',
  INDETERMINATE_FAILURE: 'odd',
}

/** The state of a sending. */
export const StateChip = ({ state }: { state: SendingState }) => <Chip tone={stateTones[state]}>{state}</Chip>

/** Whether a sending of the platform went out, and to whom it was. */
export const SendingChip = ({ kind, isSent }: { kind: 'list' | 'test'; isSent: boolean }) =>
  kind === 'test' ? (
    <Chip tone="calm">{isSent ? 'test mail' : 'test, scheduled'}</Chip>
  ) : (
    <Chip tone={isSent ? 'good' : 'info'}>{isSent ? 'went out' : 'scheduled'}</Chip>
  )

/** Maximum length of an unknown state, in characters. */
const maxStateLength = 24

/** A state as the client received it, which may be an invalid one. */
export function stateMark(state: string): Mark {
  if (Object.hasOwn(stateTones, state)) return { tone: stateTones[state as SendingState], words: state }
  const words = state.length > maxStateLength ? `${state.slice(0, maxStateLength - 1)}…` : state
  return { tone: 'odd', words, title: `No state of the service: ${state}` }
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
export const reachedClient = (delivered: Delivery): boolean => delivered === 'handed' || delivered === 'cut'

/**
 * The status that was sent, or would have been sent, and what happened to it.
 * @param status undefined when there was no response
 */
export function statusMark(status: number | undefined, delivered: Delivery): Mark {
  const fate = deliveryWords[delivered]
  const words = [status === undefined ? '' : String(status), fate].filter(Boolean).join(' ') || 'no answer'
  return { tone: toneOf(status, delivered), words }
}

/** As `statusMark`. */
export function StatusChip({ status, delivered }: { status: number | undefined; delivered: Delivery }) {
  const { tone, words } = statusMark(status, delivered)
  return <Chip tone={tone}>{words}</Chip>
}

function toneOf(status: number | undefined, delivered: Delivery): Tone {
  if (delivered === 'open') return 'info'
  if (delivered !== 'handed' || status === undefined) return 'odd'
  if (status >= 500) return 'bad'
  return status >= 400 ? 'warn' : status >= 300 ? 'info' : 'good'
}
