import type { CaseFile } from '../case-file.ts'
import type { Attempt } from '../evidence.ts'
import { inWords, Stretch, toleranceFor } from '../time.ts'
import { defineRule, type Suspicion } from './rule.ts'
import { idOf, times } from './sentences.ts'

/** Spec 4.1 rule 10, 8. */
const window = 5 * 60_000
/** So many late requests are a slip. */
const slip = 2

export const pendingPursued = defineRule({
  id: 'R09',
  title: 'PENDING pursued beyond five minutes',
  clause: '4.1 rule 10, 8',
  severity: 'error',
  rests: 'worker',
  detection:
    'A repeat right after PENDING was told, more than 5 minutes after PENDING was first told under this transactionId, on the space’s clock. One or two such repeats are a warning.',
  spared:
    'Two seconds of real time, or 1 %; repeats after an error or silence, for which the document sets no limit; stretches in which somebody moved the clock by hand.',
  survivesLoss: true,
  *find(file: CaseFile): Iterable<Suspicion> {
    for (const sending of file.repeated)
      for (const transaction of sending.transactions) {
        const { attempts } = transaction
        const from = attempts.findIndex(it => file.knowledge.known(it) === 'PENDING')
        if (from < 0) continue
        const late = latePolls(attempts.slice(from), file)
        const last = late.at(-1)
        if (!last) continue
        yield {
          sending,
          evidence: [attempts[from]!, ...late.map(({ poll }) => poll)],
          told: { answer: last.told, later: last.poll },
          isOpen: late.every(({ isCertain }) => !isCertain),
          ...(late.length <= slip && { severity: 'warning' }),
          sentence: `${idOf(transaction)} was PENDING, and was asked for again ${times(late.length)} after the 5 min that are allowed, the last time ${inWords(last.whole)} after PENDING was first told.`,
        }
      }
  },
})

interface LatePoll {
  readonly poll: Attempt
  readonly told: Attempt
  readonly whole: number
  /** Whether the client’s own time was over as well, and no other answer than PENDING can have come before it. */
  readonly isCertain: boolean
}

/** @param attempts from the first that was told PENDING */
function latePolls(attempts: readonly Attempt[], file: CaseFile): LatePoll[] {
  const start = attempts[0]!
  const answered = start.ended!.clock - start.arrived.clock
  const stretch = new Stretch(start)
  return attempts.flatMap((poll, at) => {
    const told = attempts[at - 1]
    const span = stretch.to(poll)
    if (!told || file.resends.has(poll) || file.knowledge.heard(told, poll) !== 'PENDING') return []
    const whole = span.whole - answered
    const limit = window + toleranceFor(window, file.evidence)
    if (whole <= limit) return []
    const isCertain = span.own - answered > limit && file.isCompleteBetween(told, poll)
    return [{ poll, told, whole, isCertain }]
  })
}
