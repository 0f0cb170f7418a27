import type { CaseFinding } from '../../rig/exam-shape.ts'

/** What the exam finds itself, beside the rules of conduct: each by its name, with what it means. */
export const ownFindings = {
  'sent-too-often': 'it really went out more often than wanted',
  'wrong-belief': 'the client believes that it sent, and it did not; or that it did not send, and it did',
  guessed: 'it believes so rightly, but nothing had told it',
  unaware: 'it was sent, and the client does not know',
  'given-up': 'nothing was sent, though the next attempt would have got through',
  'environment-ignored':
    'it asked for another synchronization than it was told to send, or says that it sent and no request came',
  'wrong-time': 'it goes out at another time than the date that the client was given',
  'never-ended': 'it was killed after the time limit, and was not just pausing',
  flooded: 'it was killed after 500 requests',
  crashed: 'it was ended by a signal, or by an exception that nobody caught',
  'ended-at-start': 'it ended before it sent anything',
  silent: 'it ran until the time limit without sending anything',
} as const

export type OwnFinding = keyof typeof ownFindings

/** Something that the client must not do. */
export const error = (
  rule: OwnFinding,
  sentence: string,
  evidence: readonly (string | undefined)[] = [],
): CaseFinding => ({
  rule,
  severity: 'error',
  status: 'guilty',
  sentence,
  clause: null,
  evidence: evidence.filter(it => it !== undefined),
  times: 1,
})
