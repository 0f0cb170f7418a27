import { realTime } from '../../rig/journal.ts'
import type { SpaceRig } from '../../rig/space-rig.ts'
import type { Client, ClientCall, Ending } from './client.ts'
import type { ExamCase } from './exam-case.ts'
import { firstAttempt } from './first-attempt.ts'

/** What a course needs: a client, where it is heard, and stores for it. */
export interface Ground {
  readonly client: Client
  readonly rig: SpaceRig
  readonly call: Omit<ClientCall, 'state' | 'signal'>
  /** An empty directory. */
  readonly store: () => Promise<string>
  /** Aborts when the client has to be stopped. */
  readonly signal: AbortSignal
}

/** The client's starts, and whether they went as the course wants them. */
export interface Starts {
  readonly endings: readonly Ending[]
  /** When it was killed on purpose and started again, in milliseconds of the machine's time. */
  readonly restarts: readonly number[]
  /** Why the course could not be gone as meant; undefined when it was. */
  readonly unlike: string | undefined
}

/** Starts the client as the case wants it. @throws CommandError */
export function gone(exam: ExamCase, ground: Ground): Promise<Starts> {
  switch (exam.course.kind) {
    case 'once':
      return once(ground)
    case 'restarted':
      return restarted(ground, exam.course.killedWhen)
    case 'second-worker':
      return secondWorker(ground)
    case 'two-mailings':
      return twoMailings(ground)
  }
}

async function once(ground: Ground): Promise<Starts> {
  const ending = await started(ground, await ground.store())
  return { endings: [ending], restarts: [], unlike: undefined }
}

async function restarted(ground: Ground, killedWhen: 'asked' | 'told'): Promise<Starts> {
  const store = await ground.store()
  const killing = new AbortController()
  const first = started(ground, store, killing.signal)
  const isTime = await firstAttempt(ground.rig, killedWhen, first)
  killing.abort()
  const ending = await first
  if (!isTime) return { endings: [ending], restarts: [], unlike: 'it ended before it could be killed' }
  const restarts = [realTime()]
  if (ground.signal.aborted) return { endings: [ending], restarts, unlike: undefined }
  return { endings: [await started(ground, store)], restarts, unlike: undefined }
}

async function secondWorker(ground: Ground): Promise<Starts> {
  const store = await ground.store()
  const first = started(ground, store)
  const isTime = await firstAttempt(ground.rig, 'begun', first)
  if (!isTime)
    return { endings: [await first], restarts: [], unlike: 'it ended before a second worker could begin' }
  return { endings: await Promise.all([first, started(ground, store)]), restarts: [], unlike: undefined }
}

async function twoMailings(ground: Ground): Promise<Starts> {
  const first = await started(ground, await ground.store())
  if (ground.signal.aborted) return { endings: [first], restarts: [], unlike: undefined }
  const second = await started(ground, await ground.store())
  return { endings: [first, second], restarts: [], unlike: undefined }
}

const started = (
  { client, call, signal }: Ground,
  state: string,
  alsoStopped?: AbortSignal,
): Promise<Ending> =>
  client.run({ ...call, state, signal: alsoStopped ? AbortSignal.any([signal, alsoStopped]) : signal })
