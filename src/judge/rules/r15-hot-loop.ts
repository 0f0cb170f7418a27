import { restless, restlessAt } from '../backoff.ts'
import type { CaseFile } from '../case-file.ts'
import type { Attempt } from '../evidence.ts'
import { busy, type Gap } from '../gaps.ts'
import type { LogicalCase } from '../logical-sendings.ts'
import { greatest } from '../order.ts'
import { type Series, seriesAmong } from '../series.ts'
import { inWords } from '../time.ts'
import { defineRule, type Suspicion } from './rule.ts'

/** Milliseconds below which there was no pause. */
const hot = 100
/** Milliseconds below which even the first pauses of a full jitter, drawn three times, will not be. */
const veryHot = 50
/** Milliseconds on either clock: whoever waited so long for an answer is in no hot loop. */
const patient = 1_000
/** So many pauses in a row, where it is said that one worker made them; and so many elsewhere. */
const enough = { ofOne: 3, ofMany: 6 }

export const hotLoop = defineRule({
  id: 'R15',
  title: 'Repeated without a pause',
  clause: '4.1 rule 10',
  severity: 'error',
  rests: 'request',
  detection:
    'Six pauses in a row below 100 ms, from the end of one exchange to the next request of the same transaction; three below 50 ms where it is said that one worker made them. Or ten requests within three seconds, in which pauses below 50 ms come again after longer ones four times. Where the space’s clock runs faster than the machine’s, six below 5 ms of real time count as well. It is open where several workers may have made them: on different connections, unless it is said that there is one worker, or so few that one of them made seven.',
  spared:
    'A repeat by the client’s HTTP machinery; a pause in which somebody moved the clock; requests of other transactions; pauses that are short at first and grow.',
  survivesLoss: true,
  *find(file: CaseFile): Iterable<Suspicion> {
    for (const sending of file.repeated)
      for (const { attempts, isCertain } of partsOf(sending)) {
        const loops = seriesAmong(attempts, file).flatMap(series => loopIn(series, file) ?? [])
        const worst = loops.find(({ isOpen }) => !isOpen) ?? loops.at(-1)
        if (!worst) continue
        const { gaps, isOpen, sentence } = worst
        yield {
          sending,
          evidence: [gaps[0]!.before, ...gaps.map(({ after }) => after)],
          isOpen: isOpen || !isCertain,
          sentence,
        }
      }
  },
})

/** What is looked at by itself: a transaction, or the whole sending where it is known that it is one. */
const partsOf = ({ basis, attempts, transactions }: LogicalCase) =>
  basis === 'declared'
    ? [{ attempts, isCertain: true }]
    : transactions.map(({ transactionId, attempts }) => ({
        attempts,
        isCertain: transactionId !== undefined,
      }))

interface Loop {
  readonly gaps: readonly Gap[]
  readonly isOpen: boolean
  readonly sentence: string
}

function loopIn(series: Series, file: CaseFile): Loop | undefined {
  const gaps = file.gapsIn(series.attempts)
  return unpaused(gaps, series, file) ?? restlessLoop(gaps, series, file)
}

function unpaused(gaps: readonly Gap[], { isOneWorkers }: Series, file: CaseFile): Loop | undefined {
  const run = longestRun(gaps, file)
  if (run.length < enough.ofOne) return undefined
  if (run.length < enough.ofMany && run.some(({ length }) => length >= veryHot)) return undefined
  const most = file.hasOneWorker ? enough.ofOne : enough.ofMany
  const isCertain = isOneWorkers ? run.length >= most : isHotForOneOf(file.end?.workers, run)
  return {
    gaps: run,
    isOpen: !isCertain,
    sentence: `${run.length + 1} requests followed one another with pauses of at most ${Math.ceil(greatest(run.map(realPause)))} ms.`,
  }
}

/** Whether, however they were divided, one of so many workers made enough of them without pauses to speak of. */
function isHotForOneOf(workers: number | undefined, run: readonly Gap[]): boolean {
  if (workers === undefined) return false
  const pauses = Math.ceil((run.length + 1) / workers) - 1
  const time = run.at(-1)!.after.arrived.real - run[0]!.before.ended!.real
  return pauses >= enough.ofMany && time < hot * pauses
}

function restlessLoop(gaps: readonly Gap[], { isOneWorkers }: Series, file: CaseFile): Loop | undefined {
  for (const stretch of stretchesIn(gaps, file)) {
    const at = restlessAt(stretch.map(gap => ({ pause: gap.length, time: timeOf(gap) })))
    if (at < 0) continue
    const shown = stretch.slice(at, at + restless.requests - 1)
    const time = shown.reduce((sum, gap) => sum + timeOf(gap), 0)
    return {
      gaps: shown,
      isOpen: !isOneWorkers,
      sentence: `${restless.requests} requests came within ${inWords(time)}, and pauses below ${restless.short} ms came again and again after longer ones.`,
    }
  }
  return undefined
}

/** Milliseconds from one request to the next, as the client lived them. */
const timeOf = ({ before, after }: Gap) =>
  Math.max(after.arrived.real - before.arrived.real, after.arrived.clock - before.arrived.clock)

/** Whether there was no pause to speak of. */
export const isHot = (gap: Gap, file: CaseFile): boolean =>
  lasted(gap.before) < patient && gap.length < Math.max(hot, file.evidence.rate > 1 ? busy(file.evidence) : 0)

const lasted = ({ arrived, ended }: Attempt) =>
  ended ? Math.max(ended.real - arrived.real, ended.clock - arrived.clock) : 0

const longestRun = (gaps: readonly Gap[], file: CaseFile): readonly Gap[] =>
  stretchesOf(gaps, file, gap => isHot(gap, file)).reduce(
    (longest, run) => (run.length > longest.length ? run : longest),
    [] as readonly Gap[],
  )

/** Gaps that follow one another. */
const stretchesIn = (gaps: readonly Gap[], file: CaseFile) => stretchesOf(gaps, file, () => true)

function stretchesOf(
  gaps: readonly Gap[],
  file: CaseFile,
  isPart: (gap: Gap) => boolean,
): readonly (readonly Gap[])[] {
  const stretches: Gap[][] = []
  let previous: Gap | undefined
  for (const gap of gaps) {
    const follows = previous !== undefined && (previous.after === gap.before || file.resends.has(gap.before))
    // What is missing may have been answered in a way that makes another sending of what came next.
    const isSure = file.isComplete || file.isCompleteBetween(gap.before, gap.after)
    previous = !gap.isExcused && isSure && isPart(gap) ? gap : undefined
    if (previous && follows) stretches.at(-1)!.push(gap)
    else if (previous) stretches.push([gap])
  }
  return stretches
}

const realPause = ({ before, after }: Gap) => after.arrived.real - before.ended!.real
