import type { CaseFile } from '../case-file.ts'
import { defineRule, type Suspicion } from './rule.ts'
import { idOf } from './sentences.ts'

export const newIdWhilePending = defineRule({
  id: 'R03',
  title: 'New transactionId while PENDING',
  clause: '3 rule 4, 4.1 rule 10',
  severity: 'error',
  rests: 'intent',
  detection: 'Another transactionId, or none, for the same sending, after the client was told PENDING.',
  spared: 'An answer that the client may not have received.',
  *find(file: CaseFile): Iterable<Suspicion> {
    for (const { kind, sending, last, first, from, to, teller, requests } of file.switches)
      if (kind === 'PENDING')
        yield {
          sending,
          evidence: requests,
          told: { answer: teller ?? last, later: first },
          sentence: `${idOf(from)} was told PENDING, yet ${first.id} came with ${idOf(to)}. The first one may still be sent.`,
        }
  },
})
