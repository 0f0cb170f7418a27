import { changedRepeats, createdBefore } from '../bindings.ts'
import type { CaseFile } from '../case-file.ts'
import type { Attempt } from '../evidence.ts'
import { differences } from '../payload.ts'
import { byTransaction } from './r12-payload-changed.ts'
import { defineRule, type Suspicion } from './rule.ts'
import { idOf } from './sentences.ts'

export const idReused = defineRule({
  id: 'R19',
  title: 'transactionId used for another mailing',
  clause: '4.1',
  severity: 'error',
  rests: 'request',
  detection:
    'The same transactionId with another payload, after the client was told CREATED under it. In an exam that wants several mailings: fewer transactionIds than mailings, and one of them again after CREATED.',
  spared: 'A late repeat with the same payload; attempts that were refused.',
  *find(file: CaseFile): Iterable<Suspicion> {
    const changes = [...changedRepeats(file, isOther)].filter(it => it.isAfterCreated)
    for (const [{ sending, transaction, binding }, repeats] of byTransaction(changes))
      yield {
        sending,
        evidence: [binding, ...repeats],
        sentence: `${idOf(transaction)} was CREATED by ${binding.id}, and ${repeats[0]!.id} used it for something else. That was never sent, yet was answered CREATED.`,
      }
    if (changes.length === 0) yield* collisions(file)
  },
})

const isOther = ({ asked }: Attempt, { asked: other }: Attempt) =>
  asked.payload !== undefined &&
  other.payload !== undefined &&
  differences(asked.payload, other.payload).length > 0

/** Several mailings were wanted, and one transaction ID stood for more than one of them. */
function* collisions(file: CaseFile): Iterable<Suspicion> {
  if (file.end === undefined || file.expected < 2) return
  const all = file.sendings.flatMap(sending => sending.transactions.map(it => ({ sending, transaction: it })))
  if (all.some(({ transaction }) => transaction.transactionId === undefined)) return
  if (all.length >= file.expected) return
  for (const { sending, transaction } of all) {
    const again = transaction.attempts.find(later => createdBefore(transaction, later, file))
    if (!again) continue
    const created = createdBefore(transaction, again, file)!
    yield {
      sending,
      evidence: [created, again],
      sentence: `${file.expected} mailings were to be sent with ${all.length === 1 ? 'one transactionId' : `${all.length} transactionIds`}: ${idOf(transaction)} was CREATED in ${created.id}, and came again in ${again.id}. Whatever that was for was never sent.`,
    }
  }
}
