import { jsonOf } from '../../rig/entry-reader.ts'
import type { AttemptShown, CaseFinding, CaseResult } from '../../rig/exam-shape.ts'
import type { Entry } from '../../rig/journal.ts'
import { ledgerOf } from '../../rig/ledger.ts'
import type { SpaceRig } from '../../rig/space-rig.ts'
import type { Ending } from './client.ts'
import { type Asked, conductOf } from './conduct.ts'
import { pausing } from './ends.ts'
import { beliefOf, type Creation, type Outcome, type Standstill, type Stopped } from './outcome.ts'
import { outcomeFindings } from './outcome-findings.ts'
import { playedOut, type Staged } from './stage.ts'
import { timelineOf } from './timeline.ts'

/** How the client went through a case. */
export interface Passed {
  /** One for each start of the client, in that order. */
  readonly endings: readonly Ending[]
  /** When it was killed on purpose and started again, in milliseconds of the machine's time. */
  readonly restarts: readonly number[]
  /** Why the case could not be played as meant; undefined when it was. */
  readonly unlike: string | undefined
  readonly stopped: Stopped
  readonly standstill: Standstill
  /** Real milliseconds after which it is stopped. */
  readonly limit: number
  readonly realSeconds: number
  readonly reproduce: string | undefined
}

/** So many requests are named as evidence of how it ended. */
const lastOnes = 3
/** What an undisturbed client reaches. */
const undisturbed = { sent: 1, belief: 'sent' } as const

/** The result of a case whose client has ended: beliefs against truth, conduct, and whether it proves anything. */
export async function examined(staged: Staged, passed: Passed): Promise<CaseResult> {
  const { exam, rig, call, door, elsewhere } = staged
  await playedOut(staged)
  const { endings, stopped } = passed
  const struck = hasStruck(staged, passed)
  const task = { synchronizationId: exam.synchronizationId, scheduleDate: call.scheduleDate }
  const believes = beliefOf(endings)
  const conduct = await conductOf(rig, {
    believes,
    expected: Math.max(1, exam.expect?.sent ?? 1),
    task,
    restarts: passed.restarts,
    workers: exam.course.kind === 'second-worker' ? 2 : 1,
    stopped: stopped !== undefined,
    leakedTo: elsewhere?.wasShownCredentials ? [elsewhere.host] : [],
  })
  const timeline = timelineOf(rig)
  const requests = rig.journal.entries()
  const outcome: Outcome = {
    task,
    endings,
    stopped,
    standstill: passed.standstill,
    limit: Math.round(passed.limit / 100) / 10,
    requests: rig.journal.count,
    brokenConnections: door?.struck ?? 0,
    lastRequests: requests.slice(-lastOnes).map(({ id }) => id),
    creations: conduct.creations.map(it => creation(it, timeline.attempts)),
    sent: ledgerOf(rig, { synchronizationId: task.synchronizationId })
      .sendings.filter(({ kind }) => kind === 'list')
      .map(({ cause, startsAt }) => ({ cause, startsAt })),
    toldCreated: requests.find(entry => tellsCreated(rig, entry, task.synchronizationId))?.id,
    broken: new Set(conduct.findings.filter(({ status }) => status === 'guilty').map(({ rule }) => rule)),
    // What never struck disturbs nobody.
    expect: struck === false && exam.expect ? undisturbed : exam.expect,
  }
  const findings = [...outcomeFindings(outcome), ...conduct.findings]
  const reason = doubt(staged, passed, struck, conduct.complete) ?? pausing(outcome) ?? null
  return {
    name: exam.name,
    description: exam.description,
    tags: [...exam.tags],
    status: findings.some(isFailure) ? 'failed' : reason === null ? 'passed' : 'inconclusive',
    reason,
    mayProveNothing: exam.isAvoidable,
    realSeconds: passed.realSeconds,
    expected: exam.expect ?? null,
    reached: { sent: outcome.sent.length, belief: believes },
    struck,
    findings,
    ...timeline,
    brokenConnections: door?.struck ?? 0,
    harm: conduct.harm,
    client: shownClient(endings),
    reproduce: passed.reproduce ?? null,
  }
}

const isFailure = ({ severity, status }: CaseFinding) => severity === 'error' && status === 'guilty'

function creation(
  { requestId, synchronizationId, told, receipt }: Asked,
  attempts: readonly AttemptShown[],
): Creation {
  const isKnown = receipt === 'proved' || receipt === 'handed'
  return {
    id: requestId,
    synchronizationId,
    told: attempts.find(({ id }) => id === requestId)?.told ?? 'nothing',
    state: isKnown ? (told?.state ?? undefined) : undefined,
  }
}

/** Whether the disturbance of the case struck. Null where nothing is disturbed. */
function hasStruck({ exam, rig, door }: Staged, { restarts }: Passed): boolean | null {
  if (door) return door.struck > 0
  const plays = [...(rig.armed ? [rig.armed] : []), ...rig.chosen.map(({ play }) => play)]
  const isRestarted = exam.course.kind === 'restarted'
  const disturbing = plays.filter(({ scenario }) => scenario.rules.length > 0)
  if (disturbing.length === 0) return exam.isUndisturbed ? null : false
  return disturbing.some(({ hasStruck }) => hasStruck) && (!isRestarted || restarts.length > 0)
}

/** Why the case proves nothing. */
function doubt(
  { rig, door }: Staged,
  passed: Passed,
  struck: boolean | null,
  complete: boolean,
): string | undefined {
  if (passed.stopped === 'interrupted') return 'the exam was interrupted'
  if (passed.unlike !== undefined) return passed.unlike
  if (door?.trouble !== undefined) return door.trouble
  if (struck === false)
    return rig.journal.count === 0
      ? 'no request came, so the disturbance never struck'
      : 'the disturbance never struck: no request was of the kind that it waits for'
  if (!complete) return 'requests had to make room in the journal, so not everything could be judged'
  return undefined
}

/** Whether an answer that left whole told of a sending in state CREATED, the very one that was asked for. */
function tellsCreated({ reader }: SpaceRig, entry: Entry, synchronizationId: string): boolean {
  const { told, delivered } = entry
  if (!told || delivered !== 'handed' || told.status >= 300) return false
  if (reader.synchronizationId(entry) !== synchronizationId) return false
  if (reader.operation(entry) !== 'createSending') return told.body.toString().includes('"CREATED"')
  const sending = jsonOf(told)
  const asked = reader.transactionId(entry)
  return sending?.state === 'CREATED' && (asked === undefined || sending.transactionId === asked)
}

function shownClient(endings: readonly Ending[]): CaseResult['client'] {
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
