import { setTimeout as pause } from 'node:timers/promises'
import type { Send } from '../../../examples/clients/client.d.ts'
import { readySynchronization } from '../../../src/judge/exam/cases.ts'
import type { ClientFunction } from '../../../src/judge/exam/client.ts'
import type { ExamResult } from '../../../src/judge/exam/exam-result.ts'
import { type ExamSettings, type ExamTask, longestRun, playExam } from '../../../src/judge/exam/run-exam.ts'
import { inVirtualTime, usualPlace } from '../../../src/lib/virtual-exam.ts'

interface Wish
  extends Partial<ExamTask>,
    Partial<Pick<ExamSettings, 'seed' | 'signal' | 'onProgress' | 'traces' | 'portraitOf'>> {}

/** Of an exam that plays plans. */
type PlannedResult = ExamResult & { readonly exploration: NonNullable<ExamResult['exploration']> }

/** Plays plans alone to a function in virtual time, without the cases of an exam. */
export const explore = (client: ClientFunction, { seed = 1, ...wish }: Wish = {}) =>
  inVirtualTime(
    async () => client,
    { seed, scenarios: undefined, place: usualPlace() },
    async (player, { contents }): Promise<PlannedResult> => {
      const result = await playExam(
        player,
        {
          cases: [],
          depth: 2,
          synchronizationId: readySynchronization(contents[0]!),
          ...{ first: [], plans: undefined, sample: 1_000 },
          ...wish,
        },
        {
          client: client.name,
          ...{ seed, speed: 1, jobs: 1, budget: undefined, isStrict: false, endsWithAdvice: false },
          signal: wish.signal ?? new AbortController().signal,
          limitOf: () => longestRun({ isPlan: true }),
          reproduce: () => null,
          onProgress: wish.onProgress ?? (() => {}),
          ...(wish.traces && { traces: wish.traces }),
          portraitOf: wish.portraitOf,
        },
      )
      return { ...result, exploration: result.exploration! }
    },
  )

/** An example client as a function that waits and asks with what the process has, as an application does. */
export const explored =
  (send: Send): ClientFunction =>
  ({ url, user, password, synchronizationId, state, scheduleDate }) =>
    send({
      fetch: (address, init) => fetch(address, init),
      sleep: (milliseconds, signal) =>
        pause(Math.max(0, milliseconds), undefined, signal && { signal }).catch(() => {}),
      now: () => Date.now(),
      url,
      user,
      password,
      synchronizationId,
      state,
      ...(scheduleDate !== undefined && { scheduleDate }),
    })
