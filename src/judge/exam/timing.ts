import { monitorEventLoopDelay } from 'node:perf_hooks'
import { asksForSending } from '../../rig/request-meaning.ts'
import type { RequestRecord } from '../../rig/request-record.ts'
import type { SpaceView } from '../../rig/space-view.ts'
import { shortestTimeout } from '../knowledge.ts'
import type { CaseTime } from './case-time.ts'
import { type CaseFinding, type CaseResult, withoutFindings } from './exam-result.ts'

/** Starts to measure how late this machine is. @returns ends it, and tells the most, in real milliseconds */
export type DelayMeter = () => () => number

/** How late the timers of this process fire; clients beside it are as late. */
export const machineDelay: DelayMeter = () => {
  const resolution = 10
  const histogram = monitorEventLoopDelay({ resolution })
  histogram.enable()
  return () => {
    histogram.disable()
    return Math.max(0, histogram.max / 1e6 - resolution)
  }
}

/** Real milliseconds; a machine that is never later decides nothing. */
const toleratedDelay = 50

/** Milliseconds of the space's clock: a client that ends so long after its last request may have tried as long as it must. */
const patience = 4 * 60_000

/** First pauses that are looked at. */
const firstPauses = 4

/**
 * What an idle machine might show otherwise: a finding less, or a rule about pauses more. Undefined for nothing.
 * @param meterDelay real milliseconds by which the machine was late at most
 * @param silence milliseconds of the space's clock from the client's last request to its end
 * @param time of a client that asks for its waits; undefined for real time
 */
export function findTimingDoubt(
  result: CaseResult,
  rig: SpaceView,
  meterDelay: number,
  silence: number,
  time?: Pick<CaseTime, 'speed' | 'longestSilence'>,
) {
  const delay = Math.max(meterDelay, time?.longestSilence ?? 0)
  if (delay <= toleratedDelay) return undefined
  const records = rig.journal.entries()
  const mayEndClients = delay >= shortestTimeout(time?.speed ?? rig.clock.rate)
  const mayHaveTried = !time && silence >= patience
  // Of findings that the delay may have brought about.
  const rules: ReadonlySet<string> = new Set(
    result.findings
      .filter(
        it =>
          !(time && pauseRules.has(it.rule)) &&
          doubts[it.rule]?.(records, it, { mayEndClients, mayHaveTried }),
      )
      .map(({ rule }) => rule),
  )
  const isUnproved = result.status === 'inconclusive' && records.length > 0 && result.struck !== false
  const mayHideEqualPauses = result.status === 'passed' && !time && mayPauseAlike(rig, delay)
  return rules.size > 0 || isUnproved || mayHideEqualPauses ? { delay, rules, mayHideEqualPauses } : undefined
}

/** Milliseconds of the space's clock since its last request ended. */
export function silenceOf({ journal, clock }: SpaceView): number {
  const last = journal.entries().at(-1)
  return last ? clock.now() - (last.ended ?? last.arrived).clock : 0
}

/** @param machine what it may have brought about */
type Doubt = (
  records: readonly RequestRecord[],
  finding: CaseFinding,
  machine: {
    /** It was so late that a client may have given up what the server answered at once. */
    readonly mayEndClients: boolean
    /** The client may have gone on with attempts that never arrived: it ends them while its program or connection starts. */
    readonly mayHaveTried: boolean
  },
) => boolean

/** The client's own deadline passed, though the answer was not disturbed. */
const isLeftUndisturbed: Doubt = records =>
  records.some(({ delivered, decision }) => delivered === 'aborted' && !decision)

const mayHaveGoneOn: Doubt = (_, __, { mayHaveTried }) => mayHaveTried

/**
 * Nothing proves that the cited response was read before the client's deadline: its connection carried no request after it, or the
 * HTTP library may have read it, and used the connection again, after the client had given it up.
 */
const mayBeUnread: Doubt = (records, { evidence: [cited] }, { mayEndClients }) => {
  const answered = records.find(({ id }) => id === cited)
  return (
    mayEndClients ||
    !records.some(it => it.connection === answered?.connection && it.position > answered.position)
  )
}

/**
 * When a late machine can have brought a finding about: it sees late that a client left or that an answer has left, and lets
 * deadlines pass. Rules about many pauses are not among them: it mostly makes pauses longer.
 */
const doubts: Readonly<Record<string, Doubt>> = {
  // The end of an answer is noticed late, so the pause after it seems shorter than it was.
  R18: () => true,
  R17: records => records.some(({ delivered, left }) => delivered === 'aborted' || left !== undefined),
  R05: mayBeUnread,
  R06: mayBeUnread,
  R14: mayBeUnread,
  R26: mayBeUnread,
  R10: mayHaveGoneOn,
  R11: mayHaveGoneOn,
  'given-up': (...all) => mayHaveGoneOn(...all) || isLeftUndisturbed(...all),
  // A proxy before the service takes what its client has given up, so that nothing is aborted here.
  unaware: (records, finding, machine) =>
    machine.mayEndClients || isLeftUndisturbed(records, finding, machine),
}

/** Rules that see pauses alone, which are exact if the client asks for its waits. */
const pauseRules: ReadonlySet<string> = new Set(['R18'])

/** Whether the first pauses differ by no more than the machine's delay, so that the client may mean equal ones. */
function mayPauseAlike({ journal, reader }: SpaceView, delay: number): boolean {
  const creations = journal.entries().filter(record => asksForSending(record, reader))
  const pauses = creations.slice(1, 1 + firstPauses).map((record, at) => pauseBetween(creations[at]!, record))
  return pauses.length === firstPauses && Math.max(...pauses) - Math.min(...pauses) <= delay
}

const pauseBetween = ({ left, ended, arrived }: RequestRecord, later: RequestRecord) =>
  later.arrived.real - (left ?? ended ?? arrived).real

/**
 * The result of a second play, alone, in which timing still decides: what the delay may have brought about is dropped,
 * and what it may have hidden is not acquitted.
 */
export function withoutTiming(
  result: CaseResult,
  { delay, rules, mayHideEqualPauses }: NonNullable<ReturnType<typeof findTimingDoubt>>,
): CaseResult {
  if (rules.size === 0 && !mayHideEqualPauses) return result
  return withoutFindings(
    result,
    ({ rule }) => rules.has(rule),
    `this machine was up to ${Math.round(delay)} ms late, also when the case was played alone: timing decides here`,
  )
}
