import { contentWords } from '../../rig/request-meaning.ts'
import { type Attempt, comparePayloads } from '../attempt.ts'
import type { ClientHistory } from '../client-history.ts'
import { knownCreatedBefore } from '../transaction-changes.ts'
import { transactionIdWords } from './finding-words.ts'
import { defineRule, type Suspicion } from './rule.ts'

export const payloadChanged = defineRule({
  id: 'R12',
  title: 'Payload changed on a repeat',
  clause: '4.1/9',
  severity: 'error',
  dependsOn: 'request',
  detection: `The client sends the same transactionId with a ${contentWords()} that differs from the first accepted attempt. Different members that the document does not define are a warning. The service ignores the difference silently, so no response can show it.`,
  exceptions:
    'The order of members, white space and escapes; null instead of a missing member; another spelling of the same time; refused attempts, and attempts before the transactionId was accepted.',
  remedy: 'Store the payload together with its transactionId, and send exactly that again.',
  *find(history: ClientHistory): Iterable<Suspicion> {
    const sentence = (binding: Attempt, repeat: Attempt) =>
      `came again with another ${changeWords(binding, repeat)} than ${binding.id} had bound it to. The service ignores that.`
    yield* findChangedRepeats(history, false, hasOtherContent, sentence)
    for (const suspicion of findChangedRepeats(history, false, hasOtherUnknownMembers, sentence))
      yield { ...suspicion, severity: 'warning' }
  },
})

function compare({ request: { payload } }: Attempt, { request: { payload: other } }: Attempt) {
  const { isRescheduled, content } =
    payload && other ? comparePayloads(payload, other) : { isRescheduled: false, content: [] }
  return { isRescheduled, content, members: isRescheduled ? ['scheduleDate', ...content] : content }
}

const hasOtherContent = (binding: Attempt, repeat: Attempt) => compare(binding, repeat).content.length > 0

const hasOtherUnknownMembers = (binding: Attempt, repeat: Attempt) =>
  compare(binding, repeat).members.length === 0 &&
  binding.request.payload?.others !== repeat.request.payload?.others

const isOnlyRescheduled = (binding: Attempt, repeat: Attempt) => {
  const { isRescheduled, content } = compare(binding, repeat)
  return isRescheduled && content.length === 0
}

const changeWords = (binding: Attempt, repeat: Attempt) =>
  compare(binding, repeat).members.join(' and ') || 'value of members that the document does not know'

/**
 * Finds transactions with repeats whose payload differs from the attempt that made their sending. The service ignores the
 * difference silently.
 * @param isNew whether they may be for another mailing, since the client knew already that the transaction was CREATED
 * @param sentence what became of the transaction, from the attempt that made its sending and the first such repeat
 */
function* findChangedRepeats(
  history: ClientHistory,
  isNew: boolean,
  isChanged: (binding: Attempt, repeat: Attempt) => boolean,
  sentence: (binding: Attempt, repeat: Attempt) => string,
): Iterable<Suspicion> {
  for (const sending of history.repeated)
    for (const transaction of sending.transactions) {
      const { transactionId, attempts } = transaction
      if (transactionId === undefined || attempts.length === 1) continue
      // An expired ID can be bound again.
      const bindings = attempts.filter(({ id }) => history.causes.has(id))
      const bindingOf = ({ number }: Attempt) => bindings.findLast(it => it.number < number) ?? bindings[0]!
      // Where one mailing was meant, no request can have been for another one.
      const mayBeNew = (it: Attempt) =>
        history.meant !== 1 && knownCreatedBefore(transaction, it, history) !== undefined
      const isOne = (it: Attempt) =>
        (isNew || !bindings.includes(it)) &&
        !isNotRepeat(it, bindingOf(it)) &&
        isChanged(bindingOf(it), it) &&
        mayBeNew(it) === isNew
      const [first, ...others] = bindings.length > 0 ? attempts.filter(isOne) : []
      if (!first) continue
      yield {
        sending,
        evidence: [bindingOf(first), first, ...others],
        sentence: `${transactionIdWords(transaction)} ${sentence(bindingOf(first), first)}`,
      }
    }
}

/** A refused request is not a repeat; nor is a request that was lost before the ID was bound. */
const isNotRepeat = ({ truth, number }: Attempt, binding: Attempt) =>
  truth === undefined ? number < binding.number : truth.status >= 400 && truth.status < 500

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
  find: history =>
    findChangedRepeats(
      history,
      false,
      isOnlyRescheduled,
      (binding, repeat) =>
        `was bound to scheduleDate ${scheduleDateWords(binding)} by ${binding.id}; ${repeat.id} came with ${scheduleDateWords(repeat)}. It must be computed once and kept.`,
    ),
})

const scheduleDateWords = ({ request }: Attempt) => request.payload?.scheduleDate ?? '(none)'

export const idReused = defineRule({
  id: 'R19',
  title: 'transactionId used for another mailing',
  clause: 'section 4.1',
  severity: 'error',
  dependsOn: 'request',
  detection:
    'The client uses the same transactionId for another payload after it was told CREATED for it. In an exam case with several mailings: the client uses fewer transactionIds than mailings, and repeats one of them after CREATED.',
  exceptions:
    'A late repeat with the same payload; refused attempts; a client that was to send one mailing (see R12 and R13).',
  remedy: 'Take a new transactionId for each mailing.',
  *find(history: ClientHistory): Iterable<Suspicion> {
    const changes = [
      ...findChangedRepeats(
        history,
        true,
        (binding, repeat) => compare(binding, repeat).members.length > 0,
        (binding, repeat) => {
          const dates = isOnlyRescheduled(binding, repeat)
            ? ` with scheduleDate ${scheduleDateWords(repeat)} in place of ${scheduleDateWords(binding)}`
            : ''
          return `was CREATED by ${binding.id}, and ${repeat.id} used it for another mailing${dates}, which was ${history.causes.has(repeat.id) ? 'accepted only because the transactionId had expired' : 'never sent, although the response says CREATED'}.`
        },
      ),
    ]
    yield* changes.length > 0 ? changes : findCollisions(history)
  },
})

/** Several mailings were expected, and one transaction ID was used for more than one of them. */
function* findCollisions(history: ClientHistory): Iterable<Suspicion> {
  if (history.end === undefined || history.meant === undefined || history.meant < 2) return
  const all = history.sendings.flatMap(sending =>
    sending.transactions.map(it => ({ sending, transaction: it })),
  )
  if (all.some(({ transaction }) => transaction.transactionId === undefined)) return
  // Of a record that is not whole nobody knows how many there were.
  if (all.length >= history.meant || !history.isComplete) return
  for (const { sending, transaction } of all) {
    const again = transaction.attempts.find(
      it => !history.causes.has(it.id) && knownCreatedBefore(transaction, it, history),
    )
    if (!again) continue
    const teller = knownCreatedBefore(transaction, again, history)!
    yield {
      sending,
      evidence: [teller, again],
      sentence: `${history.meant} mailings were to be sent with ${all.length === 1 ? 'one transactionId' : `${all.length} transactionIds`}: ${transactionIdWords(transaction)} was CREATED in ${teller.id}, and came again in ${again.id}. The mailing that it was meant for was never sent.`,
    }
  }
}
