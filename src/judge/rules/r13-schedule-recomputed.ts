import { changedRepeats } from '../bindings.ts'
import type { CaseFile } from '../case-file.ts'
import type { Attempt } from '../evidence.ts'
import { differences } from '../payload.ts'
import { byTransaction } from './r12-payload-changed.ts'
import { defineRule, type Suspicion } from './rule.ts'
import { idOf } from './sentences.ts'

export const scheduleRecomputed = defineRule({
  id: 'R13',
  title: 'scheduleDate changed on a repeat',
  clause: '4.1 rule 9',
  severity: 'error',
  rests: 'request',
  detection:
    'The same transactionId with another scheduleDate, and nothing else, than the attempt that bound it.',
  spared: 'Another spelling of the same time; attempts that were refused, and those before it was bound.',
  *find(file: CaseFile): Iterable<Suspicion> {
    const changes = [...changedRepeats(file, isOtherTime)].filter(it => !it.isAfterCreated)
    for (const [{ sending, transaction, binding }, repeats] of byTransaction(changes))
      yield {
        sending,
        evidence: [binding, ...repeats],
        sentence: `${idOf(transaction)} was bound to scheduleDate ${dateOf(binding)} by ${binding.id}; ${repeats[0]!.id} came with ${dateOf(repeats[0]!)}. It must be computed once and kept.`,
      }
  },
})

function isOtherTime({ asked }: Attempt, { asked: other }: Attempt): boolean {
  if (!asked.payload || !other.payload) return false
  const members = differences(asked.payload, other.payload)
  return members.length === 1 && members[0] === 'scheduleDate'
}

const dateOf = ({ asked }: Attempt) => asked.payload?.scheduleDate ?? '(none)'
