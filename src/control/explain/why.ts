import type { JournalView } from '../../rig/journal-view.ts'
import { bodyJson, type RecordedResponse, responseState } from '../../rig/recorded-response.ts'
import type { ScenarioAttempt } from '../../rig/request-facts.ts'
import type { RequestRecord } from '../../rig/request-record.ts'
import { matchesCondition, subjectValue } from '../../rig/scenarios/conditions.ts'
import type { Condition, Decision, Rule, Scenario } from '../../rig/scenarios/scenario.ts'
import { scenarioNameIn } from '../../rig/scenarios/selection.ts'
import type { SelectedBy } from '../../rig/scenarios/terms.ts'
import { unfitTls } from '../../rig/side-ports.ts'
import type { RigView } from '../../rig/space-view.ts'
import { capitalize } from '../../rig/words.ts'
import { stateOf } from '../../service/sendings/lifecycle.ts'
import { sendingOfTransaction } from '../../service/sendings/routes.ts'
import type { Sending } from '../../store/rows.ts'
import { quote } from '../../store/validation-messages.ts'
import { planWords, ruleWords, stepWords } from './words.ts'

/** A request to explain, with what explanations read besides. */
export type ExplainContext = Readonly<ReturnType<typeof toExplainContext>>

/** Sentences of an explanation. What is false or undefined is left out. */
export type Sentences = readonly (string | false | undefined)[]

export function toExplainContext(record: RequestRecord, rig: RigView, journal: JournalView) {
  const operation = rig.reader.operation(record)
  return {
    record,
    rig,
    effects: journal.effects,
    /** ID of the second delivery that `deliver: twice` made of the request. */
    twin: journal.twin(record.id),
    operation,
    transactionId: rig.reader.transactionId(record),
    /** Milliseconds since 1970, on the space's clock. */
    now: rig.clock.now(),
    /** The sending that a creation made or found, as it is now. */
    sending: record.truth && operation === 'createSending' ? findNamedSending(record, rig) : undefined,
  }
}

/** Whether the client is at fault, as the service sees it. */
export const isRefusal = ({ status }: RecordedResponse): boolean => status >= 400 && status < 500

/** The sending that a creation or a read is about, as it is now, whether or not the request reached it. */
function findNamedSending(record: RequestRecord, rig: RigView): Sending | undefined {
  const { reader } = rig
  const { tables } = rig.space.data
  const { truth } = record
  const operation = reader.operation(record)
  if (operation !== 'createSending' && operation !== 'getSending') return undefined
  if (truth && isRefusal(truth)) return undefined
  const id = truth && bodyJson(truth)?.id
  if (typeof id === 'string') return tables.sendings.get(id)
  // The answer shows no sending, but there may be one.
  const transactionId = reader.transactionId(record)
  const synchronizationId = reader.synchronizationId(record)
  if (transactionId === undefined || synchronizationId === undefined) return undefined
  const dials = rig.dials(record.applicableScenario?.scenario)
  return sendingOfTransaction(rig.space, dials, synchronizationId, transactionId)
}

/**
 * The existing sending that a repeat or a read is about, even if it did not reach it, and the request that made it;
 * undefined if that is not recorded.
 */
export function findEarlierSending({ record, rig }: ExplainContext) {
  const sending = findNamedSending(record, rig)
  if (!sending || sending.cause === record.id || sending.cause === record.twinOf) return undefined
  const first = rig.journal.find(sending.cause)
  // A later request may have made it, if this one was lost.
  if (first && first.number > record.number) return undefined
  return { sending, first }
}

/** Whether the plan of a sending is anything but CREATED at once. */
export const isPlanned = ({ plan }: Sending): boolean => plan.length > 1 || plan[0]!.state !== 'CREATED'

/** Which scenario applied and why this one, or why none did. */
export function describeWhy(it: ExplainContext): Sentences {
  const { decision, unfitTls: unfit } = it.record
  return [
    unfit && `It came over a connection ${unfitTls[unfit]}: its client should have refused that.`,
    ...(decision ? appliedWords(decision, it) : notAppliedWords(it)),
    planPositionWords(it),
  ]
}

function notAppliedWords(it: ExplainContext): string[] {
  const { record } = it
  const { applicableScenario } = record
  if (record.twinOf !== undefined)
    return [`It is the second delivery of ${record.twinOf}, which "deliver: twice" made.`]
  if (isBodyless(record)) return ['Its body did not come whole, or was too long, so no scenario was asked.']
  if (isForbidden(record)) return ['Its user may not make it, so no scenario was asked.']
  const named = namedScenarioWords(it)
  if (named && !applicableScenario)
    return [`${named}, but there is none of that name, so it was refused before anything else.`]
  if (!applicableScenario) return [noScenarioWords(it)]
  const { scenario, by } = applicableScenario
  const inForce = by === 'space' ? '' : ' was in force, but'
  const what = `Scenario "${scenario.name}", ${selectionReasons[by](it)},${inForce} did not fire`
  if (scenario.rules.length === 0)
    return [
      `${what}: it has no rules${changesDials(scenario) ? ', it only turns dials' : ''}.`,
      `It says of itself: "${scenario.description}".`,
    ]
  return [
    `${what}: none of its rules applied.`,
    ...scenario.rules.map((rule, index) => `Rule ${index + 1}: ${whyRuleSkipped(rule, index, it)}.`),
  ]
}

/** Whether the body could not be read: the service refuses that before a scenario is chosen. */
const isBodyless = ({ applicableScenario, read, response }: RequestRecord): boolean =>
  !applicableScenario &&
  !read &&
  (response?.problem?.name === 'body-too-large' || response?.problem?.name === 'malformed-body')

/** Whether the user has no right to make the request: the service refuses it before a scenario is chosen. */
export const isForbidden = ({ truth }: RequestRecord): boolean => truth?.problem?.name === 'missing-right'

/** Why an existing sending has its state: the plan that it was made with applies, whatever scenario applies later. */
function planPositionWords(it: ExplainContext): string | undefined {
  const { truth, decision } = it.record
  const earlier = truth && findEarlierSending(it)
  if (!earlier) return undefined
  const { sending, first } = earlier
  const plan = planWords(sending.plan)
  const state = responseState(truth) ?? stateOf(sending, it.now)
  if (!decision && !isPlanned(sending)) return undefined
  if (!first)
    return `The sending is ${state} by the plan that it was made with: ${plan}; the request that made it is not on record.`
  const by = first.decision
  // Then the sending advances with the scenario.
  if (by && by.scenario === decision?.scenario && by.by === decision.by) return undefined
  const how = by ? `under ${scenarioWords(by)}` : 'undisturbed'
  return `The sending is ${state} because ${first.id} made it ${how}, and its plan stands: ${plan}.`
}

const changesDials = ({ dials }: Scenario) => dials === 'seeded' || Object.keys(dials).length > 0

const selectionReasons: Record<SelectedBy, (it: ExplainContext) => string> = {
  header: () => 'which the request names in X-Mock-Scenario',
  transactionId: ({ transactionId }) => `which the transactionId ${quote(transactionId)} names`,
  'test synchronization': ({ record, rig }) =>
    `which the test synchronization ${rig.reader.synchronizationId(record)} is bound to`,
  space: () => 'which is in force for the space',
  'one-shot fault': () => 'which a control call armed and which goes before every scenario',
}

/** The rule behind a decision. Undefined for a one-shot fault that has been disarmed. */
export function findRule({ rule, by, scenario }: Decision, { record, rig }: ExplainContext) {
  if (by === 'one-shot fault') return rig.faults.get(scenario)?.rule
  return record.applicableScenario?.scenario.rules[rule]
}

const scenarioWords = ({ by, scenario }: Decision): string =>
  by === 'one-shot fault'
    ? `one-shot fault ${scenario}`
    : scenario === 'own-definition'
      ? 'the unnamed scenario'
      : `scenario "${scenario}"`

function appliedWords(decision: Decision, it: ExplainContext): Sentences {
  const { by, rule: index, stepIndex, attempt, step } = decision
  const rule = findRule(decision, it)
  const passed =
    by === 'one-shot fault' ? [] : (it.record.applicableScenario?.scenario.rules.slice(0, index) ?? [])
  const place = rule ? `step ${stepIndex + 1} of ${rule.steps.length}` : `step ${stepIndex + 1}`
  return [
    `${capitalize(scenarioWords(decision))}, ${selectionReasons[by](it)}, applied.`,
    ...passed.map((earlier, at) => `Rule ${at + 1} did not: ${whyRuleSkipped(earlier, at, it)}.`),
    rule && `Rule ${index + 1} is ${ruleWords(rule)}.`,
    `This was attempt ${attempt} in ${place}: ${stepWords(step)}.`,
  ]
}

function noScenarioWords({ record, operation }: ExplainContext): string {
  if (record.response?.status === 401) return 'The credentials are wrong, so no scenario was asked.'
  if (!operation) return 'The service has no such operation, so no scenario could apply.'
  return 'No scenario applied: none is in force for the space, the request names none, and its synchronization is no test synchronization.'
}

/** How the request itself names a scenario. */
function namedScenarioWords({ record, transactionId }: ExplainContext): string | undefined {
  const header = record.headers['x-mock-scenario']
  if (header !== undefined) return `The request names the scenario ${quote(header)} in X-Mock-Scenario`
  if (scenarioNameIn(transactionId) !== undefined)
    return `The transactionId ${quote(transactionId)} names a scenario`
  return undefined
}

/** Why a rule did not apply to the request, without a full stop. */
function whyRuleSkipped(rule: Rule, index: number, { record, rig, transactionId }: ExplainContext): string {
  const facts = rig.reader.facts(record)
  const { operation } = facts
  if (!operation) return 'the service has no such operation'
  if (rule.on !== '*' && !rule.on.includes(operation.id))
    return `it is for ${rule.on.join(', ')}, and this was ${operation.id}`
  const { user, headers } = record
  const attempt: ScenarioAttempt = {
    facts,
    operation: operation.id,
    transactionId,
    now: record.arrived.clock,
    user,
    header: name => headers[name] as string | undefined,
    fraction: () => 0,
    // Whether its fault needs a reused connection is said below.
    isBodyRead: true,
    isConnectionReused: true,
  }
  const failed = rule.when.find(condition => !matchesCondition(condition, attempt))
  if (failed) {
    const isUnknown = failed.subject.startsWith('body:') && record.digest !== undefined
    if (!isUnknown) return conditionWords(failed, attempt)
    return `it looks at ${failed.subject}, in a body too long to be kept`
  }
  if (needsReuse(rule) && record.position === 1)
    return 'its fault fires only on a connection that has carried a request before'
  const { id } = record
  if (rule.chance !== undefined && rig.space.chance.fraction('scenario', id, `rule ${index}`) >= rule.chance)
    return `it applies to ${Number((rule.chance * 100).toPrecision(3))} % of the attempts, and the draw left this one out`
  const last = rule.steps.at(-1)!
  const isLimited = last.for !== undefined || last.times !== undefined
  return isLimited ? 'earlier attempts have used up its steps' : 'its step could not fire here'
}

const needsReuse = ({ steps }: Rule): boolean =>
  steps.some(({ answer }) => answer && 'fault' in answer && answer.fault.applies === 'on reused connection')

function conditionWords(condition: Condition, attempt: ScenarioAttempt): string {
  const { subject, present, equals, prefix, glob, from, to } = condition
  const wanted = [
    present !== undefined && (present ? 'be there' : 'be absent'),
    equals !== undefined && `be ${quote(equals)}`,
    prefix !== undefined && `begin with ${quote(prefix)}`,
    glob !== undefined && `be like ${quote(glob)}`,
    from !== undefined && `be at least ${quote(from)}`,
    to !== undefined && `be at most ${quote(to)}`,
  ].filter(Boolean)
  return `${subject} must ${wanted.join(' and ')}; ${seenWords(subject, attempt)}`
}

function seenWords(subject: Condition['subject'], attempt: ScenarioAttempt): string {
  const value = subjectValue(subject, attempt)
  if (value === undefined) return 'it is absent'
  // A header may contain credentials.
  return subject.startsWith('header:') ? 'it is not' : `it is ${quote(value)}`
}

/** Whether the step after the one applied to a request has already been reached. */
export function isOvertaken(decision: Decision, rule: Rule, it: ExplainContext): boolean {
  const { record, rig, now, sending } = it
  const { step } = decision
  if (step.for !== undefined && record.arrived.clock + step.for <= now) return true
  const state = record.truth && responseState(record.truth)
  if (sending && state !== undefined && stateOf(sending, now) !== state) return true
  const isOfRule = (other: Decision | undefined) =>
    other?.scenario === decision.scenario && other.by === decision.by && other.rule === decision.rule
  const later = rig.journal.entries().filter(({ number }) => number > record.number)
  return later.some(other => isOfRule(other.decision) && isCountedWith(other, rule, it))
}

/** Whether a rule counts two requests as attempts of the same kind. */
function isCountedWith(
  later: RequestRecord,
  { per }: Rule,
  { record, rig: { reader }, transactionId }: ExplainContext,
): boolean {
  if (per === 'space') return true
  if (per === 'transaction' && transactionId !== undefined)
    return (
      reader.transactionId(later) === transactionId &&
      reader.synchronizationId(later) === reader.synchronizationId(record)
    )
  return (
    later.method === record.method &&
    later.target === record.target &&
    reader.digest(later)?.payloadSha256 === reader.digest(record)?.payloadSha256
  )
}
