import { stateOf } from '../../service/sendings/lifecycle.ts'
import type { Sending } from '../../store/rows.ts'
import { toldState } from '../entry-reader.ts'
import type { Entry } from '../journal.ts'
import { limitOf } from '../plan.ts'
import type { Decision } from '../play.ts'
import type { Rule } from '../scenarios/scenario.ts'
import type { Known } from './known.ts'
import { refusalIn } from './refusals.ts'
import { sendingOf } from './sending-of.ts'
import { ruleOf } from './why.ts'
import { counted, durationText, quoted, stepWords } from './words.ts'

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
    ...(decision ? nextStep(entry, decision, known) : undisturbed(entry, known)),
  ]
}

function acceptance(entry: Entry, { rig, reader }: Known): string {
  const { accepted } = refusalIn((entry.truth ?? entry.told)!, reader.operation(entry))
  const ready = /readyForSending/.test(accepted) ? readySynchronizations(rig) : []
  return `To be accepted: ${accepted}${ready.length > 0 ? `, such as ${ready.join(', ')}` : ''}.`
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
function ofPlan(entry: Entry, sending: Sending, { rig }: Known): string[] {
  const now = rig.clock.now()
  if (stateOf(sending, now) !== 'PENDING' || sending.step >= sending.plan.length - 1) {
    const isTold = entry.truth !== undefined && toldState(entry.truth) === 'FAILED'
    return isTold ? ['Another transactionId makes another sending.'] : []
  }
  const { times, for: lasts } = sending.plan[sending.step]!
  const next = sending.plan[sending.step + 1]!.state
  const left = times === undefined ? undefined : times - sending.stepAttempts
  return [
    ...(lasts === undefined
      ? []
      : [
          `Advancing the clock by ${durationText(Date.parse(sending.stepSince) + lasts - now)} makes the sending ${next}.`,
        ]),
    ...(left === undefined
      ? []
      : [
          left <= 0
            ? `One more attempt with its transactionId makes the sending ${next}.`
            : `After ${counted(left, 'more attempt')} with its transactionId that find it PENDING, the next makes it ${next}.`,
        ]),
  ]
}

function nextStep(entry: Entry, decision: Decision, { rig, reader }: Known): string[] {
  const rule = ruleOf(entry, decision, rig)
  if (!rule) return ['The one-shot fault has been disarmed since: it strikes nothing more.']
  const { stepIndex, attempt, step } = decision
  const { steps } = rule
  const isLast = stepIndex === steps.length - 1
  const left = limitOf(steps, stepIndex) - attempt
  const who = repeatOf(rule, reader.transactionId(entry) !== undefined)
  const same = left === Number.POSITIVE_INFINITY ? '' : `, ${counted(left, 'time')} more`
  const lasts = step.for === undefined ? '' : `, until ${durationText(step.for)} after the step began`
  const after =
    decision.by === 'one-shot fault'
      ? 'the fault is used up'
      : 'the rule is used up: the attempt goes on to the next rule, or is undisturbed'
  const then = isLast ? after : `step ${stepIndex + 2}: ${stepWords(steps[stepIndex + 1]!)}`
  if (left > 0)
    return [
      `${capital(who)} gets the same step again${same}${lasts}.`,
      ...(isLast && lasts === '' && same === '' ? [] : [`Then ${isLast ? after : `comes ${then}`}.`]),
      ...(isLast && lasts === '' && same === '' ? [anew(decision)] : []),
    ]
  if (isLast) return [`After this ${after}.`, anew(decision)]
  return [`${capital(who)} gets ${then}.`]
}

const capital = (text: string) => text[0]!.toUpperCase() + text.slice(1)

function repeatOf({ per, on }: Rule, hasTransaction: boolean): string {
  if (per === 'transaction' && hasTransaction) return 'a repeat with the same transactionId'
  if (per !== 'space') return 'a repeat of the same request'
  return on === '*' ? 'the next request' : `the next ${on.join(' or ')}`
}

const anew = ({ by, scenario }: Decision): string =>
  by === 'one-shot fault'
    ? 'POST …/faults arms another one.'
    : by === 'space'
      ? `PUT …/scenario with ${quoted(scenario)} begins its counts anew; DELETE …/scenario ends it.`
      : 'Without naming the scenario the request is undisturbed.'

function undisturbed(entry: Entry, { reader }: Known): string[] {
  const { told, considered, asked } = entry
  const operation = reader.operation(entry)
  if (!operation || told?.status === 401 || asked.twinOf !== undefined || considered) return []
  const byTransaction = operation === 'createSending' ? ', or a transactionId mock:NAME:ANYTHING,' : ''
  return [
    `To disturb it: the header X-Mock-Scenario: NAME${byTransaction} for one request, PUT …/scenario for the space, POST …/faults for one strike; GET /_mock/scenarios lists the names.`,
  ]
}
