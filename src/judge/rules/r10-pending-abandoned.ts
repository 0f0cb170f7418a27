import type { CaseFile } from '../case-file.ts'
import { lastOf } from '../last-transaction.ts'
import { greatest } from '../order.ts'
import { waitTold } from '../retry-after.ts'
import { inWords } from '../time.ts'
import { defineRule, type Suspicion } from './rule.ts'
import { idOf, times } from './sentences.ts'

/** Spec 4.1 rule 10, 8. */
const window = 5 * 60_000
const allRecreations = 15 * 60_000
/** What must be used of it. */
const share = 0.8

export const pendingAbandoned = defineRule({
  id: 'R10',
  title: 'PENDING abandoned early',
  clause: '4.1 rule 10, 8',
  severity: 'error',
  rests: 'end',
  detection:
    'The client ended after it was told PENDING, and even with its next pause, as its pauses so far let expect it, it would have stayed below 80 % of 5 minutes.',
  spared:
    'A client whose next pause may have gone beyond the 5 minutes, or beyond the 15 of its recreations; one that read the sending afterwards; one that believes that it was sent, which R24 is about; one that the exam stopped. As long as nobody says that the client has ended, it stays open.',
  *find(file: CaseFile): Iterable<Suspicion> {
    const pending = file.sendings.filter(
      ({ attempts }) => file.knowledge.known(attempts.at(-1)!) === 'PENDING',
    )
    for (const sending of pending) {
      const { transaction, last } = lastOf(sending)
      if (transaction.transactionId === undefined || file.end?.stopped || file.end?.believes === 'sent')
        continue
      if (!last.ended) continue
      if (file.wentOnAfter(last)) continue
      const used = last.ended.clock - transaction.attempts[0]!.arrived.clock
      const next = Math.max(expected(file.gapsIn(transaction.attempts)), waitTold(last)?.wait ?? 0)
      const failed = sending.attempts.find(it => file.knowledge.known(it) === 'FAILED')
      const sinceFailed = failed ? last.ended.clock - failed.arrived.clock : 0
      if (used + next >= share * window || sinceFailed + next >= share * allRecreations) continue
      yield {
        sending,
        evidence: [last],
        isOpen: !file.end,
        sentence: file.end
          ? `${idOf(transaction)} was PENDING when the client ended, ${inWords(used)} after its first request; it must be pursued for 5 min.`
          : `${idOf(transaction)} is PENDING, after it was asked for ${times(transaction.attempts.length)} in ${inWords(used)}. Whether the client has given up, only its end tells.`,
      }
    }
  },
})

/**
 * The longest that the next pause may have been, in milliseconds. As long as pauses may still be growing they may have
 * doubled each time from two seconds, whatever was drawn of it; once they no longer grow, three times the longest.
 */
function expected(gaps: readonly { readonly length: number }[]): number {
  const lengths = gaps.map(({ length }) => length)
  const longest = greatest(lengths)
  const half = Math.floor(lengths.length / 2)
  const mayGrow = lengths.length < 8 || greatest(lengths.slice(half)) > 1.5 * greatest(lengths.slice(0, half))
  return mayGrow ? Math.max(3 * longest, 2_000 * 2 ** lengths.length) : 3 * longest
}
