import { type Attempt, differingMembers } from '../evidence.ts'
import { groupBy } from '../grouping.ts'
import { type ChangedRepeat, findChangedRepeats, knownCreatedBefore } from '../history.ts'
import type { JudgeInput } from '../input.ts'
import { defineRule, type Suspicion, transactionIdWords } from './rule.ts'

export const payloadChanged = defineRule({
  id: 'R12',
  title: 'Payload changed on a repeat',
  clause: '4.1/9',
  severity: 'error',
  dependsOn: 'request',
  detection:
    'The client sends the same transactionId with a name or subject that differs from the first accepted attempt. Different members that the document does not define are a warning. The service ignores the difference silently, so no response can show it.',
  exceptions:
    'The order of members, white space and escapes; null instead of a missing member; another spelling of the same time; refused attempts, and attempts before the transactionId was accepted.',
  remedy: 'Store the payload together with its transactionId, and send exactly that again.',
  *find(file: JudgeInput): Iterable<Suspicion> {
    for (const severity of ['error', 'warning'] as const) {
      const isChanged = severity === 'error' ? hasOtherContent : hasOtherUnknownMembers
      const changes = [...findChangedRepeats(file, isChanged)].filter(it => !it.isAfterCreated)
      for (const [{ sending, transaction, binding }, repeats] of groupChanges(changes))
        yield {
          sending,
          severity,
          evidence: [binding, ...repeats],
          sentence: `${transactionIdWords(transaction)} came again with another ${changeWords(binding, repeats[0]!)} than ${binding.id} had bound it to. The service ignores that.`,
        }
    }
  },
})

const changedMembers = ({ asked }: Attempt, other: Attempt) =>
  asked.payload && other.asked.payload ? differingMembers(asked.payload, other.asked.payload) : []

const hasOtherContent = (binding: Attempt, repeat: Attempt) =>
  changedMembers(binding, repeat).some(it => it !== 'scheduleDate')

const hasOtherUnknownMembers = (binding: Attempt, repeat: Attempt) =>
  changedMembers(binding, repeat).length === 0 &&
  binding.asked.payload?.others !== repeat.asked.payload?.others

const changeWords = (binding: Attempt, repeat: Attempt) =>
  changedMembers(binding, repeat).join(' and ') || 'value of members that the document does not know'

/** One finding for each transaction. */
const groupChanges = (changes: readonly ChangedRepeat[]) =>
  [...groupBy(changes, ({ transaction }) => transaction).values()].map(
    all => [all[0], all.map(({ repeat }) => repeat)] as const,
  )

export const scheduleRecomputed = defineRule({
  id: 'R13',
  title: 'scheduleDate changed on a repeat',
  clause: '4.1/9',
  severity: 'error',
  dependsOn: 'request',
  detection:
    'The client sends the same transactionId with a scheduleDate that differs from the first accepted attempt. Nothing else differs.',
  exceptions:
    'Another spelling of the same time; refused attempts, and attempts before the transactionId was accepted.',
  remedy: 'Compute scheduleDate once, store it together with the transactionId, and send that again.',
  *find(file: JudgeInput): Iterable<Suspicion> {
    const changes = [...findChangedRepeats(file, hasOnlyOtherTime)].filter(it => !it.isAfterCreated)
    for (const [{ sending, transaction, binding }, repeats] of groupChanges(changes))
      yield {
        sending,
        evidence: [binding, ...repeats],
        sentence: `${transactionIdWords(transaction)} was bound to scheduleDate ${scheduleDateWords(binding)} by ${binding.id}; ${repeats[0]!.id} came with ${scheduleDateWords(repeats[0]!)}. It must be computed once and kept.`,
      }
  },
})

function hasOnlyOtherTime({ asked }: Attempt, { asked: other }: Attempt): boolean {
  if (!asked.payload || !other.payload) return false
  const members = differingMembers(asked.payload, other.payload)
  return members.length === 1 && members[0] === 'scheduleDate'
}

const scheduleDateWords = ({ asked }: Attempt) => asked.payload?.scheduleDate ?? '(none)'

export const idReused = defineRule({
  id: 'R19',
  title: 'transactionId used for another mailing',
  clause: 'section 4.1',
  severity: 'error',
  dependsOn: 'request',
  detection:
    'The client uses the same transactionId for another payload after it was told CREATED for it. In an exam case with several mailings: the client uses fewer transactionIds than mailings, and repeats one of them after CREATED.',
  exceptions: 'A late repeat with the same payload; refused attempts.',
  remedy: 'Take a new transactionId for each mailing.',
  *find(file: JudgeInput): Iterable<Suspicion> {
    const changes = [...findChangedRepeats(file, hasOtherPayload)].filter(it => it.isAfterCreated)
    for (const [{ sending, transaction, binding }, repeats] of groupChanges(changes))
      yield {
        sending,
        evidence: [binding, ...repeats],
        sentence: `${transactionIdWords(transaction)} was CREATED by ${binding.id}, and ${repeats[0]!.id} used it for another mailing, which was never sent, although the response says CREATED.`,
      }
    if (changes.length === 0) yield* findCollisions(file)
  },
})

const hasOtherPayload = ({ asked }: Attempt, { asked: other }: Attempt) =>
  asked.payload !== undefined &&
  other.payload !== undefined &&
  differingMembers(asked.payload, other.payload).length > 0

/** Several mailings were expected, and one transaction ID was used for more than one of them. */
function* findCollisions(file: JudgeInput): Iterable<Suspicion> {
  if (file.end === undefined || file.meant === undefined || file.meant < 2) return
  const all = file.sendings.flatMap(sending => sending.transactions.map(it => ({ sending, transaction: it })))
  if (all.some(({ transaction }) => transaction.transactionId === undefined)) return
  if (all.length >= file.meant) return
  for (const { sending, transaction } of all) {
    const again = transaction.attempts.find(later => knownCreatedBefore(transaction, later, file))
    if (!again) continue
    const created = knownCreatedBefore(transaction, again, file)!
    yield {
      sending,
      evidence: [created, again],
      sentence: `${file.meant} mailings were to be sent with ${all.length === 1 ? 'one transactionId' : `${all.length} transactionIds`}: ${transactionIdWords(transaction)} was CREATED in ${created.id}, and came again in ${again.id}. The mailing that it was meant for was never sent.`,
    }
  }
}
