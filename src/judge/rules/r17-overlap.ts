import type { CaseFile } from '../case-file.ts'
import type { Attempt } from '../evidence.ts'
import { defineRule, type Suspicion } from './rule.ts'
import { idOf } from './sentences.ts'

/** Milliseconds that a client's leaving may take to be seen. */
const leaving = 50

export const overlap = defineRule({
  id: 'R17',
  title: 'Repeated while the earlier attempt was under way',
  clause: '4.1 rule 8',
  severity: 'warning',
  rests: 'worker',
  detection:
    'An attempt with the same transactionId comes while an earlier one is neither answered nor given up. Without a transactionId it is an error.',
  spared:
    'A client that left the earlier attempt, also where a scenario holds that or does it later; one whose leaving is seen a moment late; our own second delivery; a client that was restarted; several workers.',
  *find(file: CaseFile): Iterable<Suspicion> {
    for (const sending of file.repeated)
      for (const { transactionId, attempts } of sending.transactions) {
        const pairs = overlapsIn(attempts, file)
        const [first] = pairs
        if (!first) continue
        const isAnonymous = transactionId === undefined
        yield {
          sending,
          evidence: [...new Set(pairs.flatMap(({ earlier, later }) => [earlier, later]))],
          told: { answer: first.earlier, later: first.later },
          isOpen: isAnonymous && sending.basis !== 'declared',
          ...(isAnonymous && { severity: 'error' }),
          sentence: `${first.later.id} with ${idOf({ transactionId })} came while ${first.earlier.id} was still under way.`,
        }
      }
  },
})

function overlapsIn(attempts: readonly Attempt[], file: CaseFile) {
  const under: Attempt[] = []
  const pairs: { earlier: Attempt; later: Attempt }[] = []
  for (const later of attempts) {
    for (const earlier of under.filter(it => isUnderWay(it, later)))
      if (!file.resends.has(later) && !file.isRestartBetween(earlier, later)) pairs.push({ earlier, later })
    if (!later.decision?.isTwice) under.push(later)
    if (under.length > 50) under.shift()
  }
  return pairs
}

function isUnderWay({ ended, connection }: Attempt, { arrived }: Attempt): boolean {
  if (!ended) return true
  return ended.real - arrived.real > leaving || (connection === 0 && ended.clock > arrived.clock)
}
