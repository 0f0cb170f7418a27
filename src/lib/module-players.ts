import { Worker } from 'node:worker_threads'
import type { ExamCase } from '../judge/exam/cases.ts'
import type { Play, Player } from '../judge/exam/player.ts'
import { UserError } from '../store/user-error.ts'

/** What a thread plays with. */
export interface ThreadData {
  /** URL of a file whose default export is the client. */
  readonly module: string
  readonly seed: number
  readonly scenarios: string | undefined
  /** Folder for what clients keep. */
  readonly place: string
}

/** What a thread is asked to play. */
export type ThreadTask = Pick<ExamCase, 'name' | 'isPlan'>
/** What a thread says of it: its run, or why there is none. */
export type ThreadAnswer = { readonly play: Play } | { readonly refusal: string }

/** Real milliseconds after which a client that does not give way is ended. */
const blockedLimit = 30_000
const blockedSentence = `the client computes for ${blockedLimit / 1000} s without waiting for anything, so nothing else can go on; a client that is a command can be ended`

/**
 * Plays to the client of a module, each case in a thread that plays nothing else meanwhile. The threads end when it is disposed of.
 * @param signal when it aborts, runs that have begun are not waited for
 * @throws UserError
 */
export function modulePlayer(data: ThreadData, signal: AbortSignal): Player & AsyncDisposable {
  const all: ModuleThread[] = []
  const free: ModuleThread[] = []
  const interrupted = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
  interrupted.catch(() => {})
  function begin(): ModuleThread {
    const thread = startThread(data)
    all.push(thread)
    return thread
  }
  return {
    isExact: true,
    isKillable: true,
    async play({ name, isPlan }) {
      const thread = free.pop() ?? begin()
      const play = await Promise.race([thread.play({ name, isPlan }), interrupted])
      free.push(thread)
      return play
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
    async play(task: ThreadTask) {
      const said = new Promise<ThreadAnswer>(resolve => worker.once('message', resolve))
      worker.postMessage(task)
      const answer = await Promise.race([said, ended])
      if ('refusal' in answer) throw new UserError(answer.refusal)
      return answer.play
    },
    async end() {
      clearInterval(watch)
      await worker.terminate()
    },
  }
}
