import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { realTime } from '../../rig/journal.ts'
import type { SpaceRig } from '../../rig/space-rig.ts'
import { type PreparedCase, waitForFirstAttempt } from './case-host.ts'
import { evaluateCase } from './case-result.ts'
import type { ExamCase } from './cases.ts'
import type { Client, ClientRuns, Ending } from './client.ts'
import type { Stall, Stopped } from './outcome.ts'
import { type DelayMeter, findTimingDoubt } from './timing.ts'

/** The hold in scenarios/exam/cases.yaml that keeps the first attempt until the second worker's request has come. */
const secondWorkerHold = 'second-worker'

/** What a run of a client needs: the client, the space that it talks to, and directories for its state. */
interface RunContext extends Pick<PreparedCase, 'rig' | 'call'> {
  readonly client: Client
  readonly createTempDir: () => Promise<string>
  /** Aborts when the client has to be stopped. */
  readonly signal: AbortSignal
}

/** Starts the client as the case requires. @throws CommandError */
async function runClient(exam: ExamCase, ground: RunContext): Promise<ClientRuns> {
  switch (exam.runPlan.kind) {
    case 'once':
      return asPlanned(await startClient(ground, await ground.createTempDir()))
    case 'restarted':
      return runRestarted(ground, exam.runPlan)
    case 'second-worker':
      return runSecondWorker(ground)
    case 'two-mailings':
      return runTwoMailings(ground)
  }
}

/** Starts of a client that were not killed. */
const asPlanned = (...endings: readonly Ending[]): ClientRuns => ({
  endings,
  restarts: [],
  deviation: undefined,
})

async function runRestarted(
  ground: RunContext,
  { killedWhen, steps }: Extract<ExamCase['runPlan'], { kind: 'restarted' }>,
): Promise<ClientRuns> {
  const store = await ground.createTempDir()
  const restarts: number[] = []
  for (const step of steps ?? [undefined]) {
    const killing = new AbortController()
    const run = startClient(ground, store, killing.signal)
    const isTime = await waitForFirstAttempt(ground.rig, killedWhen, run, step)
    killing.abort()
    const ending = await run
    const deviation = isTime || steps ? undefined : 'it ended before it could be killed'
    if (!isTime) return { ...asPlanned(ending), restarts, deviation }
    restarts.push(realTime())
    if (ground.signal.aborted) return { ...asPlanned(ending), restarts }
  }
  return { ...asPlanned(await startClient(ground, store)), restarts }
}

async function runSecondWorker(ground: RunContext): Promise<ClientRuns> {
  const store = await ground.createTempDir()
  const first = startClient(ground, store)
  const isTime = await waitForFirstAttempt(ground.rig, 'begun', first)
  if (!isTime) return { ...asPlanned(await first), deviation: 'it ended before a second worker could begin' }
  const second = startClient(ground, store)
  // A second worker that waits for the first one, as with a lock, sends nothing by then.
  const hasCome = await withTimer(secondWorkerTime, late =>
    waitForFirstAttempt(ground.rig, 'begun', Promise.race([first, second, late])),
  )
  const { journal, reader } = ground.rig
  const held = journal.entries().find(record => reader.operation(record) === 'createSending')
  const isTogether = hasCome && held?.left === undefined && held?.ended === undefined
  await ground.rig.holds.release(secondWorkerHold)
  const endings = await Promise.all([first, second])
  const doubt = 'the second worker sent nothing before the first one had ended or given up its first attempt'
  return { ...asPlanned(...endings), ...(!isTogether && { doubt }) }
}

/** Real milliseconds for which the first attempt is held at most: a program has started by then. */
const secondWorkerTime = 10_000

async function runTwoMailings(ground: RunContext): Promise<ClientRuns> {
  const first = await startClient(ground, await ground.createTempDir())
  if (ground.signal.aborted) return asPlanned(first)
  return asPlanned(first, await startClient(ground, await ground.createTempDir()))
}

const startClient = (
  { client, call, signal }: RunContext,
  state: string,
  alsoStopped?: AbortSignal,
): Promise<Ending> =>
  client.run({ ...call, state, signal: alsoStopped ? AbortSignal.any([signal, alsoStopped]) : signal })

interface CaseRun extends Pick<RunContext, 'client' | 'createTempDir' | 'signal'> {
  /** Real milliseconds that the client may take. */
  readonly limit: number
  /** A command line that runs only this case. */
  readonly reproduce: string | undefined
  readonly startDelayMeter: DelayMeter
}

/** Maximum number of requests for one mailing; more are a flood. */
const floodLimit = 500
/** Real milliseconds to wait until closed connections of an ended client are noticed. */
const closeDelay = 300

/** Runs one case and judges it. `doubt` is what an idle machine might show otherwise. @throws CommandError */
export async function runCase(staged: PreparedCase, run: CaseRun) {
  const { rig, exam, call } = staged
  const { client, createTempDir, limit, startDelayMeter } = run
  const endDelayMeter = startDelayMeter()
  const began = realTime()
  const watch = watchClient(staged, limit, run.signal)
  const context = { client, rig, call, createTempDir, signal: watch.signal }
  const starts = await runClient(exam, context).finally(() => watch.end())
  const realSeconds = Math.round(realTime() - began) / 1000
  await waitForClosedRequests(rig)
  const delay = endDelayMeter()
  const result = await evaluateCase(staged, {
    ...starts,
    ...watch.why(),
    limit,
    realSeconds,
    reproduce: run.reproduce,
  })
  return { result, doubt: findTimingDoubt(result, rig, delay) }
}

/** Stops a client that takes too long, sends too many requests, or whose exam is interrupted. */
function watchClient(staged: PreparedCase, limit: number, interrupted: AbortSignal) {
  const { journal } = staged.rig
  const stop = new AbortController()
  const over = new AbortController()
  let why: { readonly stopped: Stopped; readonly stall: Stall } | undefined
  const stopBecause = (stopped: Stopped) => {
    // Recorded before the client and its connections are killed.
    why ??= { stopped, stall: stallOf(staged) }
    stop.abort()
  }
  const timer = setTimeout(() => stopBecause('late'), limit)
  void journal
    .waitUntil(() => journal.count > floodLimit, once(over.signal, 'abort'))
    .then(isFlood => isFlood && stopBecause('flood'))
  const interrupt = () => stopBecause('interrupted')
  if (interrupted.aborted) interrupt()
  else interrupted.addEventListener('abort', interrupt, { once: true, signal: over.signal })
  return {
    signal: stop.signal,
    end() {
      clearTimeout(timer)
      over.abort()
    },
    /** Why it was stopped, and what the client was waiting for then, or is now. */
    why: () => why ?? { stopped: undefined, stall: stallOf(staged) },
  }
}

function stallOf({ rig, listener }: PreparedCase): Stall {
  const now = realTime()
  const seconds = (since: number) => Math.max(0, Math.round((now - since) / 100) / 10)
  const entries = rig.journal.entries()
  const last = entries.at(-1)
  return {
    waiting: entries
      .filter(({ ended, left }) => ended === undefined && left === undefined)
      .map(({ id, arrived }) => ({ id, seconds: seconds(arrived.real) })),
    waitingConnections: listener?.waiting ?? 0,
    sinceRequest: last && seconds(last.arrived.real),
  }
}

/** Waits a moment until the journal shows that the client has left its requests. */
const waitForClosedRequests = ({ journal }: SpaceRig): Promise<boolean> =>
  withTimer(closeDelay, late =>
    journal.waitUntil(() => journal.entries().every(({ ended }) => ended !== undefined), late),
  )

/** @param wait takes a promise that resolves after this time, in real milliseconds */
async function withTimer<Value>(time: number, wait: (late: Promise<void>) => Promise<Value>): Promise<Value> {
  const over = new AbortController()
  const late = pause(time, undefined, { signal: over.signal }).catch(() => {})
  return wait(late).finally(() => over.abort())
}
