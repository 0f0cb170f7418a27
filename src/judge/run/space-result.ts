import type { RejectedLogins } from '../../rig/rejected-logins.ts'
import type { RequestRecord } from '../../rig/request-record.ts'
import type { RigView } from '../../rig/space-view.ts'
import { capitalize } from '../../rig/words.ts'
import { readRequestContent } from '../attempt.ts'
import { attemptsShown, groupFindings } from '../exam/case-result.ts'
import { causesOf } from '../exam/causes.ts'
import {
  type AttemptShown,
  type CaseFinding,
  type CaseResult,
  type ExamFindingName,
  examFindings,
} from '../exam/exam-result.ts'
import { maxRequestLines, requestLines } from '../exam/text-reports.ts'
import { chancesOf } from '../explore/explore.ts'
import { type Mode, planName, type Trouble, troublesByName } from '../explore/plans.ts'
import type { KnownClient } from '../terms.ts'
import { causesOfFailure, judgeSpace } from '../verdict.ts'
import type { Verdict, VerdictAttempt } from '../verdict-shape.ts'
import { isHeldAgainst, resultOf } from '../verdict-text.ts'
import type { MetNames, SpaceResult } from './run-result.ts'

/** A space as a run report has it, and what it met. */
export interface JudgedSpace {
  readonly result: SpaceResult
  readonly met: MetNames
}

/** @param end what was said of the client */
export async function judgeForRun(
  rig: RigView,
  state: SpaceResult['state'],
  end: KnownClient,
  rejectedLogins: RejectedLogins,
): Promise<JudgedSpace> {
  const { verdict } = await judgeSpace(rig, end, rejectedLogins)
  const entries = rig.journal.entries()
  const { believes = null, expected = null, workers = null } = end
  const causes = causesOfFailure(verdict)
  const findings = findingsOf(verdict, causes)
  const { word, sentence } = resultOf(verdict)
  const lastEnd = entries.reduce((last, { ended, arrived }) => Math.max(last, (ended ?? arrived).real), 0)
  const status = statusOf(verdict, causes, findings)
  const reason = verdict.failure ?? (status === 'unproved' ? (whyUnproved(verdict) ?? sentence) : null)
  return {
    result: {
      name: verdict.space,
      space: verdict.space,
      state,
      status,
      reason: reason === null ? null : capitalize(reason === sentence ? `${word}: ${reason}` : reason),
      end: { believes, expected, workers },
      began: new Date(rig.use.madeAt).toISOString(),
      seconds: Math.round(Math.max(0, lastEnd - rig.use.madeAt)) / 1_000,
      requests: rig.journal.count,
      open: entries.filter(({ ended }) => !ended).length,
      missing: verdict.missing,
      sent: verdict.harm.sent,
      scheduled: verdict.harm.scheduled,
      stopped: verdict.harm.stopped,
      causes,
      findings,
      timeline: status === 'passed' && findings.length === 0 ? [] : requestLines(cited(rig, findings)),
    },
    met: whatWasMet(rig, entries, verdict),
  }
}

/** The same with what the exam said of the case that was played in the space. */
export function asInExam({ met, result }: JudgedSpace, exam: CaseResult): JudgedSpace {
  const { status, reason, findings } = exam
  const causes = [...causesOf(exam).keys()]
  return {
    met,
    result: { ...result, status: status === 'inconclusive' ? 'unproved' : status, reason, findings, causes },
  }
}

/** Of many requests those that a finding cites: the others say nothing of it. */
function cited(rig: RigView, findings: readonly CaseFinding[]): readonly AttemptShown[] {
  const ids = new Set(findings.flatMap(({ evidence }) => evidence))
  const { attempts } = attemptsShown(rig, ids)
  const some = attempts.filter(({ id }) => ids.has(id))
  return attempts.length > maxRequestLines && some.length > 0 ? some : attempts
}

/** Why not all could be judged, or what is open; undefined where only the result says it. */
function whyUnproved({ loss, hint, findings }: Verdict): string | undefined {
  const open = findings.find(it => it.status === 'open' && isHeldAgainst(it))
  const question = open && `${open.rule} is open: ${open.title}? ${open.sentence}`
  return [loss, hint ?? (loss === undefined ? question : undefined)].filter(Boolean).join(' ') || undefined
}

function statusOf(
  { failure, outcome, hint }: Verdict,
  causes: readonly string[],
  findings: readonly CaseFinding[],
): SpaceResult['status'] {
  if (failure === null) return outcome === 'innocent' && hint === undefined ? 'passed' : 'unproved'
  const isGood = (cause: string) => findings.some(it => it.rule === cause && it.severity === 'warning')
  return causes.length > 0 && causes.every(isGood) ? 'warning' : 'failed'
}

/** One finding for each rule, with those for harm that an exam has under names of its own. */
function findingsOf({ findings, harm, suspicion }: Verdict, causes: readonly string[]): CaseFinding[] {
  const grouped = groupFindings(findings)
  const ofHarm = causes
    .filter(cause => !grouped.some(({ rule }) => rule === cause))
    .map((rule): CaseFinding => {
      const certain = harm.findings.filter(it => it.status === 'certain')
      const isCertain =
        suspicion === null || ((rule !== 'sent-too-often' || harm.believes !== null) && certain.length > 0)
      const shown = isCertain ? certain : harm.findings
      return {
        rule,
        severity: 'error',
        status: isCertain ? 'guilty' : 'open',
        sentence: suspicion ?? shown.map(({ sentence }) => sentence).join(' '),
        clause: null,
        remedy: examFindings[rule as ExamFindingName].remedy,
        evidence: shown.flatMap(({ evidence }) => evidence).slice(0, 3),
        times: 1,
      }
    })
  return [...ofHarm, ...grouped]
}

function whatWasMet(rig: RigView, entries: readonly RequestRecord[], { sendings }: Verdict): MetNames {
  const { reader } = rig
  const records = new Map(entries.map(it => [it.id, it]))
  const decisions = entries.flatMap(({ decision }) => decision ?? [])
  const plans = sendings.map(({ attempts }) => {
    const kinds = attempts.map(it => troubleOf(it, records.get(it.requestId))).filter(it => it !== undefined)
    const isScheduled = attempts.some(({ requestId }) => {
      const record = records.get(requestId)
      const content = record && reader.memoizeOfBody(record, readRequestContent)
      return content?.request.payload?.scheduleDate !== undefined
    })
    const mode: Mode = isScheduled ? 'scheduled' : sendings.length > 1 ? 'two-mailings' : 'once'
    return { mode, kinds }
  })
  return {
    operations: unique(entries.map(it => reader.operation(it))),
    refusals: unique(entries.map(({ response }) => response?.problem?.name)),
    states: unique(sendings.flatMap(({ attempts }) => attempts.map(({ told }) => told?.state))),
    phases: unique(decisions.map(({ step }) => step.phase)),
    faults: unique(decisions.map(({ step: { answer } }) => answer && 'fault' in answer && answer.fault.name)),
    scenarios: unique(decisions.map(({ scenario }) => scenario)),
    rules: unique(plans.flatMap(({ mode, kinds }) => [...chancesOf(mode, kinds)])),
    plans: unique(plans.map(({ mode, kinds }) => planName({ mode, troubles: kinds.slice(0, 2) }))),
  }
}

const unique = (some: readonly (string | false | null | undefined)[]): readonly string[] =>
  [...new Set(some)].filter(it => typeof it === 'string')

/** Names of the exploration for faults that have others in scenarios. */
const namesOfFaults: Readonly<Record<string, string>> = {
  truncate: 'cut',
  'malformed-json': 'json',
  'empty-201': 'empty',
  'foreign-sending': 'foreign',
  'html-200': 'maintenance',
}

/** Names of the exploration for statuses that say nothing of the sending. */
const namesOfStatuses: Readonly<Record<number, string>> = {
  400: 'refused',
  401: 'unauthorized',
  403: 'blocked',
  429: 'limited',
}

/** Milliseconds from which on a delay counts as trouble, and as the longer one. */
const delays = { short: 10_000, long: 60_000 }

/** The kind of trouble that an attempt met, whoever made it; undefined for none that an exam knows. */
function troubleOf(attempt: VerdictAttempt, record: RequestRecord | undefined): Trouble | undefined {
  const { told, disturbance } = attempt
  const step = record?.decision?.step
  const fault = disturbance?.fault ?? undefined
  const delay = typeof step?.delay === 'number' ? step.delay : 0
  const status = told?.status ?? 0
  const forms = [
    step?.deliver,
    fault && (namesOfFaults[fault] ?? fault),
    delay >= delays.long ? 'slow-61s' : delay >= delays.short ? 'slow-29s' : undefined,
    status >= 400 && (namesOfStatuses[status] ?? String(status)),
  ]
  const truth = truthOf(attempt, step?.truth)
  for (const form of forms) {
    const trouble = form && troublesByName.get(`${form}-${truth}`)
    if (trouble) return trouble
  }
  // Without a response of its own an attempt is one that told a state, or was told CREATED.
  return fault === undefined ? troublesByName.get(`told-${truth}`) : undefined
}

/** What was true of the sending at an attempt, as names of the exploration say it. */
function truthOf({ truth }: VerdictAttempt, fate: string | undefined): string {
  if (truth === null || truth.status >= 400) return 'nothing'
  switch (truth.state) {
    case 'PENDING':
      return 'pending'
    case 'FAILED':
      return 'failed'
    case 'INDETERMINATE_FAILURE':
      return fate === 'sent' ? 'unsure-sent' : 'unsure-not-sent'
    default:
      return 'sent'
  }
}
