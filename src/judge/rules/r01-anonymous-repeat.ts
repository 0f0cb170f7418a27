import type { CaseFile } from '../case-file.ts'
import { told } from '../gaps.ts'
import { isOver } from '../knowledge.ts'
import { defineRule, type Suspicion } from './rule.ts'

export const anonymousRepeat = defineRule({
  id: 'R01',
  title: 'Repeated without a transactionId',
  clause: '4.1 rule 3',
  severity: 'error',
  rests: 'intent',
  detection:
    'A sending is created without a transactionId, the answer is an error or does not come, and the same is asked for again without one.',
  spared:
    'A repeat by the client’s HTTP machinery; a repeat after 429, which comes before any work, or after a refusal; our own second delivery.',
  *find(file: CaseFile): Iterable<Suspicion> {
    for (const sending of file.repeated) {
      const group = sending.transactions.find(({ transactionId }) => transactionId === undefined)
      const attempts = group?.attempts.filter(it => !file.resends.has(it)) ?? []
      const repeats = attempts.slice(1).filter((repeat, at) => {
        const before = attempts[at]!
        return (
          isOver(before, repeat) && (file.knowledge.mayHaveHeard(before, repeat) ?? 'unknown') === 'unknown'
        )
      })
      if (repeats.length === 0) continue
      const before = attempts[attempts.indexOf(repeats[0]!) - 1]!
      yield {
        sending,
        evidence: [before, ...repeats],
        told: { answer: before, later: repeats[0]! },
        sentence: `After ${told(before)} to ${before.id}, which has no transactionId, the same was asked for again${
          repeats.length === 1 ? '' : ` ${repeats.length} times`
        }. An error or silence does not mean that nothing was sent.`,
      }
    }
  },
})
