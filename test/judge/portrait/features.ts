import type { Features } from '../../../src/judge/portrait/decisions.ts'

/** Of a client that was answered 500 once, without anything else. */
export const features: Features = {
  answer: '500',
  previous: 'first attempt',
  previousAnswer: 'start',
  attempts: 1,
  requests: 1,
  times: 1,
  ids: 1,
  retryAfter: 0,
  unanswered: 0,
  dated: 0,
  mailing: 1,
  sincePending: -1,
  sinceFailed: -1,
  idAge: 0,
  sinceFirst: 0,
}
