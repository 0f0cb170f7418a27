import { stateOf } from '../../service/sendings/lifecycle.ts'
import type { Attempt } from '../attempt.ts'
import { holds } from '../conditions.ts'
import type { Entry } from '../entry.ts'
import { toldState } from '../entry-reader.ts'
import { faults } from '../faults/registry.ts'
import { limitOf } from '../plan.ts'
import type { Decision, Selection } from '../play.ts'
import type { Condition, Rule, Scenario } from '../scenarios/scenario.ts'
import type { SpaceRig } from '../space-rig.ts'
import { earlierOf, isPlanned } from './earlier.ts'
import type { Known as Everything } from './known.ts'
import { planWords, quoted, ruleWords, stepWords } from './words.ts'

type Known = Pick<Everything, 'rig' | 'reader'>

/** Which scenario applied and why this one; or why none did. */
export function why(entry: Entry, known: Known): string[] {
  const { decision } = entry
  return [...(decision ? struck(entry, decision, known) : notStruck(entry, known)), ...standing(entry, known)]
}

function notStruck(entry: Entry, known: Known): string[] {
  const { considered } = entry
  if (entry.twinOf !== undefined)
    return [`It is the second delivery of ${entry.twinOf}, which "deliver: twice" made.`]
  if (isBodyless(entry)) return ['Its body did not come whole, or was too long, so no scenario was asked.']
  const named = namedIn(entry, known)
  if (named && !considered)
    return [`${named}, but there is none of that name, so it was refused before anything else.`]
  if (!considered) return [noneInForce(entry, known)]
  const { scenario, by } = considered
  const inForce = by === 'space' ? '' : ' was in force, but'
  const what = `Scenario "${scenario.name}", ${reasons[by](entry, known)},${inForce} struck nothing`
  if (scenario.rules.length === 0)
    return [
      `${what}: it has no rules${isTurning(scenario) ? ', it only turns dials' : ''}.`,
      `It says of itself: "${scenario.description}".`,
    ]
  return [
    `${what}: none of its rules applied.`,
    ...scenario.rules.map((rule, index) => `Rule ${index + 1}: ${whyNot(rule, index, entry, known)}.`),
  ]
}

/** Whether the body could not be read: that is for the service to refuse, before a scenario is asked. */
const isBodyless = ({ considered, read, told }: Entry): boolean =>
  !considered &&
  !read &&
  (told?.problem?.name === 'body-too-large' || told?.problem?.name === 'malformed-body')

/** Why a sending of before is as it is: the plan that it was made with stands, whatever applies later. */
function standing(entry: Entry, known: Known): string[] {
  const { truth, decision } = entry
  const earlier = truth && earlierOf(entry, known)
  if (!earlier) return []
  const { sending, first } = earlier
  const plan = planWords(sending.plan)
  const state = toldState(truth) ?? stateOf(sending, known.rig.clock.now())
  if (!decision && !isPlanned(sending)) return []
  if (!first)
    return [
      `The sending is ${state} by the plan that it was made with: ${plan}; the request that made it is not on record.`,
    ]
  const by = first.decision
  // Then the sending goes on as the scenario does.
  if (by && by.scenario === decision?.scenario && by.by === decision.by) return []
  const how = by ? `under ${scenarioWords(by)}` : 'undisturbed'
  return [`The sending is ${state} because ${first.id} made it ${how}, and its plan stands: ${plan}.`]
}

const isTurning = ({ dials }: Scenario) => dials === 'seeded' || Object.keys(dials).length > 0

const reasons: Record<Selection, (entry: Entry, known: Known) => string> = {
  header: () => 'which the request names in X-Mock-Scenario',
  transactionId: (entry, { reader }) =>
    `which the transactionId ${quoted(reader.transactionId(entry))} names`,
  'test synchronization': (entry, { reader }) =>
    `which the test synchronization ${reader.synchronizationId(entry)} is bound to`,
  space: () => 'which is in force for the space',
  'one-shot fault': () => 'which a control call armed and which goes before every scenario',
}

/** The rule that a decision came from. Undefined for a one-shot fault that is no more. */
export function ruleOf(entry: Entry, { rule, by, scenario }: Decision, rig: SpaceRig): Rule | undefined {
  if (by === 'one-shot fault') return rig.faults.get(scenario)?.rule
  return entry.considered?.scenario.rules[rule]
}

const scenarioWords = ({ by, scenario }: Decision): string =>
  by === 'one-shot fault' ? `one-shot fault ${scenario}` : `scenario "${scenario}"`

function struck(entry: Entry, decision: Decision, known: Known): string[] {
  const { by, rule: index, stepIndex, attempt, step } = decision
  const rule = ruleOf(entry, decision, known.rig)
  const name = scenarioWords(decision)
  const what = name[0]!.toUpperCase() + name.slice(1)
  const passed = by === 'one-shot fault' ? [] : (entry.considered?.scenario.rules.slice(0, index) ?? [])
  const place = rule ? `step ${stepIndex + 1} of ${rule.steps.length}` : `step ${stepIndex + 1}`
  return [
    `${what}, ${reasons[by](entry, known)}, applied.`,
    ...passed.map((earlier, at) => `Rule ${at + 1} did not: ${whyNot(earlier, at, entry, known)}.`),
    ...(rule ? [`Rule ${index + 1} is ${ruleWords(rule)}.`] : []),
    `This was attempt ${attempt} in ${place}: ${stepWords(step)}.`,
  ]
}

function noneInForce(entry: Entry, { reader }: Known): string {
  if (entry.told?.status === 401) return 'The credentials are wrong, so no scenario was asked.'
  if (!reader.operation(entry)) return 'The service has no such operation, so no scenario could apply.'
  return 'No scenario applied: none is in force for the space, the request names none, and its synchronization is no test synchronization.'
}

/** How the request names a scenario itself. */
function namedIn(entry: Entry, { reader }: Known): string | undefined {
  const header = entry.headers['x-mock-scenario']
  if (header !== undefined) return `The request names the scenario ${quoted(header)} in X-Mock-Scenario`
  const transactionId = reader.transactionId(entry)
  if (transactionId?.startsWith('mock:')) return `The transactionId ${quoted(transactionId)} names a scenario`
  return undefined
}

/** Why a rule did not apply to the request, without a full stop. */
function whyNot(rule: Rule, index: number, entry: Entry, { rig, reader }: Known): string {
  const facts = reader.facts(entry)
  const { operation } = facts
  if (!operation) return 'the service has no such operation'
  if (rule.on !== '*' && !rule.on.includes(operation.id))
    return `it is for ${rule.on.join(', ')}, and this was ${operation.id}`
  const { user, headers } = entry
  const attempt = {
    ...facts.attempt(
      {
        now: entry.arrived.clock,
        user,
        header: name => headers[name] as string | undefined,
        fraction: () => 0,
        canStrike: () => true,
      },
      operation,
    ),
    transactionId: reader.transactionId(entry),
  }
  const failed = rule.when.find(condition => !holds(condition, attempt))
  if (failed) {
    const isUnknown = failed.subject.startsWith('body:') && entry.digest !== undefined
    if (!isUnknown) return conditionWords(failed, attempt)
    return `it looks at ${failed.subject}, in a body too long to be kept`
  }
  if (needsReuse(rule) && entry.position === 1)
    return 'its fault strikes only on a connection that has carried a request before'
  const { id } = entry
  if (rule.chance !== undefined && rig.space.chance.fraction('scenario', id, `rule ${index}`) >= rule.chance)
    return `it applies to ${Number((rule.chance * 100).toPrecision(3))} % of the attempts, and the draw left this one out`
  const isLimited =
    rule.steps.at(-1)!.for !== undefined || Number.isFinite(limitOf(rule.steps, rule.steps.length - 1))
  return isLimited ? 'earlier attempts have used up its steps' : 'its step could not strike here'
}

const needsReuse = ({ steps }: Rule): boolean =>
  steps.some(({ answer }) => answer && 'fault' in answer && faults.get(answer.fault)?.onlyReused)

function conditionWords(condition: Condition, attempt: Attempt): string {
  const { subject, present, equals, prefix, glob, from, to } = condition
  const wanted = [
    ...(present === undefined ? [] : [present ? 'be there' : 'be absent']),
    ...(equals === undefined ? [] : [`be ${quoted(equals)}`]),
    ...(prefix === undefined ? [] : [`begin with ${quoted(prefix)}`]),
    ...(glob === undefined ? [] : [`be like ${quoted(glob)}`]),
    ...(from === undefined ? [] : [`be at least ${quoted(from)}`]),
    ...(to === undefined ? [] : [`be at most ${quoted(to)}`]),
  ]
  return `${subject} must ${wanted.join(' and ')}; ${seenWords(subject, attempt)}`
}

function seenWords(subject: Condition['subject'], attempt: Attempt): string {
  const [kind, name = ''] = [subject.split(':', 1)[0]!, subject.slice(subject.indexOf(':') + 1)]
  // A header may carry credentials.
  if (kind === 'header')
    return attempt.header(name.toLowerCase()) === undefined ? 'it is absent' : 'it is not'
  const value =
    kind === 'query' ? attempt.query(name) : kind === 'body' ? attempt.body(name) : attempt[kind as 'path']
  return value === undefined ? 'it is absent' : `it is ${quoted(value)}`
}
