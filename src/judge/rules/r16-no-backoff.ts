import { backoffIn } from '../backoff.ts'
import type { CaseFile } from '../case-file.ts'
import { busy, type Gap } from '../gaps.ts'
import type { Transaction } from '../logical-sendings.ts'
import { greatest, least } from '../order.ts'
import { type Series, seriesAmong } from '../series.ts'
import { inWords } from '../time.ts'
import { isHot } from './r15-hot-loop.ts'
import { defineRule, type Suspicion } from './rule.ts'
import { idOf } from './sentences.ts'

/** Milliseconds below which one pause is as good as another: nobody can say how much of it was on the way. */
const shortest = 50

export const noBackoff = defineRule({
  id: 'R16',
  title: 'Pauses do not grow',
  clause: '4.1 rule 10',
  severity: 'error',
  rests: 'request',
  detection:
    'Of at least four pauses in one transaction none is 1.5 times as long as the first, and they are equal, the more freely the more there are (within 2 % for four, 20 % for six, 60 % for ten), or of six none is longer than the one before. Four and five are a warning, six and more an error. It is open where several workers may have made them: on different connections, unless it is said that there is one worker.',
  spared:
    'Fewer than four pauses; differences below 50 ms; those that a Retry-After asked for, in which the clock was moved, or over a restart; any pauses that vary, as drawn ones do; a loop without pauses, which R15 is about. Errors and PENDING are looked at together and apart, since a client may begin anew.',
  *find(file: CaseFile): Iterable<Suspicion> {
    for (const sending of file.repeated)
      for (const transaction of sending.transactions) {
        if (transaction.transactionId === undefined) continue
        const series = seriesAmong(transaction.attempts, file).find(it => isConstant(it, transaction, file))
        if (!series) continue
        const gaps = pausesIn(series, file)
        const lengths = gaps.map(({ length }) => length)
        yield {
          sending,
          evidence: [gaps[0]!.before, ...gaps.map(({ after }) => after)],
          isOpen: !series.isOneWorkers,
          ...(gaps.length < 6 && { severity: 'warning' }),
          sentence: `${gaps.length} pauses with ${idOf(transaction)} lasted from ${inWords(least(lengths))} to ${inWords(greatest(lengths))}; the first one ${inWords(lengths[0]!)}.`,
        }
      }
  },
})

const pausesIn = ({ attempts }: Series, file: CaseFile) =>
  file.gapsIn(attempts).filter(({ isExcused }) => !isExcused)

function isConstant(series: Series, { attempts }: Transaction, file: CaseFile): boolean {
  const gaps = pausesIn(series, file)
  if (gaps.length < 4 || gaps.every(gap => isHot(gap, file))) return false
  // Where the first pauses say nothing, the others may already have grown to their limit.
  if (gaps[0]!.before !== attempts[0]) return false
  const pending = gaps.filter(({ heard }) => heard === 'PENDING')
  const others = gaps.filter(({ heard }) => heard !== 'PENDING')
  const floor = Math.max(shortest, busy(file.evidence))
  const lengthsOf = (part: readonly Gap[]) => part.map(({ length }) => Math.max(floor, length))
  const parts = [gaps, pending, others].map(part => backoffIn(lengthsOf(part)))
  return parts[0] === 'constant' && !parts.includes('grows')
}
