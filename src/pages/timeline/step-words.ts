import { groupBy } from '../../judge/grouping.ts'
import { asToldWords, durationWords, trueAnswer, truthWords } from '../../rig/words.ts'
import { platformStatuses } from '../../store/platform-status.ts'
import {
  compactMarks,
  type Mark,
  scenarioWords,
  statusMarks,
  toldBesideTruth,
  toldMarks,
} from '../components/chips.tsx'
import type { Attempt, AttemptStep, ReadStep, Step } from './lanes.ts'

/** The duration of longer attempts is shown. Milliseconds. */
const longAttempt = 1_000

export const responseMarks = ({ told, attempt: { truth, delivered } }: AttemptStep): Mark[] =>
  toldBesideTruth(told, truth, delivered)

export const describeRead = ({ isList }: ReadStep): string =>
  isList ? 'read the list of sendings' : 'read the sending'

/** What is special about an attempt. */
export function attemptNotes({ attempt, letter, begins, ends }: AttemptStep): string[] {
  const { disturbance, by, told } = attempt
  const took = ends && Math.max(ends.real - begins.real, ends.clock - begins.clock)
  return [
    letter && `ID ${letter}`,
    disturbance && describeDisturbance(disturbance),
    by === 'transport' && 'perhaps resent by transport',
    by === 'rig' && 'second delivery',
    took !== undefined && took >= longAttempt && `took ${durationWords(took).replace(' ', '\u00a0')}`,
    told?.retryAfter && `Retry-After ${told.retryAfter}`,
  ].filter(note => typeof note === 'string')
}

function describeDisturbance({ scenario, fault }: NonNullable<Attempt['disturbance']>): string {
  const words = scenarioWords(scenario)
  return fault === null || scenario.includes(fault) ? words : `${words}: ${fault}`
}

/** The true response, if it differs from what the client was told. */
export const truthMarks = ({ attempt: { truth }, isTrue }: AttemptStep): Mark[] =>
  !truth || isTrue ? [] : toldMarks(truth, 'handed')

/** What the attempt caused on the platform. */
export function effectMarks(step: AttemptStep, now: number, tone: Mark['tone'] = 'good'): Mark[] {
  const byStatus = groupBy(
    step.sendings.filter(it => !step.sentLater.includes(it)),
    ({ status }) => status,
  )
  const orphans = step.mailings.filter(({ isOrphan }) => isOrphan).length
  return compactMarks([
    ...platformStatuses.flatMap(status => {
      const sendings = byStatus.get(status) ?? []
      const { one, count } = statusMarks[status]
      if (one) return sendings.map(({ startsAt }) => one(Date.parse(startsAt), now))
      return sendings.length > 0 ? [count(sendings.length, tone)] : []
    }),
    orphans > 0 && { tone: 'odd', words: 'orphan mailing', title: 'Made on the platform and never sent' },
  ])
}

/** Words for an attempt without effects and without a difference. */
export function noEffectText({ attempt }: AttemptStep): string {
  const truth = trueAnswer(attempt, attempt.disturbance !== null)
  if (truth) return asToldWords(truth)
  return attempt.delivered === 'open' ? 'not yet' : truthWords(null)
}

/** The pause between two steps, if one is to be shown: by the space's clock, or in real time when it was frozen. */
export function pauseText(before: Step, after: Step): string | undefined {
  if (!before.ends || after.what === 'sent' || after.what === 'hidden') return undefined
  const real = after.begins.real - before.ends.real
  const clock = after.begins.clock - before.ends.clock
  if (after.what === 'attempt' && after.attempt.clockMoved)
    return `${clock < 0 ? '−' : ''}${durationWords(Math.abs(clock))}, clock moved`
  if (real < 1 && clock < 1) return undefined
  // The clock is in whole milliseconds.
  return clock >= real * 0.9 || real - clock < 2 ? durationWords(clock) : `${durationWords(real)} (real time)`
}

/** An attempt in one sentence. */
export function describeAttempt(step: AttemptStep, now: number): string {
  const told = responseMarks(step).map(({ words }) => words)
  const marks = [...truthMarks(step), ...effectMarks(step, now)].map(({ words }) => words)
  const truth = marks.length > 0 ? marks : [noEffectText(step)]
  return [
    `${step.attempt.requestId}, told ${told.join(' ')}, true: ${truth.join(' ')}`,
    ...attemptNotes(step),
    ...step.findings.map(
      ({ rule, severity, status, title }) =>
        `${rule} ${severity}${status === 'open' ? ', it seems' : ''}: ${title}`,
    ),
  ].join('; ')
}
