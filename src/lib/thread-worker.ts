import { Worker as Thread } from 'node:worker_threads'
import type { Worker, WorkerWord } from '../judge/orders/stage.ts'
import { UserError } from '../store/user-error.ts'
import { gateValues, type ThreadWord, type WorkerData, type WorkerOrder } from './worker-messages.ts'

/** A worker of which it can be seen whether it computes for too long. */
export interface WatchedWorker extends Worker {
  /** Whether it has been told to go on and has not said yet that it waits. */
  readonly isBusy: boolean
  /** Number of times that it has said something. */
  readonly saidCount: number
}

/** A worker in a thread of its own, with variables and random numbers of its own. @throws UserError when the module cannot be loaded */
export async function startThreadWorker(data: Omit<WorkerData, 'gate'>): Promise<WatchedWorker> {
  const gate = new SharedArrayBuffer(4)
  const door = new Int32Array(gate)
  const thread = new Thread(new URL('./worker-thread.js', import.meta.url), { workerData: { ...data, gate } })
  let words: WorkerWord[] = []
  let due: number | undefined
  let isBlocked = false
  let saidCount = 0
  let wait:
    | { readonly resolve: (words: WorkerWord[]) => void; readonly reject: (error: Error) => void }
    | undefined
  const fail = (message: string) => wait?.reject(new UserError(message))
  const still = () =>
    new Promise<WorkerWord[]>((resolve, reject) => {
      wait = { resolve, reject }
    })
  thread
    .on('message', (word: ThreadWord) => {
      saidCount++
      if (word.kind === 'refusal') return fail(word.message)
      if (word.kind !== 'still') return void words.push(word)
      ;({ due, isBlocked } = word)
      const { resolve } = wait!
      const all = words
      words = []
      wait = undefined
      resolve(all)
    })
    .on('error', error => fail(`the client ended its thread: ${error.message}`))
    .on('exit', () => fail('the client ended its thread: it called process.exit()'))
  const send = (order: WorkerOrder) => {
    const done = still()
    thread.postMessage(order)
    return done
  }
  /** Lets it go on in the synchronous call in which it waits. */
  const release = (value: number) => {
    const done = still()
    isBlocked = false
    Atomics.store(door, 0, value)
    Atomics.notify(door, 0)
    return done
  }
  await still()
  return {
    isStoreSeen: true,
    get due() {
      return due
    },
    get isBlocked() {
      return isBlocked
    },
    get isBusy() {
      return wait !== undefined
    },
    get saidCount() {
      return saidCount
    },
    begin: (call, now) => send({ kind: 'begin', call, now }),
    wake: now => send({ kind: 'wake', now }),
    deliver: (request, parts, now) => send({ kind: 'deliver', request, parts, now }),
    pass: file => (isBlocked ? release(gateValues.open) : send({ kind: 'pass', file })),
    kill: () => (isBlocked ? release(gateValues.killed) : send({ kind: 'kill' })),
  }
}
