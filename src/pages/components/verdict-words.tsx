import type { z } from 'zod'
import type { verdictQuery } from '../../control/verdict.ts'
import type { VerdictView } from '../../judge/verdict-shape.ts'
import type { Mark, Tone } from './chips.tsx'
import { Quoted } from './elements.tsx'

type Finding = VerdictView['findings'][number]
type Harm = VerdictView['harm']['findings'][number]

export const severityTones: Record<Finding['severity'], Tone> = {
  error: 'bad',
  warning: 'warn',
  information: 'info',
}

/**
 * A finding in short: its rule and severity. An open finding has no warning colour, because nothing is proved: the
 * client may still be waiting to retry.
 */
export const findingMark = ({ rule, severity, status, title }: Finding): Mark =>
  status === 'open'
    ? { tone: 'calm', words: `${rule} open`, title: `${title}? The server cannot know so far` }
    : { tone: severityTones[severity], words: `${rule} ${severity}`, title }

/** Each kind of harm in a word and in a sentence. */
const harmWords: Record<Harm['kind'], { readonly words: string; readonly sense: string }> = {
  DOUBLE: { words: 'sent twice', sense: 'It was sent more often than was meant.' },
  ASTRAY: { words: 'went astray', sense: 'It was sent for another synchronization than was meant.' },
  LOST: { words: 'lost', sense: 'It was not sent, and the client believes that it was.' },
  'GIVEN-UP': { words: 'given up', sense: 'It was not sent, and the client knows or fears so.' },
  UNAWARE: { words: 'sent unnoticed', sense: 'It was sent, and the client believes that it was not.' },
  CONTENT: {
    words: 'other content',
    sense: 'It was sent with other content than the client last asked for.',
  },
  TIME: { words: 'other time', sense: 'It goes out at another time than was asked for last, or was meant.' },
  ORPHAN: { words: 'orphan', sense: 'A mailing was made on the platform and never sent.' },
}

/** Harm in a few words. An orphan harms only the platform. */
export const harmMark = (
  { kind, status }: Pick<Harm, 'kind' | 'status'>,
  title = harmWords[kind].sense,
): Mark => ({
  tone: kind === 'ORPHAN' ? 'odd' : 'bad',
  words: harmWords[kind].words + (status === 'open' ? '?' : ''),
  title,
})

/** Each kind of harm once, certain harm in place of possible harm. */
export function harmMarks(harm: readonly Harm[]): Mark[] {
  const certainLast = [...harm].sort((one, other) => (one.status < other.status ? 1 : -1))
  return [...new Map(certainLast.map(it => [it.kind, harmMark(it, it.sentence)])).values()]
}

/** How often something was sent. Whether that is too often, the judge's harm says. */
export const sentCount = (count: number): string => (count === 1 ? 'sent' : `${count} sent`)

/** A sentence of the judge with links to the requests that it names. */
export function JudgeSentence(props: {
  text: string
  evidence: readonly string[]
  href: (requestId: string) => string
}) {
  const { text, evidence, href } = props
  const known = new Set(evidence)
  return (
    <>
      {text.split(/(\br\d+-\d+\b)/).map(part =>
        known.has(part) ? (
          <a class="word" href={href(part)}>
            {part}
          </a>
        ) : (
          <Quoted text={part} />
        ),
      )}
    </>
  )
}

export type VerdictQuery = z.output<typeof verdictQuery>
/** What only the person who ran the client knows, as query parameters. */
type ClientReport = Pick<VerdictQuery, 'believes' | 'expected' | 'workers'>

/** The same as pairs for another address; empty when nothing was given. Workers count only together with a belief. */
export const clientReportPairs = ({ believes, expected, workers }: ClientReport): Record<string, string> =>
  believes
    ? { believes, expected: String(expected ?? 1), workers: String(workers) }
    : expected === undefined
      ? {}
      : { expected: String(expected) }
