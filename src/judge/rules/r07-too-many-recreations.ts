import type { CaseFile } from '../case-file.ts'
import { defineRule, type Suspicion } from './rule.ts'

/** Spec 4.1 rule 10, 8: so many new transaction IDs beside the first. */
const most = 3

export const tooManyRecreations = defineRule({
  id: 'R07',
  title: 'Recreated more than three times',
  clause: '4.1 rule 10, 8',
  severity: 'error',
  rests: 'intent',
  detection:
    'After FAILED the client goes on with a new transactionId for the fourth time: a fifth one in all.',
  spared: 'Four transactionIds: the first and three more.',
  *find(file: CaseFile): Iterable<Suspicion> {
    for (const sending of file.repeated) {
      const recreations = file.switchesOf(sending).filter(({ kind }) => kind === 'FAILED')
      const tooMany = recreations[most]
      if (!tooMany) continue
      yield {
        sending,
        evidence: recreations.map(({ first }) => first),
        told: { answer: tooMany.teller ?? tooMany.last, later: tooMany.first },
        sentence: `After FAILED the sending was created anew ${recreations.length} times; ${tooMany.first.id} is the first one beyond ${most}.`,
      }
    }
  },
})
