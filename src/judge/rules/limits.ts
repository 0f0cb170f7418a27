import { durationWords } from '../../rig/words.ts'
import type { Attempt } from '../attempt.ts'
import type { ClientHistory } from '../client-history.ts'
import { indexAfter, maximum } from '../grouping.ts'
import type { IntendedSending } from '../intended-sendings.ts'
import { lastAttemptOf } from '../intended-sendings.ts'
import { elapsedBetween, requestedWait, timesSince, withTolerance } from '../intervals.ts'
import { countWords, transactionIdWords, unreadWords } from './finding-words.ts'
import { defineRule, type Suspicion } from './rule.ts'

/** Spec 4.1/10, 8: maximum number of new transaction IDs after the first. */
const maxRecreations = 3

const recreationsOf = (sending: IntendedSending, history: ClientHistory) =>
  history.transactionChangesOf(sending).filter(({ kind }) => kind === 'FAILED')

export const tooManyRecreations = defineRule({
  id: 'R07',
  title: 'Recreated more than three times',
  clause: '4.1/10, section 8',
  severity: 'error',
  dependsOn: 'intent',
  detection:
    'After FAILED the client uses a new transactionId for the fourth time, which is the fifth transactionId in total.',
  exceptions: 'Up to four transactionIds: the first one and three new ones.',
  remedy: 'Stop after three new transactionIds, and report that nothing was sent.',
  *find(history: ClientHistory): Iterable<Suspicion> {
    for (const sending of history.repeated) {
      const recreations = recreationsOf(sending, history)
      const tooMany = recreations[maxRecreations]
      if (!tooMany) continue
      yield {
        sending,
        evidence: recreations.map(({ first }) => first),
        ignoredAnswer: { answer: tooMany.stateReport ?? tooMany.last, later: tooMany.first },
        sentence: `After FAILED the sending was created again ${recreations.length} times; ${tooMany.first.id} is the first one beyond ${maxRecreations}.`,
      }
    }
  },
})

const clockMoveWords = 'It is open, because only the time by which the clock was moved by hand is too long.'

/** Spec 4.1/10, 8. */
const recreationLimit = 15 * 60_000

export const recreatedTooLate = defineRule({
  id: 'R08',
  title: 'Recreated after fifteen minutes',
  clause: '4.1/10, section 8',
  severity: 'error',
  dependsOn: 'intent',
  detection:
    'A new transactionId after FAILED, more than 15 minutes after the first FAILED was told, on the space’s clock.',
  exceptions: 'A tolerance of two seconds of real time, or 1 %; time by which a test moved the clock.',
  remedy: 'Stop fifteen minutes after the first FAILED, and report that nothing was sent.',
  *find(history: ClientHistory): Iterable<Suspicion> {
    for (const sending of history.repeated) {
      const recreations = recreationsOf(sending, history)
      const anchor = recreations[0]?.stateReport
      if (!anchor) continue
      const firsts = new Set(recreations.map(({ first }) => first))
      const later = sending.attempts.slice(indexAfter(sending.attempts, anchor.number))
      const limit = withTolerance(recreationLimit, history.evidence)
      const lateOnes = timesSince(anchor, later).filter(it => firsts.has(it.attempt) && it.whole > limit)
      const [worst] = lateOnes
      if (!worst) continue
      yield {
        sending,
        evidence: [anchor, ...lateOnes.map(({ attempt }) => attempt)],
        ignoredAnswer: { answer: anchor, later: worst.attempt },
        openBecause: lateOnes.every(({ withoutClockMoves }) => withoutClockMoves <= limit) && clockMoveWords,
        sentence: `${worst.attempt.id} created the sending again ${durationWords(worst.whole)} after FAILED was first told; 15 min are allowed in all.`,
      }
    }
  },
})

/** Spec 4.1/10, 8. */
const pendingLimit = 5 * 60_000
/** Up to this many late requests are only a warning. */
const toleratedPolls = 2

export const pendingPursued = defineRule({
  id: 'R09',
  title: 'Repeated after five minutes of PENDING',
  clause: '4.1/10, section 8',
  severity: 'error',
  dependsOn: 'worker',
  detection:
    'The client was last told PENDING, and repeats more than 5 minutes after the first PENDING for this transactionId, on the space’s clock. One or two such repeats are a warning. A single repeat is open if nothing proves that the client read the last PENDING.',
  exceptions:
    'A tolerance of two seconds of real time, or 1 %; repeats after an error or a timeout, for which the document sets no limit; time by which a test moved the clock.',
  remedy:
    'Stop repeating five minutes after the first PENDING for this transactionId, and report that the outcome is unknown.',
  survivesLoss: true,
  *find(history: ClientHistory): Iterable<Suspicion> {
    for (const sending of history.repeated)
      for (const transaction of sending.transactions) {
        const { attempts } = transaction
        const from = attempts.findIndex(it => history.knowledge.knownAtEnd(it) === 'PENDING')
        if (from < 0) continue
        const polls = findLatePolls(attempts.slice(from), history)
        const last = polls.at(-1)
        if (!last) continue
        const { answer, poll: later } = polls.findLast(it => history.isSameWorker(it.answer, it.poll)) ?? last
        yield {
          sending,
          evidence: [attempts[from]!, ...polls.map(({ poll }) => poll)],
          ignoredAnswer: { answer, later },
          isOpen: polls.every(({ isCertain }) => !isCertain),
          openBecause:
            (polls.every(it => it.isOnlyMoved) && clockMoveWords) ||
            (polls.length === 1 && unreadWords(history, last.answer)),
          ...(polls.length <= toleratedPolls && { severity: 'warning' }),
          sentence: `${transactionIdWords(transaction)} was PENDING, and was asked for again ${countWords(polls.length)} after the 5 min that are allowed, the last time ${durationWords(last.whole)} after PENDING was first told.`,
        }
      }
  },
})

/**
 * It is certain if the time without moved clocks is over as well, and no other answer than PENDING can have come before.
 * @param attempts from the first that was answered PENDING
 */
function findLatePolls(attempts: readonly Attempt[], history: ClientHistory) {
  const start = attempts[0]!
  const firstExchange = start.ended!.clock - start.arrived.clock
  const limit = withTolerance(pendingLimit, history.evidence)
  return timesSince(start, attempts).flatMap(({ attempt: poll, ...time }, at) => {
    const answer = attempts[at - 1]
    if (!answer || history.resends.has(poll) || history.knowledge.knownBefore(answer, poll) !== 'PENDING')
      return []
    const whole = time.whole - firstExchange
    if (whole <= limit) return []
    const isOnlyMoved = time.withoutClockMoves - firstExchange <= limit
    return [
      {
        poll,
        answer,
        whole,
        isOnlyMoved,
        isCertain: !isOnlyMoved && history.isCompleteBetween(answer, poll),
      },
    ]
  })
}

/** Share of the window that a client must use. */
const requiredShare = 0.8

export const pendingAbandoned = defineRule({
  id: 'R10',
  title: 'Stopped too early while PENDING',
  clause: '4.1/10, section 8',
  severity: 'error',
  dependsOn: 'end',
  detection:
    'The client was told PENDING and ended too early: it repeated for less than 80 % of the 5 minutes, even if one more pause like its earlier ones is added.',
  exceptions:
    'A client whose next pause may have ended after the 5 minutes, or after the 15 minutes for new transactionIds; a client that read the sending afterwards and found it no longer PENDING, or went on reading it as long; a client that reports that it was sent (see R24); a client that the exam stopped. The finding is open until the end of the client is known.',
  remedy:
    'While the state is PENDING, go on with the same transactionId for five minutes, also if an earlier transactionId was PENDING before.',
  *find(history: ClientHistory): Iterable<Suspicion> {
    const { end } = history
    for (const sending of history.sendings) {
      const { transaction, last } = lastAttemptOf(sending)
      if (history.knowledge.knownAtEnd(last) !== 'PENDING' || !last.ended) continue
      if (transaction.transactionId === undefined || end?.stopped || end?.believes === 'sent') continue
      const looks = history.observationsOf(sending.synchronizationId, transaction.transactionId)
      // A client that reads the sending in place of repeating the request goes on as well.
      const reads = looks.at(-1)?.state === 'PENDING' ? looks.filter(it => it.number > last.number) : []
      const requests = [...transaction.attempts, ...reads.map(({ read }) => read)]
      const { ended = last.ended } = requests.at(-1)!
      if (history.isActiveAfter(requests.at(-1)!) || history.endings.mayBeKnown(last)) continue
      const effort = elapsedBetween(requests[0]!.arrived, ended)
      const next = Math.max(longestNextPause(history.pausesIn(requests)), requestedWait(last)?.wait ?? 0)
      const failed = sending.attempts.find(it => history.knowledge.knownAtEnd(it) === 'FAILED')
      const sinceFailed = failed ? elapsedBetween(failed.arrived, ended) : 0
      if (effort + next >= requiredShare * pendingLimit) continue
      if (sinceFailed + next >= requiredShare * recreationLimit) continue
      yield {
        sending,
        evidence: [last],
        isOpen: !end,
        sentence: end
          ? `${transactionIdWords(transaction)} was PENDING when the client ended, ${durationWords(effort)} after its first request; it must be repeated for 5 min.`
          : `${transactionIdWords(transaction)} was last told PENDING, after it was asked for ${countWords(transaction.attempts.length)}${transaction.attempts.length > 1 ? ` in ${durationWords(effort)}` : ''}. Only the end of the client shows whether it has given up.`,
      }
    }
  },
})

/**
 * The longest next pause to expect, in milliseconds. While pauses may still be growing, they may have doubled each time
 * from two seconds, if such short ones can have been drawn; once they no longer grow, three times the longest.
 */
function longestNextPause(pauses: readonly { readonly length: number }[]): number {
  const lengths = pauses.map(({ length }) => length)
  const longest = maximum(lengths)
  const half = Math.floor(lengths.length / 2)
  const mayGrow = lengths.length < 8 || maximum(lengths.slice(half)) > 1.5 * maximum(lengths.slice(0, half))
  return mayGrow && mayHaveDoubled(lengths) ? Math.max(3 * longest, 2_000 * 2 ** lengths.length) : 3 * longest
}

/**
 * Whether pauses that were drawn below 2 s, 4 s, 8 s and so on can be so short together: at least in one of ten thousand
 * series. The share is at most that of a simplex in the box of all draws.
 */
function mayHaveDoubled(lengths: readonly number[]): boolean {
  const sum = lengths.reduce((all, length) => all + length, 0)
  const share = lengths.reduce((product, _, at) => (product * sum) / ((at + 1) * 2_000 * 2 ** at), 1)
  return share >= 1e-4
}
