import type { CaseFinding } from '../../rig/exam-shape.ts'
import { isSameTime } from '../harm.ts'
import { intended, type Outcome } from './outcome.ts'
import { error } from './own-findings.ts'

/** So many requests are named as evidence. */
const named = 12

/** What was not asked of the client: another synchronization, another time. */
export function* ofOtherTasks({ task, creations, sent }: Outcome): Iterable<CaseFinding> {
  const others = creations.filter(it => it.synchronizationId !== task.synchronizationId)
  const [first] = others
  if (first)
    yield error(
      'environment-ignored',
      `${first.id} asked for a sending of synchronization ${first.synchronizationId}, where ${task.synchronizationId} was to be sent. Does the client read MAILING_SYNC_SYNCHRONIZATION_ID?`,
      others.slice(0, named).map(({ id }) => id),
    )
  const { scheduleDate } = task
  if (scheduleDate === undefined) return
  const wrong = sent.filter(({ startsAt }) => !isSameTime(startsAt, scheduleDate))
  if (wrong[0])
    yield error(
      'wrong-time',
      `It goes out at ${wrong[0].startsAt}, where MAILING_SYNC_SCHEDULE_DATE says ${scheduleDate}. Is that date sent along as scheduleDate?`,
      wrong.slice(0, named).map(({ cause }) => cause),
    )
}

export function* tooOften(outcome: Outcome): Iterable<CaseFinding> {
  const { sent } = outcome
  const wanted = intended(outcome)
  if (sent.length > wanted)
    yield error(
      'sent-too-often',
      `The mailing really went out ${sent.length} times; ${wanted === 1 ? 'once was' : `${wanted} times were`} wanted.`,
      sent.slice(0, named).map(({ cause }) => cause),
    )
}
