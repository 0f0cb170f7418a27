/** The program of a thread: plays orders of two workers, each in a thread of its own, to the client of a module. */
import { once } from 'node:events'
import { parentPort, workerData } from 'node:worker_threads'
import { orderPlanOfName } from '../judge/orders/order-plans.ts'
import type { OrderAnswer, ThreadData } from './module-players.ts'
import { withWorkers } from './order-player.ts'
import { startWorker } from './thread-worker.ts'
import { beginning } from './virtual-exam.ts'

const { beats, ...options }: ThreadData & { readonly beats: Int32Array } = workerData
const { module, seed } = options
const port = parentPort!
const answer = (it: OrderAnswer) => port.postMessage(it)

try {
  const workers = await Promise.all(
    [1, 2].map(number => startWorker({ module, seed, number, start: beginning })),
  )
  let words = -1
  // While a worker computes, it says nothing, and this thread waits for it.
  setInterval(() => {
    const said = workers.reduce((sum, { saidCount }) => sum + saidCount, 0)
    if (said !== words || !workers.some(({ isBusy }) => isBusy)) Atomics.add(beats, 0, 1)
    words = said
  }, 1_000)
  await withWorkers(workers, options, async play => {
    for (;;) {
      const [name] = (await once(port, 'message')) as [string]
      answer({ orders: await play(orderPlanOfName(name)!) })
    }
  })
} catch (error) {
  answer({ refusal: (error as Error).message })
}
