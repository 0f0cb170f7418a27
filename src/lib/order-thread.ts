/** The program of a thread: plays orders of two workers, each in a thread or a process of its own, to a client. */
import { parentPort, workerData } from 'node:worker_threads'
import { RunningProcesses } from '../judge/exam/client-processes.ts'
import { orderPlanOfName } from '../judge/orders/order-plans.ts'
import { startCommandWorker } from './command-worker.ts'
import type { OrderAnswer, OrderThreadData } from './module-players.ts'
import { withWorkers } from './order-player.ts'
import { startThreadWorker, type WatchedWorker } from './thread-worker.ts'
import { beginning } from './virtual-exam.ts'

const { beats, ...options }: OrderThreadData & { readonly beats: Int32Array } = workerData
const { client, seed } = options
const port = parentPort!
const answer = (it: OrderAnswer) => port.postMessage(it)
const refusalOf = (error: unknown) => ({ refusal: (error as Error).message })
const running = new RunningProcesses()

/** Seconds in which the workers may start: on a busy machine that takes long. */
const startLimit = 90

/** Takes one plan after another, until the thread is ended. */
async function takePlans(): Promise<void> {
  let workers: readonly WatchedWorker[] = []
  let seconds = 0
  let words = -1
  // While a worker computes, it says nothing, and this thread waits for it.
  setInterval(() => {
    const said = workers.reduce((sum, { saidCount }) => sum + saidCount, 0)
    const isStarting = workers.length === 0
    if (isStarting ? ++seconds < startLimit : said !== words || !workers.some(({ isBusy }) => isBusy))
      Atomics.add(beats, 0, 1)
    words = said
  }, 1_000)
  workers = await Promise.all(
    [1, 2].map(number =>
      'module' in client
        ? startThreadWorker({ module: client.module, seed, number, start: beginning })
        : startCommandWorker(client, running),
    ),
  )
  await withWorkers(workers, options, async play => {
    port.on('message', (name: string | null) => {
      if (name !== null)
        play(orderPlanOfName(name)!).then(
          orders => answer({ orders }),
          error => answer(refusalOf(error)),
        )
      else {
        running.killAll()
        process.exit()
      }
    })
    // Until the thread is ended.
    await new Promise(() => {})
  })
}

try {
  await takePlans()
} catch (error) {
  answer(refusalOf(error))
}
