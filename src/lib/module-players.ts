import { Worker } from 'node:worker_threads'
import type { PlanPlayer, PlanRun } from '../judge/explore/explore.ts'
import { type Plan, planName, troublesByName } from '../judge/explore/plans.ts'
import { UserError } from '../store/user-error.ts'

/** What a thread plays plans with. */
export interface ThreadData {
  /** URL of a file whose default export is the client. */
  readonly module: string
  readonly seed: number
  /** Folder for what clients keep. */
  readonly place: string
}

/** What a thread says of a plan: its run, with the names of the troubles that were met, or why there is none. */
export type ThreadAnswer =
  | { readonly run: Omit<PlanRun, 'troubles'> & { readonly troubles: readonly string[] } }
  | { readonly refusal: string }

/** Real milliseconds after which a client that does not give way is ended. */
const blockedLimit = 30_000
const blockedSentence = `the client computes for ${blockedLimit / 1000} s without waiting for anything, so nothing else can go on; a client that is a command can be ended`

interface ModuleOptions {
  readonly reproduce: ((plan: Plan) => string) | undefined
  /** When it aborts, runs that have begun are not waited for. */
  readonly signal: AbortSignal | undefined
}

/** Plays plans to the client of a module, each in a thread that plays nothing else meanwhile. @throws UserError */
export function modulePlayers(
  data: ThreadData,
  { reproduce, signal }: ModuleOptions,
): PlanPlayer & AsyncDisposable {
  const all: ModuleThread[] = []
  const free: ModuleThread[] = []
  const interrupted = new Promise<never>((_, reject) => {
    signal?.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
  interrupted.catch(() => {})
  function begin(): ModuleThread {
    const thread = startThread(data)
    all.push(thread)
    return thread
  }
  return {
    isExact: true,
    async play(plan) {
      const thread = free.pop() ?? begin()
      const { result, ...run } = await Promise.race([thread.play(planName(plan)), interrupted])
      free.push(thread)
      return {
        ...run,
        result: { ...result, reproduce: reproduce?.(plan) ?? null },
        troubles: run.troubles.map(name => troublesByName.get(name)!),
      }
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(all.map(it => it.end()))
    },
  }
}

type ModuleThread = ReturnType<typeof startThread>

function startThread(data: ThreadData) {
  const beats = new Int32Array(new SharedArrayBuffer(4))
  const worker = new Worker(new URL('./module-thread.js', import.meta.url), {
    workerData: { ...data, beats },
  })
  let fail!: (why: string) => void
  /** Rejects when it cannot play any more. */
  const ended = new Promise<never>((_, reject) => {
    fail = why => reject(new UserError(why))
  })
  ended.catch(() => {})
  worker
    .on('error', error => fail(`the client ended its thread: ${error.message}`))
    .on('exit', () => fail('the client ended its thread: it called process.exit()'))
  let seen = 0
  let since = performance.now()
  const watch = setInterval(() => {
    const now = Atomics.load(beats, 0)
    if (now !== seen) since = performance.now()
    seen = now
    if (performance.now() - since > blockedLimit) fail(blockedSentence)
  }, 1_000)
  return {
    async play(name: string) {
      const said = new Promise<ThreadAnswer>(resolve => worker.once('message', resolve))
      worker.postMessage(name)
      const answer = await Promise.race([said, ended])
      if ('refusal' in answer) throw new UserError(answer.refusal)
      return answer.run
    },
    async end() {
      clearInterval(watch)
      await worker.terminate()
    },
  }
}
