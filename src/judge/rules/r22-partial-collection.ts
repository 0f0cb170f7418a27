import type { CaseFile } from '../case-file.ts'
import { told } from '../gaps.ts'
import { defineRule, type Suspicion } from './rule.ts'
import { idOf } from './sentences.ts'

export const partialCollection = defineRule({
  id: 'R22',
  title: 'Took the collection without includeAllStates for proof',
  clause: '3 rule 2',
  severity: 'error',
  rests: 'intent',
  detection:
    'The client reads the collection of sendings without includeAllStates=true after an error or silence, does not find its sending there, and creates another one.',
  spared: 'A collection in which its sending stood; a look at all states as well.',
  *find(file: CaseFile): Iterable<Suspicion> {
    for (const { kind, sending, last, first, to, teller, look, requests } of file.switches)
      if (kind === 'collection')
        yield {
          sending,
          evidence: requests,
          told: { answer: teller ?? last, later: first },
          sentence: `After ${told(last)} to ${last.id}, ${look?.id} read the collection without includeAllStates=true, which leaves out whatever is not CREATED; then ${first.id} created another sending with ${idOf(to)}.`,
        }
  },
})
