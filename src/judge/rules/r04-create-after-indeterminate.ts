import type { CaseFile } from '../case-file.ts'
import { defineRule, type Suspicion } from './rule.ts'
import { idOf } from './sentences.ts'

export const createAfterIndeterminate = defineRule({
  id: 'R04',
  title: 'Created anew after INDETERMINATE_FAILURE',
  clause: '3 rule 4',
  severity: 'error',
  rests: 'intent',
  detection:
    'Another transactionId, or none, for the same sending, after the client was told INDETERMINATE_FAILURE.',
  spared: 'An answer that the client may not have received; reading the sending.',
  *find(file: CaseFile): Iterable<Suspicion> {
    for (const { kind, sending, last, first, from, to, teller, requests } of file.switches)
      if (kind === 'INDETERMINATE_FAILURE')
        yield {
          sending,
          evidence: requests,
          told: { answer: teller ?? last, later: first },
          sentence: `${idOf(from)} was told INDETERMINATE_FAILURE, which a client must not retry, yet ${first.id} came with ${idOf(to)}.`,
        }
  },
})
