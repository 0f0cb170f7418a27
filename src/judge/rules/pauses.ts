import { durationWords } from '../../rig/words.ts'
import type { Attempt } from '../attempt.ts'
import type { ClientHistory } from '../client-history.ts'
import type { Evidence } from '../evidence.ts'
import { groupBy, maximum, minimum } from '../grouping.ts'
import type { IntendedSending, Transaction } from '../intended-sendings.ts'
import { elapsedBetween, minimumTurnaround, type Pause, requestedWait } from '../intervals.ts'
import { departureDelay, endingBefore } from '../knowledge.ts'
import { describeResponse, transactionIdWords, unreadWords } from './finding-words.ts'
import { defineRule, type Suspicion } from './rule.ts'

/** Pauses grow when the longest is at least this many times the first. */
const growthFactor = 1.5
/**
 * Share of the longest and of the shortest pauses that do not count where there are many: a busy machine makes some of
 * them longer, so the longest alone would acquit the more surely the more there are.
 */
const outliers = { share: 0.1, fromPauses: 20 }
/**
 * Pauses count as equal when the longest is at most `maxRatio` times the shortest, given at least this number of pauses.
 * Fewer than one in ten thousand clients with any of the usual random backoffs look equal by chance; a client that
 * polls with 20 % variation needs ten pauses to be recognised.
 */
export const equalPauseLimits = [
  { pauses: 10, maxRatio: 1.6 },
  { pauses: 8, maxRatio: 1.4 },
  { pauses: 6, maxRatio: 1.2 },
  { pauses: 5, maxRatio: 1.08 },
  { pauses: 4, maxRatio: 1.02 },
]
/** From this number of pauses on, a sequence in which no pause is longer than the one before is not a backoff either. */
const neverGrowingCount = 6

/**
 * Whether pauses grow. `unknown` when there are too few of them, or when they vary as random pauses do: full or
 * decorrelated jitter may draw a long first pause and must not be accused for it.
 * @param lengths the pauses in order, in any unit
 */
export function classifyBackoff(lengths: readonly number[]): 'grows' | 'constant' | 'unknown' {
  if (lengths.length < 2) return 'unknown'
  const sorted = Float64Array.from(lengths).sort()
  const outlierCount = lengths.length < outliers.fromPauses ? 0 : Math.floor(lengths.length * outliers.share)
  const [shortest, longest] = [sorted[outlierCount]!, sorted[lengths.length - 1 - outlierCount]!]
  if (longest >= growthFactor * lengths[0]!) return 'grows'
  const spread = equalPauseLimits.find(({ pauses }) => lengths.length >= pauses)
  if (!spread) return 'unknown'
  const isEven = longest <= spread.maxRatio * shortest
  const neverGrows =
    lengths.length >= neverGrowingCount && lengths.every((it, at) => at === 0 || it <= lengths[at - 1]!)
  return isEven || neverGrows ? 'constant' : 'unknown'
}

/**
 * Not a backoff: this many requests within `time` milliseconds, with pauses below `short` milliseconds that come back
 * `times` times after longer ones.
 */
const tightRetryLimits = { requests: 10, time: 3_000, short: 50, times: 4 }

interface RequestStep {
  /** Milliseconds from the end of the exchange. */
  readonly pause: number
  /** Milliseconds from the beginning of the exchange. */
  readonly time: number
}

/**
 * Index of the first step of tight retries, as `tightRetryLimits` defines it; -1 when there is none. Pauses that grow, however
 * they are drawn, are short only at the start.
 * @param steps each begins with the request that the previous one led to
 */
export function findTightRetries(steps: readonly RequestStep[]): number {
  const { requests, time, short, times } = tightRetryLimits
  const length = requests - 1
  for (let at = 0; at + length <= steps.length; at++) {
    const run = steps.slice(at, at + length)
    const returns = run.filter(({ pause }, nth) => pause < short && nth > 0 && run[nth - 1]!.pause >= short)
    const whole = run.reduce((sum, step) => sum + step.time, 0)
    if (whole <= time && returns.length >= times) return at
  }
  return -1
}

interface Series {
  readonly attempts: readonly Attempt[]
  /** Whether one worker made them all: several workers with the same task do not know each other's pauses. */
  readonly isOneWorker: boolean
  /** Whether they are those on one of several connections. */
  readonly isPart?: true
}

/**
 * The requests of each worker, as far as that is known, and all of them together. Requests on the same connection come
 * from the same worker.
 */
function splitByWorker(attempts: readonly Attempt[], history: ClientHistory): Series[] {
  if (history.hasOneWorker) return [{ attempts, isOneWorker: true }]
  const byConnection = groupBy(attempts, ({ connection }) => connection)
  if (byConnection.size === 1 && !byConnection.has(0)) return [{ attempts, isOneWorker: true }]
  byConnection.delete(0)
  return [
    ...[...byConnection.values()].map(own => ({ attempts: own, isOneWorker: true, isPart: true as const })),
    { attempts, isOneWorker: false },
  ]
}

/** Pauses below this many milliseconds do not count as pauses. */
const hotPause = 100
/** Milliseconds; three random pauses of full jitter in a row are not all below this. */
const veryHotPause = 50
/** Milliseconds on either clock; a client that waited this long for an answer is not in a hot loop. */
const longExchange = 1_000
/** Consecutive pauses before this rule fires: when one worker is declared, and otherwise. */
const minimumPauses = { ofOne: 3, ofMany: 6 }

export const hotLoop = defineRule({
  id: 'R15',
  title: 'Repeated without a pause',
  clause: '4.1/10',
  severity: 'error',
  dependsOn: 'request',
  detection:
    'Six pauses in a row are shorter than 100 ms, from the end of one attempt to the next attempt with the same transactionId, or for the same mailing if the client was to send one; three shorter than 50 ms are enough if one worker is known to have made them. Or, in ten requests within three seconds, pauses shorter than 50 ms follow longer ones four times. On a clock that runs faster than real time, six pauses shorter than 5 ms of real time count as well, and six equal ones (see R16) shorter than 15 ms of real time and one second of the clock. If the attempts use different connections, several workers may have made them, and the finding is open. It is not open if the number of workers is known and so small that one of them must have made seven attempts.',
  exceptions:
    'A repeat by the HTTP library itself; a pause during which the clock was moved; requests with other transactionIds, unless they were for one mailing; pauses that are short at first and grow.',
  remedy: 'Wait before each repeat, and longer each time.',
  survivesLoss: true,
  *find(history: ClientHistory): Iterable<Suspicion> {
    for (const sending of history.repeated)
      for (const { attempts, isCertain } of loopCandidates(sending)) {
        const loops = splitByWorker(attempts, history).flatMap(series => findLoop(series, history) ?? [])
        const worst = loops.find(({ isOpen }) => !isOpen) ?? loops.at(-1)
        if (!worst) continue
        const { pauses, isOpen, sentence } = worst
        yield {
          sending,
          evidence: [pauses[0]!.before, ...pauses.map(({ after }) => after)],
          isOpen: isOpen || !isCertain,
          sentence,
        }
      }
  },
})

/** What is examined separately: each transaction, or the whole sending if it is known to be one. */
const loopCandidates = ({ basis, attempts, transactions }: IntendedSending) =>
  basis === 'declared'
    ? [{ attempts, isCertain: true }]
    : transactions.map(({ transactionId, attempts }) => ({
        attempts,
        isCertain: transactionId !== undefined,
      }))

function findLoop(series: Series, history: ClientHistory) {
  const pauses = history.pausesIn(series.attempts)
  const loops = [findUnpausedLoop, findTightSeries, findFastLoop].flatMap(
    find => find(pauses, series, history) ?? [],
  )
  return loops.find(({ isOpen }) => !isOpen) ?? loops[0]
}

/** Milliseconds of real time that a client may need from one exchange to the next without any pause. */
const slowTurnaround = 15
/** Milliseconds on the space's clock; no backoff stays below it for ever. */
const shortestLimit = 1_000

/**
 * On a fast clock a client without pauses seems to make some: what it needs between two requests. They are all alike and
 * short on both clocks.
 */
function findFastLoop(pauses: readonly Pause[], series: Series, history: ClientHistory) {
  const { rate } = history.evidence
  if (rate <= 1) return undefined
  const maxPause = Math.min(slowTurnaround, shortestLimit / rate)
  const isShort = (pause: Pause) =>
    realPause(pause) < maxPause && exchangeDuration(pause.before) < 5 * longExchange
  const loop = splitIntoStretches(pauses, history, isShort).find(
    run => run.length >= minimumPauses.ofMany && classifyBackoff(run.map(realPause)) === 'constant',
  )
  return (
    loop && {
      pauses: loop,
      isOpen: !series.isOneWorker,
      sentence: loopSentence(loop, series, ' of real time'),
    }
  )
}

const loopSentence = (run: readonly Pause[], { isPart }: Series, unit = '') =>
  `${run.length + 1} requests${isPart ? ' on one connection' : ''} followed one another with pauses of at most ${Math.ceil(maximum(run.map(realPause)))} ms${unit}.`

function findUnpausedLoop(pauses: readonly Pause[], series: Series, history: ClientHistory) {
  const runs = splitIntoStretches(pauses, history, pause => isHotPause(pause, history))
  const run = runs.reduce<readonly Pause[]>((longest, it) => (it.length > longest.length ? it : longest), [])
  if (run.length < minimumPauses.ofOne) return undefined
  if (run.length < minimumPauses.ofMany && run.some(({ length }) => length >= veryHotPause)) return undefined
  const minimum = history.hasOneWorker ? minimumPauses.ofOne : minimumPauses.ofMany
  const isCertain = series.isOneWorker ? run.length >= minimum : isBusyLoopOfOneWorker(history.workers, run)
  return { pauses: run, isOpen: !isCertain, sentence: loopSentence(run, series) }
}

/**
 * Whether at least one of the declared workers, however the requests were divided, made enough of them without real
 * pauses.
 */
function isBusyLoopOfOneWorker(workers: number | undefined, run: readonly Pause[]): boolean {
  if (workers === undefined) return false
  const ofOneWorker = Math.ceil((run.length + 1) / workers) - 1
  const time = run.at(-1)!.after.arrived.real - run[0]!.before.ended!.real
  return ofOneWorker >= minimumPauses.ofMany && time < hotPause * ofOneWorker
}

function findTightSeries(pauses: readonly Pause[], { isOneWorker }: Series, history: ClientHistory) {
  for (const stretch of splitIntoStretches(pauses, history)) {
    const at = findTightRetries(stretch.map(pause => ({ pause: pause.length, time: requestInterval(pause) })))
    if (at < 0) continue
    const run = stretch.slice(at, at + tightRetryLimits.requests - 1)
    const time = run.reduce((sum, pause) => sum + requestInterval(pause), 0)
    return {
      pauses: run,
      isOpen: !isOneWorker,
      sentence: `${tightRetryLimits.requests} requests came within ${durationWords(time)}, and pauses below ${tightRetryLimits.short} ms came again and again after longer ones.`,
    }
  }
  return undefined
}

const requestInterval = ({ before, after }: Pause) => elapsedBetween(before.arrived, after.arrived)

/** Whether there was practically no pause. */
const isHotPause = (pause: Pause, history: ClientHistory) =>
  exchangeDuration(pause.before) < longExchange &&
  pause.length < Math.max(hotPause, history.evidence.rate > 1 ? minimumTurnaround(history.evidence) : 0)

const exchangeDuration = ({ arrived, ended }: Attempt) => (ended ? elapsedBetween(arrived, ended) : 0)

function splitIntoStretches(
  pauses: readonly Pause[],
  history: ClientHistory,
  isPart: (pause: Pause) => boolean = () => true,
): Pause[][] {
  const stretches: Pause[][] = []
  let previous: Pause | undefined
  for (const pause of pauses) {
    const follows =
      previous !== undefined && (previous.after === pause.before || history.resends.has(pause.before))
    // A missing request may have got an answer after which the next request means another sending.
    const isSure = history.isComplete || history.isCompleteBetween(pause.before, pause.after)
    previous = !pause.isExcused && isSure && isPart(pause) ? pause : undefined
    if (previous && follows) stretches.at(-1)!.push(pause)
    else if (previous) stretches.push([pause])
  }
  return stretches
}

const realPause = ({ before, after }: Pause) => after.arrived.real - before.ended!.real

/** Milliseconds; shorter pauses are not compared, because time in transit is unknown. */
const comparablePause = 50

export const noBackoff = defineRule({
  id: 'R16',
  title: 'Pauses do not grow',
  clause: '4.1/10',
  severity: 'error',
  dependsOn: 'request',
  detection:
    'None of at least four pauses for one transactionId is 1.5 times as long as the first, and they are equal: within 2 % for four pauses, 20 % for six, 60 % for ten. Or, of six pauses, none is longer than the one before. From twenty pauses on, the longest and the shortest tenth do not count. Four or five pauses are a warning, six or more an error. If the attempts use different connections, several workers may have made them, and the finding is open unless it is known that there is one worker.',
  exceptions:
    'Fewer than four pauses; differences of less than 50 ms; on a fast clock a first pause of less than 20 ms of real time; pauses that a Retry-After asked for; pauses during which the clock was moved or the client was restarted; pauses that vary at random; pauses at a limit to which those with an earlier transactionId for the same mailing have grown; a loop without pauses (see R15). Pauses after errors and after PENDING are checked together and separately, because a client may start its pauses again.',
  remedy: 'Make each pause longer than the one before, for example twice as long.',
  *find(history: ClientHistory): Iterable<Suspicion> {
    for (const sending of history.repeated)
      for (const transaction of sending.transactions) {
        if (transaction.transactionId === undefined) continue
        const series = splitByWorker(transaction.attempts, history)
          .map(it => ({ ...it, pauses: history.pausesIn(it.attempts).filter(({ isExcused }) => !isExcused) }))
          .find(
            ({ pauses }) =>
              areConstant(pauses, transaction, history) && !haveGrownBefore(pauses, sending, history),
          )
        if (!series) continue
        const { pauses } = series
        const lengths = pauses.map(({ length }) => length)
        yield {
          sending,
          evidence: [pauses[0]!.before, ...pauses.map(({ after }) => after)],
          isOpen: !series.isOneWorker,
          ...(pauses.length < 6 && { severity: 'warning' }),
          sentence: `${pauses.length} pauses with ${transactionIdWords(transaction)} lasted ${lengthWords(lengths)}.`,
        }
      }
  },
})

function lengthWords(lengths: readonly number[]): string {
  const [first, shortest, longest] = [lengths[0]!, minimum(lengths), maximum(lengths)].map(durationWords)
  return shortest === longest ? `${shortest} each` : `from ${shortest} to ${longest}; the first one ${first}`
}

function areConstant(pauses: readonly Pause[], { attempts }: Transaction, history: ClientHistory): boolean {
  if (pauses.length < 4 || pauses.every(pause => isHotPause(pause, history))) return false
  // If the first pauses are excused, the others may already have grown to their limit.
  if (pauses[0]!.before !== attempts[0]) return false
  const pending = pauses.filter(({ meaning }) => meaning === 'PENDING')
  const others = pauses.filter(({ meaning }) => meaning !== 'PENDING')
  const { rate } = history.evidence
  const floor = Math.max(comparablePause, minimumTurnaround(history.evidence))
  // On a fast clock what a client needs between two requests hides how its pauses grow.
  const turnaround = rate > 1 ? slowTurnaround * rate : 0
  if (rate > 1 && pauses[0]!.length - turnaround <= floor) return false
  const lengthsOf = (part: readonly Pause[]) => part.map(({ length }) => Math.max(floor, length - turnaround))
  const parts = [pauses, pending, others].map(part => classifyBackoff(lengthsOf(part)))
  return parts[0] === 'constant' && !parts.includes('grows')
}

/** Whether these pauses stand at a limit to which those before them, with other transactionIds for the same mailing, have grown. */
function haveGrownBefore([first]: readonly Pause[], { attempts }: IntendedSending, history: ClientHistory) {
  const before = attempts.filter(({ number }) => number <= first!.before.number)
  const lengths = history.pausesIn(before).map(({ length }) => length)
  return classifyBackoff(lengths) === 'grows' && first!.length <= growthFactor ** 2 * maximum(lengths)
}

/** Milliseconds within which a proxy delivers a request a second time. */
const sameMoment = 50

export const overlap = defineRule({
  id: 'R17',
  title: 'Repeated while the earlier attempt was still running',
  clause: '4.1/8',
  severity: 'warning',
  dependsOn: 'worker',
  detection:
    'The client sends an attempt with the same transactionId while an earlier one is neither answered nor cancelled. Without a transactionId this is an error. The finding is open if the same bytes come within 50 ms on another connection, since a proxy may have sent them. It is also open if the earlier attempt came through a proxy (Via, Forwarded, X-Forwarded-For), because a proxy need not forward that the client disconnected. And it is open if the client disconnected from the earlier attempt within a second after the later attempt came, because a busy machine notices a disconnect late.',
  exceptions:
    'A client that disconnected from the earlier attempt, even if a scenario holds or delays that attempt; a client whose disconnect is noticed a moment later; a second delivery by the mock; a client that was restarted; several workers.',
  remedy: 'Wait for the end of an attempt, or close its connection, before you repeat it.',
  *find(history: ClientHistory): Iterable<Suspicion> {
    for (const sending of history.repeated)
      for (const { transactionId, attempts } of sending.transactions) {
        const overlaps = findOverlaps(attempts, history)
        if (!overlaps) continue
        const { earlier, later, mayBeInnocent, all } = overlaps
        const isAnonymous = transactionId === undefined
        yield {
          sending,
          evidence: all,
          ignoredAnswer: { answer: earlier, later },
          isOpen: mayBeInnocent || (isAnonymous && sending.basis !== 'declared'),
          ...(isAnonymous && { severity: 'error' }),
          sentence: `${later.id} with ${transactionIdWords({ transactionId })} came while ${earlier.id} was still running.${earlier.isProxied ? ' It came through a proxy, which need not forward that its client has disconnected.' : ''}`,
        }
      }
  },
})

/**
 * The clearest pair, all attempts that overlap, and whether a proxy that delivers twice, or hides that the client left, or
 * a machine that notices it late, could explain all of the overlaps.
 */
function findOverlaps(attempts: readonly Attempt[], history: ClientHistory) {
  let under: Attempt[] = []
  let worst: { earlier: Attempt; later: Attempt; mayBeInnocent: boolean } | undefined
  const overlapping = new Set<Attempt>()
  for (const later of attempts) {
    if (under.length > 0) under = under.filter(it => isUnderWay(it, later))
    for (const earlier of under) {
      if (history.resends.has(later) || history.isRestartBetween(earlier, later)) continue
      const mayBeInnocent =
        earlier.isProxied ||
        mayBeDoubleDelivery(earlier, later, history.evidence) ||
        endingBefore(earlier, later) !== 'running'
      if (!worst || (worst.mayBeInnocent && !mayBeInnocent)) worst = { earlier, later, mayBeInnocent }
      overlapping.add(earlier).add(later)
    }
    if (!later.isDeliveredTwice) under.push(later)
    if (under.length > 50) under.shift()
  }
  return worst && { ...worst, all: [...overlapping] }
}

const mayBeDoubleDelivery = (earlier: Attempt, later: Attempt, { rate }: Evidence): boolean =>
  earlier.connection !== later.connection &&
  earlier.request.bytes === later.request.bytes &&
  later.arrived.real - earlier.arrived.real < sameMoment &&
  later.arrived.clock - earlier.arrived.clock < sameMoment * Math.max(1, rate)

function isUnderWay({ ended, connection }: Attempt, { arrived }: Attempt): boolean {
  if (!ended) return true
  // Clocks can be moved back; an exchange that was over stays over.
  if (ended.real <= arrived.real) return false
  return ended.real - arrived.real > departureDelay || (connection === 0 && ended.clock > arrived.clock)
}

export const retryAfterIgnored = defineRule({
  id: 'R18',
  title: 'Retry-After ignored',
  clause: 'RFC 9110, 10.2.3',
  severity: 'warning',
  dependsOn: 'worker',
  detection:
    'The next attempt comes before the time that Retry-After asked for. If this happens once, the finding is open unless the client is proved to have read that response.',
  exceptions:
    'A tolerance of 50 ms for seconds and of 1 s for dates; invalid values, dates in the past and waits of more than a day; incomplete responses; another worker; requests that may belong to another mailing.',
  remedy: 'Wait as long as Retry-After says before the next attempt.',
  *find(history: ClientHistory): Iterable<Suspicion> {
    for (const sending of history.repeated) {
      const early = sending.attempts.slice(1).flatMap((later, at) => {
        const answer = sending.attempts[at]!
        const requested = requestedWait(answer)
        if (!requested || !history.knowledge.knownBefore(answer, later)) return []
        if (history.resends.has(later) || history.isRestartBetween(answer, later)) return []
        const waited = elapsedBetween(answer.ended!, later.arrived)
        return waited < requested.wait - requested.tolerance - minimumTurnaround(history.evidence)
          ? [{ answer, later, requested, waited }]
          : []
      })
      const isProved = (it: (typeof early)[number]) => history.isSameWorker(it.answer, it.later)
      const first =
        early.find(it => isOfOneTransaction(it) && isProved(it)) ?? early.find(isOfOneTransaction) ?? early[0]
      if (!first) continue
      yield {
        sending,
        evidence: early.flatMap(({ answer, later }) => [answer, later]),
        ignoredAnswer: { answer: first.answer, later: first.later },
        // A request for another mailing need not wait.
        isOpen: sending.basis === 'inferred' && !isOfOneTransaction(first),
        openBecause: early.length === 1 && unreadWords(history, first.answer),
        sentence: `${first.answer.id} got ${describeResponse(first.answer)} with ${retryAfterWords(first.answer, first.requested.wait)}, and ${first.later.id} came after ${durationWords(first.waited)}.`,
      }
    }
  },
})

const isOfOneTransaction = ({ answer, later }: { readonly answer: Attempt; readonly later: Attempt }) =>
  answer.transactionId !== undefined && answer.transactionId === later.transactionId

/** The header as the client saw it, with the length of the wait. */
function retryAfterWords({ response }: Attempt, wait: number): string {
  const text = response!.retryAfter!.trim()
  return /^\d+$/.test(text)
    ? `a Retry-After of ${durationWords(wait)}`
    : `"Retry-After: ${text}", which was ${durationWords(wait)} away`
}

/** A pause is short below this share of the longest one. */
const shortShare = 0.25
/** Minimum milliseconds of a pause between bursts. */
const longPause = 500
/** Minimum number of short pauses in a burst. */
const minimumBurst = 2

export const twoLayers = defineRule({
  id: 'R27',
  title: 'Repeated at two layers',
  clause: '4.1/10',
  severity: 'information',
  dependsOn: 'worker',
  detection:
    'Bursts with the same number of attempts and short pauses, separated by long pauses: a loop retries a call that already retries.',
  exceptions: 'Parallel work looks the same, so this finding is information only.',
  remedy: 'Repeat at one layer only: switch off the retries of the HTTP client, or your own.',
  *find(history: ClientHistory): Iterable<Suspicion> {
    for (const sending of history.repeated) {
      const pauses = history.pausesIn(sending.attempts)
      const longest = maximum(pauses.map(({ length }) => length))
      if (longest < longPause) continue
      const bursts = [0]
      for (const { length } of pauses)
        if (length < shortShare * longest) bursts[bursts.length - 1]!++
        else bursts.push(0)
      const [size = 0] = bursts
      // The last burst may be incomplete.
      const isRegular = bursts.slice(0, -1).every(it => it === size) && bursts.at(-1)! <= size
      if (size < minimumBurst || bursts.length < 3 || !isRegular) continue
      yield {
        sending,
        evidence: sending.attempts,
        sentence: `${sending.attempts.length} attempts came in ${bursts.length} bursts of up to ${size + 1}.`,
      }
    }
  },
})
