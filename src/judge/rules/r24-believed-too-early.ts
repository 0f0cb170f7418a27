import { followedRedirect, maySayCreated } from '../belief.ts'
import type { CaseFile } from '../case-file.ts'
import { told } from '../gaps.ts'
import { defineRule, type Suspicion } from './rule.ts'

export const believedTooEarly = defineRule({
  id: 'R24',
  title: 'Believed sent without being told CREATED',
  clause: '4.1 rule 1, 3 rule 4',
  severity: 'error',
  rests: 'end',
  detection:
    'The client ended and believes that the mailing was sent, but no answer can have told it a sending of its own in state CREATED.',
  spared:
    'CREATED under a media type that does not fit; an answer during which the client left; what it read later.',
  *find(file: CaseFile): Iterable<Suspicion> {
    if (file.end?.believes !== 'sent' || followedRedirect(file.attempts)) return
    const creations = file.sendings.flatMap(({ attempts }) => attempts)
    const last = creations.at(-1)
    if (!last || file.attempts.some(maySayCreated)) return
    yield {
      sending: file.sendings.at(-1),
      evidence: creations.slice(-3),
      sentence: `The client believes that the mailing was sent. The last that it was told is ${told(last)}, in ${last.id}; a success status alone means nothing.`,
    }
  },
})
