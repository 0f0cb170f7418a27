import { getOrMake } from '../../store/maps.ts'
import type { Attempt } from '../attempt.ts'
import type { ClientHistory } from '../client-history.ts'
import { NestedMap } from '../grouping.ts'
import { countWords, describeResponse, unreadWords } from './finding-words.ts'
import { defineRule, type Suspicion } from './rule.ts'

export const refusalRepeated = defineRule({
  id: 'R14',
  title: 'Refused request repeated unchanged',
  clause: 'section 7',
  severity: 'warning',
  dependsOn: 'worker',
  detection:
    'The client sends the same bytes, with the same Content-Type and Accept, to the same address after the service, or a scenario on behalf of the service (by: service), refused them with a 4xx. A single repeat is open if nothing proves that the client read the refusal, or if the client may have given up just when the refusal came. Any number of repeats is open if a request was refused before its body came.',
  exceptions:
    'A 4xx that may come from a proxy; 401 and 403 (see R26); 408, 425 and 429; a repeat after the client changed something or read the current state, or that the service no longer refuses, as after an approval; GET requests.',
  remedy: 'Do not repeat a refused request unless something about it has changed.',
  *find(history: ClientHistory): Iterable<Suspicion> {
    for (const { requests } of findRepeatedRefusals(history)) {
      const [refusal, again] = [requests[0]!, requests[1]!]
      yield {
        evidence: requests,
        ignoredAnswer: { answer: refusal, later: again },
        openBecause:
          (requests.some(({ request }) => !request.isWhole) &&
            'It is open, because a request was refused before its body came, which may differ.') ||
          (requests.length === 2 &&
            (unreadWords(history, refusal) ||
              (history.knowledge.isSlow(refusal) &&
                'It is open, because the client may have given up just when the refusal came.'))),
        sentence: `${refusal.id} was refused with ${describeResponse(refusal)}, and came again unchanged ${countWords(requests.length - 1)}.`,
      }
    }
  },
})

interface IdenticalRequests {
  /** The last one, if it was refused. */
  refusal: Attempt | undefined
  /** The refusal that was ignored, and the requests after it. */
  readonly requests: Attempt[]
}

function findRepeatedRefusals(history: ClientHistory): ReadonlySet<IdenticalRequests> {
  const alike = new NestedMap<IdenticalRequests>()
  const repeated = new Set<IdenticalRequests>()
  const last: LastRequests = new Map()
  let hasRefused = false
  for (const attempt of history.attempts) {
    getOrMake(last, attempt.synchronizationId, () => new Map()).set(attempt.operation, attempt.number)
    if (attempt.method === 'GET' || attempt.method === 'HEAD') continue
    const isNew = isRefusal(attempt)
    hasRefused ||= isNew
    if (!hasRefused) continue
    const { user, method, target, contentType, accept, request } = attempt
    const place = alike.entry(user, method, target, contentType, accept, request.bytes)
    place.value ??= { refusal: undefined, requests: [] }
    const same = place.value
    const before = same.refusal
    same.refusal = isNew ? attempt : undefined
    if (!before || history.knowledge.knownBefore(before, attempt) !== 'refused') continue
    if (history.resends.has(attempt) || hasOtherSince(before, last)) continue
    // What changed in between, such as an approval in the editor, need not be a request of the client.
    if (before.truth && attempt.truth && !isRefused(attempt.truth)) continue
    if (same.requests.length === 0) same.requests.push(before)
    same.requests.push(attempt)
    repeated.add(same)
  }
  return repeated
}

const isRefused = ({ status }: { readonly status: number }) => status >= 400 && status < 500

/** Refused by the service itself, not by a scenario in the role of a proxy. */
const isRefusal = ({ response, truth, isByService }: Attempt) =>
  response !== undefined &&
  isRefused(response) &&
  response.status !== 401 &&
  response.status !== 403 &&
  (truth?.status === response.status || (truth === undefined && isByService))

/** Number of the last request, by synchronization and operation. */
type LastRequests = Map<string | undefined, Map<string | undefined, number>>

/** Whether other requests came since: they may have changed the situation, or told the client about a change. */
function hasOtherSince({ synchronizationId, operation: own, number: since }: Attempt, last: LastRequests) {
  for (const about of [synchronizationId, undefined])
    for (const [operation, number] of last.get(about) ?? [])
      if (operation !== own && number > since) return true
  return false
}

export const notReady = defineRule({
  id: 'R21',
  title: 'Created without asking whether it is ready',
  clause: '3/3',
  severity: 'warning',
  dependsOn: 'request',
  detection:
    'The service refuses a sending that is not ready, because the mailing is not approved or something is gone, and the client did not read readyForSending of the synchronization before.',
  exceptions:
    'A client that read it at any earlier time: the approval may have been removed since. A sending whose first attempt was not refused for this reason: the list may have been deleted since.',
  remedy: 'Read the synchronization first, and create the sending only when readyForSending is true.',
  *find(history: ClientHistory): Iterable<Suspicion> {
    const look = history.attempts.find(
      ({ operation }) =>
        operation === 'getMailingSynchronization' || operation === 'listMailingSynchronizations',
    )
    for (const sending of history.sendings) {
      const refusals = sending.attempts.filter(isNotReady)
      const [first] = refusals
      if (!first || first !== sending.attempts[0] || (look && look.number < first.number)) continue
      yield {
        sending,
        evidence: refusals,
        sentence: `${first.id} was refused with ${first.response!.status}, since it is not ready for sending; readyForSending had not been read before.`,
      }
    }
  },
})

const isNotReady = ({ response }: Attempt) => response?.problem === 'not-ready-for-sending'

/** Consecutive refusals before this rule fires. */
const refusalsInRow = 3

export const credentialsLoop = defineRule({
  id: 'R26',
  title: 'Kept using refused credentials',
  clause: 'section 5',
  severity: 'warning',
  dependsOn: 'worker',
  detection: 'The same request is refused with 401 or 403 three times in a row.',
  exceptions:
    'The first request of a client that sends credentials only after a 401; refusals that the client may not have received.',
  remedy: 'Stop when credentials are refused, until they have been changed.',
  *find(history: ClientHistory): Iterable<Suspicion> {
    for (const loop of findLoops(history))
      yield {
        evidence: loop,
        ignoredAnswer: { answer: loop[0]!, later: loop.at(-1)! },
        sentence: `${loop[0]!.id} was refused with ${loop[0]!.response!.status}; the same request came ${refusalsInRow - 1} more times with the same user, and was refused each time.`,
      }
  },
})

function findLoops(history: ClientHistory): Attempt[][] {
  const runs = new Map<string, Attempt[]>()
  const loops: Attempt[][] = []
  for (const attempt of history.attempts) {
    const { response, delivered } = attempt
    const isRefused = delivered === 'handed' && (response?.status === 401 || response?.status === 403)
    if (!isRefused && runs.size === 0) continue
    const key = `${attempt.user} ${attempt.method} ${attempt.target}`
    const before = runs.get(key) ?? []
    const last = before.at(-1)
    // A client cannot ignore a refusal that it may not have received.
    const run = last && history.knowledge.knownBefore(last, attempt) !== 'refused' ? [] : before
    if (isRefused) run.push(attempt)
    runs.set(key, isRefused ? run : [])
    if (isRefused && run.length === refusalsInRow) loops.push(run)
  }
  return loops
}
