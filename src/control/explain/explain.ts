import { z } from 'zod'
import { findNearby, nearestPath, pathsThereAre } from '../../rig/hints.ts'
import type { JournalView } from '../../rig/journal-view.ts'
import {
  bodyJson,
  isTrueResponse,
  type RecordedResponse,
  responseState,
} from '../../rig/recorded-response.ts'
import { hideSecrets, secretsIn } from '../../rig/redaction.ts'
import type { RequestRecord } from '../../rig/request-record.ts'
import type { Decision, Rule } from '../../rig/scenarios/scenario.ts'
import type { RigView } from '../../rig/space-view.ts'
import {
  answerPhrase,
  capitalize,
  countNoun,
  deliverySentence,
  deliverySummary,
  informationalWords,
  platformStatusWords,
  writtenDuration,
} from '../../rig/words.ts'
import { stateOf } from '../../service/sendings/lifecycle.ts'
import { statusOfSending } from '../../store/platform-status.ts'
import type { PlatformMailing, PlatformSending, Sending } from '../../store/rows.ts'
import { quote } from '../../store/validation-messages.ts'
import {
  describeWhy,
  type ExplainContext,
  findEarlierSending,
  findRule,
  isForbidden,
  isOvertaken,
  isPlanned,
  isRefusal,
  type Sentences,
  toExplainContext,
} from './why.ts'
import { describeRefusal, planWords, reactions, sectionOf, stepWords } from './words.ts'

/** What would have changed the answer, and what comes next. */
function describeChange(it: ExplainContext): Sentences {
  const { decision, response, truth } = it.record
  const refused = truth ?? (decision ? undefined : response)
  return [
    refused && isRefusal(refused) && acceptanceWords(refused, it),
    releaseWords(it),
    ...planProgressWords(it),
    ...(decision
      ? [...nextStepWords(decision, it), finalStateWords(it), withoutScenarioWords(decision, it)]
      : []),
    howToDisturb(it),
  ]
}

function acceptanceWords(refused: RecordedResponse, { record, rig, operation }: ExplainContext): string {
  if (refused.problem?.name === 'not-found') return `To be accepted: ${whatToUse(record, rig)}.`
  const { accepted } = describeRefusal(refused, operation)
  const ready = /readyForSending/.test(accepted) ? readySynchronizations(rig) : []
  const users = refused.status === 401 && refused.headers['X-Mock-Hint']?.split('. ').slice(1).join('. ')
  if (users) return `To be accepted: ${accepted}. ${users}.`
  const dials = rig.dials(record.applicableScenario?.scenario)
  const bound = rig.memory.refusal(rig.reader.facts(record), rig.space, dials)
  const isBound = bound && bound.detail === refused.problem?.detail
  const other = isBound ? ', and use another transactionId: the dial rejected-transaction binds this one' : ''
  return `To be accepted: ${accepted}${ready.length > 0 ? `, such as ${ready.join(', ')}` : ''}${other}.`
}

function whatToUse(record: RequestRecord, { space, reader }: ExplainContext['rig']): string {
  const facts = reader.facts(record)
  if (!facts.operation) {
    const near = nearestPath(facts.path, reader.segment)
    return near === undefined
      ? `use a path of the service; they ${pathsThereAre(reader.segment)}`
      : `use a path that there is; the nearest is ${near}`
  }
  const near = findNearby(facts, space)
  if (!near) return 'ask for it once it is there; what the path names is there already'
  const { noun, nouns, names } = near
  return names.length > 0
    ? `use a ${noun} that there is, such as ${names.join(', ')}`
    : `there are no ${nouns} so far; create one first`
}

/** A few synchronizations whose mailing has an approved version. */
function readySynchronizations({ space }: ExplainContext['rig']): string[] {
  const { synchronizations, mailings, testSynchronizations } = space.data.tables
  const ready: string[] = []
  for (const { id, mailingId } of synchronizations.rows()) {
    if (ready.length === 2) break
    if (mailings.get(mailingId)?.approved && !testSynchronizations.get(id)) ready.push(id)
  }
  return ready
}

function releaseWords({ record, rig, now }: ExplainContext): string | undefined {
  const { decision, truth, response } = record
  if (truth || response) return undefined
  const { hold, delay } = decision?.step ?? {}
  if (hold !== undefined && rig.holds.counts().has(hold))
    return `POST …/holds/${encodeURIComponent(hold)}/release lets it go on.`
  const [due] = rig.clock.due
  if (delay === undefined || due === undefined) return undefined
  return `Advancing the clock by ${writtenDuration(Math.max(0, due - now))} reaches the next wait in the space.`
}

/** What advances a sending that has not reached its final state. */
function planProgressWords({ record, sending, now }: ExplainContext): Sentences {
  if (!sending || stateOf(sending, now) !== 'PENDING' || sending.step >= sending.plan.length - 1) return []
  const { times, for: lasts } = sending.plan[sending.step]!
  const next = sending.plan[sending.step + 1]!.state
  // Then the next step of the scenario counts, which is described anyway.
  if (next === 'PENDING') return []
  const end = Date.parse(sending.stepSince) + (lasts ?? 0)
  return [
    lasts !== undefined && `Advancing the clock by ${writtenDuration(end - now)} makes the sending ${next}.`,
    // Otherwise the next step of the rule describes it.
    times !== undefined && !record.decision && attemptsWords(times - sending.stepAttempts, next),
  ]
}

const attemptsWords = (left: number, next: string): string =>
  left <= 0
    ? `One more attempt with its transactionId makes the sending ${next}.`
    : `After ${countNoun(left, 'more attempt')} with its transactionId that find it PENDING, the next makes it ${next}.`

/** A sending in a final state keeps it, whatever a scenario says about later attempts. */
function finalStateWords({ record, sending, now }: ExplainContext): string | undefined {
  if (!sending || sending.transactionId === null) return undefined
  const state = stateOf(sending, now)
  const isFirst = sending.cause === record.id
  if (state === 'PENDING' || (state === 'CREATED' && isFirst)) return undefined
  return `Under this transactionId the sending stays ${state}; another transactionId makes another sending${isFirst ? '' : ', to which the scenario applies from its beginning'}.`
}

function nextStepWords(decision: Decision, it: ExplainContext): Sentences {
  const rule = findRule(decision, it)
  const { truth } = it.record
  if (truth && isRefusal(truth))
    return ['A repeat is refused again as long as the reason stands, whatever the scenario says.']
  if (!rule) return ['The one-shot fault has been disarmed since: it fires no more.']
  const { stepIndex, attempt, step, by } = decision
  const { steps } = rule
  const next = steps[stepIndex + 1]
  const isPast = isOvertaken(decision, rule, it)
  const repeat = repeatWords(rule, it.transactionId !== undefined)
  const then = next ? `step ${stepIndex + 2}: ${stepWords(next)}` : undefined
  const left = (step.times ?? Number.POSITIVE_INFINITY) - attempt
  const usedUp = usedUpWords(by, isPast)
  const who = isPast ? `At that moment ${repeat} was to get` : `${capitalize(repeat)} gets`
  if (left <= 0) return then === undefined ? [`After this ${usedUp}.`] : [`${who} ${then}.`]
  const isCounted = Number.isFinite(left)
  const same = isCounted ? `, ${countNoun(left, 'time')} more` : ''
  const lasts = step.for === undefined ? '' : `, until ${writtenDuration(step.for)} after the step began`
  const isForEver = then === undefined && !isCounted && step.for === undefined
  return [
    `${who} the same step again${same}${lasts}.`,
    !isForEver &&
      (then === undefined ? `Then ${usedUp}.` : `Then ${isPast ? 'was to come' : 'comes'} ${then}.`),
  ]
}

function usedUpWords(by: Decision['by'], isPast: boolean): string {
  if (by === 'one-shot fault') return `the fault ${isPast ? 'was' : 'is'} used up`
  return isPast
    ? 'the rule was used up, and attempts went on to the next rule or were undisturbed'
    : 'the rule is used up, and attempts go on to the next rule or are undisturbed'
}

function repeatWords({ per, on }: Rule, isWithTransaction: boolean): string {
  if (per === 'transaction' && isWithTransaction) return 'a repeat with the same transactionId'
  if (per !== 'space')
    return isWithTransaction
      ? 'a request with the same payload, whatever its transactionId,'
      : 'a repeat of the same request'
  return on === '*' ? 'the next request' : `the next ${on.join(' or ')}`
}

/** How the request would have avoided the scenario. */
function withoutScenarioWords({ by, scenario }: Decision, it: ExplainContext): string {
  if (by === 'one-shot fault') return 'POST …/faults arms another one.'
  if (by === 'space')
    return `DELETE …/scenario ends it; PUT …/scenario with ${scenario === 'own-definition' ? 'its definition' : quote(scenario)} starts its counts again.`
  const otherwise = otherwiseWords[by]
  const sending = findEarlierSending(it)?.sending
  if (!sending || !isPlanned(sending)) return `${otherwise} it would not have been disturbed by it.`
  const plan = planWords(sending.plan)
  return by === 'header'
    ? `${otherwise} it would still have met the plan that the sending was made with: ${plan}.`
    : `${otherwise} it would have been about another sending; this one keeps the plan that it was made with: ${plan}.`
}

const otherwiseWords = {
  header: 'Without X-Mock-Scenario',
  transactionId: 'With a transactionId that does not have the form mock:NAME:ANYTHING',
  'test synchronization': 'On a synchronization that is no test synchronization',
} as const

function howToDisturb({ record, operation }: ExplainContext): string | undefined {
  const { response, applicableScenario, decision, twinOf } = record
  if (!operation || response?.status === 401 || isForbidden(record)) return undefined
  if (twinOf !== undefined || applicableScenario || decision) return undefined
  const byTransaction = operation === 'createSending' ? ', or a transactionId mock:NAME:ANYTHING' : ''
  return `To disturb one such request, send the header X-Mock-Scenario: NAME${byTransaction}. To disturb all requests of the space, PUT …/scenario; for a single fault, POST …/faults. GET /_mock/scenarios lists the names.`
}

/** What actually happened, independent of the response to the client. */
function describeDone(it: ExplainContext): Sentences {
  const { truth, decision, method } = it.record
  if (!truth) return [notProcessedWords(it)]
  if (isRefusal(truth)) return [`The service refused it with ${truth.status}: nothing was changed.`]
  if (method === 'GET' || method === 'HEAD') return ['It only read: nothing was changed.']
  const made = [...(it.sending ? createdSendingWords(it.sending, it) : []), ...platformWords(it)]
  return [
    truth.status >= 500 && endWords(it),
    ...made,
    truth.status < 300 && made.length === 0 && 'It was done as it was asked for.',
    decision?.step.deliver === 'late' && 'It was worked on late, whether or not the client was still there.',
    it.twin !== undefined &&
      `It was delivered twice: ${it.twin} is the second delivery, and the client got the response to that one.`,
  ]
}

const endWords = ({ operation, transactionId }: ExplainContext): string =>
  operation === 'createSending' && transactionId === undefined
    ? 'Without a transactionId the state of a sending can only be CREATED (3/1), so any other end of it is a 500.'
    : 'The service could not process it.'

function notProcessedWords({ record, rig }: ExplainContext): string {
  const { decision, ended, delivered, response } = record
  const { step } = decision ?? {}
  if (step?.phase === 'before') return 'Nothing was done: the step fires before any work.'
  if (response?.status === 401) return 'Nothing was done: the credentials were refused.'
  if (response) return 'Nothing was done: the service was never asked.'
  if (step?.hold !== undefined && rig.holds.counts().has(step.hold))
    return `Nothing was done yet: it is held at "${step.hold}".`
  if (step?.delay !== undefined) return "Nothing was done yet: it waits on the space's clock."
  if (ended || delivered !== 'open') return 'Nothing was done: it ended before the service was asked.'
  return 'Nothing was done yet: it is under way.'
}

function createdSendingWords(sending: Sending, { record, rig, now }: ExplainContext): Sentences {
  const { reader } = rig
  const state = record.truth && responseState(record.truth)
  const current = stateOf(sending, now)
  const later = state !== undefined && current !== state && `By now the sending is ${current}.`
  if (sending.cause === record.id) {
    const { decision } = record
    const plan = decision && sending.plan.length > 1 ? `; its plan: ${planWords(sending.plan)}` : ''
    const isUnknownToClient = state === undefined ? ' (the response does not tell of it)' : ''
    return [`It made sending ${sending.id}, ${state ?? current}${plan}${isUnknownToClient}.`, later]
  }
  const first = rig.journal.find(sending.cause)
  const before = first && reader.digest(first)?.payloadSha256
  const isOther = before !== undefined && before !== reader.digest(record)?.payloadSha256
  return [
    `Its transactionId was known: ${first ? first.id : 'an earlier request'} made sending ${sending.id}, which keeps the scenario it began with; a repeat makes no second one (4.1/5).`,
    `The sending was ${state ?? current}.`,
    isOther && `The payload differs from that of ${sending.cause}; what differs was ignored (4.1/9).`,
    later,
  ]
}

function platformWords({ record, sending, effects, now }: ExplainContext): string[] {
  const caused = effects.of(sending?.cause ?? record.id)
  const unsent = caused.mailings.filter(({ id }) => !caused.sendings.some(it => it.platformMailingId === id))
  const told = [
    ...caused.sendings.map(it => sendingWords(it, now)),
    ...unsent.map(mailing => mailingWords(mailing, sending)),
  ]
  return told.length === 0 && sending ? ['On the platform nothing has been made or sent.'] : told
}

function sendingWords(row: PlatformSending, now: number): string {
  const to =
    row.kind === 'test'
      ? countNoun(row.recipients, 'test address', 'test addresses')
      : countNoun(row.recipients, 'recipient')
  const when = `${platformStatusWords[statusOfSending(row, now)].verbBeforeTime} ${row.startsAt}`
  return `On the platform mailing ${row.platformMailingId} was made, and sending ${row.id} to ${to} ${when}.`
}

function mailingWords({ id, createdAt, origin }: PlatformMailing, sending: Sending | undefined): string {
  const isOpen = sending !== undefined && sending.plan.length - 1 > sending.step
  const fate = origin === 'mailing-upload' ? '' : isOpen ? ', not sent so far' : ', and never sent'
  return `On the platform mailing ${id} was made at ${createdAt}${fate}.`
}

/** The response to the client, and how it was delivered. */
function describeTold(it: ExplainContext): Sentences {
  const { record } = it
  const { response: given, decision } = record
  const delivery = deliverySentence(record.delivered, record.bytesSent, record.isUnread)
  if (!given) return [delivery]
  const answer = decision?.step.answer
  const fault = answer && 'fault' in answer && answer.fault
  return [
    `The response ${verbOf(record)} ${responsePhrase(given)}${besideTruth(given, record.truth)}.`,
    ...(given.informational ?? []).map(it => `Before it came ${informationalWords(it)}.`),
    ...clauseWords(given, it),
    fault && `Fault "${fault.name}": ${fault.description}`,
    record.refusalId !== undefined && `To its client it is request ${record.refusalId}.`,
    delivery,
  ]
}

function verbOf({ delivered }: RequestRecord): string {
  if (delivered === 'handed') return 'was'
  return delivered === 'open' ? 'is to be' : 'was to be'
}

/** The response compared to the true answer. */
function besideTruth(given: RecordedResponse, truth: RecordedResponse | undefined): string {
  if (!truth) return ''
  if (isTrueResponse(given, truth)) return ', as the service answered it'
  const [seen, real] = [responsePhrase(given), responsePhrase(truth)]
  const other = String(given.body) === String(truth.body) ? 'another Content-Type' : 'other content'
  return seen === real ? `, as the service answered it, but with ${other}` : `; the true one was ${real}`
}

/** A response by its status and what it calls a state. */
function responsePhrase(response: RecordedResponse): string {
  const state = bodyJson(response)?.state
  return answerPhrase({ status: response.status, state: typeof state === 'string' ? state : null })
}

/** Why it was refused, if the client was told the true answer. */
function refusalOf({ record: { response, truth, decision }, operation }: ExplainContext) {
  if (!response || !isRefusal(response)) return undefined
  const isTruth = isTrueResponse(response, truth) || (!truth && !decision)
  return isTruth ? describeRefusal(response, operation) : undefined
}

/** The clause of the document behind an answer that is no refusal, or what it asks of a client that does not get it. */
function clauseWords(given: RecordedResponse, it: ExplainContext): string[] {
  const { operation } = it
  const { decision, truth, delivered } = it.record
  const { status } = given
  if (refusalOf(it)) return []
  if (operation === 'createSending' && delivered !== 'open') {
    if (delivered !== 'handed') return [silenceAdvice(it)]
    if (status >= 500) return [serverErrorAdvice(it)]
    if (status >= 400) return []
    const isOfTwin = decision?.step.deliver === 'twice' && !decision.step.answer
    return isOfTwin || isTrueResponse(given, truth) ? creationAdvice(given, it) : [silenceAdvice(it)]
  }
  if (decision || status >= 400) return []
  return [`That is the response of ${sectionOf(operation)}, undisturbed.`]
}

const serverErrorAdvice = ({ transactionId }: ExplainContext) =>
  transactionId !== undefined
    ? 'After a 5xx a client is to repeat with the same transactionId, to learn the outcome (4.1/8).'
    : 'Without a transactionId a client cannot safely repeat it: something may have been sent (4.1/3).'

const silenceAdvice = ({ transactionId }: ExplainContext) =>
  transactionId !== undefined
    ? 'A response that breaks off, or says nothing about the sending, is as good as none: a client is to repeat with the same transactionId (4.1/8).'
    : 'A response that breaks off, or says nothing about the sending, is as good as none: without a transactionId a client cannot safely repeat it (4.1/3).'

function creationAdvice(given: RecordedResponse, { transactionId }: ExplainContext): string[] {
  const state = responseState(given)
  if (state === undefined) return []
  return [
    creationWords(given.status, transactionId !== undefined),
    `What a client is to do on ${state}: ${reactions[state]}.`,
  ]
}

function creationWords(status: number, isWithTransaction: boolean): string {
  if (status === 200)
    return 'With a transactionId that is known, or after trouble on the server, it is 200 with the state of the sending (4.1/5).'
  return isWithTransaction
    ? 'Everything was set up under a new transactionId: 201 with a Location (4.1/4).'
    : 'Without a transactionId success means that everything was set up, and the state is CREATED (4.1/3, 3/1).'
}

/** Explains an answer in sentences: why it was this one, what actually happened, and what would have changed it. */
export function explain(record: RequestRecord, rig: RigView, journal: JournalView): Explanation {
  const it = toExplainContext(record, rig, journal)
  const secrets = secretsIn(record)
  const refusal = refusalOf(it)
  const shown = (sentences: Sentences) =>
    sentences.filter(it => typeof it === 'string').map(text => hideSecrets(text, secrets))
  return {
    summary: hideSecrets(summaryWords(it), secrets),
    why: shown([refusal && `${refusal.reason} ${refusal.source}.`, ...describeWhy(it)]),
    done: shown(describeDone(it)),
    told: shown(describeTold(it)),
    change: shown(describeChange(it)),
  }
}

function summaryWords(it: ExplainContext): string {
  const { record, effects, now, operation, transactionId } = it
  const { decision, response, method } = record
  const allow = !operation && response?.headers.Allow
  const asks = response?.problem ? 'is not a method' : 'asks for the methods'
  const what =
    operation ?? `${method} ${allow ? `${asks} of this address` : 'of what the service does not have'}`
  const hint = response && response.status < 300 ? record.hints?.sentence : undefined
  const reason = allow ? `It has ${allow}.` : (refusalOf(it)?.reason ?? hint)
  const by = transactionId === undefined ? '' : ` with transactionId ${quote(transactionId)}`
  const cause = decision
    ? ` (${decision.by === 'one-shot fault' ? 'one-shot fault' : 'scenario'} ${decision.scenario})`
    : ''
  const words = (row: PlatformSending) =>
    `platform sending ${row.id} ${platformStatusWords[statusOfSending(row, now)].verb}`
  const truth = [
    ...effects.during(record.id).map(words),
    ...effects
      .later(record.id)
      .map(({ row }) => `${words(row)} later, at ${row.broughtBy ?? row.requestedAt}`),
  ]
  const outcome = `${outcomeWords(record)}${cause}${truth.length > 0 ? `; ${truth.join(', ')}` : ''}`
  return `${what}${by}: ${outcome}.${reason ? ` ${reason}` : ''}`
}

function outcomeWords({ response: given, delivered }: RequestRecord): string {
  if (!given && delivered !== 'open') return 'no response was made'
  return deliverySummary(given ? responsePhrase(given) : '', delivered)
}

/** The parts of an explanation, with their titles for people. */
export const explanationParts = [
  ['Why', 'why'],
  ['What truly happened', 'done'],
  ['What the client was told', 'told'],
  ['To get another response', 'change'],
] as const

const sentences = z.array(z.string())

export const explanationShape = z
  .strictObject({
    summary: z.string().describe('What was asked, told, and truly done, and why it was refused'),
    why: sentences.describe('Why it was refused; which scenario applied and why this one, or why none did'),
    done: sentences.describe('What truly happened, whatever the client was told'),
    told: sentences.describe('What the client was told, and how it left'),
    change: sentences.describe('What would have changed it, and what comes next'),
  })
  .describe('A response explained, in sentences for a person')

export type Explanation = z.infer<typeof explanationShape>
