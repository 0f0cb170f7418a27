import type { RecordedResponse } from '../../rig/recorded-response.ts'
import type { AnswerSpec, Delay, FaultSpec, Rule, Step } from '../../rig/scenarios/scenario.ts'
import { stateOfStep } from '../../rig/scenarios/step-plan.ts'
import { countNoun, writtenDuration } from '../../rig/words.ts'
import type { Operation } from '../../service/operation.ts'
import { type OperationId, operations } from '../../service/operations.ts'
import { type ProblemName, problemKinds } from '../../service/problem.ts'
import type { PlanStep, SendingState } from '../../store/rows.ts'

/** What a step does to an attempt, without a full stop. */
export function stepWords(step: Step): string {
  const { hold, delay, deliver, answer } = step
  const until = hold === undefined ? '' : `it is held at "${hold}" until it is released; then `
  const waits = delay === undefined || deliver === 'late' ? '' : `the response waits ${delayWords(delay)}, `
  const withoutAnswer = step.phase === 'after' ? 'the response is true' : 'the client is told 500'
  return `${until}${waits}${workWords(step)}, ${answer ? stepAnswerWords(answer) : withoutAnswer}`
}

/** Whether a step sends, whatever it tells. */
const sentWords = {
  sent: 'sent',
  'not-sent': 'not sent',
  'never-starts': 'never started',
  stopped: 'stopped by the platform',
} as const

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
  const isSent = truth === undefined ? '' : `, in truth ${sentWords[truth]}`
  if (phase === 'bound') return `the transactionId is taken and the work goes on (${state}${isSent})${how}`
  if (phase === 'partial') return `the platform mailing is made but not sent (${state}${isSent})${how}`
  // For operations that make no sending.
  if (step.state === undefined && truth === undefined) return `the work is done${how}`
  return `the sending is ${state}${isSent}${how}`
}

function stepAnswerWords(answer: AnswerSpec | FaultSpec): string {
  if ('fault' in answer) return `the response is disturbed by the fault "${answer.fault.name}"`
  const { status, body, retryAfter } = answer
  const form = typeof body === 'string' ? (body === 'empty' ? 'no body' : `a ${body} body`) : 'a text body'
  return `the client gets ${status} with ${form}${retryAfter === undefined ? '' : ' and a Retry-After'}`
}

function delayWords(delay: Delay): string {
  if (typeof delay === 'number') return writtenDuration(delay)
  if ('min' in delay) return `${writtenDuration(delay.min)} to ${writtenDuration(delay.max)}`
  return `about ${writtenDuration(delay.median)} (99 of 100: under ${writtenDuration(delay.p99)})`
}

/** `PENDING for 2 attempts, then CREATED`. */
export const planWords = (plan: readonly PlanStep[]): string => plan.map(planStepWords).join(', then ')

function planStepWords({ state, truth, times, for: lasts, partial }: PlanStep): string {
  const limits = [
    times !== undefined && countNoun(times, 'attempt'),
    lasts !== undefined && writtenDuration(lasts),
  ].filter(Boolean)
  const known = truth === undefined ? '' : ` (in truth ${sentWords[truth]})`
  const how = partial ? ' (its platform mailing made)' : known
  return `${state}${how}${limits.length > 0 ? ` for ${limits.join(' or ')}` : ''}`
}

const countingWords: Record<Rule['per'], string> = {
  transaction: 'attempts are counted for each transactionId',
  'client-request': 'attempts are counted for each payload',
  space: 'attempts are counted for the whole space',
}

export const ruleWords = ({ on, per }: Rule): string =>
  `${on === '*' ? 'on every operation' : `on ${on.join(', ')}`}; ${countingWords[per]}`

/** What spec 3/4 asks of a client that gets this state. */
export const reactions: Record<SendingState, string> = {
  PENDING: 'repeat it with the same transactionId, with backoff, for 5 minutes in all (3/4, 4.1/10)',
  CREATED: 'nothing more, it was sent or scheduled (3/4)',
  FAILED: 'create it again with another transactionId, at most three times within 15 minutes (3/4, 4.1/10)',
  INDETERMINATE_FAILURE: 'stop and ask support, since repeating is not safe (3/4)',
}

/** What the document says about it, as a sentence without a full stop, and what would be accepted. */
interface Refusal {
  readonly source: string
  readonly accepted: string
}

/** For operations of the document without a rule about this refusal. */
const leftOpen = 'The document leaves open how such a request is refused (section 7)'

const refusals: Partial<Record<ProblemName, Refusal>> = {
  'malformed-body': {
    source: 'Bodies are application/hal+json (section 4)',
    accepted: 'send a JSON object in UTF-8; {} is the least',
  },
  'schedule-date-in-past': {
    source: 'See section 4.1 and 7/2',
    accepted: "give a scheduleDate in the future of the space's clock, or leave it out to send at once",
  },
  unauthorized: {
    source: 'See 5/1',
    accepted: 'send Authorization: Basic and the base64 of USER:PASSWORD, as the fixture has them',
  },
  'missing-right': {
    source: 'The document leaves rights open (5/3)',
    accepted: 'use a user with this right; a user without "write" can only read',
  },
  'list-not-permitted': {
    source: 'See section 4.15 and section 4.16',
    accepted: 'permit the list with PUT …/configuration/accessible-lists, or choose one that is permitted',
  },
  'not-found': { source: leftOpen, accepted: 'use what there is in this space' },
  'method-not-allowed': { source: 'See section 4', accepted: 'use a method that the Allow header lists' },
  'not-acceptable': {
    source: 'Responses are application/hal+json, as the introduction of the document says',
    accepted: 'let Accept take application/hal+json, or leave it out',
  },
  'not-ready-for-sending': {
    source: 'The mailing must be approved before a sending is created (3/3)',
    accepted: 'have the mailing approved, or use a synchronization whose readyForSending is true',
  },
  gone: { source: leftOpen, accepted: 'start again without the cursor or the token' },
  'body-too-large': { source: leftOpen, accepted: 'send no more than --body-limit allows' },
  'unsupported-media-type': {
    source: 'Bodies are application/hal+json (section 4)',
    accepted: 'send Content-Type: application/hal+json',
  },
  'too-many-requests': {
    source: 'The document names no rate limit (section 8): the setting or dial rate-limit turned it on',
    accepted: 'wait until the minute is over, as X-RateLimit-Reset tells',
  },
}

/** Sections that refuse a member or a parameter, by its name. */
const fieldRefusals: Readonly<Record<string, Refusal>> = {
  transactionId: {
    source: 'See 7/3 and section 8',
    accepted: 'give 1 to 100 letters, digits, dots, colons, hyphens or underscores, or leave it out',
  },
  scheduleDate: {
    source: 'See section 4.1',
    accepted: 'give an ISO 8601 date-time with its time zone, such as 2030-01-31T09:30:00Z',
  },
  id: { source: 'See section 8', accepted: 'give at most 50 IDs, with commas between them' },
  'X-Mock-Scenario': { source: 'Names of scenarios are ours', accepted: 'name a scenario that there is' },
}

/** The reason that an answer with an error status gives, as a sentence. @param operation the requested operation */
export function describeRefusal({ status, problem }: RecordedResponse, operation: OperationId | undefined) {
  const reason = problem ? `${problemKinds[problem.name].title}: ${problem.detail}.` : `Status ${status}.`
  return { ...refusalOf(problem, operation), reason }
}

function refusalOf(problem: RecordedResponse['problem'], operation: OperationId | undefined): Refusal {
  const known = problem && refusals[problem.name]
  if (known) return known
  const { field: invalid, problem: why = '' } = problem?.invalidFields[0] ?? {}
  const field = why.startsWith('there is no scenario') ? 'X-Mock-Scenario' : invalid
  if (field !== undefined && Object.hasOwn(fieldRefusals, field)) return fieldRefusals[field]!
  if (operation === 'listMailings' && field === undefined)
    return {
      source: 'See section 4.12 and 7/4',
      accepted: 'do not ask for both hasDraft=false and isApproved=false',
    }
  return { source: `See ${sectionOf(operation)}`, accepted: 'give what the refusal says is expected' }
}

export function sectionOf(operation: OperationId | undefined): string {
  if (!operation) return 'section 4'
  const { section }: Operation = operations[operation]
  return section === 'S' ? 'other documentation of the service' : `section ${section}`
}
