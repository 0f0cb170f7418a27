import { isHeard, type Mark, stateMark, statusMark } from '../components/chips.tsx'
import { dayAndTime } from '../relative.ts'
import type { AttemptStep, ReadStep, Step } from './lanes.ts'
import { lengthText } from './lanes-lengths.ts'
import { isLater } from './lanes-steps.ts'

/** What stands above or below a step. */
export interface Label {
  /** In small letters, farthest from the line; empty for none. */
  readonly note: string
  /** Each a row of chips, the nearest to the line first. */
  readonly rows: readonly (readonly Mark[])[]
}

const nothing: Label = { note: '', rows: [] }
/** Exchanges that took longer say so, in milliseconds. */
const long = 1_000
/** What is farther away is told by its date, in milliseconds. */
const farAway = 2 * 86_400_000

/** What the client was told. */
export function toldLabel(step: Step): Label {
  if (step.what === 'attempt') return { note: notes(step).join(' · '), rows: [toldMarks(step)] }
  if (step.what === 'read') return { note: readWords(step), rows: [readMarks(step)] }
  if (step.what === 'hidden') return { note: `${step.count} more`, rows: [] }
  return nothing
}

export function toldMarks({ attempt: { told, delivered } }: AttemptStep): Mark[] {
  return [
    statusMark(told?.status, delivered),
    ...(told?.state && isHeard(delivered) ? [stateMark(told.state)] : []),
  ]
}

export const readMarks = ({ status, state, delivered }: ReadStep): Mark[] => [
  statusMark(status, delivered),
  ...(state === undefined ? [] : [stateMark(state)]),
]

export const readWords = ({ isList }: ReadStep): string => (isList ? 'looked at all' : 'looked')

/** What is particular about an attempt. */
export function notes({ attempt, letter, begins, ends }: AttemptStep): string[] {
  const { disturbance, by, told } = attempt
  const took = ends && Math.max(ends.real - begins.real, ends.clock - begins.clock)
  return [
    ...(letter ? [`ID ${letter}`] : []),
    ...(disturbance ? [disturbanceWords(disturbance)] : []),
    ...(by === 'transport' ? ['resent by transport'] : by === 'rig' ? ['second delivery'] : []),
    ...(took !== undefined && took >= long ? [`after ${lengthText(took)}`] : []),
    ...(told?.retryAfter ? [`Retry-After ${told.retryAfter}`] : []),
  ]
}

function disturbanceWords({ scenario, fault }: NonNullable<AttemptStep['attempt']['disturbance']>): string {
  return fault === null || scenario.includes(fault) ? scenario : `${scenario}: ${fault}`
}

/** What was true. */
export function truthLabel(step: Step, now: number): Label {
  if (step.what === 'sent') return { note: '', rows: [[sentMark(1)]] }
  if (step.what !== 'attempt') return nothing
  const truth = truthMarks(step)
  const effects = effectMarks(step, now)
  if (truth.length === 0 && effects.length === 0) return { note: unchanged(step), rows: [] }
  return { note: '', rows: [truth, effects].filter(({ length }) => length > 0) }
}

/** Whether the client was told just what is true. */
function isToldTrue({ attempt: { told, truth, delivered } }: AttemptStep): boolean {
  return delivered === 'handed' && told?.status === truth?.status && told?.state === truth?.state
}

/** What the service answered in truth, where that is not what was told. */
export function truthMarks(step: AttemptStep): Mark[] {
  const { truth } = step.attempt
  if (!truth || isToldTrue(step)) return []
  return [statusMark(truth.status, 'handed'), ...(truth.state ? [stateMark(truth.state)] : [])]
}

/** What it brought about on the platform. */
export function effectMarks(step: AttemptStep, now: number): Mark[] {
  const early = step.sendings.filter(it => !isLater(step, it))
  const sent = early.filter(({ status }) => status === 'sent').length
  const scheduled = early.filter(({ status }) => status === 'scheduled')
  const orphans = step.mailings.filter(({ isOrphan }) => isOrphan).length
  return [
    ...(sent > 0 ? [sentMark(sent)] : []),
    ...scheduled.map(({ startsAt }) => scheduledMark(Date.parse(startsAt), now)),
    ...(orphans > 0
      ? [{ tone: 'odd', words: 'orphan mailing', title: 'Made on the platform and never sent' } as const]
      : []),
  ]
}

function scheduledMark(at: number, now: number): Mark {
  const date = dayAndTime(at)
  const when = at - now > farAway ? date.slice(0, 10) : `in ${lengthText(at - now)}`
  return { tone: 'info', words: `goes out ${when}`, title: `Scheduled for ${date}` }
}

const sentMark = (count: number): Mark =>
  count === 1 ? { tone: 'good', words: 'went out' } : { tone: 'bad', words: `went out ${count} times` }

/** Where nothing differs and nothing came of it. */
export function unchanged({ attempt: { truth, delivered, disturbance } }: AttemptStep): string {
  if (truth) return 'as told'
  if (delivered === 'open') return 'not yet'
  return disturbance ? 'nothing done' : 'never asked'
}

/**
 * How long nothing happened between two steps; undefined where nothing is to be said. Told on the space's clock, or on the
 * machine's where the space's clock stood.
 */
export function pauseText(before: Step, after: Step): string | undefined {
  if (!before.ends || after.what === 'sent' || after.what === 'hidden') return undefined
  const real = after.begins.real - before.ends.real
  const clock = after.begins.clock - before.ends.clock
  if (after.what === 'attempt' && after.attempt.clockMoved)
    return `${clock < 0 ? '−' : ''}${lengthText(Math.abs(clock))}, clock moved`
  if (real < 1 && clock < 1) return undefined
  return clock >= real * 0.9 ? lengthText(clock) : `${lengthText(real)} of real time`
}

/** All of an attempt in one sentence. */
export function sentence(step: AttemptStep, now: number): string {
  const told = toldMarks(step).map(({ words }) => words)
  const marks = [...truthMarks(step), ...effectMarks(step, now)].map(({ words }) => words)
  const truth = marks.length > 0 ? marks : [unchanged(step)]
  return [
    `Attempt ${step.number}, told ${told.join(' ')}, true: ${truth.join(' ')}`,
    ...notes(step),
    ...step.findings.map(
      ({ rule, severity, status, title }) =>
        `${rule} ${severity}${status === 'open' ? ', it seems' : ''}: ${title}`,
    ),
  ].join('; ')
}
