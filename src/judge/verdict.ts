import type { LedgerSending } from '../rig/ledger.ts'
import { maxRejectedLogins, type RejectedLogin, type RejectedLogins } from '../rig/rejected-logins.ts'
import type { RequestRecord } from '../rig/request-record.ts'
import type { RigView } from '../rig/space-view.ts'
import { countNoun, durationWords, statusCountWords } from '../rig/words.ts'
import { homeOf } from '../store/tenant-directory.ts'
import type { Attempt } from './attempt.ts'
import { ClientHistory } from './client-history.ts'
import { collectEvidence, type Evidence } from './evidence.ts'
import type { ExamFindingName } from './exam/exam-result.ts'
import { groupBy } from './grouping.ts'
import {
  describeExcess,
  expectedWords,
  findHarm,
  type Harm,
  type HarmFinding,
  type HarmKind,
  harmName,
  lastIndeterminate,
  statusCounts,
} from './harm.ts'
import { chainWindow } from './intended-sendings.ts'
import { networkDelay } from './knowledge.ts'
import { redirectBelieved } from './rules/client-end.ts'
import { rules } from './rules/registry.ts'
import type { Rule, Suspicion } from './rules/rule.ts'
import type { ClientEnd, KnownClient, RuleId, Severity } from './terms.ts'
import { buildTimelines } from './timeline.ts'
import type { Finding, Verdict, VerdictSending, VerdictView } from './verdict-shape.ts'
import {
  accusationsOf,
  accusationWords,
  asText,
  besidesWords,
  graverHarm,
  isHeldAgainst,
  isRepeatRule,
  maxEvidence,
} from './verdict-text.ts'

const weight: Record<Severity, number> = { error: 0, warning: 1, information: 2 }

function collectFindings(history: ClientHistory): Finding[] {
  const findings = rules.flatMap(rule => [...rule.find(history)].map(it => toFinding(rule, it, history)))
  const rank = ({ status, severity }: Finding) => weight[severity] * 2 + (status === 'open' ? 1 : 0)
  return findings.sort((one, other) => rank(one) - rank(other))
}

function toFinding(rule: Rule, suspicion: Suspicion, history: ClientHistory): Finding {
  const { ignoredAnswer: ignored, openBecause } = suspicion
  const { severity, remedy } = { ...rule, ...suspicion }
  const doubt = doubtOf(rule, suspicion, history)
  const because =
    openBecause || (doubt && history.end && severity !== 'information' && doubtWords[doubt](history))
  const sentence = because ? `${suspicion.sentence} ${because}` : suspicion.sentence
  const informational = ignored?.answer.response?.informational
  return {
    rule: rule.id,
    title: rule.title,
    severity,
    status: doubt === undefined ? 'guilty' : 'open',
    sentence: informational
      ? `${sentence} An informational ${informational} came before the response to ${ignored!.answer.id}; perhaps the client took it for the response.`
      : sentence,
    evidence: suspicion.evidence.slice(0, maxEvidence).map(({ id }) => id),
    clause: rule.clause,
    remedy: informational ? `Skip 1xx responses and read on. ${remedy}` : remedy,
  }
}

/** Why a question stays open although the end is known, and what would decide it, by its doubt. */
const doubtWords = {
  end: () => '',
  loss: () => 'It stays open, because requests that may explain it are not on record.',
  intent: ({ meant }: ClientHistory) =>
    meant === undefined
      ? 'It stays open, because requests are missing on the record, and nothing says how many mailings were meant.'
      : `It stays open, because ${expectedWords(meant)} meant, and nothing says which of these requests mean the same mailing: a space with one mailing decides it.`,
  worker: () =>
    'It stays open, because several workers may have sent these requests: a client with one worker decides it.',
  unseen: () => 'It stays open, because nothing that the server sees decides it.',
}

/** What else may explain a suspicion; undefined if nothing does. */
function doubtOf({ dependsOn, survivesLoss }: Rule, suspicion: Suspicion, history: ClientHistory) {
  const { isOpen, openBecause, sending, ignoredAnswer } = suspicion
  const { hasOneWorker } = history
  if (dependsOn === 'end' && !history.end) return 'end'
  if (isOpen || openBecause)
    return sending?.basis === 'inferred' ? 'intent' : hasOneWorker ? 'unseen' : 'worker'
  if (!survivesLoss && (!history.isComplete || sending?.isWhole === false)) return 'loss'
  if (dependsOn === 'end' || dependsOn === 'request') return undefined
  if (dependsOn === 'intent' && sending?.basis !== 'declared') return 'intent'
  if (ignoredAnswer ? history.isSameWorker(ignoredAnswer.answer, ignoredAnswer.later) : hasOneWorker)
    return undefined
  return 'worker'
}

/** What looks as if one mailing was sent twice, for tests that do not say what they meant. */
function describeSuspicion(
  findings: readonly Finding[],
  harm: Harm,
  { meant, effects, end }: ClientHistory,
  isExcessAccepted: boolean,
) {
  const repeat = findings.find(({ rule, status }) => status === 'open' && isRepeatRule(rule))
  if (meant !== undefined) {
    if (harm.sent <= meant || isExcessAccepted) return null
    if (meant <= 1)
      return end ? null : describeExcess([...effects.values()].flat(), `${expectedWords(meant)} expected`)
    // Of several mailings the number proves how many were sent too often, and not that this rule was broken.
    const excess = harm.findings.find(({ kind }) => kind === 'DOUBLE')?.sentence
    return end && !repeat ? null : [excess, repeat?.sentence].filter(Boolean).join(' ') || null
  }
  const doubles = harm.findings.filter(({ kind, status }) => kind === 'DOUBLE' && status === 'open')
  const more = doubles.length > 1 && `And ${doubles.length - 1} more of the kind.`
  return [doubles[0]?.sentence, more, repeat?.sentence].filter(Boolean).join(' ') || null
}

/** What an exam calls the same harm: whoever accepts it there accepts it in a test. */
const harmRules: { readonly DOUBLE: ExamFindingName } & { readonly [Kind in HarmKind]?: ExamFindingName } = {
  DOUBLE: 'sent-too-often',
  ASTRAY: 'environment-ignored',
  LOST: 'wrong-belief',
  'GIVEN-UP': 'given-up',
  UNAWARE: 'wrong-belief',
  TIME: 'wrong-time',
}

/**
 * The rules for which a test fails, by the names that a known-file has for them: those that are proved broken, with harm that does not
 * follow from them, and the rule that seems to be broken, if one mailing seems to have been sent twice. Empty for a test that does not fail, or fails since what was armed met nothing.
 */
export function causesOfFailure(verdict: VerdictView): string[] {
  const { failure, harm, suspicion, unstruck } = verdict
  if (failure === null) return []
  const { proved, suspected } = accusationsOf(verdict)
  const guilty = proved.map(({ rule }) => rule)
  const isOfRepeat = guilty.some(isRepeatRule)
  const ofHarm = harm.findings.flatMap(({ kind, status }) => {
    const rule = status === 'certain' && harm.believes !== null ? harmRules[kind] : undefined
    const isOther = kind === 'GIVEN-UP' ? guilty.length === 0 : !(kind === 'DOUBLE' && isOfRepeat)
    return rule !== undefined && isOther ? [rule] : []
  })
  const causes: string[] = [...new Set([...guilty, ...ofHarm])]
  const isInVain =
    unstruck.length > 0 && failure.startsWith(`${unstruck[0]!.what} ${unstruck[0]!.name} was armed`)
  if (suspicion === null || isInVain || (isOfRepeat && suspected.length === 0)) return causes
  // A mailing that perhaps was sent twice is not hidden behind what is certain.
  return [...new Set([...causes, suspected[0]?.rule ?? harmRules.DOUBLE])]
}

/** How often something was sent, after the rule that was broken or seems to be. */
function timesWords(harm: Harm, { meant, sendings }: ClientHistory): string {
  const { sent } = harm
  const [first, ...others] = harm.findings.filter(
    ({ kind, status }) => kind === 'DOUBLE' && status === 'open',
  )
  const excess =
    meant === undefined && first && others.length > 0 ? ` (${harmName([first, ...others], null)})` : ''
  if (harm.scheduled > 0) return statusCountWords({ ...statusCounts(harm), stopped: 0 }) + excess
  const several = (meant ?? sendings.length) > 1 ? `${sent} mailings sent${excess}` : `sent ${sent} times`
  return sent === 0 ? 'nothing sent' : sent === 1 ? 'sent once' : several
}

/**
 * Why a test fails at its end; null if it does not. Fixture, matchers and kits ask nobody else, and an exam fails no client
 * that a test would pass for having given up. `judgeSpace` adds what was armed in vain.
 */
function whyTestFails(
  history: ClientHistory,
  findings: readonly Finding[],
  harm: Harm,
  suspicion: string | null,
): string | null {
  const grounds = { findings, harm, suspicion }
  const accusation = accusationWords(grounds)
  const deed = accusation && `${accusation}; ${timesWords(harm, history)}`
  if (deed && accusationsOf(grounds).proved.length > 0)
    return [graverHarm(grounds), deed, besidesWords(grounds)].filter(Boolean).join('. ')
  // A client that could not send, broke no rule and reports that is right, unless it was told INDETERMINATE_FAILURE.
  // That the platform made a mailing and did not send it is none of its doing.
  const isFair = ({ kind }: HarmFinding) =>
    kind === 'ORPHAN' || (kind === 'GIVEN-UP' && lastIndeterminate(history) === undefined)
  const certain = harm.findings.find(it => it.status === 'certain' && !isFair(it))
  if (history.end !== undefined && certain)
    return `the client did harm: ${harmName([certain], harm.expected)}`
  if (suspicion === null || history.meant !== undefined) return suspicion
  return deed ?? `one mailing seems to have been sent ${harm.sent} times`
}

/**
 * Applies the rules of conduct to the evidence. Says `guilty` only if there is no other explanation.
 * @param end what the person or program that ran the client knows about its end
 * @param known what is known of the client where its end is not
 */
export const judge = (
  evidence: Evidence,
  end?: ClientEnd,
  known?: KnownClient,
  accepted?: AcceptedRules,
): Verdict => judgeInput(new ClientHistory(evidence, end, known), accepted)

/** Rules that a client may break for now, each with the reason: such findings do not count. */
export type AcceptedRules = ReadonlyMap<string, string>

export function judgeInput(history: ClientHistory, accepted: AcceptedRules = new Map()): Verdict {
  const { evidence } = history
  const findings = collectFindings(history).map(it => {
    const known = it.severity === 'information' ? undefined : accepted.get(it.rule)
    return known === undefined ? it : { ...it, known }
  })
  const accusations = findings.filter(isHeldAgainst)
  const isGuilty = accusations.some(({ status }) => status === 'guilty')
  const isComplete = history.isComplete && evidence.earlier.length === 0
  const harm = findHarm(history)
  const hint = [describeHaste(history, findings), describeEarlier(evidence)].filter(Boolean).join(' ')
  // What was sent twice follows from the repeat, as in an exam.
  const isExcessAccepted =
    accepted.has(harmRules.DOUBLE) ||
    findings.some(it => it.known !== undefined && it.severity === 'error' && isRepeatRule(it.rule))
  const isHarmHeld = ({ kind }: HarmFinding) =>
    !accepted.has(harmRules[kind] ?? '') && !(kind === 'DOUBLE' && isExcessAccepted)
  const heldHarm = { ...harm, findings: harm.findings.filter(isHarmHeld) }
  const suspicion = describeSuspicion(
    findings.filter(it => it.known === undefined),
    heldHarm,
    history,
    isExcessAccepted,
  )
  const loss = describeLoss(history)
  const failure = whyTestFails(history, findings, heldHarm, suspicion)
  // A client whose test fails is not acquitted, even if no rule tells what it did.
  const isOpen = accusations.length > 0 || !isComplete || failure !== null
  return {
    space: evidence.space,
    outcome: isGuilty ? 'guilty' : isOpen ? 'open' : 'innocent',
    failure,
    sendings: buildTimelines(history),
    suspicion,
    findings,
    harm,
    unstruck: evidence.unfired,
    complete: isComplete,
    earlier: evidence.earlier.length,
    missing: evidence.dropped + evidence.forgotten,
    ...(loss && { loss }),
    ...(hint && { hint }),
    ...noteOf(evidence),
  }
}

/** Why requests are not on record any more, and what keeps them; undefined where all are. */
function describeLoss({ evidence, meant }: ClientHistory): string | undefined {
  const { dropped, forgotten, attempts } = evidence
  if (dropped + forgotten === 0) return undefined
  const were = (count: number) => countNoun(count, 'request was', 'requests were')
  return [
    dropped > 0 &&
      `${were(dropped)} dropped to make room: start with --journal ${roomFor(dropped + attempts.length)}.`,
    forgotten > 0 &&
      `${were(forgotten)} removed from the record on purpose: reset the space between tests instead of clearing its record.`,
    'What they would show is open.',
    meant === undefined && 'Say how many mailings were meant.',
  ]
    .filter(Boolean)
    .join(' ')
}

/** A round number of requests that a journal should keep, for those that came. */
function roomFor(count: number): number {
  let room = 5_000
  while (room < count) room *= 2
  return room
}

/** What was taken here, and would be refused by a deployment that follows the public documentation. */
function noteOf({ attempts }: Evidence): { readonly note?: string } {
  const short = attempts.filter(({ request, truth }) => request.hasShortDate && truth && truth.status < 300)
  if (short.length === 0) return {}
  const count = countNoun(short.length, 'request has a scheduleDate', 'requests have a scheduleDate')
  return {
    note: `${count} without milliseconds, such as ${short[0]!.id}: it is accepted here, but public documentation requires three digits. Try --profile documented.`,
  }
}

/**
 * What the ledger holds from before the record of requests began. Whether the client knew of one sending when it asked for
 * the next is not known any more, so that they may be one mailing is said as a guess, and no rule follows from it.
 */
function describeEarlier({ earlier, sent }: Evidence): string | undefined {
  if (earlier.length === 0) return undefined
  const earlierOnes = new Set(earlier)
  const alike = groupBy(sent, it => JSON.stringify([it.synchronizationId, it.subject]))
  const isSoonAfter = (one: LedgerSending, next: LedgerSending) =>
    (earlierOnes.has(one) || earlierOnes.has(next)) &&
    Date.parse(next.requestedAt) - Date.parse(one.requestedAt) <= chainWindow
  const repeated = [...alike.values()].find(group =>
    group.slice(1).some((it, at) => isSoonAfter(group[at]!, it)),
  )
  const doubt = repeated
    ? ` Perhaps one mailing was sent several times: ${repeated.length} sendings of synchronization ${repeated[0]!.synchronizationId} have one subject.`
    : ''
  const gone = earlier.length === 1 ? 'Its request is gone, so it' : 'Their requests are gone, so they'
  return `${countNoun(earlier.length, 'mailing was', 'mailings were')} sent before the restart. ${gone} cannot be judged.${doubt}`
}

/** Rules that are not found only because a request came so soon, on another connection, that an answer may be unread. */
function describeHaste(history: ClientHistory, findings: readonly Finding[]): string | undefined {
  if (!history.knowledge.isHasty) return undefined
  const patient = new ClientHistory(
    history.evidence,
    history.end,
    { expected: history.meant, workers: history.workers },
    true,
  )
  const isFound = (id: RuleId, later: Attempt) =>
    findings.some(({ rule, evidence }) => rule === id && evidence.includes(later.id))
  const suspicions = rules
    .flatMap(rule => [...rule.find(patient)].map(it => ({ ...rule, ...it, ...it.ignoredAnswer })))
    .filter(
      it =>
        it.severity !== 'information' &&
        it.later &&
        !history.knowledge.knownBefore(it.answer!, it.later) &&
        !isFound(it.id, it.later),
    )
  const [{ answer, later } = {}] = suspicions
  if (!answer?.ended || !later) return undefined
  const ids = [...new Set(suspicions.map(({ id }) => id))].join(' and ')
  const pause = later.arrived.real - answer.ended.real
  const count = new Set(suspicions.map(it => it.later)).size
  const others = count > 1 ? ` And ${count - 1} more of the kind.` : ''
  const beginning = `${later.id} came ${durationWords(pause)} after the response to ${answer.id}, on another connection: perhaps the client had not read that response, so ${ids} cannot be proved`
  const isProved = (id: RuleId) => findings.some(({ rule, status }) => rule === id && status === 'guilty')
  if (suspicions.every(({ id }) => isProved(id))) return `${beginning} of it, as of other requests.${others}`
  const wait = pause < networkDelay ? '25 ms' : '4 s'
  return `${beginning}. Do: ${suspicions[0]!.remedy} To let the judge prove it, reuse the connection, or wait ${wait} between requests.${others}`
}

/**
 * Why no sending was asked for. Requests without valid credentials belong to the space of the user that they name, or to
 * none, so no journal has all of them. A space with requests of its own has nothing to do with those of strangers.
 */
function credentialsHint(
  { use, journal, reader, space, continues }: RigView,
  refused: readonly RejectedLogin[],
): string | undefined {
  const own = refused.filter(it => it.account?.spaceName === space.name && !it.isPast)
  // A private space has one test, whose wrong password says nothing about the others that run beside it.
  const isOfCopy = (name: string | undefined) => name !== undefined && homeOf(name) !== name
  const others = refused.filter(({ at, account }) => {
    const name = account?.spaceName
    return at >= use.madeAt && name !== space.name && !isOfCopy(name)
  })
  if (own.length === 0 && journal.count > 0) {
    const entries = journal.entries()
    const last = entries.at(-1)
    if (!last || entries.some(it => reader.operation(it) !== undefined)) return undefined
    const methods = reader.methods(last)
    return methods.length > 0
      ? `No request was for an operation of the service; ${last.target} has ${methods.join(' and ')}. Does the client use the right method?`
      : `No request was for an operation of the service; the last one was ${last.method} ${last.target}. Does the client use the right address and path?`
  }
  const all = [...own, ...others]
  const [last] = all
  if (!last)
    return continues
      ? 'No request has come since the mock was started. Those before are not on record, so they cannot be judged.'
      : 'No request came to this space. Does the client call the address of this mock (its base URL, such as MAILING_SYNC_URL) with the user and password of this space, and does the test wait for it?'
  const orMore = all.length === maxRejectedLogins ? ' or more' : ''
  const first =
    own.length > 0
      ? countNoun(own.length, 'request') + orMore
      : `${countNoun(others.length, 'request')}${orMore} outside this space`
  const rest =
    own.length > 0 && others.length > 0
      ? ` ${countNoun(others.length, 'more was', 'more were')} outside this space.`
      : ''
  return `${first} had missing or wrong credentials; the last one was ${last.method} ${last.path}.${rest} Does the client use the user and the password of this space?`
}

/** What was armed and could meet no request, since none that the service let in asked for an operation. */
function describeIdle({ journal, reader }: RigView, { unstruck, missing }: Verdict): string | null {
  const [armed] = unstruck
  if (!armed || missing > 0) return null
  const isLetIn = (it: RequestRecord) =>
    reader.operation(it) !== undefined && (it.decision !== undefined || it.response?.status !== 401)
  if (journal.entries().some(isLetIn)) return null
  return `${armed.what} ${armed.name} was armed, and no request with the user and password of this space was for an operation of the service`
}

/** Milliseconds within which an HTTP library follows a redirect, on a busy machine too. */
const followTime = 5_000

/** What the client really saw last, if its HTTP library followed a redirect without the credentials. */
function describeFollowed({ journal }: RigView, refused: readonly RejectedLogin[]): string | undefined {
  const last = journal.entries().at(-1)
  const { status = 0, headers } = last?.response ?? {}
  if (!last?.ended || !headers || Math.floor(status / 100) !== 3) return undefined
  const { real } = last.ended
  const { pathname } = new URL(headers.Location ?? '', 'http://mock')
  const followed = refused.find(
    ({ userName, path, at }) =>
      userName === undefined && path === pathname && at >= real && at - real < followTime,
  )
  return (
    followed &&
    `${last.id} was redirected with ${status}, and the ${followed.method} that followed came without credentials: the client saw 401 last. Do: ${redirectBelieved.remedy}`
  )
}

/** Of a client that asked for sendings only where there is no such synchronization, nothing is proved. */
function describeUnknown({ hint, sendings }: Verdict): string | undefined {
  const attempts = sendings.flatMap(it => it.attempts)
  if (attempts.length === 0 || hint !== undefined || attempts.some(({ truth }) => truth?.status !== 404))
    return hint
  const [{ synchronizationId }] = sendings as [VerdictSending]
  return `No sending was accepted: this space has no synchronization "${synchronizationId}", for which ${attempts[0]!.requestId} asked. Does the client use an ID of this space?`
}

/** The verdict on a space, as data and as text, and the rules that were applied. */
export async function judgeSpace(
  rig: RigView,
  known: KnownClient,
  rejectedLogins: RejectedLogins,
  accepted?: AcceptedRules,
): Promise<{ readonly verdict: Verdict; readonly text: () => string; readonly rules: readonly Rule[] }> {
  const { believes, ...rest } = known
  const judgement = judge(await collectEvidence(rig), believes && { believes, ...rest }, rest, accepted)
  const isSilent = judgement.sendings.length === 0 && judgement.earlier === 0
  const hint = isSilent
    ? credentialsHint(rig, rejectedLogins.latest)
    : (describeUnknown(judgement) ?? describeFollowed(rig, rejectedLogins.latest))
  const failure = describeIdle(rig, judgement) ?? judgement.failure
  const outcome = failure === null || judgement.outcome === 'guilty' ? judgement.outcome : 'open'
  const verdict = { ...judgement, outcome, failure, ...(hint && { hint }) }
  return { verdict, text: () => asText(verdict), rules }
}
