import type { CaseFile } from '../case-file.ts'
import type { Attempt } from '../evidence.ts'
import type { LogicalCase } from '../logical-sendings.ts'
import { indexAfter } from '../order.ts'
import type { Switch } from '../switches.ts'
import { inWords, Stretch, toleranceFor } from '../time.ts'
import { defineRule, type Suspicion } from './rule.ts'

/** Spec 4.1 rule 10, 8. */
const window = 15 * 60_000

export const recreatedTooLate = defineRule({
  id: 'R08',
  title: 'Recreated after fifteen minutes',
  clause: '4.1 rule 10, 8',
  severity: 'error',
  rests: 'intent',
  detection:
    'A new transactionId after FAILED, more than 15 minutes after the first FAILED was told, on the space’s clock.',
  spared: 'Two seconds of real time, or 1 %; stretches in which somebody moved the clock by hand.',
  *find(file: CaseFile): Iterable<Suspicion> {
    for (const sending of file.repeated) {
      const recreations = file.switchesOf(sending).filter(({ kind }) => kind === 'FAILED')
      const anchor = recreations[0]?.teller
      if (!anchor) continue
      const late = recreatedAfter(anchor, recreations, sending).filter(
        ({ whole }) => whole > window + toleranceFor(window, file.evidence),
      )
      const [worst] = late
      if (!worst) continue
      yield {
        sending,
        evidence: [anchor, ...late.map(({ first }) => first)],
        told: { answer: anchor, later: worst.first },
        isOpen: late.every(({ own }) => own <= window + toleranceFor(window, file.evidence)),
        sentence: `${worst.first.id} created the sending anew ${inWords(worst.whole)} after FAILED was first told; 15 min are allowed in all.`,
      }
    }
  },
})

/** The first requests of new transactions, each with the time since the anchor: an attempt of the sending, or a read. */
function recreatedAfter(anchor: Attempt, recreations: readonly Switch[], sending: LogicalCase) {
  const firsts = new Set(recreations.map(({ first }) => first))
  const stretch = new Stretch(anchor)
  return sending.attempts.slice(indexAfter(sending.attempts, anchor.number)).flatMap(attempt => {
    const span = stretch.to(attempt)
    return firsts.has(attempt) ? [{ first: attempt, ...span }] : []
  })
}
