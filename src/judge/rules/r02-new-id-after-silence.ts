import type { CaseFile } from '../case-file.ts'
import { told } from '../gaps.ts'
import { defineRule, type Suspicion } from './rule.ts'
import { idOf } from './sentences.ts'

export const newIdAfterSilence = defineRule({
  id: 'R02',
  title: 'New transactionId after an error or silence',
  clause: '4.1 rule 8',
  severity: 'error',
  rests: 'intent',
  detection:
    'Another transactionId, or none, for the same sending, while the answer to the earlier one was an error, was lost or cannot be believed, and nothing else has told the client what became of it.',
  spared:
    'A client that has read the sending, or the collection with includeAllStates=true, in between; another transactionId after a refusal; whatever was still under way.',
  *find(file: CaseFile): Iterable<Suspicion> {
    for (const { kind, sending, last, first, from, to, teller, requests } of file.switches)
      if (kind === 'silence')
        yield {
          sending,
          evidence: requests,
          told: { answer: teller ?? last, later: first },
          sentence: `After ${told(last)} to ${last.id} with ${idOf(from)}, ${first.id} came with ${idOf(to)} instead of the same one. The first one may have been sent.`,
        }
  },
})
