import type { CaseFile } from '../case-file.ts'
import { greatest } from '../order.ts'
import { defineRule, type Suspicion } from './rule.ts'

/** A pause is short if it is less than this share of the longest. */
const short = 0.25
/** Milliseconds: below, it is no pause between bursts. */
const long = 500
/** So many short ones make a burst. */
const burst = 2

export const twoLayers = defineRule({
  id: 'R27',
  title: 'Repeated at two layers',
  clause: '4.1 rule 10',
  severity: 'information',
  rests: 'worker',
  detection:
    'Bursts of equally many attempts with short pauses, and long pauses between them: a loop that repeats a call which itself repeats.',
  spared: 'Parallel work looks the same, so it is only ever mentioned.',
  *find(file: CaseFile): Iterable<Suspicion> {
    for (const sending of file.repeated) {
      const gaps = file.gapsIn(sending.attempts)
      const longest = greatest(gaps.map(({ length }) => length))
      if (longest < long) continue
      const bursts = [0]
      for (const { length } of gaps)
        if (length < short * longest) bursts[bursts.length - 1]!++
        else bursts.push(0)
      const [size = 0] = bursts
      // The last burst may not have come to its end.
      const isRegular = bursts.slice(0, -1).every(it => it === size) && bursts.at(-1)! <= size
      if (size < burst || bursts.length < 3 || !isRegular) continue
      yield {
        sending,
        evidence: sending.attempts,
        sentence: `${sending.attempts.length} attempts came in ${bursts.length} bursts of up to ${size + 1}.`,
      }
    }
  },
})
