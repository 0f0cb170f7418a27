import type { Delivered } from '../../rig/entry.ts'
import type { SendingState } from '../../store/rows.ts'

/** How a chip looks. The words in it say the same, for whoever does not see colours. */
export type Tone = 'good' | 'bad' | 'warn' | 'info' | 'odd' | 'calm'

/** A word or two in a coloured frame. */
export function Chip({ tone, title, children }: { tone: Tone; title?: string; children?: string }) {
  return (
    <span class={`chip ${tone}`} title={title}>
      {children}
    </span>
  )
}

/** A word with its colour. */
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

/** Longest word that is shown of what stands as a state. */
const longestState = 24

/** What was told as the state of a sending, which may be none that there is. */
export function stateMark(state: string): Mark {
  if (Object.hasOwn(stateTones, state)) return { tone: stateTones[state as SendingState], words: state }
  const words = state.length > longestState ? `${state.slice(0, longestState - 1)}…` : state
  return { tone: 'odd', words, title: `No state of the service: ${state}` }
}

/** What became of an answer that did not simply leave. */
const fates: Record<Delivered, string> = {
  handed: '',
  open: 'open',
  cut: 'cut',
  none: 'withheld',
  aborted: 'client left',
  'server-stopped': 'mock stopped',
}

/** Whether anything of an answer reached the client, as far as the server can tell. */
export const isHeard = (delivered: Delivered): boolean => delivered === 'handed' || delivered === 'cut'

/**
 * The status that a client was told, or was to be told, and what became of it.
 * @param status undefined where no answer was made
 */
export function statusMark(status: number | undefined, delivered: Delivered): Mark {
  const fate = fates[delivered]
  const words = [status === undefined ? '' : String(status), fate].filter(Boolean).join(' ') || 'no answer'
  return { tone: toneOf(status, delivered), words }
}

/** As `statusMark`. */
export function StatusChip({ status, delivered }: { status: number | undefined; delivered: Delivered }) {
  const { tone, words } = statusMark(status, delivered)
  return <Chip tone={tone}>{words}</Chip>
}

function toneOf(status: number | undefined, delivered: Delivered): Tone {
  if (delivered === 'open') return 'info'
  if (delivered !== 'handed' || status === undefined) return 'odd'
  if (status >= 500) return 'bad'
  return status >= 400 ? 'warn' : status >= 300 ? 'info' : 'good'
}
