import type { PlanStep, SendingState } from '../../store/rows.ts'
import { faults } from '../faults/registry.ts'
import { stateOfStep } from '../plan.ts'
import type { AnswerSpec, Delay, FaultSpec, Rule, Step } from '../scenarios/scenario.ts'

const units = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1_000],
  ['ms', 1],
] as const

/** A duration as a person writes it, such as `4m12s`, and as a control call takes it. @param milliseconds at least 0 */
export function durationText(milliseconds: number): string {
  let rest = Math.ceil(milliseconds)
  let text = ''
  for (const [unit, length] of units) {
    const count = Math.floor(rest / length)
    rest -= count * length
    if (count > 0) text += `${count}${unit}`
  }
  return text || '0s'
}

/** `1 attempt`, `2 attempts`. */
export const counted = (count: number, noun: string, nouns = `${noun}s`): string =>
  `${count} ${count === 1 ? noun : nouns}`

/** What is shown of a value that a client has sent. */
export function quoted(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value)
  return text.length > 120 ? `${text.slice(0, 117)}..."` : text
}

/** What a step makes of an attempt, without a full stop. */
export function stepWords(step: Step): string {
  const { hold, delay, deliver, answer } = step
  const until = hold === undefined ? '' : `it is held at "${hold}" until it is released; then `
  const words = [
    ...(delay === undefined || deliver === 'late' ? [] : [`the answer waits ${delayWords(delay)}`]),
    workWords(step),
    ...(answer
      ? [answerWords(answer)]
      : [step.phase === 'after' ? 'the answer is true' : 'the client is told 500']),
  ]
  return until + words.join(', ')
}

/** What the platform does in a step. */
function workWords(step: Step): string {
  const { phase, truth, deliver, delay } = step
  const how =
    deliver === 'late' && delay !== undefined
      ? ` ${delayWords(delay)} later, even if the client has left`
      : deliver === 'twice'
        ? ' twice, as by a proxy that sends again'
        : ''
  if (phase === 'before') return 'nothing is done'
  const state = stateOfStep(step)!
  const isSent = truth === undefined ? '' : truth === 'sent' ? ', in truth sent' : ', in truth not sent'
  if (phase === 'bound') return `the transactionId is taken and the work goes on (${state}${isSent})${how}`
  if (phase === 'partial') return `the platform mailing is made but not sent (${state}${isSent})${how}`
  // Of an operation that makes no sending there is nothing to say but that it is done.
  if (step.state === undefined && truth === undefined) return `the work is done${how}`
  return `the sending is ${state}${isSent}${how}`
}

function answerWords(answer: AnswerSpec | FaultSpec): string {
  if ('fault' in answer) return `the answer is struck by the fault "${answer.fault}"`
  const { status, body, retryAfter } = answer
  const form = typeof body === 'string' ? (body === 'empty' ? 'no body' : `a ${body} body`) : 'a text body'
  return `the client gets ${status} with ${form}${retryAfter === undefined ? '' : ' and a Retry-After'}`
}

function delayWords(delay: Delay): string {
  if (typeof delay === 'number') return durationText(delay)
  if ('min' in delay) return `${durationText(delay.min)} to ${durationText(delay.max)}`
  return `about ${durationText(delay.median)} (99 of 100: under ${durationText(delay.p99)})`
}

/** What a fault does, as its own file says it. */
export const faultWords = (name: string): string => faults.get(name)?.description ?? ''

/** `PENDING for 2 attempts, then CREATED`. */
export const planWords = (plan: readonly PlanStep[]): string => plan.map(planStepWords).join(', then ')

function planStepWords({ state, truth, times, for: lasts, partial }: PlanStep): string {
  const limits = [
    ...(times === undefined ? [] : [counted(times, 'attempt')]),
    ...(lasts === undefined ? [] : [durationText(lasts)]),
  ]
  const known = truth === undefined ? '' : truth === 'sent' ? ' (in truth sent)' : ' (in truth not sent)'
  const how = partial ? ' (its platform mailing made)' : known
  return `${state}${how}${limits.length > 0 ? ` for ${limits.join(' or ')}` : ''}`
}

const pers: Record<Rule['per'], string> = {
  transaction: 'attempts are counted for each transactionId',
  'client-request': 'attempts are counted for each payload',
  space: 'attempts are counted for the whole space',
}

export const ruleWords = ({ on, per }: Rule): string =>
  `${on === '*' ? 'on every operation' : `on ${on.join(', ')}`}; ${pers[per]}`

/** What spec 3/4 asks of a client that is told this state. */
export const reactions: Record<SendingState, string> = {
  PENDING: 'repeat it with the same transactionId, with backoff, for 5 minutes in all (3/4, 4.1/10)',
  CREATED: 'nothing more, it was sent or scheduled (3/4)',
  FAILED: 'create it anew with another transactionId, at most three times within 15 minutes (3/4, 4.1/10)',
  INDETERMINATE_FAILURE: 'stop and ask support, since repeating is not safe (3/4)',
}
