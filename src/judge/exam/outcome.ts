import type { LedgerSending } from '../../rig/ledger.ts'
import type { Expectation } from '../../rig/scenarios/scenario.ts'
import type { Belief } from '../../rig/scenarios/terms.ts'
import { capitalize } from '../../rig/words.ts'
import type { Attempt } from '../attempt.ts'
import { isSameTime } from '../harm.ts'
import { sufficientEffort } from '../rules/client-end.ts'
import { anonymousRepeat } from '../rules/transaction-ids.ts'
import type { AssignedTask } from '../terms.ts'
import { shownEvidence } from '../verdict-text.ts'
import type { Ending } from './client.ts'
import { type CaseFinding, type ExamFindingName, examFindings, isProvedError } from './exam-result.ts'
import { outputTail } from './output-tail.ts'

/** Why the exam stopped a client, and what it was waiting for then. */
export interface Stop {
  readonly why: 'late' | 'flood' | 'interrupted'
  /** Milliseconds after which it was, if not the limit of the case in real time. */
  readonly limit?: number | undefined
  /** Requests waiting for their answers, each with the real seconds since it arrived. */
  readonly waiting: readonly { readonly id: string; readonly seconds: number }[]
  /** Waiting connections over which no request could be sent. */
  readonly waitingConnections: number
  /** Real seconds since the last request; undefined for none. */
  readonly sinceRequest: number | undefined
}

/** The outcome of a case, without the rules of conduct. */
export interface CaseOutcome {
  readonly task: AssignedTask
  readonly endings: readonly Ending[]
  /** Whether each ending is that of another worker, all at the same time. */
  readonly isJoint: boolean
  /** Undefined for a client that ended by itself. */
  readonly stop: Stop | undefined
  /** Real seconds after which a client is stopped. */
  readonly limit: number
  readonly requests: number
  /** Connections that failed before a request could be sent over them. */
  readonly brokenConnections: number
  /** Whether its address begins with `https:`. */
  readonly isSecure: boolean
  readonly lastRequests: readonly string[]
  /** Attempts to create a sending, in order of arrival, each with the response to the client in words. */
  readonly creations: readonly (Pick<Attempt, 'id' | 'synchronizationId' | 'transactionId'> & {
    readonly told: string
  })[]
  /** Sendings of the client's synchronization that were sent or are scheduled. */
  readonly sent: readonly Pick<LedgerSending, 'cause' | 'startsAt'>[]
  /** How many more the platform stopped, which no answer to a client tells. */
  readonly stopped: number
  /** The last answer about the client's last transaction, to an attempt or to a read; undefined without attempts. */
  readonly lastReport: StateReport | undefined
  /** The request whose answer, with state CREATED and the right media type, left completely and was not dropped unread. */
  readonly toldCreated: string | undefined
  /** Whether any answer with that state left completely. */
  readonly mayKnowCreated: boolean
  /** Rules of conduct that the client has certainly broken. */
  readonly broken: ReadonlySet<string>
  readonly expect: Expectation | undefined
}

interface StateReport {
  readonly id: string
  /** Undefined if it told no state, or if it is not certain that the client received it. */
  readonly state: string | undefined
}

const intendedCount = ({ expect }: CaseOutcome): number => Math.max(1, expect?.sent ?? 1)

/** What the client believes overall: sent only if each of its starts says so. */
export const combinedBelief = (endings: readonly Ending[]): Belief =>
  endings.find(({ believes }) => believes !== 'sent')?.believes ?? 'sent'

/** What workers at the same time believe overall: a wrong "not sent" weighs most, and one that knows is enough. */
export const jointBelief = (endings: readonly Ending[]): Belief =>
  (['not-sent', 'sent'] as const).find(it => endings.some(({ believes }) => believes === it)) ?? 'unknown'

/** What may have many causes. */
export const consequences: readonly string[] = [
  'sent-too-often',
  'wrong-belief',
  'guessed',
  'unaware',
  'given-up',
]

/** What the client did wrong, then what followed from it, then what is no error or not certain. */
export function causesFirst(findings: readonly CaseFinding[]): CaseFinding[] {
  const rank = (it: CaseFinding) => (consequences.includes(it.rule) ? 1 : isProvedError(it) ? 0 : 2)
  return findings.toSorted((one, other) => rank(one) - rank(other))
}

/** A finding about something that the client must not do. */
const examError = (
  rule: ExamFindingName,
  sentence: string,
  evidence: readonly (string | undefined)[] = [],
  severity: CaseFinding['severity'] = 'error',
): CaseFinding => ({
  rule,
  severity,
  status: 'guilty',
  sentence,
  clause: null,
  remedy: examFindings[rule].remedy,
  evidence: evidence.filter(it => it !== undefined),
  times: 1,
})

/** Real seconds after which a waiting request is no longer just in transit. */
const inTransitTime = 10
/** Real seconds after which there is nothing left to wait for by the document: 15 minutes, and a long pause. */
const longestSensibleRun = 20 * 60

function noRequestFinding({ stop, limit, endings }: CaseOutcome): CaseFinding {
  if (stop?.why === 'late')
    return examError(
      'silent',
      `The client ran for ${limit} s, the limit for this case, and never sent a request with the user that it was given. It was killed. Does it read MAILING_SYNC_URL and MAILING_SYNC_USER?`,
    )
  const ending = endings.at(-1)
  if (!ending || ending.believes === 'sent')
    return examError(
      'environment-ignored',
      'The client says that it sent, but no request with the user that it was given has come. Does it read MAILING_SYNC_URL, MAILING_SYNC_USER and MAILING_SYNC_PASSWORD?',
    )
  return examError(
    'ended-at-start',
    `The client ended (${endingWords(ending)}) before it sent a request with the user that it was given${outputWords(ending)}`,
  )
}

/**
 * Why a client that ended without a request over HTTPS proves nothing: it may not speak HTTPS, or not know the authority.
 * Undefined for any other.
 */
export function whyNotOverTls({ isSecure, requests, brokenConnections, endings, stop }: CaseOutcome) {
  const believes = endings.at(-1)?.believes
  if (!isSecure || requests + brokenConnections > 0 || stop || believes === 'sent') return undefined
  return 'no request came over HTTPS: does the client speak it, and does it trust the authority in MAILING_SYNC_CA_FILE?'
}

function findCrash({ endings, requests, toldCreated, lastRequests }: CaseOutcome): CaseFinding | undefined {
  const ending = endings.find(it => it.signal !== undefined || it.error !== undefined)
  if (!ending) return undefined
  if (ending.isWithoutBelief) return examError('no-belief', `${capitalize(ending.error!)}.`, lastRequests)
  const when =
    toldCreated !== undefined
      ? `after ${toldCreated} had told it CREATED`
      : requests === 0
        ? 'before it sent anything'
        : 'instead of saying what it believes'
  const why = ending.error === undefined ? outputWords(ending) : `: ${ending.error}`
  const finding = examError(
    'crashed',
    `The client crashed (${endingWords(ending)}) ${when}${why}`,
    toldCreated === undefined ? lastRequests : [toldCreated],
  )
  // There is no sending to report anything of: it may not even have been found.
  return requests === 0 ? { ...finding, remedy: examFindings['ended-at-start'].remedy } : finding
}

/** What is wrong with a client that was killed after its time limit; undefined for one that was only pausing. */
function findNeverEnded(outcome: CaseOutcome, { waiting, waitingConnections }: Stop) {
  const { limit, requests, toldCreated, lastRequests } = outcome
  const introduction = `The client had not ended after ${limit} s, the limit for this case, and was killed`
  const shortest = Math.min(inTransitTime, limit / 3)
  if (waitingConnections > 0 || waiting.some(({ seconds }) => seconds >= shortest)) {
    const [longest] = [...waiting].sort((one, other) => other.seconds - one.seconds)
    const what = longest
      ? `${longest.id} had been waiting for the end of its response for ${longest.seconds} s`
      : `it was waiting on ${waitingConnections === 1 ? 'a connection' : `${waitingConnections} connections`} over which no response came`
    return examError(
      'never-ended',
      `${introduction}: ${what}. Every wait needs a deadline that also covers headers or a body that drip or stall.`,
      waiting.map(({ id }) => id),
    )
  }
  if (toldCreated !== undefined)
    return examError(
      'never-ended',
      `${introduction}, though ${toldCreated} had told it CREATED and no request was under way. What keeps it alive?`,
      [toldCreated],
    )
  return limit >= longestSensibleRun
    ? examError(
        'never-ended',
        `${introduction}, after ${requests} requests. Repeats need an end.`,
        lastRequests,
      )
    : undefined
}

/** Why a client that was killed after its time limit proves nothing; undefined if `findNeverEnded` has a finding. */
export function whyStillPausing(outcome: CaseOutcome): string | undefined {
  const { stop, requests, brokenConnections, limit } = outcome
  if (stop?.why !== 'late' || requests + brokenConnections === 0) return undefined
  if (findNeverEnded(outcome, stop)) return undefined
  const { sinceRequest } = stop
  const last = sinceRequest === undefined ? '' : `, its last request ${sinceRequest} s before`
  return `the client was still pausing when it was stopped after ${limit} s${last}: give it a longer --timeout, or let it divide its pauses by MAILING_SYNC_SPEED and give --speed`
}

const endingWords = ({ believes, exitCode, signal, error }: Ending): string =>
  signal !== undefined
    ? signal
    : exitCode !== undefined
      ? `exit code ${exitCode}`
      : error === undefined
        ? `it said "${believes}"`
        : 'it threw'

/** The part of its output that says why, as the end of a sentence. */
function outputWords({ output }: Ending): string {
  const words = outputTail(output)
  return words === undefined ? '; it printed nothing.' : `; it printed: ${words}`
}

/** Compares the belief of a client that ended by itself with the truth and with the answers that it got. */
function findWrongBelief(outcome: CaseOutcome): CaseFinding | undefined {
  const { creations, task } = outcome
  const isElsewhereOnly =
    creations.length > 0 && creations.every(it => it.synchronizationId !== task.synchronizationId)
  if (isElsewhereOnly) return undefined
  const belief = combinedBelief(outcome.endings)
  if (outcome.sent.length > intendedCount(outcome) && belief !== 'not-sent') return undefined
  if (belief === 'sent') return findingWhenSent(outcome)
  return belief === 'not-sent' ? findingWhenNotSent(outcome) : findingWhenUnknown(outcome)
}

/**
 * Compares what each of several workers believes with the truth. What one of them does not know another one may, so nobody is held to know
 * that it was sent; nobody may believe that it was not.
 */
function findWrongJointBelief(outcome: CaseOutcome): CaseFinding | undefined {
  const { endings, sent, stopped, expect, mayKnowCreated, lastRequests } = outcome
  const says = (belief: Belief) => endings.some(({ believes }) => believes === belief)
  if (says('not-sent') && sent.length > 0)
    return examError(
      'wrong-belief',
      'A worker reports that the mailing was not sent, but it was, by this worker or by another one. Sending it again sends it once more.',
      sent.map(({ cause }) => cause),
    )
  if (says('sent') && sent.length + stopped === 0)
    return examError(
      'wrong-belief',
      'A worker reports that the mailing was sent, but none of the workers sent it.',
      lastRequests,
    )
  if (says('sent') && !mayKnowCreated)
    return examError(
      'guessed',
      'A worker reports that it was sent, and that is true, but no response has told any of the workers so.',
      lastRequests,
    )
  if (sent.length + stopped > 0 || says('not-sent') || expect?.belief !== 'sent') return undefined
  return examError(
    'given-up',
    'Nothing was sent: the worker that was left did not go on with what the other one had begun.',
    lastRequests,
    'warning',
  )
}

function findingWhenSent(outcome: CaseOutcome): CaseFinding | undefined {
  const { sent, stopped, mayKnowCreated } = outcome
  const expected = intendedCount(outcome)
  const last = outcome.creations.at(-1)
  const was = last ? ` ${last.id} was told ${last.told}.` : ''
  if (sent.length + stopped < expected)
    return examError(
      'wrong-belief',
      expected === 1
        ? `The client reports that it sent, but nothing was sent.${was} Only a sending in state CREATED, with its own transactionId in it, means sent.`
        : `The client reports that it sent ${expected} mailings, but it sent ${sent.length}. Each needs a transactionId of its own.`,
      last ? [last.id] : outcome.lastRequests,
    )
  if (mayKnowCreated) return undefined
  return examError(
    'guessed',
    `The client reports that it sent, and that is true, but no response has told it so: it guessed.${was}`,
    [last?.id],
  )
}

function findingWhenNotSent(outcome: CaseOutcome): CaseFinding | undefined {
  const { sent, toldCreated, lastReport: last } = outcome
  const isUncertain = last?.state === 'PENDING' || last?.state === 'INDETERMINATE_FAILURE'
  const doubt = isUncertain ? ` ${uncertaintyWords(last)}` : ''
  if (sent.length > 0 && sent.length >= intendedCount(outcome)) {
    const proof = toldCreated === undefined ? doubt : ` ${toldCreated} told it CREATED.`
    return examError(
      'wrong-belief',
      `The client reports that it did not send (${lastEndingWords(outcome)}), but it was sent.${proof} Sending it again sends it once more.`,
      [...new Set([sent[0]!.cause, toldCreated ?? last?.id])],
    )
  }
  if (isUncertain)
    return examError(
      'guessed',
      `The client reports that it did not send (${lastEndingWords(outcome)}), and this time that is true.${doubt}`,
      [last.id],
    )
  return outcome.expect?.belief === 'sent' ? givenUpFinding(outcome) : undefined
}

function findingWhenUnknown(outcome: CaseOutcome): CaseFinding | undefined {
  const { sent, toldCreated, expect } = outcome
  const isSent = sent.length >= intendedCount(outcome)
  if (isSent && toldCreated !== undefined)
    return examError(
      'unaware',
      `${toldCreated} told the client that it was sent, a sending in state CREATED, yet the client ended without knowing it (${lastEndingWords(outcome)}). That is proof with status 200 as well as 201.`,
      [toldCreated],
    )
  if (expect?.belief !== 'sent') return undefined
  if (!isSent) return givenUpFinding(outcome)
  const repeat = isAnonymous(outcome)
    ? 'With a transactionId, a repeat'
    : 'One more repeat with the same transactionId'
  const finding = examError(
    'unaware',
    `The mailing was sent, but the client ended without knowing it. ${repeat} would have told it; pressing "send again" now may send it twice.${exitWords(outcome)}`,
    sent.map(({ cause }) => cause),
    severityOf(outcome),
  )
  return { ...finding, ...remedyIfAnonymous(outcome) }
}

const isAnonymous = ({ creations }: CaseOutcome) =>
  creations.length > 0 && creations.at(-1)!.transactionId === undefined

/** A request without a transactionId must not be repeated (spec 4.1/3). */
const remedyIfAnonymous = (outcome: CaseOutcome) => isAnonymous(outcome) && { remedy: anonymousRepeat.remedy }

function givenUpFinding(outcome: CaseOutcome): CaseFinding {
  const { sent, lastRequests } = outcome
  const what =
    sent.length === 0 ? 'Nothing was sent' : `Only ${sent.length} of ${intendedCount(outcome)} was sent`
  const finding = examError(
    'given-up',
    `${what}. A client that kept retrying as documented would have succeeded.${exitWords(outcome)}`,
    lastRequests,
    severityOf(outcome),
  )
  return { ...finding, ...remedyIfAnonymous(outcome) }
}

/** An exit code that is no word of a client, as a sentence. Node ends silently with 13, as after a reset during fetch. */
function exitWords({ endings }: CaseOutcome): string {
  const code = endings.at(-1)?.exitCode
  if (code === undefined || code <= 1 || code === 3) return ''
  const meaning =
    code === 13
      ? ': if it runs on Node, a top-level await never settled and nothing was left to wait for'
      : ''
  return ` It ended with exit code ${code}${meaning}.`
}

/**
 * The document sets no limit for repeats after errors and timeouts, and does not oblige a client to go on after FAILED. If
 * the rules do not say that the client stopped too early, and its report is honest, this is only a warning: a verdict
 * does not fail it either.
 */
function severityOf(outcome: CaseOutcome): CaseFinding['severity'] {
  const { requests, broken } = outcome
  const isAcquitted = requests > 0 && !broken.has('R10') && !broken.has('R11')
  return isAcquitted && isHonest(outcome) ? 'warning' : 'error'
}

/** Whether a client that does not report that it sent reports what it can know. */
function isHonest({ endings, lastReport, creations }: CaseOutcome): boolean {
  const belief = combinedBelief(endings)
  if (lastReport?.state === 'FAILED') return belief === 'not-sent'
  return belief === 'unknown' || (belief === 'not-sent' && creations.length >= sufficientEffort.attempts)
}

const uncertaintyWords = ({ id, state }: StateReport) =>
  `${id} told it ${state}, so ${state === 'PENDING' ? 'it may still be sent' : 'the outcome is unknown'}: that is "unknown", exit code 3.`

const lastEndingWords = ({ endings }: CaseOutcome) => {
  const last = endings.at(-1)
  return last?.exitCode === undefined ? 'so it says' : endingWords(last)
}

/** Findings about what the client was not asked to do: another synchronization, another time, or too often. */
function* findWrongTasks(outcome: CaseOutcome): Iterable<CaseFinding> {
  const { task, creations, sent } = outcome
  const others = creations.filter(it => it.synchronizationId !== task.synchronizationId)
  const [first] = others
  if (first)
    yield examError(
      'environment-ignored',
      `${first.id} asked for a sending of synchronization ${first.synchronizationId}, where ${task.synchronizationId} was to be sent. Does the client read MAILING_SYNC_SYNCHRONIZATION_ID?`,
      others.slice(0, shownEvidence).map(({ id }) => id),
    )
  const { scheduleDate } = task
  const mistimed =
    scheduleDate === undefined ? [] : sent.filter(({ startsAt }) => !isSameTime(startsAt, scheduleDate))
  if (mistimed[0])
    yield examError(
      'wrong-time',
      `It goes out at ${mistimed[0].startsAt}, where MAILING_SYNC_SCHEDULE_DATE says ${scheduleDate}. Is that date sent along as scheduleDate?`,
      mistimed.slice(0, shownEvidence).map(({ cause }) => cause),
    )
  const expected = intendedCount(outcome)
  if (sent.length > expected)
    yield examError(
      'sent-too-often',
      `The mailing was sent ${sent.length} times; ${expected === 1 ? 'once was' : `${expected} times were`} wanted.`,
      sent.slice(0, shownEvidence).map(({ cause }) => cause),
    )
}

/**
 * Findings of the exam itself: clients that do not work in an exam, and beliefs that contradict the truth. Conduct is
 * left to the rules.
 */
export function findInOutcome(outcome: CaseOutcome): CaseFinding[] {
  const { stop, requests, brokenConnections, lastRequests } = outcome
  if (stop?.why === 'interrupted') return []
  // A client that the exam killed did not crash.
  const crash = stop ? undefined : findCrash(outcome)
  if (whyNotOverTls(outcome)) return [{ ...noRequestFinding(outcome), status: 'open' }]
  // A worker that finds what one that was killed has begun may leave it alone.
  const mayBeIdle = outcome.isJoint && outcome.endings.length < 2 && !stop && !crash
  if (requests === 0 && brokenConnections === 0 && !mayBeIdle) return [crash ?? noRequestFinding(outcome)]
  const certain = [...findWrongTasks(outcome)]
  if (crash) return [crash, ...certain]
  if (stop?.why === 'flood') {
    const flood = `The client sent ${requests} requests for one mailing and was killed. Repeats need a pause that grows, and an end.`
    return [...certain, examError('flooded', flood, lastRequests)]
  }
  const findBelief = outcome.isJoint ? findWrongJointBelief : findWrongBelief
  const wrongEnd = stop ? findNeverEnded(outcome, stop) : findBelief(outcome)
  return wrongEnd ? [...certain, wrongEnd] : certain
}
