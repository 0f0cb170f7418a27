import type { CaseFile } from '../case-file.ts'
import type { Attempt } from '../evidence.ts'
import { busy, type Gap } from '../gaps.ts'
import { greatest } from '../order.ts'
import { defineRule, type Suspicion } from './rule.ts'

/** Milliseconds below which there was no pause. */
const hot = 100
/** Milliseconds below which even the first pauses of a full jitter, drawn three times, will not be. */
const veryHot = 50
/** Milliseconds on either clock: whoever waited so long for an answer is in no hot loop. */
const patient = 1_000
/** So many pauses in a row, where one worker made them; and so many where several may have met by chance. */
const enough = { ofOne: 3, ofMany: 6 }

export const hotLoop = defineRule({
  id: 'R15',
  title: 'Repeated without a pause',
  clause: '4.1 rule 10',
  severity: 'error',
  rests: 'request',
  detection:
    'Six pauses in a row below 100 ms, from the end of one exchange to the next request of the same transaction; three below 50 ms where one worker made them. Where the space’s clock runs faster than the machine’s, six below 5 ms of real time count as well.',
  spared:
    'A repeat by the client’s HTTP machinery; a pause in which somebody moved the clock; requests of other transactions.',
  survivesLoss: true,
  *find(file: CaseFile): Iterable<Suspicion> {
    for (const { sending, attempts, isCertain } of seriesIn(file)) {
      const run = longestRun(file.gapsIn(attempts), file)
      const most = file.hasOneWorker ? enough.ofOne : enough.ofMany
      if (run.length < enough.ofOne) continue
      if (run.length < enough.ofMany && run.some(({ length }) => length >= veryHot)) continue
      yield {
        sending,
        evidence: [run[0]!.before, ...run.map(({ after }) => after)],
        isOpen: !isCertain || run.length < most,
        sentence: `${run.length + 1} requests followed one another with pauses of at most ${Math.ceil(greatest(run.map(realPause)))} ms.`,
      }
    }
  },
})

function seriesIn(file: CaseFile) {
  return file.repeated.flatMap(sending =>
    sending.basis === 'declared'
      ? [{ sending, attempts: sending.attempts, isCertain: true }]
      : sending.transactions.map(({ transactionId, attempts }) => ({
          sending,
          attempts,
          isCertain: transactionId !== undefined,
        })),
  )
}

/** Whether there was no pause to speak of. */
export const isHot = (gap: Gap, file: CaseFile): boolean =>
  lasted(gap.before) < patient && gap.length < Math.max(hot, file.evidence.rate > 1 ? busy(file.evidence) : 0)

const lasted = ({ arrived, ended }: Attempt) =>
  ended ? Math.max(ended.real - arrived.real, ended.clock - arrived.clock) : 0

function longestRun(gaps: readonly Gap[], file: CaseFile): Gap[] {
  let longest: Gap[] = []
  let run: Gap[] = []
  for (const gap of gaps) {
    const previous = run.at(-1)?.after
    const follows = previous === undefined || isNext(previous, gap.before, file.resends)
    if (gap.isExcused || !isHot(gap, file)) run = []
    else if (follows) run.push(gap)
    else run = [gap]
    if (run.length > longest.length) longest = run
  }
  return longest
}

const isNext = (previous: Attempt, before: Attempt, resends: ReadonlySet<Attempt>) =>
  previous === before || resends.has(before)

const realPause = ({ before, after }: Gap) => after.arrived.real - before.ended!.real
