import { JournalView } from '../../rig/journal-view.ts'
import type { Ledger } from '../../rig/ledger.ts'
import type { RequestRecordView } from '../../rig/request-record.ts'
import type { RigView } from '../../rig/space-view.ts'
import { answerWords, toldInCell } from '../../rig/words.ts'
import {
  countStatuses,
  goesToList,
  type PlatformStatus,
  platformStatuses,
  statusOfSending,
} from '../../store/platform-status.ts'
import type { PlatformSending } from '../../store/rows.ts'
import { type Attempt, collectEvidence } from '../evidence.ts'
import { groupBy } from '../grouping.ts'
import { JudgeInput } from '../input.ts'
import { showsState } from '../knowledge.ts'
import { type Finding, judgeInput } from '../verdict.ts'
import { shownEvidence } from '../verdict-text.ts'
import { drain, type PreparedCase } from './case-host.ts'
import { undisturbedExpectation } from './cases.ts'
import type { ClientRuns, Ending } from './client.ts'
import {
  type AttemptShown,
  type CaseFinding,
  type CaseResult,
  type EffectShown,
  isProvedError,
} from './exam-result.ts'
import {
  type CaseOutcome,
  causesFirst,
  combinedBelief,
  findInOutcome,
  type Stop,
  whyNotOverTls,
  whyStillPausing,
} from './outcome.ts'

/** One finding for each rule, the most serious first. */
function groupFindings(findings: readonly Finding[]): CaseFinding[] {
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
function caseTimeline(rig: RigView, ledger: Ledger) {
  const entries = rig.journal.entries()
  const start = entries[0]?.arrived.clock ?? rig.clock.now()
  const since = (milliseconds: number) => Math.round(milliseconds - start) / 1000
  const view = new JournalView(rig)
  const isMuch = entries.length > maxShown.first + maxShown.last
  const kept = isMuch ? [...entries.slice(0, maxShown.first), ...entries.slice(-maxShown.last)] : entries
  const shown = kept.map(record => view.view(record))
  return {
    attempts: shown.map(record => toAttemptShown(record, view.effects.of(record.id).sendings, since)),
    attemptsLeftOut: entries.length - shown.length + rig.journal.dropped,
    effects: effectsShown(rig, ledger, since),
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
    isCreation: record.operation === 'createSending',
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
  { mailings, sendings }: Ledger,
  since: (milliseconds: number) => number,
): EffectShown[] {
  const shown = (
    what: EffectShown['what'],
    at: string,
    { cause, transactionId }: Pick<EffectShown, 'cause' | 'transactionId'>,
  ): EffectShown => ({ at: since(Date.parse(at)), what, cause, transactionId })
  const { platformSendings } = space.data.tables
  return [
    ...sendings
      .filter(goesToList)
      .map(it => shown(statusWhenAsked(platformSendings.get(it.platformSendingId)!), it.requestedAt, it)),
    ...mailings.filter(({ isOrphan }) => isOrphan).map(row => shown('unsent mailing', row.createdAt, row)),
  ].sort((one, other) => one.at - other.at)
}

/** The record of a client's run through a case. */
interface CaseRecord extends ClientRuns {
  readonly stop?: Stop | undefined
  /** Real milliseconds after which the client is stopped. */
  readonly limit: number
  readonly realSeconds: number
  readonly reproduce?: string | undefined
}

/** Nothing was repeated there: each of the workers sent once. */
const secondWorkerRemedy =
  'Store the transactionId before the first attempt, where the next worker finds it, and use the stored one.'

/** Maximum number of requests named as evidence of how it ended. */
const maxLastRequests = 3

/** The result of a case whose client has ended: belief against truth, conduct, and whether it proves anything. */
export async function evaluateCase(staged: PreparedCase, passed: CaseRecord): Promise<CaseResult> {
  const { exam, rig, call, listener, redirectTarget } = staged
  await drain(staged)
  const { endings, stop, restarts = [] } = passed
  const struck = hasApplied(staged, passed)
  const brokenConnections = listener?.affectedCount ?? 0
  const task = { synchronizationId: exam.synchronizationId, scheduleDate: call.scheduleDate }
  const believes = combinedBelief(endings)
  const isSecondWorker = exam.runPlan.kind === 'second-worker'
  const file = new JudgeInput(await collectEvidence(rig), {
    believes,
    expected: Math.max(1, exam.expect?.sent ?? 1),
    task,
    restarts,
    workers: isSecondWorker ? 2 : 1,
    stopped: stop !== undefined,
    leakedTo: redirectTarget?.wasShownCredentials ? [redirectTarget.host] : [],
  })
  const verdict = judgeInput(file)
  const conduct = groupFindings(verdict.findings)
  const { ledger } = file.evidence
  const timeline = caseTimeline(rig, ledger)
  const created = file.attempts.filter(
    it =>
      it.delivered === 'handed' &&
      it.synchronizationId === task.synchronizationId &&
      showsState(it, 'CREATED', file.ownSendings) !== false,
  )
  const outcome: CaseOutcome = {
    task,
    endings,
    stop,
    limit: Math.round(passed.limit / 100) / 10,
    requests: rig.journal.count,
    brokenConnections,
    isSecure: call.url.startsWith('https:'),
    lastRequests: file.evidence.attempts.slice(-maxLastRequests).map(({ id }) => id),
    creations: file.creations.map(({ id, synchronizationId, transactionId }) => ({
      id,
      synchronizationId,
      transactionId,
      told: timeline.attempts.find(it => it.id === id)?.told ?? 'nothing',
    })),
    sent: ledger.sendings.filter(it => goesToList(it) && it.synchronizationId === task.synchronizationId),
    lastReport: findLastReport(file),
    toldCreated: created.find(it => !it.isUnread && (it.response?.sightings ?? it.response?.state))?.id,
    mayKnowCreated: created.length > 0,
    broken: new Set(conduct.filter(({ status }) => status === 'guilty').map(({ rule }) => rule)),
    // A disturbance that never took effect does not change what is expected.
    expect: struck === false && exam.expect ? undisturbedExpectation : exam.expect,
  }
  const found = causesFirst([...findInOutcome(outcome), ...conduct]).map(it =>
    isSecondWorker && it.rule === 'sent-too-often' ? { ...it, remedy: secondWorkerRemedy } : it,
  )
  const doubt = found.some(isProvedError) ? passed.doubt : undefined
  const findings = doubt === undefined ? found : []
  const reason =
    doubt ??
    whyNotOverTls(outcome) ??
    whyInconclusive(staged, passed, struck, verdict.complete) ??
    whyStillPausing(outcome) ??
    null
  return {
    name: exam.name,
    description: exam.description,
    tags: [...exam.tags],
    status: findings.some(isProvedError) ? 'failed' : reason === null ? 'passed' : 'inconclusive',
    reason,
    mayProveNothing: exam.isAvoidable,
    realSeconds: passed.realSeconds,
    expected: exam.expect ?? null,
    reached: { sent: outcome.sent.length, belief: believes },
    struck,
    findings,
    ...timeline,
    brokenConnections,
    harm: verdict.harm.findings.map(({ sentence }) => sentence).join(' ') || null,
    client: toClientReport(endings),
    reproduce: passed.reproduce ?? null,
  }
}

/** The last word on the client's last transaction: of its last attempt, or of a read after that. */
function findLastReport(file: JudgeInput): CaseOutcome['lastReport'] {
  const { knowledge, ownSendings } = file
  const last = file.creations.at(-1)
  if (!last) return undefined
  const { synchronizationId, transactionId = '', response } = last
  const isTold = (it: Attempt) => it.number > last.number && knowledge.receipt(it) !== 'none'
  const seen = file.observationsOf(synchronizationId, transactionId).findLast(({ read }) => isTold(read))
  const { id, number } = seen?.read ?? last
  const state = seen ? seen.state : (response?.state ?? response?.stateText)
  // A collection that is too long to be on record whole may have told another one since.
  const isDoubtful = file.attempts.some(
    it => it.number > number && isTold(it) && showsState(it, 'FAILED', ownSendings) === undefined,
  )
  const isKnown = !isDoubtful && knowledge.knownAtEnd(seen?.read ?? last) !== undefined
  return { id, state: isKnown ? state : undefined }
}

/** Whether the disturbance of the case took effect; null if it has none. */
function hasApplied({ exam, rig, listener }: PreparedCase, { restarts = [] }: CaseRecord): boolean | null {
  if (listener) return listener.affectedCount > 0
  const isRestarted = exam.runPlan.kind === 'restarted' && exam.runPlan.steps === undefined
  const disturbing = rig.scenarios.all.filter(({ scenario }) => scenario.rules.length > 0)
  if (disturbing.length === 0) return exam.isUndisturbed ? null : false
  return disturbing.some(active => active.hasApplied) && (!isRestarted || restarts.length > 0)
}

function whyInconclusive(
  { rig, listener }: PreparedCase,
  passed: CaseRecord,
  struck: boolean | null,
  complete: boolean,
): string | undefined {
  if (passed.stop?.why === 'interrupted') return 'the exam was interrupted'
  if (passed.deviation !== undefined) return passed.deviation
  if (listener?.failure !== undefined) return listener.failure
  if (struck === false)
    return rig.journal.count === 0
      ? 'no request came, so the disturbance never fired'
      : 'the disturbance never fired: no request was of the kind that it waits for'
  if (!complete)
    return 'requests were dropped from the journal to make room, so not everything could be judged'
  return undefined
}

function toClientReport(endings: readonly Ending[]): CaseResult['client'] {
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
