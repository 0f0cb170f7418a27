import type { CaseFile } from '../case-file.ts'
import { inWords, spanOf, toleranceFor } from '../time.ts'
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
      const recreations = file.switches.filter(it => it.sending === sending && it.kind === 'FAILED')
      const anchor = recreations[0]?.teller
      const late = recreations
        .map(({ first }) => first)
        .flatMap(first => {
          if (!anchor) return []
          const path = sending.attempts.filter(
            ({ number }) => number >= anchor.number && number <= first.number,
          )
          const { whole, own } = spanOf(path.includes(anchor) ? path : [anchor, ...path])
          return [{ first, whole, own }]
        })
        .filter(({ whole }) => whole > window + toleranceFor(window, file.evidence))
      const [worst] = late
      if (!worst || !anchor) continue
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
