import type { CaseFinding } from '../../rig/exam-shape.ts'
import type { Ending } from './client.ts'
import { lastWords } from './last-words.ts'
import type { Outcome } from './outcome.ts'
import { error } from './own-findings.ts'

/** How clients end, or do not. */

/** Real seconds after which a request that waits is no longer just on its way. */
const enRoute = 10
/** Real seconds after which the document leaves nobody anything to wait for: 15 minutes, and a long pause. */
const beyondAll = 20 * 60

export function withoutRequests({ stopped, limit, endings }: Outcome): CaseFinding {
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
    `The client ended (${howEnded(ending)}) before it sent a request with the user that it was given${quoted(ending)}`,
  )
}

export function crashed({ endings, requests, toldCreated, lastRequests }: Outcome): CaseFinding | undefined {
  const ending = endings.find(it => it.signal !== undefined || it.error !== undefined)
  if (!ending) return undefined
  const when =
    toldCreated !== undefined
      ? `after ${toldCreated} had told it CREATED`
      : requests === 0
        ? 'before it sent anything'
        : 'instead of saying what it believes'
  const why = ending.error === undefined ? quoted(ending) : `: ${ending.error}`
  return error(
    'crashed',
    `The client crashed (${howEnded(ending)}) ${when}${why}`,
    toldCreated === undefined ? lastRequests : [toldCreated],
  )
}

export const flooded = ({ requests, lastRequests }: Outcome): CaseFinding =>
  error(
    'flooded',
    `The client sent ${requests} requests for one mailing and was killed. Repeats need a pause that grows, and an end.`,
    lastRequests,
  )

/** A client that was killed after its time limit. One that paused is not to blame for that; see `pausing`. */
export function* notEnded(outcome: Outcome): Iterable<CaseFinding> {
  const { limit, requests, toldCreated, lastRequests, standstill } = outcome
  const late = `The client had not ended after ${limit} s, the limit for this case, and was killed`
  const { waiting, waitingConnections } = standstill
  if (isWaiting(outcome)) {
    const [longest] = [...waiting].sort((one, other) => other.seconds - one.seconds)
    const what = longest
      ? `${longest.id} had been waiting for the end of its answer for ${longest.seconds} s`
      : `it was waiting on ${waitingConnections === 1 ? 'a connection' : `${waitingConnections} connections`} over which no answer came`
    yield error(
      'never-ended',
      `${late}: ${what}. Every wait needs a deadline that also covers a body that drips or stalls.`,
      waiting.map(({ id }) => id),
    )
  } else if (toldCreated !== undefined)
    yield error(
      'never-ended',
      `${late}, though ${toldCreated} had told it CREATED and no request was under way. What keeps it alive?`,
      [toldCreated],
    )
  else if (limit >= beyondAll)
    yield error('never-ended', `${late}, after ${requests} requests. Repeats need an end.`, lastRequests)
}

/** Why a client that was killed after its time limit proves nothing; undefined where `notEnded` finds something. */
export function pausing(outcome: Outcome): string | undefined {
  const { stopped, requests, brokenConnections, limit, standstill } = outcome
  if (stopped !== 'late' || requests + brokenConnections === 0) return undefined
  const [finding] = notEnded(outcome)
  if (finding) return undefined
  const { sinceRequest } = standstill
  const last = sinceRequest === undefined ? '' : `, its last request ${sinceRequest} s before`
  return `the client was still pausing when it was stopped after ${limit} s${last}: give it a longer --timeout, or let it divide its pauses by MAILING_SYNC_SPEED and give --speed`
}

const isWaiting = ({ standstill, limit }: Outcome) =>
  standstill.waitingConnections > 0 ||
  standstill.waiting.some(({ seconds }) => seconds >= Math.min(enRoute, limit / 3))

/** How a client ended, in brackets. */
export const howEnded = ({ exitCode, signal, error }: Ending): string =>
  signal !== undefined
    ? signal
    : exitCode !== undefined
      ? `exit code ${exitCode}`
      : error === undefined
        ? 'no reason'
        : 'it threw'

/** What it printed that says why, behind a sentence. */
function quoted({ output }: Ending): string {
  const words = lastWords(output)
  return words === undefined ? '; it printed nothing.' : `; it printed: ${words}`
}
