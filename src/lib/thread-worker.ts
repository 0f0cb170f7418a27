import { MessageChannel, receiveMessageOnPort, Worker as Thread } from 'node:worker_threads'
import type { Worker, WorkerWord } from '../judge/orders/stage.ts'
import { UserError } from '../store/user-error.ts'
import { gateValues, shared, type ThreadWord, type WorkerData, type WorkerOrder } from './worker-messages.ts'

/** A worker of which it can be seen whether it computes for too long. */
export interface WatchedWorker extends Worker {
  /** Whether it has been told to go on and has not said yet that it waits. */
  readonly isBusy: boolean
  /** Number of times that it has said something. */
  readonly saidCount: number
}

/**
 * Real milliseconds for which this thread does nothing but wait for a worker, since that is answered much sooner than by a turn of the
 * event loop. Nothing else goes on meanwhile.
 */
const quickWait = 10

// That of this thread is virtual later.
const { setTimeout: setRealTimeout } = globalThis

/** A worker in a thread of its own, with variables and random numbers of its own. @throws UserError when the module cannot be loaded */
export async function startThreadWorker(data: Omit<WorkerData, 'gate' | 'port'>): Promise<WatchedWorker> {
  const gate = new SharedArrayBuffer(8)
  const numbers = new Int32Array(gate)
  const { port1: port, port2 } = new MessageChannel()
  const thread = new Thread(new URL('./worker-thread.js', import.meta.url), {
    workerData: { ...data, gate, port: port2 },
    transferList: [port2],
  })
  /** Why it can say nothing more. */
  let end: string | undefined
  thread
    .on('error', ({ message }) => {
      end ??= message
    })
    .on('exit', () => {
      end ??=
        'it called process.exit(), as a program does; --module takes a file that exports the client as a function'
    })
  let due: number | undefined
  let isBlocked = false
  let isBusy = false
  let saidCount = 0
  /** Waits until it says what it has done. */
  async function still(): Promise<readonly WorkerWord[]> {
    const { said } = shared
    isBusy = true
    let isLong = false
    // What was meant for the word before may wake it.
    while (Atomics.load(numbers, said) === saidCount)
      if (!isLong) isLong = Atomics.wait(numbers, said, saidCount, quickWait) === 'timed-out'
      else if (end !== undefined) throw new UserError(`the client ended its thread: ${end}`)
      else await new Promise(resolve => setRealTimeout(resolve, 1))
    isBusy = false
    saidCount++
    const word: ThreadWord = receiveMessageOnPort(port)!.message
    if ('refusal' in word) throw new UserError(word.refusal)
    ;({ due, isBlocked } = word)
    return word.words
  }
  const send = (order: WorkerOrder) => {
    thread.postMessage(order)
    return still()
  }
  /** Lets it go on in the synchronous call in which it waits. */
  const release = (value: number) => {
    Atomics.store(numbers, shared.door, value)
    Atomics.notify(numbers, shared.door)
    return still()
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
      return isBusy
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
