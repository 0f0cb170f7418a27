import { jsonOf } from '../../rig/entry-reader.ts'
import type { CaseFinding, CaseResult } from '../../rig/exam-shape.ts'
import type { Entry } from '../../rig/journal.ts'
import { ledgerOf } from '../../rig/ledger.ts'
import type { SpaceRig } from '../../rig/space-rig.ts'
import type { Ending } from './client.ts'
import { conductOf } from './conduct.ts'
import { beliefOf, outcomeFindings, type Stopped } from './outcome.ts'
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
  const { exam, rig } = staged
  await playedOut(staged)
  const { endings, stopped } = passed
  const struck = hasStruck(staged, passed)
  const { sent, scheduled } = ledgerOf(rig).summary
  const believes = beliefOf(endings)
  const requests = rig.journal.entries()
  const ownFindings = outcomeFindings({
    endings,
    stopped,
    limit: Math.round(passed.limit / 1000),
    requests: rig.journal.count,
    brokenConnections: staged.door?.struck ?? 0,
    lastRequests: requests.slice(-lastOnes).map(({ id }) => id),
    sent: sent + scheduled,
    wasToldCreated: requests.some(entry => tellsCreated(rig, entry)),
    // What never struck disturbs nobody.
    expect: struck === false && exam.expect ? undisturbed : exam.expect,
  })
  const conduct = await conductOf(rig, {
    believes,
    expected: Math.max(1, exam.expect?.sent ?? 1),
    restarts: passed.restarts,
    workers: exam.course.kind === 'second-worker' ? 2 : 1,
    stopped: stopped !== undefined,
    leakedTo: staged.elsewhere?.wasShownCredentials ? [staged.elsewhere.host] : [],
  })
  const findings = [...ownFindings, ...conduct.findings]
  const reason = doubt(staged, passed, struck, conduct.complete)
  return {
    name: exam.name,
    description: exam.description,
    tags: [...exam.tags],
    status: findings.some(isFailure) ? 'failed' : reason === null ? 'passed' : 'inconclusive',
    reason,
    realSeconds: passed.realSeconds,
    expected: exam.expect ?? null,
    reached: { sent: sent + scheduled, belief: believes },
    struck,
    findings,
    ...timelineOf(rig),
    brokenConnections: staged.door?.struck ?? 0,
    harm: conduct.harm,
    client: shownClient(endings),
    reproduce: passed.reproduce ?? null,
  }
}

const isFailure = ({ severity, status }: CaseFinding) => severity === 'error' && status === 'guilty'

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
): string | null {
  if (passed.stopped === 'interrupted') return 'the exam was interrupted'
  if (passed.unlike !== undefined) return passed.unlike
  if (door?.trouble !== undefined) return door.trouble
  if (struck === false)
    return rig.journal.count === 0
      ? 'no request came, so the disturbance never struck'
      : 'the disturbance never struck: no request was of the kind that it waits for'
  if (!complete) return 'requests had to make room in the journal, so not everything could be judged'
  return null
}

/** Whether an answer that left whole told of a sending in state CREATED, the very one that was asked for. */
function tellsCreated(rig: SpaceRig, entry: Entry): boolean {
  const { told, delivered } = entry
  if (!told || delivered !== 'handed' || told.status >= 300) return false
  if (rig.reader.operation(entry) !== 'createSending') return told.body.toString().includes('"CREATED"')
  const sending = jsonOf(told)
  const asked = rig.reader.transactionId(entry)
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
