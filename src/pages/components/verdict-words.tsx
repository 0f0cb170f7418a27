import { groupBy } from '../../judge/grouping.ts'
import { harmName } from '../../judge/harm.ts'
import type { VerdictView } from '../../judge/verdict-shape.ts'
import { isRepeatRule } from '../../judge/verdict-text.ts'
import type { Belief } from '../../rig/scenarios/terms.ts'
import { countNoun, trueAnswer } from '../../rig/words.ts'
import type { SpaceProps } from '../page-call.ts'
import type { Mark, Tone } from './chips.tsx'
import { Quoted } from './elements.tsx'

type Finding = VerdictView['findings'][number]
type HarmView = VerdictView['harm']
type Sending = VerdictView['sendings'][number]

/** Whether the service refused an attempt. A refusal that a scenario invented is a disturbance. */
export function isRefused(attempt: Sending['attempts'][number]): boolean {
  const status = trueAnswer(attempt, attempt.disturbance !== null)?.status ?? 0
  return status >= 400 && status < 500
}

/** Whether all attempts were refused, so that the client intended no sending as it asked for it. */
export const isRefusedSending = ({ attempts }: Sending): boolean => attempts.every(isRefused)

export const severityTones: Record<Finding['severity'], Tone> = {
  error: 'bad',
  warning: 'warn',
  information: 'info',
}

/**
 * A finding in short: its rule and severity. An open finding has no warning colour, because nothing is proved: the
 * client may still be waiting to retry. One for which the verdict is suspected has that verdict's name and colour. Information
 * accuses nobody, so it is no question.
 * @param isSuspected whether the verdict is
 */
export function findingMark({ rule, severity, status, title }: Finding, isSuspected: boolean): Mark {
  const isOpen = status === 'open'
  const doubt = `${title}? The server cannot know so far`
  if (!isOpen || severity === 'information')
    return { tone: severityTones[severity], words: `${rule} ${severity}`, title: isOpen ? doubt : title }
  return isSuspected && isRepeatRule(rule)
    ? { tone: 'bad', words: `${rule} suspected`, title: doubt }
    : { tone: 'calm', words: `${rule} open`, title: doubt }
}

/** Each kind of harm once, certain or possible. An orphan harms only the platform. */
export function harmMarks({ findings, expected }: Pick<HarmView, 'findings' | 'expected'>): Mark[] {
  // Where the number is proved, what looks like a repeat is part of it.
  const isCounted = findings.some(({ surplus }) => surplus !== undefined)
  const shown = findings.filter(it => !(isCounted && it.kind === 'DOUBLE' && it.status === 'open'))
  const kinds = [...groupBy(shown, ({ status, kind }) => `${status} ${kind}`).values()]
  return kinds.map(all => {
    const [{ kind, sentence }, ...more] = all
    return {
      tone: kind === 'ORPHAN' ? 'odd' : 'bad',
      words: harmName(all, expected),
      title: more.length > 0 ? `${sentence} And ${more.length} more of the kind.` : sentence,
    }
  })
}

/** A sentence of the judge with links to the requests that it names. @param props.evidence those with a page; else all */
export function JudgeSentence(props: {
  text: string
  evidence?: readonly string[]
  href: (requestId: string) => string
}) {
  const { text, evidence, href } = props
  const isLinked = (id: string) => evidence === undefined || evidence.includes(id)
  return (
    <>
      {text.split(/(\br\d+-\d+\b)/).map((part, at) => {
        if (at % 2 === 0) return <Quoted text={part} />
        return isLinked(part) ? (
          <a class="word" href={href(part)}>
            {part}
          </a>
        ) : (
          <span class="word">{part}</span>
        )
      })}
    </>
  )
}

/** What the client reports. @param expected how many mailings were meant */
export function beliefWords(belief: Belief, expected: number | null): string {
  if (belief === 'unknown') return 'It does not know'
  const isSent = belief === 'sent'
  if (expected !== null && expected > 1) return isSent ? 'All were sent' : 'Not all were sent'
  return isSent ? 'It was sent' : 'It was not sent'
}

/** For which end of the client a page is shown; where the address says it, with a link to the same page without it. */
export function ShownFor({ call, rig }: SpaceProps) {
  const { believes, expected, workers } = call.end
  if (expected === undefined && workers === undefined) return null
  const counts = [
    expected !== undefined && `${countNoun(expected, 'mailing')} to send`,
    workers !== undefined && `${countNoun(workers, 'worker')} at a time`,
  ]
  const rest = new URL(call.request.url).searchParams
  for (const name of Object.keys(call.end)) rest.delete(name)
  return (
    <p>
      Shown for: {believes && <strong>{beliefWords(believes, expected ?? null)}</strong>}
      {believes && ', with '}
      {counts.filter(Boolean).join(' and ')}
      {call.end === call.tools.run.endOf(rig)
        ? ', as the last call for the verdict said.'
        : ['. ', <a href={`?${rest}`}>Take it back</a>, '.']}
    </p>
  )
}
