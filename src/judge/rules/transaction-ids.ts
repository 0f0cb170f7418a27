import { shorten } from '../../store/validation-messages.ts'
import type { Attempt } from '../attempt.ts'
import type { ClientHistory } from '../client-history.ts'
import { groupBy } from '../grouping.ts'
import { isDoneBefore, isOver } from '../knowledge.ts'
import type { TransactionChange, TransactionChangeKind } from '../transaction-changes.ts'
import { describeResponse, transactionIdWords } from './finding-words.ts'
import { defineRule, type Suspicion } from './rule.ts'

export const anonymousRepeat = defineRule({
  id: 'R01',
  title: 'Repeated without a transactionId',
  clause: '4.1/3',
  severity: 'error',
  dependsOn: 'intent',
  detection:
    'The client asks for a sending without a transactionId, gets an error or no response, and sends the same request again without a transactionId.',
  exceptions:
    'A repeat by the HTTP library itself; a repeat after a refusal or a 429, which comes before any work; a second delivery by the mock.',
  remedy: 'Send a transactionId with every sending, and the same one with each repeat.',
  *find(history: ClientHistory): Iterable<Suspicion> {
    for (const sending of history.repeated) {
      const group = sending.transactions.find(({ transactionId }) => transactionId === undefined)
      const attempts = group?.attempts.filter(it => !history.resends.has(it)) ?? []
      const repeats = attempts.slice(1).filter((repeat, at) => {
        const before = attempts[at]!
        return (
          isDoneBefore(before, repeat) &&
          (history.knowledge.maybeKnownBefore(before, repeat) ?? 'unknown') === 'unknown'
        )
      })
      if (repeats.length === 0) continue
      const before = attempts[attempts.indexOf(repeats[0]!) - 1]!
      yield {
        sending,
        evidence: [before, ...repeats],
        ignoredAnswer: { answer: before, later: repeats[0]! },
        sentence: `${before.id}, which has ${transactionIdWords(group!)}, got ${describeResponse(before)}, and the same was asked for again${
          repeats.length === 1 ? '' : ` ${repeats.length} times`
        }. An error or a timeout does not mean that nothing was sent.`,
      }
    }
  },
})

/** Finds every change to another transaction of a kind. */
const findChanges = (kind: TransactionChangeKind, sentence: (change: TransactionChange) => string) =>
  function* (history: ClientHistory): Iterable<Suspicion> {
    for (const change of history.transactionChanges) {
      if (change.kind !== kind) continue
      const { sending, requests, stateReport, last, first, from, openBecause } = change
      const ignoredAnswer = { answer: stateReport ?? last, later: first }
      // A request without a transactionId cannot be repeated safely (spec 4.1/3).
      const remedy = from.transactionId === undefined && { remedy: anonymousRepeat.remedy }
      yield { sending, evidence: requests, ignoredAnswer, openBecause, sentence: sentence(change), ...remedy }
    }
  }

export const newIdAfterSilence = defineRule({
  id: 'R02',
  title: 'New transactionId after an error or a timeout',
  clause: '4.1/8',
  severity: 'error',
  dependsOn: 'intent',
  detection:
    'The client uses another transactionId, or none, for the same sending, and risks a duplicate. The response to the earlier transactionId was an error, was lost or cannot be believed, and no other response told the client the outcome.',
  exceptions:
    'A client that read the sending, or all pages of the collection with includeAllStates=true, in between; another transactionId after a refusal (401, 403, 425 and 429 say nothing of an earlier attempt); requests that were still running.',
  remedy: 'After an error or a timeout, repeat with the same transactionId.',
  find: findChanges(
    'silence',
    ({ last, first, from, to }) =>
      `${last.id} with ${transactionIdWords(from)} got ${describeResponse(last)}; ${first.id} came with ${transactionIdWords(to)}${from.transactionId === undefined ? '' : ' instead of the same one'}. The client could not know whether the first one was sent.`,
  ),
})

export const newIdWhilePending = defineRule({
  id: 'R03',
  title: 'New transactionId while PENDING',
  clause: '3/4, 4.1/10',
  severity: 'error',
  dependsOn: 'intent',
  detection: 'The client uses another transactionId, or none, for the same sending after PENDING.',
  exceptions: 'A response that the client may not have received.',
  remedy: 'While the state is PENDING, repeat with the same transactionId.',
  find: findChanges(
    'PENDING',
    ({ first, from, to, last, stateReport }) =>
      `${transactionIdWords(from)} was told PENDING (${(stateReport ?? last).id}), yet ${first.id} came with ${transactionIdWords(to)}. The first one may still be sent.`,
  ),
})

export const createAfterIndeterminate = defineRule({
  id: 'R04',
  title: 'New transactionId after INDETERMINATE_FAILURE',
  clause: '3/4',
  severity: 'error',
  dependsOn: 'intent',
  detection:
    'The client uses another transactionId, or none, for the same sending after it was told INDETERMINATE_FAILURE.',
  exceptions: 'A response that the client may not have received; requests that only read the sending.',
  remedy:
    'After INDETERMINATE_FAILURE, stop and report that the outcome is unknown, so that a person can check.',
  find: findChanges(
    'INDETERMINATE_FAILURE',
    ({ first, from, to, last, stateReport }) =>
      `${transactionIdWords(from)} was told INDETERMINATE_FAILURE (${(stateReport ?? last).id}), which a client must not retry, yet ${first.id} came with ${transactionIdWords(to)}.`,
  ),
})

export const malformedId = defineRule({
  id: 'R20',
  title: 'Malformed transactionId',
  clause: 'section 4.1, section 8',
  severity: 'error',
  dependsOn: 'request',
  detection: 'A transactionId that is not 1 to 100 letters, digits, dots, colons, hyphens and underscores.',
  exceptions: 'null, which means no transactionId.',
  remedy: 'Use 1 to 100 letters, digits, dots, colons, hyphens and underscores in a transactionId.',
  survivesLoss: true,
  *find(history: ClientHistory): Iterable<Suspicion> {
    for (const sending of history.sendings) {
      const malformed = sending.attempts.filter(isMalformed)
      const [first] = malformed
      if (!first) continue
      const { transactionId: id = '', idType } = first.request.payload!
      const idWords =
        idType === 'string'
          ? `${JSON.stringify(shorten(id))} of ${id.length} characters`
          : `${shorten(id)}, which is ${idType === 'array' || idType === 'object' ? 'an' : 'a'} ${idType}`
      yield {
        sending,
        evidence: malformed,
        sentence: `${first.id} has the transactionId ${idWords}; it must be a string of 1 to 100 letters, digits, dots, colons, hyphens and underscores.`,
      }
    }
  },
})

/** 1 to 100 characters: letters, digits, dots, colons, hyphens and underscores (spec 4.1, 8). */
const idForm = /^[A-Za-z0-9.:_-]{1,100}$/

const isMalformed = ({ request: { payload } }: Attempt) =>
  payload?.transactionId !== undefined && !(payload.idType === 'string' && idForm.test(payload.transactionId))

export const partialCollection = defineRule({
  id: 'R22',
  title: 'Relied on the collection without includeAllStates',
  clause: '3/2',
  severity: 'error',
  dependsOn: 'intent',
  detection:
    'After an error or a timeout the client reads the collection of sendings without includeAllStates=true, does not find its sending there, and creates another one.',
  exceptions:
    'A collection that contains its sending; a client that also reads all states; a request without a transactionId, which has no other state than CREATED.',
  remedy: 'Read the collection with includeAllStates=true, or repeat with the same transactionId.',
  find: findChanges(
    'collection',
    ({ last, first, to, partialRead }) =>
      `${last.id} got ${describeResponse(last)}; ${partialRead?.id} read the collection without includeAllStates=true, which leaves out whatever is not CREATED; then ${first.id} created another sending with ${transactionIdWords(to)}.`,
  ),
})

export const uploadRepeated = defineRule({
  id: 'R28',
  title: 'Mailing-upload repeated after an error or a timeout',
  clause: 'section 4.10',
  severity: 'warning',
  dependsOn: 'worker',
  detection:
    'The client creates a mailing-upload for the same synchronization again after an error or a lost response. A mailing-upload has no transactionId, so each one creates a mailing on the platform.',
  exceptions:
    'A repeat after a refusal or 429; an upload that was still running; a client that read a mailing-upload in between.',
  remedy: 'After an error or a timeout, read the latest mailing-upload before you create another one.',
  *find(history: ClientHistory): Iterable<Suspicion> {
    /** By synchronization: the last upload, and the reads since. */
    const latestOf = new Map<string | undefined, { readonly before: Attempt; readonly reads: Attempt[] }>()
    const repeats: { readonly answer: Attempt; readonly later: Attempt }[] = []
    for (const upload of history.attempts) {
      const latest = latestOf.get(upload.synchronizationId)
      if (isUploadRead(upload)) latest?.reads.push(upload)
      if (upload.creates !== 'mailing-upload') continue
      latestOf.set(upload.synchronizationId, { before: upload, reads: [] })
      if (!latest || !isDoneBefore(latest.before, upload)) continue
      const { before, reads } = latest
      const meaning = history.knowledge.maybeKnownBefore(before, upload)
      if (meaning !== undefined && (meaning !== 'unknown' || before.response!.status < 300)) continue
      if (!reads.some(it => isOver(it, upload))) repeats.push({ answer: before, later: upload })
    }
    for (const all of groupBy(repeats, ({ later }) => later.synchronizationId).values()) {
      const clearest = all.find(({ answer, later }) => history.isSameWorker(answer, later)) ?? all[0]
      const { answer, later } = clearest
      const often = all.length > 1 ? `, as ${all.length} repeats did in all` : ''
      yield {
        evidence: [...new Set(all.flatMap(it => [it.answer, it.later]))],
        ignoredAnswer: clearest,
        sentence: `${answer.id} got ${describeResponse(answer)}, and ${later.id} asked for the same again${often}.`,
      }
    }
  },
})

/** Whether it told a client which upload of its synchronization there is, or that there is none. */
const isUploadRead = ({ operation, delivered, response }: Attempt) =>
  operation === 'getMailingUpload' &&
  delivered === 'handed' &&
  (response?.status === 200 || response?.status === 404)

export const idLost = defineRule({
  id: 'R29',
  title: 'transactionId lost in a restart',
  clause: '4.1/8',
  severity: 'error',
  dependsOn: 'intent',
  detection:
    'The client was killed and started again, and continues with another transactionId, or none, although the earlier one is not FAILED. Only an exam can see restarts.',
  exceptions: 'Another transactionId after FAILED or a refusal.',
  remedy: 'Store the transactionId before the first attempt, and use it again after a restart.',
  find: findChanges(
    'restart',
    ({ last, first, from, to }) =>
      `The client was restarted after ${last.id} with ${transactionIdWords(from)}, and went on with ${transactionIdWords(to)} in ${first.id}. It must store the transactionId before it is first sent.`,
  ),
})
