import { sufficientEffort } from '../rules/client-end.ts'
import type { Decision, FeatureName, Features, Situation } from './decisions.ts'
import type { PauseModel } from './portrait-shape.ts'
import { believable } from './trace.ts'

/** Why an action with this beginning is wrong, if it is. The first rule that fits counts. */
type Rule = readonly [beginning: string, objection?: string | false]

/** What the service's document wants in a situation, in the words of docs/client-guide.md, whose table a test compares. */
interface Reaction {
  readonly words: string
  /** What its limit is counted by. */
  readonly limitedBy?: readonly FeatureName[]
  readonly rules: (features: Features) => readonly Rule[]
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
const unknownOutcome = 'nothing has said so: the outcome is unknown'
const givesUp = (instead: string) => `it gives up too early: ${instead}`
const onlySame = 'only the same ID is safe: it may have been sent'
const staysFailed = 'the same ID stays FAILED: take a new one'

/** What is wrong after any attempt. */
const common: readonly Rule[] = [
  ['waits for ever', 'every wait needs a deadline'],
  ['no ID', 'without a transaction ID a repeat may send it again'],
  ['same ID, other body', 'a repeat has exactly the same body'],
]

/** After an attempt whose outcome is open. */
const open = (features: Features): Rule[] => [
  ['end: unknown', !hasTried(features) && givesUp('repeat with the same ID')],
  ['end: ', unknownOutcome],
  ['new ID', onlySame],
  ['earlier ID', onlySame],
  ...common,
]

/** Whether a client has tried long enough to end without knowing the outcome. */
function hasTried({ requests, sinceFirst, sincePending, sinceFailed, retryAfter, ids }: Features): boolean {
  if (ids === 0 || retryAfter > longestWait) return true
  const next = Math.max(retryAfter, sinceFirst / 2)
  if (sinceFailed >= 0 && sinceFailed + next >= requiredShare * recreationLimit) return true
  if (sincePending >= 0) return sincePending + next >= requiredShare * pendingLimit
  return requests >= sufficientEffort.attempts
}

const repeated: Pick<Reaction, 'rules' | 'next'> = {
  rules: open,
  next({ ids, attempts, retryAfter, sincePending, sinceFailed, idAge }) {
    const pause = backoff(attempts, retryAfter)
    const isOver =
      (sincePending >= 0 ? sincePending + pause > pendingLimit : idAge + pause > ownLimit) ||
      (sincePending >= 0 && sinceFailed >= 0 && sinceFailed + pause > recreationLimit)
    return ids === 0 || isOver ? { action: 'end: unknown', pause: 0 } : { action: 'same ID', pause }
  },
}

const first: Reaction = {
  words: 'a new ID',
  rules: () => [
    ['new ID'],
    ['reads '],
    ['no ID', 'without a transaction ID nothing may be repeated'],
    ['end: ', 'nothing was sent'],
    ['', 'another mailing needs another ID'],
  ],
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
    words: 'the same ID, stored before',
    rules: it => [['new ID', 'it may have been sent: go on with the stored ID'], ...open(it)],
    next: atOnce('same ID'),
  },
  'still waiting': {
    words: 'wait for its end, or close the connection',
    rules: () => [['reads '], ['', 'the attempt is still running']],
    next: atOnce('keeps waiting'),
  },
  'no response': { words: 'same ID, growing pauses', ...repeated },
  '5xx': { words: 'same ID, growing pauses, Retry-After', ...repeated },
  '429': { words: 'same ID, Retry-After', ...repeated },
  'another 4xx': {
    words: 'first attempt: not sent; repeat: read the sending',
    rules: ({ unanswered }) => [
      ['end: unknown'],
      ['reads '],
      ['end: not-sent', unanswered > 0 && 'an earlier attempt may have been sent'],
      ['end: ', unknownOutcome],
      ...common,
      ['', 'it was refused: correct the request first'],
    ],
    next: ({ requests }) => ({
      action: requests <= 1 ? 'end: not-sent' : 'reads listSendings with all states',
      pause: 0,
    }),
  },
  redirect: { words: 'same ID at the first address', ...repeated },
  damaged: {
    words: 'same ID, as after no response',
    rules: it => [['end: sent', !it.answer.endsWith(believable) && unknownOutcome], ...open(it)],
    next: repeated.next,
  },
  PENDING: {
    words: 'same ID for 5 min, then unknown',
    limitedBy: ['sincePending'],
    rules: it =>
      it.sincePending > pendingLimit * 1.02 ? [['same ID', 'five minutes are over'], ...open(it)] : open(it),
    next: repeated.next,
  },
  CREATED: {
    words: 'end: sent',
    rules: () => [['end: sent'], ['', 'it is sent: no further request is needed']],
    next: atOnce('end: sent'),
  },
  FAILED: {
    words: 'new ID, 3 times in 15 min, then not sent',
    limitedBy: ['ids'],
    rules: ({ ids, sinceFailed: time }) => [
      ['new ID', (ids >= mostIds || time > recreationLimit * 1.02) && 'three new IDs are enough'],
      ['end: not-sent', ids < mostIds && time < requiredShare * recreationLimit && givesUp('take a new ID')],
      ['end: ', 'FAILED says that it was not sent'],
      ['same ID', staysFailed],
      ['earlier ID', staysFailed],
      ...common,
    ],
    next({ ids, sinceFailed, retryAfter }) {
      const pause = backoff(ids, retryAfter)
      return ids >= mostIds || sinceFailed + pause > recreationLimit
        ? { action: 'end: not-sent', pause: 0 }
        : { action: 'new ID', pause }
    },
  },
  INDETERMINATE_FAILURE: {
    words: 'end: unknown',
    rules: () => [
      ['end: unknown'],
      ['reads '],
      ['end: ', 'the outcome is unknown'],
      ['', 'never repeat it: contact support'],
    ],
    next: atOnce('end: unknown'),
  },
  'after a read': {
    words: 'what the sending shows, else same ID or unknown',
    rules(features) {
      const { answer, requests, unanswered } = features
      const wanted = readAnswers[answer]
      if (wanted) return [['reads '], ...wanted.map((it): Rule => [it]), ['', `the sending is ${answer}`]]
      if (requests === 0) return [['end: '], ...first.rules(features)]
      return [
        ['end: not-sent', unanswered > 0 && 'an attempt may still be on its way'],
        ['new ID', 'that it is not listed is no proof'],
        ['end: sent', unknownOutcome],
        ...common,
      ]
    },
    next({ answer, requests, attempts, retryAfter }) {
      const action = readAnswers[answer]?.[0] ?? (requests === 0 ? 'new ID' : 'end: unknown')
      return { action, pause: action === 'same ID' ? backoff(attempts, retryAfter) : 0 }
    },
  },
}

/** Why an action is not what the document wants; undefined if it is. */
export function objectionToAction(
  situation: Situation,
  action: string,
  features: Features,
): string | undefined {
  const rules = documented[situation].rules(features)
  return rules.find(([beginning]) => action.startsWith(beginning))?.[1] || undefined
}

/** Situations after which a pause has to grow, and to be as long as asked. */
const paced: readonly Situation[] = ['no response', '5xx', '429', 'redirect', 'damaged', 'PENDING', 'FAILED']

/** Fewest pauses that show something. */
const minimumPauses = 4

/**
 * Why what a client does in one row is not what the document wants; null if it is.
 * @param decisions those in which it did what the row says
 */
export function objectionTo(
  situation: Situation,
  decisions: readonly Decision[],
  pause: PauseModel | null,
): string | null {
  for (const { action, features } of decisions) {
    const objection = objectionToAction(situation, action, features)
    if (objection !== undefined) return objection
  }
  if (!pause || !paced.includes(situation)) return null
  if (pause.heedsRetryAfter === 'never' || pause.heedsRetryAfter === 'sometimes')
    return 'it does not wait as Retry-After says'
  if (pause.count < minimumPauses) return null
  if (pause.longest < 0.1) return 'it does not pause'
  return pause.growth === 'constant' ? 'its pauses do not grow' : null
}
