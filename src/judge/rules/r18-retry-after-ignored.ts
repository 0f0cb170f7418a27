import type { CaseFile } from '../case-file.ts'
import type { Attempt } from '../evidence.ts'
import { busy, lived, told } from '../gaps.ts'
import { waitTold } from '../retry-after.ts'
import { inWords } from '../time.ts'
import { defineRule, type Suspicion } from './rule.ts'

export const retryAfterIgnored = defineRule({
  id: 'R18',
  title: 'Retry-After ignored',
  clause: 'RFC 9110, 10.2.3',
  severity: 'warning',
  rests: 'worker',
  detection: 'The next attempt comes earlier than a Retry-After had asked for.',
  spared:
    '50 ms for seconds, 1 s for dates, which have no fractions; junk, dates in the past and waits beyond a day; answers that did not arrive whole; another worker; requests that may be of another mailing.',
  *find(file: CaseFile): Iterable<Suspicion> {
    for (const sending of file.repeated) {
      const early = sending.attempts.slice(1).flatMap((later, at) => {
        const answer = sending.attempts[at]!
        const asked = waitTold(answer)
        if (!asked || !file.knowledge.heard(answer, later)) return []
        if (file.resends.has(later) || file.isRestartBetween(answer, later)) return []
        const waited = lived(answer, later)
        return waited < asked.wait - asked.tolerance - busy(file.evidence)
          ? [{ answer, later, asked, waited }]
          : []
      })
      const first = early.find(isOfOneTransaction) ?? early[0]
      if (!first) continue
      yield {
        sending,
        evidence: early.flatMap(({ answer, later }) => [answer, later]),
        told: { answer: first.answer, later: first.later },
        // What was meant for another mailing need not wait for this one.
        isOpen: sending.basis === 'inferred' && !isOfOneTransaction(first),
        sentence: `${first.answer.id} got ${told(first.answer)} with ${asShown(first.answer, first.asked.wait)}, and ${first.later.id} came after ${inWords(first.waited)}.`,
      }
    }
  },
})

const isOfOneTransaction = ({ answer, later }: { readonly answer: Attempt; readonly later: Attempt }) =>
  answer.transactionId !== undefined && answer.transactionId === later.transactionId

/** The header as the client saw it: a date says little of how long to wait. */
function asShown({ told }: Attempt, wait: number): string {
  const text = told!.retryAfter!.trim()
  return /^\d+$/.test(text)
    ? `a Retry-After of ${inWords(wait)}`
    : `"Retry-After: ${text}", which was ${inWords(wait)} away`
}
