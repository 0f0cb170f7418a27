import type { SendingState } from '../../store/rows.ts'
import type { Attempt } from '../attempt.ts'
import type { ClientHistory } from '../client-history.ts'
import { countWords, transactionIdWords, unreadWords } from './finding-words.ts'
import { defineRule, type Suspicion } from './rule.ts'

/** Transactions that were continued after the client got this state for them. @param why the rest of the sentence */
function* findSameIdAfter(state: SendingState, history: ClientHistory, why: string): Iterable<Suspicion> {
  for (const sending of history.repeated)
    for (const transaction of sending.transactions) {
      const { transactionId, attempts } = transaction
      if (transactionId === undefined) continue
      const isKnown = (it: Attempt) => history.knowledge.knownAtEnd(it) !== undefined
      const answers = attempts.filter(it => isKnown(it) && it.response?.state === state)
      const reads = history
        .observationsOf(sending.synchronizationId, transactionId)
        .flatMap(it => (it.state === state && isKnown(it.read) ? it.read : []))
      const tellers = [...answers, ...reads].sort((one, other) => one.number - other.number)
      // After a restart what it was told before does not count.
      const repeatsOf = (it: Attempt) =>
        attemptsKnowing(it, attempts, history).filter(it => !history.resends.has(it))
      const proof = findIgnored(answers, attempts, history)
      // Who looks before each repeat, and only for CREATED, repeats once more and is told then.
      const teller = proof?.answer ?? tellers.find(it => repeatsOf(it).length > (it.isReadOfState ? 1 : 0))
      if (!teller) continue
      const repeats = repeatsOf(teller)
      yield {
        sending,
        evidence: [teller, ...repeats],
        ignoredAnswer: proof ?? { answer: teller, later: repeats[0]! },
        openBecause: (repeats.length === 1 || teller.isProxied) && unreadWords(history, teller),
        sentence: `${teller.id} was told ${state} under ${transactionIdWords(transaction)}, ${why}; the same came again ${countWords(repeats.length)}.`,
      }
    }
}

/**
 * The first of these answers after which the worker that got it is known to have gone on, and the attempt with which it
 * did. Where several workers may have sent them, a connection is one worker.
 */
function findIgnored(answers: readonly Attempt[], attempts: readonly Attempt[], history: ClientHistory) {
  if (history.hasOneWorker) return undefined
  const telling = new Set(answers)
  const lastOn = new Map<number, Attempt>()
  for (const later of attempts) {
    const answer = lastOn.get(later.connection)
    if (
      answer &&
      history.isSameWorker(answer, later) &&
      !history.resends.has(later) &&
      attemptsKnowing(answer, [later], history).length > 0
    )
      return { answer, later }
    if (telling.has(later)) lastOn.set(later.connection, later)
  }
  return undefined
}

/** The attempts of a client that knew an earlier answer, and was not restarted since. */
const attemptsKnowing = (teller: Attempt, attempts: readonly Attempt[], history: ClientHistory) =>
  attempts.filter(
    it =>
      it.number > teller.number &&
      history.knowledge.knownBefore(teller, it) &&
      !history.isRestartBetween(teller, it),
  )

export const sameIdAfterIndeterminate = defineRule({
  id: 'R05',
  title: 'Repeated after INDETERMINATE_FAILURE',
  clause: '3/4',
  severity: 'warning',
  dependsOn: 'worker',
  detection:
    'The client sends the same transactionId again after it was told INDETERMINATE_FAILURE for it. A single repeat is open if nothing proves that the client read the response: it may have been frozen and have dropped the connection. Behind a proxy (Via, Forwarded, X-Forwarded-For) any number of repeats is open, because the proxy reads the response.',
  exceptions:
    'A response that the client may not have received; a client that was restarted in between; a GET; a single repeat after a read that showed it.',
  remedy: 'Stop after INDETERMINATE_FAILURE and report that the outcome is unknown.',
  survivesLoss: true,
  find: history =>
    findSameIdAfter(
      'INDETERMINATE_FAILURE',
      history,
      'which a client must not retry; support has to look into it',
    ),
})

export const sameIdAfterFailed = defineRule({
  id: 'R06',
  title: 'Repeated with the same transactionId after FAILED',
  clause: '3/4, 4.1/10',
  severity: 'error',
  dependsOn: 'worker',
  detection:
    'The client sends the same transactionId again after it was told FAILED for it. A single repeat is open if nothing proves that the client read the response: it may have been frozen and have dropped the connection. Behind a proxy (Via, Forwarded, X-Forwarded-For) any number of repeats is open, because the proxy reads the response.',
  exceptions:
    'A response that the client may not have received; a client that was restarted in between; a single repeat after a read that showed it.',
  remedy: 'After FAILED, start again with a new transactionId.',
  survivesLoss: true,
  find: history =>
    findSameIdAfter(
      'FAILED',
      history,
      'which is final: only another transactionId can still get the mailing sent',
    ),
})

export const afterCreated = defineRule({
  id: 'R23',
  title: 'Repeated after CREATED',
  clause: '3/4',
  severity: 'information',
  dependsOn: 'worker',
  detection:
    'The client certainly received CREATED and asks for the same mailing again. With another transactionId, or none, it is sent once more: an error. With the same transactionId, or if the service refuses the request, it is harmless.',
  exceptions:
    'A complete response that the client is not proved to have received; a client that was restarted.',
  remedy: 'Stop as soon as a response shows the state CREATED.',
  *find(history: ClientHistory): Iterable<Suspicion> {
    for (const sending of history.repeated)
      for (const transaction of sending.transactions) {
        const { transactionId, attempts } = transaction
        const tellers = attempts.filter(
          it => history.knowledge.receipt(it) === 'proved' && history.knowledge.knownAtEnd(it) === 'CREATED',
        )
        const proof = findIgnored(tellers, attempts, history)
        const teller = proof?.answer ?? tellers[0]
        if (transactionId === undefined || !teller) continue
        const repeats = attemptsKnowing(teller, attempts, history)
        if (repeats.length === 0) continue
        yield {
          sending,
          evidence: [teller, ...repeats],
          ignoredAnswer: proof ?? { answer: teller, later: repeats[0]! },
          sentence: `${teller.id} was told CREATED under ${transactionIdWords(transaction)}, and the same came again ${countWords(repeats.length)}.`,
        }
      }
    for (const { kind, sending, from, to, first, stateReport, requests } of history.transactionChanges)
      if (kind === 'CREATED') {
        const isRefused = first.truth !== undefined && first.truth.status >= 400 && first.truth.status < 500
        yield {
          sending,
          ...(!isRefused && { severity: 'error' }),
          evidence: requests,
          ignoredAnswer: { answer: stateReport ?? first, later: first },
          isOpen: sending.basis !== 'declared',
          sentence: `${from.transactionId === undefined ? 'A request without a transactionId' : transactionIdWords(from)} was told CREATED${stateReport ? ` (${stateReport.id})` : ''}, yet ${first.id} ${isRefused ? 'asked for' : 'created'} the same mailing once more with ${transactionIdWords(to)}${isRefused ? '; the service refused that' : ''}.`,
        }
      }
  },
})
