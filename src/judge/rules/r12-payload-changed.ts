import { type ChangedRepeat, changedRepeats } from '../bindings.ts'
import type { CaseFile } from '../case-file.ts'
import type { Attempt } from '../evidence.ts'
import { differences } from '../payload.ts'
import { defineRule, type Suspicion } from './rule.ts'
import { idOf } from './sentences.ts'

export const payloadChanged = defineRule({
  id: 'R12',
  title: 'Payload changed on a repeat',
  clause: '4.1 rule 9',
  severity: 'error',
  rests: 'request',
  detection:
    'The same transactionId with another name or subject than the attempt that bound it. Members that the document does not know are a warning. The service ignores the difference silently, so no answer can show it.',
  spared:
    'The order of members, white space, escapes; null instead of absent; another spelling of the same time; attempts that were refused, and those before the transactionId was bound.',
  *find(file: CaseFile): Iterable<Suspicion> {
    for (const severity of ['error', 'warning'] as const) {
      const isChanged = severity === 'error' ? isOtherMailing : hasOtherMembers
      const changes = [...changedRepeats(file, isChanged)].filter(it => !it.isAfterCreated)
      for (const [{ sending, transaction, binding }, repeats] of byTransaction(changes))
        yield {
          sending,
          severity,
          evidence: [binding, ...repeats],
          sentence: `${idOf(transaction)} came again with another ${what(binding, repeats[0]!)} than ${binding.id} had bound it to. The service ignores that.`,
        }
    }
  },
})

const membersOf = ({ asked }: Attempt, other: Attempt) =>
  asked.payload && other.asked.payload ? differences(asked.payload, other.asked.payload) : []

const isOtherMailing = (binding: Attempt, repeat: Attempt) =>
  membersOf(binding, repeat).some(it => it !== 'scheduleDate')

const hasOtherMembers = (binding: Attempt, repeat: Attempt) =>
  membersOf(binding, repeat).length === 0 && binding.asked.payload?.others !== repeat.asked.payload?.others

const what = (binding: Attempt, repeat: Attempt) =>
  membersOf(binding, repeat).join(' and ') || 'value of members that the document does not know'

/** One finding for each transaction. */
export function byTransaction(changes: readonly ChangedRepeat[]): [ChangedRepeat, Attempt[]][] {
  const found = new Map<unknown, [ChangedRepeat, Attempt[]]>()
  for (const change of changes) {
    const known = found.get(change.transaction)
    if (known) known[1].push(change.repeat)
    else found.set(change.transaction, [change, [change.repeat]])
  }
  return [...found.values()]
}
