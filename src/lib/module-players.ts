import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import type { ExamCase } from '../judge/exam/cases.ts'
import type { Play, Player } from '../judge/exam/player.ts'
import type { PlayedOrders } from '../judge/orders/explore-orders.ts'
import type { OrderPlayer } from '../judge/orders/play-orders.ts'
import { UserError } from '../store/user-error.ts'
import type { WarmWorkerData } from './command-worker.ts'

/** What a thread plays with. */
export interface ThreadData {
  /** URL of a file whose default export is the client. */
  readonly module: string
  readonly seed: number
  readonly scenarios: string | undefined
  /** Folder for what clients keep. */
  readonly place: string
  /** Whether runs that show something leave a capsule. */
  readonly keepsCapsules?: boolean
}

/** What a thread plays orders of two workers with. */
export interface OrderThreadData extends Omit<ThreadData, 'module'> {
  readonly client: Pick<ThreadData, 'module'> | WarmWorkerData
}

/** What a thread is asked to play. */
export type ThreadTask = Pick<ExamCase, 'name' | 'isPlan'> & { readonly isKept: boolean | undefined }
/** What a thread says of it: its run, or why there is none. */
export type ThreadAnswer = { readonly play: Play } | { readonly refusal: string }

/** What a thread says of the orders of a plan. */
export type OrderAnswer = { readonly orders: PlayedOrders } | { readonly refusal: string }

/** Real milliseconds after which a client that does not give way is ended, if this process computed for a good part of them. */
const blockedLimit = 30_000
/** As a share of them: less on a machine that is so busy that the client hardly gets to compute. */
const computedShare = 0.3
/** Milliseconds after which it is ended in any case: it may wait in a call that nothing ends. */
const stuckLimit = 4 * blockedLimit
const blockedSentence = `the client computes for ${blockedLimit / 1000} s without waiting for anything, so nothing else can go on; a client that is a command can be ended`

/** Milliseconds of the processors' time that all threads of this process have used. */
function computedTime(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

/** Real milliseconds in which a thread ends the processes that it has started. */
const endTime = 2_000

/**
 * Plays to the client of a module, each case in a thread that plays nothing else meanwhile. The threads end when it is disposed of.
 * @param signal when it aborts, runs that have begun are not waited for
 * @throws UserError
 */
export function modulePlayer(data: ThreadData, signal: AbortSignal): Player & AsyncDisposable {
  const pool = threadPool<ThreadTask, Extract<ThreadAnswer, { play: Play }>>('module-thread', data, signal)
  return {
    isExact: true,
    isKillable: true,
    play: async ({ name, isPlan }, _, isKept) => (await pool.ask({ name, isPlan, isKept })).play,
    [Symbol.asyncDispose]: pool.end,
  }
}

/** The same for two workers, each in a thread or a process of its own. */
export function orderPlayer(data: OrderThreadData, signal: AbortSignal): OrderPlayer & AsyncDisposable {
  const isExact = 'module' in data.client
  const pool = threadPool<string, Extract<OrderAnswer, { orders: PlayedOrders }>>(
    'order-thread',
    data,
    signal,
    !isExact,
  )
  return {
    isExact,
    play: async name => (await pool.ask(name)).orders,
    [Symbol.asyncDispose]: pool.end,
  }
}

/**
 * As many threads of a program as are asked something at a time.
 * @param hasProcesses whether they start some, which they end when they are told `null`
 */
function threadPool<Task, Answer extends object>(
  program: string,
  data: object,
  signal: AbortSignal,
  hasProcesses = false,
) {
  type ModuleThread = ReturnType<typeof startThread<Task, Answer>>
  const all: ModuleThread[] = []
  const free: ModuleThread[] = []
  const interrupted = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
  interrupted.catch(() => {})
  function begin(): ModuleThread {
    const thread = startThread<Task, Answer>(program, data, hasProcesses)
    all.push(thread)
    return thread
  }
  return {
    async ask(task: Task): Promise<Answer> {
      const thread = free.pop() ?? begin()
      const answer = await Promise.race([thread.ask(task), interrupted])
      free.push(thread)
      return answer
    },
    async end(): Promise<void> {
      await Promise.all(all.map(it => it.end()))
    },
  }
}

function startThread<Task, Answer extends object>(program: string, data: object, hasProcesses: boolean) {
  const beats = new Int32Array(new SharedArrayBuffer(4))
  const worker = new Worker(new URL(`./${program}.js`, import.meta.url), {
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
    .on('exit', () => {
      hasEnded = true
      fail(
        'the client ended its thread: it called process.exit(), as a program does; --module takes a file that exports the client as a function',
      )
    })
  let hasEnded = false
  let seen = 0
  let since = { real: performance.now(), computed: computedTime() }
  const watch = setInterval(() => {
    const now = { real: performance.now(), computed: computedTime() }
    const beat = Atomics.load(beats, 0)
    if (beat !== seen) since = now
    seen = beat
    const silence = now.real - since.real
    const hasComputed = now.computed - since.computed > computedShare * blockedLimit
    if (silence > stuckLimit || (silence > blockedLimit && hasComputed)) fail(blockedSentence)
  }, 1_000)
  return {
    async ask(task: Task): Promise<Answer> {
      const said = new Promise<Answer | { readonly refusal: string }>(resolve =>
        worker.once('message', resolve),
      )
      worker.postMessage(task)
      const answer = await Promise.race([said, ended])
      if ('refusal' in answer) throw new UserError(answer.refusal)
      return answer
    },
    async end() {
      clearInterval(watch)
      if (hasProcesses && !hasEnded) {
        worker.postMessage(null)
        await Promise.race([once(worker, 'exit'), pause(endTime, undefined, { ref: false })])
      }
      await worker.terminate()
    },
  }
}
