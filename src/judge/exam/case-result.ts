import { JournalView } from '../../rig/journal-view.ts'
import { creationIds } from '../../rig/request-meaning.ts'
import type { RequestRecordView } from '../../rig/request-record.ts'
import type { RigView } from '../../rig/space-view.ts'
import { answerWords, toldInCell } from '../../rig/words.ts'
import {
  countStatuses,
  type PlatformStatus,
  platformStatuses,
  statusOfSending,
} from '../../store/platform-status.ts'
import type { PlatformSending } from '../../store/rows.ts'
import type { Attempt } from '../attempt.ts'
import { ClientHistory } from '../client-history.ts'
import { collectEvidence, type Evidence } from '../evidence.ts'
import { groupBy } from '../grouping.ts'
import { judgeInput } from '../verdict.ts'
import type { Finding, Verdict } from '../verdict-shape.ts'
import { shownEvidence } from '../verdict-text.ts'
import { drain, type PreparedCase } from './case-host.ts'
import { type ExamCase, undisturbedExpectation } from './cases.ts'
import type { ClientRuns, Ending } from './client.ts'
import {
  type AttemptShown,
  type CaseFinding,
  type CaseVerdict,
  type EffectShown,
  isProvedError,
  isWarning,
} from './exam-result.ts'
import {
  type CaseOutcome,
  causesFirst,
  combinedBelief,
  findInOutcome,
  jointBelief,
  type Stop,
  whyNotOverTls,
  whyStillPausing,
} from './outcome.ts'

/** One finding for each rule, the most serious first. */
export function groupFindings(findings: readonly Finding[]): CaseFinding[] {
  const kinds = groupBy(findings, ({ rule, severity, status }) => `${rule} ${severity} ${status}`)
  return [...kinds.values()].map(all => {
    const [{ rule, severity, status, sentence, clause, remedy }] = all
    const evidence = [...new Set(all.flatMap(it => it.evidence))].slice(0, shownEvidence)
    return { rule, severity, status, sentence, clause, remedy, evidence, times: all.length }
  })
}

/** Maximum number of attempts shown at the beginning and at the end. */
const maxShown = { first: 150, last: 50 }

/** Requests, responses and truth on the service's clock. */
const caseTimeline = (rig: RigView, evidence: Evidence) => ({
  ...attemptsShown(rig),
  effects: effectsShown(rig, evidence, sinceFirst(rig)),
})

/** Seconds of the space's clock since its first request. */
function sinceFirst({ journal, clock }: RigView) {
  const start = journal.entries()[0]?.arrived.clock ?? clock.now()
  return (milliseconds: number) => Math.round(milliseconds - start) / 1000
}

/**
 * The requests of a space, as reports show them: of very many the first and the last ones.
 * @param cited IDs of others that are wanted as well
 */
export function attemptsShown(
  rig: RigView,
  cited: ReadonlySet<string> = new Set(),
): Pick<CaseVerdict, 'attempts' | 'attemptsLeftOut'> {
  const entries = rig.journal.entries()
  const since = sinceFirst(rig)
  const view = new JournalView(rig)
  const isShown = (at: number) => at < maxShown.first || at >= entries.length - maxShown.last
  const records = entries.filter(({ id }, at) => isShown(at) || cited.has(id))
  const views = records.map(record => view.view(record))
  return {
    attempts: views.map(record => toAttemptShown(record, view.effects.of(record.id).sendings, since)),
    attemptsLeftOut: entries.length - views.length + rig.journal.dropped,
  }
}

function toAttemptShown(
  record: RequestRecordView,
  sendings: readonly PlatformSending[],
  since: (milliseconds: number) => number,
): AttemptShown {
  const { told, delivered, decision } = record
  return {
    id: record.id,
    at: since(Date.parse(record.arrived.clock)),
    until: record.ended && since(Date.parse(record.ended.clock)),
    method: record.method,
    path: record.target,
    operation: record.operation,
    transactionId: record.transactionId,
    told: toldInCell(told, delivered, decision?.fault ?? undefined),
    truth: truthWords(record, sendings),
    isDisturbed: decision !== null,
    isCreation: creationIds.some(id => id === record.operation),
  }
}

function truthWords({ truth }: RequestRecordView, sendings: readonly PlatformSending[]): string {
  const counts = countStatuses(sendings.map(statusWhenAsked))
  return [
    truth === null ? 'not processed' : answerWords(truth),
    ...platformStatuses.flatMap(status =>
      counts[status] === 0 ? [] : [status + countSuffix(counts[status])],
    ),
  ].join(', ')
}

/** What had become of a sending when the platform was told to send it. */
const statusWhenAsked = (sending: PlatformSending): PlatformStatus =>
  statusOfSending(sending, Date.parse(sending.requestedAt))

const countSuffix = (count: number) => (count === 1 ? '' : ` ${count} times`)

function effectsShown(
  { space }: RigView,
  { sent, ledger: { mailings } }: Evidence,
  since: (milliseconds: number) => number,
): EffectShown[] {
  const toEffect = (
    what: EffectShown['what'],
    at: string,
    { cause, transactionId }: Pick<EffectShown, 'cause' | 'transactionId'>,
  ): EffectShown => ({ at: since(Date.parse(at)), what, cause, transactionId })
  const { platformSendings } = space.data.tables
  return [
    ...sent.map(row =>
      toEffect(statusWhenAsked(platformSendings.get(row.platformSendingId)!), row.requestedAt, row),
    ),
    ...mailings.filter(({ isOrphan }) => isOrphan).map(row => toEffect('unsent mailing', row.createdAt, row)),
  ].sort((one, other) => one.at - other.at)
}

/** The record of a client's run through a case. */
interface CaseRecord extends ClientRuns {
  readonly stop?: Stop | undefined
  /** Real milliseconds after which the client is stopped. */
  readonly limit: number
  readonly realSeconds: number
}

/** Nothing was repeated there: each of the workers sent once. */
const secondWorkerRemedy =
  'Take the mailing in one step that only one worker can do, such as making a file with the flag wx; store the transactionId there before the first attempt, and use the stored one.'

/** Maximum number of requests named as evidence of how it ended. */
const maxLastRequests = 3

/** How many mailings a client of this case is to send; also one that may end without a sending has one to send. */
export const meantBy = ({ expect }: Pick<ExamCase, 'expect'>): number => Math.max(1, expect?.sent ?? 1)

/** The result of a case whose client has ended: belief against truth, conduct, and whether it proves anything. */
export async function evaluateCase(preparedCase: PreparedCase, run: CaseRecord): Promise<CaseVerdict> {
  const { exam, rig, call, listener, redirectTarget } = preparedCase
  await drain(preparedCase)
  const { endings, stop, restarts = [] } = run
  const hasFired = wasDisturbed(preparedCase, run)
  const brokenConnections = listener?.affectedCount ?? 0
  const task = { synchronizationId: exam.synchronizationId, scheduleDate: call.scheduleDate }
  const isJoint = exam.runPlan.kind === 'two-workers'
  const believes = isJoint ? jointBelief(endings) : combinedBelief(endings)
  const history = new ClientHistory(await collectEvidence(rig), {
    believes,
    expected: meantBy(exam),
    task,
    restarts,
    workers: isJoint ? 2 : 1,
    stopped: stop !== undefined,
    leakedTo: redirectTarget?.wasShownCredentials ? [redirectTarget.host] : [],
  })
  const verdict = judgeInput(history)
  const conduct = groupFindings(verdict.findings)
  const timeline = caseTimeline(rig, history.evidence)
  const tellers = history.attempts.filter(
    it =>
      it.delivered === 'handed' &&
      it.synchronizationId === task.synchronizationId &&
      history.showsState(it, 'CREATED') !== false,
  )
  const outcome: CaseOutcome = {
    task,
    endings,
    isJoint,
    stop,
    limit: Math.round(run.limit / 100) / 10,
    requests: rig.journal.count,
    brokenConnections,
    isSecure: call.url.startsWith('https:'),
    lastRequests: history.evidence.attempts.slice(-maxLastRequests).map(({ id }) => id),
    creations: history.creations.map(({ id, synchronizationId, transactionId }) => ({
      id,
      synchronizationId,
      transactionId,
      told: timeline.attempts.find(it => it.id === id)?.told ?? 'nothing',
    })),
    sent: history.evidence.sent.filter(it => it.synchronizationId === task.synchronizationId),
    stopped: history.evidence.stopped.filter(it => it.synchronizationId === task.synchronizationId).length,
    lastReport: findLastReport(history),
    toldCreated: tellers.find(
      it => !it.isUnread && !history.endings.mayBeKnown(it) && (it.response?.sightings ?? it.response?.state),
    )?.id,
    mayKnowCreated: tellers.length > 0,
    broken: new Set(conduct.filter(({ status }) => status === 'guilty').map(({ rule }) => rule)),
    // A disturbance that never took effect does not change what is expected.
    expect: hasFired === false && exam.expect ? undisturbedExpectation : exam.expect,
  }
  const candidates = causesFirst([...findInOutcome(outcome), ...conduct]).map(it =>
    isJoint && it.rule === 'sent-too-often' ? { ...it, remedy: secondWorkerRemedy } : it,
  )
  const doubt =
    (candidates.some(isProvedError) ? run.doubt : undefined) ??
    (candidates.some(it => isProvedError(it) || isWarning(it)) ? run.pauseDoubt : undefined)
  const findings = doubt === undefined ? candidates : []
  const isFailed = findings.some(isProvedError)
  const reason =
    doubt ??
    whyNotOverTls(outcome) ??
    whyInconclusive(preparedCase, run, hasFired, verdict.complete) ??
    whyStillPausing(outcome) ??
    // What one of two workers read, the other one need not know.
    (isFailed || isJoint ? undefined : whyTooHasty(verdict, rig)) ??
    null
  return {
    name: exam.name,
    description: exam.description,
    tags: [...exam.tags],
    status: isFailed ? 'failed' : reason === null ? 'passed' : 'inconclusive',
    reason,
    mayProveNothing: exam.isAvoidable,
    realSeconds: run.realSeconds,
    expected: exam.expect ?? null,
    reached: { sent: outcome.sent.length, belief: believes },
    struck: hasFired,
    findings,
    ...timeline,
    brokenConnections,
    harm: verdict.harm.findings.map(({ sentence }) => sentence).join(' ') || null,
    client: toClientReport(endings),
    reproduce: null,
  }
}

/** The last word on the client's last transaction: of its last attempt, or of a read after that. */
function findLastReport(history: ClientHistory): CaseOutcome['lastReport'] {
  const { knowledge } = history
  const last = history.creations.at(-1)
  if (!last) return undefined
  const { synchronizationId, transactionId = '', response } = last
  const isTold = (it: Attempt) => it.number > last.number && knowledge.receipt(it) !== 'none'
  const observation = history
    .observationsOf(synchronizationId, transactionId)
    .findLast(({ read }) => isTold(read))
  const { id, number } = observation?.read ?? last
  const state = observation ? observation.state : (response?.state ?? response?.stateText)
  // A collection that is too long to be on record whole may have told another one since.
  const isDoubtful = history.attempts.some(
    it => it.number > number && isTold(it) && history.showsState(it, 'FAILED') === undefined,
  )
  const isKnown = !isDoubtful && knowledge.knownAtEnd(observation?.read ?? last) !== undefined
  return { id, state: isKnown ? state : undefined }
}

/** Whether the disturbance of the case took effect; null if it has none. */
function wasDisturbed({ exam, rig, listener }: PreparedCase, { restarts = [] }: CaseRecord): boolean | null {
  if (listener) return listener.affectedCount > 0
  const isRestarted = exam.runPlan.kind === 'restarted' && exam.runPlan.steps === undefined
  const disturbing = rig.scenarios.all.filter(({ scenario }) => scenario.rules.length > 0)
  if (disturbing.length === 0) return exam.isUndisturbed ? null : false
  return disturbing.some(active => active.hasApplied) && (!isRestarted || restarts.length > 0)
}

function whyInconclusive(
  { rig, listener }: PreparedCase,
  run: CaseRecord,
  hasFired: boolean | null,
  complete: boolean,
): string | undefined {
  if (run.stop?.why === 'interrupted') return 'the exam was interrupted'
  if (run.deviation !== undefined) return run.deviation
  if (listener?.failure !== undefined) return listener.failure
  if (hasFired === false)
    return rig.journal.count === 0
      ? 'no request came, so the fault never fired'
      : 'the fault never fired: no request was of the kind that it waits for'
  if (!complete)
    return 'requests were dropped from the journal to make room, so not everything could be judged'
  return undefined
}

/** What might be a broken rule, had the client read a response that it hardly had the time to read. */
const whyTooHasty = ({ hint }: Verdict, { clock }: PreparedCase['rig']): string | undefined =>
  hint && clock.rate > 1 ? `${hint} Or give a lower --speed.` : hint

function toClientReport(endings: readonly Ending[]): CaseVerdict['client'] {
  const last = endings.at(-1)
  return {
    exitCode: last?.exitCode ?? null,
    signal: last?.signal ?? null,
    error: last?.error ?? null,
    output: endings
      .map(({ output }, at) => (endings.length === 1 ? output : `--- start ${at + 1} ---\n${output}`))
      .join('\n'),
  }
}
