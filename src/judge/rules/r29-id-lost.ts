import type { CaseFile } from '../case-file.ts'
import { defineRule, type Suspicion } from './rule.ts'
import { idOf } from './sentences.ts'

export const idLost = defineRule({
  id: 'R29',
  title: 'transactionId lost over a restart',
  clause: '4.1 rule 8',
  severity: 'error',
  rests: 'intent',
  detection:
    'The client was killed and started again, and goes on with another transactionId, or none, though the earlier one had not FAILED. Only an exam knows of restarts.',
  spared: 'Another transactionId after FAILED or a refusal.',
  *find(file: CaseFile): Iterable<Suspicion> {
    for (const { kind, sending, last, first, from, to, teller, requests } of file.switches)
      if (kind === 'restart')
        yield {
          sending,
          evidence: requests,
          told: { answer: teller ?? last, later: first },
          sentence: `The client was restarted after ${last.id} with ${idOf(from)}, and went on with ${idOf(to)} in ${first.id}. It must store the transactionId before it is first sent.`,
        }
  },
})
