import { stateOf } from '../../service/sendings/lifecycle.ts'
import type { Sending } from '../../store/rows.ts'
import type { Entry } from '../entry.ts'
import { nearby, nearestPath } from '../nearby.ts'
import { limitOf } from '../plan.ts'
import type { Decision } from '../play.ts'
import type { Rule } from '../scenarios/scenario.ts'
import { earlierOf, isPlanned } from './earlier.ts'
import type { Known } from './known.ts'
import { hasPassed } from './passed.ts'
import { refusalIn } from './refusals.ts'
import { sendingOf } from './sending-of.ts'
import { ruleOf } from './why.ts'
import { counted, durationText, planWords, quoted, stepWords } from './words.ts'

/** What would have changed the answer, and what comes next. */
export function change(entry: Entry, known: Known): string[] {
  const { decision, told, truth } = entry
  const { rig, reader } = known
  const refused = truth ?? (decision ? undefined : told)
  const sending = sendingOf(entry, rig, reader)
  return [
    ...(refused && refused.status >= 400 && refused.status < 500 ? [acceptance(entry, known)] : []),
    ...released(entry, known),
    ...(sending ? ofPlan(entry, sending, known) : []),
    ...(decision
      ? [
          ...nextStep(entry, decision, known),
          ...ended(entry, sending, known),
          without(entry, decision, known),
        ]
      : []),
    ...undisturbed(entry, known),
  ]
}

function acceptance(entry: Entry, { rig, reader }: Known): string {
  const refused = (entry.truth ?? entry.told)!
  if (refused.problem?.name === 'not-found') return `To be accepted: ${found(entry, rig)}.`
  const { accepted } = refusalIn(refused, reader.operation(entry))
  const ready = /readyForSending/.test(accepted) ? readySynchronizations(rig) : []
  return `To be accepted: ${accepted}${ready.length > 0 ? `, such as ${ready.join(', ')}` : ''}.`
}

/** What would have been found. */
function found(entry: Entry, { space, reader }: Known['rig']): string {
  const facts = reader.facts(entry)
  if (!facts.operation) {
    const near = nearestPath(facts.path, reader.segment)
    return near === undefined
      ? 'use a path of the service, as GET /_mock/operations lists them'
      : `use a path that there is; the nearest is ${near}`
  }
  const near = nearby(facts, space)
  if (!near) return 'ask for it once it is there; what the path names is there already'
  const { noun, nouns, names } = near
  return names.length > 0
    ? `use a ${noun} that there is, such as ${names.join(', ')}`
    : `there are no ${nouns} so far; create one first`
}

/** A few synchronizations whose mailing has an approved version. */
function readySynchronizations({ space }: Known['rig']): string[] {
  const { synchronizations, mailings, testSynchronizations } = space.data.tables
  const ready: string[] = []
  for (const { id, mailingId } of synchronizations.rows()) {
    if (ready.length === 2) break
    if (mailings.get(mailingId)?.approved && !testSynchronizations.get(id)) ready.push(id)
  }
  return ready
}

function released({ decision, truth, told }: Entry, { rig }: Known): string[] {
  if (truth || told) return []
  const hold = decision?.step.hold
  if (hold !== undefined && rig.holds.counts().has(hold))
    return [`POST …/holds/${encodeURIComponent(hold)}/release lets it go on.`]
  const [due] = rig.clock.due
  if (decision?.step.delay === undefined || due === undefined) return []
  return [
    `Advancing the clock by ${durationText(Math.max(0, due - rig.clock.now()))} reaches the next wait in the space.`,
  ]
}

/** What brings a sending on that is not at its end. */
function ofPlan({ decision }: Entry, sending: Sending, { rig }: Known): string[] {
  const now = rig.clock.now()
  if (stateOf(sending, now) !== 'PENDING' || sending.step >= sending.plan.length - 1) return []
  const { times, for: lasts } = sending.plan[sending.step]!
  const next = sending.plan[sending.step + 1]!.state
  // Then it is the next step of the scenario that counts, and that is told anyway.
  if (next === 'PENDING') return []
  const left = times === undefined ? undefined : times - sending.stepAttempts
  const rest = lasts === undefined ? 0 : Date.parse(sending.stepSince) + lasts - now
  return [
    ...(lasts === undefined
      ? []
      : [`Advancing the clock by ${durationText(rest)} makes the sending ${next}.`]),
    // Otherwise the next step of the rule tells it.
    ...(left === undefined || decision ? [] : [attemptsWords(left, next)]),
  ]
}

const attemptsWords = (left: number, next: string): string =>
  left <= 0
    ? `One more attempt with its transactionId makes the sending ${next}.`
    : `After ${counted(left, 'more attempt')} with its transactionId that find it PENDING, the next makes it ${next}.`

/** A sending that is at its end stays as it is, whatever a scenario says of later attempts. */
function ended(entry: Entry, sending: Sending | undefined, { rig }: Known): string[] {
  if (!sending || sending.transactionId === null) return []
  const state = stateOf(sending, rig.clock.now())
  if (state === 'PENDING') return []
  const isFirst = sending.cause === entry.id
  if (state === 'CREATED' && isFirst) return []
  return [
    `Under this transactionId the sending stays ${state}; another transactionId makes another sending${isFirst ? '' : ', to which the scenario applies from its beginning'}.`,
  ]
}

function nextStep(entry: Entry, decision: Decision, known: Known): string[] {
  const { rig, reader } = known
  const rule = ruleOf(entry, decision, rig)
  if (!rule) return ['The one-shot fault has been disarmed since: it strikes nothing more.']
  const { stepIndex, attempt, step, by } = decision
  const { steps } = rule
  const next = steps[stepIndex + 1]
  const isPast = hasPassed(entry, decision, rule, known)
  const repeat = repeatOf(rule, reader.transactionId(entry) !== undefined)
  const then = next ? `step ${stepIndex + 2}: ${stepWords(next)}` : undefined
  const left = limitOf(steps, stepIndex) - attempt
  const usedUp = usedUpWords(by, isPast)
  const who = isPast ? `At that moment ${repeat} was to get` : `${capital(repeat)} gets`
  if (left <= 0) return then === undefined ? [`After this ${usedUp}.`] : [`${who} ${then}.`]
  const isCounted = Number.isFinite(left)
  const same = isCounted ? `, ${counted(left, 'time')} more` : ''
  const lasts = step.for === undefined ? '' : `, until ${durationText(step.for)} after the step began`
  const isForEver = then === undefined && !isCounted && step.for === undefined
  return [
    `${who} the same step again${same}${lasts}.`,
    ...(isForEver
      ? []
      : [then === undefined ? `Then ${usedUp}.` : `Then ${isPast ? 'was to come' : 'comes'} ${then}.`]),
  ]
}

function usedUpWords(by: Decision['by'], isPast: boolean): string {
  if (by === 'one-shot fault') return `the fault ${isPast ? 'was' : 'is'} used up`
  return isPast
    ? 'the rule was used up, and attempts went on to the next rule or were undisturbed'
    : 'the rule is used up, and attempts go on to the next rule or are undisturbed'
}

const capital = (text: string) => text[0]!.toUpperCase() + text.slice(1)

function repeatOf({ per, on }: Rule, isWithTransaction: boolean): string {
  if (per === 'transaction' && isWithTransaction) return 'a repeat with the same transactionId'
  if (per !== 'space')
    return isWithTransaction
      ? 'a request with the same payload, whatever its transactionId,'
      : 'a repeat of the same request'
  return on === '*' ? 'the next request' : `the next ${on.join(' or ')}`
}

/** How the request would not have met the scenario. */
function without(entry: Entry, { by, scenario }: Decision, known: Known): string {
  const earlier = earlierOf(entry, known)
  const plan = earlier && isPlanned(earlier.sending) ? planWords(earlier.sending.plan) : undefined
  if (plan !== undefined && by === 'header')
    return `Without X-Mock-Scenario it would still have met the plan that the sending was made with: ${plan}.`
  if (plan !== undefined && (by === 'transactionId' || by === 'test synchronization'))
    return `${elsewhere[by]} it would have been about another sending; this one keeps the plan that it was made with: ${plan}.`
  return {
    header: 'Without X-Mock-Scenario it would not have been disturbed by it.',
    transactionId: `${elsewhere.transactionId} it would not have been disturbed by it.`,
    'test synchronization': `${elsewhere['test synchronization']} it would not have been disturbed by it.`,
    space: `DELETE …/scenario ends it; PUT …/scenario with ${quoted(scenario)} begins its counts anew.`,
    'one-shot fault': 'POST …/faults arms another one.',
  }[by]
}

const elsewhere = {
  transactionId: 'With a transactionId that does not begin with "mock:"',
  'test synchronization': 'On a synchronization that is no test synchronization',
} as const

function undisturbed(entry: Entry, { reader }: Known): string[] {
  const { told, considered, decision, twinOf } = entry
  const operation = reader.operation(entry)
  if (!operation || told?.status === 401 || twinOf !== undefined || considered || decision) return []
  const byTransaction = operation === 'createSending' ? ', or a transactionId mock:NAME:ANYTHING,' : ''
  return [
    `To disturb it: the header X-Mock-Scenario: NAME${byTransaction} for one request, PUT …/scenario for the space, POST …/faults for one strike; GET /_mock/scenarios lists the names.`,
  ]
}
