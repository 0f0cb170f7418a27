import { once } from 'node:events'
import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { realTime } from '../../rig/clock.ts'
import type { SpaceRig } from '../../rig/space-rig.ts'
import { nextTurn } from '../../store/turns.ts'
import { shortestTimeout } from '../knowledge.ts'
import { type ClientStart, traceOf } from '../portrait/trace.ts'
import { type CaseHost, type PreparedCase, prepareCase, waitForFirstAttempt } from './case-host.ts'
import { evaluateCase, meantBy } from './case-result.ts'
import { CaseTime, longestRun } from './case-time.ts'
import type { ExamCase } from './cases.ts'
import { causesOf } from './causes.ts'
import type { Client, ClientRuns, Ending } from './client.ts'
import type { SessionOptions } from './exam-result.ts'
import type { Stop } from './outcome.ts'
import { type DelayMeter, findTimingDoubt, silenceOf } from './timing.ts'

/** What the runs of a client need: the space that it talks to, and starts with directories for its state. */
interface Ground {
  readonly rig: SpaceRig
  readonly start: (state: string, killing?: AbortSignal) => Promise<Ending>
  readonly createStore: () => string
  /** Aborts when the client has to be stopped. */
  readonly signal: AbortSignal
}

/** Starts the client as the case requires. @throws CommandError */
async function runClient({ runPlan }: ExamCase, ground: Ground): Promise<ClientRuns> {
  const { start, createStore, signal } = ground
  const store = createStore()
  if (runPlan.kind === 'restarted') return runRestarted(ground, store, runPlan)
  const first = await start(store)
  if (runPlan.kind === 'once' || signal.aborted) return { endings: [first] }
  return { endings: [first, await start(createStore())] }
}

async function runRestarted(
  { rig, start, signal }: Ground,
  store: string,
  { killedWhen, steps }: Extract<ExamCase['runPlan'], { kind: 'restarted' }>,
): Promise<ClientRuns> {
  const restarts: number[] = []
  for (const step of steps ?? [undefined]) {
    const killing = new AbortController()
    const run = start(store, killing.signal)
    const isTime = await waitForFirstAttempt(rig, killedWhen === 'asked' ? 'answered' : 'closed', run, step)
    killing.abort()
    const endings = [await run]
    const deviation = isTime || steps ? undefined : 'it ended before it could be killed'
    if (!isTime) return { endings, restarts, deviation }
    await readWhatIsLeft(rig)
    restarts.push(rig.clock.real)
    if (signal.aborted) return { endings, restarts }
  }
  return { endings: [await start(store)], restarts }
}

/** Turns of the event loop in which what a dead process has sent is accepted and read. */
const readingTurns = 5

/** The last request of a client that was killed may still be unread: it is none of the next start. Without sockets there is none. */
async function readWhatIsLeft({ journal }: SpaceRig): Promise<void> {
  const hasSockets = journal.entries().some(({ connection }) => connection !== 0)
  if (hasSockets) for (let turn = 0; turn < readingTurns; turn++) await nextTurn()
}

/** What cases are played with. */
export interface CaseRun extends Pick<SessionOptions, 'seed' | 'speed'> {
  readonly client: Client
  /** For directories with the state of clients. */
  readonly directory: string
  /** Real milliseconds that the client may take. */
  readonly limit: number
  readonly signal: AbortSignal
  readonly startDelayMeter: DelayMeter
}

/** Maximum number of requests for one mailing; more are a flood. */
const floodLimit = 500
/** Real milliseconds to wait until closed connections of an ended client are noticed. */
const closeDelay = 300

/**
 * Plays one case in a space of its own and judges it. `doubt` is what an idle machine might show otherwise, `hits` how many
 * requests each step of the scenario's first rule met, `hasRealWait` whether a client that asks for its waits had to wait in real
 * time as well, `trace` what it decided, `capsule` a file in which it can be looked at.
 * @param tag the part after the plus in the name of the space
 * @param isKept whether there is a capsule if something was found
 * @throws CommandError, NoUserWithWriteAccess
 */
export async function playCase(
  exam: ExamCase,
  tag: string,
  host: CaseHost,
  run: CaseRun,
  isKept = !exam.isPlan,
) {
  const { client, directory, limit } = run
  const preparedCase = await prepareCase(exam, tag, host, run)
  const { rig, call } = preparedCase
  const time = client.isWarm && hasOwnTime(exam) ? new CaseTime(rig, run.speed) : undefined
  if (client.hasAskedForWait) time?.follow()
  try {
    const endDelayMeter = run.startDelayMeter()
    const began = realTime()
    const watch = watchClient(preparedCase, limit, run.signal, time)
    const { signal } = watch
    const clientStarts: ClientStart[] = []
    const start = async (state: string, killing?: AbortSignal) => {
      await time?.startClient()
      const begin = { at: rig.clock.now(), requests: rig.journal.count }
      const ending = await client.run(
        { ...call, state, signal: killing ? AbortSignal.any([signal, killing]) : signal },
        killing !== undefined,
        time,
      )
      const end = killing?.aborted ? 'killed' : signal.aborted ? null : ending.believes
      clientStarts.push({ ...begin, until: rig.clock.now(), end })
      return ending
    }
    const createStore = () => mkdtempSync(join(directory, 'client-'))
    const starts = await runClient(exam, { rig, start, createStore, signal }).finally(() => watch.end())
    const realSeconds = Math.round(realTime() - began) / 1000
    await waitForClosedRequests(rig)
    const delay = endDelayMeter()
    // What is still planned happens when the case is judged, and moves its clock.
    const silence = silenceOf(rig)
    const result = await evaluateCase(preparedCase, {
      ...starts,
      doubt: time?.doubt,
      pauseDoubt: time?.findOwnWait(delay),
      stop: watch.stop(),
      limit: watch.stop()?.limit ?? limit,
      realSeconds,
    })
    const ownTime = time?.isFollowed ? time : undefined
    const hits = rig.scenarios.active?.hits()[0]?.steps
    return {
      result,
      doubt: findTimingDoubt(result, rig, delay, silence, ownTime),
      hits,
      hasRealWait: ownTime?.hasRun ?? false,
      trace: traceOf(preparedCase, clientStarts, {
        isMockLate: delay >= shortestTimeout(ownTime?.speed ?? rig.clock.rate),
        perhapsGivenUp: ownTime?.perhapsGivenUp,
      }),
      capsule:
        isKept && causesOf(result).size > 0
          ? await host.capsuleOf?.(rig.space.name, {
              believes: result.reached.belief,
              expected: meantBy(exam),
            })
          : undefined,
    }
  } finally {
    time?.end()
    await Promise.all([preparedCase.listener?.close(), preparedCase.redirectTarget?.close()])
    // Everything of interest is in the result.
    await host.tools.spaces.remove(rig.space.name)
  }
}

/** Whether waits in a case can be skipped: not if a port of the case changes in real time. */
const hasOwnTime = ({ listenerFaults }: ExamCase): boolean => listenerFaults === undefined

interface ClientWatch {
  /** Aborts when the client has to be stopped. */
  readonly signal: AbortSignal
  end(): void
  /** Why it was stopped; undefined if it was not. */
  stop(): Stop | undefined
}

/** Stops a client that takes too long, sends too many requests, or whose exam is interrupted. */
export function watchClient(
  preparedCase: PreparedCase,
  limit: number,
  interrupted: AbortSignal,
  time?: CaseTime,
): ClientWatch {
  const { journal } = preparedCase.rig
  const stopping = new AbortController()
  const over = new AbortController()
  let stop: Stop | undefined
  const stopBecause = (why: Stop['why'], limit?: number) => {
    // Recorded before the client and its connections are killed.
    stop ??= { ...stopOf(preparedCase, why, time), limit }
    stopping.abort()
  }
  const timer = setTimeout(() => stopBecause('late'), limit)
  time?.over.addEventListener('abort', () => stopBecause('late', longestRun), { once: true })
  void journal
    .waitUntil(() => journal.count > floodLimit, once(over.signal, 'abort'))
    .then(isFlood => isFlood && stopBecause('flood'))
  const interrupt = () => stopBecause('interrupted')
  if (interrupted.aborted) interrupt()
  else interrupted.addEventListener('abort', interrupt, { once: true, signal: over.signal })
  return {
    signal: stopping.signal,
    end() {
      clearTimeout(timer)
      over.abort()
    },
    stop: () => stop,
  }
}

function stopOf({ rig, listener }: PreparedCase, why: Stop['why'], time?: CaseTime): Stop {
  const now = rig.clock.real
  const pace = time?.isFollowed ? time.speed : 1
  const seconds = (since: number) => Math.max(0, Math.round((now - since) / pace / 100) / 10)
  const entries = rig.journal.entries()
  const last = entries.at(-1)
  return {
    why,
    waiting: entries
      .filter(({ ended, left }) => ended === undefined && left === undefined)
      .map(({ id, arrived }) => ({ id, seconds: seconds(arrived.real) })),
    waitingConnections: listener?.waiting ?? 0,
    // What is no wait takes no time where waits are asked for.
    sinceRequest: last && !time?.isFollowed ? seconds(last.arrived.real) : undefined,
  }
}

/** Waits a moment until the journal shows that the client has left its requests. */
export const waitForClosedRequests = ({ journal }: SpaceRig): Promise<boolean> =>
  withTimer(closeDelay, late =>
    journal.waitUntil(() => journal.entries().every(({ ended }) => ended !== undefined), late),
  )

/** @param wait takes a promise that resolves after this time, in real milliseconds */
async function withTimer<Value>(time: number, wait: (late: Promise<void>) => Promise<Value>): Promise<Value> {
  const over = new AbortController()
  const late = pause(time, undefined, { signal: over.signal }).catch(() => {})
  return wait(late).finally(() => over.abort())
}
