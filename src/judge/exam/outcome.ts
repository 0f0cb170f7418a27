import type { CaseFinding } from '../../rig/exam-shape.ts'
import type { Expectation } from '../../rig/scenarios/scenario.ts'
import type { Belief, Ending } from './client.ts'

/** Why the exam stopped a client; undefined for one that ended itself. */
export type Stopped = 'late' | 'flood' | 'interrupted' | undefined

/** What came of a case, as far as it can be seen without rules of conduct. */
export interface Outcome {
  readonly endings: readonly Ending[]
  readonly stopped: Stopped
  /** Real seconds after which a client is stopped. */
  readonly limit: number
  /** Requests that came to the case. */
  readonly requests: number
  /** Connections that met trouble before a request could come over them. */
  readonly brokenConnections: number
  /** IDs of the last requests, for findings about the end. */
  readonly lastRequests: readonly string[]
  /** Sendings that really went out, or will. */
  readonly sent: number
  /** Whether an answer told the client CREATED, as far as it left. */
  readonly wasToldCreated: boolean
  readonly expect: Expectation | undefined
}

/** What the client believes in all: sent only if each of its starts says so. */
export const beliefOf = (endings: readonly Ending[]): Belief =>
  endings.find(({ believes }) => believes !== 'sent')?.believes ?? 'sent'

/**
 * What the exam finds itself: clients that do not work as clients of an exam, and beliefs that do not fit the truth.
 * Conduct is for the rules.
 */
export function outcomeFindings(outcome: Outcome): CaseFinding[] {
  const { stopped, requests, brokenConnections } = outcome
  if (stopped === 'interrupted') return []
  if (requests === 0 && brokenConnections === 0) return [withoutRequests(outcome)]
  if (stopped === 'late') return [lateEnd(outcome)]
  if (stopped === 'flood') return [flood(outcome)]
  const crash = crashed(outcome)
  return crash ? [crash, ...beliefFindings(outcome)] : beliefFindings(outcome)
}

const error = (rule: string, sentence: string, evidence: readonly string[] = []): CaseFinding => ({
  rule,
  severity: 'error',
  status: 'guilty',
  sentence,
  clause: null,
  evidence: [...evidence],
})

function withoutRequests({ stopped, limit, endings }: Outcome): CaseFinding {
  if (stopped === 'late')
    return error(
      'silent',
      `The client ran for ${limit} s, the limit for this case, and never sent a request with the user that it was given. It was killed. Does it read MAILING_SYNC_URL and MAILING_SYNC_USER?`,
    )
  const ending = endings.at(-1)
  if (!ending || ending.believes === 'sent')
    return error(
      'environment-ignored',
      'The client says that it sent, but no request with the user that it was given has come. Does it read MAILING_SYNC_URL, MAILING_SYNC_USER and MAILING_SYNC_PASSWORD?',
    )
  return error(
    'ended-at-start',
    `The client ended (${howEnded(ending)}) before it sent a request with the user that it was given${lastLine(ending)}`,
  )
}

const lateEnd = ({ limit, lastRequests }: Outcome) =>
  error(
    'never-ended',
    `The client had not ended after ${limit} s, the limit for this case, and was killed. Has every wait for an answer a deadline that also covers a body that drips or stalls?`,
    lastRequests,
  )

const flood = ({ requests, lastRequests }: Outcome) =>
  error(
    'flooded',
    `The client sent ${requests} requests for one mailing and was killed. Repeats need a pause that grows, and an end.`,
    lastRequests,
  )

function crashed({ endings, lastRequests }: Outcome): CaseFinding | undefined {
  const ending = endings.at(-1)
  if (!ending || (ending.signal === undefined && ending.error === undefined)) return undefined
  return error(
    'crashed',
    `The client crashed (${howEnded(ending)}) instead of saying what it believes${lastLine(ending)}`,
    lastRequests,
  )
}

function beliefFindings(outcome: Outcome): CaseFinding[] {
  const { endings, sent, expect, lastRequests, wasToldCreated } = outcome
  const believes = beliefOf(endings)
  const intended = Math.max(1, expect?.sent ?? 1)
  const found: CaseFinding[] = []
  if (sent > intended)
    found.push(
      error(
        'sent-too-often',
        `The mailing really went out ${sent} times; ${intended === 1 ? 'once was' : `${intended} times were`} wanted.`,
        lastRequests,
      ),
    )
  if (believes === 'sent') {
    if (sent < intended)
      found.push(
        error(
          'wrong-belief',
          `The client believes that it sent, but ${sent === 0 ? 'nothing' : `only ${sent} of ${intended}`} went out. Only a sending in state CREATED, with its own transactionId in it, means sent.`,
          lastRequests,
        ),
      )
    else if (!wasToldCreated)
      found.push(
        error(
          'guessed',
          'The client believes that it sent, and that is true, but no answer has told it so: it guessed.',
          lastRequests,
        ),
      )
    return found
  }
  if (expect?.belief !== 'sent' || sent > intended) return found
  if (sent >= intended)
    found.push(
      error(
        'unaware',
        'The mailing was sent, but the client ended without knowing it. One more repeat with the same transactionId would have told it; whoever presses "send again" now may send it twice.',
        lastRequests,
      ),
    )
  else
    found.push(
      error(
        'given-up',
        'Nothing was sent, though a client that goes on as the document says would have got through.',
        lastRequests,
      ),
    )
  return found
}

const howEnded = ({ exitCode, signal, error }: Ending): string =>
  signal !== undefined ? signal : exitCode !== undefined ? `exit code ${exitCode}` : (error ?? 'no reason')

/** The last line that it printed, which mostly says why. */
function lastLine({ output }: Ending): string {
  const line = output.trimEnd().split('\n').at(-1)?.trim() ?? ''
  if (line === '') return '; it printed nothing.'
  return `; its last line is: ${line.length > 200 ? `${line.slice(0, 197)}...` : line}`
}
