import type { CaseFile } from '../case-file.ts'
import type { Attempt } from '../evidence.ts'
import { defineRule, type Suspicion } from './rule.ts'

export const malformedId = defineRule({
  id: 'R20',
  title: 'Malformed transactionId',
  clause: '4.1, 8',
  severity: 'error',
  rests: 'request',
  detection: 'A transactionId that is not 1 to 100 letters, digits, dots, colons, hyphens and underscores.',
  spared: 'null, which is none.',
  survivesLoss: true,
  *find(file: CaseFile): Iterable<Suspicion> {
    for (const sending of file.sendings.filter(({ attempts }) => attempts.some(isMalformed))) {
      const malformed = sending.attempts.filter(isMalformed)
      const first = malformed[0]!
      const id = first.asked.payload?.transactionId ?? ''
      const shown = id.length > 60 ? `${id.slice(0, 57)}...` : id
      yield {
        sending,
        evidence: malformed,
        sentence: `${first.id} has the transactionId ${JSON.stringify(shown)} of ${id.length} characters; 1 to 100 letters, digits, dots, colons, hyphens and underscores are allowed.`,
      }
    }
  },
})

const isMalformed = ({ asked }: Attempt) => asked.payload?.isIdWellFormed === false
