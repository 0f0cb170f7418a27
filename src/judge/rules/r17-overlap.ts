import type { CaseFile } from '../case-file.ts'
import type { Attempt, Evidence } from '../evidence.ts'
import { defineRule, type Suspicion } from './rule.ts'
import { idOf } from './sentences.ts'

/** Milliseconds that a client's leaving may take to be seen. */
const leaving = 50
/** Milliseconds within which whatever delivers a request a second time does so. */
const sameMoment = 50

export const overlap = defineRule({
  id: 'R17',
  title: 'Repeated while the earlier attempt was under way',
  clause: '4.1 rule 8',
  severity: 'warning',
  rests: 'worker',
  detection:
    'An attempt with the same transactionId comes while an earlier one is neither answered nor given up. Without a transactionId it is an error. The same bytes within 50 ms on another connection may be the doing of a proxy: open.',
  spared:
    'A client that left the earlier attempt, also where a scenario holds that or does it later; one whose leaving is seen a moment late; our own second delivery; a client that was restarted; several workers.',
  *find(file: CaseFile): Iterable<Suspicion> {
    for (const sending of file.repeated)
      for (const { transactionId, attempts } of sending.transactions) {
        const overlaps = overlapsIn(attempts, file)
        if (!overlaps) continue
        const { earlier, later, isDelivery, shown } = overlaps
        const isAnonymous = transactionId === undefined
        yield {
          sending,
          evidence: shown,
          told: { answer: earlier, later },
          isOpen: isDelivery || (isAnonymous && sending.basis !== 'declared'),
          ...(isAnonymous && { severity: 'error' }),
          sentence: `${later.id} with ${idOf({ transactionId })} came while ${earlier.id} was still under way.`,
        }
      }
  },
})

interface Overlaps {
  /** The two that show it best. */
  readonly earlier: Attempt
  readonly later: Attempt
  /** Whether a proxy that delivered one request twice can have made each of the overlaps. */
  readonly isDelivery: boolean
  readonly shown: readonly Attempt[]
}

function overlapsIn(attempts: readonly Attempt[], file: CaseFile): Overlaps | undefined {
  let under: Attempt[] = []
  let worst: Omit<Overlaps, 'shown'> | undefined
  const shown = new Set<Attempt>()
  for (const later of attempts) {
    if (under.length > 0) under = under.filter(it => isUnderWay(it, later))
    for (const earlier of under) {
      if (file.resends.has(later) || file.isRestartBetween(earlier, later)) continue
      const isDelivery = mayBeDelivery(earlier, later, file.evidence)
      if (!worst || (worst.isDelivery && !isDelivery)) worst = { earlier, later, isDelivery }
      shown.add(earlier).add(later)
    }
    if (!later.decision?.isTwice) under.push(later)
    if (under.length > 50) under.shift()
  }
  return worst && { ...worst, shown: [...shown] }
}

const mayBeDelivery = (earlier: Attempt, later: Attempt, { rate }: Evidence): boolean =>
  earlier.connection !== later.connection &&
  earlier.asked.bytes === later.asked.bytes &&
  later.arrived.real - earlier.arrived.real < sameMoment &&
  later.arrived.clock - earlier.arrived.clock < sameMoment * Math.max(1, rate)

function isUnderWay({ ended, connection }: Attempt, { arrived }: Attempt): boolean {
  if (!ended) return true
  // Clocks can be turned back; what was over before is over.
  if (ended.real <= arrived.real) return false
  return ended.real - arrived.real > leaving || (connection === 0 && ended.clock > arrived.clock)
}
