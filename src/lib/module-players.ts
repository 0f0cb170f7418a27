import { rm } from 'node:fs/promises'
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

/** Plays plans to the client of a module, each in a thread that plays nothing else meanwhile. @throws UserError */
export class ModulePlayers implements PlanPlayer, AsyncDisposable {
  readonly isExact = true
  readonly #data: ThreadData
  readonly #reproduce: ((plan: Plan) => string) | undefined
  readonly #all: ModuleThread[] = []
  readonly #free: ModuleThread[] = []

  constructor(data: ThreadData, reproduce: ((plan: Plan) => string) | undefined) {
    this.#data = data
    this.#reproduce = reproduce
  }

  async play(plan: Plan): Promise<PlanRun> {
    const thread = this.#free.pop() ?? this.#begin()
    const { result, ...run } = await thread.play(planName(plan))
    this.#free.push(thread)
    return {
      ...run,
      result: { ...result, reproduce: this.#reproduce?.(plan) ?? null },
      troubles: run.troubles.map(name => troublesByName.get(name)!),
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#all.map(it => it.end()))
    await rm(this.#data.place, { recursive: true, force: true, maxRetries: 3 })
  }

  #begin(): ModuleThread {
    const thread = new ModuleThread(this.#data)
    this.#all.push(thread)
    return thread
  }
}

class ModuleThread {
  readonly #worker: Worker
  readonly #watch: NodeJS.Timeout
  /** Rejects when it cannot play any more. */
  readonly #end: Promise<never>
  #fail!: (reason: UserError) => void

  constructor(data: ThreadData) {
    const beats = new Int32Array(new SharedArrayBuffer(4))
    this.#worker = new Worker(new URL('./module-thread.js', import.meta.url), {
      workerData: { ...data, beats },
    })
    this.#end = new Promise((_, reject) => {
      this.#fail = reject
    })
    this.#end.catch(() => {})
    this.#worker
      .on('error', error => this.#fail(new UserError(`the client ended its thread: ${error.message}`)))
      .on('exit', () => this.#fail(new UserError('the client ended its thread: it called process.exit()')))
    let seen = 0
    let since = performance.now()
    this.#watch = setInterval(() => {
      const now = Atomics.load(beats, 0)
      if (now !== seen) since = performance.now()
      seen = now
      if (performance.now() - since > blockedLimit) this.#fail(new UserError(blockedSentence))
    }, 1_000)
  }

  async play(name: string) {
    const said = new Promise<ThreadAnswer>(resolve => this.#worker.once('message', resolve))
    this.#worker.postMessage(name)
    const answer = await Promise.race([said, this.#end])
    if ('refusal' in answer) throw new UserError(answer.refusal)
    return answer.run
  }

  async end(): Promise<void> {
    clearInterval(this.#watch)
    await this.#worker.terminate()
  }
}
