import { sufficientEffort } from '../rules/client-end.ts'
import type { Decision, FeatureName, Features, Situation } from './decisions.ts'
import type { PauseModel } from './portrait-shape.ts'

/** What the service's document wants in each situation, in the words of docs/client-guide.md, whose table a test compares. */
interface Reaction extends Judgement {
  /** The rows of the guide: what stands before the first comma or colon of their first column. */
  readonly guide: readonly string[]
  readonly words: string
  /** What its limit is counted by. */
  readonly limitedBy?: readonly FeatureName[]
}

interface Judgement {
  /** Why an action is not what the document wants; undefined if it is. */
  readonly objection: (action: string, features: Features) => string | undefined
  /** What a client that keeps to the document does, after a pause of so many seconds. */
  readonly next: (features: Features) => { readonly action: string; readonly pause: number }
}

/** Limits of the document in seconds (4.1/10, section 8), and the share of them that a client has to use. */
const pendingLimit = 5 * 60
const recreationLimit = 15 * 60
const mostIds = 4
const requiredShare = 0.8
/** For silence the document sets no limit; a client of ours ends then. */
const ownLimit = 15 * 60
/** A response that asks for more may be taken for a refusal. */
const longestWait = 5 * 60

const backoff = (nth: number, retryAfter: number) => Math.max(retryAfter, Math.min(30, 2 ** (nth - 1)))
const atOnce = (action: string) => () => ({ action, pause: 0 })
const isRead = (action: string) => action.startsWith('reads ')
const isEnd = (action: string) => action.startsWith('end: ')

const unknownOutcome = 'nothing has said so: the outcome is unknown'
const unidentified = 'without a transaction ID a repeat may send it again'

/** What is wrong with every action after an attempt whose outcome is open. */
function commonObjection(action: string, { ids }: Features): string | undefined {
  if (action === 'waits for ever') return 'every wait needs a deadline'
  if (action.endsWith('other body')) return 'a repeat has exactly the same body'
  return action === 'no ID' || (action === 'same ID' && ids === 0) ? unidentified : undefined
}

/** Whether a client has tried long enough to end without knowing the outcome. */
function hasTried({ requests, sinceFirst, sincePending, sinceFailed, retryAfter, ids }: Features): boolean {
  if (ids === 0 || retryAfter > longestWait) return true
  const next = Math.max(retryAfter, sinceFirst / 2)
  if (sinceFailed >= 0 && sinceFailed + next >= requiredShare * recreationLimit) return true
  if (sincePending >= 0) return sincePending + next >= requiredShare * pendingLimit
  return requests >= sufficientEffort.attempts
}

const repeated: Judgement = {
  objection(action, features) {
    if (action === 'end: unknown')
      return hasTried(features) ? undefined : 'it gives up too early: repeat with the same ID'
    if (isEnd(action)) return unknownOutcome
    if (action === 'new ID' || action === 'earlier ID')
      return 'only the same ID is safe: it may have been sent'
    return commonObjection(action, features)
  },
  next({ ids, attempts, retryAfter, sincePending, sinceFailed, idAge }) {
    const pause = backoff(attempts, retryAfter)
    const isOver =
      (sincePending >= 0 ? sincePending + pause > pendingLimit : idAge + pause > ownLimit) ||
      (sincePending >= 0 && sinceFailed >= 0 && sinceFailed + pause > recreationLimit)
    return ids === 0 || isOver ? { action: 'end: unknown', pause: 0 } : { action: 'same ID', pause }
  },
}

const first: Reaction = {
  guide: [],
  words: 'a new ID',
  objection(action) {
    if (action === 'new ID' || isRead(action)) return undefined
    if (action === 'no ID') return 'without a transaction ID nothing may be repeated'
    return isEnd(action) ? 'nothing was sent' : 'another mailing needs another ID'
  },
  next: atOnce('new ID'),
}

const readAnswers: Readonly<Record<string, readonly [best: string, ...others: string[]]>> = {
  CREATED: ['end: sent'],
  PENDING: ['same ID', 'end: unknown'],
  FAILED: ['new ID', 'end: not-sent'],
  INDETERMINATE_FAILURE: ['end: unknown'],
}

/** The reactions by situation. */
export const documented: Readonly<Record<Situation, Reaction>> = {
  'first attempt': first,
  'next mailing': first,
  'started again': {
    guide: [],
    words: 'the same ID, stored before',
    objection: (action, features) =>
      action === 'new ID'
        ? 'it may have been sent: go on with the stored ID'
        : repeated.objection(action, features),
    next: atOnce('same ID'),
  },
  'still waiting': {
    guide: [],
    words: 'wait for its end, or close the connection',
    objection: action => (isRead(action) ? undefined : 'the attempt is still running'),
    next: atOnce('keeps waiting'),
  },
  'no response': { guide: ['no response'], words: 'same ID, growing pauses', ...repeated },
  '5xx': { guide: ['5xx'], words: 'same ID, growing pauses, Retry-After', ...repeated },
  '429': { guide: ['429'], words: 'same ID, Retry-After', ...repeated },
  'another 4xx': {
    guide: ['another 4xx to the first attempt', 'another 4xx to a repeat'],
    words: 'first attempt: not sent; repeat: read the sending',
    objection(action, features) {
      if (action === 'end: unknown' || isRead(action)) return undefined
      if (action === 'end: not-sent')
        return features.unanswered === 0 ? undefined : 'an earlier attempt may have been sent'
      if (action === 'end: sent') return unknownOutcome
      return commonObjection(action, features) ?? 'it was refused: correct the request first'
    },
    next: ({ requests }) => ({
      action: requests <= 1 ? 'end: not-sent' : 'reads listSendings with all states',
      pause: 0,
    }),
  },
  redirect: { guide: ['a redirect'], words: 'same ID at the first address', ...repeated },
  damaged: { guide: ['a damaged or foreign body'], words: 'same ID, as after no response', ...repeated },
  PENDING: {
    guide: ['PENDING'],
    words: 'same ID for 5 min, then unknown',
    limitedBy: ['sincePending'],
    objection: (action, features) =>
      action === 'same ID' && features.sincePending > pendingLimit * 1.02
        ? 'five minutes are over'
        : repeated.objection(action, features),
    next: repeated.next,
  },
  CREATED: {
    guide: ['CREATED'],
    words: 'end: sent',
    objection: action => (action === 'end: sent' ? undefined : 'it is sent: no further request is needed'),
    next: atOnce('end: sent'),
  },
  FAILED: {
    guide: ['FAILED'],
    words: 'new ID, 3 times in 15 min, then not sent',
    limitedBy: ['ids'],
    objection(action, features) {
      const { ids, sinceFailed } = features
      if (action === 'new ID')
        return ids >= mostIds || sinceFailed > recreationLimit * 1.02 ? 'three new IDs are enough' : undefined
      if (action === 'end: not-sent')
        return ids >= mostIds || sinceFailed >= requiredShare * recreationLimit
          ? undefined
          : 'it gives up too early: take a new ID'
      if (isEnd(action)) return 'FAILED says that it was not sent'
      if (action === 'same ID' || action === 'earlier ID') return 'the same ID stays FAILED: take a new one'
      return commonObjection(action, features)
    },
    next({ ids, sinceFailed, retryAfter }) {
      const pause = backoff(ids, retryAfter)
      return ids >= mostIds || sinceFailed + pause > recreationLimit
        ? { action: 'end: not-sent', pause: 0 }
        : { action: 'new ID', pause }
    },
  },
  INDETERMINATE_FAILURE: {
    guide: ['INDETERMINATE_FAILURE'],
    words: 'end: unknown',
    objection(action) {
      if (action === 'end: unknown' || isRead(action)) return undefined
      return isEnd(action) ? 'the outcome is unknown' : 'never repeat it: contact support'
    },
    next: atOnce('end: unknown'),
  },
  'after a read': {
    guide: ['a collection without your sending'],
    words: 'what the sending shows, else same ID or unknown',
    objection(action, features) {
      const { answer, requests, unanswered } = features
      const wanted = readAnswers[answer]
      if (isRead(action)) return undefined
      if (wanted) return wanted.includes(action) ? undefined : `the sending is ${answer}`
      if (requests === 0) return isEnd(action) ? undefined : first.objection(action, features)
      if (action === 'end: not-sent')
        return unanswered === 0 ? undefined : 'an attempt may still be on its way'
      if (action === 'new ID') return 'that it is not listed is no proof'
      return action === 'end: sent' ? unknownOutcome : commonObjection(action, features)
    },
    next({ answer, requests, attempts, retryAfter }) {
      const action = readAnswers[answer]?.[0] ?? (requests === 0 ? 'new ID' : 'end: unknown')
      return { action, pause: isEnd(action) || requests === 0 ? 0 : backoff(attempts, retryAfter) }
    },
  },
}

/** Situations after which a pause has to grow, and to be as long as asked. */
const paced: readonly Situation[] = ['no response', '5xx', '429', 'redirect', 'damaged', 'PENDING', 'FAILED']

/** Fewest pauses that show something. */
const minimumPauses = 4

/** Why what a client does in one row is not what the document wants; undefined if it is. */
export function objectionTo(
  situation: Situation,
  decisions: readonly Decision[],
  pause: PauseModel | undefined,
): string | undefined {
  for (const { action, features } of decisions) {
    const objection = documented[situation].objection(action, features)
    if (objection !== undefined) return objection
  }
  if (!pause || !paced.includes(situation)) return undefined
  if (pause.heedsRetryAfter === 'never' || pause.heedsRetryAfter === 'sometimes')
    return 'it does not wait as Retry-After says'
  if (pause.count < minimumPauses) return undefined
  if (pause.longest < 0.1) return 'it does not pause'
  return pause.growth === 'constant' ? 'its pauses do not grow' : undefined
}
