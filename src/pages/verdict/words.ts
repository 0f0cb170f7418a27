import type { VerdictView } from '../../rig/control/verdict-shape.ts'
import type { Mark, Tone } from '../components/chips.tsx'

type Finding = VerdictView['findings'][number]
type HarmKind = VerdictView['harm']['findings'][number]['kind']

export const severityTones: Record<Finding['severity'], Tone> = {
  error: 'bad',
  warning: 'warn',
  information: 'info',
}

/**
 * A finding in short: its rule and how grave it is. As long as the judge holds it open nothing is proved, and nothing is
 * coloured as if it were: the client may only be waiting to ask again.
 */
export const findingMark = ({ rule, severity, status, title }: Finding): Mark =>
  status === 'open'
    ? { tone: 'calm', words: `${rule} still open`, title: `${title}? The server cannot know so far` }
    : { tone: severityTones[severity], words: `${rule} ${severity}`, title }

/** What came of it, in a word and in a sentence. */
export const harmWords: Record<HarmKind, { readonly words: string; readonly sense: string }> = {
  DOUBLE: { words: 'sent too often', sense: 'It went out more often than was meant.' },
  ASTRAY: { words: 'went astray', sense: 'It went out for another synchronization than was meant.' },
  LOST: { words: 'lost', sense: 'It was not sent, and the client believes that it was.' },
  'GIVEN-UP': { words: 'given up', sense: 'It was not sent, and the client knows or fears so.' },
  UNAWARE: { words: 'sent unawares', sense: 'It was sent, and the client believes that it was not.' },
  CONTENT: { words: 'other content', sense: 'It went out otherwise than the client asked for last.' },
  TIME: { words: 'other time', sense: 'It goes out at another time than was asked for last, or was meant.' },
  ORPHAN: { words: 'orphan', sense: 'A mailing was made on the platform and never sent.' },
}
