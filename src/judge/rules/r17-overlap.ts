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
        const overlaps = overlapsIn(attempts, file)
        if (!overlaps) continue
        const { earlier, later, shown } = overlaps
        const isAnonymous = transactionId === undefined
        yield {
          sending,
          evidence: shown,
          told: { answer: earlier, later },
          isOpen: isAnonymous && sending.basis !== 'declared',
          ...(isAnonymous && { severity: 'error' }),
          sentence: `${later.id} with ${idOf({ transactionId })} came while ${earlier.id} was still under way.`,
        }
      }
  },
})

interface Overlaps {
  /** The first two. */
  readonly earlier: Attempt
  readonly later: Attempt
  readonly shown: readonly Attempt[]
}

function overlapsIn(attempts: readonly Attempt[], file: CaseFile): Overlaps | undefined {
  let under: Attempt[] = []
  let first: Pick<Overlaps, 'earlier' | 'later'> | undefined
  const shown = new Set<Attempt>()
  for (const later of attempts) {
    if (under.length > 0) under = under.filter(it => isUnderWay(it, later))
    for (const earlier of under) {
      if (file.resends.has(later) || file.isRestartBetween(earlier, later)) continue
      first ??= { earlier, later }
      shown.add(earlier).add(later)
    }
    if (!later.decision?.isTwice) under.push(later)
    if (under.length > 50) under.shift()
  }
  return first && { ...first, shown: [...shown] }
}

function isUnderWay({ ended, connection }: Attempt, { arrived }: Attempt): boolean {
  if (!ended) return true
  // Clocks can be turned back; what was over before is over.
  if (ended.real <= arrived.real) return false
  return ended.real - arrived.real > leaving || (connection === 0 && ended.clock > arrived.clock)
}
