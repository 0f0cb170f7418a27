import type { CaseFinding } from '../../rig/exam-shape.ts'
import { howEnded } from './ends.ts'
import { beliefOf, type Creation, intended, type Outcome } from './outcome.ts'
import { error } from './own-findings.ts'

/** Beliefs of a client that ended itself, against the truth and against what it was told. */
export function beliefFindings(outcome: Outcome): CaseFinding[] {
  if (outcome.sent.length > intended(outcome) && beliefOf(outcome.endings) !== 'not-sent') return []
  const found = {
    sent: believesSent,
    'not-sent': believesNotSent,
    unknown: believesNothing,
  }[beliefOf(outcome.endings)](outcome)
  return found ? [found] : []
}

function believesSent(outcome: Outcome): CaseFinding | undefined {
  const { sent, toldCreated } = outcome
  const wanted = intended(outcome)
  const last = outcome.creations.at(-1)
  const was = last ? ` ${last.id} was told ${last.told}.` : ''
  if (sent.length < wanted)
    return error(
      'wrong-belief',
      wanted === 1
        ? `The client believes that it sent, but nothing went out.${was} Only a sending in state CREATED, with its own transactionId in it, means sent.`
        : `The client believes that it sent ${wanted} mailings, but ${sent.length} went out. Each needs a transactionId of its own.`,
      last ? [last.id] : outcome.lastRequests,
    )
  if (toldCreated !== undefined) return undefined
  return error(
    'guessed',
    `The client believes that it sent, and that is true, but no answer has told it so: it guessed.${was}`,
    [last?.id],
  )
}

function believesNotSent(outcome: Outcome): CaseFinding | undefined {
  const { sent, toldCreated, creations } = outcome
  const last = creations.at(-1)
  const isUncertain = last?.state === 'PENDING' || last?.state === 'INDETERMINATE_FAILURE'
  if (sent.length > 0 && sent.length >= intended(outcome)) {
    const told =
      toldCreated !== undefined
        ? ` ${toldCreated} told it CREATED.`
        : isUncertain
          ? ` ${uncertain(last)}`
          : ''
    return error(
      'wrong-belief',
      `The client believes that it did not send (${ended(outcome)}), but it went out.${told} Whoever sends it again now sends it twice.`,
      [...new Set([sent[0]!.cause, toldCreated ?? last?.id])],
    )
  }
  if (isUncertain)
    return error(
      'guessed',
      `The client believes that it did not send (${ended(outcome)}), and this time that is true. ${uncertain(last)}`,
      [last.id],
    )
  return outcome.expect?.belief === 'sent' ? givenUp(outcome) : undefined
}

function believesNothing(outcome: Outcome): CaseFinding | undefined {
  const { sent, toldCreated, expect } = outcome
  const isSent = sent.length >= intended(outcome)
  if (isSent && toldCreated !== undefined)
    return error(
      'unaware',
      `${toldCreated} told the client that it was sent, a sending in state CREATED, yet the client ended without knowing it (${ended(outcome)}). That is proof with status 200 as well as 201.`,
      [toldCreated],
    )
  if (expect?.belief !== 'sent') return undefined
  return isSent ? unaware(outcome) : givenUp(outcome)
}

const unaware = (outcome: Outcome): CaseFinding => ({
  ...error(
    'unaware',
    'The mailing was sent, but the client ended without knowing it. One more repeat with the same transactionId would have told it; whoever presses "send again" now may send it twice.',
    outcome.sent.map(({ cause }) => cause),
  ),
  severity: severityOf(outcome),
})

function givenUp(outcome: Outcome): CaseFinding {
  const { sent, lastRequests } = outcome
  const what = sent.length === 0 ? 'Nothing was sent' : `Only ${sent.length} of ${intended(outcome)} was sent`
  return {
    ...error(
      'given-up',
      `${what}, though a client that goes on as the document says would have got through.`,
      lastRequests,
    ),
    severity: severityOf(outcome),
  }
}

/**
 * Nobody says how long a client must go on after errors and silence. One that the rules acquit of having stopped too
 * early, and that tells honestly that it does not know, is only told that there was more to be had.
 */
function severityOf({ endings, requests, broken, creations }: Outcome): CaseFinding['severity'] {
  const isAcquitted =
    requests > 0 && !broken.has('R10') && !broken.has('R11') && creations.at(-1)?.state !== 'FAILED'
  return isAcquitted && beliefOf(endings) === 'unknown' ? 'warning' : 'error'
}

const uncertain = ({ id, state }: Creation) =>
  state === 'PENDING'
    ? `${id} told it PENDING, so it may still be sent: that is "unknown", exit code 3.`
    : `${id} told it INDETERMINATE_FAILURE, so nobody knows: that is "unknown", exit code 3.`

const ended = ({ endings }: Outcome) => {
  const last = endings.at(-1)
  return last?.exitCode === undefined ? 'so it says' : howEnded(last)
}
