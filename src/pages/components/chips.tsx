import type { Delivery } from '../../rig/request-record.ts'
import type { RigView } from '../../rig/space-view.ts'
import {
  type AnswerFacts,
  countNoun,
  durationWords,
  type ToldAnswer,
  tellsTruth,
  toldWords,
} from '../../rig/words.ts'
import type { PlatformStatus, SendingOutcome } from '../../store/platform-status.ts'
import type { SendingState } from '../../store/rows.ts'
import { shorten } from '../../store/validation-messages.ts'
import { dayAndTime } from '../time-text.ts'

/** Colour of a chip. The words say the same, so no meaning depends on colour. */
export type Tone = 'good' | 'mailed' | 'bad' | 'warn' | 'info' | 'odd' | 'calm'

/** Words with a colour. */
export interface Mark {
  readonly tone: Tone
  readonly words: string
  readonly title?: string | undefined
}

/** A word or two in a coloured frame. */
export const Chip = ({ tone, title, children }: Omit<Mark, 'words'> & { children?: string }) => (
  <span class={`chip ${tone}`} title={title}>
    {children}
  </span>
)

/** Leaves out the marks whose condition does not hold. */
export const compactMarks = (marks: readonly (Mark | false)[]): Mark[] => marks.filter(it => it !== false)

/** Marks as chips, one after the other. */
export const Chips = ({ marks }: { marks: readonly (Mark | false)[] }) =>
  compactMarks(marks).flatMap(({ tone, words, title }, at) => [
    at > 0 && ' ',
    <Chip tone={tone} title={title}>
      {words}
    </Chip>,
  ])

/** A scenario in a chip. One that a call defined for the space alone has no name that a reader knows. */
export const scenarioWords = (name: string) => (name === 'own-definition' ? 'unnamed scenario' : name)

/** What disturbs the requests of a space, or has disturbed one: the same on every page. What is over is grey. */
export function disturbanceMarks({ scenarios: inForce, faults, journal }: RigView): Mark[] {
  const active = inForce.active?.scenario.name
  const chosen = new Set(inForce.chosen.map(it => it.active.scenario.name))
  const armed = faults.live.size
  const used = new Set(faults.all().flatMap(({ id, left }) => (left === 0 ? [id] : [])))
  const ended = new Set<string>()
  for (const { decision } of journal.entries())
    if (decision?.by === 'one-shot fault') faults.live.has(decision.scenario) || used.add(decision.scenario)
    else if (decision && decision.scenario !== active && !chosen.has(decision.scenario))
      ended.add(decision.scenario)
  /** A single scenario by its name, several as their number. */
  const scenarios = ([...names]: ReadonlySet<string>, title: string, after: string): Mark | false => {
    const words = names.length === 1 ? scenarioWords(names[0]!) : countNoun(names.length, 'scenario')
    return names.length > 0 && { tone: 'calm', words: words + after, title: `${title}: ${names.join(', ')}` }
  }
  const usedWords = countNoun(used.size, 'used one-shot fault')
  return compactMarks([
    active !== undefined && { tone: 'warn', words: scenarioWords(active), title: active },
    scenarios(chosen, 'Chosen by single requests, for themselves', ', by request'),
    armed > 0 && { tone: 'warn', words: countNoun(armed, 'one-shot fault'), title: 'Armed' },
    used.size > 0 && { tone: 'calm', words: usedWords, title: [...used].join(', ') },
    scenarios(ended, 'Was in force', ', ended'),
  ])
}

const stateTones: Record<SendingState, Tone> = {
  PENDING: 'warn',
  CREATED: 'good',
  FAILED: 'bad',
  INDETERMINATE_FAILURE: 'odd',
}

export const StateChip = ({ state }: { state: SendingState }) => <Chip tone={stateTones[state]}>{state}</Chip>

/** What has become of sendings of the platform, in marks. */
interface StatusMarks {
  /** One to a list, and a test sending. */
  readonly list: Mark
  readonly test: Mark
  /** How many to lists. @param tone of what was sent, which the judge's harm decides */
  readonly count: (count: number, tone: Tone) => Mark
  /** One to a list, at the request that asked for it, if a time says more than the count. */
  readonly one?: (startsAt: number, now: number) => Mark
}

export const statusMarks: Readonly<Record<PlatformStatus, StatusMarks>> = {
  sent: {
    list: { tone: 'mailed', words: 'sent' },
    test: { tone: 'calm', words: 'test mail' },
    count: (count, tone) => ({ tone, words: sentCount(count) }),
  },
  scheduled: {
    list: { tone: 'info', words: 'scheduled' },
    test: { tone: 'calm', words: 'test, scheduled' },
    count: count => ({ tone: 'info', words: count === 1 ? 'scheduled' : `${count} scheduled` }),
    one: (at, now) => {
      const date = dayAndTime(at)
      const when = at - now > dateThreshold ? date.slice(0, 10) : `in ${durationWords(at - now)}`
      return { tone: 'info', words: `goes out ${when}`, title: `Scheduled for ${date}` }
    },
  },
  stopped: {
    list: { tone: 'odd', words: 'stopped', title: 'The platform stopped it: it never goes out' },
    test: { tone: 'calm', words: 'test, stopped' },
    count: count => ({ tone: 'odd', words: count === 1 ? 'stopped' : `${count} stopped` }),
  },
}

/** Times farther away are shown as a date. Milliseconds. */
const dateThreshold = 2 * 86_400_000

/** How often something was sent. Whether that is too often, the judge's harm says. */
export const sentCount = (count: number): string => (count === 1 ? 'sent' : `${count} sent`)

/** What has become of a sending of the platform, and to whom it was. */
export function SendingChip(props: {
  kind: SendingOutcome['kind']
  status: PlatformStatus
  /** Whether nothing is known of the request that asked for it, nor whether it was sent before. */
  isUnrecorded?: boolean
}) {
  const { tone, words } = statusMarks[props.status][props.kind]
  return <Chip tone={props.isUnrecorded ? 'calm' : tone}>{words}</Chip>
}

/** Maximum length of an unknown state, in characters. */
const maxStateLength = 24

/** A state as the client received it, which may be an invalid one. */
function stateMark(state: string): Mark {
  if (Object.hasOwn(stateTones, state)) return { tone: stateTones[state as SendingState], words: state }
  return {
    tone: 'odd',
    words: shorten(state, maxStateLength, '…'),
    title: `No state of the service: ${state}`,
  }
}

/** Maximum length of what a client was told in place of a whole response, in characters. */
const maxToldLength = 60

/** What the client was told: status and state, or in the words of the texts what it got in place of them. */
export function toldMarks(told: ToldAnswer | null, delivered: Delivery): Mark[] {
  if (delivered !== 'handed' || !told)
    return [
      {
        tone: delivered === 'open' ? 'info' : 'odd',
        // What was withheld is no news to the client, and may be no answer of the service.
        words: shorten(toldWords(delivered === 'none' ? null : told, delivered), maxToldLength, '…'),
      },
    ]
  const { status, state, flaw } = told
  if (flaw) return [String(status), flaw].map(words => ({ tone: 'odd', words }))
  const tone = status >= 500 ? 'bad' : status >= 400 ? 'warn' : status >= 300 ? 'info' : 'good'
  return [{ tone, words: String(status) }, ...(state ? [stateMark(state)] : [])]
}

/** The same beside what is true: a response that did not arrive is not named twice. */
export function toldBesideTruth(told: ToldAnswer | null, truth: AnswerFacts | null, delivered: Delivery) {
  const isKnown = delivered !== 'handed' && tellsTruth(told, truth, 'handed')
  return toldMarks(isKnown ? null : told, delivered)
}
